"""A space comes in; the function that checks addresses of 64 lanes in it and makes host addresses goes out
(`native/amdgcn/addresses.c`)."""

from __future__ import annotations

from avelang.sim.amdgcn.state import LANES
from avelang.sim.amdgcn.translator import BlockTranslator

V64, V32 = f"<{LANES} x i64>", f"<{LANES} x i32>"


# What `ave_settle` calls where races in global memory are followed; where they are not, it is never called.
_NO_RACE = "define internal i32 @ave_race(ptr %g, ptr %at, i64 %exec, i64 %bytes) noinline #0 {\n  ret i32 0\n}"


def helper(t: BlockTranslator, name: str) -> str:
    """One of the functions that check ("ave_within", "ave_settle" or "ave_aligned"), or "ave_clear", with its @."""
    if "races" not in t.options.check:
        t.helper("ave_race", lambda: _NO_RACE)
    t.module.include("amdgcn", name)
    return "@" + name


def stage(t: BlockTranslator, space: str) -> str:
    """The stage of a space ("global", "flat", "scratch" or "lds"), with its @."""
    return helper(t, f"ave_at_{space}")


def zeros(t: BlockTranslator) -> str:
    """A pointer to the memory of a vector register that holds 0: for an address without that part."""
    return t.module.constant(V32, "zeroinitializer")
