"""LLVM IR of the function that keeps what the checker found, and the way back: the table in memory comes in, faults go out.

A check that fails has written the workgroup's `fault_` fields. Where the launch stops at errors, and this is one, the wave stops as for any fault.
Else it is noted here, once for each pair of instructions with a count, and the wave goes on.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator

import numpy as np

from avelang.sim.amdgcn.state import GROUP, WAVE

HEAD, ENTRY, MOST = 64, 64, 1024  # bytes before the entries, of one, and how many there are
BYTES = HEAD + ENTRY * MOST
_FORM = "<IIQIIQQ3III"  # code, instruction, key, lane, wave, address, extra, workgroup, times, severe


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """What stopped a wave, or would have: a code of `faults`, the instruction's index, and what the code says that the rest means."""

    code: int
    instruction: int
    lane: int
    wave: int
    address: int
    extra: int
    group: tuple[int, int, int]
    times: int = 1
    severe: bool = True


def _field(name: str, as_name: str, t: str) -> str:
    return f"""  %{as_name}.p = getelementptr i8, ptr %g, i64 {GROUP[name]}
  %{as_name} = load {t}, ptr %{as_name}.p, align {4 if t == "i32" else 8}"""


def _put(offset: int, value: str, t: str) -> str:
    return f"""  %e{offset} = getelementptr i8, ptr %entry.p, i64 {offset}
  store {t} {value}, ptr %e{offset}, align {4 if t == "i32" else 8}"""


# i32 ave_check_found(g, index, key, severe): 1 where the wave is to stop. Entries are told apart by code, instruction and key.
FOUND = f"""
define internal i32 @ave_check_found(ptr %g, i32 %index, i64 %key, i1 %severe) noinline #0 {{
start:
{_field("collect", "collect", "i32")}
  %go = icmp ne i32 %collect, 0
  %mild = xor i1 %severe, true
  %on = or i1 %go, %mild
  br i1 %on, label %note, label %stop
stop:
  ret i32 1
note:
{_field("reports", "table", "ptr")}
{_field("fault_code", "code", "i32")}
  %count = load i32, ptr %table, align 4
  %index64 = zext i32 %index to i64
  %indexup = shl i64 %index64, 32
  %code64 = zext i32 %code to i64
  %what = or i64 %indexup, %code64
  br label %look
look:
  %n = phi i32 [ 0, %note ], [ %n1, %next ]
  %n64 = zext i32 %n to i64
  %skip = mul i64 %n64, {ENTRY}
  %off = add i64 %skip, {HEAD}
  %entry.p = getelementptr i8, ptr %table, i64 %off
  %more = icmp ult i32 %n, %count
  br i1 %more, label %compare, label %new
compare:
  %key.p = getelementptr i8, ptr %entry.p, i64 8
  %ewhat = load i64, ptr %entry.p, align 8
  %ekey = load i64, ptr %key.p, align 8
  %same0 = icmp eq i64 %ewhat, %what
  %same1 = icmp eq i64 %ekey, %key
  %same = and i1 %same0, %same1
  br i1 %same, label %again, label %next
next:
  %n1 = add i32 %n, 1
  br label %look
again:
  %times.p = getelementptr i8, ptr %entry.p, i64 52
  %times = load i32, ptr %times.p, align 4
  %times1 = add i32 %times, 1
  store i32 %times1, ptr %times.p, align 4
  ret i32 0
new:
  %full = icmp uge i32 %n, {MOST}
  br i1 %full, label %done, label %keep
keep:
{_field("fault_lane", "lane", "i32")}
{_field("fault_address", "address", "i64")}
{_field("fault_extra", "extra", "i64")}
{_field("current", "w", "ptr")}
  %wave.p = getelementptr i8, ptr %w, i64 {WAVE["index"]}
  %wave = load i32, ptr %wave.p, align 4
{_field("id", "idx", "i32")}
  %idy.p = getelementptr i8, ptr %idx.p, i64 4
  %idz.p = getelementptr i8, ptr %idx.p, i64 8
  %idy = load i32, ptr %idy.p, align 4
  %idz = load i32, ptr %idz.p, align 4
  %hard = zext i1 %severe to i32
{_put(0, "%what", "i64")}
{_put(8, "%key", "i64")}
{_put(16, "%lane", "i32")}
{_put(20, "%wave", "i32")}
{_put(24, "%address", "i64")}
{_put(32, "%extra", "i64")}
{_put(40, "%idx", "i32")}
{_put(44, "%idy", "i32")}
{_put(48, "%idz", "i32")}
{_put(52, "1", "i32")}
{_put(56, "%hard", "i32")}
  %count1 = add i32 %count, 1
  store i32 %count1, ptr %table, align 4
  br label %done
done:
  ret i32 0
}}
"""


def found(table: np.ndarray) -> Iterator[Fault]:
    """The faults of a table, in the order in which they were first met."""
    count = int(table[:4].view(np.uint32)[0])
    for n in range(count):
        code, index, _, lane, wave, address, extra, x, y, z, times, severe = struct.unpack_from(_FORM, table.data, HEAD + ENTRY * n)
        yield Fault(code, index, lane, wave, address, extra, (x, y, z), times, bool(severe))
