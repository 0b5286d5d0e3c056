"""Rows of `wgmma`: matrix products of a warpgroup (four warps, 128 threads), with B, and A if wanted, in shared memory.

D is 64 x N: warp w has rows 16 w to 16 w + 15, so each warp computes from its own rows of A and all of B. N follows
from the accumulator, which has N / 2 elements a lane. Operands in shared memory are named by 64-bit descriptors (PTX
ISA 9.0, 9.7.15.5.1.2): start address, leading and stride byte offset (all in units of 16 bytes), swizzle. With i
counting along M or N, j along K, T elements to 16 bytes and S bytes of swizzle, an element stands at
    K-major, no swizzle     16 (i % 8) + stride (i / 8) + leading (j / T) + bytes (j % T)
    K-major, swizzle S      S (i % 8) + stride (i / 8) + bytes j
    MN-major, no swizzle    16 (j % 8) + leading (j / 8) + stride (i / T) + bytes (i % T)
    MN-major, swizzle S     S (j % 8) + stride (j / 8) + leading (i / (S / bytes)) + bytes (i % (S / bytes))
from the start on, and that address is swizzled.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, bf16, f8e4m3fn, f8e5m2, f16, f32, i8, i32, i64, u8, u16, u32, u64
from avelang.ir.types import SHARED, Type, VecType
from avelang.isa.asm import Asm
from avelang.isa.fragments import Fragment, Mma
from avelang.isa.lowering_helpers import pointer, shared_base, shared_offset
from avelang.isa.mma_reference import matmul
from avelang.isa.nvptx.copy_async import nothing
from avelang.isa.nvptx.mma import BF16, F16, FP8, INT8, LANES, TF32, MmaOperand, fragments
from avelang.isa.nvptx.swizzle import DESCRIPTOR, expand_swizzled, swizzled
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.isa.wave_protocol import Machine, Waiting

SM_90A = frozenset({"sm_90a"})
SECTION = "PTX ISA 9.0, 9.7.15.5"
M, ROWS, WARPS = 64, 16, 4
SIZES = tuple(range(8, 257, 8))
INT_SIZES = (8, 16, 24, *range(32, 257, 16))  # PTX ISA 9.0, 9.7.15.2, "Matrix shape"
PATTERNS = {mode: pattern for pattern, mode in DESCRIPTOR.items()}
FIELD = (1 << 14) - 1


@dataclasses.dataclass(frozen=True, slots=True)
class WgmmaForm:
    """One instruction for all N: types of A, B and D, K, and whether A is in registers."""

    a: MmaOperand
    b: MmaOperand
    d: DType
    k: int
    registers: bool

    @property
    def name(self) -> str:
        """The name of its row."""
        types = self.a.name if self.a is self.b else f"{self.a.name}_{self.b.name}"
        return f"wgmma_{types}_{self.d}{'_rs' * self.registers}"

    @property
    def turns(self) -> bool:
        """True if operands in shared memory may be MN-major: those of 16 bits."""
        return self.a.dtype.bits == 16

    @property
    def signed(self) -> bool:
        """True if A and B may be negated: all but integers."""
        return self.a.dtype.is_float

    @property
    def accumulators(self) -> tuple[Type, ...]:
        """The types of the accumulator, one for each N."""
        return tuple(VecType(self.d, n // 2) for n in (SIZES if self.signed else INT_SIZES))

    @property
    def tile(self) -> Mma:
        """The maps of a warp's 16 x 8 x K piece, which `mma.sync` has too."""
        return fragments(ROWS, 8, self.k, self.a)


def d_fragment(n: int) -> Fragment:
    """The map of D and of the accumulator: 128 lanes, N / 2 slots (PTX ISA 9.0, 9.7.15.5.1.1.2)."""
    return Fragment(WARPS * LANES, n // 2, (1, M, n), lambda lane,
        i: (0, ROWS * (lane // LANES) + lane % LANES // 4 + 8 * (i // 2 % 2), 8 * (i // 4) + 2 * (lane % 4) + i % 2))


def a_fragment(form: WgmmaForm) -> Fragment:
    """The map of A in registers: that of `mma.sync`, for each warp its 16 rows."""
    part = form.tile.a

    def place(lane: np.ndarray, i: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        _, row, col = part.map(lane % LANES, i)
        return 0, row + ROWS * (lane // LANES), col

    return Fragment(WARPS * LANES, part.slots, (1, M, form.k), place)


# -- descriptors -------------------------------------------------------------------------------------------------------


def descriptor(address: int, leading: int, stride: int, pattern: int) -> int:
    """The descriptor of an operand that starts at an address of shared memory; offsets in bytes, `pattern` bytes of
    swizzle."""
    return ((address >> 4 & FIELD) | (leading >> 4 & FIELD) << 16 | (stride >> 4 & FIELD) << 32
        | DESCRIPTOR[pattern] << 62)


def _steps(leading: Any, stride: Any, pattern: int, turned: bool, size: int) -> tuple[tuple[int, Any, Any],
        tuple[int, Any, Any]]:
    """How far elements stand apart along i and along j: (elements of a run, bytes within a run, bytes from run to
    run)."""
    piece = 16 // size
    if turned:
        return (((pattern // size, size, leading), (8, pattern, stride)) if pattern
            else ((piece, size, stride), (8, 16, leading)))
    return ((8, pattern, stride) if pattern else (8, 16, stride),
        ((1 << 20, size, 0) if pattern else (piece, size, leading)))


def element_addresses(desc: int, rows: np.ndarray, cols: np.ndarray, turned: bool, size: int) -> np.ndarray:
    """int64: where elements (i, j) of an operand stand in shared memory; `turned`: it is MN-major; `size` bytes
    each."""
    start, leading, stride = ((desc >> shift & FIELD) << 4 for shift in (0, 16, 32))
    pattern = PATTERNS[desc >> 62 & 3]
    at = np.full(rows.shape, start, np.int64)
    for index, (run, within, between) in zip((rows, cols), _steps(leading, stride, pattern, turned, size), strict=True):
        at = at + index % run * within + index // run * between
    return swizzled(at, pattern)


def _descriptor_semantics(wave: Machine, tile: TensorRef, swizzle: int, leading: int, stride: int) -> np.ndarray:
    high = descriptor(0, leading or 16, stride or 8 * (swizzle or 16), swizzle)
    return (tile.address >> np.uint64(4) & np.uint64(FIELD)) | np.uint64(high)


def _descriptor_lower(b: Builder, tile: Value, swizzle: int, leading: int, stride: int) -> Value:
    high = descriptor(0, leading or 16, stride or 8 * (swizzle or 16), swizzle)
    start = b.and_(b.shr(b.convert(shared_offset(b, pointer(b, tile)), u64), b.const(4, u64)), b.const(FIELD, u64))
    return b.or_(start, b.const(high, u64))


register(Row("nvvm.wgmma_descriptor", (Param("tile", "tensor", "in shared memory; begins where the operand does, a "
    "multiple of 16 bytes", spaces=(SHARED,)),
    Param("swizzle", "const", "bytes of the swizzle's pattern", range=(0, 128), choices=(0, 32, 64, 128), default=128),
    Param("leading", "const", "leading byte offset, a multiple of 16; 0 means 16", range=(0, FIELD << 4), default=0),
    Param("stride", "const", "stride byte offset, a multiple of 16; 0 means 8 rows of the pattern, as boxes of tensor "
    "maps have them", range=(0, FIELD << 4), default=0)), u64, "The descriptor of a matrix operand in shared memory. "
    "With T elements to 16 bytes, an element stands, from the tile's start on and " "before the swizzle of S "
    "bytes, along M or N (i) and K (j): K-major at S (i % 8) + stride (i / 8) + bytes j (unswizzled: 16 (i % 8) + "
    "stride (i / 8) + leading (j / " "T) + bytes " "(j % T)); MN-major at S (j % 8) + stride (j / 8) + leading (i / (S "
    "/ bytes)) + bytes (i % (S / bytes)) (unswizzled: 16 (j % 8) + leading (j " "/ 8) + stride "
    "(i / T) + bytes (i % T)). Patterns begin at multiples of 8 S bytes. A tile further along K: add its byte offset / "
    "16.", f"{SECTION}.1.2.2, matrix descriptor", SM_90A, _descriptor_semantics, lower=_descriptor_lower))  # fmt: skip

# -- meaning -----------------------------------------------------------------------------------------------------------


def _operand(wave: Machine, form: MmaOperand, desc: np.ndarray, rows: int, k: int, turned: int) -> tuple[np.ndarray,
        np.ndarray]:
    """(rows, k) of an operand in shared memory, and int64 (rows, bytes) where they stand."""
    word, size = int(desc[0]), form.dtype.bytes
    if word >> 49 & 7:
        raise wave.wrong(0, "a descriptor with a base offset: begin the pattern at a multiple of its size")
    i, j = np.meshgrid(np.arange(rows), np.arange(k), indexing="ij")
    at = element_addresses(word, i.reshape(-1), j.reshape(-1), bool(turned), size)
    data = wave.fetch(SHARED, at, size).reshape(-1).view(form.dtype.np).reshape(rows, k)
    return data, (at[:, None] + np.arange(size)).reshape(rows, -1)


def _exact(x: np.ndarray, operand: MmaOperand, sign: int) -> np.ndarray:
    if operand is TF32:
        x = (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return -x if sign else x


def _semantics(form: WgmmaForm) -> Callable[..., Waiting]:
    tile = form.tile

    def semantics(wave: Machine, a: Any, b: np.ndarray, c: Any, scale: np.ndarray, *flags: int) -> Waiting:
        named = {p.name: x for p, x in zip(_flags(form), flags, strict=True)}
        shared = (b,) if form.registers else (a, b)
        for what in (*shared, scale):
            if (what != what[0]).any():
                raise wave.wrong(int((what != what[0]).argmax()), "descriptors and scale_d must be the same in all "
                    "lanes")
        together = yield from wave.meet(tuple(int(x[0]) for x in (*shared, scale)))
        held = wave.products.fragment(a, 0) if form.registers else None
        first = wave.products.accumulator(c, form.name, 0)
        n, mine = 2 * first.shape[1], slice(ROWS * (wave.warp() % WARPS), ROWS * (wave.warp() % WARPS + 1))
        # Memory is read once, for all four warps.
        if "b" not in together:
            together["b"] = _operand(wave, form.b, b, n, form.k, named.get("trans_b", 0))
            nothing_there = np.zeros((M, 0)), np.zeros((M, 0), np.int64)
            together["a"] = nothing_there if form.registers else _operand(wave, form.a, a, M, form.k,
                named.get("trans_a", 0))
        (rows, rows_at), (right, right_at) = together["a"], together["b"]
        left = rows[mine] if held is None else tile.a.scatter(held.reshape(LANES, -1))[0]
        left, right = _exact(left, form.a, named.get("neg_a", 0)), _exact(right, form.b, named.get("neg_b", 0))
        _, row, col = (x[:LANES] for x in d_fragment(n).index)
        acc = np.zeros((1, ROWS, n), first.dtype)
        if int(scale[0]):
            acc[0, row, col] = first
        used, own = (np.concatenate([x.reshape(-1), right_at.reshape(-1)]) for x in (rows_at, rows_at[mine]))
        return wave.multiply(together, matmul(left[None], right.T[None], acc)[0, row, col], form.name, used, own)

    return semantics


# -- expansion ---------------------------------------------------------------------------------------------------------


def _mode(desc: Value) -> int | None:
    """The swizzle mode of a descriptor that `wgmma_descriptor` has made here, moved along or not; None where it comes
    from elsewhere."""
    while desc.op is not None and desc.op.name in ("add", "sub"):
        desc = desc.op.operands[0]
    high = desc.op.operands[1].op if desc.op is not None and desc.op.name == "or" else None
    return high.attrs["value"] >> 62 & 3 if high is not None and high.name == "const" else None


class _SharedOperand:
    """Loads of a warp's fragments from an operand in shared memory."""

    def __init__(self, b: Builder, operand: MmaOperand, desc: Value, turned: int):
        self.b, self.d, self.turned = b, operand.dtype, bool(turned)
        fields = [b.shl(b.and_(b.shr(desc, b.const(s, u64)), b.const(FIELD, u64)), b.const(4, u64))
            for s in (0, 16, 32)]
        self.start, self.leading, self.stride = (b.convert(x, i64) for x in fields)
        self.mode = b.and_(b.shr(desc, b.const(62, u64)), b.const(3, u64))
        self.known = _mode(desc)
        self.base = shared_base(b)

    def address(self, i: Value, j: Value) -> Value:
        """The byte offset in shared memory of element (i, j), both i64: the descriptor's pattern decides while the
        kernel runs."""
        b, found = self.b, None
        for mode, pattern in PATTERNS.items():
            if self.known not in (None, mode):
                continue
            at = self.start
            for index, (run, within, between) in zip((i, j),
                    _steps(self.leading, self.stride, pattern, self.turned, self.d.bytes), strict=True):
                inner = index if run == 1 << 20 else b.and_(index, b.const(run - 1, i64))
                at = b.add(at, b.mul(inner, b.const(within, i64)))
                if isinstance(between, Value):
                    at = b.add(at, b.mul(b.shr(index, b.const(run.bit_length() - 1, i64)), between))
            at = expand_swizzled(b, at, pattern)
            found = at if found is None else b.select(b.cmp("eq", self.mode, b.const(mode, u64)), at, found)
        assert found is not None
        return found

    def word(self, i: Value, j: Value) -> Value:
        """An i32 of consecutive elements along K from (i, j) on."""
        b = self.b
        if not self.turned:
            return b.ld(self.base, self.address(i, j), i32, 4)
        halves = [b.ld(self.base, self.address(i, b.add(j, b.const(s, i64))), u16, 2) for s in (0, 1)]
        return b.bitcast(b.vec(halves), i32)


def _warp(b: Builder) -> Value:
    """i64: the warp's number in its warpgroup."""
    def at(name: str, dim: int) -> Value:
        return b.emit(name, (), (u32,), dim=dim).result

    thread = at("thread_id", 2)
    for dim in (1, 0):
        thread = b.add(b.mul(thread, at("block_dim", dim)), at("thread_id", dim))
    return b.convert(b.and_(b.shr(thread, b.const(5)), b.const(WARPS - 1)), i64)


def _lower(form: WgmmaForm) -> Callable[..., Value]:
    types = form.a.name if form.a is form.b else f"{form.a.name}_{form.b.name}"
    name, tile = f"nvvm.mma_{ROWS}x8x{form.k}_{types}_{form.d}", form.tile
    per = max(1, 32 // form.a.dtype.bits)

    def lower(b: Builder, a: Value, bdesc: Value, c: Value, scale: Value, *flags: int) -> Value:
        named = {p.name: x for p, x in zip(_flags(form), flags, strict=True)}
        lane = b.convert(b.lane_id(), i64)
        group, first = b.shr(lane, b.const(2, i64)), b.mul(b.and_(lane, b.const(3, i64)), b.const(per, i64))

        def fragment(words: list[Value], t: Type, negate: str) -> Value:
            value = b.bitcast(b.vec(words), t)
            return b.same("neg", value) if named.get(negate) else value

        if form.registers:
            left = b.same("neg", a) if named.get("neg_a") else a
        else:
            rows = _SharedOperand(b, form.a, a, named.get("trans_a", 0))
            top = b.add(b.mul(_warp(b), b.const(ROWS, i64)), group)
            places = [(b.add(top, b.const(8 * (r % 2), i64)), b.add(first, b.const(4 * per * (r // 2), i64)))
                for r in range(tile.a.slots // per)]
            left = fragment([rows.word(i, j) for i, j in places], VecType(form.a.dtype, tile.a.slots), "neg_a")
        columns = _SharedOperand(b, form.b, bdesc, named.get("trans_b", 0))
        t = c.type
        assert isinstance(t, VecType)
        c = b.select(b.cmp("ne", scale, b.const(0)), c, b.const(0, t))
        out: list[Value] = []
        for n in range(t.n // 4):
            i = b.add(group, b.const(8 * n, i64))
            words = [columns.word(i, b.add(first, b.const(4 * per * r, i64))) for r in range(tile.b.slots // per)]
            right = fragment(words, VecType(form.b.dtype, tile.b.slots), "neg_b")
            acc = b.slice(c, 4 * n, 4) if t.n > 4 else c
            d = b.emit(name, (left, right, acc), (acc.type,)).result
            out += [b.extract(d, k) for k in range(4)]
        return b.vec(out)

    return lower


# -- rows --------------------------------------------------------------------------------------------------------------


@functools.cache
def _flags(form: WgmmaForm) -> tuple[Param, ...]:
    out = ([Param(f"neg_{x}", "const", f"1: with {x.upper()} negated", range=(0, 1), default=0) for x in "ab"]
        if form.signed else [])
    names = [("a", "M")] * (not form.registers) + [("b", "N")] if form.turns else []
    out += [Param(f"trans_{x}", "const", f"1: {x.upper()} is {m}-major in shared memory", range=(0, 1), default=0)
        for x, m in names]
    return tuple(out)


def _text(form: WgmmaForm) -> Callable[[Mapping[str, Any]], str]:
    d = "s32" if form.d == i32 else form.d.name

    def text(attrs: Mapping[str, Any]) -> str:
        numbers = [str(-1 if attrs[p.name] else 1) if p.name.startswith("neg") else str(attrs[p.name])
            for p in _flags(form)]
        a = "<a*>" if form.registers else "<a>"
        name = f"wgmma.mma_async.sync.aligned.m64n{2 * attrs['c'].n}k{form.k}.{d}.{form.a.ptx}.{form.b.ptx}"
        return (f"{{ .reg .pred p; setp.ne.b32 p, <scale_d>, 0; {name} "
            f"{', '.join(['<out*>', a, '<b>', 'p', *numbers])}; }}")

    return text


def _row(form: WgmmaForm) -> Row:
    how = "A in registers" if form.registers else "A in shared memory"
    desc = "a descriptor, as wgmma_descriptor makes it; the same in all threads"
    left = Param("a", u64, desc)
    if form.registers:
        left = Param("a", VecType(form.a.dtype, form.tile.a.slots), f"the lane's part of A, 64 x {form.k}", packed=True,
            held=True)
    note = " The low 13 bits of the elements of A and B are ignored." if form.a is TF32 else ""
    return Row(f"nvvm.{form.name}", (left, Param("b", u64, desc),
        Param("c", form.accumulators, "the lane's part of the accumulator, 64 x N: N / 2 elements", held=True),
        Param("scale_d", u32, "0: D = A B, without the accumulator; the same in all threads", default=1),
        *_flags(form)), "c", f"D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x "
        f"{form.k} of {form.a.name}, B {form.k} x N of " f"{form.b.name}, C and D " f"64 x N of {form.d}; {how}, B in "
        f"shared memory. N is twice the number of the accumulator's elements: 8 to 256.{note} D may be used once "
        "wgmma_wait_acc has given it back.", f"{SECTION}.2, wgmma.mma_async", SM_90A, _semantics(form),
        frozenset({"read", "convergent"}), _lower(form),
        llvm={"nvptx": Asm(_text(form), tied="c", words=frozenset({"a"}) if form.registers else frozenset())})


FORMS: tuple[WgmmaForm, ...] = tuple(WgmmaForm(a, b, d, k, registers) for pairs, accumulators,
    k in ((((F16, F16),), (f16, f32), 16), (((BF16, BF16),), (f32,), 16), (((TF32, TF32),), (f32,), 8),
    (FP8, (f16, f32), 32), (INT8, (i32,), 32)) for a, b in pairs for d in accumulators for registers in (False, True))
for _form in FORMS:
    register(_row(_form))


def _fence(wave: Machine) -> None:
    wave.products.fence()


def _fence_acc(wave: Machine, acc: Any) -> Any:
    wave.products.fence(acc)
    return wave.products.passed(acc)


def _commit(wave: Machine) -> None:
    wave.products.commit()


def _wait_group(wave: Machine, pending: int) -> None:
    wave.wait_products(pending)


def _wait_acc(wave: Machine, acc: Any, pending: int) -> Any:
    wave.wait_products(pending)
    return wave.products.given(acc)


_HELD: tuple[Type, ...] = tuple(dict.fromkeys([
    *(t for d in (f32, f16, i32) for t in (VecType(d, n // 2) for n in SIZES)),
    *(VecType(d, 8) for d in (f16, bf16)), *(VecType(d, 16) for d in (i8, u8, f8e4m3fn, f8e5m2)),
]))  # fmt: skip
_ACC = Param("acc", _HELD, "an accumulator, or A in registers", held=True)
_PENDING = Param("pending", "const", "how many of the newest groups need not be complete", range=(0, 7))
_ORDER = frozenset({"read", "write", "sync", "convergent"})
for _name, _params, _result, _meaning_, _doc, _ptx in (("fence", (), None, _fence, "Orders accesses to registers and "
        "shared memory before the wgmma that follow: needed before the first, and when " "registers have changed.",
        "wgmma.fence.sync.aligned;"), ("fence_acc", (_ACC,), "acc", _fence_acc, "The accumulator (or A in registers) "
        "behind a wgmma_fence: what has been computed of it is in " "registers before.", "wgmma.fence.sync.aligned;"),
        ("commit_group", (), None, _commit, "The wgmma since the last group make up one more group.",
        "wgmma.commit_group.sync.aligned;"),
        ("wait_group", (_PENDING,), None, _wait_group, "Waits until all groups of wgmma but the newest `pending` are "
        "complete.", "wgmma.wait_group.sync.aligned <pending>;"),
        ("wait_acc", (_ACC, _PENDING), "acc", _wait_acc, "The accumulator once all groups of wgmma but the newest "
        "`pending` are complete.", "wgmma.wait_group.sync.aligned <pending>;")):  # fmt: skip
    register(Row(f"nvvm.wgmma_{_name}", _params, _result, f"{_doc} All warps of the warpgroup execute " f"it.",
        f"{SECTION}.{'7' if 'fence' in _name else '8'}, {_ptx.split('.sync')[0]}", SM_90A, _meaning_, _ORDER,
        (lambda b, acc, *_: acc) if _result else nothing, llvm={"nvptx": Asm(_ptx, tied="acc" if _result else "")}))
