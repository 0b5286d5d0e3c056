"""Compile-time values: constexpr parameters, globals that are followed when they change, tuples, Python's functions on
them."""

import numpy as np
import pytest

import avelang
import avelang.language as al

N = 64
WIDTH = 4
FACTOR = 2.5
ENABLED = True
SHAPE = (2, 3)
WRAPPED = al.constexpr(3)
TABLE = [1, 2, 3]
NAMES = {"a": 1}


@avelang.jit
def reads_globals(out: al.Tensor((6,), al.f32)):
    out[0] = WIDTH
    out[1] = FACTOR
    if ENABLED:
        out[2] = 1.0
    out[3] = SHAPE[0] * 10 + SHAPE[1]
    out[4] = WRAPPED
    out[5] = len(SHAPE)


def test_globals_are_compile_time_values(launch):
    out = np.zeros(6, np.float32)
    launch(reads_globals, out, block=1)
    np.testing.assert_array_equal(out, [4, 2.5, 1, 23, 3, 2])


@pytest.mark.parametrize("name, value, where, want", [
    ("WIDTH", 9, 0, 9), ("FACTOR", -0.5, 1, -0.5), ("ENABLED", False, 2, 0), ("SHAPE", (5, 1), 3, 51),
    ("WRAPPED", al.constexpr(8), 4, 8),
])  # fmt: skip
def test_a_changed_global_compiles_anew(launch, monkeypatch, name, value, where, want):
    out = np.zeros(6, np.float32)
    launch(reads_globals, out, block=1)
    before = out[where]
    monkeypatch.setitem(globals(), name, value)
    out[:] = 0
    launch(reads_globals, out, block=1)
    assert out[where] == want != before
    monkeypatch.undo()
    out[:] = 0
    launch(reads_globals, out, block=1)
    assert out[where] == before


@avelang.jit
def inner(x: al.i32) -> al.i32:
    return x * WIDTH


@avelang.jit
def calls_inner(out: al.Tensor((1,), al.i32)):
    out[0] = inner(10)


def test_a_changed_global_of_a_called_function_counts_too(launch, monkeypatch):
    out = np.zeros(1, np.int32)
    launch(calls_inner, out, block=1)
    assert out[0] == 40
    monkeypatch.setitem(globals(), "WIDTH", 6)
    launch(calls_inner, out, block=1)
    assert out[0] == 60


DTYPE = al.f32
FUNCTION = al.abs


@avelang.jit
def other_inner(x: al.i32) -> al.i32:
    return x - WIDTH


@avelang.jit
def uses_names_of_the_language(x: al.Tensor((1,), al.f32), out: al.Tensor((3,), al.f64)):
    out[0] = al.convert(al.convert(x[0], DTYPE), al.f64)
    out[1] = al.convert(FUNCTION(x[0]), al.f64)
    out[2] = al.convert(inner(10), al.f64)


@pytest.mark.parametrize("name, value, where, want", [
    ("DTYPE", al.i32, 0, -2.0), ("FUNCTION", al.floor if hasattr(al, "floor") else al.sqrt, 1, None),
    ("inner", other_inner, 2, 6.0),
])  # fmt: skip
def test_a_changed_dtype_builtin_or_function_compiles_anew(launch, monkeypatch, name, value, where, want):
    x, out = np.full(1, -2.5, np.float32), np.zeros(3)
    launch(uses_names_of_the_language, x, out, block=1)
    before = out[where]
    monkeypatch.setitem(globals(), name, value)
    launch(uses_names_of_the_language, x, out, block=1)
    assert out[where] != before
    assert want is None or out[where] == want


def applier(function):
    @avelang.jit
    def applies(x: al.Tensor((N,), al.f32), out: al.Tensor((N,), al.f32)):
        t = al.thread_id(0)
        out[t] = function(x[t])

    return applies


def test_a_captured_builtin_is_part_of_what_is_compiled(launch):
    """One text, three kernels."""
    x = np.linspace(0.5, 4, N).astype(np.float32)
    for function, model in ((al.exp, np.exp), (al.log, np.log), (al.sqrt, np.sqrt)):
        out = np.zeros_like(x)
        launch(applier(function), x, out)
        np.testing.assert_allclose(out, model(x), rtol=1e-6, atol=1e-6)


@avelang.jit
def reads_a_list(out: al.Tensor((1,), al.i32)):
    out[0] = TABLE[1]


@avelang.jit
def reads_a_dict(out: al.Tensor((1,), al.i32)):
    out[0] = NAMES["a"]


@pytest.mark.parametrize("kernel, name", [(reads_a_list, "TABLE"), (reads_a_dict, "NAMES")])
def test_a_mutable_global_is_refused(launch, kernel, name):
    with pytest.raises(Exception, match=name) as e:
        launch(kernel, np.zeros(1, np.int32), block=1)
    assert type(e.value).__module__.startswith("avelang")


@avelang.jit
def with_constexpr(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32), MODE: al.constexpr, TIMES: al.constexpr):
    t = al.thread_id(0)
    if MODE == 0:
        out[t] = x[t] * TIMES
    elif MODE == 1:
        out[t] = x[t] + TIMES
    else:
        acc = 0
        for _ in range(TIMES):
            acc += x[t] * x[t]
        out[t] = acc


def test_constexpr_by_position_and_by_name(launch):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(with_constexpr, x, out, 0, 3)
    np.testing.assert_array_equal(out, 3 * x)
    launch(with_constexpr, x, out, 1, TIMES=7)
    np.testing.assert_array_equal(out, x + 7)
    launch(with_constexpr, x, out, TIMES=2, MODE=5)
    np.testing.assert_array_equal(out, 2 * x * x)


@avelang.jit
def with_defaults(out: al.Tensor((N,), al.i32), MODE: al.constexpr = "none", BIAS: al.constexpr = None):
    r = al.convert(1, al.i32)
    if MODE == "relu":
        r = r + 1
    if BIAS is not None:
        r = r + BIAS
    out[al.thread_id(0)] = r


def test_constexpr_defaults_strings_and_none(launch):
    for options, want in (({}, 1), ({"MODE": "relu"}, 2), ({"BIAS": 5}, 6), ({"MODE": "relu", "BIAS": 0}, 2)):
        out = np.zeros(N, np.int32)
        launch(with_defaults, out, **options)
        assert (out == want).all()


@avelang.jit
def dead_branch(out: al.Tensor((1,), al.i32), KIND: al.constexpr):
    if KIND == 0:
        out[0] = 1
    else:
        out[0] = this_name_does_not_exist  # noqa: F821


def test_a_branch_that_is_not_taken_is_not_compiled(launch):
    out = np.zeros(1, np.int32)
    launch(dead_branch, out, 0, block=1)
    assert out[0] == 1
    with pytest.raises(Exception, match="this_name_does_not_exist"):
        launch(dead_branch, out, 1, block=1)


@avelang.jit
def compile_time_python(out: al.Tensor((8,), al.i32)):
    dims = (4, 8, 2)
    out[0] = len(dims)
    out[1] = min(dims[0], dims[2])
    out[2] = max(dims[0], dims[1])
    out[3] = int(7.9)
    out[4] = int(float(3) * 2.5)
    a, b, c = dims
    out[5] = a * b + c
    out[6] = (1 << 5) // 3 % 4
    total = 0
    for i in range(1, 10, 4):
        total += i
    out[7] = total


def test_pythons_functions_on_compile_time_values(launch):
    out = np.zeros(8, np.int32)
    launch(compile_time_python, out, block=1)
    np.testing.assert_array_equal(out, [3, 2, 8, 7, 7, 34, 2, 15])


@avelang.jit
def pythons_at_run_time(x: al.Tensor((32, 4), al.i32), out: al.Tensor((32, 12), al.i32)):
    t = al.thread_id(0)
    r = x[t]
    out[t, 0] = any(v > 2 for v in r)
    out[t, 1] = all(r > -3)
    out[t, 2] = any([False, r[0] > 1, WIDTH == 0]) + all((True, r[0] > 1)) * 2
    quotient, rest = divmod(r[0], 3)
    out[t, 3] = quotient * 100 + rest
    out[t, 4] = pow(r[1], 3)
    out[t, 5] = r[2] in (1, 3, r[0])
    out[t, 6] = r[2] not in (1, WIDTH, -4)
    out[t, 7] = 3 in (r[0], r[1])
    out[t, 8] = sum([r[0], 1] * 2) + sum(3 * (r[1],))
    out[t, 9] = any(()) + all(()) * 2 + (r[0] in ()) * 4
    if r[0] in (1, 2) and r[1] not in (0, 1) or 3 not in (r[2],):
        out[t, 10] = 1
    known = r[3] > 0
    out[t, 11] = (r[3] is None) + (known is True) + (known is not False) * 2


def test_pythons_functions_on_runtime_values(launch):
    x = np.random.default_rng(5).integers(-4, 5, (32, 4)).astype(np.int32)
    out, want = np.zeros((32, 12), np.int32), []
    launch(pythons_at_run_time, x, out, block=32)
    for r in x.tolist():
        quotient, rest = divmod(r[0], 3)
        want.append([any(v > 2 for v in r), all(v > -3 for v in r), (r[0] > 1) * 3, quotient * 100 + rest, r[1] ** 3,
                     r[2] in (1, 3, r[0]), r[2] not in (1, WIDTH, -4), 3 in r[:2], 2 * r[0] + 2 + 3 * r[1], 2,
                     r[0] in (1, 2) and r[1] not in (0, 1) or 3 != r[2], 2])  # fmt: skip
    np.testing.assert_array_equal(out, want)


@avelang.jit
def formatted(out: al.Tensor((2, 3), al.i16), NAME: al.constexpr):
    text = f"{NAME!r}|{len(NAME):03d}|{out.shape}|{out.dtype}|{2 / 3:.{out.ndim}f}"
    assert text == "'ab'|002|(2, 3)|i16|0.67", f"made {text}"
    out[0, 0] = len(text)


def test_f_strings_of_compile_time_values(launch):
    out = np.zeros((2, 3), np.int16)
    launch(formatted, out, "ab", block=1)
    assert out[0, 0] == len("'ab'|002|(2, 3)|i16|0.67")
    with pytest.raises(Exception, match=r"T053.*made 'abc'\|003"):
        launch(formatted, out, "abc", block=1)


@avelang.jit
def tuples(out: al.Tensor((4,), al.i32)):
    t = al.convert(al.thread_id(0), al.i32)
    pair = (t, t * 2)
    a, b = pair
    b, a = a, b
    out[0] = a + 5
    out[1] = b + 6
    out[2] = pair[1]
    nested = (pair, 3)
    out[3] = nested[0][0] + nested[1]


def test_tuples_of_runtime_values(launch):
    out = np.zeros(4, np.int32)
    launch(tuples, out, block=1)
    np.testing.assert_array_equal(out, [5, 6, 0, 3])


@avelang.jit
def static_shapes(x: al.Tensor((N,), al.i32), out: al.Tensor((N,), al.i32), ROWS: al.constexpr):
    t = al.thread_id(0)
    tile = al.make_shared((ROWS, N // ROWS), al.i32)
    tile[t // (N // ROWS), t % (N // ROWS)] = x[t]
    al.syncthreads()
    out[t] = tile[ROWS - 1 - t // (N // ROWS), t % (N // ROWS)]


@pytest.mark.parametrize("rows", [1, 4, 16])
def test_shapes_from_constexpr(launch, rows):
    x = np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.int32)
    launch(static_shapes, x, out, rows)
    np.testing.assert_array_equal(out, x.reshape(rows, -1)[::-1].ravel())


def adder(value):
    @avelang.jit
    def adds(out: al.Tensor((N,), al.i32)):
        out[al.thread_id(0)] = value

    return adds


def test_closures_are_compile_time_values(launch):
    for value in (3, 11):
        out = np.zeros(N, np.int32)
        launch(adder(value), out)
        np.testing.assert_array_equal(out, value)
