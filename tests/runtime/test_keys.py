"""Keys tell values apart that Python finds equal, and are the same in every process."""

import enum
import itertools
import math
import os

import pytest

import avelang
import avelang.language as al
from avelang.runtime import keys


class Scope(enum.IntEnum):
    ONE = 1


@avelang.jit
def helper(x):
    return x


DISTINCT = [
    None, 0, 1, True, False, 0.0, -0.0, 1.0, math.inf, "1", "", b"1", (), (1,), (True,), (1.0,), ((1,),), (1, 1), Scope.ONE, al.i32, al.u32,
    al.Tensor((4, 2), al.f32), al.Tensor((4, 2), (1, 4), al.f32), al.Pointer(al.f32), helper, math, os, int, len,
]  # fmt: skip


def test_distinct_values_have_distinct_keys():
    for a, b in itertools.combinations(DISTINCT, 2):
        assert keys.freeze(a) != keys.freeze(b), (a, b)
        assert keys.token(a) != keys.token(b), (a, b)


def test_the_same_value_has_the_same_key():
    for make in (lambda: 10**9, lambda: "a" + str(1), lambda: (1, (2.5, "x")), lambda: al.Tensor((4, 2), al.f32), lambda: float("nan")):
        assert keys.freeze(make()) == keys.freeze(make())
        assert hash(keys.freeze(make())) == hash(keys.freeze(make()))
        assert keys.token(make()) == keys.token(make())


def test_tokens_hold_no_addresses():
    for value in DISTINCT:
        assert "0x" not in keys.token(value).replace("0x0.0p+0", "").replace("0x1.0", "")


def test_what_has_no_text():
    for value in (object(), lambda: 1, {1: 2}, (1, object())):
        with pytest.raises(keys.Unstable):
            keys.token(value)
