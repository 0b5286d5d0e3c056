"""The race detector: what two waves may and may not do to shared memory, and what stands between them."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import ExecutionError
from avelang.sim.reference import run
from sim.kernels import kernel, launched, line_of, refused


def exchange(barriers: tuple[bool, bool], index: str):
    """Thread t writes element t, reads element `index` (an expression of t), and writes element t again."""
    first, second = ("barrier" if b else "" for b in barriers)
    return kernel("%o: tensor<u32, (64):(1), global>", f"""
    %t = thread_id {{"dim": 0}} : u32
    %k = const {{"value": 32}} : u32
    %z = const {{"value": 0}} : u32
    %S = alloc {{"name": "s"}} : tensor<u32, (64):(1), shared>
    store(%t, %S, %t) @11:0:11:1
    {first}
    %i = {index}(%t, %k) : u32
    %v = load(%S, %i) : u32 @12:0:12:1
    store(%v, %o, %t)
    {second}
    store(%v, %S, %t) @13:0:13:1
    """, wave=32)  # fmt: skip


def test_barriers_order_accesses():
    out = np.zeros(64, np.uint32)
    run(exchange((True, True), "xor"), [out], 1, 64, races=True)
    assert (out == np.arange(64) ^ 32).all()


def test_a_wave_may_touch_its_own_memory():
    run(exchange((False, False), "rem"), [np.zeros(64, np.uint32)], 1, 32, races=True)


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_write_after_a_read_by_another_wave(order):
    k = exchange((True, False), "xor")
    with pytest.raises(ExecutionError) as e:
        run(k, [np.zeros(64, np.uint32)], 1, 64, races=True, order=order)
    assert e.value.code == "X006"
    for part in ("`s`", "line 12", "line 13", "wave"):
        assert part in e.value.message
    run(k, [np.zeros(64, np.uint32)], 1, 64)  # not looked for unless asked


def test_read_after_a_write_by_another_wave():
    with pytest.raises(ExecutionError) as e:
        run(exchange((False, True), "rem"), [np.zeros(64, np.uint32)], 1, 64, races=True)
    assert e.value.code == "X006" and "line 12" in e.value.message and "line 11" in e.value.message and "index (" in e.value.message


def test_many_readers_are_no_race():
    k = kernel("", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 31} : u32
    %S = alloc {"name": "s"} : tensor<u32, (64):(1), shared>
    store(%t, %S, %t)
    barrier
    %i = and(%t, %k) : u32
    %v = load(%S, %i) : u32
    barrier
    store(%v, %S, %t)
    """, wave=32)  # fmt: skip
    run(k, [], 1, 64, races=True)


def test_write_by_the_last_of_several_readers():
    k = kernel("", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 32} : u32
    %S = alloc {"name": "s"} : tensor<u32, (64):(1), shared>
    store(%t, %S, %t)
    barrier
    %i = rem(%t, %k) : u32
    %v = load(%S, %i) : u32
    %c = cmp(%t, %k) {"pred": "ge"} : u1
    if(%c) { ^():
      store(%v, %S, %i)
      yield
    } { ^():
      yield
    }
    """, wave=32)  # fmt: skip
    with pytest.raises(ExecutionError) as e:
        run(k, [], 1, 64, races=True)
    assert e.value.code == "X006"


# -- who comes before whom ---------------------------------------------------------------------------------------------------------------


@avelang.jit
def handed(B: al.Tensor((96,), al.i32), how: al.constexpr, drop: al.constexpr):
    """Warp 0 writes, warp 1 reads and writes; warp 2 reads that, where it takes part."""
    s, bars, t = al.make_shared((32,), al.i32), al.make_shared((2, 1), al.u64), al.thread_id(0)
    flags = al.make_shared((2, 1), al.u32)
    lane, warp = t % 32, t // 32
    if t == 0:
        al.nvvm.mbarrier_init(bars[0], 32)
        al.nvvm.mbarrier_init(bars[1], 1)
        flags[0, 0] = 0
        flags[1, 0] = 0
    if warp == 2:
        s[lane] = 0
    al.syncthreads()
    if warp == 0:
        s[lane] = 7  # first
        if how == "named":
            al.nvvm.barrier_arrive(1, 64)
        elif how == "mbarrier":
            al.nvvm.mbarrier_arrive(bars[0])
        elif lane == 0:
            al.nvvm.st_release(flags[0], al.convert(1, al.u32))
    if warp == 1:
        if how == "named":
            if drop == 1:
                al.nvvm.barrier_arrive(1, 64)
            else:
                al.nvvm.barrier_sync(1, 64)
        elif drop == 1:
            pass
        elif how == "mbarrier":
            al.nvvm.mbarrier_wait(bars[0], 0)
        else:
            while al.nvvm.ld_acquire_u32(flags[0]) == 0:
                al.nvvm.mbarrier_test_wait(bars[0], 1)
        s[lane] = s[lane] + 1  # second
        if how == "named":
            al.nvvm.barrier_sync(2, 64)
        elif how == "mbarrier":
            if lane == 0:
                al.nvvm.mbarrier_arrive(bars[1])
        elif lane == 0:
            al.nvvm.atomic_exch(flags[1], al.convert(1, al.u32), 0 if drop == 3 else 2)
    if warp == 2:
        if how == "named":
            if drop == 2:
                al.nvvm.barrier_arrive(2, 64)
            else:
                al.nvvm.barrier_sync(2, 64)
        elif drop == 2:
            pass
        elif how == "mbarrier":
            while not al.nvvm.mbarrier_test_wait(bars[1], 0):
                pass
        else:
            while al.nvvm.ld_acquire_u32(flags[1]) == 0:
                al.nvvm.mbarrier_test_wait(bars[0], 1)
        B[lane] = s[lane]  # third


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
@pytest.mark.parametrize("how", ["named", "mbarrier", "words"])
def test_what_hands_on_orders(how, order):
    out = np.zeros(96, np.int32)
    launched(handed, out, block=96, values={"how": how, "drop": 0}, races=True, order=order)
    assert (out[:32] == 8).all()


@pytest.mark.parametrize("order", ["forward", "random"])
@pytest.mark.parametrize(("how", "drop"), [*((how, drop) for how in ("named", "mbarrier", "words") for drop in (1, 2)), ("words", 3)])
def test_each_of_them_is_needed(how, drop, order):
    e = refused(handed, np.zeros(96, np.int32), block=96, values={"how": how, "drop": drop}, races=True, order=order)
    first, second, third = (line_of(handed, text) for text in ("# first", "# second", "# third"))
    assert e.code == "X006" and e.span is not None
    met = {e.span.line, int(e.message.split("meets a ")[1].split(" in line ")[1].split(" ")[0])}
    assert met == {first, second} if drop == 1 else third in met and met < {first, second, third}


@avelang.jit
def turns(B: al.Tensor((64,), al.i32), n: al.i32, GOOD: al.constexpr):
    """Two warps meet by two barriers, each waiting at one and arriving at the other."""
    warp = al.thread_id(0) // 32
    for _ in al.range(n):
        if warp == 0:
            if GOOD:
                al.nvvm.barrier_sync(1, 64)
                al.nvvm.barrier_arrive(2, 64)
            else:
                al.nvvm.barrier_arrive(2, 64)  # again
                al.nvvm.barrier_sync(1, 64)
        else:
            al.nvvm.barrier_arrive(1, 64)  # or this one
            al.nvvm.barrier_sync(2, 64)
    B[al.thread_id(0)] = n


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_nobody_comes_to_a_barrier_again_before_the_others_have_been_there(order):
    """Found on a GPU, as a kernel that never ended: a warp that arrives at both times too soon is counted for one that is late."""
    out = np.zeros(64, np.int32)
    launched(turns, out, 3, block=64, values={"GOOD": True}, races=True, order=order)
    assert (out == 3).all()
    e = refused(turns, np.zeros(64, np.int32), 3, block=64, values={"GOOD": False}, races=True, order=order)
    assert e.span is not None and e.span.line in (line_of(turns, "# again"), line_of(turns, "# or this one"))
    assert "to barrier" in e.message and "again" in e.message
    launched(turns, out, 1, block=64, values={"GOOD": False}, races=True, order=order)  # once is no fault


@avelang.jit
def across(B: al.Tensor((2, 32), al.i32), how: al.constexpr):
    """A block writes into the other's memory."""
    s, bar, t = al.make_shared((32, 1), al.i32), al.make_shared((1,), al.u64), al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    if t == 0:
        al.nvvm.mbarrier_init(bar, 32)
    s[t, 0] = 1  # own
    if how != "unmade":
        al.nvvm.cluster_arrive()
        al.nvvm.cluster_wait()
    al.nvvm.st_cluster_x1(s[t], rank ^ 1, 5)  # sent
    if how == "barrier" or how == "unmade":
        al.nvvm.cluster_arrive()
        al.nvvm.cluster_wait()
    elif how == "relaxed barrier":
        al.nvvm.cluster_arrive(1)
        al.nvvm.cluster_wait()
    elif how != "none":
        al.nvvm.mbarrier_arrive_cluster(bar, rank ^ 1, 1 if how == "relaxed" else 2 if how == "own" else 0)
        al.nvvm.mbarrier_wait(bar, 0)
    B[rank, t] = s[t, 0]  # read
    al.nvvm.cluster_arrive(1)
    al.nvvm.cluster_wait()


@pytest.mark.parametrize("how", ["barrier", "release"])
def test_clusters_order(how):
    out = np.zeros((2, 32), np.int32)
    launched(across, out, block=32, grid=2, cluster=2, values={"how": how}, races=True)
    assert (out == 5).all()


@pytest.mark.parametrize(("how", "texts"), [("none", ("# sent", "# read")), ("relaxed", ("# sent", "# read")), ("own", ("# sent", "# read")), ("relaxed barrier", ("# sent", "# read")), ("unmade", ("# own", "# sent"))])
def test_clusters_race(how, texts):
    e = refused(across, np.zeros((2, 32), np.int32), block=32, grid=2, cluster=2, values={"how": how}, races=True)
    lines = {line_of(across, text) for text in texts}
    assert e.code == "X006" and e.span is not None and e.span.line in lines and f"line {(lines - {e.span.line}).pop()}" in e.message


@avelang.jit
def within(B: al.Tensor((2, 32), al.i32), relaxed: al.constexpr):
    """A warp hands something to another one of its block by an arrival that could reach the other block."""
    s, bar, t = al.make_shared((32, 1), al.i32), al.make_shared((1,), al.u64), al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    if t == 0:
        al.nvvm.mbarrier_init(bar, 32)
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    if t < 32:
        s[t, 0] = 5
        al.nvvm.mbarrier_arrive_cluster(bar, rank, relaxed)
    else:
        al.nvvm.mbarrier_wait(bar, 0)
        B[rank, t - 32] = s[t - 32, 0]
    al.nvvm.cluster_arrive(1)
    al.nvvm.cluster_wait()


def test_an_arrival_that_orders_for_the_own_block():
    out = np.zeros((2, 32), np.int32)
    launched(within, out, block=64, grid=2, cluster=2, values={"relaxed": 2}, races=True)
    assert (out == 5).all()
    assert refused(within, out, block=64, grid=2, cluster=2, values={"relaxed": 1}, races=True).code == "X006"


@avelang.jit
def leaves(B: al.Tensor((2, 32), al.i32), late: al.constexpr):
    """Block 1 uses memory of block 0, which does not wait for it (`late`: which has ended by then)."""
    s, t = al.make_shared((32, 1), al.i32), al.thread_id(0)
    rank = al.nvvm.cluster_rank()
    s[t, 0] = 1
    al.nvvm.cluster_arrive()
    al.nvvm.cluster_wait()
    if rank == 1:
        if late:
            al.syncthreads()
        B[0, t] = al.nvvm.ld_cluster_x1(s[t], 0)  # far


@pytest.mark.parametrize(("late", "order", "words"), [(1, "forward", "has ended"), (0, "reverse", "may have ended")])
def test_memory_of_a_block_that_has_ended(late, order, words):
    e = refused(leaves, np.zeros((2, 32), np.int32), block=32, grid=2, cluster=2, values={"late": late}, races=True, order=order)
    assert e.code == "X012" and words in e.message and e.span is not None and e.span.line == line_of(leaves, "# far")


@avelang.jit
def copied(A: al.Tensor((64, 4), al.i32), B: al.Tensor((64, 4), al.i32), how: al.constexpr):
    """Warp 0 brings what warp 1 reads, and what follows."""
    s, bar, t = al.make_shared((32, 4), al.i32, 16), al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 32)
    al.syncthreads()
    if t < 32:
        al.nvvm.cp_async_x16(s[t], A[t])  # copy
        if how == "mbarrier":
            al.nvvm.cp_async_mbarrier_arrive_noinc(bar)
        else:
            al.nvvm.cp_async_wait_all()
            if how != "none":
                al.nvvm.mbarrier_arrive(bar)
    if t >= 32:
        if how != "none":
            al.nvvm.mbarrier_wait(bar, 0)
        B[t] = s[t - 32]  # read
    if how != "overtaken":
        al.syncthreads()
    if t < 32:
        al.nvvm.cp_async_x16(s[t], A[t + 32])  # next
        al.nvvm.cp_async_wait_all()


def test_copies_are_accesses_of_who_waited_for_them():
    a, b = np.arange(256, dtype=np.int32).reshape(64, 4), np.zeros((64, 4), np.int32)
    for how in ("mbarrier", "arrive"):
        launched(copied, a, b, block=64, values={"how": how}, races=True, chip="sm_90")
        assert (b[32:] == a[:32]).all()
    for how, texts in (("none", ("# copy", "# read")), ("overtaken", ("# read", "# next"))):
        e = refused(copied, a, b, block=64, values={"how": how}, races=True, chip="sm_90", order="reverse" if how == "overtaken" else "forward")
        lines = {line_of(copied, text) for text in texts}
        assert e.code == "X006" and e.span is not None and e.span.line in lines and f"line {(lines - {e.span.line}).pop()}" in e.message


@avelang.jit
def cut(A: al.Tensor((128,), al.i32), B: al.Tensor((64,), al.i32), first: al.constexpr):
    """Two copies report to an mbarrier that expects `first` bytes."""
    s, bar, t = al.make_shared((128,), al.i32, 128), al.make_shared((1,), al.u64), al.thread_id(0)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.mbarrier_arrive_expect_tx(bar, first)
        al.nvvm.cp_async_bulk_load(s, A, 256, bar)
        al.nvvm.cp_async_bulk_load(al.subview(s, (64,), (64,), (1,)), al.subview(A, (64,), (64,), (1,)), 256, bar)  # second
    al.syncthreads()
    al.nvvm.mbarrier_wait(bar, 0)
    B[t] = s[t]


def test_bytes_that_nobody_expects():
    a = np.zeros(128, np.int32)
    launched(cut, a, a[:64].copy(), block=64, values={"first": 512}, chip="sm_90")
    e = refused(cut, a, a[:64].copy(), block=64, values={"first": 256}, chip="sm_90")
    assert e.code == "X012" and "fewer were expected" in e.message and f"`nvvm.cp_async_bulk_load` in line {line_of(cut, '# second')}" in e.message
    for first, words in ((528, "waits for no more arrivals and 16 bytes"), (496, "for 16 bytes to be expected that have come already")):
        e = refused(cut, a, a[:64].copy(), block=64, values={"first": first}, chip="sm_90")
        assert e.code == "X011" and words in e.message and "the mbarrier at byte 0 of `bar`" in e.message


@avelang.jit
def too_large(A: al.TensorMap(al.f32, 2, (8, 32))):
    tile, bar = al.make_shared((4, 32), al.f32, 128), al.make_shared((1,), al.u64)
    if al.thread_id(0) == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.mbarrier_arrive_expect_tx(bar, 1024)
        al.nvvm.tma_load_2d(tile, A, 0, 0, bar)  # the box


def test_a_box_past_the_end_of_shared_memory_is_no_race():
    e = refused(too_large, np.zeros((8, 32), np.float32), block=32)
    assert e.code == "X002" and e.span is not None and e.span.line == line_of(too_large, "# the box")
