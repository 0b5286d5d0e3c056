"""Proxy fences on the reference (X014): between what ordinary code writes into shared memory and the copies and matrix instructions that use it."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from sim.kernels import launched, line_of, refused


@avelang.jit
def stored(A: al.TensorMap(al.f32, 1, (128,)), B: al.Tensor((128,), al.f32), what: al.constexpr):
    """128 threads write what the copy engine stores."""
    tile, t = al.make_shared((128,), al.f32, 128), al.thread_id(0)
    if what == "early":
        al.nvvm.fence_proxy_async_shared()
    tile[t] = B[t]  # write
    if what in ("writers", "all memory"):
        if what == "writers":
            al.nvvm.fence_proxy_async_shared()
        else:
            al.nvvm.fence_proxy_async()
    if what == "half" and t < 64:
        al.nvvm.fence_proxy_async_shared()
    if what == "one lane" and t % 32 == 0:
        al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        if what in ("reader", "late"):
            al.nvvm.fence_proxy_async_shared()
        if what == "late":
            tile[0] = 1.0
        al.nvvm.tma_store_1d(A, 0, tile)  # read
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


@pytest.mark.parametrize("what", ["writers", "all memory", "reader"])
def test_a_fence_may_stand_anywhere_between(what: str):
    a, b = np.zeros(128, np.float32), np.arange(128, dtype=np.float32)
    launched(stored, a, b, values={"what": what}, races=True)
    assert (a == b).all()


@pytest.mark.parametrize(("what", "byte"), [("none", 0), ("early", 0), ("half", 256), ("one lane", 4), ("late", 0)])
@pytest.mark.parametrize("races", [False, True])
def test_each_thread_that_wrote_is_fenced(what: str, byte: int, races: bool):
    e = refused(stored, np.zeros(128, np.float32), np.zeros(128, np.float32), values={"what": what}, races=races)
    assert e.code == "X014" and f"`tile`, byte {byte} of it" in e.message and "fence_proxy_async_shared()" in str(e)
    assert e.span is not None and e.span.line == line_of(stored, "# read")
    assert f"a store in line {line_of(stored, 'tile[0] = 1.0' if what == 'late' else '# write')}" in e.message


@avelang.jit
def multiplied(A: al.Tensor((512, 8), al.bf16), C: al.Tensor((128, 4), al.f32), how: al.constexpr, fence: al.constexpr):
    s, t = al.make_shared((512, 8), al.bf16, 1024), al.thread_id(0)
    for i in range(4):
        if how == "copy":
            al.nvvm.cp_async_x16(s[128 * i + t], A[128 * i + t])  # copy
        else:
            s[128 * i + t] = A[128 * i + t]  # store
    al.nvvm.cp_async_wait_all()
    if fence:
        al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.nvvm.wgmma_fence_acc(al.full((4,), 0.0, al.f32))
    acc = al.nvvm.wgmma_bf16_f32(d, d, acc)  # product
    al.nvvm.wgmma_commit_group()
    C[t] = al.nvvm.wgmma_wait_acc(acc, 0)


@pytest.mark.parametrize("how", ["store", "copy"])
def test_products_need_one_too_and_cp_async_is_ordinary(how: str):
    a, c = np.ones((512, 8), al.bf16.np), np.zeros((128, 4), np.float32)
    launched(multiplied, a, c, values={"how": how, "fence": 1}, races=True)
    assert (c == 16).all()
    e = refused(multiplied, a, c, values={"how": how, "fence": 0})
    assert e.code == "X014" and e.span is not None and e.span.line == line_of(multiplied, "# product")
    assert f"in line {line_of(multiplied, '# ' + how)}" in e.message


@avelang.jit
def brought(A: al.Tensor((128,), al.f32), B: al.Tensor((128,), al.f32), what: al.constexpr):
    """A copy in, by the copy engine, and out again by it."""
    tile, bar, t = al.make_shared((128,), al.f32, 128), al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
    if what != "":
        tile[t] = 0.0  # before
    if what == "fenced":
        al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.mbarrier_arrive_expect_tx(bar, 512)
        al.nvvm.cp_async_bulk_load(tile, A, 512, bar)  # copy
        al.nvvm.mbarrier_wait(bar, 0)
        al.nvvm.cp_async_bulk_store(B, tile, 512)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


def test_copies_need_none_among_themselves_but_over_what_was_stored():
    a, b = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    for what in ("", "fenced"):
        launched(brought, a, b, values={"what": what}, races=True)
        assert (a == b).all()
        b[:] = 0
    e = refused(brought, a, b, values={"what": "unfenced"})
    assert e.code == "X014" and e.span is not None and e.span.line == line_of(brought, "# copy") and f"line {line_of(brought, '# before')}" in e.message
