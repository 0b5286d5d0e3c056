"""Where kernels come from: scripts, `python -c`, standard input, cells, doctests, exec, classes, other decorators, other processes. Each works, or says what
it is at the user's line."""

import copy
import dataclasses
import doctest
import functools
import linecache
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

I = al.Tensor((1,), al.i32)
TEXT = "import avelang, avelang.language as al\nimport numpy as np\n@avelang.jit\ndef k(out: al.Tensor((1,), al.i32)):\n    out[0] = 3\n"
RUN = "out = np.zeros(1, np.int32)\nk[1, 1](out)\nprint(out[0])\n"


@avelang.jit
def kernel(out: I):
    out[0] = 3


@avelang.struct
class Pair:
    a: ...
    b: ... = 2


@avelang.constant
def plus(n):
    return n + 1


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Size:
    n: int = 2


def launched(k):
    out = np.zeros(1, np.int32)
    k[1, 1](out)
    return int(out[0])


def code_of(make):
    with pytest.raises(AveError) as e:
        make()
    return e.value


def test_programs():
    def said(*args, **options):
        done = subprocess.run([sys.executable, *args], capture_output=True, text=True, check=False, **options)
        return done.stdout + done.stderr

    assert said("-c", TEXT + RUN) == "3\n"
    found = said("-", input=TEXT + RUN)
    assert found == "3\n" or "[S002] the source text of `k` cannot be found in <stdin>" in found
    # A text of the same name, whose kernel stands on the same line, is another.
    found = said("-c", f"exec({TEXT.replace('= 3', '= 4')!r})\nimport numpy as np\n\n\n{RUN}")
    assert "[S002] the source text of `k` cannot be found in <string>" in found, found


def test_cells_and_doctests(monkeypatch):
    for number, name in (("5", "<ipython-input-1-0>"), ("6", "/tmp/ipykernel_1/12.py")):
        text = TEXT.replace("= 3", f"= {number}")
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
        scope = {"__name__": "__main__"}
        exec(compile(text, name, "exec"), scope)
        assert launched(scope["k"]) == int(number)
    tried = "".join(f">>> {line}\n" if not line.startswith((" ", "def")) else f"... {line}\n" for line in (TEXT + "\n" + RUN).splitlines())
    tried = tried.replace(">>> \n", "... \n") + "3\n"
    test = doctest.DocTestParser().get_doctest(tried, {"__name__": "__main__"}, "cell", "cell.py", 0)
    assert doctest.DocTestRunner(verbose=False).run(test) == (0, 6)


def test_pickle_and_copy():
    for thing in (kernel, Pair, plus, Size):
        assert pickle.loads(pickle.dumps(thing)) is thing and copy.deepcopy([thing])[0] is thing and copy.copy(thing) is thing
    for thing in (Size(3), al.f32, I, al.Pointer(al.bf16), al.Layout((2, 3), (3, 1))):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert launched(kernel) == 3 and pickle.loads(pickle.dumps(kernel)) is kernel, "also when it has run"

    @avelang.jit
    def local(out: I):
        out[0] = 1

    @avelang.struct
    class Own:
        n: ...

    assert copy.deepcopy((local, Own)) == (local, Own)
    for thing in (local, Own, avelang.constant(lambda n: n), avelang.jit(kernel.source.fn)):
        e = code_of(lambda thing=thing: pickle.dumps(thing))
        assert e.code == "L056" and __name__ in e.message and e.span.file == __file__


def test_in_another_process():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(launched, [kernel]) == [3]


def wraps(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args)

    return inner


def test_what_is_no_function():
    def f(out: I):
        out[0] = 1

    async def coroutine(out: I):
        out[0] = 1

    class C:
        def method(self, out: I):
            out[0] = 1

    things = {
        "the kernel 'kernel'": kernel, "what another decorator has made of 'f'": wraps(f), "_lru_cache_wrapper": functools.lru_cache(f),
        "partial": functools.partial(f), "a lambda": lambda out: None, "a staticmethod": staticmethod(f), "method": C().method, "None": None,
        "the async function 'coroutine'": coroutine, "the function plus": plus, "<struct Pair>": Pair,
    }  # fmt: skip
    for words, thing in things.items():
        e = code_of(lambda thing=thing: avelang.jit(thing))
        assert e.code == "S003" and words in e.message and "0x" not in e.message, e
        assert e.span.file == __file__ and "avelang.jit(thing)" in e.span.text()


def test_kernels_in_classes():
    class C:
        by = 5

        @avelang.jit
        def method(self, out: I):
            out[0] = self.by

        @staticmethod
        @avelang.jit
        def static(out: I):
            out[0] = 7

        @avelang.jit
        def __private(out: I):
            out[0] = 9

    assert [launched(k) for k in (C.static, C().static, C._C__private)] == [7, 7, 9]
    e = code_of(lambda: launched(C().method))
    assert e.code == "T007" and "'self'" in e.message and "@staticmethod" in e.hint and e.span.text().strip() == "def method(self, out: I):"
    e = code_of(lambda: wraps(kernel)(np.zeros(1, np.int32)))
    assert e.code == "L001"
