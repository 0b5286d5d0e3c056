"""Registers of wgmma on the reference: what may be done with accumulators and fragments before the products are complete (X013), and what with shared
memory that products read (X010)."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from sim.kernels import launched, line_of, refused

ACC = np.zeros((128, 4), np.float32)


@avelang.jit
def operands():
    """Zeros in shared memory, as both operands."""
    s = al.make_shared((4096,), al.bf16, 1024)
    for i in range(32):
        s[128 * i + al.thread_id(0)] = 0.0
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    return s


@avelang.jit
def used(C: al.Tensor((128, 4), al.f32), D: al.Tensor((128, 4), al.f32), what: al.constexpr):
    s = operands()
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.nvvm.wgmma_fence_acc(C[al.thread_id(0)])
    acc = al.nvvm.wgmma_bf16_f32(d, d, acc)  # first
    if what != "uncommitted":
        al.nvvm.wgmma_commit_group()
    if what == "element":
        D[al.thread_id(0), 0] = acc[0]  # early element
    if what == "whole":
        D[al.thread_id(0)] = acc  # early whole
    if what == "sum":
        acc = acc + acc  # early sum
    if what == "chain":
        acc = al.nvvm.wgmma_bf16_f32(d, d, acc)
        al.nvvm.wgmma_commit_group()
        acc = al.nvvm.wgmma_bf16_f32(d, d, acc, 0)
        al.nvvm.wgmma_commit_group()
    if what == "one left":
        acc = al.nvvm.wgmma_bf16_f32(d, d, acc)
        al.nvvm.wgmma_commit_group()
        acc = al.nvvm.wgmma_wait_acc(acc, 1)
        D[al.thread_id(0)] = acc  # one too early
    if what == "group":
        al.nvvm.wgmma_wait_group(0)
    elif what != "end":
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
    if what != "end":
        C[al.thread_id(0)] = acc  # behind
    if what in ("touched", "fenced"):
        if what == "fenced":
            al.nvvm.wgmma_fence()
        acc = al.nvvm.wgmma_bf16_f32(d, d, acc)  # again
        al.nvvm.wgmma_commit_group()
        C[al.thread_id(0)] = al.nvvm.wgmma_wait_acc(acc, 0)


@pytest.mark.parametrize("what", ["", "chain", "group", "fenced"])
def test_products_that_are_waited_for(what: str):
    launched(used, ACC.copy(), ACC.copy(), values={"what": what}, races=True)


@pytest.mark.parametrize(("what", "here", "there", "words"), [
    ("element", "# early element", "# first", "nothing has waited for its group"), ("whole", "# early whole", "# first", "nothing has waited"),
    ("sum", "# early sum", "# first", "nothing has waited"), ("uncommitted", "# behind", "# first", "no wgmma_commit_group"),
    ("one left", "# one too early", "acc = al.nvvm.wgmma_bf16_f32(d, d, acc)\n", "nothing has waited"),
    ("end", "# first", "# first", "is the end of a wave"), ("touched", "# again", "# behind", "since the last wgmma_fence"),
])  # fmt: skip
def test_a_value_is_used_too_early(what: str, here: str, there: str, words: str):
    e = refused(used, ACC.copy(), ACC.copy(), values={"what": what})
    assert e.code == "X013" and words in e.message and "(block (0, 0, 0), thread" in e.message
    if "\n" not in there:
        assert f"in line {line_of(used, there)}" in e.message
    if what != "end":
        assert e.span is not None and e.span.line == line_of(used, here)


@avelang.jit
def in_memory(C: al.Tensor((128, 2, 4), al.f32), what: al.constexpr):
    """Two accumulators that are rows of one register tensor."""
    s, t = operands(), al.thread_id(0)
    d = al.nvvm.wgmma_descriptor(s)
    sums = al.full((2, 4), 0.0, al.f32)
    if what in ("group fence", "touch"):
        al.nvvm.wgmma_fence()
    for k in al.range(2):
        for h in range(2):
            if what == "change":
                sums[h, 1] = 1.0
            if what in ("", "change", "read", "part"):
                sums[h] = al.nvvm.wgmma_fence_acc(sums[h])
            sums[h] = al.nvvm.wgmma_bf16_f32(d, d, sums[h])  # product
            if what == "part":
                sums[h, 1] = 2.0  # part
        al.nvvm.wgmma_commit_group()
        if what == "read":
            C[t, 0, 0] = sums[1, 2]  # read
        for h in range(2):
            sums[h] = al.nvvm.wgmma_wait_acc(sums[h], 0)
        if what == "touch":
            C[t, 0] = sums[0]  # touch
    for h in range(2):
        C[t, h] = sums[h]


@pytest.mark.parametrize("what", ["", "group fence", "change"])
def test_accumulators_in_a_register_tensor(what: str):
    c = np.ones((128, 2, 4), np.float32)
    launched(in_memory, c, values={"what": what})
    assert (c[:, :, 0] == 0).all() and (c[:, :, 1] == (what == "change")).all()


@pytest.mark.parametrize(("what", "line"), [("none", "# product"), ("read", "# read"), ("part", "# part"), ("touch", "# product")])
def test_register_tensors_are_registers(what: str, line: str):
    e = refused(in_memory, np.ones((128, 2, 4), np.float32), values={"what": what})
    assert e.code == "X013" and e.span is not None and e.span.line == line_of(in_memory, line)
    assert what != "touch" or f"in line {line_of(in_memory, '# touch')} has accessed" in e.message


@avelang.jit
def from_registers(A: al.Tensor((128, 16), al.bf16), C: al.Tensor((128, 4), al.f32), what: al.constexpr):
    s, t = operands(), al.thread_id(0)
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.full((4,), 0.0, al.f32)
    acc = al.nvvm.wgmma_fence_acc(acc)
    if what == "fragments":
        whole = A[t]
        al.nvvm.wgmma_fence()
        for i in range(2):
            acc = al.nvvm.wgmma_bf16_f32_rs(al.subview(whole, (8 * i,), (8,), (1,)), d, acc)
    elif what == "unfenced":
        acc = al.nvvm.wgmma_bf16_f32_rs(al.subview(A[t], (0,), (8,), (1,)), d, acc)  # unfenced
    else:
        for k in al.range(2):
            a = al.subview(A, (t, 8 * k), (1, 8), (1, 1))[0]  # operand
            al.nvvm.wgmma_fence()
            acc = al.nvvm.wgmma_bf16_f32_rs(a, d, acc)  # product
            al.nvvm.wgmma_commit_group()
            if what == "waited":
                acc = al.nvvm.wgmma_wait_acc(acc, 0)
    al.nvvm.wgmma_commit_group()
    C[t] = al.nvvm.wgmma_wait_acc(acc, 0)


@pytest.mark.parametrize("what", ["fragments", "waited"])
def test_fragments_in_registers(what: str):
    launched(from_registers, np.zeros((128, 16), al.bf16.np), ACC.copy(), values={"what": what})


def test_fragments_that_are_written_too_late_or_too_early():
    a = np.zeros((128, 16), al.bf16.np)
    e = refused(from_registers, a, ACC.copy(), values={"what": "unfenced"})
    assert e.code == "X013" and "A in registers" in e.message and e.span is not None and e.span.line == line_of(from_registers, "# unfenced")
    e = refused(from_registers, a, ACC.copy(), values={"what": "loop"})
    assert e.code == "X013" and "still reads as A" in e.message and e.span is not None and e.span.line == line_of(from_registers, "# operand")
    assert f"line {line_of(from_registers, 'acc)  # product')}" in e.message and "registers of its own" in str(e)


@avelang.jit
def two_shapes(C: al.Tensor((128, 4), al.f32), wait: al.constexpr):
    s = operands()
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.nvvm.wgmma_fence_acc(al.full((4,), 0.0, al.f32))
    acc = al.nvvm.wgmma_bf16_f32(d, d, acc)
    al.nvvm.wgmma_commit_group()
    if wait:
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
        acc = al.nvvm.wgmma_fence_acc(acc)
    acc = al.nvvm.wgmma_tf32_f32(d, d, acc)  # other
    al.nvvm.wgmma_commit_group()
    C[al.thread_id(0)] = al.nvvm.wgmma_wait_acc(acc, 0)


def test_products_of_another_shape_do_not_wait_for_one_another():
    launched(two_shapes, ACC.copy(), values={"wait": 1})
    e = refused(two_shapes, ACC.copy(), values={"wait": 0})
    assert e.code == "X013" and "of another shape" in e.message and e.span is not None and e.span.line == line_of(two_shapes, "# other")


@avelang.jit
def under_way(A: al.TensorMap(al.bf16, 1, (64,)), C: al.Tensor((128, 4), al.f32), what: al.constexpr):
    s, t = operands(), al.thread_id(0)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
    al.syncthreads()
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.nvvm.wgmma_fence_acc(al.full((4,), 0.0, al.f32))
    acc = al.nvvm.wgmma_bf16_f32(d, d, acc)  # product
    al.nvvm.wgmma_commit_group()
    if what == "after":
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
    if t == 0:
        if what == "store":
            s[3] = 1.0  # store
        else:
            al.nvvm.mbarrier_arrive_expect_tx(bar, 128)
            al.nvvm.tma_load_1d(s, A, 0, bar)  # copy
            al.nvvm.mbarrier_wait(bar, 0)
    C[t] = al.nvvm.wgmma_wait_acc(acc, 0)


def test_shared_operands_stay_as_they_are():
    a = np.zeros(64, al.bf16.np)
    for what in ("store", "copy"):
        e = refused(under_way, a, ACC.copy(), values={"what": what})
        assert e.code == "X010" and "a running wgmma still reads" in e.message and "wgmma_wait_acc" in str(e)
        assert e.span is not None and e.span.line == line_of(under_way, f"# {what}") and f"line {line_of(under_way, '# product')}" in e.message
    launched(under_way, a, ACC.copy(), values={"what": "after"})  # one warp has waited: the product is complete for all


@avelang.jit
def nothing(C: al.Tensor((128,), al.f32)):
    al.nvvm.wgmma_fence()
    al.nvvm.wgmma_commit_group()
    al.nvvm.wgmma_wait_group(0)
    C[al.thread_id(0)] = 1.0


def test_groups_may_be_empty():
    c = np.zeros(128, np.float32)
    launched(nothing, c)
    assert (c == 1).all()


@avelang.jit
def chosen(C: al.Tensor((128, 4), al.f32), early: al.constexpr):
    """Lanes that part choose between an accumulator and something else."""
    s, t = operands(), al.thread_id(0)
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.nvvm.wgmma_fence_acc(al.full((4,), 0.0, al.f32))
    acc = al.nvvm.wgmma_bf16_f32(d, d, acc)
    al.nvvm.wgmma_commit_group()
    if not early:
        acc = al.nvvm.wgmma_wait_acc(acc, 0)
    if t % 2 == 0:
        acc = al.full((4,), 5.0, al.f32)
    C[t] = al.nvvm.wgmma_wait_acc(acc, 0)


def test_lanes_that_part_read():
    c = ACC.copy()
    launched(chosen, c, values={"early": 0})
    assert (c[::2] == 5).all() and (c[1::2] == 0).all()
    assert refused(chosen, ACC.copy(), values={"early": 1}).code == "X013"
