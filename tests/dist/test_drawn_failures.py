"""Ranks that go away, raise or disagree at drawn calls, with communicators beside one another in drawn orders: nothing is left waiting, errors name a rank that is
to blame, and what comes behind is right."""

import threading

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from avelang.base.errors import AveError
from avelang.dist import World
from avelang.dist.world import Meeting
from avelang.ops import dist
from avelang_kernels.dist import exchange

DRAWS = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
KINDS = ("one", "two", "all_gather", "reduce_scatter", "gather product", "scatter product")
LIMIT = 0.6  # seconds after which waits end: longer than all that is right takes between two signals


def called(m, kind, n, seed, dtype=np.float32):
    """One operation on drawn integers, whose sums have no rounding, against NumPy."""
    rng, k = np.random.default_rng(seed), 8
    xs = [rng.integers(-4, 5, (n * m.ranks, k)).astype(dtype) for _ in range(m.ranks)]
    ws = [rng.integers(-4, 5, (8, k)).astype(dtype) for _ in range(m.ranks)]
    x, w, total, mine = xs[m.rank], ws[m.rank], sum(xs[1:], xs[0]), slice(m.rank * n, (m.rank + 1) * n)
    if kind in ("one", "two"):
        got, want = dist.all_reduce(x, m, shots=1 + (kind == "two")), total
    elif kind == "all_gather":
        got, want = dist.all_gather(x, m), np.concatenate(xs)
    elif kind == "reduce_scatter":
        got, want = dist.reduce_scatter(x, m), total[mine]
    elif kind == "gather product":
        got, want = dist.all_gather_matmul(x, w.T, m, fuse=True), np.concatenate(xs) @ w.T
    else:
        got = dist.matmul_reduce_scatter(x, w.T, m, fuse=True)
        want = sum(a[mine] @ b.T for a, b in zip(xs, ws, strict=True))
    np.testing.assert_array_equal(got, want)


class Gone(Exception):
    """The rank makes no further call."""


def lost(m, at):
    """The member's launch number `at` from now on, and all later ones, do not happen."""
    launch, left = m.launch, [at]

    def late(*args, **named):
        if left[0] == 0:
            raise Gone
        left[0] -= 1
        launch(*args, **named)

    m.launch = late


calls = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from((16, 48)), st.integers(0, 1 << 20)), min_size=1, max_size=4)


@DRAWS
@given(st.integers(2, 4), calls, st.integers(0, 3), st.integers(0, 5), st.booleans())
def test_a_rank_that_is_lost_at_a_launch(ranks, calls, bad, at, copied):
    """It goes away before one of its launches: the others' waits end, and each says for which rank it has waited."""
    w, said, before = World(ranks, bytes=1 << 20, limit=60), [None] * ranks, exchange.COPIED
    exchange.COPIED, bad = 0 if copied else 1 << 30, bad % ranks
    try:
        for kind in dict.fromkeys(kind for kind, *_ in calls):
            w.run(called, kind, 16, 1)  # compiled: what follows is short
        w.limit = LIMIT

        def program(m):
            if m.rank == bad:
                lost(m, at)
            try:
                for kind, n, seed in calls:
                    called(m, kind, n, seed)
            except (AveError, Gone) as e:
                said[m.rank] = e

        for m in w._members.values():
            m.limit = LIMIT
        w.run(program)
        gone = isinstance(said[bad], Gone)
        for r, e in enumerate(said):
            if r != bad and gone and e is not None:
                assert e.code in ("L080", "L083") and "for rank " in e.message and f"for rank {r}" not in e.message, e
        # Those that ended first had waited for the one that is gone; who waits for them ends later.
        blamed = [e.message for r, e in enumerate(said) if r != bad and e is not None]
        assert not blamed or any(f"for rank {bad}" in text or f"and {bad}" in text for text in blamed), blamed
        assert gone or not blamed
        w._give_up(0)
        w._anew()
        w.limit = 60
        for kind, n, seed in calls:
            w.run(called, kind, n, seed)
    finally:
        exchange.COPIED = before


@DRAWS
@given(st.integers(2, 4), calls, st.data())
def test_sizes_and_dtypes_that_differ_at_a_call(ranks, calls, data):
    """Found before a launch, with the rank that differs; calls before it were right."""
    w = World(ranks, bytes=1 << 20, limit=60)
    bad, at = data.draw(st.integers(0, ranks - 1)), data.draw(st.integers(0, len(calls) - 1))
    how = data.draw(st.sampled_from(("shape", "dtype")))
    said = [None] * ranks

    def program(m):
        for i, (kind, n, seed) in enumerate(calls):
            other = m.rank == bad and i == at
            try:
                called(m, kind, n + 16 * (other and how == "shape"), seed, np.float16 if other and how == "dtype" else np.float32)
            except AveError as e:
                said[m.rank] = e
                return i
        return len(calls)

    assert w.run(program) == [at] * ranks
    for r, e in enumerate(said):
        assert e.code == "L081" and f"`{how}` is" in e.message and f"on rank {bad}" in e.message, (r, e)
    w.run(called, *calls[0])


@DRAWS
@given(st.integers(2, 3), st.lists(st.tuples(st.integers(0, 1), st.sampled_from(KINDS), st.integers(0, 1 << 20)), min_size=2, max_size=6), st.data())
def test_two_communicators_and_the_order_of_their_calls(ranks, order, data):
    """In any order that all ranks have, calls of both are right. Where one rank has another order, all end, and none is right by chance."""
    first, second = World(ranks, bytes=1 << 20, limit=60), World(ranks, bytes=1 << 20, limit=60)
    for w in (first, second):
        for kind in dict.fromkeys(kind for _, kind, _ in order):
            w.run(called, kind, 16, 1)
    meeting, turn = Meeting(second), data.draw(st.integers(1, len(order) - 1))
    bad = data.draw(st.one_of(st.none(), st.integers(0, ranks - 1)))
    swapped = bad is not None and order[turn - 1][0] != order[turn][0]
    if swapped:
        first.limit = second.limit = LIMIT
        for m in (*first._members.values(), *second._members.values()):
            m.limit = LIMIT
    said = [None] * ranks

    def program(m):
        members = m, second._member(m.rank, meeting)
        mine = list(order)
        if swapped and m.rank == bad:
            mine[turn - 1], mine[turn] = mine[turn], mine[turn - 1]
        try:
            for which, kind, seed in mine:
                called(members[which], kind, 16, seed)
        except AveError as e:
            said[m.rank] = e

    first.run(program)
    if not swapped:
        assert said == [None] * ranks
        return
    assert all(e is None or e.code in ("L080", "L083") for e in said) and any(said), said


@DRAWS
@given(st.integers(2, 4), st.permutations(range(4)), calls)
def test_ranks_of_several_worlds_end_in_any_order(ranks, order, calls):
    """Worlds beside one another in threads, each let go when it is done: nothing is left, and all are right."""
    worlds, failed = [World(ranks, bytes=1 << 20, limit=60) for _ in range(2)], []

    def one(w, start):
        try:
            start.wait(60)
            for kind, n, seed in calls:
                w.run(called, kind, n, seed)
        except BaseException as e:
            failed.append(e)

    starts = [threading.Event() for _ in worlds]
    threads = [threading.Thread(target=one, args=(w, s), daemon=True) for w, s in zip(worlds, starts, strict=True)]
    before = set(threading.enumerate())
    for t in threads:
        t.start()
    for i in order:
        if i < len(starts):
            starts[i].set()
    for t in threads:
        t.join()
    assert not failed, failed
    for t in set(threading.enumerate()) - before:
        t.join(60)
        assert not t.is_alive(), t
