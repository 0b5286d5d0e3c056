"""The executor's handlers are found by the entries of the instruction table; what has none is refused by its name."""

import pytest

from avelang.base.errors import AveError
from avelang.nvptx.examples import example
from avelang.nvptx.forms import ENTRIES
from avelang.nvptx.printer import instruction
from avelang.nvptx.readings import environments
from avelang.sim.ptx import Program, handlers
from sim.ptx.texts import filled, kernel

NOT_EXECUTED = """vmad
    st.bulk brkpt stacksave stackrestore tex tld4 suld sust sured txq suq istypep wgmma.mma_async.sp
    tcgen05.mma.ws.sp""".split()


def test_what_is_not_executed():
    assert handlers.not_executed() == NOT_EXECUTED
    # `ret`; `call` is the host's too
    assert len(ENTRIES) - len(NOT_EXECUTED) == len(handlers.TRANSLATED) + len(handlers.HOSTED) + 1
    assert not handlers.TRANSLATED.keys() & handlers.HOSTED.keys()


@pytest.mark.parametrize("name", NOT_EXECUTED)
def test_it_is_refused_by_its_name(name):
    form = ENTRIES[name].forms[0]
    x = example(form, next(environments(form)), shortest=True)
    text = instruction(x).replace("texture", "%d1").replace("surface", "%d1")
    kinds = ("pred", "b8", "b16", "b32", "b64", "b128", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "f16x2", "f32",
        "f64")
    declared = " ".join(f".reg .{t} %{t}_<300>;" for t in kinds if f"%{t}_" in text)
    program = Program(kernel(f"{declared} {text} ret;"))
    assert list(program.unknown.values()) == [f"{name} is not executed here"]


def test_a_handler_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="no instruction frobnicate"):
        handlers.by_entry({"frobnicate": len})
    with pytest.raises(ValueError, match="two handlers for add"):
        handlers.by_entry({"add": len}, {"add": len})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mul.u16.lo %h1, %h2, %h3;", r"`\.u16` does not stand there"),
        ("cvt.f16.f32 %h1, %f1;", "a rounding stands where"), ("vote.all.pred %q1, %q2;", r"`\.all` does not stand there"),
    ],
)  # fmt: skip
def test_an_unknown_instruction_is_refused_before_anything_runs(text, why):
    """Even where no lane comes to it."""
    with pytest.raises(AveError, match=rf"\[X031\].*{why}") as caught:
        Program(kernel(f"ret; {text}"))
    assert caught.value.code == "X031"
    with pytest.raises(AveError, match=r"\[S202\] PTX has no instruction `frobnicate`"):
        Program(kernel("ret; frobnicate.b32 %r1, %r2;"))


def test_a_fence_of_the_proxy_by_its_old_name():
    """membar.proxy.async is fence.proxy.async (PTX ISA 9.0, 9.7.13.4)."""
    assert (filled("membar.proxy.async; st.global.u32 [%d0], 3; ret;") == 3).all()


@pytest.mark.parametrize("check", [(), ("races", "init")], ids=["", "all"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("add.u32 %r1, %r1;", "takes 3 operands, not 2"), ("sub.f16 %h1, %h1;", "takes 3 operands, not 2"),
        ("shl.b32 %r1, %r1, 1, %r1;", "takes 3 operands, not 4"), ("prmt.b32 %r1, %r1, %r1;", "takes 4 operands, not 3"),
        ("setp.ltu.f32 {%f1, %f2}, %f3, %f3;", "a list in braces"), ("mov.pred %r1, %q1;", ""),
        ("bar.red.popc.u32 1, 0, %q1;", "operand 1, `1`, is wrong: a constant"), ("testp.finite.f32 {%r1, %r2}, %f1;", "a list in braces"),
        ("mbarrier.pending_count.b64 1.5, %d1;", "operand 1"), ("mul.lo.u32 %r1, {%r1, %r2}, %r1;", "16 are needed"),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1}, {%f1, %f2, %f3, %f4};", ""),
    ],
)  # fmt: skip
def test_operands_that_an_instruction_does_not_take(text, why, check):
    """Where ptxas has not seen a text: the words of the table, whoever comes upon it first."""
    with pytest.raises(AveError, match=r"\[X031\]") as caught:
        Program(kernel(f"mov.b32 %r1, 0; setp.eq.u32 %q1, %r1, 0; {text} ret;")).launch([0], (1, 1, 1), (32, 1, 1), check=check)
    assert why in caught.value.message
