"""Functions that no GPU has and that are too long to write at each use, as LLVM IR: a name comes in, the text of its definition goes out."""

from __future__ import annotations

from collections.abc import Callable


def _remainder(name: str, t: str, bits: int, mantissa: int) -> str:  # long: one text, which is the program
    """The remainder of a division truncated toward zero, exact: significands are subtracted bit by bit, as a school division does."""
    i = f"i{bits}"
    magnitude, implicit = (1 << (bits - 1)) - 1, 1 << mantissa
    infinity = ((1 << (bits - 1 - mantissa)) - 1) << mantissa
    nan = "0x7FF8000000000000"

    def parts(x: str) -> str:
        """%e{x}, %m{x}: exponent and significand with its leading one, also of a number that is stored without it."""
        return f"""  %b{x} = lshr {i} %a{x}, {mantissa}
  %low{x} = icmp eq {i} %b{x}, 0
  %z{x} = call {i} @llvm.ctlz.{i}({i} %a{x}, i1 false)
  %s{x} = sub {i} %z{x}, {bits - 1 - mantissa}
  %n{x} = shl {i} %a{x}, %s{x}
  %d{x} = sub {i} 1, %s{x}
  %f{x} = and {i} %a{x}, {implicit - 1}
  %g{x} = or {i} %f{x}, {implicit}
  %m{x} = select i1 %low{x}, {i} %n{x}, {i} %g{x}
  %e{x} = select i1 %low{x}, {i} %d{x}, {i} %b{x}"""

    return f"""declare {i} @llvm.ctlz.{i}({i}, i1)
define internal {t} @{name}({t} %x, {t} %y) alwaysinline nounwind {{
entry:
  %ux = bitcast {t} %x to {i}
  %uy = bitcast {t} %y to {i}
  %ax = and {i} %ux, {magnitude}
  %ay = and {i} %uy, {magnitude}
  %sign = xor {i} %ux, %ax
  %y0 = icmp eq {i} %ay, 0
  %ynan = icmp ugt {i} %ay, {infinity}
  %xbad = icmp uge {i} %ax, {infinity}
  %bad0 = or i1 %y0, %ynan
  %bad = or i1 %bad0, %xbad
  br i1 %bad, label %done, label %finite
finite:
  %less = icmp ult {i} %ax, %ay
  br i1 %less, label %done, label %divide
divide:
{parts("x")}
{parts("y")}
  br label %step
step:
  %k = phi {i} [ %ex, %divide ], [ %k1, %next ]
  %r = phi {i} [ %mx, %divide ], [ %r1, %next ]
  %diff = sub {i} %r, %my
  %fits = icmp uge {i} %r, %my
  %left = select i1 %fits, {i} %diff, {i} %r
  %more = icmp sgt {i} %k, %ey
  br i1 %more, label %next, label %pack
next:
  %r1 = shl {i} %left, 1
  %k1 = sub {i} %k, 1
  br label %step
pack:
  %zero = icmp eq {i} %left, 0
  br i1 %zero, label %none, label %scale
none:
  %signed0 = bitcast {i} %sign to {t}
  br label %done
scale:
  %z = call {i} @llvm.ctlz.{i}({i} %left, i1 false)
  %s = sub {i} %z, {bits - 1 - mantissa}
  %full = shl {i} %left, %s
  %e = sub {i} %ey, %s
  %normal = icmp sgt {i} %e, 0
  %field = shl {i} %e, {mantissa}
  %bare = xor {i} %full, {implicit}
  %large = or {i} %bare, %field
  %back = sub {i} 1, %e
  %shift = select i1 %normal, {i} 0, {i} %back
  %small = lshr {i} %full, %shift
  %value = select i1 %normal, {i} %large, {i} %small
  %word = or {i} %value, %sign
  %number = bitcast {i} %word to {t}
  br label %done
done:
  %out = phi {t} [ {nan}, %entry ], [ %x, %finite ], [ %signed0, %none ], [ %number, %scale ]
  ret {t} %out
}}"""


# The names are those that the arithmetic in `cpu_math` calls.
LIBRARY: dict[str, Callable[[], str]] = {
    "fmodf": lambda: _remainder("fmodf", "float", 32, 23),
    "fmod": lambda: _remainder("fmod", "double", 64, 52),
}
