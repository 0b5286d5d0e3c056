"""Kernels of several ranks in one process, on the CPU and the reference, against NumPy on the user's words; failures name the rank; and the code for GPUs."""

import re

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.runtime import compile

X, S = al.Tensor((64,), al.f32), al.Tensor((8,), al.u32)
BACKENDS = ("cpu", "reference", "sm_90a")


@avelang.jit
def exchanged(x: X, box: X, out: X, signals: S, epoch: al.u32, team: al.Ranks):
    """Each rank puts its x into the box of the next, which adds its own to it."""
    t, me, n = al.thread_id(0), al.rank(), al.ranks()
    ahead, behind = (me + 1) % n, (me + n - 1) % n
    first, second = al.subview(signals, (0,), (1,)), al.subview(signals, (1,), (1,))
    if t == 0:
        al.wait(second, epoch - 1, ahead)
    al.syncthreads()
    al.peer(box, ahead)[t] = x[t]
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(first, ahead), epoch)
        al.wait(first, epoch, behind)
    al.syncthreads()
    out[t] = box[t] + x[t]
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(second, behind), epoch)


@avelang.jit
def counted(words: al.Tensor((4,), al.u32), long: al.Tensor((2,), al.u64), team: al.Ranks):
    t, me = al.thread_id(0), al.rank()
    if t == 0:
        al.atomic_add(al.peer(words, 0), 0, me + 1, scope="system")
        al.atomic_max(al.peer(words, 0), 1, 10 * me, scope="system")
        al.atomic_or_(al.peer(words, 0), 2, al.u32(1) << me, scope="system")
        al.atomic_cas(al.peer(words, 0), 3, al.u32(0), al.u32(7), scope="system", order="acq_rel")
        al.atomic_add(al.peer(long, 0), 0, al.u64(1) << 40, scope="system")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("ranks", [2, 5])
def test_neighbors_exchange_launch_after_launch(backend, ranks):
    w, rng = World(ranks, backend=backend, bytes=1 << 14), np.random.default_rng(ranks)
    box, signals = w.zeros(64, np.float32), w.zeros(8, np.uint32)
    for epoch in range(1, 4):
        x = [rng.standard_normal(64).astype(np.float32) for _ in range(ranks)]
        out = [np.zeros(64, np.float32) for _ in range(ranks)]
        w.launch(exchanged, 1, 64, w.each(x), box, w.each(out), signals, epoch, w.team)
        for r in range(ranks):
            np.testing.assert_array_equal(out[r], x[r - 1] + x[r])


@pytest.mark.parametrize("backend", BACKENDS)
def test_atomics_of_the_system_add_up_at_a_peer(backend):
    w = World(8, backend=backend, bytes=1 << 14)
    words, long = w.zeros(4, np.uint32), w.zeros(2, np.uint64)
    w.launch(counted, 1, 64, words, long, w.team)
    assert words[0].tolist() == [36, 70, 255, 7] and long[0].tolist() == [8 << 40, 0]
    assert not words[1].any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_order_of_ranks_changes_nothing(backend):
    seen = set()
    for seed in range(4):
        w = World(3, backend=backend, bytes=1 << 14, seed=seed)
        x, out = [np.full(64, r, np.float32) for r in range(3)], [np.zeros(64, np.float32) for _ in range(3)]
        w.launch(exchanged, 1, 64, w.each(x), w.zeros(64, np.float32), w.each(out), w.zeros(8, np.uint32), 1, w.team)
        seen.add(tuple(o[0] for o in out))
    assert seen == {(2, 1, 3)}


def test_a_rank_that_does_not_come_is_named():
    w = World(3, limit=0.3, bytes=1 << 14)
    x, out = [np.zeros(64, np.float32)] * 3, [np.zeros(64, np.float32) for _ in range(3)]
    args = (w.each(x), w.zeros(64, np.float32), w.each(out), w.zeros(8, np.uint32), 1, w.team)
    with pytest.raises(AveError, match=r"rank \d has waited 0.3 s for rank \d.*block 0, line \d+") as e:
        w.launch(exchanged, 1, 64, *args, absent=[1])
    assert e.value.code == "L080" and e.value.message.startswith("kernel `exchanged`: rank 2")
    assert "for rank 1: its signal is 0, epoch 1" in e.value.message


@pytest.mark.parametrize("races", [False, True])
def test_a_rank_that_does_not_come_is_named_in_executed_ptx(races):
    w = World(3, backend="sm_90a", bytes=1 << 14, races=races)
    x, out = [np.zeros(64, np.float32)] * 3, [np.zeros(64, np.float32) for _ in range(3)]
    args = (w.each(x), w.zeros(64, np.float32), w.each(out), w.zeros(8, np.uint32), 1, w.team)
    with pytest.raises(AveError, match=r"rank 2 has waited in vain for rank 1: its signal is 0, epoch 1 .*block 0, line \d+") as e:
        w.launch(exchanged, 1, 64, *args, absent=[1])
    assert e.value.code == "L080"
    w.launch(exchanged, 1, 64, args[0], w.zeros(64, np.float32), args[2], w.zeros(8, np.uint32), 1, w.team)  # and those that come, go on


@avelang.jit
def handed_on(x: X, out: X, signals: S, how: al.constexpr, team: al.Ranks):
    """Rank 0 tells rank 1 that its x is there, by `how`."""
    t, place = al.thread_id(0), al.subview(signals, (0,), (1,))
    if al.rank() == 0:
        x[t] = 7.0
        if how != "no barrier":
            al.syncthreads()
        if t == 0:
            if how == "device":
                al.atomic_add(al.peer(place, 1), 0, 1, scope="device", order="release")
            elif how == "relaxed":
                al.atomic_add(al.peer(place, 1), 0, 1, scope="system")
            else:
                al.signal(al.peer(place, 1), 1)
    else:
        if t == 0:
            if how != "no wait":
                al.wait(place, 1, 0)
        al.syncthreads()
        out[t] = al.peer(x, 0)[t]


@pytest.mark.parametrize("backend", ["reference", "sm_90a"])
@pytest.mark.parametrize("how", ["right", "no barrier", "device", "relaxed", "no wait"])
def test_what_orders_two_ranks(how, backend):
    w = World(2, backend=backend, bytes=1 << 14)
    out = [np.zeros(64, np.float32) for _ in range(2)]
    args = (handed_on, 1, 64, w.zeros(64, np.float32), w.each(out), w.zeros(8, np.uint32), how, w.team)
    if how == "right":
        w.launch(*args, target="sm_90a")
        assert (out[1] == 7).all()
        return
    with pytest.raises(AveError, match="of rank [01]") as e:
        w.launch(*args, target="sm_90a")
    assert e.value.code == "X040"


def test_a_rank_that_does_not_come_is_a_deadlock_on_the_reference():
    w = World(2, backend="reference", bytes=1 << 14)
    x, out = [np.zeros(64, np.float32)] * 2, [np.zeros(64, np.float32) for _ in range(2)]
    with pytest.raises(AveError, match=r"rank 0 waits for epoch 1 of rank 1, whose signal `signals\[0\]` is 0") as e:
        args = (w.each(x), w.zeros(64, np.float32), w.each(out), w.zeros(8, np.uint32), 1, w.team)
        w.launch(exchanged, 1, 64, *args, absent=[1])
    assert e.value.code == "X011" and e.value.span.file == __file__


def test_programs_of_ranks_and_what_they_must_agree_on():
    def program(member, mine):
        assert member.exchange(mine) == [5, 6, 7]
        member.agree("f", shape=(4, 4))
        box = member.empty(64, np.float32)
        out = np.zeros(64, np.float32)
        member.launch(exchanged, 1, 64, np.full(64, mine, np.float32), box, out, member.empty(8, np.uint32), 1, member.team)
        return out[0]

    for backend in BACKENDS:
        w = World(3, backend=backend, bytes=1 << 14)
        assert w.run(program, w.each([5, 6, 7])) == [12, 11, 13]
    with pytest.raises(AveError, match="`shape` is .* on rank") as e:
        World(2).run(lambda member: member.agree("f", shape=(member.rank, 4)))
    assert e.value.code == "L081"
    with pytest.raises(AveError, match="rank 0 has waited 0.2 s") as e:
        World(2, limit=0.2).run(lambda member: member.exchange(1) if not member.rank else None)
    assert e.value.code == "L083"
    with pytest.raises(ZeroDivisionError):
        World(2, limit=5).run(lambda member: 1 // 0 if member.rank else member.exchange(1))


def test_what_a_world_cannot_be():
    with pytest.raises(AveError) as e:
        World(9)
    assert e.value.code == "L066"
    with pytest.raises(AveError) as e:
        World(2, bytes=4096).zeros(4096, np.float32)
    assert e.value.code == "L082"


@avelang.jit
def without_ranks(x: X):
    x[al.thread_id(0)] = al.convert(al.rank(), al.f32)


@avelang.jit
def signals_a_float(x: X, team: al.Ranks):
    al.signal(al.subview(x, (0,), (1,)), 1)


@avelang.jit
def peer_of_a_number(x: X, team: al.Ranks):
    al.peer(x[0], 1)


def test_words_that_are_refused():
    for kernel, args, code in ((without_ranks, 0, "T340"), (signals_a_float, 1, "T022"), (peer_of_a_number, 1, "T022")):
        w = World(2)
        with pytest.raises(AveError) as e:
            w.launch(kernel, 1, 64, w.zeros(64, np.float32), *([w.team] * args))
        assert e.value.code == code


def text(target):
    return compile.compile_text(exchanged, {}, (64, 1, 1), target, "asm") + compile.compile_text(counted, {}, (64, 1, 1), target, "asm")


def test_code_for_nvidia_has_system_scope():
    ptx = text("sm_90a")
    assert {"st.release.sys.global.u32", "ld.acquire.sys.global.u32", "atom.relaxed.sys.global.add.u32", "atom.acq_rel.sys.global.cas.b32"} <= set(ptx.split())
    assert "multimem" not in ptx


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950"])
def test_code_for_amd_is_of_the_system_scope_of_its_memory_model(target):
    """LLVM, User Guide for AMDGPU Backend, Memory Model gfx90a and gfx942, tables of code sequences: release at system scope writes L2 back before the store,
    acquire invalidates behind the load."""
    asm = text(target)
    sc = " sc0 sc1" if target != "gfx90a" else ""
    assert re.search(rf"buffer_wbl2{sc}\n(\s+;?.*\n)*?\s+s_waitcnt vmcnt\(0\)[^\n]*\n(.*\n)*?\s+global_store_dword [^\n]*{sc}", asm)
    assert re.search(rf"global_load_dword [^\n]*{sc or ' glc'}\n(.*\n)*?\s+s_waitcnt vmcnt\(0\)\n(.*\n)*?\s+buffer_inv{sc or 'l2'}", asm) or target == "gfx90a"
    assert re.search(r"buffer_invl2|buffer_inv sc0 sc1", asm)


@avelang.jit
def released(words: al.Tensor((8,), al.u32), signals: al.Signals[4], x: al.Tensor((8,), al.f32), team: al.Ranks):
    """All that releases, with nothing under way before it that the compiler knows of."""
    signals[0].at(1).send(1)
    signals[0].wait(1, 1)
    signals[1].at(1).add()
    signals[0].wait(2, 1)
    al.atomic_add(words, 0, 1, order="release")
    signals[0].wait(3, 1)
    al.atomic_exchange(words, 1, 1, order="acq_rel")
    signals[0].wait(4, 1)
    al.atomic_add(x, 1, 1.0, scope="system", order="release")
    for scope in ("device", "system"):
        signals[0].wait(5, 1)
        al.fence(scope=scope)
        words[3] = 1
        signals[0].wait(5, 1)
        al.fence(scope=scope, order="release")
        al.atomic_add(words, 2, 1, scope=scope)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_write_back_is_waited_for_before_what_it_is_for(target):
    """LLVM 22 leaves the wait away where it knows of nothing else that is under way."""
    lines = [line.strip() for line in compile.compile_text(released, {}, (64, 1, 1), target, "asm").splitlines()]
    code = [line for line in lines if line and not line.startswith((".", ";"))]
    behind = [code[i + 1] for i, line in enumerate(code) if line.startswith("buffer_wbl2")]
    assert len(behind) >= 9 and all(re.match(r"s_waitcnt vmcnt\(0\)", line) for line in behind), behind


@avelang.jit
def vectors_to_a_peer(x: al.Pointer(al.bf16), y: al.Pointer(al.bf16), n: al.u32, team: al.Ranks):
    i, to = al.thread_id(0), (al.rank() + 1) % al.ranks()
    layout = al.make_layout((n, 8))
    X, theirs = al.make_tensor(x, al.bf16, layout), al.peer(al.make_tensor(y, al.bf16, layout), to)
    theirs[i] = X[i]
    al.make_tensor(al.peer(y, to), al.bf16, layout)[n - i] = X[i]


@pytest.mark.parametrize("chip,wide", [("sm_90a", "st.global.v4.b32"), ("gfx942", "global_store_dwordx4")])
def test_vectors_go_to_peers_in_one_piece(chip, wide):
    """By elements of two bytes a collective moved 38 GB/s between two H100."""
    text = compile.compile_text(vectors_to_a_peer, {}, (128, 1, 1), chip, "asm")
    stores = [line.split()[0] for line in text.splitlines() if "store" in line.split(" ")[0] or "st.global" in line]
    assert text.count(wide) == 2 and "b16" not in " ".join(stores), stores
