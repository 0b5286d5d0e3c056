"""Outputs that a caller gives and that share memory with inputs: results are those of copies."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import avelang
from avelang import ops
from avelang.base.errors import AveError
from avelang.bridge.overlaps import shared

torch = pytest.importorskip("torch")

ROWS, COLUMNS = 40, 72


@st.composite
def parts(draw, memory, rows=ROWS, columns=COLUMNS):
    """A part of a memory of numbers: from any element, most of them near its beginning, with or without gaps between
    rows and between elements, which lie side by side or below one another."""
    near, inner = draw(st.sampled_from([1, 1, 1, 2, 3])), draw(st.sampled_from([True, True, False]))
    far = near * (columns if inner else rows) + draw(st.sampled_from([0, 0, 0, 1, 5]))
    strides = (far, near) if inner else (near, far)
    span = (rows - 1) * strides[0] + (columns - 1) * strides[1] + 1
    first = draw(st.integers(0, 8)) if draw(st.booleans()) else draw(st.integers(0, memory.size - span))
    return np.lib.stride_tricks.as_strided(memory[first:], (rows, columns), tuple(4 * s for s in strides))


def copied(call, kind, memory, arrays, out):
    """What a call makes of arrays in one memory, and of copies of them; whether all other memory is as it was."""
    want, before = call(*(x.copy() for x in arrays)), memory.copy()
    as_tensors = [torch.from_numpy(x) for x in (*arrays, out)] if kind == "torch" else [*arrays, out]
    call(*as_tensors[:-1], out=as_tensors[-1])
    got = out.copy()
    out[...] = np.lib.stride_tricks.as_strided(before[(out.ctypes.data - memory.ctypes.data) // 4 :], out.shape, out.strides)
    return got, want, np.array_equal(memory, before)


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_results_are_those_of_copies(kind, data):
    memory = np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal(3 * ROWS * COLUMNS * 3 + 50)
    memory = memory.astype(np.float32)
    x, y, out = (data.draw(parts(memory)) for _ in range(3))
    square = data.draw(parts(memory, ROWS, ROWS))
    calls = {
        "softmax": (ops.softmax, (x,), out), "swiglu": (ops.swiglu, (x, y), out), "rms_norm": (ops.rms_norm, (x,), out),
        "matmul": (lambda a, b, out=None: ops.matmul(a, b, out=out), (x, y.T), square),
        "softmax of columns": (lambda x, out=None: ops.softmax(x, 0, out=out), (x,), out),
    }  # fmt: skip
    call, arrays, out = calls[data.draw(st.sampled_from(sorted(calls)))]
    got, want, kept = copied(call, kind, memory, arrays, out)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    assert kept


def test_an_input_itself_is_written_in_place():
    x = torch.randn(4, 64)
    want, at = torch.softmax(x, -1), x.data_ptr()
    for given_inputs, same, expected in (((x,), (0,), False), ((x,), (), True), ((x.T,), (0,), True), ((x[1:],), (0,), True)):
        assert shared(x, given_inputs, same) == expected
    assert not shared(x[:, ::2], (x[:, 1::2],))
    assert ops.softmax(x, out=x) is x and x.data_ptr() == at
    torch.testing.assert_close(x, want)


@pytest.mark.parametrize("columns", [8, 100, 1032, 20000])
def test_rows_are_written_in_place(columns):
    numbers = np.random.default_rng(columns)
    weight, angles = numbers.standard_normal((2, columns)).astype(np.float32), numbers.standard_normal((1, columns // 2))
    calls = {
        "softmax": lambda x, **out: ops.softmax(x, **out), "log_softmax": lambda x, **out: ops.log_softmax(x, **out),
        "rms_norm": lambda x, **out: ops.rms_norm(x, weight[0], **out), "gate": lambda x, **out: ops.swiglu(x, x0, **out),
        "layer_norm": lambda x, **out: ops.layer_norm(x, *weight, **out), "up": lambda x, **out: ops.swiglu(x0, x, **out),
        "rotary": lambda x, **out: ops.rotary(x[:, None], None, *turned, **{n: y[:, None] for n, y in out.items()}),
    }  # fmt: skip
    x0 = numbers.standard_normal((3, columns)).astype(np.float32)
    turned = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    for name, call in calls.items():
        x = x0.copy()
        want = call(x0)
        call(x, out=x)
        assert x.tobytes() == want.tobytes(), name


def test_elements_that_are_one_and_outputs_that_are_one():
    x = np.ones((3, 8), np.float32)
    for out in (torch.zeros(8).expand(3, 8), torch.zeros(3, 1).expand(3, 8)):
        with pytest.raises(AveError, match=r"L066.*`softmax`: out is \(3, 8\) with a stride of 0"):
            ops.softmax(torch.from_numpy(x), out=out)
        with pytest.raises(AveError, match="L066"):
            ops.softmax(x, out=np.lib.stride_tricks.as_strided(out.numpy(), writeable=True))
    fixed = np.zeros((3, 8), np.float32)
    fixed.flags.writeable = False
    with pytest.raises(AveError, match=r"L066.*read-only"):
        ops.softmax(x, out=fixed)
    q = torch.randn(1, 2, 4, 8)
    angles = torch.rand(4, 4)
    with pytest.raises(AveError, match=r"L066.*the arrays of out share memory"):
        ops.rotary(q, q.clone(), angles.cos(), angles.sin(), out=(q, q))


def test_names_of_inplace_are_those_of_the_host_function():
    def rule(x):
        return x

    for given_names, said in (({"z": ("x",)}, "outputs that a caller gets"), ({"y": ("w",)}, "inputs are")):
        with pytest.raises(AveError, match=f"L068.*inplace names.*{said}"):

            @avelang.op(rule, inplace=given_names)
            def host(x, y):
                y[...] = x
