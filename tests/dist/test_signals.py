"""Typed signals: what they do on all engines, what they become, and what is refused, at the user's line."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.runtime.compile import compile_text

X, S = al.Tensor((64,), al.f32), al.Tensor((8,), al.u32)
BACKENDS = ("cpu", "reference", "sm_90a", "gfx942")


@avelang.jit
def push(x: X, box: X, out: X, signals: al.Signals[al.dynamic], epoch: al.u32, team: al.Ranks):
    """Each rank puts its x into the box of the next one."""
    t, me, n = al.thread_id(0), al.rank(), al.ranks()
    ahead, behind = (me + 1) % n, (me + n - 1) % n
    pushed, read = signals[0], signals[1]
    if t == 0:
        read.wait(epoch - 1, ahead)
    al.syncthreads()
    al.peer(box, ahead)[t] = x[t]
    al.syncthreads()
    if t == 0:
        pushed.at(ahead).send(epoch)
        pushed.wait(epoch, behind)
    al.syncthreads()
    out[t] = box[t]
    al.syncthreads()
    if t == 0:
        read.at(behind).send(epoch)


@avelang.struct
class Hello:
    """Signals in a field."""

    signals: ...
    me: ...

    def tell(self, rank, count: al.u32):
        """Adds at a rank."""
        self.signals[self.me].at(rank).add(count)


@avelang.jit
def heard(signals: al.Signals[2, 4], r: al.u32, least: al.u32):
    """What a rank has told, when it is enough."""
    signals[0, r].wait(least, r)
    return signals[0, r].value()


@avelang.jit
def told(words: al.Pointer(al.u32), out: S, n: al.constexpr, team: al.Ranks):
    """Each thread of each block of each rank tells all ranks; a pointer is what the kernel has."""
    signals = al.Signals(words, (2, 4))
    hello = Hello(signals[0], al.rank())
    for r in range(n):
        if al.thread_id(0) < 3:
            hello.tell(r, 2)
    al.syncthreads()
    if al.thread_id(0) == 0 and al.block_id(0) == 1:  # on the CPU blocks take turns
        for r in range(n):
            out[r] = heard(signals, r, 2 * 3 * 2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_neighbors_push_launch_after_launch(backend):
    w, rng = World(3, backend=backend, bytes=1 << 14), np.random.default_rng()
    box, signals = w.zeros(64, np.float32), w.zeros(8, np.uint32)
    for epoch in range(1, 4):
        x = [rng.standard_normal(64).astype(np.float32) for _ in range(3)]
        out = [np.zeros(64, np.float32) for _ in range(3)]
        w.launch(push, 1, 64, w.each(x), box, w.each(out), signals, epoch, w.team)
        assert all((out[r] == x[r - 1]).all() for r in range(3))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_signal_that_many_add_to(backend):
    w = World(3, backend=backend, bytes=1 << 14)
    out, words = [np.zeros(8, np.uint32) for _ in range(3)], w.zeros(8, np.uint32)
    w.launch(told, 2, 64, words, w.each(out), 3, w.team)
    assert all(o[:3].tolist() == [12] * 3 and not o[3:].any() for o in out)
    assert all(words[r].tolist() == [12, 12, 12, 0, 0, 0, 0, 0] for r in range(3))


TYPED = """signals[i].at(1).send(epoch)
signals[i].wait(epoch, 1)
signals[2].at(1).add(epoch)
out[0] = signals[i].value()
"""
WORDS = """al.signal(al.peer(al.subview(signals, (i,), (1,)), 1), epoch)
al.wait(al.subview(signals, (i,), (1,)), epoch, 1)
al.atomic_add(al.peer(al.subview(signals, (2,), (1,)), 1), 0, epoch, scope="system", order="release")
out[0] = al.system.load_acquire_u32(al.subview(signals, (i,), (1,)))
"""


def made(body, of, folder):
    """A kernel of these lines, the first of them in line 4."""
    head = f"import avelang, avelang.language as al\n@avelang.jit\ndef kernel({of}, epoch: al.u32, team: al.Ranks):\n    "
    file = folder / "made.py"
    file.write_text(head + "\n    ".join(body.splitlines()) + "\n")
    scope = {"__name__": "made"}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    return scope["kernel"]


@pytest.mark.parametrize("chip", ["sm_90a", "gfx942", "gfx950"])
def test_they_are_the_words_of_the_language_that_has_no_types_for_them(chip, tmp_path):
    def code(body, signals):
        return compile_text(made(body, f"signals: {signals}, out: al.Tensor((8,), al.u32), i: al.u32", tmp_path), {}, (32, 1, 1), chip, "asm")

    def plain(text):
        return [line for line in text.splitlines() if not line.strip().startswith((".loc", ";", "//"))]

    text = code(TYPED, "al.Signals[8]")
    assert plain(text) == plain(code(WORDS, "al.Tensor((8,), al.u32)")) != plain(code(TYPED.replace("[2]", "[3]"), "al.Signals[8]"))
    assert chip != "sm_90a" or all(w in text for w in ("st.release.sys.global.u32", "ld.acquire.sys.global.u32", ".release.sys.global"))


# -- what is found -------------------------------------------------------------------------------------------------------------------------


def test_a_report_names_the_signal():
    w = World(2, backend="reference", bytes=1 << 14)
    args = [w.each([np.zeros(64, np.float32) for _ in range(2)]) for _ in range(2)]
    with pytest.raises(AveError, match=r"rank 0 waits for epoch 1 of rank 1, whose signal `signals\[0\]` is 0 \(line 29\)") as e:
        w.launch(push, 1, 64, args[0], w.zeros(64, np.float32), args[1], w.zeros(8, np.uint32), 1, w.team, absent=[1])
    assert e.value.code == "X011" and e.value.span.file == __file__


@avelang.jit
def set_back(signals: al.Signals[8], first: al.u32, then: al.u32, team: al.Ranks):
    if al.thread_id(0) == 0:
        signals[3].at(al.rank()).send(first)
        signals[3].send(then)


@pytest.mark.parametrize("first,then,bad", [(5, 4, True), (5, 5, False), (1, 2**31 + 5, True), (2**32 - 3, 2, False), (2, 2**32 - 3, True)])
def test_a_signal_that_is_set_back_is_reported(first, then, bad):
    w = World(1, backend="reference", bytes=1 << 14)
    signals = w.zeros(8, np.uint32)
    signals[0][3] = first
    if not bad:
        w.launch(set_back, 1, 32, signals, first, then, w.team)
        assert signals[0].tolist() == [0, 0, 0, then, 0, 0, 0, 0]
        return
    with pytest.raises(AveError, match=f"sets a signal back, which is {first}, to epoch {then}") as e:
        w.launch(set_back, 1, 32, signals, first, then, w.team)
    assert e.value.code == "X012" and "signals[3].send(then)" in str(e.value)


# -- what is refused -----------------------------------------------------------------------------------------------------------------------


MISUSES = [
    ("signals[0] = epoch", "T341"),
    ("signals[0] += epoch", "T341"),
    ("x[0] = al.f32(signals[0])", "T341"),
    ("x[signals[0]] = 1.0", "T040"),
    ("e = signals[0] + 1", "T341"),
    ("e = -signals[0]", "T341"),
    ("e = 1 if signals[0] == epoch else 2", "T341"),
    ("if signals[0] > 3: x[0] = 1.0", "T341"),
    ("al.atomic_add(signals, 0, 1)", "T341"),
    ("al.atomic_add(x, signals[0], 1.0)", "T040"),
    ("e = al.peer(signals, 1)", "T341"),
    ("e = al.subview(signals, (0,), (1,))", "T341"),
    ("e = al.view(signals, al.Tensor((8,), al.i32))", "T022"),
    ("al.signal(signals[0], epoch)", "T341"),
    ("al.wait(signals[0], epoch, 1)", "T341"),
    ("e = al.max(signals[0], 1)", "T341"),
    ("x[0] = signals[0]", "T341"),
    ("al.system.store_release(signals[0], epoch)", "T022"),
    ("signals.send(epoch)", "T341"),
    ("signals.at(1).send(epoch)", "T341"),
    ("words[1].wait(epoch, 0)", "T341"),
    ("signals[0][0].send(epoch)", "T341"),
    ("signals[0].at(1).at(0).send(epoch)", "T341"),
    ("signals[0].at(1).wait(epoch, 1)", "T341"),
    ("signals[0].wait()", "T003"),
    ("signals[0].wait(epoch)", "T003"),
    ("signals[0].send()", "T003"),
    ("signals[0].send(1.5)", "T021"),
    ("signals[0].send(x[0])", "T022"),
    ("signals[0].wait(epoch, 'next')", "T022"),
    ("signals[8].send(epoch)", "T041"),
    ("words[1, 4].send(epoch)", "T041"),
    ("signals[0].store(epoch)", "T009"),
    ("signals[0].send = epoch", "S001"),
    ("signals[0].at(1)()", "T063"),
    ("s = al.Signals(x, (8,))", "T022"),
    ("s = al.Signals(epoch, (8,))", "T022"),
    ("s = al.Signals(signals, (8,))", "T341"),
    ("s = al.Signals(x)", "T003"),
]


PARAMETERS = "x: al.Tensor((64,), al.f32), signals: al.Signals[8], words: al.Signals[2, 4]"


@pytest.mark.parametrize("body,code", MISUSES)
def test_what_is_refused(body, code, tmp_path):
    with pytest.raises(AveError) as e:
        compile_text(made(body, PARAMETERS, tmp_path), {}, (32, 1, 1), "sm_90a", "ir")
    assert e.value.code == code and e.value.span.line == 4, e.value


@pytest.mark.parametrize("parameter,code", [("al.Signals", "T007"), ("al.Signals[0]", "T030"), ("al.Signals[8, al.u32]", "T030"), ("al.Signals['n']", "T030")])
def test_parameters_that_are_refused(parameter, code, tmp_path):
    with pytest.raises(AveError) as e:
        compile_text(made("pass", f"signals: {parameter}", tmp_path), {}, (32, 1, 1), "sm_90a", "ir")
    assert e.value.code == code, e.value


def test_arrays_that_are_no_signals():
    w = World(1, bytes=1 << 14)
    for given in (w.zeros(8, np.float32), w.zeros(4, np.uint32), w.zeros((2, 4), np.uint32)):
        with pytest.raises(AveError) as e:
            w.launch(set_back, 1, 32, given, 1, 2, w.team)
        assert e.value.code.startswith("L") and "'signals' wants Signals((8,))" in e.value.message


@avelang.jit
def chosen(signals: al.Signals[8], epoch: al.u32, how: al.constexpr, team: al.Ranks):
    one = signals[0]
    if how == "branch":
        if epoch > 2:
            one = signals[1]
    if how == "loop":
        for i in al.range(2):
            one = signals[i]
    one.at(0).send(epoch)


@pytest.mark.parametrize("how,code", [("branch", "T012"), ("loop", "T012"), ("none", "")])
def test_a_name_holds_one_signal_on_all_paths(how, code):
    if not code:
        assert compile_text(chosen, {"how": how}, (32, 1, 1), "sm_90a", "ir")
        return
    with pytest.raises(AveError) as e:
        compile_text(chosen, {"how": how}, (32, 1, 1), "sm_90a", "ir")
    assert e.value.code == code, e.value
