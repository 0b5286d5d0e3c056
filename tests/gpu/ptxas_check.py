"""AVE_CHECK=ptxas on a real NVIDIA GPU: kernels without a fault pass and leave right results, atomics are told apart, and a kernel that meets a known
fault of ptxas 13.0 (`tests/sim/ptx/faults.py`) is reported.

    python3 tests/gpu/ptxas_check.py

Prints one line for each case; exit status 1 when one fails. Needs torch with CUDA. With an assembler that has no such fault (not of CUDA 13.0), right
results of the faulty kernel pass too.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import sys
import traceback
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
import numpy as np  # noqa: E402

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402
from avelang.base.errors import AveError  # noqa: E402
from avelang.ptx import Tile, kernel, ptx, reg  # noqa: E402
from avelang.ptx.types import f32, s32, u16, u32  # noqa: E402
from gpu.scratch import own_cache  # noqa: E402

KEPT = 0x12348765


@avelang.jit
def axpy(x: al.Pointer(al.f32), y: al.Pointer(al.f32), a: al.f32, n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = a * X[i] + Y[i]


@avelang.jit
def adds(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    al.nvvm.atomic_add(al.subview(Y, (0,), (1,)), x[i])


def sets(guarded: bool):
    """A `set` of 16-bit operands in the lanes below 16: the others keep what the register held."""

    @kernel(in_specs=(Tile(32, u16), Tile(32, u16)), out_specs=Tile(32, u32), grid=1, block=32, arch="sm_80")
    def set16(a, b, out):
        pa, pb, po = ptx.global_ptrs(a, b, out)
        i = reg.from_(ptx.special.tid.x())
        x, y, kept, below = reg.scalar(u16), reg.scalar(u16), reg.scalar(u32), reg.pred()
        ptx.inst.ld.global_.u16(x, ptx.addr(pa + i * 2))
        ptx.inst.ld.global_.u16(y, ptx.addr(pb + i * 2))
        ptx.inst.setp.lt.u32(below, i, 16)
        ptx.inst.mov.u32(kept, KEPT)
        if guarded:
            ptx.inst.set.lt.u32.u16(kept, x, y, pred=below)
        else:
            ptx.inst.set.lt.u32.u16(kept, x, y)
        ptx.inst.st.global_.u32(ptx.addr(po + i * 4), kept)
        ptx.ret()

    return set16


@kernel(in_specs=(Tile("N", f32), s32), out_specs=Tile("N", f32), grid=1, block=lambda N: N, arch="sm_80")
def scaled(x, n, out):
    px, po = ptx.global_ptrs(x, out)
    i = reg.from_(ptx.special.tid.x()) * 4
    value, factor = reg.scalar(f32), reg.scalar(f32)
    ptx.inst.ld.global_.f32(value, ptx.addr(px + i))
    ptx.inst.cvt.rn.f32.s32(factor, ptx.param(n))
    ptx.inst.mul.f32(value, value, factor)
    ptx.inst.st.global_.f32(ptx.addr(po + i), value)


def said(call: Callable[[], object]) -> str:
    """What a call writes to standard error."""
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        call()
    return out.getvalue()


def a_right_kernel() -> str:
    import torch

    x, y = torch.arange(1000, dtype=torch.float32, device="cuda") / 7, torch.ones(1000, device="cuda")
    want = (x.double() * 2.5 + y.double()).float()
    text = said(lambda: axpy[(16,), (64,)](x, y, 2.5, 1000))
    assert torch.allclose(y, want), "the launch leaves another result than it should"
    assert not text, text
    return "three agree, the array is changed once"


def the_instruction_level() -> str:
    import torch

    x = torch.randn(64, device="cuda")
    out: list[torch.Tensor] = []
    text = said(lambda: out.append(scaled(x, -3)))
    assert torch.equal(out[0], x * -3) and not text, text
    return "three agree"


def float_atomics() -> str:
    import torch

    x, y = torch.rand(64 * 4096, device="cuda"), torch.zeros(1, device="cuda")
    text = said(lambda: adds[(4096,), (64,)](x, y, 1))
    assert float(y[0]) < 1.01 * float(x.double().sum()), "added more than once"  # sums of f32 are off by their order alone
    return text.strip().splitlines()[-1] if text else "no two runs differ"


def _operands():
    import torch

    return torch.from_numpy(np.arange(32, dtype=np.uint16)).cuda(), torch.from_numpy(np.full(32, 7, np.uint16)).cuda()


def _want(guarded: bool) -> np.ndarray:
    lanes = np.arange(32)
    return np.where((lanes < 16) | (not guarded), np.where(lanes < 7, 0xFFFFFFFF, 0), KEPT).astype(np.uint32)


def an_unguarded_set() -> str:
    got = sets(False)(*_operands()).cpu().numpy().view(np.uint32)
    assert np.array_equal(got, _want(False)), got
    return "three agree"


def a_guarded_set() -> str:
    try:
        got = sets(True)(*_operands()).cpu().numpy().view(np.uint32)
    except AveError as e:
        assert e.code == "X066" and "`out` at index (16,)" in e.message and f"{KEPT:#x}" in e.message, str(e)
        return f"reported: {e.message}"
    assert np.array_equal(got, _want(True)), f"wrong, and nothing was reported: {got}"
    return "this assembler has no such fault"


CASES = (a_right_kernel, the_instruction_level, float_atomics, an_unguarded_set, a_guarded_set)


def main() -> int:
    own_cache()
    os.environ["AVE_CHECK"] = "ptxas"
    failed = 0
    for case in CASES:
        try:
            print(f"ok   {case.__name__}: {case()}", flush=True)
        except Exception as e:
            failed += 1
            print(f"FAIL {case.__name__}: {e}", flush=True)
            traceback.print_exc()
    print(f"{len(CASES) - failed} of {len(CASES)} cases of AVE_CHECK=ptxas right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
