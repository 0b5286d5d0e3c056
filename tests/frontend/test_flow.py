"""Control flow: early exits, loops with break and continue, names that meet."""

import numpy as np
import pytest

import avelang.language as al
from frontend.building import both, built, lanes, ops_of, refused, text_of

I = al.Tensor((64,), al.i32)
LANE = np.arange(64)


def test_early_return_nests_the_rest_without_flags():
    def k(out: I):
        t = al.thread_id(0)
        if t >= 32:
            return
        out[t] = 1

    assert text_of(k) == [
        "%t = thread_id {'dim': 0} : u32",
        "%2 = const {'value': 32} : u32",
        "%3 = cmp(%t, %2) {'pred': 'ge'} : u1",
        "if(%3) {'returned': 1} { ^():",
        "yield",
        "} { ^():",
        "%4 = const {'value': 1} : i32",
        "store(%4, %out, %t)",
        "yield",
        "}",
    ]
    assert (lanes(k) == (LANE < 32)).all()


def test_returns_at_several_depths():
    def k(out: I):
        t = al.thread_id(0)
        out[t] = 1
        if t > 10:
            if t > 20:
                out[t] = 2
                if t > 30:
                    return
            else:
                return
            out[t] = 3
        elif t == 5:
            return
        out[t] += 10

    def python(t):
        if t > 30:
            return 2
        if t > 20:
            return 13
        return 1 if t > 10 or t == 5 else 11

    assert lanes(k).tolist() == [python(t) for t in range(64)]


def test_break_and_continue_in_a_runtime_loop():
    def k(out: I, n: al.i32):
        t = al.thread_id(0)
        s = 0
        for i in al.range(n):
            if i == 3:
                continue
            if i > al.convert(t, al.i32):
                break
            s += i
        out[t] = s

    def python(t):
        s = 0
        for i in range(20):
            if i == 3:
                continue
            if i > t:
                break
            s += i
        return s

    assert lanes(k, 20).tolist() == [python(t) for t in range(64)]


def test_continue_alone_keeps_a_for():
    def k(out: I, n: al.i32):
        s = 0
        for i in al.range(n):
            if i % 2 == 1:
                continue
            s += i
        out[al.thread_id(0)] = s

    assert "while" not in ops_of(built(k))
    assert set(lanes(k, 10)) == {20}


def test_break_under_a_condition_that_falls_through():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        s = 0
        for i in al.range(10):
            if i > 2:
                s += 100
                if i > t:
                    break
                s += 1
            s += 10
        out[t] = s

    def python(t):
        s = 0
        for i in range(10):
            if i > 2:
                s += 100
                if i > t:
                    break
                s += 1
            s += 10
        return s

    assert lanes(k).tolist() == [python(t) for t in range(64)]


def test_return_out_of_nested_loops():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        out[t] = -1
        for i in al.range(8):
            for j in al.range(8):
                if i * 8 + j == t:
                    out[t] = i * 100 + j
                    return
            out[t] -= 1
        out[t] = 7

    assert lanes(k).tolist() == [t // 8 * 100 + t % 8 for t in range(64)]


def test_while_with_a_condition_that_varies():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        x, steps = t + 1, 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        out[t] = steps

    def collatz(x):
        n = 0
        while x != 1:
            x, n = (x // 2 if x % 2 == 0 else 3 * x + 1), n + 1
        return n

    assert lanes(k).tolist() == [collatz(t + 1) for t in range(64)]


def test_while_true_with_break():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        n = 0
        while True:
            if n * n > t:
                break
            n += 1
        out[t] = n

    assert lanes(k).tolist() == [next(n for n in range(99) if n * n > t) for t in range(64)]


def test_unrolled_loops_break_at_build_time_and_at_run_time():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        s = 0
        for i in range(6):
            if i == 4:
                break
            if t == i:
                continue
            if t + i > 60:
                break
            s += 10**i
        out[t] = s

    def python(t):
        s = 0
        for i in range(6):
            if i == 4:
                break
            if t == i:
                continue
            if t + i > 60:
                break
            s += 10**i
        return s

    assert lanes(k).tolist() == [python(t) for t in range(64)]


def test_a_literal_takes_the_type_that_the_loop_gives_it():
    def k(out: al.Tensor((64,), al.f32), x: al.Tensor((8, 8), al.f32)):
        total = 0
        for i in al.range(8):
            for j in al.range(8):
                if x[i, j] > 0.0:
                    total += x[i, j]
        out[al.thread_id(0)] = total

    x = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
    np.testing.assert_allclose(lanes(k, x, dtype=np.float32), np.where(x > 0, x, 0).sum(), rtol=1e-5)


def test_names_live_only_inside_are_not_carried():
    def k(out: I):
        for i in al.range(4):
            a = i + 1
            b = a * 2
            out[i] = b
        for i in al.range(4):
            a = i + 3
            out[i + 4] = a

    assert all("yield" not in line or line == "yield" for line in text_of(k))


def test_a_name_first_set_in_a_certain_loop_lives_on():
    def k(out: I):
        for i in al.range(5):
            last = i * 2
        out[al.thread_id(0)] = last + i

    assert set(lanes(k)) == {12}


def test_a_name_first_set_in_an_uncertain_loop():
    def k(out: I, n: al.i32):
        for i in al.range(n):
            last = i
        out[0] = last  # <-

    refused(k, "T015", "'last'", marked="last")


def test_a_name_set_on_one_path_only():
    def k(out: I):
        t = al.thread_id(0)
        if t > 3:
            x = 1
        out[t] = x  # <-

    refused(k, "T011", "'x'", marked="x")


def test_things_that_do_not_meet_are_refused_where_they_are_used():
    def unused(out: I):
        t = al.thread_id(0)
        if t > 3:
            x = (1, 2)
        else:
            x = 1  # noqa: F841
        out[t] = 1

    def used(out: I):
        t = al.thread_id(0)
        if t > 3:
            x = (1, 2)
        else:
            x = 1
        out[t] = x  # <-

    built(unused)
    refused(used, "T012", "a tuple", marked="x")


def test_a_carried_name_keeps_its_type():
    def k(out: I, n: al.i32):
        x = al.convert(0, al.i32)
        for i in al.range(n):  # <-
            x = x + 1.5
        out[0] = al.convert(x, al.i32)

    refused(k, "T014", "'x'", "i32", "f32")


def test_paths_meet_in_the_promoted_type():
    def k(out: I):
        t = al.thread_id(0)
        x = 5
        if t > 8:
            x = t
        elif t > 4:
            x = 7
        out[t] = x

    assert lanes(k).tolist() == [t if t > 8 else 7 if t > 4 else 5 for t in range(64)]


def test_select_where_both_sides_are_pure_and_if_where_not():
    def pure(out: I):
        t = al.thread_id(0)
        out[t] = 3 if t > 5 else 4

    def reads(out: I, x: I):
        t = al.thread_id(0)
        out[t] = x[t + 32] if t < 32 else -1

    assert "select" in ops_of(built(pure)) and "if" not in ops_of(built(pure))
    assert "if" in ops_of(built(reads))
    assert lanes(reads, LANE.astype(np.int32)).tolist() == [t + 32 if t < 32 else -1 for t in range(64)]


def test_and_or_stop_before_a_read_out_of_bounds():
    def k(out: I, x: I):
        t = al.thread_id(0)
        if t < 60 and x[t + 4] > 10:
            out[t] = 1
        if t >= 60 or x[t + 4] > 30:
            out[t] += 2
        if not (3 < t <= 9):
            out[t] += 4

    def python(t):
        a = t < 60 and t + 4 > 10
        b = t >= 60 or t + 4 > 30
        return a + 2 * b + 4 * (not 3 < t <= 9)

    assert lanes(k, LANE.astype(np.int32)).tolist() == [python(t) for t in range(64)]


def test_compile_time_conditions_pick_a_branch():
    def k(out: I, WIDE: al.constexpr):
        if WIDE:
            x = 1
        else:
            x = undefined_name  # noqa: F821
        out[al.thread_id(0)] = x if WIDE else undefined_name  # noqa: F821

    assert set(lanes(k, WIDE=True)) == {1}
    assert "if" not in ops_of(built(k, WIDE=True))


def test_else_after_a_loop_is_refused():
    def k(out: I):
        for i in al.range(4):
            pass
        else:
            out[0] = 1  # <-

    refused(k, "S001", "`else` after a loop")


def test_range_of_a_runtime_value_is_refused():
    def k(out: I, n: al.i32):
        for i in range(n):  # <-
            out[i] = 1

    refused(k, "T066", "al.range", marked="range(n)")


def test_loops_over_what_is_no_sequence():
    def k(out: I):
        for i in 5:  # <-
            out[i] = 1

    refused(k, "T050", "al.range")


def test_comprehensions_over_compile_time_items():
    def k(out: I, x: al.Tensor((64, 4), al.i32)):
        t = al.thread_id(0)
        i = 100
        accs = [al.full((4,), i * j, al.i32) for i, j in ((1, 2), (3, 4)) if i != 2]
        for j in al.range(3):
            accs = tuple(a + x[t] for a in accs)
        out[t] = accs[0][1] + accs[1][2] + i

    def runtime(out: I, n: al.i32):
        a = [i + 1 for i in al.range(n)]  # <-
        out[0] = a[0]

    x = np.arange(256, dtype=np.int32).reshape(64, 4)
    assert lanes(k, x).tolist() == (2 + 12 + 3 * x[:, 1] + 3 * x[:, 2] + 100).tolist()
    refused(runtime, "T055", "al.range")


def test_a_loop_too_long_to_unroll():
    def k(out: I):
        for i in range(1_000_000):  # <-
            out[0] = 1

    refused(k, "U001", "1000000")


def test_step_zero_is_refused():
    def k(out: I):
        for i in al.range(0, 4, 0):  # <-
            out[i] = 1

    refused(k, "T069")


def test_a_negative_step_over_unsigned_bounds_is_refused():
    def k(out: I, n: al.u32):
        for i in al.range(n, 0, -1):  # <-
            out[i] = 1

    refused(k, "T052", "u32")


def test_ranges_down_and_with_runtime_steps():
    def k(out: I, start: al.i32, stop: al.i32, step: al.i32):
        n = 0
        for i in al.range(start, stop, step):
            if i == 100:
                break
            n = n * 10 + i
        m = 0
        for i in al.range(start, stop, step):
            m = m * 10 + i
        out[al.thread_id(0)] = n * 10000 + m

    assert set(lanes(k, 3, 0, -1)) == {3210321}
    assert set(lanes(k, 1, 6, 2)) == {1350135}


def test_unroll_is_kept_as_a_wish():
    def k(out: I):
        for i in al.range(4, unroll=True):
            out[i] = i

    assert any("'unroll': True" in line for line in text_of(k))


def test_assert_at_compile_time():
    def good(out: I, N: al.constexpr):
        assert N % 4 == 0, "N"
        out[0] = N

    def runtime(out: I, n: al.i32):
        assert n > 3  # <-
        out[0] = n

    built(good, N=8)
    refused(good, "T053", "N", line=source_line(good, "assert"), N=7)
    refused(runtime, "T017", "assert", marked="n > 3")


def source_line(fn, part):
    import inspect

    lines, first = inspect.getsourcelines(fn)
    return next(i for i, s in enumerate(lines, first) if part in s)


LOW, HIGH = -(2**31), 2**31 - 1
RANGES = [
    (al.u32, 0xFFFFFFF0, 0xFFFFFFFF, 4), (al.u32, 0, 2**32 - 1, 2**31), (al.u32, 9, 3, 1), (al.u32, 0, 5, 0),
    (al.i32, HIGH - 9, HIGH, 4),
    (al.i32, LOW + 10, LOW, -4), (al.i32, LOW, HIGH, HIGH), (al.i32, HIGH, LOW, LOW), (al.i32, 3, 9, 2),
    (al.i32, 9, 3, 2), (al.i32, 9, 3, -2),
    (al.i32, 0, 10, 0), (al.i64, 2**63 - 10, 2**63 - 1, 3), (al.i64, -(2**63), 2**63 - 1, 2**62 + 1),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "start", "stop", "step"), RANGES)
@pytest.mark.parametrize("trips", [2, 100])
def test_a_loop_that_may_be_left_makes_the_trips_of_range(dtype, start, stop, step, trips):
    """The counter wraps after the last trip of some of these; the loop ends there all the same."""

    def k(out: al.Tensor((2,), al.i64), start: dtype, stop: dtype, step: dtype, trips: al.i32):
        n = 0
        for i in al.range(start, stop, step):
            out[1] = i
            n += 1
            if n == trips:
                break
        out[0] = n

    want = list(range(start, stop, step))[:trips] if step else []
    (out,) = both(k, np.zeros(2, np.int64), start, stop, step, trips)
    assert out.tolist() == [len(want), want[-1] if want else 0]


@pytest.mark.parametrize(("start", "stop", "step"),
                         [(0xFFFFFFF0, 0xFFFFFFFF, 4), (0xFFFFFFFE, 0xFFFFFFFF, 1), (1, 100, 7)])
def test_a_loop_with_a_known_step_that_may_return(start, stop, step):
    def k(out: al.Tensor((2,), al.i64), x: al.Tensor((1,), al.f32), start: al.u32, stop: al.u32, S: al.constexpr):
        n = 0
        for i in al.range(start, stop, S):
            n += 1
            out[0], out[1] = n, i
            if x[0] > 1.0:
                return

    want = range(start, stop, step)
    for x, trips in ((0.0, len(want)), (2.0, 1)):
        out, _ = both(k, np.zeros(2, np.int64), np.array([x], np.float32), start, stop, S=step)
        assert out.tolist() == [trips, want[trips - 1]]


def test_a_loop_down_to_the_least_integer_may_be_left():
    def k(out: al.Tensor((2,), al.i64), start: al.i32, least: al.i32):
        n = 0
        for i in al.range(start, least, -3):
            out[1] = i
            n += 1
            if n == 50:
                break
        out[0] = n

    want = range(LOW + 8, LOW, -3)
    assert both(k, np.zeros(2, np.int64), LOW + 8, LOW)[0].tolist() == [len(want), want[-1]]


def test_a_loop_that_cannot_wrap_needs_no_count():
    def k(out: I, n: al.i32):
        for i in al.range(n):
            if out[i] == 0:
                break
            out[i] = 0

    assert "div" not in ops_of(built(k))


def test_a_range_too_large_for_any_integer():
    def k(out: I):
        for i in al.range(1 << 70):  # <-
            out[0] = i

    refused(k, "T021")


def test_what_a_path_that_leaves_the_loop_has_assigned_is_kept():
    """An assignment behind a `break` or `continue` does not make the one before it dead."""

    def k(out: I, n: al.i32):
        b, c, w = 7, 1, 0
        while w < n:
            w += 1
            if w > 1:
                b = b + 3
                if n > 2:
                    break
            b = n
        for i in al.range(n):
            c = c + i
            if i % 2 == 0:
                c = c * 2
                if n > 3:
                    continue
                c += 1
            c = 5
        out[0], out[1] = b, c

    def want(n):
        b, c, w = 7, 1, 0
        while w < n:
            w += 1
            if w > 1:
                b = b + 3
                if n > 2:
                    break
            b = n
        for i in range(n):
            c = c + i
            if i % 2 == 0:
                c = c * 2
                if n > 3:
                    continue
                c += 1
            c = 5
        return [b, c]

    for n in (0, 1, 2, 3, 4, 5):
        assert both(k, np.zeros(64, np.int32), n)[0].tolist()[:2] == want(n)
