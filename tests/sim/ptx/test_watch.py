"""Launches with `check=`: races in shared and global memory, lanes that write to one place, barriers and shuffles that
not all come to. Each kernel is right as it stands, and nothing is found; without one of its marked lines, something
is."""

import functools
import re
from typing import Any

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from sim.ptx.texts import kernel, memory
from sim.ptx.watched import CASES, Case


@functools.cache
def program_of(body: str, params: int, chip: str) -> Program:
    return Program(kernel(body, params, chip))


def found(case: Case, body: str, **more: Any) -> tuple[list[AveError], list[np.ndarray]]:
    arrays = case.arrays()
    program = program_of(body, len(arrays), case.chip)
    ran = program.launch([a.ctypes.data for a in arrays], case.grid, case.block, memory=memory(*arrays),
        cluster=case.cluster, **{"check": ("all",), "report": "collect", **more})  # fmt: skip
    return ran.reports, arrays


@pytest.mark.parametrize("name", CASES)
def test_without_one_line(name):
    case, orders = CASES[name], ({}, {"order": "reverse"}, {"order": "random", "seed": 3})
    for what, body in case.texts():
        for more in orders[: 2 if what else 3]:
            reports, _ = found(case, body, **more)
            codes = {e.code for e in reports}
            assert bool(codes & {*case.codes}) == bool(what), (what, more, [e.message for e in reports])


def test_a_relaxed_arrival_hands_on_no_stores():
    case = CASES["an mbarrier"]
    body = next(case.texts())[1]
    relaxed = body.replace("mbarrier.arrive.shared.b64", "mbarrier.arrive.relaxed.cta.shared.b64")
    assert relaxed != body and not found(case, body)[0]
    assert "X050" in {e.code for e in found(case, relaxed)[0]}


# Threads of block 1 arrive at an mbarrier of block 0 {ARRIVE}; block 0 {WAIT} and ends, or all meet behind it by
# {MEET}.
AT_ANOTHER_BLOCK = """.shared .align 8 .b64 bar; mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r8, bar; setp.ne.u32 %q0, %r0, 0;
    @%q0 bra MADE; mbarrier.init.shared.b64 [%r8], 32; fence.mbarrier_init.release.cluster;
    MADE: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; setp.ne.u32 %q2, %r1, 0; @!%q2 bra W;
    mapa.shared::cluster.u32 %r7, %r8, 0; mbarrier.arrive.{ARRIVE}.cluster.shared::cluster.b64 _, [%r7]; bra END;
    W: {WAIT} END: {MEET} ret;"""
WAIT = "mbarrier.try_wait.parity.shared.b64 %q1, [%r8], 0; @!%q1 bra W;"
MEET = "barrier.cluster.arrive.{}.aligned; barrier.cluster.wait.acquire.aligned;"


@pytest.mark.parametrize("order", [{}, {"order": "reverse"}])
@pytest.mark.parametrize(
    ("arrive", "wait", "meet", "right"),
    [("relaxed", True, "", True), ("release", True, "", True), ("relaxed", False, "", False), ("release", False, "", False),
     ("relaxed", False, "release", True), ("relaxed", False, "relaxed", False)],
)  # fmt: skip
def test_arrivals_at_a_block_that_ends(arrive, wait, meet, right, order):
    """An arrival is over for who has seen the end of its phase, and behind a release."""
    body = AT_ANOTHER_BLOCK.format(ARRIVE=arrive, WAIT=WAIT if wait else "", MEET=MEET.format(meet) if meet else "")
    case = Case(body, (1,), grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))
    codes = {e.code for e in found(case, body, **order)[0]}
    # X035: the block has ended before the other came to it
    assert not codes if right else "X050" in codes or "X035" in codes


def test_numbers_come_in_spite_of_reports():
    """Faults that are known: the kernel runs on, an access outside of memory goes nowhere and reads zero."""
    case = Case("mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; ld.global.u32 %r1, [%d1+4]; "
        "st.global.u32 [%d1], %r1; ret;", (64,), block=(64, 1, 1))  # fmt: skip
    program, x = Program(kernel(case.body)), np.arange(64, dtype=np.uint32)
    ran = program.launch([x.ctypes.data], (1, 1, 1), (64, 1, 1), memory=memory(x), report="collect", check=("races",))
    assert [e.code for e in ran.reports] == ["X032", "X040"] and "array 0" in ran.reports[1].message
    assert x.tolist() == [*range(1, 64), 0] and ran > 0
    with pytest.raises(AveError, match=r"\[X032\]"):
        program.launch([x.ctypes.data], (1, 1, 1), (64, 1, 1), memory=memory(x), check=("races",))


def test_lanes_that_write_to_one_place():
    body = "mov.u32 %r0, %laneid; {} st.global.u32 [%p0], %r0; ret;"
    assert not found(Case("", (1,), block=(32, 1, 1)), body.format("mov.u32 %r0, 4;"))[0]
    (one,) = found(Case("", (1,), block=(32, 1, 1)), body.format(""))[0]
    assert one.code == "X041" and "4 bytes at 0x0 of `array 0` than lane" in one.message


def test_lanes_that_went_apart():
    """They are ordered when they have met again, not before."""
    body = """mov.u32 %r0, %tid.x; .shared .b32 box[32]; mov.u32 %r2, box; mad.lo.u32 %r3, %r0, 4, %r2; xor.b32 %r5, %r0, 1; mad.lo.u32 %r4, %r5, 4, %r2;
        and.b32 %r6, %r0, 1; setp.ne.u32 %q1, %r6, 0; @%q1 bra ODD; st.shared.u32 [%r3], 7; bra END; ODD: {a} add.u32 %r0, %r0, 0;
        END: {b} ret;"""
    read = "ld.shared.u32 %r7, [%r4]; st.global.u32 [%p0], %r7;"
    assert not found(Case("", (1,), block=(32, 1, 1)),
        body.format(a="", b="@%q1 " + read.replace("; st", "; @%q1 st")))[0]
    (one,) = found(Case("", (1,), block=(32, 1, 1)), body.format(a=read, b=""))[0]
    assert one.code == "X050" and "of its lanes 0x55555555, which went another way" in one.message


def test_barriers_in_branches():
    """Who returns early need not come to a barrier; who goes past it should have."""
    body = """mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; setp.ge.u32 %q1, %r0, {n};
        @%q1 bra OFF; bar.sync 0; {off} st.global.u32 [%d1], %r0; ret; {early}"""
    for n in (16, 32):
        assert not found(Case("", (64,)), body.format(n=n, off="", early="OFF: ret;"))[0]
        codes = {e.code for e in found(Case("", (64,)), body.format(n=n, off="OFF:", early=""))[0]}
        assert codes == {"X042"}, n


def test_a_shuffle_from_a_lane_that_is_not_there():
    body = """mov.u32 %r0, %laneid; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; setp.ge.u32 %q1, %r0, 16; @%q1 bra OFF;
        shfl.sync.bfly.b32 %r1, %r0, {x}, 0x1f, 0xffff; st.global.u32 [%d1], %r1; OFF: ret;"""
    case = Case("", (32,), block=(32, 1, 1))
    assert not found(case, body.format(x=8))[0]
    (one,) = found(case, body.format(x=16))[0]
    assert one.code == "X043" and re.search(r"from lane 16, .*lane 0\)", one.message)


def test_words_that_there_are_not():
    x = np.zeros(1, np.uint32)
    cases: list[tuple[dict[str, Any], str]] = [({"check": ("race",)}, "'races', 'init', 'all'"),
        ({"report": "never"}, "collect"), ({"order": "up"}, "reverse")]
    for more, said in cases:
        with pytest.raises(AveError, match=rf"\[X036\].*{said}"):
            Program(kernel("ret;")).launch([x.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(x), **more)


def test_a_warp_that_waits_for_a_later_one_behind_a_barrier():
    """Unchecked as well: blocks begin in code that knows of no turns, and go on where warps have them."""
    body = """.shared .b32 flag; mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; setp.eq.u32 %q1, %r0, 0; @%q1 st.shared.u32 [flag], 0;
        bar.sync 0; setp.ge.u32 %q2, %r0, 32; @%q2 bra TELL; S: ld.volatile.shared.u32 %r5, [flag]; setp.eq.u32 %q3, %r5, 0; @%q3 bra S;
        st.global.u32 [%d1], %r5; ret; TELL: setp.ne.u32 %q4, %r0, 32; @%q4 ret; st.volatile.shared.u32 [flag], 7; ret;"""
    x = np.zeros(64, np.uint32)
    Program(kernel(body)).launch([x.ctypes.data], (1, 1, 1), (64, 1, 1), memory=memory(x))
    assert (x[:32] == 7).all()


ALIGNED = {
    "bar.sync 0;": "X035", "bar.arrive 1, 64;": "X035", "barrier.sync.aligned 0;": "X035", "wgmma.fence.sync.aligned;": "X035",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r9;": "X035",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r2];": "X035",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {x, y}, {x}, {x}, {x, y};": "X035",
    "shfl.sync.idx.b32 %r9, %r9, 0, 31, -1;": "X034", "vote.sync.ballot.b32 %r9, %q1, -1;": "X034", "bar.warp.sync -1;": "X034",
    "shfl.sync.idx.b32 %r9, %r9, 0, 31, 0xff;": None, "elect.sync %r9|%q2, 0xff;": None,
}  # fmt: skip


@pytest.mark.parametrize("text", ALIGNED)
def test_predicates_of_what_lanes_do_together(text):
    """One that holds in eight lanes of a warp, in all, in none."""
    start = """.shared .align 16 .b32 box[64]; .reg .f64 x, y; mov.f64 x, 0d0000000000000000; mov.f64 y, x; mov.u32 %r0, %tid.x; mov.u32 %r2, box;
        mov.u32 %r9, 0; setp.lt.u32 %q1, %r0, {limit};"""
    for limit, want in ((8, ALIGNED[text]), (32, None), (0, None)):
        body = kernel(start.format(limit=limit) + f"@%q1 {text} bar.warp.sync -1; ret;")
        mask = text.replace("0xff", "-1") if limit == 32 else text
        try:
            Program(body.replace(text, mask)).launch([0], (1, 1, 1), (32, 1, 1))
            code = None
        except AveError as e:
            code = e.code
            assert code == "X034" or "0x000000ff of the warp only" in e.message
        assert code == want, (text, limit)


# Each block counts itself, and the last of three does {RESET} to the counter.
COUNTED = """mov.u32 %r0, %tid.x; setp.ne.u32 %q0, %r0, 0; @%q0 bra END; {BEFORE} atom.global.add.u32 %r1, [%p0], 1; {AFTER}
    setp.ne.u32 %q1, %r1, 2; @%q1 bra END; {RESET} END: ret;"""


@pytest.mark.parametrize("order", [{}, {"order": "reverse"}])
@pytest.mark.parametrize(
    ("after", "reset", "right"),
    [("membar.gl;", "st.global.u32 [%p0], 0;", True), ("", "st.global.u32 [%p0], 0;", False), ("membar.gl;", "st.global.u32 [%p0+4], 0;", True),
     ("membar.cta;", "st.global.u32 [%p0], 0;", False)],
)  # fmt: skip
def test_the_last_one_resets_a_counter(after, reset, right, order):
    """It has found the others' atomic operations there."""
    case = Case(COUNTED.format(BEFORE="membar.gl;", AFTER=after, RESET=reset), (2,), grid=(3, 1, 1), block=(32, 1, 1))
    codes = {e.code for e in found(case, case.body, **order)[0]}
    assert codes == (set() if right else {"X040"})


# All blocks store, meet twice as `cooperative_groups::this_grid().sync()` has them meet, and load what others stored.
GRID = """mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mad.lo.u32 %r3, %r1, 64, %r0; mul.wide.u32 %d0, %r3, 4; add.u64 %d0, %d0, %p0;
    add.u32 %r4, %r3, 1; st.global.u32 [%d0], %r4; setp.eq.u32 %q0, %r1, 0; setp.eq.u32 %q1, %r0, 0; sub.u32 %r5, 0x80000001, %r2; selp.u32 %r5, %r5, 1, %q0;
    mov.u32 %r6, %envreg1; mov.u32 %r7, %envreg2; mov.b64 %d1, {%r7, %r6}; add.u64 %d1, %d1, 4; xor.b32 %r8, %r3, 65; mul.wide.u32 %d2, %r8, 4; add.u64 %d2, %d2, %p0;
    """
SYNC = """bar.sync 0; @!%q1 bra M{n}; {fence} atom.add.release.gpu.u32 %r9, [%d1], %r5; W{n}: ld.acquire.gpu.u32 %r10, [%d1]; xor.b32 %r11, %r9, %r10; setp.ge.s32 %q2, %r11, 0;
    @%q2 bra W{n}; M{n}: bar.sync 0;"""


@pytest.mark.parametrize("order", [{}, {"order": "reverse"}, {"order": "random", "seed": 5}])
def test_blocks_that_meet_in_a_cooperative_launch(order):
    first, second = (SYNC.format(n=n, fence="") for n in (1, 2))
    body = f"{GRID} {first} ld.global.u32 %r12, [%d2]; {second} st.global.u32 [%d0], %r12; ret;"
    case = Case(body, (256,), grid=(4, 1, 1))
    reports, (out,) = found(case, body, **order)
    assert not reports and (out == (np.arange(256) ^ 65) + 1).all()
    assert "X040" in {e.code for e in found(case, body.replace(second, ""), **order)[0]}
