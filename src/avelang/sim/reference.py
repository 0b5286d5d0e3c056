"""The reference executor: a kernel in either phase of the IR and its arguments come in; what the language says is left in their memory.

It is the meaning of the language: every backend is held against it. Blocks run one after the other; the waves of a block take turns, from
barrier to barrier.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Generator, Sequence
from typing import Any, Literal, TextIO

import numpy as np

import avelang.arch as arch
from avelang.base.errors import error
from avelang.ir.core import Kernel, walk
from avelang.ir.types import LOCAL, SHARED, DType, TensorType, dtype_of
from avelang.isa.row import ROWS
from avelang.sim import control, program, special, tensors
from avelang.sim.memory import Fault, Space, map_arrays, scratch
from avelang.sim.ops import from_const
from avelang.sim.program import Handler, Program
from avelang.sim.races import Races
from avelang.sim.report import report
from avelang.sim.wave import BlockState, Dim3, Shape, Wave

Order = Literal["forward", "reverse", "random"]

HANDLERS: dict[str, Handler] = {
    "const": program.const,
    **{name: getattr(special, name) for name in ("block_id", "thread_id", "block_dim", "grid_dim", "lane_id")},
    **{name: getattr(special, name) for name in ("shuffle", "ballot", "atomic_add", "select", "printf", "row")},
    "extract": special.element,
    "insert": special.element,
    **{name: getattr(tensors, name) for name in ("alloc", "make_tensor", "view", "subview", "base", "load", "store", "ld", "st")},
    "barrier": control.barrier,
    "if": control.if_,
    "for": control.for_,
    "while": control.while_,
}


def _dim3(n: Sequence[int] | int) -> Dim3:
    extents = (n,) if isinstance(n, int) else tuple(int(x) for x in n)
    x, y, z = (*extents, 1, 1, 1)[:3]
    return x, y, z


def features(kernel: Kernel) -> frozenset[str]:
    """The features of the chip that a kernel is for: the one it names, or the first that has every row it uses."""
    name = kernel.attrs.get("chip")
    if name:
        return arch.chip(name).features
    rows = {op.name: ROWS[op.name] for op in walk(kernel.body) if op.name in ROWS}
    chip = arch.infer(list(rows.values())) if rows else None
    return chip.features if chip is not None else frozenset()


def _bind(p: Program, args: Sequence[Any]) -> Space:
    """Puts the arguments into the program's template; gives the address space of the arrays."""
    params = p.kernel.params
    if len(args) != len(params):
        raise error("X007", p.kernel.span, kernel=p.kernel.name, want=len(params), got=len(args))
    arrays = [(v.name or f"argument {i}", a) for i, (v, a) in enumerate(zip(params, args, strict=True)) if not isinstance(v.type, DType)]
    memory, addresses = map_arrays(arrays)
    left = iter(addresses)
    for v, a in zip(params, args, strict=True):
        if isinstance(v.type, DType):
            value: Any = from_const(a.item() if isinstance(a, np.generic) else a, dtype_of(v.type), p.lanes)
        else:
            address = np.full(p.lanes, next(left), np.int64)
            value = tensors.parameter(v.type, address, v.name) if isinstance(v.type, TensorType) else address
        p.template[p.slot(v)] = value
    return memory


class _Launch:
    """One launch: what all blocks share."""

    def __init__(self, p: Program, memory: Space, order: Order, seed: int, races: bool):
        self.p, self.memory, self.order, self.races = p, memory, order, races
        self.random = random.Random(seed)
        self.shapes = Shape.of_block(p.block, p.lanes)
        self.features = features(p.kernel)

    def wave(self, shape: Shape, block: BlockState) -> Wave:
        local = scratch(LOCAL, self.p.memory[LOCAL], self.p.lanes)
        return Wave(shape, block, self.p.template.copy(), self.p.lanes, self.features, self.memory, local)

    def block(self, index: Dim3) -> None:
        """Runs one block: a round takes each wave to its next barrier or its end."""
        shared = scratch(SHARED, self.p.memory[SHARED])
        seen = Races(max((a.end for a in shared.allocs), default=0)) if self.races else None
        block = BlockState(index, shared, seen)
        waves = [self.wave(shape, block) for shape in self.shapes]
        live: list[tuple[Wave, Generator[None]]] = [(w, self.p.body.run(w, w.env)) for w in waves]
        if self.order == "reverse":
            live.reverse()
        while live:
            if self.order == "random":
                self.random.shuffle(live)
            live = [(w, g) for w, g in live if self.advance(w, g)]
            if seen is not None:
                seen.barrier()

    def advance(self, wave: Wave, code: Generator[None]) -> bool:
        """Runs a wave until it waits (True) or has finished (False)."""
        try:
            next(code)
        except StopIteration:
            return False
        except Fault as fault:
            assert wave.op is not None
            raise report(self.p, wave, fault, wave.op) from None
        return True


def run(
    kernel: Kernel,
    args: Sequence[Any],
    grid: Sequence[int] | int,
    block: Sequence[int] | int,
    stdout: TextIO | None = None,
    *,
    order: Order = "forward",
    seed: int = 0,
    races: bool = False,
) -> None:
    """Runs all blocks of `grid`, blocks of `block` threads, in place on the arrays among `args`.

    `args`: one for each parameter: a NumPy array for a pointer or a tensor (its memory is used as it is, whatever its dtype), a number for
    a scalar. `stdout` takes what printf writes (None: the process's). `order` is the order in which the waves of a block take their turns;
    "random" is drawn anew from `seed` at each barrier. `races`: also report two waves that touch the same byte of shared memory between
    barriers, one of them writing.

    Raises ExecutionError: X001 and X002 for an access out of bounds, X003 for a read of shared or local memory that nothing wrote, X004
    for a write into a read-only array, X005 for a register vector's index, X006 for a race, X007 for a wrong number of arguments, X008
    for a format of printf, X009 where the kernel was specialized for another block.
    """
    extents, meant = _dim3(block), kernel.attrs.get("block")
    if meant is not None and _dim3(meant) != extents:
        raise error("X009", kernel.span, kernel=kernel.name, want=_dim3(meant), got=extents)
    # Overflow, division by zero and NaN have a defined result here; NumPy need not warn of them.
    with np.errstate(all="ignore"):
        p = Program(kernel, _dim3(grid), extents, HANDLERS, sys.stdout if stdout is None else stdout)
        launch = _Launch(p, _bind(p, args), order, seed, races)
        gx, gy, gz = p.grid
        for i in range(gx * gy * gz):
            launch.block((i % gx, i // gx % gy, i // (gx * gy)))
