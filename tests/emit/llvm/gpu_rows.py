"""A kernel around one row: operands come from memory, one of each for each lane, and the result goes back."""

from __future__ import annotations

from avelang import arch
from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Value
from avelang.ir.dtypes import i64, u1, u8
from avelang.ir.types import GLOBAL, SHARED, PtrType, TensorType, Type, VecType, dtype_of
from avelang.isa.row import Row, types_on


def size_of(t: Type) -> int:
    return dtype_of(t).bytes * (t.n if isinstance(t, VecType) else 1)


class RowKernel:
    """`text`-free: `kernel` is IR in phase "tensors"; `operands` are the types of the loaded ones, in order; `result`
    that of the result."""

    def __init__(self, row: Row, chip: str, pick: int = 0, consts: dict[str, int] | None = None):
        self.chip, self.row = arch.chip(chip), row
        self.body = Block()
        self.b = Builder(self.body)
        self.lane = self.b.convert(self.b.lane_id(), i64)
        self.types: dict[str, Type] = {}
        self.operands: list[Type] = []
        values = [self.operand(p, pick) for p in row.operands]
        result = self.types[row.result] if isinstance(row.result, str) else row.result
        attrs = {p.name: consts[p.name] if consts and p.name in consts else least(p) for p in row.params if p.is_const}
        op = self.b.emit(row.name, values, (result,) if result is not None else (), **attrs)
        self.result = result
        if op.results:
            self.store(op.result)
        self.kernel = Kernel("row", self.body.args, self.body, {"wave": self.chip.wave, "chip": chip, "file": ""})

    def pointer(self, name: str) -> Value:
        return self.body.add_arg(f"{name}_{len(self.body.args)}", PtrType(u8, GLOBAL))

    def place(self, t: Type) -> Value:
        return self.b.mul(self.lane, self.b.const(size_of(t), i64))

    def operand(self, p, pick: int) -> Value:
        if p.type == "tensor":
            tensor = TensorType(u8, (1024,), (1,), p.spaces[0])
            if tensor.space == SHARED:
                return self.b.emit("alloc", (), (tensor,), name=p.name, align=16).result
            return self.b.emit("make_tensor", (self.pointer(p.name),), (tensor,), name=p.name).result
        choices = (self.types[p.type],) if isinstance(p.type, str) else types_on(p, self.chip.features)
        t = self.types[p.name] = choices[pick % len(choices)]
        if t == u1:
            return self.b.cmp("ne", self.load(p.name, u8), self.b.const(0, u8))
        return self.load(p.name, t)

    def load(self, name: str, t: Type) -> Value:
        self.operands.append(t)
        return self.b.ld(self.pointer(name), self.place(t), t, dtype_of(t).bytes)

    def store(self, v: Value) -> None:
        self.b.st(v, self.pointer("out"), self.place(v.type), dtype_of(v.type).bytes)


def least(p) -> int:
    """The first value that a const parameter may have, or its default."""
    if p.default is not None:
        return p.default
    return p.choices[0] if p.choices else p.range[0]
