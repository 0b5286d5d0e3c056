"""The judge of kernels: right ones pass, and what others try is found."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import avelang
import avelang.language as al
from avelang import errors
from avelang.cli.main import main


@avelang.jit
def add_kernel(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, LAST: al.constexpr, READ: al.constexpr):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    i = al.block_id(0) * 64 + al.thread_id(0)
    if i + LAST < n:
        ys[i] = xs[i] + READ
    if LAST == 0 and READ == 2:
        ys[0] = xs[0] + al.convert(al.block_id(0), al.f32)


@avelang.jit
def unsynced(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    tile = al.make_shared((128,), al.f32)
    t = al.thread_id(0)
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    for k in al.range((n + 127) // 128):
        tile[t] = 1.0
        if k * 128 + t < n:
            ys[k * 128 + t] = xs[k * 128 + t] + tile[127 - t]


@avelang.jit
def wrong_types(x: al.Pointer(al.f32), n: al.u32):
    x[0] = nothing  # noqa: F821


def draw(rng):
    n = int(rng.integers(1, 300))
    return {"x": rng.standard_normal(n, np.float32), "y": np.empty(n, np.float32)}


def reference(x):
    return x.astype(np.float64) + 1


def good(x, y, last=0, read=1):
    add_kernel[(len(x) + 63) // 64, 64](x, y, len(x), last, read)


def judged(candidate, **options):
    return avelang.judge(candidate, reference, draw, outputs=("y",),
                         **{"seed": 5, "shapes": 3, "speed": False, "checked": 1, **options})


def kinds(candidate, **options):
    return {f.kind for f in judged(candidate, **options).faults}


def test_a_right_one_passes():
    v = judged(good)
    assert v.passed and v.compiled and (v.correct, v.tried, v.checked) == (3, 3, 1) and v.kernels == ("add_kernel",)
    assert str(v).startswith("passed: 3 of 3") and json.loads(json.dumps(v.as_dict()))["passed"] is True


def test_speed_is_measured_where_all_is_right():
    v = judged(good, speed=True, seconds=0.05, shapes=1)
    assert v.speed is not None and v.speed.candidate > 0 and v.speed.rounds >= 2
    assert v.speed.speedup == pytest.approx(v.speed.baseline / v.speed.candidate)
    assert "times as fast" in str(v) and judged(lambda x, y: good(x, y, 0, 3), speed=True).speed is None


def test_the_usual_mistakes():
    v = judged(lambda x, y: good(x, y, 0, 3))
    assert not v.passed and v.correct == 0 and {f.kind for f in v.faults} == {"wrong"}
    assert "off by" in v.faults[0].text and v.faults[0].case.startswith("x (") and v.faults[0].seed is not None
    assert kinds(lambda x, y: good(x, y, 1)) >= {"unwritten"}
    assert kinds(lambda x, y: None) == {"unwritten", "no kernel"}
    assert kinds(lambda x, y: 1 / 0) == {"error", "no kernel"}
    v = judged(lambda x, y: wrong_types[1, 64](x, len(x)))
    assert not v.compiled and v.tried == 3 and [f.kind for f in v.faults] == ["compile"]
    assert v.faults[0].error is not None and v.faults[0].error["code"] == "T001" and v.faults[0].error["line"]


def test_checks_find_what_results_do_not_show():
    """Blocks of 128 lanes are two waves: each reads what the other writes, and always gets 1 on the reference."""
    assert kinds(lambda x, y: unsynced[1, 128](x, y, len(x))) & {"race", "uninitialized"}

    def outside(x, y):
        add_kernel[(len(x) + 63) // 64, 64](x, y, len(x), 0, 1)
        add_kernel[(len(x) + 127) // 64, 64](x, y, len(x) + 1, 0, 1)

    wide = np.zeros(400, np.float32)
    assert "out of bounds" in {f.kind for f in avelang.judge(
        lambda x, y: outside(x, y), reference, lambda rng: {"x": wide[:70].copy(), "y": wide[:70].copy()},
        outputs=("y",), seed=1, shapes=1, speed=False).faults}  # fmt: skip


def test_cheats_are_found():
    seen, results = {}, {}

    def remembers(x, y):
        """The first result for an array, again."""
        if id(x) not in seen:
            good(x, y)
            seen[id(x)], results[id(x)] = x, y.copy()
        y[...] = results[id(x)]

    assert "wrong" in kinds(remembers, checked=0)

    def numpy(x, y):
        y[...] = x + 1

    assert kinds(numpy) == {"no kernel"} and judged(numpy, kernel=False).passed
    calls = []

    def works_twice(x, y):
        calls.append(0)
        good(x, y, 0, 1 if len(calls) <= 4 else 5)

    assert "wrong" in kinds(works_twice, shapes=1, speed=True, seconds=0.01, checked=1)

    def in_place(x, y):
        good(x, y)
        x += 1

    assert "input changed" in kinds(in_place)


def test_results_may_be_returned_and_must_not_be_inputs():
    def returned(x):
        y = np.empty_like(x)
        good(x, y)
        return y

    def only_x(rng):
        return {"x": draw(rng)["x"]}

    options = {"seed": 1, "shapes": 2, "speed": False, "checked": 1}
    assert avelang.judge(returned, reference, only_x, **options).passed
    lazy = avelang.judge(lambda x: x, lambda x: x, only_x, **options)
    assert {f.kind for f in lazy.faults} == {"returns an input", "no kernel"}
    two = avelang.judge(lambda x: (returned(x), x), reference, only_x, **options)
    assert "2 arrays" in two.faults[0].text


def test_inout_arguments_and_other_dtypes():
    def inout(rng):
        return {"x": draw(rng)["x"]}

    assert avelang.judge(lambda x: good(x, x), reference, inout, inout=("x",), seed=2, shapes=2, speed=False,
                         checked=1).passed  # fmt: skip


def test_torch():
    torch = pytest.importorskip("torch")

    def drawn(rng):
        n = int(rng.integers(1, 200))
        return {"x": torch.from_numpy(rng.standard_normal(n, np.float32)), "y": torch.empty(n)}

    v = avelang.judge(good, lambda x: x.double() + 1, drawn, outputs=("y",), seed=3, shapes=2, speed=False, checked=1)
    assert v.passed, str(v)


def test_seeds_draw_the_same_and_are_drawn_themselves():
    assert judged(lambda x, y: None).faults == judged(lambda x, y: None).faults
    assert judged(good, seed=None, shapes=1, checked=0).seed != judged(good, seed=None, shapes=1, checked=0).seed


@pytest.mark.parametrize(("options", "said"), [
    ({"draw": lambda rng: 3}, "by name"),
    ({"outputs": ("z",)}, "no argument 'z'"),
    ({"reference": lambda x: None}, "gives 0 arrays"),
])  # fmt: skip
def test_bad_questions_are_errors(options, said):
    question = {"reference": reference, "draw": draw, "outputs": ("y",), **options}
    with pytest.raises(errors.ArgumentError, match=said) as e:
        avelang.judge(good, question["reference"], question["draw"], outputs=question["outputs"])
    assert e.value.code == "L066"


TASK = '''
import numpy as np
import avelang
import avelang.language as al

outputs = ("y",)


@avelang.jit
def plus(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    if i < n:
        y[i] = x[i] + 1.0


def candidate(x, y):
    plus[(len(x) + 63) // 64, 64](x, y, len(x))


def reference(x):
    return x + 1


def draw(rng):
    n = int(rng.integers(1, 300))
    return {"x": rng.standard_normal(n, np.float32), "y": np.empty(n, np.float32)}
'''


def test_the_command(tmp_path):
    task, other = tmp_path / "task.py", tmp_path / "other.py"
    task.write_text(TASK)
    other.write_text("def candidate(x, y):\n    y[...] = x\n")
    options = ["--shapes", "2", "--no-speed", "--seed", "3"]
    done = CliRunner().invoke(main, ["judge", str(task), *options])
    assert done.exit_code == 0 and done.stdout.startswith("passed: 2 of 2"), done.output
    done = CliRunner().invoke(main, ["judge", str(task), "--candidate", str(other), "--json", *options])
    found = json.loads(done.stdout)
    assert done.exit_code == 1 and not found["passed"] and found["faults"][0]["kind"] == "wrong"
    for args in (["--candidate", "none.py"], ["--candidate", f"{other}:none"]):
        assert CliRunner().invoke(main, ["judge", str(task), *args]).exit_code == 2
    task.write_text("draw = 3\n")
    done = CliRunner().invoke(main, ["judge", str(task)])
    assert done.exit_code == 1 and "no function 'reference'" in done.stderr
