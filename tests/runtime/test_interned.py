"""Records that are made anew for each launch take the fast path, and stand for no other record."""

from __future__ import annotations

import dataclasses
import enum

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.runtime import interned


class Kind(enum.Enum):
    PLUS = 1
    MINUS = 2


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Config:
    factor: object
    kind: Kind = Kind.PLUS
    more: tuple = ()

    def scaled(self, x):
        return self.factor * 2 if self.kind is Kind.PLUS else self.factor * -2


@avelang.jit
def scale(x: al.Tensor((64,), al.f32), config: al.constexpr):
    i = al.thread_id(0)
    x[i] = x[i] * config.scaled(0)


def run(config, **kwargs):
    x = np.ones(64, np.float32)
    scale[(1, 1, 1), (64, 1, 1)](x, config, **kwargs)
    assert (x == x[0]).all()
    return float(x[0])


def test_an_equal_record_is_served_by_the_fast_path(monkeypatch):
    assert run(Config(3)) == 6
    launcher = scale._launcher
    slow = []
    original = type(launcher)._launch
    monkeypatch.setattr(type(launcher), "_launch", lambda *a: slow.append(a) or original(*a))
    assert [run(Config(3)), run(Config(1 + 2))] == [6, 6] and not slow
    assert run(Config(4)) == 8 and len(slow) == 1


@pytest.mark.parametrize("others", [
    (Config(1), Config(True), Config(1.0)), (Config(0.0), Config(-0.0)), (Config(1), Config(1, Kind.MINUS)),
    (Config(1, more=(1, 2)), Config(1, more=(1, 2.0)), Config(1, more=((1,), 2))),
])  # fmt: skip
def test_records_that_differ_stay_apart(others):
    assert len({interned._key(c) for c in others}) == len(others)


def test_a_method_that_is_rebound_is_seen():
    assert run(Config(5)) == 10
    original = Config.scaled
    try:
        Config.scaled = lambda self, x: self.factor * 3
        assert run(Config(5)) == 15
    finally:
        Config.scaled = original
    assert run(Config(5)) == 10


def test_what_was_set_from_outside_is_no_field():
    odd = Config(7)
    object.__setattr__(odd, "extra", 1)
    assert interned.interned((odd,), {}) is None


def test_the_table_is_bounded(monkeypatch):
    monkeypatch.setattr(interned, "MOST", 0)
    assert interned.interned((Config(123456),), {}) is None and run(Config(123457)) == 2 * 123457
