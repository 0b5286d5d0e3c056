"""Launches of kernels of tiles on any engine, for tests: a kernel, a chip, an engine and arguments come in."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.runtime import compile
from sim.ptx.executed import Executed

# Chip and engine: the reference, the CPU, and the machine code of both vendors, executed.
RUNS = [("gfx942", "reference"), ("sm_80", "cpu"), ("gfx942", "gfx942-exec"), ("sm_80", "ptx")]


@functools.lru_cache(32)
def _executed(source: Any, constexprs: tuple[tuple[str, Any], ...], target: str, threads: int) -> Executed:
    block = threads, 1, 1
    return Executed(compile.build(source, dict(constexprs), target, block), block, target)


def launch(
    kernel: Any, run: tuple[str, str], grid: Any, threads: int, args: tuple[Any, ...], **constexprs: Any
) -> None:
    """Runs a grid, in place. `constexprs`: by name."""
    target, engine = run
    if engine == "ptx":
        extents = grid if isinstance(grid, tuple) else (grid,)
        _executed(kernel.source, tuple(constexprs.items()), target, threads).run(args, (*extents, 1, 1)[:3])
    else:
        kernel[grid, threads](*args, **constexprs, target=target, backend=engine)


def refuses(kernel: Any, threads: int, how: str, words: str, file: str) -> None:
    """A launch of a kernel of mistakes on eight numbers, named by `how`, is T301 with these words, at a line of `file`."""
    with pytest.raises(AveError) as e:
        kernel[1, threads](np.zeros(8, np.float32), how, backend="reference")
    assert e.value.code == "T301" and words in e.value.message and f"--> {file}" in str(e.value)
