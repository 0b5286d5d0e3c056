"""Mistakes of newcomers: each is named by its code, at the line where it stands, with words that lead on.

A mistake is the body of a kernel (or host code) whose wrong line ends in `# <-`. `launch` is what the program does with
it; where the launch itself is wrong, it has the mark."""

from __future__ import annotations

import itertools
import linecache

import pytest

from avelang.base.errors import AveError

HEAD = """import collections
import math
import numpy as np
import avelang
import avelang.language as al
from avelang import tile
N = 8
counter = [0]
Pair = collections.namedtuple("Pair", "a b")
x = np.zeros((8, 8), np.float32)
y = np.zeros((8,), np.float32)
i32s = np.zeros((8,), np.int32)
"""
KERNEL = "\n@avelang.jit\ndef kernel(x: al.Tensor((8, 8), al.f32), y: al.Tensor((8,), al.f32), n: al.i32):\n"
LAUNCH = "kernel[1, 8](x, y, 3, backend='reference')\n"
NUMBER = itertools.count()


def body(text: str) -> str:
    return KERNEL + "".join(f"    {line}\n" for line in text.split("\n")) + LAUNCH


T = "t = al.thread_id(0)\n"
# (body of the kernel, code, words of the message or the hint)
IN_KERNEL = [
    # names of other languages
    ("i = tl.program_id(0)  # <-", "T001", "al.block_id"),
    ("i = tl.arange(0, 8)  # <-", "T001", "tile.arange"),
    ("v = tl.load(x)  # <-", "T001", "x[i, j]"),
    ("i = threadIdx.x  # <-", "T001", "al.thread_id"),
    ("i = blockIdx.x * blockDim.x  # <-", "T001", "al.block_id"),
    ("__syncthreads()  # <-", "T001", "al.syncthreads()"),
    ("__syncwarp()  # <-", "T001", 'al.fence(scope="block")'),
    ("cuda.syncwarp()  # <-", "T001", 'al.fence(scope="block")'),
    ("i = cuda.grid(1)  # <-", "T001", "al.block_id(0) * al.block_dim(0)"),
    ("i = cuda.threadIdx.x  # <-", "T001", "al.thread_id"),
    ("cuda.syncthreads()  # <-", "T001", "`al`"),
    ("s = cuda.shared.array((8,), al.f32)  # <-", "T001", "al.make_shared"),
    ("atomicAdd(y, 0, 1.0)  # <-", "T001", "al.atomic_add"),
    ("v = __shfl_xor_sync(0xFFFFFFFF, n, 1)  # <-", "T001", "al.shuffle_xor"),
    ("l = cute.make_layout((8,))  # <-", "T001", "`al`"),
    ("i, _, _ = cute.arch.thread_idx()  # <-", "T001", "al.thread_id"),
    ("s = T.alloc_shared((8,), al.f32)  # <-", "T001", "al.make_shared"),
    ("i = al.arange(0, 8)  # <-", "T009", "tile.arange"),
    ("i = al.program_id(0)  # <-", "T009", "al.block_id"),
    ("v = al.load(x)  # <-", "T009", "x[i, j]"),
    ("s = al.alloc_shared((8,), al.f32)  # <-", "T009", "al.make_shared"),
    ("s = al.zeros((8,), al.float32)  # <-", "T009", "al.f"),
    ("i = tile.program_id(0)  # <-", "T009", "al.block_id"),
    ("i = al.tread_id(0)  # <-", "T009", "thread_id"),
    ("v = expf(y[0])  # <-", "T001", "al.exp"),
    ("v = al.float32(3)  # <-", "T009", "al.f32"),
    ("al.atomic_xchg(y, 0, 1.0)  # <-", "T009", "al.atomic_exchange"),
    ("v = unknown_name + 1  # <-", "T001", "unknown"),
    ("v = yy[0]  # <-", "T001", "did you mean"),
    # Python that the language does not have
    ("print(n)  # <-", "S001", "al.printf"),
    ("s = f'{n}'  # <-", "S001", "al.printf"),
    ("try:  # <-\n    y[0] = 1.0\nexcept ValueError:\n    pass", "S001", "try"),
    ("raise ValueError()  # <-", "S001", "raise"),
    ("with open('f'):  # <-\n    pass", "S001", "with"),
    ("import math  # <-", "S001", "outside"),
    ("global counter  # <-\ncounter = 1", "S001", "parameter"),
    ("d = {'a': 1}  # <-", "S001", "dict"),
    ("s = {1, 2}  # <-", "S001", "set"),
    ("del n  # <-", "S001", "del"),
    ("y[0] = (v := 3)  # <-", "S001", ":="),
    ("yield n  # <-", "S001", "yield"),
    ("for i in range(3):\n    pass\nelse:\n    pass  # <-", "S001", "else"),
    ("while n > 3:\n    pass\nelse:\n    y[0] = 1.0  # <-", "S001", "else"),
    ("return n  # <-", "T054", "store"),
    ("class A:  # <-\n    pass", "S001", "class"),
    ("match n:  # <-\n    case 1:\n        pass", "S001", "match"),
    ("a, *b = (1, 2, 3)  # <-", "S001", "star"),
    ("x.foo = 3  # <-", "S001", "attribute"),
    ("y[0] = 3j  # <-", "S001", "complex"),
    ("c = x @ x  # <-", "S001", "MFMA"),
    ("assert n > 0, 'positive'  # <-", "T", "al.expect"),
    ("v = [x[0, i] for i in al.range(8)]  # <-", "", "range"),
    ("v = {i: 1 for i in range(3)}  # <-", "S001", "dict"),
    ("def inner():\n    return inner()  # <-\ninner()", "T072", "itself"),
    ("v = eval('n')  # <-", "T063", "eval"),
    ("open('f')  # <-", "T063", "open"),
    ("v = str(n)  # <-", "T063", "str"),
    ("v = list(range(3)).append(3)  # <-", "T", "append"),
    # NumPy, math and Python's functions
    ("v = np.zeros(8)  # <-", "T0", "zeros"),
    ("v = np.sum(x)  # <-", "T0", "sum"),
    ("v = np.exp(y[0])  # <-", "T0", "al.exp"),
    ("v = math.exp(y[0])  # <-", "T064", "al.exp"),
    ("v = int(y[0])  # <-", "T065", "al.convert"),
    ("v = float(n)  # <-", "T065", "al.convert"),
    ("v = round(y[0])  # <-", "T064", "al.round"),
    ("v = np.float32(n)  # <-", "T063", "al.f32"),
    ("for i in range(n):  # <-\n    y[i] = 0.0", "T066", "al.range"),
    ("for v in x.T:  # <-\n    pass", "T009", "shape"),
    ("v = y.sum()  # <-", "T009", "shape"),
    ("v = len(n)  # <-", "T022", "tuple or a tensor"),
    # types
    ("y[0] = n  # <-", "T020", "al.convert"),
    ("y[0] = al.thread_id(0)  # <-", "T020", "al.convert"),
    ("i: al.i32 = y[0]  # <-", "T020", "al.convert"),
    ("v = y[0] & 1  # <-", "T025", "&"),
    ("v = y[0] << 2  # <-", "T025", "shift"),
    ("v = n << 40  # <-", "T026", "40"),
    ("v = al.exp(n)  # <-", "T071", "exp"),
    ("v = n ** n  # <-", "T024", "exponent"),
    ("v = 2 ** n  # <-", "T024", "1 << n"),
    ("v = y[0] ** 0.5  # <-", "T024", "al.sqrt(x)"),
    ("v = y[0] ** -0.5  # <-", "T024", "al.rsqrt(x)"),
    ("v = y[0] ** -2  # <-", "T024", "1.0 / x ** 2"),
    ("v = y[0] ** 1.5  # <-", "T024", "al.exp2(1.5 * al.log2(x))"),
    ("y[0] = 'text'  # <-", "T02", "f32"),
    ("v = al.convert(n, 'f32')  # <-", "T032", "al.f32"),
    ("v = al.convert(n, float)  # <-", "T032", "al.f32"),
    ("v = al.i8(300) + al.u8(n) if False else al.full((2,), 300, al.i8)  # <-", "T021", "i8"),
    ("if y:  # <-\n    pass", "T028", "condition"),
    ("v = 'a' + n  # <-", "T023", "+"),
    ("if (n > 3) is True:  # <-\n    y[0] = 1.0", "T023", "compared by =="),
    ("v = y[0] is not y[1]  # <-", "T023", "compared by !="),
    ("v = n is N  # <-", "T023", "compared by =="),
    ("v = (1.0, 2.0)[n]  # <-", "T017", "al.make_local"),
    ("v = Pair(n, 1)  # <-", "T063", "@avelang.struct"),
    ("v = n in y  # <-", "T023", "any(v == e for e in x)"),
    ("v = any(n)  # <-", "T022", "tuple or a tensor"),
    ("v = pow(n)  # <-", "T003", "2 arguments"),
    ("v = f'{n}'  # <-", "S001", "al.printf"),
    ("y[0] = 1.0\nal.syncthreads  # <-\nv = y[1]", "T056", "al.syncthreads(...)"),
    ("y[al.thread_id(0)] == 2.0  # <-", "T056", "write = "),
    ("n < 2 < 3  # <-", "T056", "does nothing"),
    # shapes and indices
    ("y[8] = 0.0  # <-", "T041", "8"),
    ("y[-1] = 0.0  # <-", "T041", "from 0"),
    ("y[0, 0] = 0.0  # <-", "T042", "indices"),
    ("y[0.5] = 0.0  # <-", "T040", "integer"),
    ("y[y[0]] = 0.0  # <-", "T040", "integer"),
    ("x[0] = al.full((4,), 0.0, al.f32)  # <-", "T045", "(4,)"),
    ("v = x[0] + al.full((4,), 1.0, al.f32)  # <-", "T027", "(4,)"),
    ("y[0:n] = 0.0  # <-", "T017", "start : start + n"),
    ("y[4:12] = 0.0  # <-", "T041", "11"),
    ("n[0] = 1  # <-", "T0", "n"),
    ("v = n[0]  # <-", "T029", "index"),
    ("s = al.make_shared((n,), al.f32)  # <-", "T017", "compile time"),
    ("s = al.make_shared(8)  # <-", "T003", "dtype"),
    ("s = al.make_shared((8,), 'f32')  # <-", "T032", "al.f32"),
    ("s = al.make_shared((0,), al.f32)  # <-", "T030", "extent"),
    ("v = al.view(y, al.u64, al.make_layout((8,)))  # <-", "T047", "byte"),
    ("v = al.subview(y, (0,), (9,))  # <-", "T041", "8"),
    ("a, b, c = (1, 2)  # <-", "T018", "unpacked"),
    # calls
    ("i = al.thread_id()  # <-", "T003", "dim"),
    ("i = al.thread_id(3)  # <-", "T067", "3"),
    ("i = al.thread_id(n)  # <-", "T017", "compile time"),
    ("i = al.thread_id(axis=0)  # <-", "T060", "dim"),
    ("al.syncthreads(1)  # <-", "T003", "0 arguments"),
    ("v = al.shuffle_xor(n, 1, width=3)  # <-", "T068", "3"),
    ("al.printf('%d', y[0])  # <-", "T08", "%"),
    ("al.printf('%d %d', n)  # <-", "T08", "2"),
    ("al.printf('%q', n)  # <-", "T08", "%q"),
    ("for i in al.range(0, 8, 0):  # <-\n    pass", "T069", "step"),
    ("for i in al.range(8.0):  # <-\n    pass", "T051", "integer"),
    ("v = al.atomic_add(y, 1.0)  # <-", "T003", "index"),
    ("v = al.atomic_add(y, 0, 1.0, scope='gpu')  # <-", "T101", "device"),
    ("v = al.atomic_and_(y, 0, 1)  # <-", "T102", "i32"),
    ("v = al.rand(0.5, 0)  # <-", "T022", "integer"),
    ("v = al.amdgpu.nothing(1)  # <-", "T009", "amdgpu"),
    ("v = al.amdgpu.rcp(y[0]) + al.nvvm.ex2(y[0])  # <-", "T009", "nvvm"),
    # control flow
    ("if n > 3:\n    v = 1\ny[0] = al.convert(v, al.f32)  # <-", "T011", "before the `if`"),
    ("y[0] = v  # <-\nv = 1.0", "T002", "belongs"),
    ("v = al.i32(0)\nfor i in al.range(n):  # <-\n    v = v + y[i]\ny[0] = v", "T014", "before the loop"),
    # found while the reference runs
    ("s = al.make_shared((8,), al.f32)\ny[al.thread_id(0)] = s[al.thread_id(0)]  # <-", "X003", "s"),
    ("y[al.thread_id(0) + 4] = 0.0  # <-", "X001", "extent"),
    ("y[al.thread_id(0) : al.thread_id(0) + 4] = 0.0  # <-", "X001", "extent"),
]  # fmt: skip
# Host code: all of the program behind HEAD.
K = KERNEL + "    y[al.thread_id(0)] = x[0, al.thread_id(0)]\n"
ON_HOST = [
    (K + "kernel(x, y, 3)  # <-\n", "", "a grid and a block"),
    (K + "kernel[1, 8](x, y)  # <-\n", "L", "n"),
    (K + "kernel[1, 8](x, y, 3, 4)  # <-\n", "L", "3"),
    (K + "kernel[1, 8]([1.0] * 8, y, 3)  # <-\n", "L01", "array"),
    (K + "kernel[1, 8](x.tolist(), y, 3)  # <-\n", "L01", "array"),
    (K + "kernel[1, 8](x.astype(np.float64), y, 3)  # <-\n", "L012", "f32"),
    (K + "kernel[1, 8](x.T[:4], y, 3)  # <-\n", "L013", "(8, 8)"),
    (K + "kernel[1, 8](x, None, 3)  # <-\n", "L010", "a constexpr parameter says"),
    (K + "kernel[1, 8](np.zeros((8, 16), np.float32)[:, ::2], y, 3)  # <-\n", "L014", "stride"),
    (K + "kernel[1, 8](x, y, 3.5)  # <-\n", "L018", "i32"),
    (K + "kernel[1, 8](x, y, 2**40)  # <-\n", "L019", "i32"),
    (K + "kernel[1, 2048](x, y, 3)  # <-\n", "L003", "1024"),
    (K + "kernel[1](x, y, 3)  # <-\n", "L002", "block"),
    (K + "kernel[1.5, 8](x, y, 3)  # <-\n", "L002", "int"),
    (K + "kernel[1, 8](x, y, 3, num_stages=2)  # <-\n", "L007", "num_stages"),
    (K + "kernel[1, 8](x, y, 3, target='sm_99')  # <-\n", "", "sm_"),
    (K + "kernel[1, 8](x, y, 3, backend='gpu')  # <-\n", "L009", "cpu"),
    ("al.thread_id(0)  # <-\n", "T004", "kernel"),
    ("al.arange(8)  # <-\n", "T009", "tile.arange"),
    ("\n@avelang.jit\ndef kernel(x):  # <-\n    x[0] = 1.0\nkernel[1, 1](y)\n", "T007", "al.Tensor"),
    ("\n@avelang.jit\ndef kernel(x: float):  # <-\n    pass\nkernel[1, 1](1.0)\n", "T007", "al.Tensor"),
    ("\n@avelang.jit\ndef kernel(x: al.Tensor((8,), al.f32), *a):  # <-\n    pass\nkernel[1, 1](y)\n", "S001", "star"),
    ("\n@avelang.jit\ndef kernel(x: al.Tensor((8,), 'f32')):\n    pass\nkernel[1, 1](y)\n", "T032", "al.f32"),
    ("def plain(v):\n    return v + 1.0\n\n@avelang.jit\ndef kernel(x: al.Tensor((8,), al.f32)):\n"
     "    x[0] = plain(x[0])  # <-\nkernel[1, 1](y)\n", "T062", "@avelang.jit"),
    ("\n@avelang.jit\ndef kernel(x: al.Tensor((8,), al.f32)):\n    x[0] = counter[0]  # <-\nkernel[1, 1](y)\n", "T0",
     "counter"),
    ("\n@avelang.jit\ndef kernel(x: al.Tensor((8,), al.f32)):\n    x[0] = al.amdgpu.rcp(x[0])  # <-\n"
     "kernel[1, 1](y, target='sm_90a')\n", "U110", "gfx"),
    ("\n@avelang.jit\ndef kernel(x: al.Tensor((8,), al.f32)):\n    al.amdgpu.rcp(x[0])\n    al.nvvm.fence_gpu()  # <-\n"
     "kernel[1, 1](y)\n", "U102", "chip"),
    ("avelang.jit(3)  # <-\n", "S003", "def"),
    ("avelang.jit(lambda x: x)  # <-\n", "", "def"),
]  # fmt: skip


def failing(text: str, head: str = HEAD) -> tuple[BaseException, str, int]:
    """What a program raises, its file, and the marked line (0 where there is none)."""
    source = head + text
    name = f"<mistake {next(NUMBER)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    marked = next((i for i, line in enumerate(source.splitlines(), 1) if line.endswith("# <-")), 0)
    try:
        exec(compile(source, name, "exec"), {"__name__": "mistake"})
    except Exception as e:
        return e, name, marked
    raise AssertionError(f"nothing was raised by:\n{text}")


CASES = [*((body(text), code, words) for text, code, words in IN_KERNEL), *ON_HOST]


def judged(text: str, code: str, words: str, head: str = HEAD) -> str:
    """What is wrong with the error of a mistake, or ""."""
    e, name, marked = failing(text, head)
    if not isinstance(e, AveError):
        return f"uncoded {type(e).__name__}: {e}"
    if not e.code.startswith(code):
        return f"{e.code}, not {code}: {e.message}"
    places = [(s.file, s.line) for s in e.span.chain()] if e.span is not None else []
    if marked and (name, marked) not in places:
        return f"{e.code} at line {e.span and e.span.line} of {e.span and e.span.file}, not {marked}"
    said = f"{e.message}\n{e.hint}"
    return "" if words.lower() in said.lower() else f"{e.code} says nothing of {words!r}: {said}"


def test_enough_of_them():
    assert len(CASES) >= 105 and len({c for c, _, _ in CASES}) == len(CASES)


LINES = [c.split("# <-")[0].strip().split("\n")[-1].strip() for c, _, _ in CASES]


@pytest.mark.parametrize(("text", "code", "words"), CASES, ids=LINES)
def test_mistake(text, code, words):
    assert judged(text, code, words) == ""
