"""Matrix instructions of a warp that the host executes: `mma` of 4 bits and of one, of Blackwell's small floats with
scales of blocks, sparse `mma`, and `wmma`. Fragments follow the rule of `isa.nvptx.mma`; sums are those of
`isa.mma_reference`.

Of `wmma` the manual leaves open which lane holds which element; here elements go to the lanes in the order of rows,
and again from the first on where a fragment holds more than the matrix has. PTX ISA 9.0, 9.7.14.4 and 9.7.14.6,
"Sparse matrix storage"."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.ir.dtypes import BY_NAME
from avelang.isa.mma_reference import matmul
from avelang.isa.nvptx.mma import fragments
from avelang.isa.nvptx.tcgen05 import small_float
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.code import PtxReg, items_of
from avelang.sim.ptx.copies import in_shared
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.state import LANES, SHARED_BASE

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView

# Bits of an element in registers; small floats of kinds f8f6f4 and mxf8f6f4 have bytes.
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "f32": 32, "s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
    "e4m3": 8, "e5m2": 8, "e3m2": 8, "e2m3": 8, "e2m1": 8}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class _Bits:
    bits: int


@dataclasses.dataclass(frozen=True)
class _Element:
    """What the rule of fragments asks of a type."""

    dtype: _Bits


def _index(m: int, n_: int, k: int, bits: int, part: str) -> tuple[np.ndarray, np.ndarray]:
    """(row, column), each (lanes, slots), of a fragment of A, B or C."""
    f = getattr(fragments(m, n_, k, _Element(_Bits(bits))), part)  # type: ignore[arg-type]
    return f.index[1], f.index[2]


def _words(v: HostView, o: object) -> np.ndarray:
    """uint32 (lanes, registers)."""
    return np.stack([v.raw(r).astype(np.uint32) for r in items_of(o) if isinstance(r, PtxReg)], axis=1)


def _codes(words: np.ndarray, bits: int) -> np.ndarray:
    """The elements of registers as unsigned integers, (lanes, elements)."""
    if bits >= 8:
        return np.ascontiguousarray(words).view(f"u{bits // 8}")
    flat = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    flat = flat.reshape(len(words), -1, bits).astype(np.uint32)
    return (flat << np.arange(bits, dtype=np.uint32)).sum(-1)


def numbers(codes: np.ndarray, name: str, packed: bool = False) -> np.ndarray:
    """The numbers that codes stand for; `packed`: e2m1 in 4 bits, and not in the middle of a byte."""
    if name in ("s4", "s8"):
        width = 1 << BITS[name]
        return codes.astype(np.int64) - width * (codes >= width // 2)
    if name in ("u4", "u8", "b1"):
        return codes.astype(np.int64)
    if name == "tf32":
        return (codes.astype(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    if name == "bf16":
        return (codes.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if name in ("f16", "f32", "f64"):
        return np.ascontiguousarray(codes).view(BY_NAME[name].np)
    return small_float(name)[codes >> (2 if name == "e2m1" and not packed else 0) & 0xFF]


class MmaForm:
    """The words of an mma."""

    def __init__(self, v: HostView):
        self.v, parts = v, [p for p in v.i.parts if p not in ("mma", "sync", "aligned", "row", "col", "block_scale")]
        self.parts = parts
        shape = next((p for p in parts if re.fullmatch(r"m\d+n\d+k\d+", p)), "")
        self.m, self.n, self.k = (int(x) for x in re.findall(r"\d+", shape))
        kinds = [p for p in parts if p in BITS]
        self.d, self.a, self.b, self.c = kinds[0], kinds[1], kinds[2], kinds[3]
        self.sparse = any(p in ("sp", "sp::ordered_metadata") for p in parts)
        self.packed = any(p in ("kind::mxf4", "kind::mxf4nvf4") for p in parts)
        self.scaled = "block_scale" in v.i.parts
        self.saturate = "satfinite" in parts
        self.op = "xor" if "xor" in parts else "and" if "and" in parts else ""

    def bits(self, name: str) -> int:
        """Of an element in registers."""
        return 4 if self.packed else BITS[name]

    @property
    def size(self) -> int:
        """Scale factors to a row of A."""
        word = next((p for p in self.parts if p.startswith("scale_vec::")), "")
        return int(word[11]) if word else 2 if self.packed else 1


def mma(host: HostExecutor, v: HostView) -> None:
    """mma of forms that translated code does not have."""
    if v.i.parts[3] in ("m8n8k4",) and "f64" not in v.i.parts:
        raise NotExecuted("mma.m8n8k4 of f16, of sm_70, is not executed here")
    f = MmaForm(v)
    o = list(v.i.operands)
    half = 2 if f.sparse else 1
    row, col = _index(f.m, f.n, f.k // half, f.bits(f.a), "a")
    codes = _codes(_words(v, o[1]), f.bits(f.a))
    values = numbers(codes, f.a, f.packed)
    a = np.zeros((f.m, f.k // half), values.dtype)
    a[row, col] = values
    row, col = _index(f.m, f.n, f.k, f.bits(f.b), "b")
    values = numbers(_codes(_words(v, o[2]), f.bits(f.b)), f.b, f.packed)
    b = np.zeros((f.k, f.n), values.dtype)
    b[row, col] = values
    row, col = _index(f.m, f.n, 8, 32, "c")
    kind = {"s32": np.int32, "f16": np.float16, "f32": np.float32}[f.c]
    c = np.zeros((f.m, f.n), kind)
    c[row, col] = np.ascontiguousarray(_words(v, o[3])).view(kind).reshape(LANES, -1)
    rest = o[4:]
    if f.sparse:
        a = _spread(v, f, a, v.raw(rest[0]) if isinstance(rest[0], PtxReg) else v.get(rest[0]), v.one(rest[1]))
        rest = rest[2:]
    if f.scaled:
        a, b = _scaled(v, f, a, b, rest)
    out = _product(f, a, b, c)[row, col]
    with np.errstate(over="ignore"):
        out = np.ascontiguousarray(out.astype({"s32": np.int32, "f16": np.float16, "f32": np.float32}[f.d]))
    for k, r in enumerate(items_of(o[0])):
        v.set(r, out.view(np.uint32).reshape(LANES, -1)[:, k])


def _product(f: MmaForm, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    if c.dtype != np.int32:
        return matmul(a[None].astype(np.float32), b[None].astype(np.float32), c[None].astype(np.float32))[0]
    if f.op == "xor":  # how many bits differ
        out = a.sum(1, keepdims=True) + b.sum(0, keepdims=True) - 2 * (a @ b) + c.astype(np.int64)
    else:
        out = a @ b + c.astype(np.int64)
    return np.clip(out, -(1 << 31), (1 << 31) - 1) if f.saturate else out


def selected(f: Any, e: np.ndarray, selector: int) -> np.ndarray:
    """The column, of its two or four, to which each stored element of A belongs, int (m, k / 2), of the words `e` of
    the lanes. The threads of a quad that give metadata are one, two or all four. Of 16 and 32 bits each has 16 bits of
    its row, and of the one eight further down, of its part of K; of 8 bits 32 bits of one row, in turn of the upper and
    the lower one (as on an H200: tests/gpu/matrix_check.py)."""
    stored, width = f.k // 2, 4 if f.a == "tf32" else 2
    bytes_ = BITS[f.a] == 8
    per = (32 if bytes_ else 16) // width  # stored elements of a row in a thread's word
    threads = max(1, stored // per) * (2 if bytes_ else 1)
    out = np.zeros((f.m, stored), np.int64)
    for lane in range(LANES):
        group, t = lane // 4, lane % 4 - selector * threads
        if not 0 <= t < threads:
            continue
        parts = [(t % 2, t // 2, 0)] if bytes_ else [(0, t, 0), (1, t, 16)]
        for down, part, shift in parts:
            for i in range(per):
                out[group + 8 * down, part * per + i] = int(e[lane]) >> (shift + width * i) & (1 << width) - 1
    return out


def _spread(v: HostView, f: MmaForm, a: np.ndarray, e: np.ndarray, selector: int) -> np.ndarray:
    """A with zeros where nothing is stored."""
    if f.a in ("u4", "s4", "e2m1"):
        raise NotExecuted(f"sparse mma of {f.a} is not executed here")
    where, wide = selected(f, e.astype(np.int64), selector), np.zeros((f.m, f.k), a.dtype)
    row = np.arange(f.m)[:, None] + 0 * where
    if f.a == "tf32":  # 1 of 2, which 0b0100 and 0b1110 name
        column = 2 * np.arange(f.k // 2) + (where == 0b1110)
    else:
        column = 4 * (np.arange(f.k // 2) // 2) + where
        if (where[:, ::2] >= where[:, 1::2]).any() and "sp::ordered_metadata" in f.parts:
            raise HostMisuse("its metadata is not ordered: of two stored elements the first stands before the other")
    wide[row, column] = a
    return wide


def _scaled(v: HostView, f: MmaForm, a: np.ndarray, b: np.ndarray, rest: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """A and B times their scale factors. Of a quad, two threads hold those of A's rows `group` and `group` + 8, one
    those of B's columns (PTX ISA 9.0, 9.7.14.3, "Block scaling")."""
    name = "ue4m3" if "ue4m3" in f.parts else "ue8m0"
    out = []
    for x, rows, reg, ids in ((a, f.m, rest[0], rest[1]), (b.T, f.n, rest[2], rest[3])):
        byte, thread = (v.one(i) for i in items_of(ids))
        words = v.get(items_of(reg)[0])
        r = np.arange(rows)
        lane = 4 * (r % 8) + (2 * thread + r // 8 if rows == 16 else thread)
        factors = words[lane][:, None] >> (8 * (byte + np.arange(f.size))).astype(np.uint32) & np.uint32(0xFF)
        out.append(x * np.repeat(small_float(name)[factors], f.k // f.size, axis=1))
    return out[0], out[1].T


# -- wmma --------------------------------------------------------------------------------------------------------------


def _shape(v: HostView, which: str) -> tuple[int, int]:
    """(rows, columns) of a matrix."""
    m, n_, k = (int(x) for x in re.findall(r"\d+", next(p for p in v.i.parts if re.fullmatch(r"m\d+n\d+k\d+", p))))
    return {"a": (m, k), "b": (k, n_)}.get(which, (m, n_))


def _places(rows: int, columns: int, slots: int) -> np.ndarray:
    """The number of the element, row by row, in each slot of each lane."""
    return np.arange(LANES * slots).reshape(LANES, slots) % (rows * columns)


def _bytes_of(v: HostView, rows: int, columns: int, bits: int, mem: object, stride: object, write: bool) -> Any:
    """Views of the lines of a matrix in memory (rows, or columns where it is column-major), and whether it is."""
    turned = "col" in v.i.parts
    lines, length = (columns, rows) if turned else (rows, columns)
    apart = v.one(stride) if stride is not None else length
    if apart * bits % 128 and bits < 64 or apart < length and lines > 1:
        raise HostMisuse(
            f"lines {apart} elements apart: the stride is a multiple of 16 bytes, and no less than {length}"
        )
    address = int(v.address(mem)[v.lanes[0]])
    if any(p.startswith("shared") for p in v.i.parts) and address >> 60 != SHARED_BASE >> 60:
        address = in_shared(v.block, 0) | address & 0xFFFFFF
    step, size = apart * bits // 8, length * bits // 8
    return [v.place(v.lanes[0], address + k * step, size, write) for k in range(lines)], turned


def _log(v: HostView, views: list[np.ndarray], write: bool) -> None:
    """A launch that is watched learns of accesses to memory."""
    if v.run.watch is None:
        return
    w, base = v.run.watch.warps[v.warp], v.block.shared.ctypes.data
    for x in views:
        at = x.ctypes.data + np.arange(x.nbytes)
        inside = base <= x.ctypes.data < base + v.block.size
        v.run.watch.memory.flight(w, v.i.index, w.agent, w.count, (v.block, at - base) if inside else (None, at), write,
            False)  # fmt: skip


def _load(host: HostExecutor, v: HostView) -> None:
    which, name = v.i.parts[2], v.i.parts[-1]
    rows, columns = _shape(v, which)
    bits, o = BITS[name], list(v.i.operands)
    views, turned = _bytes_of(v, rows, columns, bits, o[1], o[2] if len(o) > 2 else None, False)
    _log(v, views, False)
    raw = np.stack([np.array(x) for x in views])
    if bits < 8:
        codes = np.unpackbits(raw, axis=1, bitorder="little").reshape(len(views), -1, bits)
    else:
        codes = raw.reshape(len(views), -1, bits // 8)
    whole = codes.transpose(1, 0, 2) if turned else codes
    flat = whole.reshape(rows * columns, -1)
    regs = items_of(o[0])
    width = regs[0].bits
    slots = width * len(regs) // bits
    picked = flat[_places(rows, columns, slots)]
    packed = (
        np.packbits(picked.reshape(LANES, -1), axis=1, bitorder="little") if bits < 8 else picked.reshape(LANES, -1)
    )
    data = np.ascontiguousarray(packed).view(f"u{width // 8}")
    for k, r in enumerate(regs):
        v.set(r, data[:, k])


def _matrix(v: HostView, o: object, rows: int, columns: int, bits: int) -> np.ndarray:
    """The codes of a matrix in a fragment, (rows, columns)."""
    regs = items_of(o)
    wide = np.stack([v.raw(r) for r in regs], axis=1)
    codes = _codes(wide, bits) if bits < 8 else np.ascontiguousarray(wide).view(f"u{bits // 8}")
    out = np.zeros(rows * columns, codes.dtype)
    out[_places(rows, columns, codes.shape[1])] = codes
    return out.reshape(rows, columns)


def _store(host: HostExecutor, v: HostView) -> None:
    rows, columns = _shape(v, "d")
    bits, o = BITS[v.i.parts[-1]], list(v.i.operands)
    codes = _matrix(v, o[1], rows, columns, bits)
    views, turned = _bytes_of(v, rows, columns, bits, o[0], o[2] if len(o) > 2 else None, True)
    _log(v, views, True)
    lines = np.ascontiguousarray(codes.T if turned else codes)
    for view, line in zip(views, lines, strict=True):
        view[:] = line.view(np.uint8)


def _wmma(host: HostExecutor, v: HostView) -> None:
    kinds = [p for p in v.i.parts if p in BITS]
    if len(kinds) == 2:  # D and C, of f16
        d, a, c = kinds[0], "f16", kinds[1]
    else:
        d, a, c = kinds[0], kinds[1], kinds[3]
    o = v.i.operands
    left, right = (numbers(_matrix(v, x, *_shape(v, w), BITS[a]), a) for x, w in ((o[1], "a"), (o[2], "b")))
    kind = {"s32": np.int32, "f16": np.float16, "f32": np.float32, "f64": np.float64}
    acc = np.ascontiguousarray(_matrix(v, o[3], *_shape(v, "c"), BITS[c])).view(kind[c])
    if a == "f64":
        out = matmul(left[None], right[None], acc[None])[0]
    else:
        form: Any = dataclasses.make_dataclass("Words", ["op", "saturate"])(
            "xor" if "xor" in v.i.parts else "and" if "and" in v.i.parts else "", "satfinite" in v.i.parts)  # fmt: skip
        out = _product(form, left, right, acc)
    out = np.ascontiguousarray(out.astype(kind[d])).reshape(-1)
    regs = items_of(o[0])
    data = np.ascontiguousarray(out[_places(*_shape(v, "d"), regs[0].bits * len(regs) // BITS[d])])
    words = data.view(f"u{regs[0].bits // 8}").reshape(LANES, -1)
    for k, r in enumerate(regs):
        v.set(r, words[:, k])


TABLE: dict[str, Callable[[HostExecutor, HostView], None]] = {
    "mma.sp": mma,
    "mma.sp::ordered_metadata": mma,
    "wmma.load": _load,
    "wmma.store": _store,
    "wmma.mma": _wmma,
}
