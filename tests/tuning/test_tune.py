"""Tuning from end to end on the CPU: what is wrong never wins, what is yours is not written to, tables say what to take."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import ml_dtypes
import numpy as np
import pytest
from tests.tuning.kernels import HOWS, double, factors, room

import avelang
import avelang.language as al
from avelang import tuning
from avelang.base.errors import AveError
from avelang.tuning import FakeClock, tables
from avelang.tuning.space import Space
from avelang.tuning.tuned import Tuned

rng = np.random.default_rng(0)


@pytest.fixture
def place(tmp_path, monkeypatch):
    file = tmp_path / "tuned.txt"
    monkeypatch.setenv("AVE_TUNED", str(file))
    monkeypatch.setattr(tables, "own", lambda: tmp_path / "own.txt")
    tables.forget()
    yield file
    tables.pin(None)


def clock(us, run=True):
    """A clock by which a choice takes as long as is said of it."""
    return FakeClock(lambda call: 1e-6 * us(call.choice), run)


def test_a_kernel(place):
    x, y, n = room(1000)
    x[...] = 1
    done = double.tune(x, y, n, clock=clock(lambda c: abs(c.block - 64) + c.per), progress=False)
    assert done.choice == {"block": 64, "per": 1} and done.row.choice == "block=64 per=1" and done.race.decided
    assert (x == 1).all() and (y == 0).all(), "the arguments are the user's"
    row = tables.read(place).rows["double", tuning.device_name("cpu"), "n=1000"]
    assert row == tables._row(done.row.text) and (row.us, row.next, row.judge) == (1.0, "block=64 per=2", "reference")
    assert row.tried == "6/6" and row.clock == "fake" and "avelang" in row.versions and row.when[:2] == "20"
    assert not place.with_name("tuned.txt.journal").exists()
    # A call takes what the table says, for this key.
    assert double.choice(x, y, n) == done.choice and double.choice(*room(999)) == {"block": 32, "per": 1}
    double(x, y, n)
    double(x, y, n)
    assert (y == 2).all() and double.last.how in ("hot", "disk", "compiled")
    tables.record(place, [tables.Row("double", tuning.device_name("cpu"), "n=1000", "block=128 per=2", 1.0)])
    assert double.choice(x, y, n) == {"block": 128, "per": 2}, "tables that changed are read again"
    double(x, y, n, block=32)  # the caller's own words come first
    with pytest.raises(AveError, match="L066"):
        double(x)
    assert double[4, 32] is not None and double.source.name == "double" and "double" in repr(double)


def test_what_is_wrong_never_wins(place):
    """Seven ways, five of them wrong, and those the fastest."""
    x, out = rng.standard_normal(50).astype(np.float32), np.zeros(50, np.float32)
    speed = dict(zip(HOWS, (8, 1, 2, 3, 9, 7, 1), strict=True))
    hows = [h for h in HOWS if h != "short"]
    for reference in (lambda x: 2 * x, None):
        done = avelang.tune(factors, {"how": hows}, x, out, outputs="out", reference=reference, progress=False,
                            clock=clock(lambda c: speed[c.how]))
        assert done.choice.how == "also" and {"right", "also"} == {t.split('"')[1] for t in done.race.standings}
        assert {t.split('"')[1]: v.status for t, v in done.rejected.items()} == {
            "off": "wrong", "fails": "failed", "nan": "wrong", "part": "wrong"}
        assert "no such way" in done.verdicts['how="fails"'].why and done.row.rejected == 4
        assert done.row.judge == ("reference" if reference else "the default choice")


def test_what_is_returned_is_looked_at(place):
    def way(x, how):
        return {"right": 2 * x, "short": 2 * x[:-1], "two": (2 * x, x), "also": x + x}[how]

    x = rng.standard_normal(20).astype(ml_dtypes.bfloat16)
    done = avelang.tune(way, {"how": ["short", "two", "right", "also"]}, x, reference=lambda x: 2 * x, progress=False,
                        clock=clock(lambda c: len(c.how)))
    assert done.choice.how == "also" and len(done.rejected) == 2


def test_integers_and_what_is_read_as_well(place):
    def add(x, total, how):
        total += x if how == "right" else 0 * x if how == "nothing" else x - 1

    x, total = np.full(9, 3, np.int32), np.full(9, 4, np.int32)
    done = avelang.tune(add, {"how": ["wrong", "nothing", "right"]}, x, total, inout="total", progress=False, table=False,
                        reference=lambda x, total: {"total": total + x}, clock=clock(lambda c: 1))
    assert done.choice.how == "right" and (total == 4).all() and len(done.rejected) == 2
    # Poisoned integers: what is not written is found, though it could be right by chance.
    def leave(out, how):
        out[...] = 0x5A5A5A5A if how == "right" else out

    done = avelang.tune(leave, {"how": ["left", "right"]}, total, outputs=("out",), progress=False, table=False,
                        reference=lambda: np.full(9, 0x5A5A5A5A, np.int32), clock=clock(lambda c: 1))
    assert done.choice.how == "right" and done.verdicts['how="left"'].status == "wrong"
    # A reference may write into the outputs that it gets.
    def writes(x, total):
        total += x

    done = avelang.tune(add, {"how": ["right", "wrong"]}, x, total, inout="total", reference=writes, progress=False,
                        table=False, clock=clock(lambda c: 1))
    assert list(done.rejected) == ['how="wrong"'] and (total == 4).all()


def test_floats_are_random_and_strides_are_kept(place):
    """A contender that is right on zeros only, or on dense rows only, is wrong."""
    seen = []

    def copy(x, out, how):
        seen.append((x.strides, x.ctypes.data % 128, x.flags.writeable))
        out[...] = 0 if how == "zeros" else x

    x = np.zeros((6, 16), np.float32)[::-2, :10]
    done = avelang.tune(copy, {"how": ["zeros", "right"]}, x, np.zeros((3, 10), np.float32), outputs="out", progress=False,
                        reference=lambda x: x, table=False, clock=clock(lambda c: 1))
    assert done.choice.how == "right" and seen[0][:2] == (x.strides, x.ctypes.data % 128)
    kept = avelang.tune(copy, {"how": ["zeros", "right"]}, x, np.zeros((3, 10), np.float32), outputs="out", progress=False,
                        reference=lambda x: x, table=False, clock=clock(lambda c: 1), fill=lambda array: array.fill(0))
    assert not kept.rejected


def test_models_prune(place):
    ran = set()

    def way(x, n):
        ran.add(n)
        return x

    options = {"reference": lambda x: x, "progress": False, "table": False, "clock": clock(lambda c: c.n)}
    x = np.ones(3, np.float32)
    done = avelang.tune(way, {"n": range(1, 50)}, x, model=lambda n: abs(n - 20) + 10, most=5, **options)
    assert done.choice.n == 18 and ran == {18, 19, 20, 21, 22}
    assert sum(v.status == "unlikely" for v in done.verdicts.values()) == 44
    assert Tuned(way, {"n": range(50)}, model=lambda n: None if n < 9 else n).default({}) == {"n": 9}
    assert Tuned(way, {"n": range(50)}, default={"n": 7}).default({}) == {"n": 7}
    assert Tuned(way, {"n": range(50)}, default=lambda x: {"n": x}).default({"x": 7}) == {"n": 7}
    ran.clear()
    done = avelang.tune(way, {"n": range(1, 50)}, x, most=5, **options)
    assert 5 <= len(ran) <= 6 and 1 in ran, "without a model some are drawn, and the default"
    slack = avelang.tune(way, {"n": (1, 2, 3, 100)}, x, model=lambda n: n, slack=2.5, **options)
    assert set(slack.race.standings) == {"n=1", "n=2"}


def test_a_function_may_make_the_choices(place):
    x = np.ones(6, np.float32)
    done = avelang.tune(lambda x, tile: x, Space(lambda x: [{"tile": (x.shape[0], i)} for i in (3, 2)], names="tile"), x,
                        reference=lambda x: x, progress=False, clock=clock(lambda c: c.tile[1]), name="made", key=())
    assert done.choice == {"tile": (6, 2)} and done.row.choice == "tile=[6,2]"
    assert tuning.find("made", tuning.device_of(x), done.row.key) == done.choice


def test_code_that_spills_is_left_out(place, monkeypatch):
    """What the compiler says of registers, for each launch that was compiled ahead."""
    from avelang.tuning import tuner

    spills = lambda meta: 64 if meta["block"][0] == 64 else 0  # noqa: E731
    monkeypatch.setattr(tuner, "spilled_bytes", spills)
    speed = clock(lambda c: abs(c.block - 64))
    done = double.tune(*room(1000), clock=speed, progress=False, table=False)
    assert done.choice.block == 32 and done.verdicts["block=64 per=1"].status == "spills"
    assert double.tune(*room(1000), clock=speed, progress=False, table=False, spills=64).choice.block == 64
    monkeypatch.setattr(tuner, "spilled_bytes", lambda meta: 8)
    assert double.tune(*room(1000), clock=speed, progress=False, table=False).choice.block == 64
    assert tuning.tuner.spilled_bytes({"spills": [4, 8]}) == 8


def test_known_rows_are_not_measured_again(place):
    fake = clock(lambda c: c.block)
    first = double.tune(*room(1000), clock=fake, progress=False)
    calls = fake.calls
    again = double.tune(*room(1000), clock=fake, progress=False, force=False)
    assert again.choice == first.choice and again.race is None and fake.calls == calls
    assert next(iter(again.verdicts.values())).status == "known"


def test_pinned_tables_say_what_bits(place, tmp_path):
    double.tune(*room(1000), clock=clock(lambda c: -c.block), progress=False)
    kept = tables.read(place)
    kept.pinned = True
    tables.write(tmp_path / "pin.txt", kept)
    double.tune(*room(1000), clock=clock(lambda c: c.block), progress=False)
    assert double.choice(*room(1000)).block == 32
    tuning.pin(tmp_path / "pin.txt")
    assert double.choice(*room(1000)).block == 128
    with pytest.raises(AveError, match="D041"):
        double.tune(*room(1000), progress=False)
    gone = tables.Table([tables.Row("double", tuning.device_name("cpu"), "n=1000", "block=512 per=1", 1.0)], True)
    tables.write(tmp_path / "gone.txt", gone)
    tuning.pin(tmp_path / "gone.txt")
    with pytest.raises(AveError, match="D041"):
        double.choice(*room(1000))
    tuning.pin(None)
    tables.write(place, tables.Table(gone))
    assert double.choice(*room(1000)) == {"block": 32, "per": 1}, "what the space has no more is as good as nothing"


def fails(code, call, *words, file=__file__):
    with pytest.raises(AveError) as e:
        call()
    assert e.value.code == code, e.value
    for word in words:
        assert word in e.value.message
    if file:
        assert e.value.span is not None and e.value.span.file == file


def test_errors_stand_at_the_users_line(place):
    x = np.ones(3, np.float32)
    ok = {"progress": False, "table": False, "clock": clock(lambda c: 1)}

    def way(x, n):
        return n * x

    fails("L071", lambda: avelang.tune(way, {"n": (1, 2)}, x, where=lambda n: n > 5, **ok), "constraints")
    fails("L071", lambda: avelang.tune(way, {"n": (1, 2)}, x, reference=lambda x: 5 * x, **ok), "off by")
    fails("L071", lambda: Tuned(way, {"n": (1,)}, default={"n": 2}).default({}), "default")
    fails("L072", lambda: avelang.tune(way, {"n": (1, 2)}, x, where=lambda q: q, **ok), "`q`")
    fails("L072", lambda: avelang.tune(way, {"n": (1, 2)}, x, model=lambda q: q, **ok), "`q`")
    fails("L073", lambda: avelang.tune(double.fn, {"per": (1, 2)}, x, x, 3, **ok), "launch=")
    fails("L073", lambda: avelang.tune(way, {"n": (1, 2)}, x, outputs="y", **ok), "`y`")
    fails("L073", lambda: avelang.tune(lambda x, n: None, {"n": (1, 2)}, x, **ok), "nothing")
    fails("L073", lambda: avelang.tune(lambda x, n: None, {"n": (1,)}, x, reference=lambda x: None, **ok), "reference")
    fails("L073", lambda: avelang.tune({"n": (1,)})(way).inputs_for({"m": 1}), "inputs=")
    fails("L070", lambda: avelang.tune(way, {"q": (1, 2)}, x, **ok), "`q`")
    fails("L070", lambda: avelang.tune(way, Space({"n": (1, 2)}), x, where=lambda n: n, **ok), "Space")
    fails("L070", lambda: avelang.tune(way, Space(lambda x: {"n": (1, 2)}), x, **ok), "names=")
    fails("L066", lambda: avelang.tune(way, {"n": (1, 2)}, x, 3, 4, **ok))
    fails("L066", lambda: avelang.tune({"n": (1, 2)}, nonsense=3)(way), "nonsense")
    fails("L066", lambda: avelang.tune({"n": (1, 2)}, model=3)(way), "model")
    fails("L066", lambda: avelang.tune({"n": (1, 2)})(way).tune(x, bogus=3), "bogus")
    fails("L066", lambda: avelang.tune(way))
    fails("L066", lambda: avelang.tune({"n": 1}, 3))
    fails("L066", lambda: avelang.tune({"n": (1, 2)})(way)[3])
    fails("S003", lambda: avelang.tune({"n": (1, 2)})(3))
    fails("L066", lambda: avelang.tune({"n": (1, 2)}, most="3")(way), "most", "'3'")
    fails("L066", lambda: avelang.tune({"n": (1, 2)}, tolerance=-1)(way), "tolerance")
    fails("L066", lambda: avelang.tune({"n": (1, 2)}, key="n")(way), "names of arguments")
    for name, v in (("seconds", 0), ("rounds", 0), ("rounds", 1.5), ("within", -0.1), ("risk", 1), ("seed", "a"), ("clock", 3), ("workers", -1)):
        fails("L066", lambda name=name, v=v: avelang.tune(way, {"n": (1, 2)}, x, **{**ok, name: v}), name, repr(v))
    fails("L073", lambda: avelang.tune(way, {"n": (1, 2)}, x, model=lambda n: "a", **ok), "'a'", "no number")
    fails("L073", lambda: avelang.tune(lambda x, n: {"a": x}, {"n": (1, 2)}, x, **ok), "no array (dict)")
    fails("D052", lambda: avelang.tune(way, {"n": (1, 2)}, x, **{**ok, "table": "/proc/nowhere/t.txt"}), "/proc/nowhere")

    class Other:
        __array_interface__ = {}

    fails("L073", lambda: avelang.tune(way, {"n": (1, 2)}, Other(), **ok), "NumPy's", file=None)
    # What is read as well comes out as NaN from a poisoned output: the hint says so.
    with pytest.raises(AveError) as e:
        avelang.tune(lambda y, n: y.__iadd__(1), {"n": (1, 2)}, x, outputs="y", reference=lambda y: y, **ok)
    assert e.value.code == "L071" and "inout" in e.value.hint


def test_a_reference_that_fails_is_the_users(place):
    def bad(x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        avelang.tune(lambda x, n: x, {"n": (1, 2)}, np.ones(3, np.float32), reference=bad, progress=False, table=False)


def test_choices_that_do_not_compile_are_reported(place):
    @avelang.tune({"wide": (1, 2, 3)}, launch=lambda: (1, 64), reference=lambda y: y.fill(1), name="wide")
    @avelang.jit
    def store(y: al.Pointer(al.f32), wide: al.constexpr):
        if wide == 2:
            al.no_such_thing()
        al.make_tensor(y, al.f32, al.make_layout((64,), (1,)))[al.thread_id(0)] = 1.0

    done = store.tune(np.zeros(64, np.float32), progress=False, table=False, clock=clock(lambda c: -c.wide))
    assert done.choice.wide == 3 and done.verdicts["wide=2"].status == "failed"
    assert "no_such_thing" in done.verdicts["wide=2"].why and f"{__file__}:" in done.verdicts["wide=2"].why


def test_keys_of_arguments(place):
    way = Tuned(lambda x, n, how: x, {"how": (1, 2)})
    x = np.zeros((4, 6), np.float32)
    assert way.key(x, 3) == "float32[4,6] 3" == way.key(x, np.int64(3)) == way.key(x, n=3)
    assert way.key(x[:, :5], 0.5) == "float32[4,5:6,1] 0.5" and way.key(x.T, None) == "float32[6,4:1,6] None"
    assert way.key(x[:1, ::2], "a b") != way.key(x[:1, :3], "a b")
    # One key each: what differs in strides alone is another call.
    seen = []
    way = avelang.tune({"how": (1, 2)}, default=lambda x: {"how": 1 if x.flags.c_contiguous else 2})(lambda x, how: seen.append(how))
    for _ in range(2):
        way(np.zeros((3, 3)))
        way(np.zeros((3, 3)).T)
    assert seen == [1, 2, 1, 2]


def test_arrays_of_others_are_taken_by_calls(place):
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.ones((2, 3), jnp.bfloat16)
    way = avelang.tune({"how": (1, 2)}, name="jax")(lambda x, how: how)
    assert way(x) == 1 and way.key(x) == "bfloat16[2,3]" and tuning.device_of(x) == tuning.device_name("cpu")
    tables.record(place, [tables.Row("jax", tuning.device_name("cpu"), way.key(x), "how=2", 1.0)])
    assert way(x) == 2
    fails("L073", lambda: way.tune(x, progress=False), "jax", file=None)


def test_torchs_arrays(place):
    torch = pytest.importorskip("torch")

    def way(x, out, how):
        out.copy_(x.float().mul(2).to(out.dtype) if how != "off" else x)

    x, out = torch.zeros(8, 32, dtype=torch.bfloat16)[:, :20], torch.zeros(8, 20, dtype=torch.bfloat16)
    seen = []
    done = avelang.tune(way, {"how": ["off", "right"]}, x, out, outputs="out", progress=False, table=False,
                        reference=lambda x: seen.append(x) or x.double() * 2, clock=clock(lambda c: 1))
    assert done.choice.how == "right" and done.rejected and seen[0].stride() == x.stride()
    assert seen[0].float().std() > 0.5 and not x.any()
    # A reference of NumPy, for arrays of torch; integers too.
    done = avelang.tune(way, {"how": ["off", "right"]}, x, out, outputs="out", progress=False, table=False,
                        reference=lambda x: x.float().numpy() * 2, clock=clock(lambda c: 1))
    assert done.choice.how == "right"
    i = torch.arange(5, dtype=torch.int16)
    done = avelang.tune(lambda x, how: x * 2 if how else x, {"how": (0, 1)}, i, progress=False, table=False,
                        reference=lambda x: x.numpy() * 2, clock=clock(lambda c: 1))
    assert done.choice.how == 1


PROGRAM = """
import numpy as np
import avelang, avelang.language as al
from avelang import tuning

def make(factor):
    @avelang.tune({"block": (32, 64)}, launch=lambda block, n: ((n + block - 1) // block, block), key=("n",), name="mine",
                  reference=lambda x, n: x * factor)
    @avelang.jit
    def scale(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
        i = al.block_id(0) * al.block_dim(0) + al.thread_id(0)
        if i < n:
            al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))[i] = factor * al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))[i]
    return scale

print("ran as", __name__)
from avelang.runtime import compile as compiler
compiler.cpu_object = None  # nothing is compiled in this process
done = make(3).tune(np.ones(100, np.float32), np.ones(100, np.float32), 100, progress=False, workers=2)
assert {v.status for v in done.verdicts.values()} == {"won", "next"}, done.verdicts
"""


def in_a_process(code, *args, **env):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env}
    return subprocess.run([sys.executable, *args, code], env=env, capture_output=True, text=True, timeout=240)


def test_kernels_of_programs_and_closures_are_compiled_by_workers(place, tmp_path):
    """A kernel in `__main__`, inside a function: workers know nothing of the program, and do not run it."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    done = in_a_process(str(file), AVE_TUNED=str(place), AVE_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0 and done.stdout == "ran as __main__\n" and not done.stderr, done.stderr
    assert len(tables.read(place)) == 1


def test_kernels_of_a_notebook(place, tmp_path):
    """A cell: its text is in linecache alone."""
    cell = textwrap.dedent(f"""
    import linecache
    text = {PROGRAM!r}
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    exec(compile(text, "<cell 1>", "exec"), {{"__name__": "__main__"}})
    """)
    done = in_a_process(cell, "-c", AVE_TUNED=str(place), AVE_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0 and done.stdout == "ran as __main__\n", done.stderr
    assert len(tables.read(place)) == 1


def test_without_workers_and_without_a_cache(place, monkeypatch):
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    done = double.tune(*room(333), progress=False, table=False, clock=clock(lambda c: c.block), workers=0)
    assert done.choice.block == 32
    done = double.tune(*room(334), progress=False, table=False, clock=clock(lambda c: c.block), workers=2)
    assert done.choice.block == 32
