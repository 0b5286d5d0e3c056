"""Matrix instructions: shapes, types and registers come in; the instruction goes out. Which ones there are, and how many registers an operand has,
is said by the rows of `al.nvvm` (`isa.nvptx.mma`, `matrix`, `wgmma`), which have the fragment maps too."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import avelang.ptx.types as t
from avelang.base.places import wrong
from avelang.ptx.inst import emit
from avelang.ptx.registers import Reg, ScalarOperand, reg
from avelang.ptx.shared_memory import MemoryOperand, SharedTile, addr
from avelang.ptx.types import Type, as_type

if TYPE_CHECKING:
    from avelang.isa.nvptx.wgmma import WgmmaForm
    from avelang.isa.row import Row

Shape = tuple[int, int, int]


@functools.cache
def _mma_rows() -> dict[tuple[Shape, str, str, str], Row]:
    """Rows of `mma.sync` by shape and the types of A, B and C."""
    import avelang.isa.nvptx  # noqa: F401  (registers the rows)
    from avelang.isa.row import ROWS

    out = {}
    for row in ROWS.values():
        if row.mma is not None and row.ptx and row.ptx.startswith("mma.sync"):
            *_, d, a, b, _ = row.ptx.split(".")
            out[(row.mma.m, row.mma.n, row.mma.k), a, b, d] = row
    return out


def _words(slots: int, bits: int) -> int:
    """How many registers hold so many elements: words of 32 bits, of 64 for f64."""
    return slots if bits >= 32 else slots * bits // 32


def _count(name: str, what: str, have: Any, want: int, instruction: str) -> list[Any]:
    got = list(have) if isinstance(have, (list, tuple)) else [have]
    if len(got) != want:
        raise wrong("T101", what=f"{name}: {what} of {instruction}", allowed=f"{want} registers", got=len(got))
    return got


class MmaOps:
    """`ptx.mma`."""

    @staticmethod
    def sync(
        *, shape: Shape, d: Any, a: Any, b: Any, c: Any, dtype_a: Type, dtype_b: Type | None = None, dtype_d: Type = t.f32,
        dtype_c: Type | None = None, a_layout: str = "row", b_layout: str = "col", pred: Any = None,
    ) -> None:  # fmt: skip
        """`mma.sync.aligned`: D = A B + C of a warp. `shape`: (m, n, k). `d`, `a`, `b`, `c`: lists of registers; A and B hold packed elements in
        b32. Types of B, and of C, are those of A, and of D, where they are left out. Raises T101 for a shape or types that there are not."""
        dtype_b, dtype_c = dtype_b or dtype_a, dtype_c or dtype_d
        a_type, b_type, d_type, c_type = (as_type(x, f"dtype_{n}").name for x, n in zip((dtype_a, dtype_b, dtype_d, dtype_c), "abdc", strict=True))
        rows = _mma_rows()
        m, n, k = shape
        row = rows.get(((m, n, k), a_type, b_type, d_type)) if d_type == c_type and (a_layout, b_layout) == ("row", "col") else None
        if row is None or row.mma is None or row.ptx is None:
            asked = f"m{m}n{n}k{k}.{a_layout}.{b_layout}.{d_type}.{a_type}.{b_type}.{c_type}"
            same = [str(r.ptx).removeprefix("mma.sync.aligned.") for (_, x, y, _), r in rows.items() if (x, y) == (a_type, b_type)]
            known = ", ".join(same) or f"{', '.join(sorted({x for _, x, _, _ in rows}))} as the type of A"
            raise wrong("T101", "ptx.inst.mma has all forms of PTX", what="ptx.mma.sync", allowed=known, got=asked)
        mma, name = row.mma, row.ptx
        bits = _bits(a_type)
        operands = [
            _count("ptx.mma.sync", x, have, _words(fragment.slots, size), name)
            for x, have, fragment, size in (
                ("d", d, mma.c, _bits(d_type)), ("a", a, mma.a, bits), ("b", b, mma.b, bits), ("c", c, mma.c, _bits(d_type)),
            )
        ]  # fmt: skip
        emit(tuple(name.split(".")), *operands, pred=pred)


def _bits(name: str) -> int:
    return t.BY_PTX[name].bits


def ldmatrix(d: Any, address: Any, *, trans: bool = False, pred: Any = None) -> None:
    """`ldmatrix`: 1, 2 or 4 matrices of 8 x 8 16-bit elements out of shared memory, one b32 register of `d` for each. Each lane names a row."""
    _matrix("ldmatrix", d, address, trans, pred)


def stmatrix(address: Any, d: Any, *, trans: bool = False, pred: Any = None) -> None:
    """`stmatrix`: the same into shared memory (sm_90)."""
    _matrix("stmatrix", d, address, trans, pred)


def _matrix(opcode: str, d: Any, address: Any, trans: bool, pred: Any) -> None:
    import avelang.isa.nvptx  # noqa: F401
    from avelang.isa.row import ROWS

    registers = list(d) if isinstance(d, (list, tuple)) else [d]
    row = ROWS.get(f"nvvm.{opcode}_m8n8_x{len(registers)}_b16{'_trans' if trans else ''}")
    if row is None or row.ptx is None:
        raise wrong("T101", what=f"ptx.{opcode}: the number of registers", allowed="1, 2 or 4", got=len(registers))
    place = address if isinstance(address, MemoryOperand) else addr(address)
    emit(tuple(row.ptx.split(".")), *([registers, place] if opcode == "ldmatrix" else [place, registers]), pred=pred)


# -- wgmma ---------------------------------------------------------------------------------------------------------------------------


@functools.cache
def _forms() -> dict[tuple[str, str, str, bool], WgmmaForm]:
    from avelang.isa.nvptx.wgmma import FORMS

    return {(f.a.ptx, f.b.ptx, "s32" if f.d.name == "i32" else f.d.name, f.registers): f for f in FORMS}


class WgmmaOps:
    """`ptx.wgmma`: products of a warpgroup, 128 threads (sm_90a)."""

    @staticmethod
    def mma_async(
        *, shape: Shape, d: Any, a: Any, b: Any, dtype_a: Type, dtype_b: Type | None = None, dtype_d: Type = t.f32, scale_d: Any = True,
        scale_a: int = 1, scale_b: int = 1, trans_a: int = 0, trans_b: int = 0,
    ) -> None:  # fmt: skip
        """`wgmma.mma_async`: D = A B + D, or A B where `scale_d` (a predicate, or a bool) is false. `shape`: (64, n, k). `a`: a descriptor (a u64
        register), or 4 registers; `b`: a descriptor. `scale_a`, `scale_b`: 1, or -1 to negate. `trans_a`, `trans_b`: 1 where the operand in shared
        memory is M-major (N-major); 16-bit types only. Raises T101."""
        dtype_b = dtype_b or dtype_a
        names = (as_type(dtype_a, "dtype_a").name, as_type(dtype_b, "dtype_b").name, as_type(dtype_d, "dtype_d").name)
        in_registers = isinstance(a, (list, tuple))
        form = _forms().get((*names, in_registers))
        if form is None:
            known = ", ".join(dict.fromkeys(f"{d}.{x}.{y}" for x, y, d, _ in _forms()))
            raise wrong("T101", what="ptx.wgmma.mma_async", allowed=known, got=f"{names[2]}.{names[0]}.{names[1]}")
        sizes = [2 * x.n for x in form.accumulators]  # type: ignore[union-attr]
        m, n, k = shape
        if m != 64 or k != form.k or n not in sizes:
            allowed = f"(64, n, {form.k}) with n one of {', '.join(map(str, sizes))}"
            raise wrong("T101", what=f"ptx.wgmma.mma_async: the shape for {names[0]}", allowed=allowed, got=tuple(shape))
        name = ("wgmma", "mma_async", "sync", "aligned", f"m64n{n}k{k}", names[2], names[0], names[1])
        out = _count("ptx.wgmma.mma_async", "d", d, _words(n // 2, _bits(names[2])), ".".join(name))
        left = _count("ptx.wgmma.mma_async", "a", a, _words(form.tile.a.slots, _bits(names[0])), ".".join(name)) if in_registers else a
        emit(name, out, left, b, _scale(scale_d), *_flags(form, in_registers, scale_a, scale_b, trans_a, trans_b))

    @staticmethod
    def descriptor(address: Any, *, swizzle: int | None = None, leading: int = 0, stride: int = 0) -> Reg:
        """A descriptor of an operand in shared memory, in a u64 register. `address`: a tile, a place, or a u32 register. `swizzle`: bytes of the
        pattern; without it that of a tile that has one, else 128. `leading` and `stride` in bytes; 0 means 16, and 8 rows of the pattern, as boxes
        of tensor maps have them (`al.nvvm.wgmma_descriptor` says where elements stand). For a tile further along: add its byte offset / 16. Raises
        T101."""
        from avelang.isa.nvptx.wgmma import FIELD, PATTERNS, descriptor

        own = address.swizzle if isinstance(address, SharedTile) else 0
        swizzle = swizzle if swizzle is not None else own or 128
        if own and own != swizzle:
            raise wrong("T101", what="the swizzle of a descriptor", allowed=f"{own}, as the tile's is", got=swizzle)
        if swizzle not in PATTERNS.values():
            raise wrong("T101", what="swizzle", allowed=", ".join(map(str, PATTERNS.values())), got=swizzle)
        start = address.value() if isinstance(address, ScalarOperand) else address.pointer()
        low = ((start >> 4) & FIELD).to(t.u64)
        high = reg.scalar(t.u64, descriptor(0, leading or 16, stride or 8 * (swizzle or 16), swizzle))
        return low | high

    @staticmethod
    def fence() -> None:
        """`wgmma.fence`: before the first product, and when registers have changed."""
        emit(("wgmma", "fence", "sync", "aligned"))

    @staticmethod
    def commit_group() -> None:
        """`wgmma.commit_group`: the products since the last make one group."""
        emit(("wgmma", "commit_group", "sync", "aligned"))

    @staticmethod
    def wait_group(pending: int = 0) -> None:
        """`wgmma.wait_group`: all groups but the newest `pending` are complete."""
        emit(("wgmma", "wait_group", "sync", "aligned"), pending)


def _scale(scale: Any) -> Any:
    """`scale_d` as a predicate: of a bool, one that is set here, by `setp` on constants."""
    if isinstance(scale, ScalarOperand):
        return scale
    if not isinstance(scale, (bool, int)):
        raise wrong("T225", got=repr(scale))
    out = reg.pred()
    out.set(bool(scale))
    return out


def _flags(form: WgmmaForm, in_registers: bool, scale_a: int, scale_b: int, trans_a: int, trans_b: int) -> list[int]:
    """The constants behind the operands: those that the form has."""
    out = [scale_a, scale_b] if form.signed else []
    if form.turns:
        out += [trans_b] if in_registers else [trans_a, trans_b]
    unused = [("scale_a", scale_a, 1), ("scale_b", scale_b, 1)] if not form.signed else []
    if not form.turns:
        unused += [("trans_a", trans_a, 0), ("trans_b", trans_b, 0)]
    elif in_registers:
        unused += [("trans_a", trans_a, 0)]
    for name, value, default in unused:
        if value != default:
            raise wrong("T101", what=f"ptx.wgmma.mma_async: {name}", allowed=f"{default} for these operands", got=value)
    return out


mma, wgmma = MmaOps(), WgmmaOps()
