"""Handlers of matrix instructions on registers: mma, ldmatrix, stmatrix, movmatrix. Layouts come from the rows of
`isa.nvptx`.

An f32 accumulator takes the products in ascending k by fused multiply-adds: `avelang.isa.mma_reference` says so.
Hardware adds in an order of its own. """

from __future__ import annotations

import numpy as np

import avelang.isa.nvptx  # noqa: F401 (rows are made when it is imported)
from avelang.ir.dtypes import DType
from avelang.ir.types import dtype_of
from avelang.isa.nvptx.ldmatrix import ELEMENT, WORD, WORD_TRANS
from avelang.isa.row import ROWS, Row
from avelang.llvm.core import Body
from avelang.llvm.narrow_floats import Bits, narrow, widen
from avelang.llvm.products import function, places
from avelang.llvm.vectors import Ops
from avelang.sim.ptx.code import Instr, Mem, items_of
from avelang.sim.ptx.float_formats import Floats
from avelang.sim.ptx.loads_stores import SPACES
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.state import LANES, MISALIGNED, WARP
from avelang.sim.ptx.translator import Handler, PtxTranslator
from avelang.sim.ptx.warp_ops import constant_pick

MMA: dict[str, Row] = {r.ptx: r for r in ROWS.values() if r.mma is not None and r.namespace == "nvvm" and r.ptx}
WORK = {"f32": "float", "f16": "float", "f64": "double", "i32": "i32"}
DATA = WARP["data"]
PART = {"a": 1024, "b": 3072, "d": 0}  # where operands stand in the warp's `data`, bytes


def _dtypes(row: Row) -> list[DType]:
    out = []
    for p in row.params:
        assert not isinstance(p.type, str)
        out.append(dtype_of(p.type if not isinstance(p.type, tuple) else p.type[0]))
    return out


def _mma(t: PtxTranslator, i: Instr) -> None:
    row = MMA.get(i.name)
    if row is None or row.mma is None:
        raise NotExecuted("this form is not in the table of matrix instructions")
    t.together(None)
    t.agreed()
    kinds, mma = _dtypes(row), row.mma
    regs = []
    for o, d, f in zip(i.operands[1:4], kinds, (mma.a, mma.b, mma.c), strict=True):
        width = max(32, d.bits)
        items = items_of(o)
        if len(items) != f.slots * d.bits // width:
            raise NotExecuted(f"{f.slots * d.bits // width} registers of {width} bits are needed")
        kind = "f" if d.bits >= 32 and d.is_float else "b"
        regs.append([t.get(x, width, kind=kind) for x in items])  # type: ignore[arg-type]
    for part, values, d in zip(("a", "b", "d"), regs, kinds, strict=True):
        for k, x in enumerate(values):
            _keep(t, part, k, x, max(32, d.bits))
    name = t.helper(f"ave_{i.name}", lambda: _text(t, f"ave_{i.name}", row, kinds))
    t.do(f"call void @{name}(ptr {t.pointer('w', DATA)})")
    items = items_of(i.operands[0])
    width = max(32, kinds[2].bits)
    if len(items) != len(regs[2]):
        raise NotExecuted("D and C have different sizes")
    for k, o in enumerate(items):
        x = t.op(f"load {t.t(f'i{width}')}, ptr {_spot(t, 'd', k, width)}, align 64")
        t.set(o, x, width)  # type: ignore[arg-type]


def _spot(t: PtxTranslator, part: str, k: int, bits: int) -> str:
    return t.pointer("w", DATA + PART[part] + k * LANES * bits // 8)


def _keep(t: PtxTranslator, part: str, k: int, value: str, bits: int) -> None:
    t.do(f"store {t.t(f'i{bits}')} {value}, ptr {_spot(t, part, k, bits)}, align 64")


class _Fragments:
    """Writes the body of `void name(ptr data)`: registers to elements, the product, elements to registers."""

    def __init__(self, t: PtxTranslator, row: Row, kinds: list[DType]):
        self.t, self.row, self.kinds = t, row, kinds
        self.e = WORK[kinds[2].name]

    def element(self, part: str, d: DType, s: int) -> str:
        """Element s of all lanes in the type of the products."""
        t = self.t
        if d.bits == 64:
            return t.op(f"load {t.t('double')}, ptr {self.at(part, s, 64)}, align 64")
        word = t.op(f"load {t.t('i32')}, ptr {self.at(part, s * d.bits // 32, 32)}, align 64")
        if d.bits == 32:
            return word if self.e == "i32" else t.op(f"bitcast {t.t('i32')} {word} to {t.t('float')}")
        b = Bits(t, True)
        value = t.op(f"trunc {t.t('i32')} {b('lshr', word, s * d.bits % 32)} to {t.t(f'i{d.bits}')}")
        if d.is_float:
            return widen(t, d, True, value)
        return t.op(f"{'sext' if d.kind == 'int' else 'zext'} {t.t(f'i{d.bits}')} {value} to {t.t('i32')}")

    def at(self, part: str, k: int, bits: int) -> str:
        return self.t.op(f"getelementptr i8, ptr %data, i64 {PART[part] + k * LANES * bits // 8}")

    def stored(self, part: str, d: DType, slots: int) -> str:
        t, mma = self.t, self.row.mma
        assert mma is not None
        place = t.body.alloca(f"[{slots * LANES} x {self.e}]")
        for s in range(slots):
            x = self.element(part, d, s)
            if mma.ignored_bits and part != "d":
                b = Bits(t, True)
                x = b.to_float(b("and", b.from_float(x), -1 << mma.ignored_bits))
            spot = t.op(f"getelementptr {t.t(self.e)}, ptr {place}, i64 {s}")
            t.do(f"store {t.t(self.e)} {x}, ptr {spot}, align 64")
        return place

    def spread(self, place: str, d: DType, slots: int) -> None:
        """The accumulator back into registers."""
        t = self.t
        values = [
            t.op(f"load {t.t(self.e)}, ptr {t.op(f'getelementptr {t.t(self.e)}, ptr {place}, i64 {s}')}, align 64")
            for s in range(slots)]
        if d.name == "f16":
            o = Ops(t, "i16")
            f = Floats(t, "f16")
            halves = [f.canonical(narrow(t, d, True, x)) for x in values]
            w = Ops(t, "i32")
            values = [w("or", o.to("i32", "zext", x), w("shl", o.to("i32", "zext", y), 16)) for x,
                y in zip(halves[::2], halves[1::2], strict=True)]
        elif d.name == "f32":
            values = [Floats(t, "f32").canonical(Ops(t, "float").pattern(x)) for x in values]
        elif d.name == "f64":
            values = [Ops(t, "double").pattern(x) for x in values]
        bits = max(32, d.bits)
        for k, x in enumerate(values):
            t.do(f"store {t.t(f'i{bits}')} {x}, ptr {self.at('d', k, bits)}, align 64")


def _text(t: PtxTranslator, name: str, row: Row, kinds: list[DType]) -> str:
    mma = row.mma
    assert mma is not None
    outer, memo = t.body, t._memo
    t.body, t._memo = Body(), [{}]
    f = _Fragments(t, row, kinds)
    left, right, total = f.stored("a", kinds[0], mma.a.slots), f.stored("b", kinds[1], mma.b.slots), f.stored("d",
        kinds[2], mma.c.slots)
    t.do(f"call void @{function(t.module, places(mma), f.e, False)}(ptr {total}, ptr {left}, ptr {right})")
    f.spread(total, kinds[2], mma.c.slots)
    text = t.body.text()
    t.body, t._memo = outer, memo
    return f"define internal void @{name}(ptr %data) noinline #0 {{\n{text}\n  ret void\n}}"


# -- 8 x 8 matrices in shared memory -----------------------------------------------------------------------------------


def _rows(t: PtxTranslator, i: Instr, mem: object) -> tuple[str, int, bool, str]:
    """(space, number of matrices, whether they are transposed, the lanes' addresses)."""
    m = Mods(i)
    m.take("sync")
    m.take("aligned")
    shape, count, trans = m.take("m8n8"), m.take("x1", "x2", "x4"), m.has("trans")
    space = SPACES[found] if (found := m.take("shared", "shared::cta")) else "generic"
    kind = m.type()
    m.done()
    if not shape or kind != "b16" or not count or not isinstance(mem, Mem):
        raise NotExecuted("it has .m8n8, .x1, .x2 and .x4, .b16")
    t.together(None)
    t.agreed()
    number = int(count[1:])
    address = t.address(mem, space)
    o = Ops(t, "i64")
    odd = t.op(f"and i32 {t.bits_of(o.cmp('ne', o('and', address, 15), 0))}, "
        f"{(1 << 8 * number) - 1 if number < 4 else -1}")
    t.stop(MISALIGNED, t.op(f"icmp ne i32 {odd}, 0"))
    return space, number, trans, address


def _pieces(trans: bool, j: int) -> list[tuple[list[int], list[int]]]:
    """For each access of a matrix: from which lane the address of each lane's row comes, and how many bytes further on
    its piece stands."""
    _, row, col = (np.asarray(x) for x in (WORD_TRANS if trans else WORD).index)
    slots = (0, 1) if trans else (0,)
    return [((8 * j + row[:, s]).tolist(), (ELEMENT * col[:, s]).tolist()) for s in slots]


def _at(t: PtxTranslator, address: str, lanes: list[int], offsets: list[int]) -> str:
    return Ops(t, "i64")("add", constant_pick(t, address, lanes, "i64"), t.const_vector(offsets, "i64"))


def _ldmatrix(t: PtxTranslator, i: Instr) -> None:
    space, number, trans, address = _rows(t, i, i.operands[1])
    d = items_of(i.operands[0])
    if len(d) != number:
        raise NotExecuted(f"{number} registers are needed")
    words = []
    for j in range(number):
        parts = []
        for lanes, offsets in _pieces(trans, j):
            bits = 16 if trans else 32
            t.put_addresses(_at(t, address, lanes, offsets))
            t.access(space, bits, 1, False)
            parts.append(t.take_data(0, bits))
        words.append(_joined(t, parts) if trans else parts[0])
    for o, x in zip(d, words, strict=True):
        t.set(o, x, 32)  # type: ignore[arg-type]


def _joined(t: PtxTranslator, parts: list[str]) -> str:
    w, o = Ops(t, "i32"), Ops(t, "i16")
    return w("or", o.to("i32", "zext", parts[0]), w("shl", o.to("i32", "zext", parts[1]), 16))


def _stmatrix(t: PtxTranslator, i: Instr) -> None:
    space, number, trans, address = _rows(t, i, i.operands[0])
    source = items_of(i.operands[1])
    if len(source) != number:
        raise NotExecuted(f"{number} registers are needed")
    w = Ops(t, "i32")
    for j, o in enumerate(source):
        x = t.get(o, 32)  # type: ignore[arg-type]
        for s, (lanes, offsets) in enumerate(_pieces(trans, j)):
            t.put_data(0, x if not trans else w.to("i16", "trunc", w("lshr", x, 16 * s)), 16 if trans else 32)
            t.put_addresses(_at(t, address, lanes, offsets))
            t.access(space, 16 if trans else 32, 1, True)


def _movmatrix(t: PtxTranslator, i: Instr) -> None:
    """Each lane's word of the transposed matrix."""
    if i.name != "movmatrix.sync.aligned.m8n8.trans.b16":
        raise NotExecuted("this form is not executed here")
    t.together(None)
    t.agreed()
    _, row, col = WORD.index
    stands = np.zeros((8, 8), np.int64)
    lane, slot = np.meshgrid(np.arange(LANES), np.arange(2), indexing="ij")
    stands[row, col] = 2 * lane + slot
    order = ", ".join(f"i32 {k}" for k in stands[col, row].reshape(-1))
    x = t.op(f"bitcast {t.t('i32')} {t.get(i.operands[1], 32)} to <{2 * LANES} x i16>")
    y = t.op(f"shufflevector <{2 * LANES} x i16> {x}, <{2 * LANES} x i16> poison, <{2 * LANES} x i32> <{order}>")
    t.set(i.operands[0], t.op(f"bitcast <{2 * LANES} x i16> {y} to {t.t('i32')}"), 32)


TABLE: dict[str, Handler] = {"mma": _mma, "ldmatrix": _ldmatrix, "stmatrix": _stmatrix, "movmatrix": _movmatrix}
