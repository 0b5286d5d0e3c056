"""Launch arguments: NumPy, torch and JAX arrays, anything with DLPack, scalars; providers; and what is refused before
anything runs."""

import threading

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

N = 64


@avelang.jit
def add_one(x: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
    t = al.thread_id(0)
    out[t] = x[t] + 1.0


@avelang.jit
def halves(x: al.Tensor((N,), al.bf16), out: al.Tensor((N,), al.bf16)):
    t = al.thread_id(0)
    out[t] = x[t] + x[t]


@avelang.jit
def pointers(x: al.Pointer(al.u32), n: al.u32):
    v = al.make_tensor(x, al.u32, al.make_layout((n,), (1,)))
    t = al.thread_id(0)
    if t < n:
        v[t] = v[t] ^ 0xFFFFFFFF


X = np.arange(N, dtype=np.float32)


def test_numpy(launch):
    out = np.zeros(N, np.float32)
    launch(add_one, X, out)
    np.testing.assert_array_equal(out, X + 1)


def test_torch(launch):
    torch = pytest.importorskip("torch")
    out = torch.zeros(N)
    launch(add_one, torch.arange(N, dtype=torch.float32), out)
    assert torch.equal(out, torch.arange(N) + 1.0)
    x, out = torch.randn(N).to(torch.bfloat16), torch.zeros(N, dtype=torch.bfloat16)
    launch(halves, x, out)
    assert torch.equal(out, x + x)


def test_i32_tensors_serve_as_u32(launch):
    torch = pytest.importorskip("torch")
    x = torch.arange(-5, 5, dtype=torch.int32)
    launch(pointers, x, 10)
    assert torch.equal(x, ~torch.arange(-5, 5, dtype=torch.int32))


def test_jax(launch):
    jnp = pytest.importorskip("jax.numpy")
    out = np.zeros(N, np.float32)
    launch(add_one, jnp.arange(N, dtype=jnp.float32), out)
    np.testing.assert_array_equal(out, X + 1)
    x = jnp.linspace(-2, 2, N).astype(jnp.bfloat16)
    out = np.zeros(N, ml_dtypes.bfloat16)
    launch(halves, x, out)
    np.testing.assert_array_equal(out, np.asarray(x) + np.asarray(x))


class OnlyDlpack:
    """Anything with DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(launch):
    out = np.zeros(N, np.float32)
    launch(add_one, OnlyDlpack(X.copy()), OnlyDlpack(out))
    np.testing.assert_array_equal(out, X + 1)


def test_numpy_scalars_and_zero_dimensional_values(launch):
    x = np.arange(10, dtype=np.uint32)
    launch(pointers, x, np.uint32(4))
    np.testing.assert_array_equal(x[:4], ~np.arange(4, dtype=np.uint32))
    np.testing.assert_array_equal(x[4:], np.arange(4, 10))


def test_a_plain_tuple_is_accepted(backend):
    out = np.zeros(N, np.float32)
    add_one[((1, 1, 1), (N, 1, 1))](X, out, backend=backend)
    np.testing.assert_array_equal(out, X + 1)


def test_arguments_by_name(backend):
    out = np.zeros(N, np.float32)
    add_one[lambda: ((1, 1, 1), (N, 1, 1))](out=out, x=X, backend=backend)
    np.testing.assert_array_equal(out, X + 1)


def test_options_by_name(launch):
    out = np.zeros(N, np.float32)
    launch(add_one, X, out, num_warps=8)
    np.testing.assert_array_equal(out, X + 1)


def test_the_backend_of_cpu_arrays_is_the_cpu():
    out = np.zeros(N, np.float32)
    add_one[lambda: ((1, 1, 1), (N, 1, 1))](X, out)
    np.testing.assert_array_equal(out, X + 1)


def ones(shape=(N,), dtype=np.float32):
    return np.ones(shape, dtype)


@pytest.mark.parametrize("bad, said", [
    (ones(dtype=np.float64), ["f32", "float64"]),
    (ones(dtype=np.int32), ["f32", "int32"]),
    (ones((N, 1)), ["64"]),
    (ones((N + 1,)), ["64", "65"]),
    (ones((2 * N,))[::2], ["stride"]),
    (3.5, ["3.5"]),
    (None, ["None"]),
    ("text", ["text"]),
    ([1.0] * N, ["list"]),
], ids=["dtype", "integer", "rank", "shape", "strides", "number", "none", "string", "list"])  # fmt: skip
def test_an_array_that_does_not_fit(launch, bad, said):
    out = np.zeros(N, np.float32)
    with pytest.raises(AveError) as e:
        launch(add_one, bad, out)
    text = str(e.value)
    assert "add_one" in text and "'x'" in text
    assert all(s in text for s in said), text
    assert not out.any()


@pytest.mark.parametrize("bad", [-1, 1 << 32, 2.5, "4", None, np.zeros(2, np.uint32)])
def test_a_scalar_that_does_not_fit(launch, bad):
    x = np.zeros(8, np.uint32)
    with pytest.raises(AveError) as e:
        launch(pointers, x, bad)
    assert "pointers" in str(e.value) and "'n'" in str(e.value)
    assert not x.any()


@pytest.mark.parametrize("args, kwargs, said", [
    ((X,), {}, "out"), ((X, X.copy(), 3), {}, "3"), ((X, X.copy()), {"nothing": 1}, "nothing"),
    ((X, X.copy()), {"x": X}, "x"),
], ids=["missing", "surplus", "unknown", "twice"])  # fmt: skip
def test_the_wrong_arguments(launch, args, kwargs, said):
    with pytest.raises(AveError, match=said):
        launch(add_one, *args, **kwargs)


@pytest.mark.parametrize("grid, block", [
    ((1, 1, 1), (2048, 1, 1)), ((1, 1, 1), (0, 1, 1)), ((1, 1, 1), (64, -1, 1)), ((1, 1, 1), (64.0, 1, 1)),
    ((1 << 40, 1, 1), (64, 1, 1)), ((1, 1), (64, 1, 1, 1)), (None, (64, 1, 1)),
])  # fmt: skip
def test_a_launch_geometry_that_cannot_be(backend, grid, block):
    out = np.zeros(N, np.float32)
    with pytest.raises(AveError):
        add_one[lambda: (grid, block)](X, out, backend=backend)
    assert not out.any()


def test_an_empty_grid_runs_nothing(launch):
    out = np.zeros(N, np.float32)
    launch(add_one, X, out, grid=(1, 0, 1))
    assert not out.any()


def test_a_read_only_array_is_not_written(launch):
    out = np.zeros(N, np.float32)
    out.flags.writeable = False
    x = X.copy()
    x.flags.writeable = False
    fine = np.zeros(N, np.float32)
    launch(add_one, x, fine)
    np.testing.assert_array_equal(fine, X + 1)
    with pytest.raises(AveError, match="out"):
        launch(add_one, X, out)
    assert not out.any()


@avelang.jit
def busy(out: al.Tensor((N,), al.i32), n: al.i32, K: al.constexpr):
    t = al.thread_id(0)
    tile = al.make_shared((N,), al.i32)
    total = al.convert(0, al.i32)
    for i in al.range(n):
        tile[t] = al.convert(t, al.i32) + i
        al.syncthreads()
        total += tile[N - 1 - t] * K
        al.syncthreads()
    out[t] = total


def test_launches_from_several_threads():
    wrong = []

    def work(start):
        for r in range(10):
            k = 1 + (start + r) % 3
            out = np.zeros(N, np.int32)
            busy[lambda: ((1, 1, 1), (N, 1, 1))](out, 20, k)
            if (out != k * sum(N - 1 - np.arange(N) + i for i in range(20))).any():
                wrong.append((start, r))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_unknown_backend_is_refused():
    with pytest.raises(AveError, match="nowhere"):
        add_one[lambda: ((1, 1, 1), (N, 1, 1))](X, np.zeros(N, np.float32), backend="nowhere")


def test_calling_without_a_provider_is_refused():
    with pytest.raises(AveError):
        add_one(X, X)
