"""One rule for each op of the IR, for lanes: the op comes in, its LLVM value goes out. Control flow is in `simt_flow`,
intrinsics in the targets."""

from __future__ import annotations

from collections.abc import Callable

from avelang.emit.llvm import arithmetic, simt_memory
from avelang.emit.llvm.simt import BINARY16, Simt
from avelang.emit.llvm.simt_atomics import emit_atomic, emit_fence
from avelang.emit.llvm.simt_check import emit_check
from avelang.emit.llvm.simt_printf import emit_printf
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import DType, f32, f64
from avelang.ir.functions import EXACT, EXPANDED, FUNCTIONS
from avelang.ir.types import PtrType, Type, VecType, dtype_of, with_dtype
from avelang.llvm.literals import elem, literal
from avelang.llvm.narrow_floats import odd_fma, round_to_odd, widen

Rule = Callable[[Simt, Op], "str | None"]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers the function as the rule of ops."""

    def add(f: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, f))
        return f

    return add


@rule("const")
def _const(w: Simt, op: Op) -> str:
    t, value = op.result.type, op.attrs["value"]
    d = dtype_of(t)
    if not isinstance(t, VecType):
        return literal(value, d)
    items = [literal(x, d) for x in (value if isinstance(value, tuple) else (value,) * t.n)]
    return "<" + ", ".join(f"{elem(d)} {x}" for x in items) + ">"


# -- arithmetic --------------------------------------------------------------------------------------------------------

_OWN16 = {
    "fma": "fma",
    "min": "minimumnum",
    "max": "maximumnum",
}  # what machines with arithmetic on 16-bit floats do in one instruction
_LONGEST16 = 16  # elements of a vector of 16-bit floats whose extremes LLVM 22 finds on AMD: for more it has no code
_DIVISIONS = frozenset({"div", "rem", "floordiv", "mod"})


def arith(w: Simt, name: str, t: Type, *xs: str) -> str:
    """Any op whose operands and result have one type."""
    d, view, wide = dtype_of(t), w.view(t), isinstance(t, VecType)
    one_by_one = (name in _DIVISIONS and (d.is_int or name != "div")) or name in EXPANDED
    if isinstance(t, VecType) and one_by_one:
        e = w.type(t)
        items = [[w.op(f"extractelement {e} {x}, i64 {i}") for i in range(t.n)] for x in xs]
        return w.vector([arith(w, name, d, *part) for part in zip(*items, strict=True)], elem(d))
    if d.is_float and d.bits < 32:
        return _narrow_arith(w, name, t, *xs)
    if name in EXPANDED:
        rule = w.target.function(name) if d == f32 else None
        if rule is not None:
            return rule(w, d, xs[0])
        if name != "rsqrt":
            raise w.refuse()
    return arithmetic.arith(view, name, d, wide, *xs)


def _or_by_words(w: Simt, t: Type, uniform: bool, a: str, b: str) -> str:
    """The bitwise or of numbers of 64 bits, of a word at a time. LLVM would put the words together again where it saw
    them."""
    if isinstance(t, VecType):
        pairs = ([w.op(f"extractelement {w.type(t)} {x}, i64 {i}") for x in (a, b)] for i in range(t.n))
        return w.vector([_or_by_words(w, t.dtype, uniform, *pair) for pair in pairs], "i64")

    def word(cut: str) -> str:
        first, second = (w.op(f"trunc i64 {w.op(f'lshr i64 {x}, {cut}')} to i32") for x in (a, b))
        hidden = w.target.unseen(w, "i32", w.op(f"or i32 {first}, {second}"))
        return w.op(f"zext i32 {w.target.first(w, hidden) if uniform else hidden} to i64")

    low, high = word("0"), word("32")
    high = w.op(f"shl i64 {high}, 32")
    return w.op(f"or disjoint i64 {low}, {high}")


def _narrow_arith(w: Simt, name: str, t: Type, *xs: str) -> str:
    """On floats below 32 bits: in f32, rounded once; LLVM finds the f16 instruction where that is the same."""
    d, view, wide, held = dtype_of(t), w.view(t), isinstance(t, VecType), w.type(t)
    if d.bits == 16 and name in ("neg", "abs"):
        how, mask = ("xor", -(1 << 15)) if name == "neg" else ("and", (1 << 15) - 1)
        return w.op(f"{how} {held} {xs[0]}, {view.splat(str(mask), elem(d)) if wide else mask}")
    if isinstance(t, VecType) and t.n > _LONGEST16 and name in ("min", "max"):
        parts = (range(i, min(i + _LONGEST16, t.n)) for i in range(0, t.n, _LONGEST16))
        return w.vector([x for part in parts for x in _piece(w, name, t, part, xs)], elem(d))
    if name in _OWN16 and d.name in w.target.native_fma:
        # Rounded once, or not at all.
        half = view.t(BINARY16[d.name], wide)
        args = ((half, w.bitcast(x, held, half)) for x in xs)
        return w.bitcast(w.call(view.overload(_OWN16[name], BINARY16[d.name], wide), half, *args), half, held)
    if name == "mul" and w.target.adds_to_products and d.name == "f16":
        # In f32 LLVM would see through an operand that was an integer or a constant, and be left with a product to add
        # +0 to.
        half = view.t("half", wide)
        a, c = (w.bitcast(x, held, half) for x in xs)
        return w.bitcast(w.op(f"fmul {half} {a}, {c}"), half, held)
    if name != "fma":
        x = arith(w, name, with_dtype(t, f32), *(single(w, t, x) for x in xs))
        return narrow(w, t, x if name in _NO_PRODUCT else fenced(w, t, x))
    doubles = (arithmetic.convert(view, f32, f64, wide, single(w, t, x)) for x in xs)
    total = odd_fma(view, wide, *doubles) if d.name == "bf16" else arith(w, "fma", with_dtype(t, f64), *doubles)
    return narrow(w, t, round_to_odd(view, wide, total))


def _piece(w: Simt, name: str, t: VecType, part: range, xs: tuple[str, ...]) -> list[str]:
    """The elements of an op on a part of vectors."""
    own, held, places = VecType(t.dtype, len(part)), w.type(t), ", ".join(f"i32 {i}" for i in part)
    cut = (w.op(f"shufflevector {held} {x}, {held} poison, <{len(part)} x i32> <{places}>") for x in xs)
    made = arith(w, name, own, *cut)
    return [w.op(f"extractelement {w.type(own)} {made}, i64 {i}") for i in range(len(part))]


def single(w: Simt, t: Type, x: str) -> str:
    """A float of at most 32 bits (or a vector of them) as f32."""
    own = w.target.widen(w, t, x) if dtype_of(t).bits == 8 else None
    return own if own is not None else widen(w.view(t), dtype_of(t), isinstance(t, VecType), x)


def narrow(w: Simt, t: Type, x: str) -> str:
    """An f32 (or a vector of them) rounded to the dtype of `t`."""
    d, view, wide = dtype_of(t), w.view(t), isinstance(t, VecType)
    own = w.target.narrow(w, t, x) if d.bits == 8 else None
    if own is not None:
        return own
    if d.name not in w.target.native_narrow:
        return arithmetic.narrow(view, d, wide, x)
    e = view.t(BINARY16[d.name], wide)
    rounded = w.op(f"fptrunc {view.t('float', wide)} {x} to {e}")
    return w.op(f"bitcast {e} {rounded} to {w.type(t)}")


@rule(
    "add", "sub", "mul", "div", "rem", "floordiv", "mod", "and", "or", "xor", "shl", "shr", "min", "max", "not", "neg",
    "fma", *FUNCTIONS,
)  # fmt: skip
def _arith(w: Simt, op: Op) -> str:
    t, xs = op.result.type, [w.value(v) for v in op.operands]
    if op.name == "or" and w.target.or_by_words and dtype_of(t).bits == 64:
        return _or_by_words(w, t, op.result.uniform, *xs)
    text = arith(w, op.name, t, *xs)
    lifted = op.result.uniform and not all(v.uniform for v in op.operands)
    return w.target.agreed(w, op, text) if lifted else text


@rule("cmp")
def _cmp(w: Simt, op: Op) -> str:
    t = op.operands[0].type
    d, xs = dtype_of(t), [w.value(v) for v in op.operands]
    if d.is_fp8:
        d, xs = f32, [single(w, t, x) for x in xs]
    return arithmetic.compare(w.view(t), op.attrs["pred"], d, isinstance(t, VecType), *xs)


@rule("select")
def _select(w: Simt, op: Op) -> str:
    return w.op("select " + ", ".join(map(w.typed, op.operands)))


# -- conversions -------------------------------------------------------------------------------------------------------


@rule("convert")
def _convert(w: Simt, op: Op) -> str:
    source, t = op.operands[0].type, op.result.type
    x = w.value(op.operands[0])
    if (
        w.target.adds_to_products
        and dtype_of(t).name == "f16"
        and dtype_of(source).bits >= 32
        and dtype_of(source).is_float
    ):
        if may_be_product(op.operands[0]):
            x = fenced(w, t, x, dtype_of(source))
    return convert(w, source, t, x)


def fenced(w: Simt, t: Type, x: str, source: DType = f32) -> str:
    """A float (or vector) of `source` that will be rounded to the dtype of `t`, so that LLVM makes it no fused
    multiply-add of +0."""
    if not w.target.adds_to_products or dtype_of(t).name != "f16":
        return x
    e = elem(source)
    if not isinstance(t, VecType):
        return w.target.unseen(w, e, x)
    items = [w.op(f"extractelement <{t.n} x {e}> {x}, i64 {i}") for i in range(t.n)]
    return w.vector([w.target.unseen(w, e, y) for y in items], e)


# What is no product, whatever its operands are; and what passes one on, as LLVM sees it.
_NO_PRODUCT = frozenset({"const", "add", "sub", "min", "max", "ld", "shuffle"}) | EXACT - {"abs"}
_PASSES_ON = frozenset({"neg", "abs", "select", "vec", "extract", "insert", "slice", "convert"})


def may_be_product(v: Value) -> bool:
    """True where LLVM may find that a float was just multiplied: by itself, or behind what it looks through."""
    left, seen = [v], {v}
    while left:
        x = left.pop()
        if x.op is None:
            if x.owner is not None and getattr(x.owner, "parent", None) is not None:
                return True  # carried around a loop, not an argument of the kernel
        elif x.op.name in _PASSES_ON:
            new = [
                y
                for y in x.op.operands
                if y not in seen and isinstance(y.type, (DType, VecType)) and dtype_of(y.type).bits >= 32
            ]
            seen.update(new)
            left += [y for y in new if dtype_of(y.type).is_float]
        elif x.op.name not in _NO_PRODUCT and "." not in x.op.name:  # intrinsics give no products of floats
            return True
    return False


def convert(w: Simt, source: Type, t: Type, x: str) -> str:
    """The number, or vector of numbers, in the dtype of `t`."""
    a, d, view, wide = dtype_of(source), dtype_of(t), w.view(t), isinstance(t, VecType)
    if a.is_float and d.is_float and d.bits < 32 and a != d:
        return narrow(w, t, round_to_odd(view, wide, x) if a == f64 else single(w, source, x))
    if a.is_fp8 and a != d:
        return arithmetic.convert(view, f32, d, wide, single(w, source, x))
    if a.is_int and a.bits <= 16 and d.is_float and d.bits < 32:
        return narrow(w, t, arithmetic.convert(view, a, f32, wide, x))
    return arithmetic.convert(view, a, d, wide, x)


@rule("bitcast")
def _bitcast(w: Simt, op: Op) -> str:
    return w.bitcast(w.value(op.operands[0]), w.type(op.operands[0].type), w.type(op.result.type))


# -- vectors -----------------------------------------------------------------------------------------------------------


@rule("vec")
def _vec(w: Simt, op: Op) -> str:
    return w.vector([w.value(v) for v in op.operands], elem(dtype_of(op.result.type)))


def _index(w: Simt, op: Op) -> str:
    if "index" in op.attrs:
        return f"i64 {op.attrs['index']}"
    return w.typed(op.operands[-1])


@rule("extract")
def _extract(w: Simt, op: Op) -> str:
    return w.op(f"extractelement {w.typed(op.operands[0])}, {_index(w, op)}")


@rule("insert")
def _insert(w: Simt, op: Op) -> str:
    return w.op(f"insertelement {w.typed(op.operands[0])}, {w.typed(op.operands[1])}, {_index(w, op)}")


@rule("slice")
def _slice(w: Simt, op: Op) -> str:
    source, t, start = op.operands[0], op.result.type, op.attrs["start"]
    assert isinstance(t, VecType)
    picks = ", ".join(f"i32 {start + i}" for i in range(t.n))
    return w.op(f"shufflevector {w.typed(source)}, {w.type(source.type)} poison, <{t.n} x i32> <{picks}>")


# -- where a lane is, what lanes do together ---------------------------------------------------------------------------


@rule("thread_id", "block_id", "grid_dim")
def _id(w: Simt, op: Op) -> str:
    text = w.target.index(w, op)
    return w.target.agreed(w, op, text) if op.name == "thread_id" and op.result.uniform else text


@rule("block_dim")
def _block_dim(w: Simt, op: Op) -> str:
    return str(w.block[op.attrs["dim"]])


@rule("lane_id")
def _lane(w: Simt, op: Op) -> str:
    return w.target.lane(w)


@rule("shuffle")
def _shuffle(w: Simt, op: Op) -> str:
    t = op.result.type
    return w.from_words([w.target.shuffle(w, op, word) for word in w.words(w.value(op.operands[0]), t)], t)


@rule("ballot")
def _ballot(w: Simt, op: Op) -> str:
    return w.target.ballot(w, w.value(op.operands[0]))


@rule("barrier")
def _barrier(w: Simt, op: Op) -> None:
    w.target.barrier(w, op)


@rule("check")
def _check(w: Simt, op: Op) -> None:
    emit_check(w, op)


@rule("printf")
def _printf(w: Simt, op: Op) -> None:
    emit_printf(w, op)


# -- memory ------------------------------------------------------------------------------------------------------------


@rule("alloc")
def _alloc(w: Simt, op: Op) -> str:
    return simt_memory.alloc(w, op)


@rule("base")
def _base(w: Simt, op: Op) -> str:
    return w.value(op.operands[0])


@rule("shared_base")
def _shared_base(w: Simt, op: Op) -> str:
    return "null"


@rule("ptr_add")
def _ptr_add(w: Simt, op: Op) -> str:
    return simt_memory.at(w, op.operands[0], op.operands[1])


@rule("ld")
def _ld(w: Simt, op: Op) -> str:
    return simt_memory.load(w, op)


@rule("st")
def _st(w: Simt, op: Op) -> None:
    simt_memory.store(w, op)


@rule("ptr_int")
def _ptr_int(w: Simt, op: Op) -> str:
    return simt_memory.pointer_number(w, op)


@rule("int_ptr")
def _int_ptr(w: Simt, op: Op) -> str:
    t = op.result.type
    assert isinstance(t, PtrType)
    return w.op(f"inttoptr {w.typed(op.operands[0])} to {w.type(t)}")


RULES.update(atomic_add=emit_atomic, atomic=emit_atomic, fence=emit_fence)
