"""Products of fp8 with scales on a Hopper GPU: `ops.scaled_matmul` beside torch's `_scaled_mm`, which is cuBLASLt, with
one scale for a matrix, one for each row, and blocks of 1 x 128 and 128 x 128.

    python benchmarks/op_scaled.py [--shapes "4096,4096,7168 128,24576,1536"] [--tiles]

Contenders take turns, L2 is written over before each call, medians of device time; results are held first against the
product of the dequantized matrices in f32 of torch, in outputs full of NaN. `--tiles`: other tiles of the kernel by
blocks, too."""

from __future__ import annotations

import argparse
import functools
from typing import Any

from harness import Figures, GpuClock, Part, listed, main, medians, printed, table

from avelang_kernels.matmul import hopper_scaled
from avelang_kernels.matmul.hopper_gemm import gemm
from avelang_kernels.matmul.hopper_tiles import GemmTile

SHAPES = "4096,4096,7168 4096,7168,2048 4096,24576,1536 4096,7168,16384 128,24576,1536"
TILES: dict[str, GemmTile] = {
    f"{m}x{n} {a}x{b}": GemmTile(m, n, 0, a, b, row_blocks=rows)
    for m, n, a, b, rows in (
        (256, 128, 1, 1, 2),
        (256, 128, 1, 2, 2),
        (256, 128, 2, 1, 2),
        (128, 128, 2, 1, 1),
        (128, 128, 1, 2, 1),
        (128, 128, 2, 2, 1),
        (128, 192, 2, 1, 1),
        (128, 192, 1, 1, 1),
        (64, 128, 2, 1, 1),
    )
}
MODES = ("tensor", "rows", "blocks")


def quantized(x: Any, rows: int, columns: int) -> tuple[Any, Any]:
    """A matrix as e4m3 and the scales of its blocks."""
    import torch

    m, k = x.shape
    high, wide = -(-m // rows), -(-k // columns)
    whole = torch.zeros(high * rows, wide * columns, device=x.device)
    whole[:m, :k] = x
    blocks = whole.view(high, rows, wide, columns)
    scale = blocks.abs().amax((1, 3)).clamp(min=1e-12) / 448
    values = (blocks / scale[:, None, :, None]).view(high * rows, wide * columns)[:m, :k]
    return values.to(torch.float8_e4m3fn).contiguous(), scale


def dequantized(x: Any, scale: Any, rows: int, columns: int) -> Any:
    """The matrix that values and scales stand for."""
    many = scale.repeat_interleave(rows, 0).repeat_interleave(columns, 1)
    return x.float() * many[: x.shape[0], : x.shape[1]]


def contenders(mode: str, m: int, n: int, k: int, tiles: bool) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Calls and outputs by name, and the product in f32."""
    import torch

    x, y = (torch.randn(rows, k, device="cuda") for rows in (m, n))
    parts = {"tensor": ((m, k), (n, k)), "rows": ((1, k), (1, k)), "blocks": ((1, 128), (128, 128))}[mode]
    (a, sa), (b, sb) = (quantized(v, *p) for v, p in zip((x, y), parts, strict=True))
    want = dequantized(a, sa, *parts[0]) @ dequantized(b, sb, *parts[1]).T
    if mode == "blocks":
        sa = sa.T.contiguous().T  # as torch wants it: rows side by side
    names = ["ours", "torch", *(TILES if tiles and mode == "blocks" else ())]
    outs = {name: torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16) for name in names}
    calls: dict[str, Any] = {
        "torch": functools.partial(torch._scaled_mm, a,  # type: ignore
            b.T, sa if mode == "blocks" else sa.contiguous(),
            sb.T, out_dtype=torch.bfloat16, use_fast_accum=mode != "blocks", out=outs["torch"])
    }  # fmt: skip
    if mode != "blocks":
        calls["ours"] = functools.partial(gemm, a, b, outs["ours"], scale_a=sa, scale_b=sb)
    else:
        import avelang.language as al

        left, right = (
            hopper_scaled.ScaleOperand(s if s.is_contiguous() else s.T, s.stride(0), s.stride(1), each)
            for s, each in ((sa, 1), (sb, 128))
        )
        for name in names:
            if name != "torch":
                tile = TILES.get(name)
                calls[name] = functools.partial(hopper_scaled.launch, a, b, outs[name], left, right, al.bf16,
                                                tile=tile and hopper_scaled.fitted(tile, 2, 128))  # fmt: skip
    return calls, outs, want


def measure(args: argparse.Namespace) -> Figures:
    """Every shape in every mode."""
    clock, rows = GpuClock(), []
    for mode in args.modes:
        for m, n, k in listed(args.shapes):
            calls, outs, want = contenders(mode, m, n, k, args.tiles)
            errors: dict[str, float] = {}
            for name, call in [*calls.items()]:
                try:
                    call()
                    errors[name] = float((outs[name].float() - want).norm() / want.norm())
                except Exception as e:  # a peer that does not have it
                    print(mode, name, str(e).splitlines()[0][:200], flush=True)
                    del calls[name]
            us = medians(clock.interleaved(calls, args.rounds))
            flops = {name: 2 * m * n * k / t / 1e6 for name, t in us.items()}
            rows.append({"mode": mode, "shape": [m, n, k], "us": us, "tflops": flops, "errors": errors})
            printed((mode, m, n, k), {name: f"{f:.0f} ({errors[name]:.1e})" for name, f in flops.items()})
    return {"figures": rows}


def show(record: Figures) -> str:
    """TFLOP/s of both, and their ratio."""
    lines = [("mode", "M, N, K", "Ave", "torch", "ratio")]
    for r in record["figures"]:
        ours, torch = r["tflops"]["ours"], r["tflops"].get("torch", float("nan"))
        lines.append((r["mode"], str(r["shape"]), f"{ours:.0f}", f"{torch:.0f}", f"{ours / torch:.3f}"))
    return table(lines)


if __name__ == "__main__":
    main(
        __doc__,
        Part("timed", "op_scaled", measure, show, gpu=True),
        rounds=24,
        more={
            "--shapes": {"default": SHAPES},
            "--modes": {"nargs": "+", "choices": MODES, "default": list(MODES)},
            "--tiles": {"action": "store_true"},
        },
    )
