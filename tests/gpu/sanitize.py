"""One kernel of `kernels_check.KERNELS`, or a control that is wrong on purpose, launched at its small shapes: what compute-sanitizer runs.

    compute-sanitizer --tool memcheck --report-api-errors no python3 tests/gpu/sanitize.py NAME

`tests/gpu/run.py` runs all of them under memcheck, racecheck and synccheck. Each array has memory of its own, of exactly its size. Exit status 1 when the
result is wrong, of a control 0: what it does wrong is for the tool to find.
"""

from __future__ import annotations

import os
import pathlib
import sys

# Before torch is imported: each array from cudaMalloc, so that its end is an end.
os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import own_cache  # noqa: E402

own_cache()

import torch  # noqa: E402

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402


@avelang.jit
def beyond(x: al.Pointer(al.f32), n: al.u32):
    """Writes one element behind the end."""
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    X[al.thread_id(0) + 1] = 1.0


@avelang.jit
def racing(x: al.Tensor((64,), al.f32), y: al.Tensor((64,), al.f32)):
    """Reads what another warp writes, without a barrier."""
    tile = al.make_shared((64,), al.f32)
    t = al.thread_id(0)
    tile[t] = x[t]
    y[t] = tile[63 - t]


# A barrier of some lanes of a warp, that others reach.
PARTED = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry parted(.param .u64 out) {
  bar.warp.sync 1;
  ret;
}
"""


def memcheck() -> None:
    beyond[lambda: ((1,), (64,))](torch.zeros(64).cuda(), 65)


def racecheck() -> None:
    racing[lambda: ((1,), (64,))](torch.zeros(64).cuda(), torch.zeros(64).cuda())


def synccheck() -> None:
    from avelang.runtime import devices, gpu, ptxas
    from avelang.runtime.arguments import BoundArguments
    from avelang.runtime.geometry import Geometry

    out = torch.zeros(64).cuda()
    device = devices.device("cuda:0")
    code, _ = ptxas.assemble(ptxas.need("the control"), PARTED, device.architecture, "parted")
    meta = {"kernel": "parted", "entry": "parted", "block": [32, 1, 1], "params": 1, "arguments": [["out", "pointer"]], "dynamic_bytes": 0,
            "pointer_align": 16, "launch": {}, "place": [__file__, 1], "chip": device.chip.name}  # fmt: skip
    gpu.GpuProgram(device, code, meta).run(Geometry((1, 1, 1), (32, 1, 1)), BoundArguments([out.data_ptr()], [1], {}, {}), ["out"], 0)


# What each tool must find: it looks, and its words are understood.
CONTROLS = {"control_memcheck": memcheck, "control_racecheck": racecheck, "control_synccheck": synccheck}


def control(name: str) -> int:
    CONTROLS[name]()
    try:
        torch.cuda.synchronize()
    except RuntimeError as e:
        print(f"as it should, the launch fails: {str(e).splitlines()[0]}")
    return 0


def main() -> int:
    (name,) = sys.argv[1:] or [""]
    if name in CONTROLS:
        return control(name)
    from gpu.kernels_check import KERNELS, Room, run, words

    if name not in KERNELS:
        print(f"no kernel {name!r}; there are: {', '.join([*KERNELS, *CONTROLS])}")
        return 2
    status = 0
    for shape in KERNELS[name].small:
        difference = run(KERNELS[name], shape, Room(int.from_bytes(os.urandom(4), "little"), exact=True))
        print(f"{name} {words(shape)}: {difference:.3f} of the bound", flush=True)
        status |= difference > 1
    return int(status)


if __name__ == "__main__":
    sys.stdout.flush()
    raise SystemExit(main())
