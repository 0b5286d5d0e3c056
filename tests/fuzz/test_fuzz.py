"""The fuzzer in small: kept cases on every engine, a slice of drawn programs, and the fuzzer's own parts against faults that are put in."""

import math
import pathlib

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang.emit.llvm import cpu_ops
from avelang.isa.row import ROWS
from fuzz import drawn, instructions, judge, kept, numbers, products, scene_run, scene_steps, scenes, tile_views, tiles, trial, wide
from fuzz.drawn import Drawn
from fuzz.numbers import KINDS
from sim.ptx import programs

ENGINES = ("reference", "cpu", "cpu32", "gfx942", "gfx950", "sm_90a")
CASES = sorted((pathlib.Path(__file__).parent / "cases").glob("*.py"))


@pytest.mark.parametrize("file", CASES, ids=lambda f: f.stem)
def test_kept_cases(file):
    """What engines once got wrong, each as few lines."""
    assert trial.trial(trial.read(file.read_text()), [e for e in ENGINES if e != "gfx950"], 0, cpu=1) == []


@pytest.mark.parametrize("seed", [0])
def test_a_slice_on_all_engines(seed):
    assert trial.trial(drawn.draw(seed), ENGINES, 0, cpu=1) == []


@pytest.mark.parametrize("seed", range(20, 24))
def test_a_slice(seed):
    assert trial.trial(drawn.draw(seed), ("reference", "cpu"), 1) == []


# -- the judge -------------------------------------------------------------------------------------------------------------------------------------

NAMES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
         "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_roundings_are_those_of_numpy(name):
    """From f32, which NumPy's types round once."""
    bits = np.random.default_rng(1).integers(0, 2**32, 3000, dtype=np.uint32)
    x = np.concatenate([bits.view(np.float32), np.random.default_rng(2).standard_normal(3000).astype(np.float32) * 100])
    with np.errstate(all="ignore"):
        want = x.astype(NAMES[name]).astype(np.float64)
    got = np.array([numbers.rounded(float(v), KINDS[name]) for v in x])
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got)[~np.isnan(got)], np.signbit(want)[~np.isnan(got)])


def test_numbers_at_their_edges():
    i8, u8, i32, bf16 = (KINDS[x] for x in ("i8", "u8", "i32", "bf16"))
    assert numbers.binary("div", -128, -1, i8) == -128 and numbers.binary("floordiv", 7, 0, u8) == 255 and numbers.binary("mod", -7, 2, i32) == 1
    assert numbers.shift("shl", 1, i8, 256, KINDS["i64"]) == 0 and numbers.shift("shr", -5, i8, -1, i8) == -1
    assert numbers.convert(math.nan, bf16, i32) == 0 and numbers.convert(-1e30, bf16, u8) == 0 and numbers.convert(math.inf, bf16, i8) == 127
    assert math.copysign(1, numbers.least(0.0, -0.0, bf16)) < 0 and numbers.greatest(math.nan, 2.0, bf16) == 2.0
    assert numbers.exactly(2**24 + 1, KINDS["f32"]) == 2.0**24 and numbers.exactly(2**53 + 3, KINDS["f64"]) == 2.0**53 + 4
    assert numbers.meet(KINDS["f16"], bf16).name == "f32" and numbers.meet(i32, KINDS["u32"]).name == "u32" and numbers.meet(i8, KINDS["u32"]).name == "u32"


def program(*lines: str, threads: int = 64) -> Drawn:
    head = f"import avelang\nimport avelang.language as al\n\n\n@avelang.jit\ndef kernel(a_i32: al.Tensor((3, {threads}), al.i32), o_i32: al.Tensor((1, {threads}), al.i32)):\n"
    return Drawn(head + "\n".join("    " + x for x in ("t = al.thread_id(0)", *lines)) + "\n", (threads, 1, 1), (("a_i32", "i32", 3), ("o_i32", "i32", 1)), (), 1)


MEANINGLESS = {
    "a race": ("s = al.make_shared((64,), al.i32)", "s[t >> 1] = a_i32[0, t]", "o_i32[0, t] = s[t >> 1]"),
    "nothing wrote": ("r = al.make_local((2,), al.i32)", "o_i32[0, t] = r[0]"),
    "a coordinate outside": ("o_i32[0, t] = a_i32[0, t + 1]",),
    "not there": ("if t < 32:", "    o_i32[0, t] = al.shuffle_xor(a_i32[0, t], 32)"),
    "a loop without end": ("n = a_i32[0, t] & 0", "while n == 0:", "    n = n * 2", "o_i32[0, t] = n"),
}


@pytest.mark.parametrize("what", MEANINGLESS)
def test_programs_that_mean_nothing_are_told_apart(what, monkeypatch):
    monkeypatch.setattr(judge.Run, "most", 1000)
    with pytest.raises(judge.Undefined, match=what):
        trial.meaning(program(*MEANINGLESS[what]), 64)


# -- finding and making small -----------------------------------------------------------------------------------------------------------------------


def test_a_fault_is_found_and_made_small(monkeypatch):
    """The CPU backend's `xor` is an `or`: few lines are left of many, and they read back."""
    real = cpu_ops.RULES["xor"]

    def wrong(w, op):
        op.name = "or"
        return real(w, op)

    monkeypatch.setitem(cpu_ops.RULES, "xor", wrong)
    lines = ("v = a_i32[0, t]", "w = a_i32[1, t]", "if w > v:", "    w += v * 3", "else:", "    v = (v ^ w) + 3", "o_i32[0, t] = v")
    (finding,) = trial.trial(program(*lines, threads=8), ("reference", "cpu"))
    small = trial.smallest(finding, 20)
    body = small.drawn.text.split("):\n", 1)[1].splitlines()
    assert finding.engine == "cpu" and len(body) <= 5 and "^" in small.drawn.text and "if" not in small.drawn.text
    again = trial.read(trial.written(small.drawn, "A fault that was put in."))
    assert trial.trial(again, ("reference", "cpu"))
    monkeypatch.setitem(cpu_ops.RULES, "xor", real)
    assert trial.trial(again, ("reference", "cpu")) == []


def test_an_engine_that_raises_is_a_finding(monkeypatch):
    def raises(w, op):
        raise RuntimeError("no rule")

    monkeypatch.setitem(cpu_ops.RULES, "xor", raises)
    (finding,) = trial.trial(program("o_i32[0, t] = a_i32[0, t] ^ a_i32[1, t]"), ("cpu",))
    assert finding.what.startswith("RuntimeError: no rule")


def test_the_loop_outlives_a_process_that_dies(monkeypatch):
    """Three seeds: the second kills its process."""
    import os

    from fuzz import main

    def one(seed):
        if seed == 1:
            os.write(2, b"its last words\n")
            os._exit(9)
        yield {"seed": seed, "programs": 1, "engines": ["reference"]}

    monkeypatch.setitem(main.LEVELS, "al", one)
    monkeypatch.setitem(main.LEVELS, "dead", lambda seed: iter([{"seed": seed, "finding": "smaller", "engine": "cpu", "case": ""}]))
    monkeypatch.setattr(main, "CHUNK", 3)
    tally = main.fuzz("al", 0, 1.0, 4, lambda _: None, jobs=2)
    first, second = tally.findings
    assert tally.programs >= 4 and first["seed"] == second["seed"] == 1 and second["finding"] == "smaller"
    assert "died: status 9" in first["finding"] and "its last words" in first["finding"]


def test_a_program_that_dies_alone(monkeypatch):
    """In a process of its own, whose last words are kept."""
    import os

    monkeypatch.setattr(trial.engines, "run", lambda *_: (os.write(2, b"an error of LLVM\n"), os._exit(1)))
    assert trial.alone(program("o_i32[0, t] = a_i32[0, t]"), "cpu", 1) == "died: status 1 an error of LLVM"
    monkeypatch.setattr(trial.engines, "run", lambda *_: None)
    assert trial.alone(program("o_i32[0, t] = a_i32[0, t]"), "cpu", 1) == ""


@pytest.mark.parametrize("name", [*(f"nvvm.mma_{x}" for x in wide.MMA), *(f"amdgpu.mfma_{x}" for x in wide.MFMA)])
def test_the_judge_knows_the_fragments(name):
    """From the manuals' formulas, held against the rows."""
    _ = al.nvvm, al.amdgpu
    shape, mma = products.shape(name), ROWS[name].mma
    assert mma is not None and (shape.m, shape.n, shape.k, shape.blocks) == (mma.m, mma.n, mma.k, mma.blocks)
    for place, fragment, slots in zip((shape.a, shape.b, shape.c), (mma.a, mma.b, mma.c), shape.slots, strict=True):
        want = np.stack(fragment.index, -1)
        assert want.shape[:2] == (shape.lanes, slots)
        assert [[place(lane, i) for i in range(slots)] for lane in range(shape.lanes)] == [[tuple(x) for x in row] for row in want.tolist()]


# -- tiles and instructions ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [27, 46])
def test_a_slice_of_tiles(seed):
    """A program over tiles on all kinds of engines; a result that is off in one place is told, and so is a byte beside an array."""
    made = tiles.draw(seed)
    for engine, chip in tiles.runs(made):
        assert made.run(engine, chip) == ""
    name = next(iter(made.wants))
    made.wants[name].reshape(-1)[-1] += 1
    assert "1 differ" in made.run("reference", made.chips[0])
    beside = tile_views.copied(made.wants[name], "u8")
    assert tile_views.surroundings(beside)
    np.lib.stride_tricks.as_strided(beside, (beside.size + 1,))[-1] = 3
    assert not tile_views.surroundings(beside)


def test_a_slice_of_products():
    made = tiles.draw(52)
    assert made.run("reference", made.chips[0]) == ""


LATER = sorted((pathlib.Path(__file__).parent / "cases").glob("*.json"))


@pytest.mark.parametrize("file", LATER, ids=lambda f: f.stem)
def test_kept_tiles_and_scenes(file):
    """What was wrong at the tile level, or in executed PTX, once."""
    text = file.read_text()
    if '"ptx"' in text:
        assert scene_run.wrong(kept.scene_of(text)) == scene_run.wrong(kept.scene_of(text), True) == ""
    else:
        made = kept.tile_of(text)
        (chip,) = made.chips
        assert made.run(chip, chip) == ""


def test_cases_read_back():
    """A kernel of tiles, and a PTX program: as files, and read again, they are found wrong where they are."""
    made = tiles.draw(22)
    again = kept.tile_of(kept.of_tile(made, "sm_80", "why"))
    assert again.run("reference", "sm_80") == ""
    next(iter(again.wants.values())).reshape(-1)[0] += 1
    assert "1 differ" in again.run("reference", "sm_80")
    scene = kept.scene_of(kept.of_scene(scenes.scene(3, 1, 2)))
    assert scene_run.wrong(scene) == ""
    scene.want[4, 9] ^= np.uint64(1)
    assert scene_run.wrong(scene).startswith("%i32_0 of thread 9 is")


def test_a_slice_of_scenes(monkeypatch):
    """Whole PTX programs, with checks and without; a wrong rule is found and its statement left alone; so is a barrier that is missing."""
    monkeypatch.setattr(instructions, "assembler", lambda: "")
    assert instructions.whole(7) == []
    drawn = scenes.Draw(1, 1)
    exchange = next(e for e in iter(lambda: scene_steps.exchange(drawn, True), None) if "warp" not in "".join(e.text()))
    steps = [drawn.op(), scene_steps.counters(drawn, True), exchange]
    scene = scenes.made(scenes.Block(steps), drawn.memory, 1)
    assert scene_run.wrong(scene) == scene_run.wrong(scene, True) == ""
    late = scenes.Plain([x for k, x in enumerate(exchange.text()) if not x.startswith("bar") or k < 5], lambda s, mask: None)  # no barrier before the load
    assert "X050" in scene_run.wrong(scenes.made(scenes.Block([late]), drawn.memory, 1), True)
    monkeypatch.setitem(scene_steps.COMMUTE, scene_steps.GROUPS[0][0], lambda a, b: a - b)
    broken = next(s for s in (scenes.made(scenes.Block([scenes.Draw(n, 1).op(), scene_steps.counters(drawn, True)]), drawn.memory, n) for n in range(60)) if ".add." in s.text)
    assert scene_run.wrong(broken)
    small = scene_run.smallest(broken, lambda s: bool(scene_run.wrong(s)), 5)
    assert len(small.body.body) == 1 and ".add." in small.listing()


def test_a_slice_of_instructions(monkeypatch):
    """Right as they are; a rule that is wrong is found, and shown alone."""
    monkeypatch.setattr(instructions, "assembler", lambda: "")
    assert instructions.single(5) == []
    real = programs.differences
    monkeypatch.setattr(programs, "differences", lambda made, got, exact: real(made, got ^ np.uint64(1), exact)[:1])
    assert len(instructions.single(5)) == 1
