"""Variables of a module with their initializers come in; their bytes are put in the module's memory. PTX ISA 9.0,
5.4.4, "Initializers"."""

from __future__ import annotations

import struct

import numpy as np

from avelang.base.errors import error
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import BITS, FlatCode, FlatVariable
from avelang.sim.ptx.constants import fold


def fill(code: FlatCode, memory: np.ndarray, start: int = 0) -> None:
    """Puts all initial values where they belong; memory is zero elsewhere. `start`: its address, where that is not the
    one of this machine."""
    by_name = {v.name: v for v in code.variables}
    for v in code.variables:
        if v.init is not None:
            _Filler(code, memory, by_name, v, start or memory.ctypes.data).put(v.init, v.offset)


class _Filler:
    def __init__(self, code: FlatCode, memory: np.ndarray, by_name: dict[str, FlatVariable], v: FlatVariable,
            start: int):  # fmt: skip
        self.start = start
        self.code, self.memory, self.by_name, self.v = code, memory, by_name, v
        self.size = BITS[v.type] // 8

    def put(self, init: n.Initializer, at: int) -> int:
        """Writes an initializer; gives the place behind it. Nested braces are rows, which are full."""
        if isinstance(init, tuple):
            for part in init:
                at = self.put(part, at)
            return at
        if at + self.size > self.v.offset + self.v.bytes:
            raise error("X030", what=f"the variable `{self.v.name}`", why="it has more initial values than elements")
        value = self.value(init) & (1 << 8 * self.size) - 1
        self.memory[at : at + self.size] = np.frombuffer(value.to_bytes(self.size, "little"), np.uint8)
        return at + self.size

    def value(self, o: object) -> int:
        if isinstance(o, n.Float):
            return self.float(o)
        if isinstance(o, n.Unary) and isinstance(o.operand, n.Float):
            return self.float(o.operand) ^ (1 << BITS[self.v.type] - 1 if o.op == "-" else 0)
        if isinstance(o, n.Apply) and isinstance(o.name, n.Int):
            mask = o.name.value
            return (self.value(o.operand) & mask) >> ((mask & -mask).bit_length() - 1)
        if isinstance(o, n.Apply):
            return self.value(o.operand)
        if isinstance(o, n.SymbolOperand):
            return self.address(o.name)
        if isinstance(o, n.Binary) and isinstance(o.left, (n.SymbolOperand, n.Apply)):
            right = fold(o.right)
            return self.value(o.left) + (right if o.op == "+" else -right)
        return fold(o)  # type: ignore[arg-type]

    def address(self, name: str) -> int:
        if name in self.by_name:
            return self.start + self.by_name[name].offset
        for f in self.code.functions:
            if f.name == name:
                return self.code.windows.functions + 16 * f.number
        raise error("X030", what=f"the variable `{self.v.name}`", why=f"its initial value names `{name}`, which has no "
            f"address here")

    def float(self, o: n.Float) -> int:
        bits = BITS[self.v.type]
        if o.width == bits:
            return o.bits
        value = struct.unpack("<f" if o.width == 32 else "<d", o.bits.to_bytes(o.width // 8, "little"))[0]
        kind = {16: np.float16, 32: np.float32, 64: np.float64}[bits]
        return int.from_bytes(np.array(value).astype(kind).tobytes(), "little")
