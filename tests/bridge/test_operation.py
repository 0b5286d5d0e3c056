"""`avelang.op` on NumPy: signatures, options, out=, errors, invariance, fallback."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from tests.bridge.operations import SEEN, scaled

import avelang
from avelang.base.errors import ArgumentError, AveError
from avelang.bridge import Array, NoKernel, invariant, op
from avelang.bridge.signatures import Signature, schema_type

RNG = np.random.default_rng(15)
X, W = RNG.standard_normal((3, 5, 7), np.float32), RNG.standard_normal(7, np.float32)


def test_it_is_reached_from_the_package_and_imports_no_framework():
    import subprocess
    import sys

    code = "import sys, avelang; assert 'avelang.bridge' not in sys.modules; avelang.op; import avelang.ops; " \
           "assert not {'torch', 'jax', 'avelang.ops.matmul', 'avelang.tile'} & set(sys.modules)"  # fmt: skip
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_arrays_of_numpy():
    assert np.allclose(scaled(X, W), 2 * X * W, rtol=1e-6)
    assert np.allclose(scaled(w=W, x=X, factor=-1.5), -1.5 * X * W, rtol=1e-6)
    out = np.full_like(X, 9)
    assert scaled(X, W, out=out, mode=[3, "a", None]) is out and np.allclose(out, 2 * X * W, rtol=1e-6)
    assert SEEN[-1] == {"x": "numpy", "mode": (3, "a", None), "invariant": False}
    assert scaled(X[:0], W).shape == (0, 5, 7)
    assert np.allclose(scaled(X.T.copy().T[:, ::2], W[::-1]), 2 * X[:, ::2] * W[::-1], rtol=1e-6)


def test_it_looks_like_its_function():
    assert scaled.__doc__.startswith("factor") and scaled.__name__ == "scaled"
    assert list(inspect.signature(scaled).parameters) == ["x", "w", "factor", "mode", "invariant", "out", "fallback"]
    assert pickle.loads(pickle.dumps(scaled)) is scaled
    assert "::scaled" in repr(scaled)


def test_invariance_is_an_option_that_the_context_settles():
    with invariant():
        scaled(X, W)
        with invariant(False):
            scaled(X, W)
        scaled(X, W, invariant=False)
    scaled(X, W)
    assert [s["invariant"] for s in SEEN[-4:]] == [True, False, False, False]
    from avelang import ops

    assert ops.invariant is invariant and not invariant.on()


def test_invariance_ends_with_the_last_of_several_threads():
    """They leave in the order in which they came: nested contexts of one thread leave the other way round."""
    first, second = invariant(), invariant()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert invariant.on()
    second.__exit__(None, None, None)
    assert not invariant.on()


@pytest.mark.parametrize(
    ("args", "named", "said"),
    [
        ((X,), {}, "`scaled`: w is missing"),
        ((X, W, W), {}, "takes 2 arrays (x, w)"),
        ((X, W), {"facto": 2}, "there is no 'facto'"),
        ((X, W), {"w": W}, "w is given twice"),
        ((X, None), {}, "w is None: it must be an array"),
        ((X, [1.0] * 7), {}, "w is list [1.0, 1.0"),
        ((X, W[:3]), {}, "w is (3,): it must be (7,)"),
        ((X, W), {"out": X[0].copy()}, "out is (5, 7) of float32: it must be (3, 5, 7) of float32"),
        ((X, W), {"out": (X, X)}, "out is 2 arrays: the call returns 1"),
        ((X, W.astype(np.float64)), {}, "w is of float64: there is a kernel for float32"),
    ],
)
def test_errors_name_the_argument_at_the_line_of_the_call(args, named, said):
    with pytest.raises(ArgumentError) as e:
        scaled(*args, **named)
    assert e.value.code == "L066" and said in e.value.message
    assert e.value.span.file == __file__


def test_a_fallback_runs_only_when_asked():
    wide = X.astype(np.float64)
    with pytest.raises(NoKernel):
        scaled(wide, W)
    assert np.array_equal(scaled(wide, W, fallback=True), wide * W * 2)
    out = np.empty_like(wide)
    assert scaled(wide, W, fallback=True, out=out) is out and np.array_equal(out, wide * W * 2)
    with pytest.raises(ArgumentError, match="must be"):
        scaled(X, W[:3], fallback=True)  # a wrong argument is none for the framework either


def rule(x, w=None, *, eps):
    return Array(x.shape, x.dtype)


def test_optional_inputs():
    seen = []

    @op(rule)
    def plus(x, w, out, *, eps: float):
        seen.append((w is None, eps))
        out[...] = x

    plus(X, eps=0.5)
    plus(X, None, eps=1.0)
    plus(X, w=W, eps=1.0)
    assert seen == [(True, 0.5), (True, 1.0), (False, 1.0)]
    with pytest.raises(ArgumentError, match="eps is missing"):
        plus(X)


def host(x, w, out, *, eps): ...
def no_outputs(x, w, *, eps): ...
def others(y, w, out, *, eps): ...
def reserved(x, w, y, *, eps, out): ...
def starred(x, w, out, *rest, eps): ...
def without(x, w, out): ...
def größe(x, w, out, *, eps): ...
def wide(x, w, out, *, eps, größe=1): ...
def me(x, w, out, *, eps, self=1): ...


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        (no_outputs, {}, "no outputs"),
        (others, {}, "they must be the inputs, in order"),
        (reserved, {}, "`out` is a name"),
        (starred, {}, "by position"),
        (without, {}, "the shape rule asks for ['eps']"),
        (lambda x, w, out, *, eps: None, {}, "its name is '<lambda>'"),
        (größe, {}, "its name is 'größe'"),
        (wide, {}, "its option is 'größe'"),
        (me, {}, "`self` is a name"),
        (host, {"returns": 2}, "returns is 2"),
        (host, {"batched": ("z",)}, "batched names ['z']"),
        (host, {"autocast": "half"}, "autocast is 'half'"),
    ],
)
def test_functions_that_do_not_fit_one_another(function, options, said):
    with pytest.raises(AveError) as e:
        op(rule, **options)(function)
    assert e.value.code == "L068" and said in e.value.message


def test_backwards_that_do_not_fit():
    made = op(rule)(host)
    for function, said in ((lambda grads: None, "takes (grads, inputs"), (lambda g, i, o, *, epsilon: None, "epsilon")):
        with pytest.raises(AveError, match="L068") as e:
            made.backward(function)
        assert said in e.value.message
    with pytest.raises(AveError, match="saves names"):
        made.backward(saves=("z",))
    made.backward(lambda g, i, o: None)
    with pytest.raises(AveError, match="already"):
        made.backward(lambda g, i, o: None)


def test_a_shape_rule_gives_a_description_for_each_output():
    @op(lambda x: x.shape)
    def wrong(x, out): ...

    with pytest.raises(AveError, match="L068"):
        wrong(X)


def test_a_host_function_writes_to_its_outputs():
    @op(lambda x: Array(x.shape, x.dtype))
    def wrong(x, out):
        return x * 2

    @op(lambda x: Array(x.shape, x.dtype))
    def right(x, out):
        out[...] = x * 2
        return out.reshape(-1)  # as kernels of the instruction level do

    torch = pytest.importorskip("torch")
    for x in (X, torch.ones(3), torch.ones(3, requires_grad=True)):
        assert (right(x) == 2 * x).all()
        with pytest.raises(AveError, match=r"L068.*`wrong`.*returned an array: it writes to its outputs \(out\)"):
            wrong(x)


def test_extents_are_whole_numbers():
    @op(lambda x: Array((x.shape[0] / 2,), x.dtype))
    def half(x, out): ...

    with pytest.raises(AveError, match=r"L068.*\(1.5,\).*extents are ints"):
        half(X)


def test_host_functions_get_plain_arrays():
    @op(lambda x: Array(x.shape[::-1], x.dtype))
    def turned(x, out):
        assert type(x) is type(out) is np.ndarray
        out.reshape(-1)[:] = x[:, None].reshape(x.shape).T.reshape(-1)

    x = np.arange(6, dtype=np.float32).reshape(2, 3).view(np.matrix)
    assert np.array_equal(turned(x), x.T)
    out = np.zeros((3, 2), np.float32).view(np.matrix)
    assert turned(x, out=out) is out and np.array_equal(out, x.T)


def test_types_of_options():
    import typing

    missing = inspect.Parameter.empty
    kinds = {
        (float, 1.0): "float", (int, 1): "SymInt", (bool, True): "bool", (str, "a"): "str",
        (float | None, None): "float?", (int | None, None): "SymInt?",
        (tuple[int, ...], ()): "SymInt[]", (int | float, 1): "Scalar", (int | str, 1): "", (missing, 2.5): "float",
        (missing, 1): "Scalar", (missing, None): "", (missing, "a"): "str?", (typing.Literal["a", "b"], "a"): "str",
        (missing, missing): "", (missing, (1,)): "", (dict, None): "",
    }  # fmt: skip
    for (annotation, default), want in kinds.items():
        assert schema_type(annotation, default) == want, (annotation, default)
    text = Signature("plus", host, rule).schema()
    assert text == "(Tensor x, Tensor? w, str eps) -> Tensor"


# What an option of each type takes; arrays are none of them, as what they hold may change between two calls.
OPTIONS = [0, 2, -1.5, True, None, "a", np.float32(2.5), np.float64(0.5), np.int64(3), np.bool_(False), np.array(1), (1, 2), (0.5,), 1j, b"a"]
TAKEN = {"int": "0 2 True 3 False", "float": "0 2 -1.5 True 2.5 0.5 3 False", "bool": "0 True False", "str": "a",
         "float | None": "0 2 -1.5 True None 2.5 0.5 3 False", "tuple[int, ...]": "(1, 2)", "tuple[float, ...]": "(1, 2) (0.5,)"}  # fmt: skip


@pytest.mark.parametrize("annotation", TAKEN)
def test_options_are_of_the_type_that_they_are_said_to_be(annotation):
    def plain(x, out, *, value): ...

    plain.__annotations__ = {"value": eval(annotation)}
    made, taken = op(lambda x: x)(plain), []
    for value in OPTIONS:
        try:
            made(X, value=value)
            taken.append(str(value))
        except ArgumentError as e:
            assert e.code == "L066" and e.message.startswith(f"`plain`: value is {type(value).__name__} "), e.message
    assert taken == TAKEN[annotation].split(" ") or " ".join(taken) == TAKEN[annotation]


def test_descriptions():
    import avelang.language as al

    for name in ("bf16", "bfloat16", al.bf16):
        assert Array((2, 3), name) == Array([2, 3], "bfloat16")
    assert Array((2, 3), np.float32).dtype == "float32" and Array((2, 3), np.dtype("int8")).dtype == "int8"
    a = Array((2, 3), "f8e4m3fn")
    assert (a.ndim, a.size, a.chip, a.dtype) == (2, 6, "cpu", "float8_e4m3fn") and hash(a) == hash(a)
    with pytest.raises(ArgumentError, match="dtype is 'float7'"):
        Array((2,), "float7")
    assert avelang.op is op
