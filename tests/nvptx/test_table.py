"""The table of the instruction set, held against NVIDIA's assembler: forms that it has, forms that it has not, and what
they need."""

from __future__ import annotations

import itertools
import random

import pytest

from avelang.isa.row import ROWS
from avelang.nvptx import nodes as n
from avelang.nvptx.check import PtxTarget, check
from avelang.nvptx.examples import example
from avelang.nvptx.parse import parse_body
from avelang.nvptx.printer import instruction
from avelang.nvptx.readings import FORMS, environments, readings
from nvptx.assembler import need_ptxas, refused
from nvptx.forms import FILE, TARGETS, VERSION, kept, listed, text_of, types

HEAVY = ("wgmma", "tcgen05")  # ptxas needs 10 ms for one of these


def test_the_list_of_forms_is_in_sync():
    """`python tests/nvptx/forms.py` tries all forms and writes the list."""
    forms = listed()
    assert text_of(forms) == FILE.read_text()
    assert list(kept()) == [f"{target} {instruction(x)}" for target, x in forms]
    assert len(forms) > 7000 and len(FORMS) > 130


def test_the_list_reads_back():
    for line in kept()[::7]:
        target, text = line.split(" ", 1)
        (x,) = parse_body(text)
        assert instruction(x) == text
        assert check(x, PtxTarget(target, VERSION), types) is None, text


@pytest.mark.parametrize("target", TARGETS)
def test_ptxas_assembles_the_forms(target):
    """A part of the list: forms.py has tried all of it."""
    need_ptxas()
    mine = [line.split(" ", 1)[1] for line in kept() if line.startswith(f"{target} ")]
    some = [x for i, x in enumerate(mine) if i % (40 if x.startswith(HEAVY) else 6) == 0]
    some = parse_body("".join(some))
    assert some and not refused(some, target, VERSION)


def test_a_wrong_form_is_noticed():
    need_ptxas()
    good, bad = parse_body("add.s32 %s32_0, %s32_1, %s32_2; add.sat.u32 %u32_0, %u32_1, %u32_2;")
    assert list(refused([good, bad, good], "sm_90", VERSION)) == [1]


# ptxas takes this kind on all of Blackwell; PTX ISA 9.0, 9.7.14.5.14, "Target ISA Notes", has it for sm_120 alone.
LAX = "kind::f8f6f4"


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_110a", "sm_120"])
def test_which_target_has_what(target):
    """One instruction of each form, on targets that have it and on those that do not."""
    need_ptxas()
    some = [example(f, next(environments(f))) for group in FORMS.values() for f in group[::2] if f.opcode not in HEAVY]
    some = [x for x in some if LAX not in x.parts]
    ours = {i for i, x in enumerate(some) if check(x, PtxTarget(target, VERSION), types) is not None}
    theirs = set(refused(some, target, VERSION))
    assert [instruction(some[i]) for i in sorted(ours ^ theirs)] == []


def mutants(n_of_them: int, seed: int) -> list[n.PtxInstruction]:
    """Instructions with a modifier left out, added or exchanged, or with an operand left out, added or exchanged."""
    rng = random.Random(seed)
    left_out = (*HEAVY, "call", "ret", "exit", "bra", "brx")
    rows = [x for _, x in listed() if x.opcode not in left_out
        and x.parts[:2] not in (("ld", "param::func"), ("st", "param"))]
    words = {op: [w for x in rows if x.opcode == op for w in x.modifiers] or ["sync"]
        for op in {x.opcode for x in rows}}
    simple = [o for x in rows[::5] for o in x.operands if isinstance(o, (n.Register, n.Int))]

    def mutated(x: n.PtxInstruction) -> n.PtxInstruction:
        parts, operands = list(x.parts), list(x.operands)
        some, added, step = ((parts, rng.choice(words[x.opcode]), 1) if rng.random() < 0.6 or not operands
            else (operands, rng.choice(simple), 0))
        how = rng.choice(("out", "in", "other"))
        if how == "in" or len(some) == step:
            some.insert(rng.randrange(step, len(some) + 1), added)
        elif how == "out":
            del some[rng.randrange(step, len(some))]
        else:
            some[rng.randrange(step, len(some))] = added
        return n.PtxInstruction(tuple(parts), tuple(operands))

    return [mutated(rng.choice(rows)) for _ in range(n_of_them)]


def test_wrong_instructions_are_refused():
    """Of random instructions that are nearly right, `check` lets pass what ptxas takes. It is stricter where ptxas
    takes modifiers in any order; it is not so strict in the ranges of constants."""
    need_ptxas()
    some = mutants(700, 7)
    ours = {i for i, x in enumerate(some) if check(x, PtxTarget("sm_100a", VERSION), types) is not None}
    theirs = set(refused(some, "sm_100a", VERSION))
    assert len(theirs) > 500
    assert len(theirs - ours) <= 0.01 * len(some), [instruction(some[i]) for i in sorted(theirs - ours)]
    assert len(ours - theirs) <= 0.06 * len(some), [instruction(some[i]) for i in sorted(ours - theirs)]


@pytest.mark.parametrize("part", range(3))
def test_all_conversions(part):
    """The whole product of roundings, .ftz, .sat and types: what the rules of the table allow is what ptxas takes."""
    need_ptxas()
    f = next(f for f in FORMS["cvt"] if f.syntax == "cvt{.<rnd>}{.ftz}{.sat}.<d>.<a>")
    words = [[*([""] if s.optional else []), *s.choices] for s in f.slots]
    envs = [dict(zip((s.name for s in f.slots), choice, strict=True)) for choice in itertools.product(*words)][part::12]
    some = [example(f, env) for env in envs]
    ours = {i for i, env in enumerate(envs) if f.broken(env)}
    assert ours == set(refused(some, "sm_90", VERSION))
    assert 0.6 * len(envs) < len(ours) < len(envs)


def test_rows_are_in_the_table():
    """Each row of al.nvvm that goes by LLVM's name says the PTX that it becomes; the table has it. Rows of PTX text:
    tests/isa/test_nvptx_forms.py."""
    names = {row.ptx for name, row in ROWS.items() if name.startswith("nvvm.") and row.ptx}
    assert len(names) > 45
    for name in names:
        found, _ = readings(tuple(name.split(".")))
        assert found and not found[0][0].broken(found[0][1]), name


def test_every_opcode_has_forms_with_sections():
    assert {x.opcode for _, x in listed()} == set(FORMS)
    assert all(f.section.startswith("9.7.") for listed_forms in FORMS.values() for f in listed_forms)
    for opcode in ("add addc sub mul mad sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a "
            "dp2a testp copysign fma rcp sqrt rsqrt sin cos " "lg2 ex2 tanh set setp selp slct and or xor not cnot "
            "lop3 shf shl shr mov shfl prmt ld ldu st prefetch prefetchu applypriority discard "
            "createpolicy isspacep cvta cvt mapa getctarank cp tensormap multimem tex tld4 txq istypep suld sust sured "
            "suq bra brx call ret exit bar barrier " "membar fence atom red vote match activemask redux griddepcontrol "
            "elect mbarrier clusterlaunchcontrol wmma mma ldmatrix stmatrix movmatrix wgmma "
            "tcgen05 stacksave stackrestore alloca vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vavrg4 vset4 "
            "brkpt nanosleep pmevent trap setmaxnreg").split():
        assert opcode in FORMS, opcode


def test_examples_are_nodes():
    f = FORMS["fma"][0]
    x = example(f, {s.name: s.choices[0] if not s.optional else "" for s in f.slots})
    assert x == n.PtxInstruction(("fma", "rn", "f32"), tuple(n.Register(f"%f32_{i}") for i in range(4)))
