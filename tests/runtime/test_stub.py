"""The host code and the slow path must agree on every call: same slots, same errors. A hand-written kernel shows the slots it was given."""

import gc
import itertools
import sys
import types
import weakref

import ml_dtypes
import numpy as np
import pytest
from tests.runtime import programs
from tests.runtime.references import growth

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime import compile, stub

HERE = sys.modules[__name__]


@pytest.fixture(autouse=True)
def echo(monkeypatch):
    """Kernels compile to programs that show their slots."""

    def fake(source, constexprs, target, block, *_):
        n = sum(a is not al.constexpr for a in source.fn.__annotations__.values())
        return programs.payload(programs.echo(n)), {"entry": "ave_run", "scratch_bytes": 0}

    monkeypatch.setattr(compile, "cpu_object", fake)


def fresh(kernel):
    """A new jit function of the same source, with an empty table."""
    return avelang.jit(kernel.source.fn)


def hot(kernel):
    """Whether the last launch was served by the host code."""
    return kernel._launcher._stub.latest() is not None


def slots(kernel, *args, grid=((2, 3, 4), (64, 1, 1)), slow=False, **kwargs):
    """The slots that the kernel saw, with the grid; its last parameter takes the array for them."""
    out = np.zeros(64, np.uint64)
    (kernel._launcher._slow if slow else kernel[grid].func)(grid, *args, out, **kwargs)
    return out[out != out.ctypes.data].tolist()


@avelang.jit
def mixed(
    p: al.Pointer(al.f32),
    t: al.Tensor((4, 6), al.i32),
    a: al.i8,
    b: al.u8,
    c: al.i64,
    d: al.u64,
    e: al.f32,
    f: al.f64,
    g: al.u1,
    out: al.Pointer(al.u64),
):
    pass


X, Y = np.zeros(7, np.float32), np.zeros((4, 6), np.int32)
GOOD = (X, Y, -3, 200, -(2**63), 2**64 - 1, 0.1, 1e300, True)


def test_a_second_call_is_served_by_the_host_code():
    kernel = fresh(mixed)
    first = slots(kernel, *GOOD)
    assert not hot(kernel)
    assert slots(kernel, *GOOD) == first
    assert hot(kernel)
    assert first[9:12] == [2, 3, 4]


# By parameter of `mixed`.
VALUES = {
    0: [
        X, X[1:], np.zeros((2, 3), np.float32), np.zeros(0, np.float32), np.zeros((), np.float32), X[::2], np.zeros((2, 3), np.float32).T,
        X.astype(np.float64), X.view(np.int32), X.astype(">f4"), np.frombuffer(b"\0" * 17, np.uint8)[1:].view(np.float32), None, 3, [1.0],
        np.zeros(4, ml_dtypes.bfloat16), np.zeros(4, np.float32).view(np.recarray), np.ma.zeros(3, np.float32), np.float32(1),
    ],
    1: [
        Y, Y.view(np.uint32), np.zeros((6, 4), np.int32), np.zeros((6, 4), np.int32).T, np.zeros((4, 12), np.int32)[:, ::2], Y[::-1],
        Y[:, ::-1], Y.reshape(24), Y.astype(np.int64), np.asfortranarray(Y), None,
    ],
    2: [0, -128, 127, 128, -129, 2**70, True, np.int8(5), np.int64(5), 1.0, None, "1", np.array(3)],
    3: [0, 255, 256, -1, 2**64],
    4: [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, -1],
    5: [2**63, 2**64 - 1, 2**64, -1, 0],
    6: [0.0, -0.0, float("inf"), float("nan"), 1e39, -1e39, 3.4028235e38, 1e-46, 1, np.float32(0.1), np.float64(0.1), "x", 2**200],
    7: [0.0, -0.0, float("inf"), 1e308, 3, 10**400, None],
    8: [True, False, 1, 0, 2, np.True_, 1.0],
}  # fmt: skip


@pytest.mark.parametrize("which", VALUES)
def test_every_value_gives_the_same_as_the_slow_path(which):
    kernel, plain = fresh(mixed), fresh(mixed)
    assert slots(kernel, *GOOD) == slots(kernel, *GOOD)
    assert hot(kernel)
    for value in VALUES[which]:
        args = (*GOOD[:which], value, *GOOD[which + 1 :])
        results = []
        for how in (kernel, kernel, plain):
            try:
                results.append(slots(how, *args, slow=how is plain))
            except AveError as e:
                results.append(str(e))
        assert results[0] == results[1] == results[2], value
    # What came between has not spoiled the table.
    assert slots(kernel, *GOOD) == slots(plain, *GOOD, slow=True)


def test_names_constants_and_options():
    @avelang.jit
    def k(p: al.Pointer(al.f32), n: al.i32, B: al.constexpr, m: al.i32 = 5, *, out: al.Pointer(al.u64)):
        pass

    out = np.zeros(16, np.uint64)
    at = ((1,), (64,))

    def launched(*args, **kwargs):
        out[:] = 0
        k[at](*args, out=out, **kwargs)
        return out[1], out[2]

    calls = [
        (lambda: launched(X, 1, 32), (1, 5)),
        (lambda: launched(X, 2, 32), (2, 5)),
        (lambda: launched(X, B=32, n=3), (3, 5)),
        (lambda: launched(X, B=1000, n=4, m=6), (4, 6)),
        (lambda: launched(X, 5, 32, num_warps=4), (5, 5)),
        (lambda: launched(X, 6, "abc", num_warps=1000), (6, 5)),
        (lambda: launched(X, 7, None, target="gfx90a"), (7, 5)),
    ]
    for call, expected in calls:
        assert call() == expected
    for _ in range(2):
        for call, expected in calls:
            assert call() == expected
            assert hot(k)
    with pytest.raises(AveError) as e:
        k[at](X, 1, 32, 5, out)
    assert e.value.code == "L005"


def test_equal_values_of_other_types_are_other_kernels():
    @avelang.jit
    def k(B: al.constexpr, out: al.Pointer(al.u64)):
        pass

    out = np.zeros(8, np.uint64)
    values = [1, True, 1.0, np.int64(1), 0.0, -0.0, (1,), (True,), "1"]
    for _ in range(3):
        for value in values:
            k[((1,), (1,))](value, out)
    programs_ = k._launcher._programs
    # np.int64(1) is 1: eight kernels.
    assert len(programs_) == 8


LIMIT = 3


def test_a_global_that_changes_is_seen():
    @avelang.jit
    def k(n: al.i32, out: al.Pointer(al.u64)):
        return LIMIT  # noqa: B012

    out = np.zeros(8, np.uint64)

    def launch():
        k[((1,), (1,))](1, out)
        return k.last.how

    assert [launch(), launch(), launch()] == ["compiled", "hot", "hot"]
    try:
        for value, how in [(4, "compiled"), (3, "hot"), (3.0, "compiled"), (True, "compiled"), (3, "hot"), (4, "hot")]:
            HERE.LIMIT = value
            assert launch() == how, value
            assert launch() == "hot"
            assert hot(k)
    finally:
        HERE.LIMIT = 3


def test_a_global_bound_to_an_equal_object_is_hot_again():
    @avelang.jit
    def k(n: al.i32, out: al.Pointer(al.u64)):
        return LIMIT

    out = np.zeros(8, np.uint64)
    try:
        for _ in range(3):
            HERE.LIMIT = int("123456789")
            for _ in range(2):
                k[((1,), (1,))](1, out)
            assert hot(k)
        assert len(k._launcher._programs) == 1
    finally:
        HERE.LIMIT = 3


def test_constants_made_anew_for_each_call():
    @avelang.jit
    def k(B: al.constexpr, out: al.Pointer(al.u64)):
        pass

    out = np.zeros(8, np.uint64)
    makers = (lambda: int("123456"), lambda: float("0.1"), lambda: (int("1000"), (2.5, "".join(["a", "b"]))), lambda: "".join(["x", "yz"]))
    for make in makers:
        k[((1,), (1,))](make(), out)
        k[((1,), (1,))](make(), out)
        assert hot(k), make()
    assert len(k._launcher._programs) == 4


def test_a_closures_cell_that_changes_is_seen():
    size = 3

    @avelang.jit
    def k(n: al.i32, out: al.Pointer(al.u64)):
        return size

    out = np.zeros(8, np.uint64)
    hows = []
    for value in (3, 3, 4, 4, 3, 3):
        size = value
        k[((1,), (1,))](1, out)
        hows.append(k.last.how)
    assert hows == ["compiled", "hot", "compiled", "hot", "hot", "hot"]
    assert hot(k)


def test_the_environment_is_seen(monkeypatch):
    from avelang.sim import reference

    ran = []
    monkeypatch.setattr(reference, "run", lambda *args, **kwargs: ran.append(1))
    monkeypatch.setattr(compile, "build", lambda *args: types.SimpleNamespace(attrs={}, params=[], body=types.SimpleNamespace(ops=[])))
    kernel = fresh(mixed)
    for value, count in [(None, 0), (None, 0), ("reference", 1), ("reference", 2), ("cpu", 2), ("cpu", 2), (None, 2), ("reference", 3)]:
        if value is None:
            monkeypatch.delenv("AVE_BACKEND", raising=False)
        else:
            monkeypatch.setenv("AVE_BACKEND", value)
        slots(kernel, *GOOD)
        assert len(ran) == count, value
    monkeypatch.setenv("AVE_BACKEND", "cpu")
    changes = [("AVE_TARGET", "gfx90a"), ("AVE_TARGET", "gfx950"), ("AVE_BACKEND", "".join(["c", "pu"])), ("AVE_TARGET", "gfx90a")]
    for name, value in changes:
        monkeypatch.setenv(name, value)
        slots(kernel, *GOOD)
        assert not hot(kernel), value
        slots(kernel, *GOOD)
        assert hot(kernel)
    assert len(kernel._launcher._programs) == 4  # the reference's among them
    monkeypatch.setenv("AVE_BACKEND", "gpu")
    with pytest.raises(AveError) as e:
        slots(kernel, *GOOD)
    assert e.value.code == "L009"


def test_geometry_is_seen():
    kernel = fresh(mixed)
    for grid, block in itertools.product([(2, 3, 4), (5,), [6, 7], 8, (0, 1, 1)], [(64, 1, 1), (64,), 32, [16, 2]]):
        for _ in range(2):
            full = [*(grid if isinstance(grid, (tuple, list)) else [grid]), 1, 1][:3]
            assert slots(kernel, *GOOD, grid=(grid, block))[-64:][9:12] == full or 0 in full
        assert hot(kernel) == (list not in (type(grid), type(block)))
    for bad, code in [((True, 64), "L002"), ((-1, 64), "L002"), ((1, 2048), "L003"), (((1, 65536), (64,)), "L004"), (((1,), (2048,)), "L003"), (((1.5,), (64,)), "L002"), (((-1,), (64,)), "L002")]:
        with pytest.raises(AveError) as e:
            slots(kernel, *GOOD, grid=bad)
        assert e.value.code == code


def test_the_provider_is_called_once_for_each_launch():
    kernel = fresh(mixed)
    calls = []

    def provider():
        calls.append(1)
        return ((1,), (64,))

    out = np.zeros(64, np.uint64)
    for n in range(1, 4):
        kernel[provider](*GOOD, out)
        assert len(calls) == n
    with pytest.raises(AveError):
        kernel[provider](*GOOD[:-1], "no", out)
    assert len(calls) == 4

    def broken():
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        kernel[broken](*GOOD, out)


def test_torch_tensors_are_served_by_the_host_code():
    torch = pytest.importorskip("torch")
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this torch has no exchange API")
    kernel = fresh(mixed)
    x, y = torch.zeros(8), torch.zeros((4, 6), dtype=torch.int32)
    for _ in range(2):
        found = slots(kernel, x[1:], y, *GOOD[2:])
        assert found[:2] == [x.data_ptr() + 4, y.data_ptr()]
    assert hot(kernel)
    with torch.no_grad():
        assert slots(kernel, torch.nn.Parameter(x), y, *GOOD[2:])[0] == x.data_ptr()
    odd = torch.zeros(33, dtype=torch.uint8)[1:]
    wrong = [
        (x.double(), y), (x[::2], y), (x.to_sparse(), y), (x.to("meta"), y), (x, y.T), (x, y.long()), (x, y[:2]), (x, y.T.contiguous().T),
        (torch.zeros(4, dtype=torch.complex64).conj().imag[:1], y), (torch.tensor(1j).conj().imag, y),
        (odd[: 32 - (odd.data_ptr() % 4 == 0) * 4].view(torch.uint8), y),
    ]  # fmt: skip
    for a, b in wrong:
        for _ in range(2):
            with pytest.raises(AveError):
                slots(kernel, a, b, *GOOD[2:])
    assert slots(kernel, x, y, *GOOD[2:])[:2] == [x.data_ptr(), y.data_ptr()]


def test_more_specializations_than_the_table_holds():
    @avelang.jit
    def k(n: al.i32, B: al.constexpr, out: al.Pointer(al.u64)):
        pass

    out = np.zeros(8, np.uint64)
    for _ in range(2):
        for b in range(40):
            k[((1,), (1,))](b, b, out)
            assert out[0] == b
    assert len(k._launcher._programs) == 40
    k[((1,), (1,))](7, 39, out)
    assert hot(k)


def test_arrays_are_not_kept_alive():
    kernel = fresh(mixed)

    class Mine(np.ndarray):
        pass

    x = np.zeros(7, np.float32).view(Mine)
    gone = weakref.ref(x)
    slots(kernel, x, *GOOD[1:])
    slots(kernel, x, *GOOD[1:])
    del x
    gc.collect()
    assert gone() is None


def test_references_are_balanced():
    kernel = fresh(mixed)
    geometry = ((1,), (64,))
    out = np.zeros(64, np.uint64)
    args = (*GOOD, out)

    def launch():
        kernel[geometry](*args)
        kernel[lambda: geometry](*args)
        try:
            kernel[geometry](*args[:-1], None)
        except AveError:
            pass

    watched = [None, geometry, X, out, GOOD[5], stub._shared(), kernel]
    for _ in range(50):
        launch()
    assert (grown := growth(launch, watched, 500)) < 50, grown


def test_a_launch_outlives_its_kernel():
    kernel = fresh(mixed)
    out = np.zeros(64, np.uint64)
    launch = kernel[((1,), (64,))]
    launch(*GOOD, out)
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    out[:] = 0
    launch(*GOOD, out)
    assert out[2] == 2**64 - 3
    assert gone() is None


def test_an_unknown_layout_of_objects(monkeypatch):
    monkeypatch.setattr(stub, "_shared", lambda: None)
    kernel = fresh(mixed)
    first = slots(kernel, *GOOD)
    assert slots(kernel, *GOOD) == first
    assert not hot(kernel)
    assert kernel.last.how == "hot"
