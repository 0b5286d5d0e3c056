"""Pairs of f32 in one register of 64 bits (PTX ISA 9.0, 9.7.3: sm_100 and newer), which LLVM writes for Blackwell."""

import numpy as np
import pytest

from avelang.sim.ptx import Program
from sim.ptx.test_defined import OUT, START
from sim.ptx.texts import kernel, memory, run

NUMPY = {"add": lambda a, b, c: a + b, "sub": lambda a, b, c: a - b, "mul": lambda a, b, c: a * b}
FORMS = [f"{op}{mode}" for op in ("add", "sub", "mul", "fma") for mode in (".rn", ".rz", ".rm", ".rp", ".rn.ftz")]


def patterns(rng: np.random.Generator) -> np.ndarray:
    """Numbers of all sizes, subnormal ones, zeros, infinities and NaN."""
    x = rng.integers(0, 1 << 32, 64, np.uint64).astype(np.uint32)
    odd = np.array([0, 1 << 31, 1, 0x7F800000, 0xFF800000, 0x7FC00001, 0x3F800000, 0x00400000], np.uint32)
    return np.where(rng.random(64) < 0.5, rng.choice(odd, 64), x).astype(np.uint32)


@pytest.mark.parametrize("form", FORMS)
def test_both_halves(form):
    """Each half is as the instruction for one f32 has it, and, rounded to nearest, as NumPy has it."""
    rng = np.random.default_rng(len(form))
    x, out = np.stack([patterns(rng) for _ in range(3)]), np.zeros((2, 64), np.uint32)
    few = 3 if form.startswith("fma") else 2
    pairs, lows, highs = (", ".join(f"%{r}" for r in rs[:few])
        for rs in (("d1", "d2", "d3"), ("f1", "f3", "f5"), ("f2", "f4", "f6")))  # fmt: skip
    run(kernel(f"""
        mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 8; add.u64 %d4, %d0, %p0; add.u64 %d5, %d0, %p1;
        ld.global.b64 %d1, [%d4]; ld.global.b64 %d2, [%d4+256]; ld.global.b64 %d3, [%d4+512];
        mov.b64 {{%f1, %f2}}, %d1; mov.b64 {{%f3, %f4}}, %d2; mov.b64 {{%f5, %f6}}, %d3;
        {form}.f32x2 %d6, {pairs}; {form}.f32 %f7, {lows}; {form}.f32 %f8, {highs};
        st.global.b64 [%d5], %d6; mov.b64 %d7, {{%f7, %f8}}; st.global.b64 [%d5+256], %d7; ret;
        """, 2, chip="sm_100a"), x, out)  # fmt: skip
    assert (out[0] == out[1]).all()
    if form[3:] == ".rn" and few == 2:
        with np.errstate(all="ignore"):
            want = NUMPY[form[:3]](*x.view(np.float32))
        got = out[0].view(np.float32)
        assert ((got == want) | (np.isnan(got) & np.isnan(want))).all()


@pytest.mark.parametrize(("low", "high", "kept", "reports"), [
    ("%r0", "%r20", "{%r9, _}", 0), ("%r0", "%r20", "{_, %r9}", 1), ("%r20", "%r0", "{_, %r9}", 0),
])  # fmt: skip
def test_a_half_without_a_value(low, high, kept, reports):
    """Only the half that is used must have one."""
    body = f"mov.b64 %d5, {{{low}, {high}}}; mul.rn.f32x2 %d6, %d5, %d5; mov.b64 {kept}, %d6;"
    x = np.zeros(32, np.uint32)
    found = Program(kernel(START + body + OUT, chip="sm_100a")).launch(
        [x.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(x), check=("init",), report="collect").reports  # fmt: skip
    assert bool(found) == bool(reports)
