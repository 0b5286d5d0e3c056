"""Divergence and reconvergence, calls, exits, predicates; what lanes wait for one another."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.texts import filled, kernel, run

LANE = np.arange(32, dtype=np.uint32)


def test_lanes_that_went_apart_meet_again():
    """Behind the branch all are active at once."""
    got = filled("""
        and.b32 %r1, %r0, 1; setp.eq.u32 %q1, %r1, 0;
        @%q1 bra EVEN;
        mov.u32 %r2, 7; bra JOIN;
        EVEN: mov.u32 %r2, 5;
        JOIN: activemask.b32 %r3;
        xor.b32 %r3, %r3, %r2; st.global.u32 [%d0], %r3; ret;""")
    assert (got == (0xFFFFFFFF ^ np.where(LANE % 2, 7, 5))).all()


def test_loops_that_lanes_leave_at_different_times():
    """Collatz: each lane has its own number of trips, with a break in the middle of the loop."""
    got = filled("""
        add.u32 %r1, %r0, 1; mov.u32 %r2, 0;
        LOOP: setp.eq.u32 %q1, %r1, 1; @%q1 bra DONE;
        add.u32 %r2, %r2, 1;
        and.b32 %r3, %r1, 1; setp.ne.u32 %q2, %r3, 0;
        @%q2 mad.lo.u32 %r1, %r1, 3, 1;
        @!%q2 shr.u32 %r1, %r1, 1;
        setp.gt.u32 %q3, %r2, 20; @%q3 bra.uni DONE;
        bra.uni LOOP;
        DONE: st.global.u32 [%d0], %r2; ret;""".replace("bra.uni DONE", "bra DONE"))

    def trips(n: int) -> int:
        count = 0
        while n != 1:
            n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
            if count > 20:
                break
        return count

    assert got.tolist() == [trips(n + 1) for n in range(32)]


def test_some_lanes_exit_and_the_others_shuffle_on():
    got = filled("""
        setp.ge.u32 %q1, %r0, 20; @%q1 exit;
        shfl.sync.bfly.b32 %r2, %r0, 1, 0x1f, -1;
        bar.sync 0;
        st.global.u32 [%d0], %r2; ret;""")
    assert got.tolist() == [n ^ 1 for n in range(20)] + [0] * 12


def test_a_branch_by_index():
    got = filled("""
        TABLE: .branchtargets A, B, C;
        rem.u32 %r1, %r0, 3; brx.idx %r1, TABLE;
        A: mov.u32 %r2, 10; bra END;
        B: mov.u32 %r2, 20; bra END;
        C: mov.u32 %r2, 30;
        END: st.global.u32 [%d0], %r2; ret;""")
    assert (got == 10 + 10 * (LANE % 3)).all()


def test_calls_with_divergent_callers_and_nested_functions():
    outside = """
    .func (.reg .b32 out) twice(.reg .b32 x) { add.u32 out, x, x; ret; }
    .func (.param .b32 out) odd(.param .b32 x)
    { .reg .b32 a, b; .reg .pred p; ld.param.b32 a, [x]; and.b32 b, a, 1; setp.eq.u32 p, b, 0; @p bra E;
      call (a), twice, (a); E: add.u32 a, a, 1; st.param.b32 [out], a; ret; }
    """
    got = filled("""
        mov.u32 %r5, 100; setp.lt.u32 %q1, %r0, 24; @!%q1 bra SKIP;
        { .param .b32 a; .param .b32 o; st.param.b32 [a], %r0; call (o), odd, (a); ld.param.b32 %r5, [o]; }
        SKIP: activemask.b32 %r6; st.global.u32 [%d0], %r5; ret;""", outside=outside)
    assert got.tolist() == [(2 * n if n % 2 else n) + 1 if n < 24 else 100 for n in range(32)]


def test_calls_by_address():
    outside = """
    .func (.reg .b32 out) one(.reg .b32 x) { add.u32 out, x, 1; ret; }
    .func (.reg .b32 out) ten(.reg .b32 x) { add.u32 out, x, 10; ret; }
    """
    got = filled("""
        P: .callprototype (.reg .b32 _) _ (.reg .b32 _);
        and.b32 %r1, %r0, 1; setp.eq.u32 %q1, %r1, 0; mov.u64 %d1, one; mov.u64 %d2, ten; selp.b64 %d3, %d1, %d2, %q1;
        call (%r2), %d3, (%r0), P; st.global.u32 [%d0], %r2; ret;""", outside=outside)
    assert (got == LANE + np.where(LANE % 2, 10, 1)).all()


def test_recursion_is_refused():
    with pytest.raises(AveError, match=r"\[X030\].*calls itself"):
        filled("call again; ret;", outside=".func again() { call again; ret; }")


def test_a_lock_within_a_warp():
    """Lanes that spin do not keep out the one that they wait for."""
    lock, count = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    run(kernel("""
        SPIN: atom.global.cas.b32 %r1, [%p0], 0, 1; setp.ne.u32 %q1, %r1, 0; @%q1 bra SPIN;
        ld.global.u32 %r2, [%p1]; add.u32 %r2, %r2, 1; st.global.u32 [%p1], %r2;
        atom.global.exch.b32 %r3, [%p0], 0; ret;""", 2), lock, count)
    assert count[0] == 32 and lock[0] == 0


def test_blocks_that_wait_for_one_another():
    """A barrier of the whole grid, by a counter in memory."""
    counter, out = np.zeros(1, np.uint32), np.zeros(6, np.uint32)
    run(kernel("""
        mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %p1;
        red.global.add.u32 [%p0], 1;
        SPIN: ld.acquire.gpu.global.u32 %r2, [%p0]; setp.lt.u32 %q1, %r2, 6; @%q1 bra SPIN;
        st.global.u32 [%d1], %r2; ret;""", 2), counter, out, grid=(6, 1, 1), block=(1, 1, 1))
    assert (out == 6).all()


def test_masks_name_who_must_come():
    """Two halves shuffle at the same instruction, and a third group never comes."""
    got = filled("""
        setp.lt.u32 %q1, %r0, 16; selp.b32 %r1, 0xffff, 0xffff0000, %q1;
        @%q1 bra LOW; add.u32 %r9, %r0, 100; bra MEET; LOW: add.u32 %r9, %r0, 0;
        MEET: shfl.sync.down.b32 %r2, %r9, 1, 0x1f, %r1; st.global.u32 [%d0], %r2; ret;""")
    value = LANE + np.where(LANE < 16, 0, 100)
    assert (got[:15] == value[1:16]).all() and (got[16:31] == value[17:]).all()
    with pytest.raises(AveError, match=r"\[X034\].*lanes? at line \d+ \(`shfl.sync") as caught:
        filled("setp.lt.u32 %q1, %r0, 9; @%q1 bra OFF; shfl.sync.down.b32 %r2, %r0, 1, 0x1f, -1; OFF: bar.warp.sync "
            "-1; ret;")
    assert caught.value.code == "X034"


def test_barriers_with_numbers_and_votes():
    out = np.zeros(128, np.uint32)
    run(kernel("""
        mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %p0; .shared .b32 box;
        setp.ge.u32 %q1, %r0, 64; @%q1 bra CONSUMER;
        mov.u32 %r1, 77; st.shared.u32 [box], %r1; bar.arrive 3, 128; bra END;
        CONSUMER: bar.sync 3, 128; ld.shared.u32 %r1, [box];
        END: setp.lt.u32 %q2, %r0, 100; barrier.cta.red.popc.aligned.u32 %r2, 0, %q2;
        barrier.cta.red.and.aligned.pred %q3, 0, %q2; selp.u32 %r4, 1000, 2000, %q3;
        add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r4; st.global.u32 [%d0], %r1; ret;"""), out, block=(128, 1, 1))
    assert (out == 77 + 100 + 2000).all()


def test_a_barrier_that_some_never_reach():
    with pytest.raises(AveError, match=r"\[X034\].*warp 1 of block \(0, 0, 0\) at line \d+ \(`bar.sync 1, 96;`\)"):
        filled("setp.lt.u32 %q1, %r0, 32; @%q1 bra OFF; bar.sync 1, 96; OFF: ret;", 64, block=(64, 1, 1))


def test_special_registers():
    got = filled("""
        mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %lanemask_lt; popc.b32 %r5, %r5;
        mov.u64 %d1, %clock64; mov.u64 %d2, %clock64; setp.gt.u64 %q1, %d2, %d1; selp.u32 %r6, 1, 0, %q1;
        mad.lo.u32 %r1, %r2, 100, %r1; mad.lo.u32 %r1, %r3, 10000, %r1; mad.lo.u32 %r1, %r4, 10000000, %r1; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6;
        st.global.u32 [%d0], %r1; ret;""", 64, block=(64, 1, 1))
    lane = np.arange(64)
    assert (got == lane % 32 + 100 * (lane // 32) + 640000 + 10000000 + lane % 32 + 1).all()


def test_printing(capsys):
    outside = """.global .align 1 .b8 form[24] = {108, 97, 110, 101, 32, 37, 100, 32, 105, 115, 32, 37, 46, 50, 102, 32, 37, 108, 108, 117, 10, 0};
    .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);"""
    filled("""
        .local .align 8 .b8 stack[24]; setp.gt.u32 %q1, %r0, 1; @%q1 exit;
        mov.u64 %d1, stack; cvta.local.u64 %d2, %d1; cvta.global.u64 %d3, form;
        st.local.u32 [stack], %r0; mov.f64 %d4, 0d3FF4000000000000; st.local.f64 [stack+8], %d4; mov.u64 %d5, 12345678901; st.local.u64 [%d1+16], %d5;
        { .param .b64 a; .param .b64 b; .param .b32 o; st.param.b64 [a], %d3; st.param.b64 [b], %d2; call.uni (o), vprintf, (a, b); ld.param.b32 %r9, [o]; }
        ret;""".replace("cvta.global.u64 %d3, form", "mov.u64 %d6, form; cvta.global.u64 %d3, %d6"), outside=outside)
    assert capsys.readouterr().out == "lane 0 is 1.25 12345678901\nlane 1 is 1.25 12345678901\n"


def test_what_is_not_executed_stops_only_where_it_stands():
    assert (filled("setp.lt.u32 %q1, %r0, 99; @%q1 bra ON; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}]; "
        "ON: st.global.u32 [%d0], 3; ret;") == 3).all()
    with pytest.raises(AveError,
            match=r"\[X031\].*`add.fancy.u32 %r1, %r1, %r1;` at line \d+: .*`.fancy` does not stand there") as caught:
        filled("add.fancy.u32 %r1, %r1, %r1; ret;")
    assert caught.value.code == "X031"
    with pytest.raises(AveError, match=r"\[X031\].*%r1 has 32 bits, 64 are needed"):
        filled("add.u64 %d1, %d1, %r1; ret;")
    with pytest.raises(AveError, match=r"\[X031\].*there is no `nothing`"):
        filled("bra nothing;")
    with pytest.raises(AveError, match=r"\[X035\].*trap.*stopped itself \(thread \(9, 0, 0\)"):
        filled("setp.lt.u32 %q1, %r0, 9; @%q1 bra ON; trap; ON: ret;")
