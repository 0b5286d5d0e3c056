"""A space comes in; the function that checks addresses of 64 lanes in it and makes host addresses goes out (`native/amdgcn/addresses.c`)."""

from __future__ import annotations

from avelang.sim.amdgcn.state import GROUP, LANES, WAVE
from avelang.sim.amdgcn.translator import BlockTranslator

V64, V32, M = f"<{LANES} x i64>", f"<{LANES} x i32>", f"<{LANES} x i1>"


def field(base: str, name: str, result: str) -> str:
    """A line that points `result` at a field of the workgroup ("g") or the wave ("w")."""
    return f"  %{result} = getelementptr i8, ptr %{base}, i64 {(GROUP if base == 'g' else WAVE)[name]}"


def record(code: int | str, lane: str, address: str, extra: str) -> str:
    """Lines that record a fault."""
    return f"""{field("g", "fault_code", "f.code")}
{field("g", "fault_lane", "f.lane")}
{field("g", "fault_address", "f.address")}
{field("g", "fault_extra", "f.extra")}
  %f.lane32 = trunc i64 {lane} to i32
  store i32 {code}, ptr %f.code, align 4
  store i32 %f.lane32, ptr %f.lane, align 4
  store i64 {address}, ptr %f.address, align 8
  store i64 {extra}, ptr %f.extra, align 8"""


# What `ave_settle` calls where races in global memory are followed; where they are not, it is never called.
_NO_RACE = "define internal i32 @ave_race(ptr %g, ptr %at, i64 %exec, i64 %bytes) noinline #0 {\n  ret i32 0\n}"


def helper(t: BlockTranslator, name: str) -> str:
    """One of the functions that check ("ave_within", "ave_settle" or "ave_aligned"), or "ave_clear", with its @."""
    if "races" not in t.options.check:
        t.helper("ave_race", lambda: _NO_RACE)
    t.module.include("amdgcn", name)
    t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
    for kind in ("umin", "umax"):
        t.module.declare(f"llvm.vector.reduce.{kind}.v{LANES}i64", "i64", [V64])
    t.module.declare(f"llvm.vector.reduce.umax.v{LANES}i32", "i32", [V32])
    return "@" + name


def stage(t: BlockTranslator, space: str) -> str:
    """The stage of a space ("global", "flat", "scratch" or "lds"), with its @."""
    return helper(t, f"ave_at_{space}")


def zeros(t: BlockTranslator) -> str:
    """A pointer to the memory of a vector register that holds 0: for an address without that part."""
    return t.module.constant(V32, "zeroinitializer")
