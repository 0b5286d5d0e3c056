"""Options of an operation where torch's schema has no type for them: their text, and what it is read back as."""

from __future__ import annotations

import math

import numpy as np
import pytest

from avelang.base.errors import ArgumentError
from avelang.base.parsing import literal
from avelang.bridge import Array, op
from avelang.bridge.signatures import encoded

VALUES = (True, 1, 1.0, 0.0, -0.0, -3, 2**70, 1e300, math.inf, -math.inf, math.nan, "inf", "it's\n'\"", None, (),
          (True,), (1, (math.inf, ("nan", -0.0))))  # fmt: skip


def test_a_value_is_read_back_from_its_text():
    for value in VALUES:
        found = literal(encoded("k", value))
        assert type(found) is type(value) and repr(found) == repr(value)
    assert repr(literal(encoded("k", (np.float32(0.5), np.str_("a"), np.bool_(True))))) == "(0.5, 'a', True)"


@op(lambda x, *, k: Array(x.shape, x.dtype))
def kept(x, out, *, k=None):
    SEEN.append(k)
    out[...] = x


@kept.backward(saves=())
def _(grads, inputs, outputs, *, k):
    SEEN.append(k)
    return kept(grads[0], k=k)


SEEN: list = []


def test_values_come_to_torch_where_gradients_are_wanted():
    torch = pytest.importorskip("torch")
    for value in VALUES:
        SEEN.clear()
        kept(torch.ones(2, requires_grad=True), k=value).sum().backward()
        assert len(SEEN) == 3 and {repr(k) for k in SEEN} == {repr(value)}


def test_compiled_code_has_infinity():
    torch = pytest.importorskip("torch")
    SEEN.clear()
    torch.compile(lambda x: kept(x, k=math.inf), backend="aot_eager", fullgraph=True)(torch.ones(2))
    assert SEEN == [math.inf]


@pytest.mark.parametrize("value", [1j, np.complex64(2j)])
def test_complex_numbers_are_refused_everywhere(value):
    torch = pytest.importorskip("torch")
    for x in (np.ones(2), torch.ones(2), torch.ones(2, requires_grad=True)):
        with pytest.raises(ArgumentError, match=r"L066.*k is .*: a static option is an int, a float, a string"):
            kept(x, k=value)


@pytest.mark.parametrize("value", [b"x", np.dtype("f4"), {"a": 1}, (1, [2])])
def test_what_is_no_static_option_is_refused_with_and_without_gradients(value):
    torch = pytest.importorskip("torch")
    for x in (np.ones(2), torch.ones(2), torch.ones(2, requires_grad=True)):
        with pytest.raises(ArgumentError, match=r"L066.*k is .*option is an? "):
            kept(x, k=value)
