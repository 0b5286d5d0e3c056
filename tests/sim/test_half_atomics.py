"""Atomics of 16 bits in the reference: they touch two bytes, wherever these lie, and what is beside them is no access."""

import os

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

DTYPES = {"f16": (al.f16, np.float16), "bf16": (al.bf16, ml_dtypes.bfloat16)}
OPS = ("add", "max", "min", "exchange")


@pytest.fixture(autouse=True)
def races(monkeypatch):
    monkeypatch.setitem(os.environ, "AVE_CHECK", "races")


def one_each(dtype, op, order="relaxed"):
    f = getattr(al, f"atomic_{op}")

    @avelang.jit
    def k(w: al.Pointer[dtype], n: al.u32):
        t = al.thread_id(0)
        if t < n:
            f(w, t, al.convert(1.0, dtype), order=order)

    return k


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("name", DTYPES)
def test_the_last_element_and_memory_that_begins_in_a_word(name, op):
    dtype, kind = DTYPES[name]
    for n, first, chip in ((33, 0, "sm_80"), (34, 0, "gfx942"), (1, 0, "gfx942"), (33, 1, "gfx942")):
        around = np.full(40, 2, kind)
        w = around[first : first + n]
        one_each(dtype, op, "acq_rel")[1, 64](w, n, backend="reference", target=chip)
        assert (w == {"add": 3, "max": 2, "min": 1, "exchange": 1}[op]).all()
        assert (around[first + n :] == 2).all() and (around[:first] == 2).all()


@avelang.jit
def beside(w: al.Pointer[al.f16], I: al.constexpr):
    """Wave 0 adds to element 0, a thread of another wave stores element I."""
    t = al.thread_id(0)
    if t < 64:
        al.atomic_add(w, 0, al.convert(1.0, al.f16))
    elif t == 64:
        w[I] = al.convert(5.0, al.f16)


def test_the_other_half_is_no_access_and_the_own_one_is():
    w = np.zeros(2, np.float16)
    beside[1, 128](w, 1, backend="reference", target="gfx942")
    assert w.tolist() == [64, 5]
    with pytest.raises(AveError) as e:
        beside[1, 128](w, 0, backend="reference", target="gfx942")
    assert e.value.code == "X040" and "thread (64, 0, 0)" in str(e.value)


@pytest.mark.parametrize("op", OPS)
def test_who_goes_past_the_end_is_named(op):
    with pytest.raises(AveError) as e:
        one_each(al.f16, op)[1, 64](np.zeros(41, np.float16), 42, backend="reference", target="gfx942")
    assert e.value.code == "X002" and "thread (41, 0, 0)" in str(e.value) and "touches 2 bytes" in str(e.value)
