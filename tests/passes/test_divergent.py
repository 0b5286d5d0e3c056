"""Operands that must be the same in a whole wave: what certainly is not is refused, what is not the reference reports,
and what is runs everywhere."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError


@avelang.struct
class Part:
    tensor: al.Tensor
    count: al.i32


@avelang.jit
def window(A, at):
    """Four words from `at` on."""
    return al.subview(A, (at,), (4,), (1,))


@avelang.jit
def more(A, part, t, n, HOW):
    """Other ways to a part."""
    if HOW == "field":
        part = Part(window(A, t * 2), 3).tensor
    if HOW == "wave":
        part = window(A, t // 64 * 4)
    if HOW == "shifted wave":
        part = window(A, ((t >> 6) << 2) + n)
    if HOW == "first lane":
        part = window(A, al.amdgpu.readfirstlane(t * 4))
    if HOW == "shuffled":
        part = window(A, al.shuffle(t * 4, 5, 64))
    if HOW == "shuffled apart":
        part = window(A, al.shuffle_xor(t * 4, 1, 64))
    if HOW == "loaded":
        part = window(A, A[t] % 2 * 0)
    if HOW == "loaded apart":
        part = window(A, A[t] % 4 * 4)
    if HOW == "chosen":
        part = window(A, t * 4 if n > 100 else 8)
    if HOW == "chosen apart":
        part = window(A, 4 if t < 32 else 8)
    if HOW == "carried":
        at = t * 0
        for i in al.range(n):
            at = at + i
        part = window(A, at)
    if HOW == "carried apart":
        at = t
        for i in al.range(n):
            at = at + i
        part = window(A, at)
    if HOW == "taken away":
        part = window(A, t * 4 - t * 4 + n)
    if HOW == "times nothing":
        part = window(A, t * n * 0)
    return part


@avelang.jit
def through(A: al.Tensor((512,), al.i32), B: al.Tensor((128,), al.i32), n: al.i32, HOW: al.constexpr):
    t = al.convert(al.thread_id(0), al.i32)
    zero = al.convert(0, al.i32)
    part, size = window(A, zero), al.convert(16, al.i32)
    if HOW == "lane":
        part = window(A, t * 4)
    if HOW == "lane and n":
        part = window(A, n + (t + 3) * 2)
    if HOW == "groups of lanes":
        part = window(A, t // 16 * 4)
    if HOW == "remainder":
        part = window(A, t % 64 * 4)
    if HOW == "window of a window":
        part = al.subview(al.subview(A, (t,), (8,), (1,)), (n,), (4,), (1,))
    if HOW == "view":
        words = al.view(A, al.Tensor((128, 4), al.u32))
        part = al.view(al.subview(words, (t, 0), (1, 4), (1, 1)), al.Tensor((4,), al.i32))
    if HOW == "range":
        size = t * 4 + 4
    part = more(A, part, t, n, HOW)
    resource = al.amdgpu.make_rsrc(part, size)
    if HOW == "one lane":
        if t == 5:
            own = al.amdgpu.make_rsrc(window(A, t * 4), 16)
            B[t] = al.amdgpu.raw_buffer_load_x1(own, zero, zero, 0)
    elif HOW == "behind a condition":
        if n > 100:
            own = al.amdgpu.make_rsrc(window(A, t * 4), 16)
            B[t] = al.amdgpu.raw_buffer_load_x1(own, zero, zero, 0)
    else:
        B[t] = al.amdgpu.raw_buffer_load_x1(resource, zero, t % 4 * 4, 0)


CERTAIN = ("lane", "lane and n", "groups of lanes", "remainder", "window of a window", "view", "range", "field")
SEEN = ("shuffled apart", "loaded apart", "chosen apart", "carried apart")
WHERE = {  # the element at which the part of lane t begins
    "wave": lambda t: t // 64 * 4, "shifted wave": lambda t: t // 64 * 4 + 3, "first lane": lambda t: t // 64 * 64 * 4,
    "shuffled": lambda t: (t // 64 * 64 + 5) * 4, "loaded": lambda t: 0 * t, "chosen": lambda t: 0 * t + 8,
    "carried": lambda t: 0 * t + 3,
    "taken away": lambda t: 0 * t + 3, "times nothing": lambda t: 0 * t,
}  # fmt: skip


def launch(how, **options):
    a, b = np.arange(512, dtype=np.int32) * 5, np.zeros(128, np.int32)
    through[1, 128](a, b, 3, how, **options)
    return b


@pytest.mark.parametrize("how", (*CERTAIN, *SEEN))
def test_the_reference_reports_what_differs(how):
    with pytest.raises(AveError) as e:
        launch(how, backend="reference")
    assert e.value.code == "X044" and "`rsrc`" in e.value.message and e.value.span is not None
    assert "raw_buffer_load_x1" in open(__file__).read().splitlines()[e.value.span.line - 1]


@pytest.mark.parametrize(("how", "backend"),
                         [*((how, {"backend": "cpu"}) for how in CERTAIN), ("lane", {"target": "gfx942"})])
def test_what_certainly_differs_is_refused(how, backend):
    with pytest.raises(AveError) as e:
        launch(how, **backend)
    assert e.value.code == "T320" and e.value.span is not None


@pytest.mark.parametrize("how", WHERE)
def test_what_does_not_differ_runs(how):
    t = np.arange(128)
    want = (WHERE[how](t) + t % 4) * 5
    for options in ({"backend": "reference"}, {"backend": "cpu"}):
        np.testing.assert_array_equal(launch(how, **options), want, err_msg=str(options))


def test_where_one_lane_executes_it_nothing_differs():
    for options in ({"backend": "reference"}, {"backend": "cpu"}):
        assert launch("one lane", **options)[5] == 100 and not launch("behind a condition", **options).any()


def test_executed_code_agrees():
    """One of each kind that is no constant: what the compiler cannot prove goes through readfirstlane."""
    t = np.arange(128)
    for how in ("shifted wave", "loaded", "shuffled"):
        np.testing.assert_array_equal(launch(how, target="gfx942"), (WHERE[how](t) + t % 4) * 5)


@pytest.mark.parametrize("asked", ["uniform", "bounds,uniform"])
def test_the_cpu_and_executed_code_report_it_where_asked(asked, monkeypatch):
    """What the compiler cannot prove, where it differs and where it does not, also beside checks of bounds."""
    monkeypatch.setenv("AVE_CHECK", asked)
    t = np.arange(128)
    for options in ({"backend": "cpu"}, {"target": "gfx942"}):
        with pytest.raises(AveError) as e:
            launch("chosen apart", **options)
        assert e.value.code == "X044" and "lanes 0 and 32" in e.value.message and e.value.span is not None
        assert "raw_buffer_load_x1" in open(__file__).read().splitlines()[e.value.span.line - 1]
        np.testing.assert_array_equal(launch("loaded", **options), t % 4 * 5)
        assert launch("one lane", **options)[5] == 100


@avelang.jit
def numbered(B: al.Tensor((64,), al.i32), APART: al.constexpr):
    t = al.thread_id(0)
    number = al.convert(1, al.u32) + (t % 2 if APART else t // 32)
    al.nvvm.barrier_sync(number, 32)
    B[t] = 1


def test_a_warp_comes_to_one_barrier_at_a_time():
    numbered[1, 64](np.zeros(64, np.int32), False, backend="reference")
    for backend, code in (("reference", "X044"), ("cpu", "T320")):
        with pytest.raises(AveError) as e:
            numbered[1, 64](np.zeros(64, np.int32), True, backend=backend)
        assert e.value.code == code and "`number`" in e.value.message
