"""Writes: which array parameters a kernel may write, found through pointers, views, resources, branches and loops."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import ExecutionError, LaunchError
from avelang.frontend.build import build
from avelang.passes.writes import written

N = 64


@avelang.jit
def copies(A: al.Pointer(al.f32), B: al.Tensor((N,), al.f32)):
    a = al.make_tensor(A, al.f32, al.make_layout((N,), (1,)))
    B[al.thread_id(0)] = a[al.thread_id(0)]


@avelang.jit
def through_views(A: al.Pointer(al.f32), B: al.Tensor((N,), al.f32), n: al.u32):
    a = al.subview(al.view(al.make_tensor(A, al.f32, al.make_layout((n,), (1,))), al.i32, al.make_layout((n,), (1,))),
                   (4,), (n - 4,), (1,))
    if n > 8:
        a[al.thread_id(0)] = al.bitcast(B[al.thread_id(0)], al.i32)


@avelang.jit
def through_resources(A: al.Tensor((N,), al.i32), B: al.Tensor((N,), al.i32), C: al.Tensor((N,), al.i32)):
    read = al.amdgpu.make_rsrc(A, 256)
    write = al.amdgpu.make_rsrc(B, 256)
    at = al.convert(al.thread_id(0) * 4, al.i32)
    for _ in al.range(2):
        al.amdgpu.raw_buffer_store_x1(al.amdgpu.raw_buffer_load_x1(read, at, 0, 0), write, at, 0, 0)
    al.amdgpu.atomic_add(at, 1, C, al.amdgpu.AtomicScope.AGENT)


CASES = [(copies, ["B"]), (through_views, ["A"]), (through_resources, ["B", "C"])]


@pytest.mark.parametrize(("kernel", "names"), CASES, ids=lambda x: getattr(getattr(x, "source", None), "name", ""))
def test_written(kernel, names):
    assert written(build(kernel.source, {})) == names


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_protected_array_is_refused_where_it_would_be_written(backend):
    launch = copies[lambda: (1, N)]
    a, b = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    a.flags.writeable = False
    for _ in range(3):
        b[:] = 0
        launch(a, b, backend=backend)
        np.testing.assert_array_equal(b, a)
    b.flags.writeable = False
    for _ in range(2):
        with pytest.raises((LaunchError, ExecutionError),
                           match=r"(?s)L021.*'B'.*read-only|X004.*read-only argument `B`"):
            launch(a, b, backend=backend)
    np.testing.assert_array_equal(b, a)
