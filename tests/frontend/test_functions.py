"""Device functions: inlining, arguments, results, recursion, spans of the calls."""

import numpy as np

import avelang.language as al
from frontend.building import built, jit, lanes, refused, source_of

I = al.Tensor((64,), al.i32)


@jit
def square(x: al.i32) -> al.i32:
    return x * x


@jit
def clamp(x, low=0, high=10):
    if x < low:
        return low
    if x > high:
        return high
    return x


@jit
def pair(a: al.u32) -> (al.u32, al.f32):
    return a + 1, al.convert(a, al.f32)


def plain(x):
    return x


def test_scalars_defaults_and_keywords():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        out[t] = square(t) + 10000 * clamp(t - 5, high=20) + clamp(low=1, x=t) * 1000000

    def py_clamp(x, low=0, high=10):
        return low if x < low else high if x > high else x

    assert lanes(k).tolist() == [t * t + 10000 * py_clamp(t - 5, high=20) + py_clamp(t, 1) * 1000000 for t in range(64)]


@jit
def narrow(a: al.u32) -> tuple[al.u8, tuple[al.u32, al.f32]]:
    return a, (a, 0.5)


def test_results_in_brackets_are_the_same():
    def k(out: I):
        low, (whole, half) = narrow(300 + al.thread_id(0))
        one = al.convert(half * 2.0, al.i32)
        out[al.thread_id(0)] = al.convert(low, al.i32) + 1000 * al.convert(whole, al.i32) + one

    assert lanes(k).tolist() == [(300 + t) % 256 + 1000 * (300 + t) + 1 for t in range(64)]


def test_results_take_the_annotated_types():
    def k(out: al.Tensor((64,), al.f32)):
        a, b = pair(al.thread_id(0))
        out[0] = b
        out[1] = al.convert(a, al.f32) / 2.0

    assert "div" in str([op.name for op in built(k).body.ops])


def test_early_return_in_loops_of_a_device_function():
    @jit
    def find(x, limit):
        for i in al.range(64):
            if x[i] >= limit:
                return i
        return -1

    def k(out: I, x: I):
        t = al.thread_id(0)
        out[t] = find(x, al.convert(t, al.i32) * 2)

    x = np.sort(np.random.default_rng(0).integers(0, 100, 64)).astype(np.int32)
    assert lanes(k, x).tolist() == [next((i for i in range(64) if x[i] >= 2 * t), -1) for t in range(64)]


def test_nested_functions_capture_and_shadow():
    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        scale = 3

        def square(x):
            return x * x * scale

        def twice(x):
            return square(x) + square(x)

        out[t] = twice(t)

    assert lanes(k).tolist() == [6 * t * t for t in range(64)]


def test_functions_as_compile_time_arguments():
    @jit
    def apply(f, x, N: al.constexpr):
        for _ in range(N):
            x = f(x)
        return x

    def k(out: I):
        t = al.convert(al.thread_id(0), al.i32) % 4
        out[al.thread_id(0)] = apply(square, t, 2)

    assert lanes(k).tolist() == [(t % 4) ** 4 for t in range(64)]


def test_recursion_is_refused():
    def k(out: I):
        def f(x):
            return f(x)  # <-

        out[0] = f(1)

    e = refused(k, "T072", "`f`", marked="f(x)")
    assert e.span.caller is not None and "called from" in str(e)


def test_errors_inside_name_the_call():
    @jit
    def bad(x):
        return x + missing  # <-  # noqa: F821

    def k(out: I):
        out[0] = bad(1)

    e = refused(k, "T001", "'missing'", line=source_of(bad).tree.body[0].lineno, marked="missing")
    assert e.span.function == "bad"
    assert e.span.caller.function == "k" and e.span.caller.text().strip() == "out[0] = bad(1)"


def test_counts_and_names_of_arguments():
    def few(out: I):
        out[0] = square()  # <-

    def many(out: I):
        out[0] = square(1, 2)  # <-

    def unknown(out: I):
        out[0] = square(y=2)  # <-

    def twice(out: I):
        out[0] = square(1, x=2)  # <-

    refused(few, "T003", "1 argument (x)", "0", marked="square()")
    refused(many, "T003", "1 argument (x)", "2")
    refused(unknown, "T060", "'y'", "square(x)")
    refused(twice, "T061", "'x'")


def test_types_of_arguments_and_results():
    @jit
    def wants_float(x: al.f32):
        return x

    @jit
    def wants_row(x: al.Tensor((4,), al.i32)):
        return x[0]

    @jit
    def wants_constant(N: al.constexpr):
        return N

    @jit
    def gives_float() -> al.i32:
        return 1.5

    def a(out: I):
        out[0] = al.convert(wants_float(al.thread_id(0)), al.i32)  # <-

    def b(out: I):
        out[0] = wants_row(al.full((5,), 1, al.i32))  # <-

    def c(out: I):
        out[0] = wants_constant(al.thread_id(0))  # <-

    def d(out: I):
        out[0] = gives_float()

    refused(a, "T020", "`x` of wants_float", "al.convert")
    refused(b, "T022", "(4,)", "(5,)")
    refused(c, "T017", "`N`")
    refused(d, "T021", "1.5", "i32")


def test_every_path_returns_one_kind_of_thing():
    @jit
    def partly(x):
        if x > 3:
            return x

    @jit
    def mixed(x):
        if x > 3:
            return (x, x)
        return x

    def a(out: I):
        out[0] = partly(al.thread_id(0))

    def b(out: I):
        out[0] = mixed(al.thread_id(0))

    refused(a, "T073", "`partly`")
    refused(b, "T075", "`mixed`", "a tuple")


def test_what_is_none_at_compile_time_is_returned():
    @jit
    def half(x):
        if x is None:
            return x
        return x // 2

    @jit
    def bare(x):
        if x is None:
            return
        return x

    def a(out: I):
        t = al.convert(al.thread_id(0), al.i32)
        out[t] = 7 if half(None) is None else t
        if t > 3:
            out[t] = 7 if half(t) is None else half(t)

    def b(out: I):
        out[0] = 7 if bare(None) is None else 8

    assert lanes(a).tolist() == [7] * 4 + [t // 2 for t in range(4, 64)]
    refused(b, "T073", "`bare`")


def test_a_plain_function_is_not_called():
    def k(out: I):
        out[0] = plain(1)  # <-

    refused(k, "T062", "@avelang.jit", marked="plain(1)")


def test_a_kernel_returns_nothing():
    def k(out: I):
        return 1  # <-

    refused(k, "T054", "`k`")


def test_star_parameters_and_decorators():
    def k(out: I):
        def f(*xs):  # <-
            return xs

        out[0] = f(1)

    def d(out: I):
        @jit  # <-
        def f(x):
            return x

        out[0] = f(1)

    refused(k, "S001", "star")
    refused(d, "S001", "decorator")
