"""LLVM IR of the functions that update memory: an operation and a type come in; the text of a function goes out (see
`memory_text`).

Lanes go one after another, the lowest first; what stood there is put in the warp's `data`. PTX ISA 9.0, 9.7.13.8, atom,
and 9.7.13.9, red. """

from __future__ import annotations

import re

from avelang.llvm.core import Body
from avelang.sim.ptx.memory_text import each, head
from avelang.sim.ptx.state import LANES, SHARED_BASE

_INT = ("and", "or", "xor", "add")
_COMPARED = {("min", "s"): "slt", ("min", "u"): "ult", ("max", "s"): "sgt", ("max", "u"): "ugt"}
_FLOATS = {"f32": "float", "f64": "double", "f16": "half", "f16x2": "<2 x half>"}


def _flush(x: str, out: str) -> str:
    """An f32 without subnormals."""
    return f"""
  {out}e = and i32 {x}, 2139095040
  {out}z = icmp eq i32 {out}e, 0
  {out}s = and i32 {x}, -2147483648
  {out} = select i1 {out}z, i32 {out}s, i32 {x}"""


def _sum(old: str, b: str, new: str, kind: str, t: str) -> str:
    f = _FLOATS[kind]
    return f"""
  {new}x = bitcast {t} {old} to {f}
  {new}y = bitcast {t} {b} to {f}
  {new}f = fadd {f} {new}x, {new}y
  {new} = bitcast {f} {new}f to {t}"""


def _global_sum() -> str:
    """f32 in global memory: subnormals count as zero there, but not in shared memory (as the ISA says of today's
    chips)."""
    flushed = (_flush("%old", "%fold") + _flush("%b", "%fb") + _sum("%fold", "%fb", "%total", "f32", "i32")
        + _flush("%total", "%small"))
    window = f"""
  %window = lshr i64 %a, 60
  %shared = icmp eq i64 %window, {SHARED_BASE >> 60}
  %new = select i1 %shared, i32 %exact, i32 %small"""
    return flushed + _sum("%old", "%b", "%exact", "f32", "i32") + window


def _half(h: int, function: str) -> str:
    return f"""
  %o{h} = lshr i32 %old, {16 * h}
  %p{h} = trunc i32 %o{h} to i16
  %q{h} = lshr i32 %b, {16 * h}
  %r{h} = trunc i32 %q{h} to i16
  %s{h} = call i16 @{function}(i16 %p{h}, i16 %r{h})
  %w{h} = zext i16 %s{h} to i32"""


def _update(op: str, kind: str, bits: int, space: str) -> str | None:
    """LLVM IR of %new, from what stands there (%old), and operands %b and %c."""
    t = f"i{bits}"
    if op == "add" and kind in _FLOATS:
        return (_global_sum() if kind == "f32" and space in ("global", "generic")
            else _sum("%old", "%b", "%new", kind, t))
    function = f"ave_{kind.removesuffix('x2')}_{op}"
    if function in HELPERS:
        if kind.endswith("x2"):
            return _half(0, function) + _half(1, function) + "\n  %high = shl i32 %w1, 16\n  %new = or i32 %high, %w0"
        return f"  %new = call i16 @{function}(i16 %old, i16 %b)"
    if op in _INT:
        return f"  %new = {op} {t} %old, %b"
    if (op, kind[0]) in _COMPARED:
        return f"  %beyond = icmp {_COMPARED[op, kind[0]]} {t} %b, %old\n  %new = select i1 %beyond, {t} %b, {t} %old"
    rules = {
        "exch": f"  %new = or {t} %b, 0",
        "cas": f"  %hit = icmp eq {t} %old, %b\n  %new = select i1 %hit, {t} %c, {t} %old",
        "inc": f"  %up = add {t} %old, 1\n  %wrap = icmp uge {t} %old, %b\n  %new = select i1 %wrap, {t} 0, {t} %up",
        "dec": f"  %down = sub {t} %old, 1\n  %zero = icmp eq {t} %old, 0\n  %over = icmp ugt {t} %old, %b\n"
               f"  %wrap = or i1 %zero, %over\n  %new = select i1 %wrap, {t} %b, {t} %down",
    }  # fmt: skip
    return rules.get(op)


_BF16_ADD = """
define internal i16 @ave_bf16_add(i16 %x, i16 %y) noinline #0 {
entry:
  %xw = zext i16 %x to i32
  %yw = zext i16 %y to i32
  %xs = shl i32 %xw, 16
  %ys = shl i32 %yw, 16
  %xf = bitcast i32 %xs to float
  %yf = bitcast i32 %ys to float
  %f = fadd float %xf, %yf
  %u = bitcast float %f to i32
  %h = lshr i32 %u, 16
  %odd = and i32 %h, 1
  %r0 = add i32 %u, 32767
  %r1 = add i32 %r0, %odd
  %nan = fcmp uno float %f, %f
  %r = select i1 %nan, i32 2147418112, i32 %r1
  %s = lshr i32 %r, 16
  %t = trunc i32 %s to i16
  ret i16 %t
}
"""


def _extreme(name: str, below: str, infinity: int) -> str:
    """The less or the greater of two 16-bit floats, as min and max of registers have it: -0 is less than +0, a NaN
    gives way to a number."""
    b = Body()

    def op(what: str, x: str, y: str | int) -> str:
        return b.op(f"{what} i16 {x}, {y}")

    def pick(where: str, x: str, y: str) -> str:
        return b.op(f"select i1 {where}, i16 {x}, i16 {y}")

    keys = [op("xor", x, op("lshr", op("ashr", x, 15), 1)) for x in ("%x", "%y")]
    lost = [op("icmp ugt", op("and", x, 32767), infinity) for x in ("%x", "%y")]
    found = pick(lost[1], "%x", pick(op(f"icmp {below}", *keys), "%x", "%y"))
    found = pick(lost[0], pick(lost[1], "32767", "%y"), found)
    b.do(f"ret i16 {found}")
    return f"define internal i16 @{name}(i16 %x, i16 %y) noinline #0 {{\n{b.text()}\n}}\n"


# Functions that updates call, by name.
HELPERS = {"ave_bf16_add": _BF16_ADD, **{name: _extreme(name, below, infinity)
    for kind, infinity in (("f16", 0x7C00), ("bf16", 0x7F80)) for op, below in (("min", "slt"), ("max", "sgt"))
    for name in (f"ave_{kind}_{op}",)}}  # fmt: skip


def _element(update: str, k: int, n: int, bits: int) -> str:
    """The update of element k of a lane: its values have names of their own."""
    size, t = bits // 8, f"i{bits}"
    text = f"""
  %ib = add i64 %lane, {k * LANES}
  %at = getelementptr {t}, ptr %dp, i64 %ib
  %ic = add i64 %lane, {(n + k) * LANES}
  %third = getelementptr {t}, ptr %dp, i64 %ic
  %place = getelementptr {t}, ptr %p, i64 {k}
  %old = load {t}, ptr %place, align {min(16, size)}
  %b = load {t}, ptr %at, align {min(8, size)}
  %c = load {t}, ptr %third, align {min(8, size)}
{update}
  store {t} %new, ptr %place, align {min(16, size)}
  store {t} %old, ptr %at, align {min(8, size)}"""
    return re.sub(r"%(?!lane\b|dp\b|p\b|a\b)[A-Za-z]\w*", lambda m: f"{m[0]}.{k}", text)


def atomic(space: str, op: str, kind: str, bits: int, n: int, watched: bool = False) -> tuple[str, str] | None:
    """(name, text) of a read-modify-write of `n` elements for each lane; None where there is no such operation. Operand
    b stands in `data`, c behind the elements of b."""
    update = _update(op, kind, bits, space)
    if update is None:
        return None
    body = "".join(_element(update, k, n, bits) for k in range(n))
    name = f"ave_atom_{space.replace('::', '_')}_{op}_{kind}x{n}"
    return name, head(name) + "  br label %loop" + each(space, bits // 8 * n, True, body, ("some",), watched)
