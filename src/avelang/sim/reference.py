"""The reference executor: a kernel in either phase of the IR and its arguments come in; what the language says is left
in their memory.

It is the meaning of the language: every backend is held against it. Blocks run one after the other, and beside one
another where some wait for what others write; the waves of a block take turns, from barrier to barrier."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, TextIO

import numpy as np

import avelang.arch as arch
from avelang.base.errors import error
from avelang.ir.core import Kernel, walk
from avelang.ir.types import LOCAL, SHARED, DType, MapType, TensorType, dtype_of
from avelang.isa.lowering import LOADS_TO_LDS, WAITS, has_mark
from avelang.isa.row import ROWS
from avelang.isa.tensor_map import TensorMapValue, faults
from avelang.isa.wave_protocol import ASYNC_PROXY
from avelang.sim import control_flow, memory_ops, reference_program, stepping, wave_ops
from avelang.sim.address_space import AccessFault, AddressSpace, OutputBuffer, bounds_of, map_arrays, scratch
from avelang.sim.async_copies import disturbed
from avelang.sim.barriers import BlockSync, ClusterState, Ready, Waiting
from avelang.sim.clocks import Clocks, Views
from avelang.sim.fault_reports import mbarriers, report, signals, site
from avelang.sim.grid import Grid
from avelang.sim.ops import from_const
from avelang.sim.races import Races
from avelang.sim.reference_program import Handler, ReferenceProgram
from avelang.sim.registers import AsyncProducts
from avelang.sim.wave import Dim3, ReferenceBlock, ReferenceWave, WaveShape

Order = Literal["forward", "reverse", "random"]
PATIENCE = 1000  # rounds in which every wave only gave its turn away, before all of them wait for ever
TURNS = 4  # such rounds before blocks that wait for memory of all have the next cluster beside them,
RESIDENT = 4096  # as long as no more clusters than this are under way: a GPU holds no more blocks

HANDLERS: dict[str, Handler] = {
    "const": reference_program.const,
    **{name: getattr(wave_ops, name) for name in ("block_id", "thread_id", "block_dim", "grid_dim", "lane_id")},
    **{
        name: getattr(wave_ops, name)
        for name in ("shuffle", "ballot", "atomic_add", "atomic", "select", "expect", "printf", "row", "map_word")
    },
    **{name: getattr(wave_ops, name) for name in ("shared_base", "shared_peer")},
    "extract": wave_ops.element,
    "insert": wave_ops.element,
    **{
        name: getattr(memory_ops, name)
        for name in ("alloc", "make_tensor", "view", "subview", "base", "load", "store", "ld", "st")
    },
    "barrier": control_flow.barrier,
    **{name: getattr(control_flow, name) for name in ("pause", "fence", "cluster_arrive", "cluster_wait")},
    "if": control_flow.if_,
    "for": control_flow.for_,
    "while": control_flow.while_,
}


def dim3(n: Sequence[int] | int) -> Dim3:
    """Extents, 1 where they are left out."""
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


def leaves_waits(kernel: Kernel) -> bool:
    """True where a kernel waits itself for what the reference does at once: AMD's loads to LDS, and `s_waitcnt`."""
    return any(has_mark(op, "amdgpu", mark) for op in walk(kernel.body) for mark in (LOADS_TO_LDS, WAITS))


def _bind(p: ReferenceProgram, args: Sequence[Any], outputs: Collection[str] = ()) -> AddressSpace:
    """Puts the arguments into the program's template; gives the address space of the arrays. `outputs`: of which it is
    noted what is written."""
    arrays = named_arrays(p, args)
    memory, addresses = map_arrays(arrays, outputs)
    bind(p, args, addresses)
    return memory


def named_arrays(p: ReferenceProgram, args: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
    """The arrays among the arguments, with the names of their parameters. Raises X007."""
    params = p.kernel.params
    if len(args) != len(params):
        raise error("X007", p.kernel.span, kernel=p.kernel.name, want=len(params), got=len(args))
    return [(v.name or f"argument {i}", a)
            for i, (v, a) in enumerate(zip(params, args, strict=True)) if not isinstance(v.type, DType)]  # fmt: skip


def bind(p: ReferenceProgram, args: Sequence[Any], addresses: Sequence[int]) -> None:
    """Puts the arguments into the program's template: `addresses` are those of the arrays, in their order. Raises
    X012."""
    left = iter(addresses)
    for v, a in zip(p.kernel.params, args, strict=True):
        if isinstance(v.type, DType):
            value: Any = from_const(a.item() if isinstance(a, np.generic) else a, dtype_of(v.type), p.lanes)
        elif isinstance(v.type, MapType):
            value = TensorMapValue(next(left), a.shape, a.strides, v.type)
            wrong = faults(v.type, value.address, value.shape, value.strides)
            if wrong:
                raise error(
                    "X012", p.kernel.span, kernel=p.kernel.name, what=f"the array of the tensor map `{v.name}`",
                    why=wrong, where="at the launch"
                )
        else:
            address = np.full(p.lanes, next(left), np.int64)
            value = memory_ops.parameter(v.type, address, v.name) if isinstance(v.type, TensorType) else address
        p.template[p.slot(v)] = value


class Launch:
    """One launch: what all blocks share."""

    def __init__(
        self, p: ReferenceProgram, memory: AddressSpace, order: Order, seed: int, races: bool, grid: Grid | None = None,
        rank: int = 0, first: int = 0, past: Views | None = None,
    ):  # fmt: skip
        self.p, self.memory, self.order, self.races = p, memory, order, races
        self.grid = (grid or Grid(memory)) if races else None
        self.rank, self.first, self.past = rank, first, past or {}
        self.clocks: list[Clocks] = []
        self.watched = races or any(op.name.startswith(ASYNC_PROXY) for op in walk(p.kernel.body))
        self.random = random.Random(seed)
        self.shapes = WaveShape.of_block(p.block, p.lanes)
        self.features = features(p.kernel)

    def wave(self, shape: WaveShape, block: ReferenceBlock) -> ReferenceWave:
        """A wave at its first instruction."""
        local = scratch(LOCAL, self.p.memory[LOCAL], self.p.lanes)
        wave = ReferenceWave(shape, block, self.p.template.copy(), self.p.lanes, self.features, self.memory, local)
        wave.grid = self.grid
        if self.p.plan is not None:
            wave.products = AsyncProducts(wave.env, [self.p.slot(v) for v in self.p.plan.seen], local.stride)
        return wave

    def cluster(self, number: int, first: Dim3, extents: Dim3) -> list[Turn]:
        """The waves of one cluster, the launch's `number`th, at their first instruction."""
        index, clusters = (tuple(a // b for a, b in zip(x, extents, strict=True)) for x in (first, self.p.grid))
        cluster = ClusterState(extents, index, clusters)  # type: ignore[arg-type]
        ex, ey, ez = extents
        waves = ex * ey * ez * len(self.shapes)
        clocks = Clocks(waves, self.p.lanes, self.first + number) if self.watched else None
        if clocks is not None and self.p.ranks > 1:
            self.clocks.append(clocks)
            for clock in clocks.of:
                clock.past, clock.proxied = dict(self.past), dict(self.past)
        for rank in range(ex * ey * ez):
            x, y, z = first[0] + rank % ex, first[1] + rank // ex % ey, first[2] + rank // (ex * ey)
            shared = scratch(SHARED, self.p.memory[SHARED])
            shared.disturbed = disturbed
            seen = Races(shared, clocks, self.races) if clocks is not None else None
            sync = BlockSync(cluster, rank, len(self.shapes))
            cluster.blocks.append(ReferenceBlock((x, y, z), shared, seen, sync, rank=self.rank))
        waves = [self.wave(shape, block) for block in cluster.blocks for shape in self.shapes]
        live = [Turn(w, self.p.body.run(w, w.env)) for w in waves]
        if self.order == "reverse":
            live.reverse()
        return live

    def rounds(self, live: list[Turn]) -> bool:
        """Runs a cluster to its end, or until nothing new has happened in it for some rounds: in each, every wave that
        may goes on to where it waits next, or to its end. Says whether anything has happened. Raises X011 where none
        may go on, and no other cluster can help."""
        idle, rounds = 0, 0
        while live:
            if self.order == "random":
                self.random.shuffle(live)
            able = [t for t in live if self.guarded(t, t.may_go)]
            alone = not any(t.wave.awaits for t in able)
            if not able or (alone and idle > PATIENCE):
                raise self.stuck(live)
            if idle >= TURNS and not alone:
                return rounds > idle
            for turn in able:
                self.guarded(turn, turn.go)
            rounds, idle = rounds + 1, idle + 1 if all(t.turns and not t.over for t in able) else 0
            live[:] = [t for t in live if not t.over]
        return True

    def all(self, extents: Dim3) -> None:
        """Runs the clusters of the grid, one after another; the next begins where those under way wait for what others
        write. Raises X011."""
        ex, ey, ez = extents
        nx, ny, nz = (a // b for a, b in zip(self.p.grid, extents, strict=True))
        under_way: list[list[Turn]] = []
        begun = idle = 0
        while under_way or begun < nx * ny * nz:
            moved = [self.rounds(live) for live in under_way]
            under_way = [live for live in under_way if live]
            if any(moved):
                idle = 0
            elif begun < nx * ny * nz and len(under_way) < RESIDENT:
                under_way.append(
                    self.cluster(begun, (begun % nx * ex, begun // nx % ny * ey, begun // (nx * ny) * ez), extents)
                )
                begun, idle = begun + 1, 0
            else:
                idle += TURNS
                if idle > PATIENCE:
                    raise self.stuck([t for live in under_way for t in live])

    def stuck(self, live: list[Turn]) -> Exception:
        """The error for waves that wait for ever."""
        return stuck([(self.p, t.wave) for t in live])

    def guarded(self, turn: Turn, act: Callable[[], bool]) -> bool:
        """The result of `act`; a fault it meets as an error."""
        wave = turn.wave
        try:
            return act()
        except AccessFault as fault:
            assert wave.op is not None
            raise report(self.p, wave, fault, wave.op) from None


def stuck(live: list[tuple[ReferenceProgram, ReferenceWave]]) -> Exception:
    """The error for waves that wait for ever."""
    p, first = live[0]
    places = [
        f"wave {w.shape.index} of block {w.block.index}{f' of rank {w.block.rank}' if q.ranks > 1 else ''} at "
        f"{site(w.op, first.op)}"
        for q, w in live
        if w.op is not None
    ]
    shown = "; ".join(places[:8]) + (f"; and {len(places) - 8} more" if len(places) > 8 else "")
    states = dict.fromkeys(text for q, w in live for text in (*signals(q, w), *mbarriers(q, w)))
    shown += "".join(f"; {text}" for text in list(states)[:8])
    return error("X011", first.op.span if first.op is not None else None, kernel=p.kernel.name, waves=shown)


class Turn:
    """A wave that has not finished: `ready` says whether it may go on; it has given away `turns` in a row."""

    __slots__ = ("code", "over", "ready", "turns", "wave")

    def __init__(self, wave: ReferenceWave, code: Waiting):
        self.wave, self.code, self.over, self.turns = wave, code, False, 0
        self.ready: Ready | None = None

    def may_go(self) -> bool:
        """True where the wave waits for nothing any more."""
        return self.ready is None or self.ready()

    def go(self) -> bool:
        """Runs the wave until it waits or has finished; says whether it has."""
        try:
            self.ready = next(self.code)
            self.turns = self.turns + 1 if self.ready is None else 0
            self.wave.awaits &= self.ready is None
        except StopIteration:
            self.over = True
            if (who := stepping.watcher()) is not None:
                who.ended(self.wave)
            self.wave.finish()
        return self.over


def _unwritten(p: ReferenceProgram, memory: AddressSpace, args: Sequence[Any]) -> list[str]:
    """Of outputs that the launch has not written as a whole: which, in words. Arrays that it also reads are none."""
    said = []
    for v, a in zip(p.kernel.params, args, strict=True):
        at = next((i for i, alloc in enumerate(memory.allocs) if alloc.name == v.name), None)
        buffer = None if at is None else memory.buffers[at]
        if isinstance(buffer, OutputBuffer) and not buffer.read:
            missing = buffer.missing(a, bounds_of(a)[0])
            if missing.any():
                first = tuple(int(i[0]) for i in np.nonzero(missing))
                said.append(
                    f"{np.count_nonzero(missing)} of the {missing.size} elements of `{v.name}`, the first at index "
                    f"{first}"
                )
    return said


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
    outputs: Collection[str] = (),
) -> None:
    """Runs all blocks of `grid`, blocks of `block` threads, in place on the arrays among `args`; blocks of one cluster
    together.

    `args`: one for each parameter: a NumPy array for a pointer or a tensor (its memory is used as it is, whatever its
    dtype), a number for a scalar. `stdout` takes what printf writes (None: the process's). `order` is the order in
    which the waves of a block take their turns; "random" is drawn anew from `seed` at each barrier. `races`: also
    report two waves (or copies, or products) that touch the same byte of shared or global memory, one of them writing,
    where nothing orders them; lanes of a wave that write different values to one byte; barriers that some lanes or
    waves do not come to; and shuffles that read from a lane which does not take part. `outputs`: parameters that the
    kernel may write; which elements of those that it does not read it has left as they were is said on standard error.

    Raises ExecutionError: X001 and X002 for an access out of bounds, X003 for a read of shared or local memory that
    nothing wrote, X004 for a write into a read-only array, X005 for a register vector's index, X006 for a race, X007
    for a wrong number of arguments, X008 for a format of printf, X009 where the kernel was specialized for another
    block, X010 for bytes that a running copy will write or still reads, X011 where all waves wait for ever, X012 for
    what a barrier or a copy cannot be asked, X013 for registers that a product still uses, X014 where a proxy fence is
    missing; with `races` X040 to X043. Raises L024 for blocks that the kernel does not expect."""
    extents, meant = dim3(block), kernel.attrs.get("block")
    if meant is not None and dim3(meant) != extents:
        raise error("X009", kernel.span, kernel=kernel.name, want=f"blocks of {dim3(meant)} threads", got=str(extents))
    kernel.expect(extents)
    # Overflow, division by zero and NaN have a defined result here; NumPy need not warn of them.
    with np.errstate(all="ignore"):
        p = ReferenceProgram(kernel, dim3(grid), extents, HANDLERS, sys.stdout if stdout is None else stdout)
        memory = _bind(p, args, outputs)
        launch = Launch(p, memory, order, seed, races)
        ex, ey, ez = extents = kernel.cluster
        gx, gy, gz = p.grid
        if gx % ex or gy % ey or gz % ez:
            raise error("X009", kernel.span, kernel=kernel.name, want=f"clusters of {extents}",
                        got=f"a grid of {p.grid} blocks, no multiple of them")
        launch.all(extents)
        for what in _unwritten(p, memory, args):
            print(f"ave: kernel `{kernel.name}` has not written {what}", file=sys.stderr)
