"""Handlers of atomic operations on global, flat, buffer and LDS memory. Source: AMD Instinct MI300 ISA, sections 9.2,
10.3.1, 11.3, 16.13 to 16.15.

Lanes go one after another, from the lowest on. In memory each is an atomic operation of this machine, since workgroups
run side by side; in LDS, which one thread works on, it is plain. Addresses must be multiples of the size. A buffer's
range check asks only where an operation starts.

Floats (section 9.2): sums round to nearest even; a NaN operand passes, quieted, memory's before the register's; of
infinities that cancel comes the positive quiet NaN. min and max take -0 as less than 0, a number before a quiet NaN,
and give a signaling NaN back quieted. In LDS denormals are zeros where MODE says so, except for sums of f64; min and
max compare so, but give back what was there. In memory no denormal is flushed: so LLVM takes it for gfx942 (it selects
global_atomic_add_f32 where denormals matter), while section 9.2.2 says that sums of f32 flush there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from avelang.amdgcn.asm import MCInst, Name, Operand, PhysReg
from avelang.ir.dtypes import DType, bf16, f16
from avelang.llvm.core import Body
from avelang.llvm.narrow_floats import Bits, narrow, widen
from avelang.llvm.writer import Writer
from avelang.sim.amdgcn import memory_access, memory_buffer
from avelang.sim.amdgcn.memory_access import Place, staged
from avelang.sim.amdgcn.memory_addresses import V64, helper, zeros
from avelang.sim.amdgcn.memory_lds import offsets, refuse_gds
from avelang.sim.amdgcn.state import LANES, REGISTER
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm

# What a float of so many bits looks like: exponent, mantissa's first bit.
EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
QUIET = {16: 0x200, 32: 0x400000, 64: 0x8000000000000}


@dataclasses.dataclass(frozen=True, slots=True)
class AtomicOperands:
    """A lane's operands as integers: `old` is memory, `x` and `y` are the data registers. `flush`: denormal operands
    and results are zeros."""

    w: Writer
    b: Bits
    old: str
    x: str
    y: str
    flush: tuple[bool, bool] = (False, False)


AtomicRule = Callable[[AtomicOperands], str]


def _plainly(op: str, reverse: bool = False) -> AtomicRule:
    return lambda c: c.b(op, c.x, c.old) if reverse else c.b(op, c.old, c.x)


def _least(pred: str) -> AtomicRule:
    """The smaller or the greater one: memory's if `pred` holds between memory and data."""
    return lambda c: c.b.select(c.b.cmp(pred, c.old, c.x), c.old, c.x)


def _inc(c: AtomicOperands) -> str:
    return c.b.select(c.b.cmp("uge", c.old, c.x), 0, c.b("add", c.old, 1))


def _dec(c: AtomicOperands) -> str:
    over = c.w.op(f"or i1 {c.b.cmp('eq', c.old, 0)}, {c.b.cmp('ugt', c.old, c.x)}")
    return c.b.select(over, c.x, c.b("sub", c.old, 1))


def _mskor(c: AtomicOperands) -> str:
    return c.b("or", c.b("and", c.old, c.b("xor", c.x, -1)), c.y)


def _wrap(c: AtomicOperands) -> str:
    return c.b.select(c.b.cmp("uge", c.old, c.x), c.b("sub", c.old, c.x), c.b("add", c.old, c.y))


def _swap_if(c: AtomicOperands) -> str:
    """`x` where memory holds `y`."""
    return c.b.select(c.b.cmp("eq", c.old, c.y), c.x, c.old)


def _halves_if(c: AtomicOperands) -> str:
    """Each half of `x` whose upper bit is set, without that bit."""
    out = "0"
    for half in range(2):
        ones = 0xFFFFFFFF << 32 * half
        asks = c.b.cmp("ne", c.b("and", c.x, 0x80000000 << 32 * half), 0)
        out = c.b("or", out, c.b.select(asks, c.b("and", c.x, 0x7FFFFFFF << 32 * half), c.b("and", c.old, ones)))
    return out


# -- floats ------------------------------------------------------------------------------------------------------------


def _flushed(b: Bits, x: str) -> str:
    tiny = b.cmp("eq", b("and", x, EXPONENT[b.bits]), 0)
    return b.select(tiny, b("and", x, 1 << b.bits - 1), x)


def _operands(c: AtomicOperands) -> tuple[str, str]:
    return (_flushed(c.b, c.old), _flushed(c.b, c.x)) if c.flush[0] else (c.old, c.x)


def _is_nan(b: Bits, x: str) -> str:
    return b.cmp("ugt", b("and", x, (1 << b.bits - 1) - 1), EXPONENT[b.bits])


def _sum(b: Bits, x: str, y: str) -> str:
    """The sum of two floats held as integers."""
    total = b.from_float(b.w.op(f"fadd {b.f} {b.to_float(x)}, {b.to_float(y)}"))
    nan = b.select(_is_nan(b, y), b("or", y, QUIET[b.bits]), EXPONENT[b.bits] | QUIET[b.bits])
    nan = b.select(_is_nan(b, x), b("or", x, QUIET[b.bits]), nan)
    return b.select(_is_nan(b, total), nan, total)


def _add_float(c: AtomicOperands) -> str:
    total = _sum(c.b, *_operands(c))
    return _flushed(c.b, total) if c.flush[1] else total


def _add_packed(d: DType) -> AtomicRule:
    """Two 16-bit sums. f32 holds enough of each that rounding twice is rounding once."""

    def one(c: AtomicOperands, half: int) -> str:
        parts = []
        for x in (c.old, c.x):
            part = c.w.op(f"trunc i32 {c.b('lshr', x, 16 * half)} to i16")
            parts.append(_flush16(c, d, part) if c.flush[0] else part)
        total = _sum(c.b, *(c.b.from_float(widen(c.w, d, False, part)) for part in parts))
        got = narrow(c.w, d, False, c.b.to_float(total))
        return c.w.op(f"zext i16 {_flush16(c, d, got) if c.flush[1] else got} to i32")

    return lambda c: c.b("or", one(c, 0), c.b("shl", one(c, 1), 16))


def _flush16(c: AtomicOperands, d: DType, x: str) -> str:
    b = Bits(c.w, False, 16)
    tiny = b.cmp("eq", b("and", x, EXPONENT[16] if d is f16 else 0x7F80), 0)
    return b.select(tiny, b("and", x, 0x8000), x)


def _order(b: Bits, x: str) -> str:
    """A signed integer that is less where the float is less, -0 before 0."""
    return b("xor", x, b("lshr", b("ashr", x, b.bits - 1), 1))


def _extreme(pred: str) -> AtomicRule:
    def rule(c: AtomicOperands) -> str:
        b, (x, y) = c.b, _operands(c)
        value = b.select(b.cmp(pred, _order(b, x), _order(b, y)), c.old, c.x)
        value = b.select(_is_nan(b, c.x), c.old, value)
        value = b.select(_is_nan(b, c.old), c.x, value)
        for operand in (c.x, c.old):
            loud = b.cmp("eq", b("and", operand, QUIET[b.bits]), 0)
            value = b.select(c.w.op(f"and i1 {_is_nan(b, operand)}, {loud}"), b("or", operand, QUIET[b.bits]), value)
        return value

    return rule


def _swap_if_float(c: AtomicOperands) -> str:
    b, values = c.b, (c.old, c.y, c.x)
    old, want, new = (_flushed(b, v) for v in values) if c.flush[0] else values
    return b.select(c.w.op(f"fcmp oeq {b.f} {b.to_float(old)}, {b.to_float(want)}"), new, c.old)


@dataclasses.dataclass(frozen=True, slots=True)
class AtomicOp:
    """An operation on `bits`: `rule` gives what memory holds behind it. `two`: it has a second data operand. `floats`:
    the bits by which MODE says whether denormals are zeros in LDS; 0 where it does not matter."""

    name: str
    bits: int
    rule: AtomicRule
    two: bool = False
    floats: int = 0

    @property
    def words(self) -> int:
        """Registers of an operand."""
        return self.bits // 32


INTEGER: dict[str, tuple[AtomicRule, bool]] = {
    "swap": (lambda c: c.x, False), "cmpswap": (_swap_if, True), "add": (_plainly("add"), False),
    "sub": (_plainly("sub"), False),
    "rsub": (_plainly("sub", reverse=True), False), "smin": (_least("slt"), False), "umin": (_least("ult"), False),
    "smax": (_least("sgt"), False),
    "umax": (_least("ugt"), False), "and": (_plainly("and"), False), "or": (_plainly("or"), False),
    "xor": (_plainly("xor"), False),
    "inc": (_inc, False), "dec": (_dec, False), "mskor": (_mskor, True), "wrap": (_wrap, True),
    "condxchg32": (_halves_if, False),
}  # fmt: skip


def integer(name: str, bits: int) -> AtomicOp:
    """An operation on integers, by what memory instructions call it."""
    rule, two = INTEGER[name]
    return AtomicOp(f"{name}_{bits}", bits, rule, two)


FLOAT = {
    "add_f32": AtomicOp("add_f32", 32, _add_float, floats=32), "add_f64": AtomicOp("add_f64", 64, _add_float),
    "pk_add_f16": AtomicOp("pk_add_f16", 32, _add_packed(f16), floats=16),
    "pk_add_bf16": AtomicOp("pk_add_bf16", 32, _add_packed(bf16), floats=16),
    **{f"{name}_f{bits}": AtomicOp(f"{name}_f{bits}", bits, _extreme(pred), floats=bits) for name,
        pred in (("min", "slt"), ("max", "sgt"))
       for bits in (32, 64)},
    **{f"cmpst_f{bits}": AtomicOp(f"cmpst_f{bits}", bits, _swap_if_float, True, bits) for bits in (32, 64)},
}  # fmt: skip


# -- functions ---------------------------------------------------------------------------------------------------------


def _word(b: Body, op: AtomicOp, pointer: str, n: str) -> str:
    """A lane's data."""
    first = b.op(f"getelementptr i32, ptr {pointer}, i64 {n}")
    low = b.op(f"load i32, ptr {first}, align 4")
    if op.bits == 32:
        return low
    high = b.op(f"load i32, ptr {b.op(f'getelementptr i32, ptr {first}, i64 {LANES}')}, align 4")
    upper = b.op(f"shl i64 {b.op(f'zext i32 {high} to i64')}, 32")
    return b.op(f"or i64 {upper}, {b.op(f'zext i32 {low} to i64')}")


def _give(b: Body, op: AtomicOp, old: str, n: str) -> None:
    """Writes what memory held to a lane of the result."""
    for k in range(op.words):
        word = old if op.bits == 32 else b.op(f"trunc i64 {b.op(f'lshr i64 {old}, {32 * k}')} to i32")
        at = b.op(f"add i64 {n}, {LANES * k}")
        b.do(f"store i32 {word}, ptr {b.op(f'getelementptr i32, ptr %result, i64 {at}')}, align 4")


def _exchange(b: Body, kind: str, pointer: str, new: Callable[[str], str]) -> str:
    """Writes `new` of what is there, which others may write as well; what was there."""
    first, align = b.op(f"load atomic {kind}, ptr {pointer} monotonic, align {int(kind[1:]) // 8}"), int(kind[1:]) // 8
    again, did, entry = b.fresh("try"), b.fresh("did"), b.label
    old, now = "%" + b.fresh(), "%" + b.fresh()
    b.do(f"br label %{again}")
    b.start(again)
    b.do(f"{old} = phi {kind} [ {first}, %{entry} ], [ {now}, %{again} ]")
    pair = b.op(f"cmpxchg ptr {pointer}, {kind} {old}, {kind} {new(old)} seq_cst monotonic, align {align}")
    b.do(f"{now} = extractvalue {{ {kind}, i1 }} {pair}, 0")
    b.do(f"br i1 {b.op(f'extractvalue {{ {kind}, i1 }} {pair}, 1')}, label %{did}, label %{again}")
    b.start(did)
    return old


def lanes(t: BlockTranslator, op: AtomicOp, shared: bool, result: bool, flush: tuple[bool, bool]) -> str:
    """void(data, second, result, at, exec), with its @; `shared`: other threads work on that memory too."""
    name = f"ave_{'shared' if shared else 'own'}_{op.name}{'_flush' * flush[0]}{'_out' * flush[1]}{'_rtn' * result}"
    kind, align = f"i{op.bits}", op.bits // 8

    def lane(w: Writer, n: str) -> None:
        b = w.body
        address = b.op(f"load i64, ptr {b.op(f'getelementptr i64, ptr %at, i64 {n}')}, align 8")
        pointer = b.op(f"inttoptr i64 {address} to ptr")
        x = _word(b, op, "%data", n)
        y = _word(b, op, "%second", n) if op.two else ""

        def new(old: str) -> str:
            return op.rule(AtomicOperands(w, Bits(w, False, op.bits), old, x, y, flush))

        if shared:
            old = _exchange(b, kind, pointer, new)
        else:
            old = b.op(f"load {kind}, ptr {pointer}, align {align}")
            b.do(f"store {kind} {new(old)}, ptr {pointer}, align {align}")
        if result:
            _give(b, op, old, n)

    def make() -> str:
        t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
        w = Writer(t.module, LANES)
        w.do(f"br i1 {w.op('icmp eq i64 %exec, 0')}, label %out, label %some")
        w.body.start("some")
        with w.body.each_bit("%exec") as n:
            lane(w, n)
        w.do("br label %out")
        w.body.start("out")
        w.do("ret void")
        params = "ptr %data, ptr %second, ptr %result, ptr noalias %at, i64 %exec"
        return f"define internal void @{name}({params}) noinline #0 {{\n{w.body.text()}\n}}"

    return t.helper(name, make)


def _aligned(t: BlockTranslator, op: AtomicOp, at: str = "at", lanes: str = "exec") -> str:
    return f"""  %s.al = call i32 {helper(t, "ave_aligned")}(ptr %g, ptr %{at}, i64 %{lanes}, i64 {op.bits // 8})
  %b.al = icmp ne i32 %s.al, 0
  br i1 %b.al, label %fault, label %aligned
aligned:"""


def _flush(t: BlockTranslator, op: AtomicOp, space: str) -> tuple[bool, bool]:
    """Whether denormal operands and results are zeros."""
    wanted = (t.mode.flushes_sources(op.floats), t.mode.flushes_results(op.floats)) if op.floats else (False, False)
    if space == "flat" and any(wanted):
        raise UnsupportedForm("MODE flushes denormals in LDS but not in memory, and a flat address may be either")
    return wanted if space == "lds" else (False, False)


def _function(t: BlockTranslator, op: AtomicOp, space: str, result: bool) -> str:
    """The function of an operation in a space, with its @: i32(g, w, data, second, result, low, high, base, exec)."""
    flush = _flush(t, op, space)
    one_by_one = lanes(t, op, space != "lds", result, flush)
    name = f"ave_{space}_of_{one_by_one.removeprefix('@ave_')}"
    parameters = (
        "ptr noalias %g, ptr noalias %w, ptr %data, ptr %second, ptr %result, ptr %low, ptr %high, i64 %base, i64 %exec"
    )

    def make() -> str:
        body = [
            staged(t, space, op.bits // 8),
            _aligned(t, op),
            f"  call void {one_by_one}(ptr %data, ptr %second, ptr %result, ptr %at, i64 %exec)",
        ]
        return memory_access.function(name, parameters, {"at": V64}, "\n".join([*body, "  br label %done"]))

    return t.helper(name, make)


def _buffer_function(t: BlockTranslator, op: AtomicOp, result: bool) -> str:
    """The same for buffers: what is out of range does nothing, and gives 0."""
    one_by_one = lanes(t, op, True, result, (False, False))
    name = f"ave_buffer_of_{one_by_one.removeprefix('@ave_')}"
    parameters = f"ptr noalias %g, ptr %data, ptr %second, ptr %result, ptr %index, ptr %offset, {memory_buffer.WORDS}"
    nbytes = op.bits // 8

    def make() -> str:
        clear = [
            line for k in range(op.words if result else 0)
            for line in (f"  %c{k} = getelementptr i8, ptr %result, i64 {REGISTER * k}",
                f"  call void @ave_clear(ptr %c{k}, i64 %out)")
        ]  # fmt: skip
        body = [
            memory_buffer.staged(t, nbytes, nbytes - 1), "mixed:",
            f"  %in = call i64 @ave_room(ptr %room, i64 %exec, i64 {nbytes - 1})",
            "  %out = xor i64 %in, %exec", *clear, "  %some = icmp ne i64 %in, 0",
            "  br i1 %some, label %settle, label %done", "settle:",
            f"  %s2 = call i32 @ave_settle(ptr %g, ptr %at, ptr %at, i64 0, i64 %in, i64 {op.bits // 8})",
            "  %b2 = icmp ne i32 %s2, 0",
            "  br i1 %b2, label %fault, label %all", "all:", "  %those = phi i64 [ %exec, %go ], [ %in, %settle ]",
            _aligned(t, op, lanes="those"),
            f"  call void {one_by_one}(ptr %data, ptr %second, ptr %result, ptr %at, i64 %those)", "  br label %done",
        ]  # fmt: skip
        return memory_access.function(name, parameters, {"at": V64, "room": V64}, "\n".join(body))

    return t.helper(name, make)


# -- handlers ----------------------------------------------------------------------------------------------------------


def _returns(i: MCInst) -> bool:
    return "sc0" in i.mods or "glc" in i.mods


def _data(t: BlockTranslator, op: AtomicOp, o: Operand) -> list[str]:
    """Pointers to the data and, behind it in the same registers, to what it is compared with."""
    first = memory_access.data_register(t, o, op.words * (1 + op.two))
    return [first, t.op(f"getelementptr i8, ptr {first}, i64 {REGISTER * op.words}") if op.two else first]


def _memory(space: str, op: AtomicOp) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        returned = _returns(i)
        vaddr, data, *rest = i.operands[returned:]
        pointers = [*_data(t, op, data)]
        pointers.append(memory_access.data_register(t, i.operands[0], op.words) if returned else pointers[0])
        if space == "flat" and isinstance(vaddr, PhysReg):
            memory_access.touch_flat(t, i, vaddr, op.bits // 8, "atomic")
        where = memory_access.place(t, i, space, vaddr, rest[0] if rest else Name("off"))
        _run(t, op, space, returned, pointers, where)

    return handler


def _run(t: BlockTranslator, op: AtomicOp, space: str, returned: bool, pointers: list[str], where: Place) -> None:
    low, high, base = where
    places = (f"ptr {low}", f"ptr {high}", f"i64 {base}", f"i64 {t.exec()}")
    t.run(_function(t, op, space, returned), "ptr %g", "ptr %w", *(f"ptr {p}" for p in pointers), *places)


def _buffer(op: AtomicOp) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        data, vaddr, rsrc, soffset = i.operands
        first, second = _data(t, op, data)
        arguments = memory_buffer.arguments(t, i, vaddr, rsrc, soffset)
        t.run(
            _buffer_function(t, op, _returns(i)), "ptr %g", f"ptr {first}", f"ptr {second}", f"ptr {first}", *arguments
        )

    return handler


def _lds(op: AtomicOp, returned: bool) -> Handler:
    """Where there are two data operands, compare-and-store has what is compared in the first, the others take them in
    order."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        vaddr, *data = i.operands[returned:]
        if len(data) != 1 + op.two:
            raise UnsupportedForm(f"it has {1 + op.two} data operands, not {len(data)}")
        pointers = [memory_access.data_register(t, o, op.words) for o in data]
        pointers = [*(pointers[::-1] if op.rule in (_swap_if, _swap_if_float) else pointers), pointers[0]][:2]
        pointers.append(memory_access.data_register(t, i.operands[0], op.words) if returned else pointers[0])
        low = memory_access.data_register(t, vaddr, 1)
        memory_access.touch(t, i, low, i.int("offset"), op.bits // 8, "atomic")
        _run(t, op, "lds", returned, pointers, (low, zeros(t), str(i.int("offset"))))

    return handler


def _exchange_two(op: AtomicOp) -> Handler:
    """ds_wrxchg2: the second exchange may not see the first one's result as its address or its data."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        result, vaddr, *data = i.operands
        places = offsets(i, op.bits // 8)
        if places[0] == places[1]:
            raise UnsupportedForm("both offsets are the same: the manual says in two ways what is written")
        low = memory_access.data_register(t, vaddr, 1)
        memory_access.data_register(t, result, 2 * op.words)
        held = memory_access.slot(t, "exchanged", 2 * op.words)
        for k, (offset, o) in enumerate(zip(places, data, strict=True)):
            memory_access.touch(t, i, low, offset, op.bits // 8, "atomic")
            pointer = memory_access.data_register(t, o, op.words)
            place = t.op(f"getelementptr i8, ptr {held}, i64 {REGISTER * op.words * k}")
            _run(t, op, "lds", True, [pointer, pointer, place], (low, zeros(t), str(offset)))
        for k in range(2 * op.words):
            value = t.op(
                f"load {t.t('i32')}, ptr {t.op(f'getelementptr i8, ptr {held}, i64 {REGISTER * k}')}, align 64"
            )
            assert isinstance(result, PhysReg)
            t.set_vector(result.file, result.first + k, value)

    return handler


MEMORY = ["swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"]
MEMORY_FLOATS = ("add_f32", "add_f64", "pk_add_f16", "pk_add_bf16", "min_f64", "max_f64")
# What LDS instructions call the integer operations, behind "ds_" and before the type.
LDS = {
    "add_u": "add", "sub_u": "sub", "rsub_u": "rsub", "inc_u": "inc", "dec_u": "dec", "min_i": "smin", "max_i": "smax",
    "min_u": "umin",
    "max_u": "umax", "and_b": "and", "or_b": "or", "xor_b": "xor", "mskor_b": "mskor", "cmpst_b": "cmpswap",
}  # fmt: skip


def _rtn(name: str) -> str:
    """The form of a name that gives back what was there."""
    head, _, kind = name.rpartition("_")
    return f"{head}_rtn_{kind}"


_LDS_OPS = {**{f"{name}{bits}": integer(op, bits) for name, op in LDS.items() for bits in (32, 64)}, **FLOAT}
_MEMORY_OPS = {
    **{name: integer(name, 32) for name in MEMORY}, **{f"{name}_x2": integer(name, 64) for name in MEMORY},
    **{name: FLOAT[name] for name in MEMORY_FLOATS},
}  # fmt: skip

TABLE: dict[str, Handler] = {
    **{
        f"{space}_atomic_{name}": _memory(space, op) for space in ("global", "flat") for name, op in _MEMORY_OPS.items()
    },
    **{f"buffer_atomic_{name}": _buffer(op) for name, op in _MEMORY_OPS.items()},
    **{f"ds_{name}": _lds(op, False) for name, op in _LDS_OPS.items()},
    **{f"ds_{_rtn(name)}": _lds(op, True) for name, op in _LDS_OPS.items()},
    **{f"ds_wrxchg_rtn_b{bits}": _lds(integer("swap", bits), True) for bits in (32, 64)},
    **{f"ds_wrxchg2{s}_rtn_b{bits}": _exchange_two(integer("swap", bits)) for s in ("", "st64") for bits in (32, 64)},
    "ds_wrap_rtn_b32": _lds(integer("wrap", 32), True),
    "ds_condxchg32_rtn_b64": _lds(integer("condxchg32", 64), True),
}
