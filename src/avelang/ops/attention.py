"""`attention`: softmax(scale Q K^T) V with masks, windows, caps, biases, grouped heads, packed sequences and caches in
pages, forward and backward, by the kernel of the arrays' chip.

`FORWARD` and `BACKWARD` are the kernels, the first of which that takes a problem on a chip runs it."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from avelang import argument_error, tile
from avelang_kernels.attention.problem import Entry, Operands, Problem

PORTABLE = ("gfx", "sm_75", "sm_8", "sm_9", "sm_1")
FLOATS = ("float32", "bfloat16", "float16")


def by_name(module: str, function: str) -> Any:
    """A function of `avelang_kernels.attention`, imported when it is first called: kernels are many."""

    @functools.cache
    def found() -> Any:
        return getattr(importlib.import_module(f"avelang_kernels.attention.{module}"), function)

    return lambda *args, **options: found()(*args, **options)


def halves(p: Problem) -> bool:
    """Kernels that multiply 16-bit floats."""
    return p.dtype in ("bfloat16", "float16")


HOPPER = ("sm_90a",)
FORWARD = (
    Entry("keys split by TMA", HOPPER, by_name("hopper_decode", "fits"), by_name("hopper_decode", "launch")),
    Entry(
        "wgmma", HOPPER, by_name("tile_attention_hopper", "fits"), by_name("tile_attention_hopper", "launch_problem")
    ),
    Entry("tile, 16 bit", PORTABLE, halves, by_name("tile_attention_forward", "launch")),
    Entry("tile, f32 by MFMA", ("gfx",), lambda p: p.dtype == "float32", by_name("tile_attention_forward", "launch")),
)
BACKWARD: tuple[Entry, ...] = (
    Entry("wgmma", HOPPER, by_name("hopper_backward_rows", "fits"), by_name("hopper_backward_rows", "backward")),
)


def entry_for(table: tuple[Entry, ...], p: Problem, chip: str) -> Entry:
    """The kernel of a table for a problem on a chip. Raises L066 where there is none."""
    for entry in table:
        if entry.takes(p, chip):
            return entry
    raise argument_error(
        f"there is no kernel of attention for {p.dtype} on {chip}: bf16 and f16 run on gfx90a, gfx942, gfx950, sm_75 "
        f"and newer, and on the CPU; f32 on gfx chips and the CPU"
    )


def place_of(x: Any, target: str | None) -> tuple[str, int, dict[str, Any]]:
    """The chip that an array is on, or is meant for, its compute units, and options of launches there."""
    chip, units = tile.device_of(x, target)
    return chip, units, {"backend": "cpu"} if tile.on_cpu(x) and target is None else {}


def run_forward(p: Problem, x: Operands, out: Any, lse: Any, target: str | None = None, **options: Any) -> None:
    """Writes O and the logarithms of the rows' sums."""
    if p.empty:
        out[...] = 0
        lse[...] = float("-inf")
        return
    chip, units, more = place_of(x.q, target)
    entry_for(FORWARD, p, chip).launch(p, x, out, lse, target=chip, units=units, **more, **options)
