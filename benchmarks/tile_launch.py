"""Host time of a call of the tile level's kernels, from call to return, at small shapes, bf16: what their Python
wrappers and the launch cost, beside torch's own calls.

    python benchmarks/tile_launch.py [--burst 100] [--rounds 30] [--without-gpu] [--only moe ...]

Contenders take turns. A turn is a burst of calls behind an idle GPU, so no call waits for it. "slow" are launches of a
call that went through Ave's slow path, in Python, instead of its host code: there should be none after the first two
calls. Without a GPU the arrays are on the CPU and kernels compile to programs that do nothing: the wrappers' Python and
the launch on the CPU are left. Writes `results/tile_launch.json`, or without a GPU `results/tile_launch_cpu.json`."""

from __future__ import annotations

import argparse
import os
from typing import Any

import torch
from harness import Calls, Part, bursts, main, median, repeated, table

from avelang.llvm.core import HostCompiler
from avelang.runtime import compile
from avelang.runtime.launch import Launcher
from avelang.tile import Block
from avelang_kernels.attention import tile_attention, tile_attention_hopper
from avelang_kernels.matmul import tile_gemm, tile_inference, tile_skinny
from avelang_kernels.moe import tile_grouped_gemm, tile_moe

TILE = Block(128, 256, 64, pipeline="tma")
NOTHING = "define i64 @ave_run(ptr %args, ptr %grid, i64 %start, i64 %end, ptr %scratch) {\n  ret i64 0\n}\n"


class SlowLaunches:
    """Counts launches by the slow path."""

    def __init__(self) -> None:
        self.count, path = 0, Launcher._slow

        def counted(launcher: Any, provider: Any, /, *args: Any, **kwargs: Any) -> None:
            self.count += 1
            path(launcher, provider, *args, **kwargs)

        Launcher._slow = counted  # kernels made from now on have it


def without_kernels() -> None:
    """Lets kernels for the CPU compile to programs that do nothing, which must not go into the cache on disk."""
    os.environ["AVE_NO_CACHE"] = "1"
    payload = HostCompiler(1).object(NOTHING)
    compile.cpu_object = lambda *_: (payload, {"entry": "ave_run", "scratch_bytes": 0})  # type: ignore[assignment]


def random(*shape: int, dtype: Any = torch.bfloat16, device: str = "cuda") -> Any:
    """Fresh random normal numbers."""
    return torch.randn(*shape, device=device).to(dtype)


def products(device: str, chip: dict[str, Any]) -> Calls:
    """Matrix products, and what torch has."""
    a, b, c, few = random(64, 256, device=device), random(256, 256, device=device), random(64, 256,
            device=device), random(8, 256, device=device)
    small, weights = random(8, 256, device=device), tile_inference.preshuffle(b, tile_inference.WARPS, "sm_90a")
    bias = random(256, device=device)
    calls: Calls = {
        "tile_gemm.gemm, with a block": lambda: tile_gemm.gemm(a, b, c, TILE, units=1, **chip),
        "tile_gemm.gemm": lambda: tile_gemm.gemm(a, b, c, **chip),
        "tile_inference.gemm, bias, silu": lambda: tile_inference.gemm(a, weights, c, bias, tile_inference.silu,
                **chip),
        "tile_skinny.gemm": lambda: tile_skinny.gemm(few, b, small, **chip),
    }
    return {**calls, "torch.mm": lambda: torch.mm(a, b.T, out=c)}


def groups(device: str, chip: dict[str, Any], E: int = 8, k: int = 256, n: int = 256, rows: int = 64) -> Calls:
    """Grouped products, and the layer of a mixture of experts, most of whose time is torch's: it sorts, gathers and
    allocates."""
    a, b, out = random(rows, k, device=device), random(E, n, k, device=device), random(rows, n, device=device)
    offsets = torch.arange(0, rows + 1, rows // E, device=device, dtype=torch.int32)
    w13, ids, weights = random(E, 2 * n, k, device=device), torch.randint(0, E, (rows, 2),
            device=device), torch.rand(rows, 2, device=device)
    index, factors = torch.arange(rows, device=device, dtype=torch.int32), torch.rand(rows, device=device)
    calls: Calls = {
        "grouped_gemm, with a block": lambda: tile_grouped_gemm.grouped_gemm(a, b, offsets, out, TILE, units=1, **chip),
        "grouped_gemm": lambda: tile_grouped_gemm.grouped_gemm(a, b, offsets, out, **chip),
        "grouped_gemm, index, factors": lambda: tile_grouped_gemm.grouped_gemm(a, b, offsets, out, index=index,
                factors=factors, **chip),
        "tile_moe.moe": lambda: tile_moe.moe(a, w13, b, ids, weights, out, **chip),
    }
    theirs: Any = getattr(torch.nn.functional, "grouped_mm", None) or getattr(torch, "_grouped_mm", None)
    if device == "cuda" and theirs is not None:
        calls["torch grouped_mm"] = lambda: theirs(a, b.transpose(-2, -1), offs=offsets[1:])
    return calls


def attentions(device: str, chip: dict[str, Any]) -> Calls:
    """Attention, beside torch's."""
    q, k, v, out = (random(1, 128, 1, 128, device=device) for _ in range(4))
    lse = torch.zeros(1, 1, 128, device=device)
    plain = {key: value for key, value in chip.items() if key != "target"}  # that one is for sm_90a only
    heads = [x.transpose(1, 2) for x in (q, k, v)]
    return {
        "tile_attention.attention": lambda: tile_attention.attention(q, k, v, out, causal=True, **chip),
        "tile_attention.attention, lse": lambda: tile_attention.attention(q, k, v, out, lse=lse, causal=True, **chip),
        "tile_attention_hopper.attention": lambda: tile_attention_hopper.attention(q, k, v, out, causal=True, **plain),
        "torch scaled_dot_product_attention": lambda: torch.nn.functional.scaled_dot_product_attention(*heads,
                is_causal=True),
    }


def checked(device: str) -> None:
    """What is timed computes: a product and a grouped one against float64."""
    a, b, out = random(64, 256), random(8, 256, 256), torch.full((64, 256), float("nan"), device=device,
            dtype=torch.bfloat16)
    offsets = torch.arange(0, 65, 8, device=device, dtype=torch.int32)
    for _ in range(3):
        out.fill_(float("nan"))
        tile_grouped_gemm.grouped_gemm(a, b, offsets, out)
        want = torch.cat([a[8 * g : 8 * g + 8].double() @ b[g].double().T for g in range(8)])
        assert float((out.double() - want).abs().max()) < 0.5
        out.fill_(float("nan"))
        tile_gemm.gemm(a, b[0], out)
        assert float((out.double() - a.double() @ b[0].double().T).abs().max()) < 0.5


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Microseconds a call of each burst, and launches by the slow path a call."""
    slow, on = SlowLaunches(), place(args)
    chip: dict[str, Any] = {}
    if on == "cpu":
        torch.set_num_threads(1)
        without_kernels()
        chip = {"target": "sm_90a", "backend": "cpu"}
    else:
        checked(on)
    calls = {**products(on, chip), **groups(on, chip), **attentions(on, chip)}
    calls = {name: call for name, call in calls.items() if any(word in name for word in args.only)}
    lost: dict[str, float] = {}

    def counting(name: str) -> Any:
        run = repeated(calls[name])

        def burst(count: int) -> None:
            before = slow.count
            run(count)
            lost[name] = (slow.count - before) / count

        return burst

    for call in calls.values():
        for _ in range(3):
            call()
    times = bursts({name: counting(name) for name in calls}, args.burst, args.rounds,
                   torch.cuda.synchronize if on == "cuda" else lambda: None, 0)
    said = torch.cuda.get_device_name() if on == "cuda" else "the CPU, kernels that do nothing"
    return {"device": said, "burst": args.burst,
            "figures": {name: {"us": [ns / 1e3 for ns in t], "slow": lost[name]} for name, t in times.items()}}


def show(record: dict[str, Any]) -> str:
    """Microseconds of each call."""
    rows = ((name, f"{median(f['us']):.1f} us", f"{min(f['us']):.1f} us", f"{f['slow']:g}")
            for name, f in record["figures"].items())
    return table([(record["device"], "median", "least", "slow"), *rows])


def place(args: argparse.Namespace) -> str:
    """torch's word for the device."""
    return "cpu" if args.without_gpu or not torch.cuda.is_available() else "cuda"


if __name__ == "__main__":
    main(
        __doc__,
        Part("launch", lambda args: "tile_launch" if place(args) == "cuda" else "tile_launch_cpu", measure, show),
        rounds=30,
        more={
            "--burst": {"type": int, "default": 100},
            "--without-gpu": {
                "action": "store_true",
                "help": "the wrappers' Python, and launches of nothing on the CPU",
            },
            "--only": {"nargs": "+", "default": [""], "help": "calls whose names have one of these words"},
        },
    )
