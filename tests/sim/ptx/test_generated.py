"""Generated programs over the instruction set, against results computed in exact integers and fractions (`programs`,
`forms`, `numbers`); and what is held against a GPU: how far its approximate results may be off, and the known faults of
its assembler (`faults`)."""

import numpy as np
import pytest

from avelang.sim.ptx import Program
from sim.ptx import faults, forms_approximate, programs
from sim.ptx.numbers import F
from sim.ptx.texts import filled

FORMS, SECTIONS = 128, 16
SEEDS = range(10)  # of so many modules of 16 programs each


def run(made: programs.Made) -> np.ndarray:
    out = np.full(made.want.shape, programs.KEPT, np.uint64)
    memory = [(made.inputs.ctypes.data, made.inputs.nbytes, "source", False),
        (out.ctypes.data, out.nbytes, "destination", True)]
    Program(made.text).launch([made.inputs.ctypes.data, out.ctypes.data], (len(made.steps), 1, 1),
        (programs.LANES, 1, 1), memory=memory)
    return out


@pytest.mark.parametrize("first", range(0, len(programs.alphabet()), FORMS))
def test_every_form(first):
    chosen = programs.alphabet()[first : first + FORMS]
    made = programs.module(1000 + first, SECTIONS, -(-len(chosen) // SECTIONS), only=chosen)
    assert programs.differences(made, run(made), exact=True) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed):
    made = programs.module(seed, SECTIONS, 4)
    assert programs.differences(made, run(made), exact=True) == []


def test_a_wrong_result_is_found():
    made = programs.module(1, 2, 3)
    out = run(made)
    at = made.steps[1][2].outs[0]
    out[1, at, 5] ^= np.uint64(1 << 40)
    found = programs.differences(made, out)
    assert len(found) == 1 and "section 1" in found[0] and "thread 5" in found[0]


# -- what is held against a GPU ----------------------------------------------------------------------------------------

FORMS_BY_NAME = {f.name: f for f in programs.alphabet()}
# Results of an H200, by form: operands and what the result's register held. The guards of the last three were false.
SEEN = {"rem.u16": ((0x5B5C, 0), 0xFFFF), "rem.s32": ((0x714A127, 0), 0xFFFFFFFF),
    "rem.s64": ((0x8B2E4CC87D4EB611, 0), 0xFFFFFFFFFFFFFFFF), "testp.normal.f64": ((1 << 63,), 1)}  # fmt: skip
GUARDED = {"testp.normal.f32": ((0xBF2105D0,), 1), "testp.subnormal.f32": ((0x80244132,), 1),
    "testp.finite.f64": ((0x7FEFFFFFFFFFFFFF,), 1), "set.eq.u32.s16": ((0xEFF4, 0x977), 0x5A5A),
    "set.lo.u32.u16": ((2, 0x8000), 0x5A5A), "set.xor!.f32": ((0x23, 0x80000000, 0), 0x4EB4B4B5),
    "set.and.f32": ((2, 0x293658, 1), 0x4EB4B4B5)}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_rules_give_what_an_h200_gave(name):
    operands, result = SEEN[name]
    assert FORMS_BY_NAME[name].rule(*operands) == result


@pytest.mark.parametrize("name", GUARDED)
def test_known_faults_give_what_an_h200_gave(name):
    form = FORMS_BY_NAME[name]
    operands, result = GUARDED[name]
    step = programs.Step(form, [], [0], "guard", 0)
    (fault,) = [f for f in faults.FAULTS if f.meets(step, (13, 0))]
    assert fault.result(step, list(operands), 0x5A5A5A5A) == result
    assert not any(f.meets(step, (12, 8)) for f in faults.FAULTS)


def test_a_known_fault_explains_only_what_it_does():
    made = next(m for m in (programs.module(n, 1, 1, only=[FORMS_BY_NAME["set.lt.u32.u16"]]) for n in range(99))
        if m.steps[0][0].how == "guard")
    (step,), right = made.steps[0], made.want.copy()
    (at,), (fault,) = step.outs, [f for f in faults.FAULTS if f.meets(made.steps[0][0], (13, 0))]
    found = right.copy()
    found[0, at] = faults.faulty(made, 0, step, fault)
    lanes = int((found != right).sum())
    assert lanes == (made.inputs[0, step.test] == 0).sum() > 0
    assert faults.unexplained(made, found, programs.wrong(made, found), (13, 0)) == ([], {fault.what: lanes})
    assert len(faults.unexplained(made, found, programs.wrong(made, found), (12, 9))[0]) == lanes
    found[0, at, 7] ^= np.uint64(1)
    left, known = faults.unexplained(made, found, programs.wrong(made, found), (13, 0))
    assert len(left) >= lanes and not known and any(d.lane == 7 for d in left)


def test_a_guarded_result_is_no_approximation_of_what_was_there():
    """Where the guard is false, the old bits must be there, however near the result is."""
    sine = FORMS_BY_NAME["sin.approx.f32"]
    made = next(m for m in (programs.module(n, 1, 1, only=[sine]) for n in range(99)) if m.steps[0][0].how == "guard")
    step = made.steps[0][0]
    out, lane = made.want.copy(), int(np.flatnonzero(made.inputs[0, step.test] == 0)[0])
    out[0, step.outs[0], lane] = programs.stored(sine.rule(int(made.inputs[0, step.ins[0], lane])), "f32")  # type: ignore[arg-type]
    assert len(programs.differences(made, out)) == 1


def test_errors_that_the_manual_allows():
    """One step within and one beyond, at arguments on both sides of where bounds change; 0x40ca595e is an H200's sine
    beyond 2 pi."""
    near = {f.name: f.near for f in forms_approximate.approximate() if f.near is not None}
    f = F["f32"]

    def share(name: str, got: float, *operands: float) -> float:
        return near[name].share(f, int(np.float32(got).view(np.uint32)),
            *(int(np.float32(x).view(np.uint32)) for x in operands))

    assert near["sin.approx.f32"].share(f, 0x3D24B546, 0x40CA595E) < 1 < near["sin.approx.f32"].share(f, 0x3D24B546
        + (1 << 14), 0x40CA595E)
    assert share("sin.approx.f32", np.sin(3.0) + 2.0**-21, 3) < 1 < share("sin.approx.f32", np.sin(3.0) + 2.0**-20, 3)
    assert share("lg2.approx.f32", np.log2(1.25) + 2.0**-23, 1.25) < 1 < share("lg2.approx.f32", np.log2(1.25)
        + 2.0**-21, 1.25)
    assert share("lg2.approx.f32", 2.5 * (1 + 2.0**-21.2), 2**2.5) > 1 > share("lg2.approx.f32", 2.5 * (1 + 2.0**-22.9),
        2**2.5)
    assert share("rcp.approx.ftz.f32", 0.5 + 2.0**-24, 2) == 1.0 and share("div.full.f32", 0.5 + 3 * 2.0**-24, 1,
        2) == 1.5
    assert share("tanh.approx.f32", np.tanh(1.0) * (1 + 2.0**-12), 1) < 1 < share("tanh.approx.f32",
        np.tanh(1.0) * (1 + 2.0**-10), 1)


# bfe and bfi of 64 bits with positions and lengths beyond 255, which the ISA excludes: what an H200 gave.
WIDE = [("bfe.u64", (0x3A807B, 0x100, 0x37595586), 0),
    ("bfe.u64", (0x15CCB7E01597AC19, 0xC, 0xE7C44C0A), 0x15CCB7E01597A),
    ("bfe.u64", (0x736B3754C64EE121, 0x1A, 0x100), 0x1CDACDD531),
    ("bfe.s64", (0x9770CE96F3B796E9, 0x100, 8), 0xFFFFFFFFFFFFFFFF), ("bfe.s64", (0x50E70BEDE8C, 0x100, 0xF3B89618), 0),
    ("bfe.s64", (0x5D46C4406E977C92, 7, 0x100), 0xBA8D8880DD2EF9),
    ("bfi.b64", (0x284CB1, 0xD2ED80B924EFF2, 0x100, 1), 0xD2ED80B924EFF2),
    ("bfi.b64", (0x79CA4F42D66329A, 1 << 63, 0x45710607, 0xFF), 1 << 63),
    ("bfi.b64", (0xFFFF, 0xDADD23FADFEF7346, 0xA, 0x100), 0x3FFFF46)]  # fmt: skip


def test_wide_bit_fields_as_an_h200_makes_them():
    moves = {True: "mov.u64 %d{}, {};", False: "mov.u32 %r{}, {};"}
    got = []
    for name, operands, _ in WIDE:
        kinds = [k < len(operands) - 2 for k in range(len(operands))]
        text = "".join(moves[wide].format(4 + k, hex(x)) for k,
            (wide, x) in enumerate(zip(kinds, operands, strict=True)))
        names = ", ".join(f"%{'d' if wide else 'r'}{4 + k}" for k, wide in enumerate(kinds))
        for part in (0, 32):
            text_ = (f"{text} {name} %d9, {names}; shr.u64 %d9, %d9, {part}; cvt.u32.u64 %r9, %d9; st.global.u32 "
                f"[%d0], %r9; ret;")
            got.append(int(filled(text_)[0]))
    assert [low | high << 32 for low, high in zip(got[::2], got[1::2], strict=True)] == [result for _, _,
        result in WIDE]
