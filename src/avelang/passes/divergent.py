"""Operands that hardware takes from scalar registers and that certainly differ among the lanes of a wave: a kernel
specialized to a block comes in, in phase "tensors"; T320 goes out at the user's line.

A value is followed as something unknown that all lanes share, plus a known number for each lane: what is made of
thread_id by sums, products with constants, and, where nothing unknown is in it, any integer op. Nothing else is
claimed: a correct kernel is never refused. What is not seen here the reference reports while it runs (X044)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.types import DType, TensorType
from avelang.isa.row import ROWS

_EXACT: dict[str, Callable[..., np.ndarray]] = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shr": lambda a,
    b: a >> np.clip(b, 0, 63),
    "shl": lambda a, b: a << np.clip(b, 0, 31), "mul": lambda a, b: a * b, "min": lambda a, b: np.minimum(a, b),
    "max": lambda a, b: np.maximum(a, b),
    "div": lambda a, b: a // np.where(b > 0, b, 1), "floordiv": lambda a, b: a // np.where(b > 0, b, 1),
    "rem": lambda a, b: a % np.where(b > 0, b, 1), "mod": lambda a, b: a % np.where(b > 0, b, 1),
}  # fmt: skip
_SMALL = 1 << 24  # what is known stays far from where integers wrap, and unsigned and signed ones agree


class _Known:
    """Of one value: int64 (lanes,) what each lane has beyond what all share; whether that is all of it."""

    __slots__ = ("exact", "lanes")

    def __init__(self, lanes: np.ndarray, exact: bool):
        self.lanes, self.exact = lanes, exact

    @property
    def differs(self) -> bool:
        return bool((self.lanes != self.lanes[0]).any())


class _LaneSearch:
    def __init__(self, kernel: Kernel):
        x, y, z = kernel.attrs["block"]
        t = np.arange(min(kernel.attrs["wave"], x * y * z))
        self.threads = (t % x, t // x % y, t // (x * y))
        self.lane = t
        self.shared = _Known(np.zeros(len(t), np.int64), False)
        self.known: dict[Value, _Known | None] = dict.fromkeys(kernel.params, self.shared)
        self.kernel = kernel

    def of(self, v: Value) -> _Known | None:
        """What is known of a value; None where nothing is."""
        if v not in self.known:
            found = self.made(v.op) if v.op is not None else None
            wide = found is not None and (np.abs(found.lanes) >= _SMALL).any()
            self.known[v] = None if wide else found
        return self.known[v]

    def made(self, op: Op) -> _Known | None:
        if op.name == "const" and isinstance(op.attrs["value"], int) and isinstance(op.result.type, DType):
            value = op.attrs["value"]
            return _Known(np.full(len(self.lane), value, np.int64), True) if abs(value) < _SMALL else None
        if op.name in ("thread_id", "lane_id"):
            return _Known((self.threads[op.attrs["dim"]] if op.name == "thread_id" else self.lane).astype(np.int64),
                          True)
        if op.name in ("block_id", "block_dim", "grid_dim"):
            return self.shared
        if op.name in ("make_tensor", "view", "base", "ptr_add", "subview"):
            return self.place(op)
        return self.number(op)

    def number(self, op: Op) -> _Known | None:
        """Of an integer op."""
        if not op.results or not isinstance(op.result.type, DType) or not op.result.type.is_int or op.regions:
            return None
        parts = [self.of(v) for v in op.operands]
        some = [p for p in parts if p is not None]
        if len(some) < len(parts) or not parts:
            return None
        if op.name == "convert":
            return some[0] if op.result.type.bits >= 32 and isinstance(op.operands[0].type,
                                                                       DType) and op.operands[0].type.is_int else None
        if op.name in ("add", "sub") and len(some) == 2:
            a, b = some
            return _Known(a.lanes + b.lanes if op.name == "add" else a.lanes - b.lanes, a.exact and b.exact)
        if op.name == "mul" and len(some) == 2 and some[0].exact != some[1].exact:
            shared, by = sorted(some, key=lambda p: p.exact)
            return None if by.differs else _Known(shared.lanes * by.lanes, False)
        if op.name in _EXACT and all(p.exact and (p.lanes >= 0).all() for p in some):
            return _Known(_EXACT[op.name](*(p.lanes for p in some)), True)
        return self.shared if not any(p.differs for p in some) and op.name in _EXACT else None

    def place(self, op: Op) -> _Known | None:
        """Of an address, in bytes."""
        start = self.of(op.operands[0])
        t = op.operands[0].type
        if start is None or op.name not in ("subview", "ptr_add"):
            return start
        if op.name == "ptr_add":
            by = self.of(op.operands[1])
            return None if by is None else _Known(start.lanes + by.lanes, False)
        assert isinstance(t, TensorType)
        lanes = start.lanes
        for v, stride in zip(op.operands[1 : 1 + len(t.shape)], t.strides, strict=True):
            part = self.of(v)
            if part is None or (stride is None and part.differs):
                return None
            lanes = lanes + part.lanes * ((stride or 0) * t.dtype.bytes)
        return _Known(lanes, False)

    def resource(self, v: Value) -> bool:
        """True if a resource certainly differs."""
        if v.op is None or v.op.name != "amdgpu.make_rsrc":
            return False
        return any(found is not None and found.differs for found in map(self.of, v.op.operands))

    def block(self, block: Block) -> None:
        """Looks at what all lanes of the first wave execute together."""
        for op in block.ops:
            if op.name == "for" and all((k := self.of(v)) is not None and not k.differs for v in op.operands[:3]):
                self.block(op.regions[0])
            row = ROWS.get(op.name)
            for p, v in zip(row.operands, op.operands, strict=True) if row is not None else ():
                found = self.of(v) if p.uniform else None
                if p.uniform and (self.resource(v) or (found is not None and found.differs)):
                    raise error("T320", op.span, name=op.name, operand=p.name, instead=p.uniform)


def _by_lane(v: Value, seen: dict[Value, bool]) -> bool:
    """True if thread_id or lane_id is among what a value is made of: only then is there something to find, and NumPy to
    import."""
    if v not in seen:
        seen[v] = False
        seen[v] = v.op is not None and (v.op.name in ("thread_id", "lane_id")
                                        or any(_by_lane(x, seen) for x in v.op.operands))
    return seen[v]


def _uniform_operands(block: Block) -> Iterator[Value]:
    for op in block.ops:
        row = ROWS.get(op.name)
        yield from (v for p, v in zip(row.operands, op.operands, strict=True) if p.uniform) if row is not None else ()
        for region in op.regions:
            yield from _uniform_operands(region)


def divergent(kernel: Kernel) -> None:
    """Raises T320 for an operand that certainly differs among lanes and must not."""
    seen: dict[Value, bool] = {}
    if any(_by_lane(v, seen) for v in _uniform_operands(kernel.body)):
        _LaneSearch(kernel).block(kernel.body)
