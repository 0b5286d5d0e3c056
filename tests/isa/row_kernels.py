"""Kernels that execute one row once: operands come from arguments, a result goes to one. For compiling every row; not for running it."""

from __future__ import annotations

from avelang.arch import CHIPS
from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, Value
from avelang.ir.dtypes import bf16, u1, u32
from avelang.ir.types import GLOBAL, SHARED, DType, MapType, TensorType, VecType, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.row import Param, Row


def needs_company(row: Row) -> bool:
    """Whether a row makes no sense alone, on any operands: what waits, copies beside the wave, or takes a warpgroup. Those run in `test_hopper`."""
    return isinstance(row.llvm.get("nvptx"), Asm) or row.name in ("nvvm.wgmma_descriptor", "nvvm.tcgen05_descriptor")


COORDS = ("d0", "d1", "d2", "d3", "d4")


def least_chip(row: Row) -> str:
    """The first chip that has a row."""
    return next(c.name for c in CHIPS.values() if c.has(row))


def row_kernel(row: Row, chip: str, type_of: dict[str, object] | None = None) -> Kernel:
    """`type_of`: types for parameters that take several."""
    body = Block()
    b = Builder(body)
    rank = sum(p.name in COORDS for p in row.params) or 2
    seen: dict[str, Value] = {}

    def operand(p: Param) -> Value:
        t = (type_of or {}).get(p.name) or (seen[p.type].type if p.type in seen else p.type[0] if isinstance(p.type, tuple) else p.type)
        if t == "map":
            return body.add_arg(p.name, MapType(bf16, (8,) * (rank - 1) + (64,), 128))
        if t == "tensor":
            where = TensorType(u32, (1024,), (1,), p.spaces[0])
            return b.emit("alloc", (), (where,), name=p.name, align=1024).result if p.spaces == (SHARED,) else body.add_arg(p.name, where)
        if isinstance(t, DType):
            return body.add_arg(p.name, t)
        assert isinstance(t, VecType)
        array = body.add_arg(p.name, TensorType(t.dtype, (t.n,), (1,), GLOBAL))
        return b.emit("load", (array,), (t,)).result

    for p in row.operands:
        seen[p.name] = operand(p)
    attrs = {p.name: p.default if p.default is not None else (p.choices or p.range or (0,))[0] for p in row.params if p.is_const}
    result = seen[row.result].type if isinstance(row.result, str) else row.result
    op = b.emit(row.name, tuple(seen.values()), () if result is None else (result,), **attrs)
    if result is not None:
        value = op.result
        if result == u1:
            value, result = b.convert(value, u32), u32
        n = result.n if isinstance(result, VecType) else 1
        out = body.add_arg("out", TensorType(dtype_of(result), (n,), (1,), GLOBAL))
        b.emit("store", (value, out) if isinstance(result, VecType) else (value, out, b.const(0)))
    return Kernel("k", body.args, body, {"wave": 32, "chip": chip, "file": ""})
