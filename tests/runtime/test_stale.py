"""Nothing stale runs: what a kernel, and Python code that runs while it is built, reads is edited, between two processes and in one."""

import importlib
import json
import os
import pathlib
import pickle
import subprocess
import sys
import types
import typing
import warnings

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.frontend.closure import closure
from runtime.stale_cases import KERNEL, PURE

HERE = pathlib.Path(__file__).parent
# What has no key: the disk has none of it.
UNKEYED = {
    "getattr of a module", "getattr by a made name", "globals()", "vars of a class", "eval", "iterator", "module's dict", "weakref",
    "subclasses", "contextvar",
}  # fmt: skip


def programs(folder, n, *more):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]), "AVE_BACKEND": "cpu"}
    done = subprocess.run([sys.executable, HERE / "stale_run.py", folder, str(n), *more], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return {name: (got, how, key) for name, got, how, key in map(json.loads, done.stdout.splitlines())}


def test_edits_between_processes_and_in_one(tmp_path):
    names = {*PURE, *KERNEL}
    first, second = programs(tmp_path, 3), programs(tmp_path, 5, "some")
    assert set(first) == set(second) == names
    assert {n: got for n, (got, *_) in first.items() if got != [3]} == {}
    assert {n: got for n, (got, *_) in second.items() if got != [5]} == {}
    assert {n for n in names if first[n][2] == second[n][2]} == {n for n in names if not first[n][2]} == UNKEYED
    edited = programs(tmp_path, 3, "edit")
    assert {n: got for n, (got, *_) in edited.items() if got != [3, 5]} == {}
    # And what was not edited comes out of the cache: a key is the same in every process.
    assert {n for n, (_, how, _) in edited.items() if how == "compiled"} == UNKEYED
    assert {n for n in names if edited[n][2] != first[n][2]} == set()


I = al.Tensor((1,), al.i32)


def launched(kernel, *args, **options):
    out = np.zeros(1, np.int32)
    kernel[1, 1](out, *args, **options)
    return int(out[0])


def test_the_time_chance_and_the_environment(monkeypatch):
    """They have no key: the kernel says so once, and each launch builds it anew."""
    import random
    import time

    env, clock, chance = os.environ, time.perf_counter_ns, random.Random(1)
    made = {
        "time": (lambda: clock() % 1_000_000_007, "perf_counter_ns"),
        "random": (lambda: random.randrange(1 << 30), "random"),
        "environ": (lambda: int(env["AVE_TEST_STALE"]), "env, "),
        "getenv": (lambda: int(os.getenv("AVE_TEST_STALE", "0")), "getenv"),
        "own generator": (lambda: chance.randrange(1 << 30), "random"),
        "file": (lambda: pathlib.Path(__file__).stat().st_size, "pathlib"),
        "process": (lambda: os.getpid(), "getpid"),
    }
    for name, (read, part) in made.items():
        answer = avelang.constant(read)

        @avelang.jit
        def k(out: I):
            out[0] = answer()

        monkeypatch.setenv("AVE_TEST_STALE", "1")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            a = launched(k)
            monkeypatch.setenv("AVE_TEST_STALE", "2")
            b = launched(k)
        assert [part in str(w.message) and "`k`" in str(w.message) for w in told] == [True], (name, told)
        assert name in ("file", "process") or a != b, name


def test_an_unkeyed_kernel_is_compiled_once_for_each_text(monkeypatch):
    answer = avelang.constant(lambda: int(os.environ["AVE_TEST_STALE"]))

    @avelang.jit
    def k(out: I):
        out[0] = answer()

    got = []
    with pytest.warns(RuntimeWarning, match=r"is built anew for each launch: it reads os\.environ, "):
        for n in ("1", "2", "1", "1"):
            monkeypatch.setenv("AVE_TEST_STALE", n)
            got.append(launched(k))
    assert got == [1, 2, 1, 1] and [p.how for p in k.prepared] == ["compiled", "compiled"] and k.last.how == "hot"


def test_a_jit_function_as_a_constexpr():
    scale = 2

    @avelang.jit
    def f(x):
        return x * scale

    class Shape(tuple):
        def __len__(self):
            return scale

    @avelang.jit
    def k(out: I, F: al.constexpr, T: al.constexpr = None):
        out[0] = F(10) if T is None else len(T)

    assert [launched(k, f), launched(k, f)] == [20, 20]
    scale = 3
    assert launched(k, f) == 30 and launched(k, f, backend="reference") == 30
    assert launched(k, f, Shape((1,))) == 3
    scale = 4
    assert launched(k, f, Shape((1,))) == 4 and launched(k, f) == 40


def test_hot_calls_stay_hot():
    """What is read, and cannot change but by a name, is watched by the host code: no Python for the next call."""
    import dataclasses
    import enum

    class Kind(enum.Enum):
        A = 4

    def helper(n=1):
        return n + Kind.A.value

    @avelang.constant
    @dataclasses.dataclass(frozen=True)
    class Own:
        n: int

        def get(self):
            return helper(self.n)

    own = Own(2)

    @avelang.jit
    def k(out: I, F: al.constexpr):
        out[0] = own.get() + F.get() + Kind.A.value

    assert [launched(k, own) for _ in range(3)] == [16] * 3 and k.last.prepare == 0.0 and not closure(k.source).loose
    stub = k._launcher._stub
    assert len(stub._entries) == 1 and stub.latest() is not None, "the host code served it"
    Own.get = lambda self: 0
    assert launched(k, own) == 4


TEXT = """
import avelang, avelang.language as al

@avelang.jit
def k(out: al.Tensor((1,), al.i32)):
    out[0] = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "ave_edited.py"
    file.write_text(TEXT)
    yield importlib.import_module("ave_edited"), file
    sys.modules.pop("ave_edited", None)


def test_a_file_that_is_edited_before_the_first_launch(module):
    made, file = module
    file.write_text(TEXT.replace("= 3", "= 5"))
    assert launched(made.k) == 3, "what was imported"
    importlib.reload(made)
    assert launched(made.k) == 5


def test_a_file_that_is_edited_between_launches(module):
    made, file = module
    old = made.k

    @avelang.jit
    def calls(out: I, F: al.constexpr = None):
        made.k(out)

    assert launched(old) == 3 == launched(calls)
    file.write_text(TEXT.replace("= 3", "= 7"))
    assert launched(old) == 3 == launched(calls)
    importlib.reload(made)
    assert (launched(made.k), launched(old), launched(calls)) == (7, 3, 7)


def test_a_text_that_is_not_what_python_compiled(module):
    """Python takes its own cache for good where the size and the second of an edit are the same: then the text is not what runs."""
    made, file = module
    code = compile(TEXT, str(file), "exec")
    file.write_text(TEXT.replace("= 3", "= 5"))
    exec(code, made.__dict__)
    with pytest.raises(AveError) as e:
        launched(made.k)
    assert e.value.code == "S006" and "`k`" in e.value.message and e.value.span.line == 4


def test_a_text_that_is_not_its_own(monkeypatch):
    """Two texts under one name, as `exec` gives them: each kernel is of its own, or none."""
    scope = {"__name__": "made"}
    exec(TEXT, scope)
    import linecache

    monkeypatch.setitem(linecache.cache, "<string>", (1, None, TEXT.replace("= 3", "= 5").splitlines(keepends=True), "<string>"))
    again = {"__name__": "made"}
    exec(TEXT, again)
    for k in (scope["k"], again["k"]):
        with pytest.raises(AveError) as e:
            launched(k)
        assert e.value.code == "S002"
    monkeypatch.setitem(linecache.cache, "<string>", (1, None, TEXT.splitlines(keepends=True), "<string>"))
    exec(TEXT, again)
    assert launched(again["k"]) == 3


def test_more_values_than_are_followed():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    answer = avelang.constant(lambda: len(deep))

    @avelang.jit
    def k(out: I):
        out[0] = answer()

    assert "too many" in closure(k.source).trouble
    module = types.ModuleType("m")
    module.f = lambda: 3  # type: ignore[attr-defined]
    assert closure(avelang.jit(k.source.fn).source).trouble


class Sizes(typing.NamedTuple):
    n: int

    def twice(self):
        return 2 * self.n


def test_a_pickled_value_changes_no_key():
    """Pickling notes the slots of a class in the class itself: no kernel that reads it is another one for that."""
    sizes = Sizes(4)

    @avelang.jit
    def k(out: I):
        out[0] = 3 * sizes.n

    assert launched(k) == 12
    key = closure(k.source).snapshot()
    assert pickle.loads(pickle.dumps(sizes)) == sizes and "__slotnames__" in vars(Sizes)
    assert closure(k.source).snapshot() == key and not closure(k.source).loose
    assert launched(k) == 12 and k.last.how == "hot"
