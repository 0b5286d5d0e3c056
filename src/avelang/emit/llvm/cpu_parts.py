"""Values that pass from basic block to basic block: a form comes in, a list of LLVM values, its `parts`, goes out; and
back."""

from __future__ import annotations

from collections.abc import Sequence

from avelang.base.errors import error
from avelang.emit.llvm import cpu_lin
from avelang.emit.llvm.cpu_values import Elems, LocalMemory, Ptr, Rep, S, Scalar, elem
from avelang.emit.llvm.cpu_vectors import elements
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.dtypes import DType, i64
from avelang.ir.types import PtrType, Type, VecType

BIG = 1024  # bytes of a whole wave's vector from which on it is carried in memory


def is_big(w: WaveWriter, t: Type) -> bool:
    """True where values of a type pass through control flow in memory."""
    return isinstance(t, VecType) and t.dtype.bits > 1 and t.n * w.W * t.dtype.bytes >= BIG


def parts(w: WaveWriter, rep: Rep, t: Type, wide: bool) -> list[tuple[str, str]]:
    """A value as (LLVM type, text) pairs: scalars, or vectors where `wide`."""
    if isinstance(t, PtrType):
        assert isinstance(rep, Ptr)
        address = address_of(w, rep)
        return [(w.t("i64", wide), w.vec(address, i64) if wide else w.one(address, i64).text)]
    d = t.dtype if isinstance(t, VecType) else t
    assert isinstance(d, DType)
    return [(w.t(elem(d), wide), w.vec(x, d) if wide else w.one(x, d).text) for x in elements(w, rep, t)]


def shape(w: WaveWriter, t: Type, wide: bool) -> list[str]:
    """The LLVM types of `parts`."""
    if isinstance(t, PtrType):
        return [w.t("i64", wide)]
    d = t.dtype if isinstance(t, VecType) else t
    assert isinstance(d, DType)
    return [w.t(elem(d), wide)] * (t.n if isinstance(t, VecType) else 1)


def unparts(w: WaveWriter, texts: Sequence[str], t: Type, wide: bool) -> Rep:
    """The form whose `parts` have these texts."""
    items = tuple(w.made(x, wide) for x in texts)
    if isinstance(t, PtrType):
        return Ptr(t.space, "%scratch" if t.space == "shared" else "", items[0])
    return Elems(items) if isinstance(t, VecType) else items[0]


def address_of(w: WaveWriter, p: Ptr) -> Scalar:
    """A pointer as an i64: the address of a global one, the offset in the block's memory of a shared one."""
    if isinstance(p.base, LocalMemory):
        raise error("V001", op="pointer", why="a pointer to local memory cannot pass through control flow")
    if not p.base or p.space == "shared":
        return p.off
    return cpu_lin.add64(w, S(w.op(f"ptrtoint ptr {p.base} to i64")), p.off)
