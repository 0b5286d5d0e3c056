"""What the tests of the AMD rows share: a wave over one byte array, and a row's expansion run by the reference
executor."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

import avelang.isa.amdgpu  # noqa: F401  (registers the rows)
from avelang.arch import CHIPS
from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Value
from avelang.ir.dtypes import i64, u1, u8, u64
from avelang.ir.types import GLOBAL, SHARED, PtrType, TensorType, Type, VecType, dtype_of
from avelang.ir.verify import verify
from avelang.isa.row import ROWS
from avelang.sim import reference

LANES = 64
ALL = np.ones(LANES, bool)


class OneWave:
    """A wave whose global and shared memories are byte arrays from address `base` on."""

    lanes = LANES

    def __init__(
        self, memory: dict[str, np.ndarray] | None = None, active: np.ndarray = ALL, chip: str = "gfx942",
        base: int = 0x1000,
    ):  # fmt: skip
        self.memory, self.active, self.base = memory or {}, active, base
        self.features = CHIPS[chip].features

    def read(self, space, address, nbytes, mask):
        out = np.zeros((LANES, nbytes), np.uint8)
        for lane in np.flatnonzero(mask):
            at = int(address[lane]) - self.base
            assert 0 <= at and at + nbytes <= len(self.memory[space]), "read outside the memory"
            out[lane] = self.memory[space][at : at + nbytes]
        return out

    def write(self, space, address, data, mask):
        for lane in np.flatnonzero(mask):
            at = int(address[lane]) - self.base
            assert 0 <= at and at + data.shape[1] <= len(self.memory[space]), "write outside the memory"
            self.memory[space][at : at + data.shape[1]] = data[lane]


def semantics(name: str, *args, active: np.ndarray = ALL, chip: str = "gfx942"):
    """What a row that touches no memory computes."""
    return ROWS[f"amdgpu.{name}"].semantics(OneWave(active=active, chip=chip), *args)


def nbytes_of(t: Type) -> int:
    return dtype_of(t).bytes * (t.n if isinstance(t, VecType) else 1)


def numpy_shape(t: Type, lanes: int = LANES) -> tuple[int, ...]:
    return (lanes, t.n) if isinstance(t, VecType) else (lanes,)


class Bench:
    """A kernel of one wave, written through a Builder: operands come from arrays, one entry a lane, and results go back
    to arrays."""

    def __init__(self, chip: str = "gfx942"):
        self.body = Block()
        self.b = Builder(self.body, None, CHIPS[chip].features)
        self.chip = chip
        self.args: list[np.ndarray] = []
        self.lane = self.b.convert(self.b.lane_id(), i64)

    def array(self, data: np.ndarray, type: Type | None = None) -> Value:
        """A parameter for whole memory."""
        self.args.append(data)
        return self.body.add_arg(f"p{len(self.args)}", type or PtrType(u8, GLOBAL))

    def operand(self, data: np.ndarray, t: Type) -> Value:
        """One entry of `data` for each lane."""
        if dtype_of(t) == u1:
            return self.b.cmp("ne", self.operand(data.astype(np.uint8), u8), self.b.const(0, u8))
        size = nbytes_of(t)
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(-1).copy()
        return self.b.ld(self.array(raw), self.b.mul(self.lane, self.b.const(size, i64)), t, 1)

    @contextlib.contextmanager
    def only(self, active: np.ndarray):
        """Ops inside run in these lanes."""
        word = int(np.packbits(active, bitorder="little").view(np.uint64)[0])
        bit = self.b.and_(self.b.shr(self.b.const(word, u64), self.b.convert(self.lane, u64)), self.b.const(1, u64))
        with self.b.if_(self.b.cmp("ne", bit, self.b.const(0, u64))):
            yield

    def keep(self, v: Value) -> np.ndarray:
        """The array that will hold `v`, one entry a lane."""
        if dtype_of(v.type) == u1:
            v = self.b.convert(v, u8)
        size = nbytes_of(v.type)
        out = np.zeros(LANES * size, np.uint8)
        self.b.st(v, self.array(out), self.b.mul(self.lane, self.b.const(size, i64)), 1)
        return out.view(dtype_of(v.type).np).reshape(numpy_shape(v.type))

    def shared(self, nbytes: int) -> Value:
        """Shared memory."""
        return self.b.emit("alloc", (), (TensorType(u8, (nbytes,), (1,), SHARED),), name="lds", align=16).result

    def run(self) -> None:
        kernel = Kernel("bench", self.body.args, self.body, {"wave": LANES, "chip": self.chip, "file": ""})
        verify(kernel, "tensors")
        reference.run(kernel, self.args, (1, 1, 1), (LANES, 1, 1))


def lowered(name: str, *args, active: np.ndarray = ALL, chip: str = "gfx942", types: Sequence[Type] = ()) -> np.ndarray:
    """What a row's expansion computes in the active lanes; `types` are those of the operands, in order, where a row
    leaves a choice."""
    row = ROWS[f"amdgpu.{name}"]
    bench, chosen, values = Bench(chip), list(types), []
    seen: dict[str, Type] = {}
    for p, arg in zip(row.params, args, strict=True):
        if p.is_const:
            values.append(arg)
            continue
        if chosen:
            t = chosen.pop(0)
        else:
            t = seen[p.type] if isinstance(p.type, str) else p.type[0] if isinstance(p.type, tuple) else p.type
        seen[p.name] = t
        values.append(bench.operand(arg, t))
    with bench.only(active):
        out = bench.keep(row.lower(bench.b, *values))
    bench.run()
    return out
