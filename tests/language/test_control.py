"""Control flow: divergence, early returns, loops of every form, break and continue, conditional expressions."""

import numpy as np
import pytest

import avelang
import avelang.language as al

N = 64


@avelang.jit
def divergent(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    v = x[t]
    if v % 3 == 0:
        v = v + 100
    elif v % 3 == 1:
        if v > 30:
            v = v * 2
        else:
            v = -v
    else:
        w = v - 5
        v = w * w
    out[t] = v


def test_divergent_if(launch):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(divergent, x, out)
    want = [v + 100 if v % 3 == 0 else (v * 2 if v > 30 else -v) if v % 3 == 1 else (v - 5) ** 2 for v in range(N)]
    np.testing.assert_array_equal(out, want)


@avelang.jit
def stores_in_branches(out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    r = al.full((2,), 0, al.i32)
    if t % 2 == 0:
        r[0] = 1
    else:
        r[1] = 2
    if t > 40:
        out[t] = r[0] + r[1]


def test_stores_happen_only_where_the_condition_holds(launch):
    out = np.full(N, -1, np.int32)
    launch(stores_in_branches, out)
    np.testing.assert_array_equal(out, [(1 if t % 2 == 0 else 2) if t > 40 else -1 for t in range(N)])


@avelang.jit
def early_return(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32), n: al.i32):
    t = al.thread_id(0)
    if t >= n:
        return
    out[t] = 1
    if x[t] < 0:
        return
    for i in al.range(3):
        if x[t] == i:
            return
        out[t] += 10
    out[t] += 100


@pytest.mark.parametrize("n", [0, 37, 64])
def test_early_return_differs_from_thread_to_thread(launch, n):
    x = np.random.default_rng(0).integers(-3, 6, N).astype(np.int32)
    out = np.zeros(N, np.int32)
    launch(early_return, x, out, n)
    want = []
    for t, v in enumerate(x):
        want.append(0 if t >= n else 1 if v < 0 else 1 + 10 * v if v < 3 else 131)
    np.testing.assert_array_equal(out, want)


@avelang.jit
def return_before_barrier(out: al.Tensor((256,), al.i32)):
    t = al.thread_id(0)
    tile = al.make_shared((256,), al.i32)
    tile[t] = al.convert(t, al.i32)
    if t >= 128:
        return
    al.syncthreads()
    out[t] = tile[127 - t]


def test_waves_that_have_returned_count_as_arrived(launch):
    out = np.zeros(256, np.int32)
    launch(return_before_barrier, out, block=256)
    np.testing.assert_array_equal(out[:128], np.arange(128)[::-1])
    assert not out[128:].any()


@avelang.jit
def ranges_compile_time(out: al.Tensor((6,), al.i32)):
    for i in al.range(5):
        out[0] += al.convert(i, al.i32)
    for i in al.range(2, 5):
        out[1] += al.convert(i, al.i32)
    for i in al.range(10, 0, -3):
        out[2] += al.convert(i, al.i32)
    for i in al.range(1, 20, 6):
        out[3] += al.convert(i, al.i32)
    for i in al.range(5, 5):
        out[4] += 1000 + al.convert(i, al.i32)
    for i in range(4):
        out[5] += i


def test_ranges_with_compile_time_bounds(launch):
    out = np.zeros(6, np.int32)
    launch(ranges_compile_time, out, block=1)
    np.testing.assert_array_equal(
        out, [sum(range(5)), sum(range(2, 5)), sum(range(10, 0, -3)), sum(range(1, 20, 6)), 0, 6]
    )


@avelang.jit
def range_runtime(start: al.i32, stop: al.i32, step: al.i32, out: al.Tensor((3,), al.i32)):
    for i in al.range(start, stop, step):
        out[0] += i
        out[1] += 1
        out[2] = i


@pytest.mark.parametrize(
    "bounds", [(0, 10, 1), (0, 10, 3), (10, 0, -1), (10, -5, -4), (5, 5, 1), (7, 3, 1), (3, 7, -1), (-8, 8, 5)]
)
def test_ranges_with_runtime_bounds(launch, bounds):
    out = np.zeros(3, np.int32)
    launch(range_runtime, *bounds, out, block=1)
    r = range(*bounds)
    np.testing.assert_array_equal(out, [sum(r), len(r), r[-1] if len(r) else 0])


@avelang.jit
def range_unsigned(n: al.u32, out: al.Tensor((N,), al.u32)):
    t = al.thread_id(0)
    total = al.convert(0, al.u32)
    for i in al.range(t, n, 7):
        total = total + i
    out[t] = total


def test_bounds_that_differ_by_lane(launch):
    out = np.zeros(N, np.uint32)
    launch(range_unsigned, 50, out)
    np.testing.assert_array_equal(out, [sum(range(t, 50, 7)) for t in range(N)])


@avelang.jit
def range_near_the_edge(start: al.u32, stop: al.u32, out: al.Tensor((1,), al.u32)):
    for i in al.range(start, stop, 4):
        out[0] += i & 0xFF


@avelang.jit
def nested_loops(out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    total = 0
    for i in al.range(t % 4):
        for j in al.range(i, 5):
            total = total + al.convert(i * 10 + j, al.i32)
    out[t] = total


def test_nested_loops_with_divergent_bounds(launch):
    out = np.zeros(N, np.int32)
    launch(nested_loops, out)
    np.testing.assert_array_equal(out, [sum(10 * i + j for i in range(t % 4) for j in range(i, 5)) for t in range(N)])


@avelang.jit
def collatz(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    v = x[t]
    steps = 0
    while v != 1:
        if v % 2 == 0:
            v = v // 2
        else:
            v = 3 * v + 1
        steps += 1
    out[t] = steps


def test_while(launch):
    x = np.arange(1, N + 1, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(collatz, x, out)

    def steps(v):
        return 0 if v == 1 else 1 + steps(v // 2 if v % 2 == 0 else 3 * v + 1)

    np.testing.assert_array_equal(out, [steps(v) for v in range(1, N + 1)])


@avelang.jit
def breaks(x: al.Tensor((N, 16), al.i32), out: al.Tensor((N, 2), al.i32)):
    t = al.thread_id(0)
    total = 0
    count = 0
    for i in al.range(16):
        v = x[t, i]
        if v < 0:
            continue
        if v > 80:
            break
        total += v
        count += 1
    out[t, 0] = total
    out[t, 1] = count


def test_break_and_continue_in_for(launch):
    x = np.random.default_rng(1).integers(-20, 100, (N, 16)).astype(np.int32)
    out = np.zeros((N, 2), np.int32)
    launch(breaks, x, out)
    for t in range(N):
        total = count = 0
        for v in x[t]:
            if v < 0:
                continue
            if v > 80:
                break
            total, count = total + v, count + 1
        assert (out[t] == [total, count]).all()


@avelang.jit
def breaks_in_while(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    v = x[t]
    n = 0
    while True:
        n += 1
        if n > 50:
            break
        if v % 2 == 1:
            v = v + 1
            continue
        v = v // 2
        if v < 3:
            break
    out[t] = v * 100 + n


def test_break_and_continue_in_while(launch):
    x = np.arange(10, 10 + N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(breaks_in_while, x, out)
    for t in range(N):
        v, n = int(x[t]), 0
        while True:
            n += 1
            if n > 50:
                break
            if v % 2 == 1:
                v += 1
                continue
            v //= 2
            if v < 3:
                break
        assert out[t] == v * 100 + n


@avelang.jit
def break_of_unrolled(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    r = 0
    for i in range(6):
        if i == 4:
            break
        if i % 2 == 1:
            continue
        r += x[t] * i
    out[t] = r


def test_compile_time_break_and_continue(launch):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(break_of_unrolled, x, out)
    np.testing.assert_array_equal(out, 2 * x)


@avelang.jit
def truth(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32)):
    """A docstring is no statement."""
    t = al.thread_id(0)
    n = x[t]
    r = s = 0
    if n:
        while n:
            n -= 1
            r += 1
    else:
        r = 10
    k: al.i32 = r + s
    out[t] = k


def test_numbers_as_conditions_and_chained_and_annotated_assignments(launch):
    x = (np.arange(N) % 3).astype(np.int32)
    out = np.zeros(N, np.int32)
    launch(truth, x, out)
    np.testing.assert_array_equal(out, np.where(x != 0, x, 10))


@avelang.jit
def fibonacci(out: al.Tensor((N, 2), al.i32)):
    t = al.convert(al.thread_id(0), al.i32)
    a, b = t, 1
    for _ in al.range(t % 5):
        a, b = b, a + b
    out[t, 0] = a
    out[t, 1] = b


def test_values_that_trade_places_in_a_loop(launch):
    out = np.zeros((N, 2), np.int32)
    launch(fibonacci, out)
    for t in range(N):
        a, b = t, 1
        for _ in range(t % 5):
            a, b = b, a + b
        assert (out[t] == [a, b]).all()


@avelang.jit
def conditional_expressions(x: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
    t = al.thread_id(0)
    v = x[t]
    out[t] = v if v > 0.0 else (0.5 * v if v > -1.0 else -1.0)


def test_conditional_expressions_on_runtime_values(launch):
    x = np.linspace(-3, 3, N).astype(np.float32)
    out = np.zeros(N, np.float32)
    launch(conditional_expressions, x, out)
    np.testing.assert_array_equal(out, np.where(x > 0, x, np.where(x > -1, np.float32(0.5) * x, np.float32(-1))))


@avelang.jit
def guarded_load(x: al.Tensor((40,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    out[t] = x[t] if t < 40 else -1


def test_the_other_arm_is_not_evaluated(launch):
    x = np.arange(40, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(guarded_load, x, out)
    np.testing.assert_array_equal(out, [*range(40), *[-1] * 24])


@avelang.jit
def short_circuit(x: al.Tensor((40,), al.i32), out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    if t < 40 and x[t] > 5:
        out[t] = 1


def test_and_guards_what_follows(launch):
    x = np.arange(40, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(short_circuit, x, out)
    np.testing.assert_array_equal(out, [int(5 < t < 40) for t in range(N)])


@avelang.jit
def guarded_chain(x: al.Tensor((40,), al.i32), out: al.Tensor((2, N), al.i32), hits: al.Tensor((1,), al.i32)):
    t = al.convert(al.thread_id(0), al.i32) - 8
    out[0, t + 8] = -1 < t < 40 >= x[t] > 5
    out[1, t + 8] = 0 <= t - 30 < al.atomic_add(hits, 0, 1) + 30


def test_a_chain_of_comparisons_guards_what_follows(launch):
    x = np.arange(40, dtype=np.int32)[::-1] * 3
    out, hits = np.zeros((2, N), np.int32), np.zeros(1, np.int32)
    launch(guarded_chain, x.copy(), out, hits)
    there = range(-8, N - 8)
    np.testing.assert_array_equal(out[0], [int(-1 < t < 40 and 40 >= x[t] > 5) for t in there])
    np.testing.assert_array_equal(out[1], [int(30 <= t) for t in there])
    assert hits[0] == N - 8 - 30


@avelang.jit
def noted(x, i, known):
    x[i] += 1
    return known


@avelang.jit
def known_results(x: al.Tensor((6,), al.i32), n: al.i32):
    if n > 1 and noted(x, 0, True) or noted(x, 1, False):
        x[2] = 10
    if n > 1 or noted(x, 3, False):
        x[2] += 100
    if n < noted(x, 4, 3) < noted(x, 5, 2):
        x[2] = -1


@pytest.mark.parametrize("n, want", [(0, [0, 1, 0, 1, 1, 1]), (2, [1, 0, 110, 0, 1, 1]), (5, [1, 0, 110, 0, 1, 0])])
def test_what_is_known_of_the_right_side_runs_only_where_it_counts(launch, n, want):
    x = np.zeros(6, np.int32)
    launch(known_results, x, n, block=1)
    np.testing.assert_array_equal(x, want)


@avelang.jit
def loop_carried_vector(x: al.Tensor((N, 4), al.f32), out: al.Tensor((N, 4), al.f32), n: al.i32):
    t = al.thread_id(0)
    acc = al.full((4,), 0.0, al.f32)
    for _ in al.range(n):
        acc = acc + x[t]
    out[t] = acc


def test_values_carried_around_loops_may_be_vectors(launch):
    x = np.random.default_rng(2).integers(-8, 8, (N, 4)).astype(np.float32)
    out = np.zeros((N, 4), np.float32)
    launch(loop_carried_vector, x, out, 5)
    np.testing.assert_array_equal(out, 5 * x)


@avelang.jit
def defined_in_both(out: al.Tensor((N,), al.i32)):
    t = al.thread_id(0)
    if t < 10:
        a = 5
        b = t
    else:
        a = 7
        b = t * 2
    out[t] = a + al.convert(b, al.i32)


def test_names_defined_in_both_branches(launch):
    out = np.zeros(N, np.int32)
    launch(defined_in_both, out)
    np.testing.assert_array_equal(out, [5 + t if t < 10 else 7 + 2 * t for t in range(N)])


def test_ranges_do_not_overflow_their_type(launch):
    out = np.zeros(1, np.uint32)
    launch(range_near_the_edge, 0xFFFFFFF0, 0xFFFFFFFF, out, block=1)
    assert out[0] == sum(i & 0xFF for i in range(0xFFFFFFF0, 0xFFFFFFFF, 4))
