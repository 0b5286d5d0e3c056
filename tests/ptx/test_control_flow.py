"""Control flow that the kernel executes: labels, branches, loops and ifs, guards."""

from __future__ import annotations

import pytest
from tests.ptx.programs import lines, made

from avelang.base.errors import AveError
from avelang.ptx import ptx, reg
from avelang.ptx.types import s32, u32


def test_if_and_else():
    def body():
        x = reg.scalar(u32)
        with ptx.if_(x < 3):
            x.set(1)
        with ptx.else_():
            x.set(2)
        with ptx.if_(ptx.not_(x == 1)):
            x.set(3)

    assert lines(body) == [
        "setp.lt.u32 %p0, %u0, 3", "@!%p0 bra $else_0", "mov.u32 %u0, 1", "bra $endif_1", "$else_0:", "mov.u32 %u0, 2",
        "$endif_1:",
        "setp.eq.u32 %p1, %u0, 1", "@%p1 bra $else_2", "mov.u32 %u0, 3", "$else_2:",
    ]  # fmt: skip


def test_loops():
    def body():
        n = reg.scalar(u32)
        with ptx.loop(0, n, 2) as i:
            ptx.continue_(i == 4)
            ptx.break_(i == 8)
        with ptx.loop(3):
            pass
        with ptx.loop(7, -1, -1, dtype=s32) as down:
            down * 2
        with ptx.loop():
            ptx.break_()

    assert lines(body) == [
        "mov.u32 %u1, 0", "$loop_0:", "setp.ge.u32 %p0, %u1, %u0", "@%p0 bra $endloop_1", "setp.eq.u32 %p1, %u1, 4",
        "@%p1 bra $next_2",
        "setp.eq.u32 %p2, %u1, 8", "@%p2 bra $endloop_1", "$next_2:", "add.u32 %u1, %u1, 2", "bra $loop_0",
        "$endloop_1:",
        "mov.u32 %u2, 0", "$loop_3:", "setp.ge.u32 %p3, %u2, 3", "@%p3 bra $endloop_4", "add.u32 %u2, %u2, 1",
        "bra $loop_3", "$endloop_4:",
        "mov.s32 %s0, 7", "$loop_6:", "setp.le.s32 %p4, %s0, -1", "@%p4 bra $endloop_7", "mul.lo.s32 %s1, %s0, 2",
        "add.s32 %s0, %s0, -1",
        "bra $loop_6", "$endloop_7:", "$loop_9:", "bra $endloop_10", "bra $loop_9", "$endloop_10:",
    ]  # fmt: skip


def test_loops_with_their_condition_at_the_end():
    def body():
        x = reg.scalar(u32)
        p, q = reg.pred(), reg.pred()
        with ptx.do_while(ptx.not_(p), uniform=True) as rows:
            ptx.continue_(q)
            with ptx.loop() as columns:
                columns.again(p)
                rows.leave(q, uniform=True)
                ptx.break_()
            rows.again()
        ptx.bra("here")
        with ptx.do_while(p, head="here"):
            x.set(1)

    assert lines(body) == [
        "$loop_0:", "@%p1 bra $next_1", "$loop_3:", "@%p0 bra $loop_3", "@%p1 bra.uni $endloop_2", "bra $endloop_4",
        "bra $loop_3", "$endloop_4:", "bra $loop_0", "$next_1:", "@!%p0 bra.uni $loop_0", "$endloop_2:",
        "bra here", "here:", "mov.u32 %u0, 1", "@%p0 bra here",
    ]  # fmt: skip


def test_blocks_that_are_left():
    def body():
        p, q = reg.pred(), reg.pred()
        with ptx.block() as search:
            with ptx.if_(p, uniform=True) as then:
                then.leave(q)
                search.leave()
            with ptx.else_(uniform=True) as other:
                other.leave(ptx.not_(q))

    assert lines(body) == [
        "@!%p0 bra.uni $else_1", "@%p1 bra $else_1", "bra $endblock_0", "bra.uni $endif_2", "$else_1:",
        "@!%p1 bra $endif_2", "$endif_2:", "$endblock_0:",
    ]  # fmt: skip

    def wrong():
        with ptx.block() as here:
            here.again()

    with pytest.raises(AveError) as caught:
        lines(wrong)
    assert caught.value.code == "T232"


def test_labels_branches_and_guards():
    def body():
        p = reg.pred(False)
        ptx.label("again")
        with ptx.when(ptx.not_(p)):
            reg.from_(1)
        ptx.bra("again", p)
        ptx.bra("out", uniform=True)
        ptx.label("out")
        ptx.bar_sync(1, 64)
        ptx.cluster.sync()
        ptx.exit_(p)
        ptx.ret()

    assert lines(body, "sm_90")[2:] == [
        "again:", "@!%p0 mov.u32 %u1, 1", "@%p0 bra again", "bra.uni out", "out:", "bar.sync 1, 64",
        "barrier.cluster.arrive.aligned",
        "barrier.cluster.wait.aligned", "@%p0 exit", "ret",
    ]  # fmt: skip


def guarded_loop():
    with ptx.when(reg.pred()), ptx.loop(3):
        pass


@pytest.mark.parametrize(("code", "body"), [
    ("T224", lambda: ptx.bra("nowhere")),
    ("T224", lambda: [ptx.label("x"), ptx.label("x")]),
    ("T225", lambda: ptx.not_(3)),
    ("T226", guarded_loop),
    ("T232", lambda: ptx.else_().__enter__()),
    ("T232", lambda: ptx.break_()),
    ("T232", lambda: ptx.continue_()),
])  # fmt: skip
def test_refusals(code, body):
    with pytest.raises(AveError) as caught:
        made(body).ptx()
    assert caught.value.code == code and caught.value.span.file == __file__


def test_else_must_follow_at_once():
    def body():
        x = reg.scalar(u32)
        with ptx.if_(x < 3):
            pass
        x.set(1)
        with ptx.else_():
            pass

    with pytest.raises(AveError, match="T232"):
        made(body).ptx()


def test_one_lane_and_the_rank_in_a_cluster():
    def body():
        first = ptx.elect_sync()
        ptx.inst.mov.u32(reg.scalar(u32), ptx.cluster.rank(), pred=first)

    assert lines(body, "sm_90") == ["elect.sync _|%p0, 4294967295", "@%p0 mov.u32 %u0, %cluster_ctarank"]


def test_what_ptx_does_not_have_says_where_it_may_be():
    with pytest.raises(AttributeError, match="`bar`(?s:.*)ptx.bar_sync; ptx.inst.bar"):
        ptx.bar  # noqa: B018
    with pytest.raises(AveError, match="wants to be called"):
        lines(lambda: ptx.inst.mov.u32(reg.scalar(u32), ptx.special.tid.x))
