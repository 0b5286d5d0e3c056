"""Matrix instructions: shapes, types and registers come in; the instruction goes out. The table of PTX says which ones
there are, and how many registers an operand has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import avelang.ptx.types as t
from avelang.base.errors import AveError
from avelang.base.places import wrong
from avelang.nvptx.check import count_of
from avelang.nvptx.forms import OperandSpec
from avelang.ptx.form_queries import Parts, counts, forms_of, names
from avelang.ptx.inst import emit
from avelang.ptx.registers import Reg, ScalarOperand, reg
from avelang.ptx.shared_memory import MemoryOperand, SharedTile, addr
from avelang.ptx.types import Type, as_type

Shape = tuple[int, int, int]


def _registers(call: str, parts: Parts, given: dict[str, Any], want: Iterable[int]) -> list[list[Any]]:
    """The operands as lists. Raises T101 for another number of registers than the instruction takes."""
    out = []
    for (name, have), count in zip(given.items(), want, strict=False):
        out.append(list(have) if isinstance(have, (list, tuple)) else [have])
        if len(out[-1]) != count:
            raise wrong(
                "T101", what=f"{call}: {name} of {'.'.join(parts)}", allowed=f"{count} registers", got=len(out[-1])
            )
    return out


def _shape_word(shape: Shape) -> str:
    m, n, k = shape
    return f"m{m}n{n}k{k}"


def _type_names(**types: Any) -> list[str]:
    return [as_type(given, name).name for name, given in types.items()]


class MmaOps:
    """`ptx.mma`."""

    @staticmethod
    def sync(
        *, shape: Shape, d: Any, a: Any, b: Any, c: Any, dtype_a: Type, dtype_b: Type | None = None,
        dtype_d: Type = t.f32,
        dtype_c: Type | None = None, a_layout: str = "row", b_layout: str = "col", pred: Any = None,
    ) -> None:  # fmt: skip
        """`mma.sync.aligned`: D = A B + C of a warp. `shape`: (m, n, k). `d`, `a`, `b`, `c`: lists of registers; A and
        B hold packed elements in b32. Types of B, and of C, are those of A, and of D, where they are left out. Raises
        T101 for a shape or types that there are not."""
        dtype_b, dtype_c = dtype_b or dtype_a, dtype_c or dtype_d
        types = _type_names(dtype_d=dtype_d, dtype_a=dtype_a, dtype_b=dtype_b, dtype_c=dtype_c)
        parts = ("mma", "sync", "aligned", _shape_word(shape), a_layout, b_layout, *types)
        if not forms_of(parts):
            every = list(names(parts[:3], len(parts)))
            same = [".".join(x[3:]) for x in every if x[7:9] == parts[7:9]]
            known = ", ".join(same) or f"{', '.join(sorted({x[7] for x in every}))} as the type of A"
            raise wrong(
                "T101", "ptx.inst.mma has all forms of PTX", what="ptx.mma.sync", allowed=known, got=".".join(parts[3:])
            )
        emit(parts, *_registers("ptx.mma.sync", parts, {"d": d, "a": a, "b": b, "c": c}, counts(parts)), pred=pred)


def ldmatrix(d: Any, address: Any, *, trans: bool = False, pred: Any = None) -> None:
    """`ldmatrix`: 1, 2 or 4 matrices of 8 x 8 16-bit elements out of shared memory, one b32 register of `d` for each.
    Each lane names a row."""
    _matrix("ldmatrix", d, address, trans, pred)


def stmatrix(address: Any, d: Any, *, trans: bool = False, pred: Any = None) -> None:
    """`stmatrix`: the same into shared memory (sm_90)."""
    _matrix("stmatrix", d, address, trans, pred)


def _matrix(opcode: str, d: Any, address: Any, trans: bool, pred: Any) -> None:
    registers = list(d) if isinstance(d, (list, tuple)) else [d]
    parts = (opcode, "sync", "aligned", "m8n8", f"x{len(registers)}", *(("trans",) if trans else ()), "shared", "b16")
    if not forms_of(parts):
        *rest, last = dict.fromkeys(x[4][1:] for x in names(parts[:4], len(parts)))
        allowed = f"{', '.join(rest)} or {last}"
        raise wrong("T101", what=f"ptx.{opcode}: the number of registers", allowed=allowed, got=len(registers))
    place = address if isinstance(address, MemoryOperand) else addr(address)
    emit(parts, *([registers, place] if opcode == "ldmatrix" else [place, registers]), pred=pred)


# -- wgmma -------------------------------------------------------------------------------------------------------------


class WgmmaOps:
    """`ptx.wgmma`: products of a warpgroup, 128 threads (sm_90a)."""

    @staticmethod
    def mma_async(
        *, shape: Shape, d: Any, a: Any, b: Any, dtype_a: Type, dtype_b: Type | None = None, dtype_d: Type = t.f32,
        scale_d: Any = True,
        scale_a: int = 1, scale_b: int = 1, trans_a: int = 0, trans_b: int = 0,
    ) -> None:  # fmt: skip
        """`wgmma.mma_async`: D = A B + D, or A B where `scale_d` (a predicate, or a bool) is false. `shape`: (64, n,
        k). `a`: a descriptor (a u64 register), or 4 registers; `b`: a descriptor. `scale_a`, `scale_b`: 1, or -1 to
        negate. `trans_a`, `trans_b`: 1 where the operand in shared memory is M-major (N-major); 16-bit types only.
        Raises T101."""
        types = _type_names(dtype_d=dtype_d, dtype_a=dtype_a, dtype_b=dtype_b or dtype_a)
        parts = ("wgmma", "mma_async", "sync", "aligned", _shape_word(shape), *types)
        in_registers = isinstance(a, (list, tuple))
        found = next(((f, e) for f, e in forms_of(parts) if _a_in_registers(f.present(e)) == in_registers), None)
        if found is None:
            raise _no_wgmma(parts, in_registers)
        specs = found[0].present(found[1])
        want = [count_of(spec, found[1]) or 1 for spec in specs]
        out, *left = _registers("ptx.wgmma.mma_async", parts, {"d": d, **({"a": a} if in_registers else {})}, want)
        flags = _flags(specs, scale_a=scale_a, scale_b=scale_b, trans_a=trans_a, trans_b=trans_b)
        emit(parts, out, left[0] if left else a, b, _scale(scale_d), *flags)

    @staticmethod
    def descriptor(address: Any, *, swizzle: int | None = None, leading: int = 0, stride: int = 0) -> Reg:
        """A descriptor of an operand in shared memory, in a u64 register. `address`: a tile, a place, or a u32
        register. `swizzle`: bytes of the pattern; without it that of a tile that has one, else 128. `leading` and
        `stride` in bytes; 0 means 16, and 8 rows of the pattern, as boxes of tensor maps have them
        (`al.nvvm.wgmma_descriptor` says where elements stand). For a tile further along: add its byte offset / 16.
        Raises T101."""
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


def _a_in_registers(specs: Sequence[OperandSpec]) -> bool:
    """True for a form whose A is a list of registers, not a descriptor."""
    return bool(specs[1].count)


def _no_wgmma(parts: Parts, in_registers: bool) -> AveError:
    """T101 for types, or a shape, that `wgmma` does not have."""
    every = [
        x
        for x in names(parts[:4], len(parts))
        if any(_a_in_registers(f.present(e)) == in_registers for f, e in forms_of(x))
    ]
    same = [x[4] for x in every if x[5:] == parts[5:]]
    if not same:
        known = ", ".join(dict.fromkeys(".".join(x[5:]) for x in every))
        return wrong("T101", what="ptx.wgmma.mma_async", allowed=known, got=".".join(parts[5:]))
    (m, _, k), sizes = (re.findall(r"\d+", x) for x in (same[0], " ".join(x.split("n")[1].split("k")[0] for x in same)))
    allowed = f"({m}, n, {k}) with n one of {', '.join(sizes)}"
    return wrong("T101", what=f"ptx.wgmma.mma_async: the shape for {parts[6]}", allowed=allowed, got=parts[4])


def _flags(specs: Sequence[OperandSpec], **given: int) -> list[int]:
    """The constants behind the predicate: those that the form has. Raises T101 for others that are not left as they
    are."""
    signs = [spec for spec in specs if spec.values == ("1", "-1")]
    turns = [spec for spec in specs if spec.values == ("0", "1")]
    taken = ["scale_a", "scale_b"][: len(signs)] + ["trans_a", "trans_b"][2 - len(turns) :]
    for name, value in given.items():
        default = 1 if name.startswith("scale") else 0
        if name not in taken and value != default:
            raise wrong("T101", what=f"ptx.wgmma.mma_async: {name}", allowed=f"{default} for these operands", got=value)
    return [given[name] for name in taken]


mma, wgmma = MmaOps(), WgmmaOps()
