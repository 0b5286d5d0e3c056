"""A kernel behind the passes comes in; what one block of it moves and multiplies goes out, by op and by loop, without
arrays: lanes' addresses are computed where they follow from threads, constants, and the numbers of a launch.

Each wave of block (0, 0, 0) is walked once: a loop's first iteration, times its trips where they are known; an `if`
whose condition is known only where it holds. Addresses that depend on what is loaded are unknown, and said to be."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from avelang.arch import Chip
from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.dtypes import DType
from avelang.ir.types import GLOBAL, SHARED, MapType, PtrType, VecType, dtype_of
from avelang.isa.row import ROWS
from avelang.sim.ops import FACTORIES, from_const
from avelang.tile.banks import banks

MOST_WAVES = 16
_BUFFER = re.compile(r"amdgpu\.raw_buffer_(load|store)_x(\d)(_lds)?$")
_LDMATRIX = re.compile(r"nvvm\.(ld|st)matrix_m8n8_x(\d)")
_CP_ASYNC = re.compile(r"nvvm\.cp_async_x(\d+)$")
_WGMMA = re.compile(r"nvvm\.wgmma_(tf32|bf16|f16|e4m3|e5m2|s8|u8)")
_TMA = re.compile(r"nvvm\.tma_(load|store|reduce)")
_K_BYTES = 32  # of one wgmma: PTX ISA, "wgmma.mma_async", shapes


@dataclasses.dataclass(slots=True)
class Traffic:
    """Sums of one iteration of a loop, or of a kernel, over the waves of a block: `flops` of matrix instructions, other
    `float_ops`, bytes of global memory `read` and `written`, and of shared memory, `shared`. `dtype`: bytes of an
    operand of the matrix instructions, `sync`: whether they are mma.sync; `unknown`: loops whose trips are not
    known."""

    flops: float = 0.0
    float_ops: float = 0.0
    read: float = 0.0
    written: float = 0.0
    shared: float = 0.0
    dtype: int = 0
    sync: bool = False
    unknown: int = 0

    def add(self, other: Traffic, times: float = 1.0) -> None:
        """Adds another, so many times."""
        for name in ("flops", "float_ops", "read", "written", "shared"):
            setattr(self, name, getattr(self, name) + times * getattr(other, name))
        self.dtype, self.sync = self.dtype or other.dtype, self.sync or other.sync
        self.unknown += other.unknown


@dataclasses.dataclass(slots=True)
class AccessCost:
    """An access to memory by one wave, the first that reaches it: `nbytes` a lane; `lanes` that are active; `cycles`
    that the banks of shared memory take and `least` that they would without conflicts; of global memory, sectors of 32
    bytes. None where addresses are unknown. `varies`: other waves have other costs."""

    op: Op
    space: str
    kind: str
    nbytes: int
    lanes: int
    cycles: int | None
    least: int
    varies: bool = False


@dataclasses.dataclass(slots=True)
class LaneWalk:
    """The result: `total` of a block, `loops` in the order of the text with the sums of one iteration and their trips
    (None: unknown), and `accesses`."""

    total: Traffic
    loops: list[tuple[Op, Traffic, float | None]]
    accesses: list[AccessCost]
    waves: int


class _WalkedWave:
    def __init__(self, kernel: Kernel, chip: Chip, wave: int, scalars: Mapping[str, Any], grid: tuple[int, ...]):
        self.chip, self.kernel = chip, kernel
        self.lanes = chip.wave
        x, y, z = kernel.attrs["block"]
        at = wave * self.lanes + np.arange(self.lanes, dtype=np.int64)
        self.inside = at < x * y * z
        self.thread = (at % x, at // x % y, at // (x * y))
        self.block, self.grid = (x, y, z), grid
        self.env: dict[Value, np.ndarray | None] = {}
        self.accesses: dict[Op, AccessCost] = {}
        self.loops: dict[Op, tuple[Traffic, float | None]] = {}
        for p in kernel.params:
            if isinstance(p.type, DType):
                given = scalars.get(p.name)
                self.env[p] = from_const(given, p.type, self.lanes) if given is not None else None
            else:
                self.env[p] = np.zeros(self.lanes, np.int64) if isinstance(p.type, PtrType) else None

    # -- values ---

    def value(self, v: Value) -> np.ndarray | None:
        return self.env.get(v)

    def compute(self, op: Op) -> np.ndarray | None:
        """The value of a pure op, None where it is not known."""
        if op.name == "const":
            t = op.result.type
            return from_const(op.attrs["value"], dtype_of(t), self.lanes, t.n if isinstance(t, VecType) else None)
        if op.name in ("thread_id", "block_dim", "block_id", "grid_dim"):
            return self.index(op)
        if op.name == "lane_id":
            return np.arange(self.lanes, dtype=np.uint32)
        if op.name in ("base", "shared_base"):  # places relative to their array, which is aligned
            known = not op.operands or isinstance(op.operands[0].type, MapType) or self.value(op.operands[0]) is None
            return np.zeros(self.lanes, np.int64) if known else self.value(op.operands[0])
        if op.name == "amdgpu.readfirstlane":
            x = self.value(op.operands[0])
            return None if x is None else np.full_like(x, x[0])
        values = [self.value(v) for v in op.operands]
        if op.name in FACTORIES and all(v is not None for v in values):
            with np.errstate(all="ignore"):
                try:
                    return FACTORIES[op.name](op)(*values)
                except (TypeError, ValueError, IndexError):
                    return None
        return None

    def index(self, op: Op) -> np.ndarray | None:
        dim = op.attrs["dim"]
        if op.name == "thread_id":
            found: Any = self.thread[dim]
        else:
            known = {"block_dim": self.block, "block_id": (0, 0, 0), "grid_dim": self.grid}[op.name]
            if dim >= len(known):
                return None
            found = known[dim]
        return np.broadcast_to(np.asarray(found, dtype_of(op.result.type).np), (self.lanes,)).copy()

    # -- the walk ---

    def run(self, block: Block, active: np.ndarray) -> Traffic:
        out = Traffic()
        for op in block.ops:
            if op.name == "for":
                out.add(*self.loop(op, active))
            elif op.name == "while":
                self.bind(op.regions[0].args, op.operands)
                out.add(self.run(op.regions[0], active))
                self.bind(op.regions[1].args, op.regions[0].terminator.operands[1:])
                found = self.run(op.regions[1], active)
                found.unknown += 1
                self.keep(op, found, None)
                out.add(found)
            elif op.name == "if":
                out.add(self.branches(op, active))
            else:
                self.plain(op, active, out)
        return out

    def bind(self, args: list[Value], values: list[Value]) -> None:
        for arg, v in zip(args, values, strict=False):
            self.env[arg] = self.value(v)

    def loop(self, op: Op, active: np.ndarray) -> tuple[Traffic, float]:
        start, stop, step = (self.value(v) for v in op.operands[:3])
        trips: float | None = None
        if start is not None and stop is not None and step is not None and active.any():
            a, b, s = (x[active].astype(np.int64) for x in (start, stop, step))
            trips = float(np.max(np.where(s == 0, 0, np.ceil((b - a) / np.where(s == 0, 1, s))).clip(0)))
        body = op.regions[0]
        self.env[body.args[0]] = start
        self.bind(body.args[1:], op.operands[3:])
        found = self.run(body, active)
        if trips is None:
            found.unknown += 1
        self.keep(op, found, trips)
        for result, v in zip(op.results, body.terminator.operands, strict=False):
            self.env[result] = self.value(v)
        return found, 1.0 if trips is None else trips

    def keep(self, op: Op, found: Traffic, trips: float | None) -> None:
        if op in self.loops:
            found_before, trips_before = self.loops[op]
            found_before.add(found)
            trips = trips_before if trips is None else max(trips, trips_before or 0)
            found = found_before
        self.loops[op] = (dataclasses.replace(found), trips)

    def branches(self, op: Op, active: np.ndarray) -> Traffic:
        out = Traffic()
        condition = self.value(op.operands[0])
        parts = (active, active) if condition is None else (active & condition, active & ~condition)
        ends = []
        for region, lanes in zip(op.regions, parts, strict=False):
            if lanes.any():
                out.add(self.run(region, lanes))
            ends.append([self.value(v) for v in region.terminator.operands] if region.ops and lanes.any() else None)
        for n, result in enumerate(op.results):
            found = [e[n] for e in ends if e is not None and n < len(e)]
            if len(found) == 2 and condition is not None and all(x is not None for x in found):
                pick = condition if found[0].ndim == 1 else condition[:, None]  # type: ignore[union-attr]
                self.env[result] = np.where(pick, found[0], found[1])  # type: ignore[arg-type]
            else:
                self.env[result] = found[0] if len(found) == 1 and condition is not None else None
        return out

    # -- ops ---

    def plain(self, op: Op, active: np.ndarray, out: Traffic) -> None:
        for result in op.results:
            self.env[result] = None
        if op.name in ("ld", "st", "atomic", "atomic_add"):
            self.memory(op, active, out)
        elif op.name in ROWS:
            self.row(op, active, out)
        elif len(op.results) == 1:
            self.env[op.result] = self.compute(op)
            self.count(op, active, out)

    def count(self, op: Op, active: np.ndarray, out: Traffic) -> None:
        t = op.result.type
        if isinstance(t, (DType, VecType)) and dtype_of(t).is_float and op.name in _ARITHMETIC:
            n = t.n if isinstance(t, VecType) else 1
            out.float_ops += n * int(active.sum()) * (2 if op.name == "fma" else 1)

    def memory(self, op: Op, active: np.ndarray, out: Traffic) -> None:
        pointer = next((v for v in op.operands if isinstance(v.type, PtrType)), None)
        value = op.result if op.name == "ld" else op.operands[0]
        if pointer is None or not isinstance(pointer.type, PtrType):
            return
        at = op.operands[op.operands.index(pointer) + 1]
        where, offset = self.value(pointer), self.value(at)
        address = None if where is None or offset is None else where.astype(np.int64) + offset.astype(np.int64)
        nbytes = (value.type.n if isinstance(value.type, VecType) else 1) * dtype_of(value.type).bytes
        self.access(op, pointer.type.space, "read" if op.name == "ld" else "write", nbytes, address, active, out)

    def access(
        self, op: Op, space: str, kind: str, nbytes: int, address: np.ndarray | None, active: np.ndarray, out: Traffic
    ) -> None:
        moved = nbytes * int(active.sum())
        if space == SHARED:
            out.shared += moved
        elif space == GLOBAL:
            out.read += moved if kind == "read" else 0
            out.written += moved if kind == "write" else 0
        else:
            return
        if not active.any():
            return
        cycles, least = (
            _bank_cycles(address, active, nbytes, kind, self.chip)
            if space == SHARED
            else _sectors(address, active, nbytes)
        )
        found = AccessCost(op, space, kind, nbytes, int(active.sum()), cycles, least)
        before = self.accesses.get(op)
        if before is not None and before.cycles != cycles:
            before.varies = True
        self.accesses.setdefault(op, found)

    def row(self, op: Op, active: np.ndarray, out: Traffic) -> None:
        row = ROWS[op.name]
        if op.name == "amdgpu.readfirstlane":
            self.env[op.result] = self.compute(op)
        elif row.mma is not None:
            m = row.mma
            out.flops += 2.0 * m.m * m.n * m.k * m.blocks
            out.dtype = out.dtype or dtype_of(op.operands[0].type).bytes
            out.sync = out.sync or op.name.startswith("nvvm.")
        elif found := _WGMMA.match(op.name):
            size = {"tf32": 4, "bf16": 2, "f16": 2}.get(found[1], 1)
            acc = next((r.type.n for r in op.results if isinstance(r.type, VecType)), 0)
            out.flops += 2.0 * 16 * (2 * acc) * (_K_BYTES // size)
            out.dtype = out.dtype or size
        elif found := _BUFFER.match(op.name):
            offsets = [self.value(v) for v in op.operands if isinstance(v.type, DType)]
            known = [x.astype(np.int64) for x in offsets if x is not None]
            address = np.sum(known, axis=0) if known and len(known) == len(offsets) else None
            kind = "read" if found[1] == "load" else "write"
            self.access(op, GLOBAL, kind, 4 * int(found[2]), address, active, out)
        elif found := _LDMATRIX.match(op.name):
            lanes = active & (np.arange(self.lanes) < 8 * int(found[2]))
            self.access(op, SHARED, "read" if found[1] == "ld" else "write", 16, self.place(op), lanes, out)
        elif found := _CP_ASYNC.match(op.name):
            out.read += int(found[1]) * int(active.sum())
            self.access(op, SHARED, "write", int(found[1]), self.place(op), active, out)
        elif found := _TMA.match(op.name):
            box = next((v.type.box_bytes for v in op.operands if isinstance(v.type, MapType)), 0)
            out.read += box if found[1] == "load" else 0
            out.written += box if found[1] != "load" else 0
            out.shared += box

    def place(self, op: Op) -> np.ndarray | None:
        """Where a row's first operand in shared memory lies, from the start of its array."""
        v = next((v for v in op.operands if isinstance(v.type, PtrType) and v.type.space == SHARED), None)
        return self.value(v) if v is not None else None


_ARITHMETIC = frozenset({"add", "sub", "mul", "div", "fma", "min", "max", "exp", "exp2", "log", "log2", "sqrt",
                         "rsqrt", "rcp", "tanh", "sin", "cos"})  # fmt: skip


def _bank_cycles(
    address: np.ndarray | None, active: np.ndarray, nbytes: int, kind: str, chip: Chip
) -> tuple[int | None, int]:
    """(cycles that the banks take, those without conflicts)."""
    phases = chip.shared.phases(nbytes, kind)
    least = sum(any(active[lane] for lane in group) for group in phases.groups)
    if address is None or nbytes not in (1, 2, 4, 8, 12, 16):
        return None, least
    return sum(banks(address, nbytes, chip.name, kind, active).cycles), least


def _sectors(address: np.ndarray | None, active: np.ndarray, nbytes: int) -> tuple[int | None, int]:
    """(sectors of 32 bytes that lanes touch, the fewest that hold so many bytes)."""
    if address is None:
        least = -(-nbytes * int(active.sum()) // 32)
        return None, least
    at = np.unique(address[active])
    first, last = at // 32, (at + nbytes - 1) // 32
    touched = {int(s) for a, b in zip(first, last, strict=True) for s in range(int(a), int(b) + 1)}
    asked = np.unique(np.concatenate([at + k for k in range(nbytes)])).size
    return len(touched), -(-asked // 32)


def walk_lanes(
    kernel: Kernel, chip: Chip, scalars: Mapping[str, Any] | None = None, grid: tuple[int, ...] = ()
) -> LaneWalk:
    """Walks one block. `kernel`: in phase "addresses"; `scalars`: numbers of a launch by parameter, `grid`: its
    blocks."""
    x, y, z = kernel.attrs["block"]
    waves = -(-x * y * z // chip.wave)
    total = Traffic()
    loops: dict[Op, tuple[Traffic, float | None]] = {}
    accesses: dict[Op, AccessCost] = {}
    walked = min(waves, MOST_WAVES)
    for n in range(walked):
        w = _WalkedWave(kernel, chip, n, scalars or {}, grid)
        total.add(w.run(kernel.body, w.inside))
        for op, (found, trips) in w.loops.items():
            mine = loops.setdefault(op, (Traffic(), trips))[0]
            mine.add(found)
            loops[op] = (mine, trips if loops[op][1] is None else max(trips or 0, loops[op][1] or 0))
        for op, cost in w.accesses.items():
            if op in accesses and accesses[op].cycles != cost.cycles:
                accesses[op].varies = True
            accesses.setdefault(op, cost)
    if walked < waves:
        for t in (total, *(t for t, _ in loops.values())):
            t.add(dataclasses.replace(t), waves / walked - 1)
    return LaneWalk(total, [(op, t, trips) for op, (t, trips) in loops.items()], list(accesses.values()), waves)
