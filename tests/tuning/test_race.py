"""Races against a clock that is made up: the winner is within its bound of the best, whatever the noise."""

from __future__ import annotations

import functools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.tuning.race import _losses, looks_of, race
from avelang.tuning.timers import FakeClock


def noisy(rng: random.Random, kind: str, amount: float, spikes: float):
    """A factor of noise: never below the true time by more than noise of that kind is."""
    x = {"normal": 1 + amount * abs(rng.gauss(0, 1)), "even": 1 + amount * rng.random(),
         "long": 1 + amount * (rng.paretovariate(2) - 1)}[kind]  # fmt: skip
    return x * (1 + 3 * rng.random() if rng.random() < spikes else 1)


class Course:
    """Contenders with true times, and a clock that disturbs them; a round has a slowness that all share."""

    def __init__(self, true, rng, kind="normal", amount=0.05, spikes=0.05):
        self.true, self.rng = true, rng
        self.calls = {name: functools.partial(str, name) for name in true}
        by_call = {id(call): name for name, call in self.calls.items()}
        self.ran = dict.fromkeys(true, 0)

        def told(call):
            name = by_call[id(call)]
            self.ran[name] += 1
            return true[name] * noisy(rng, kind, amount, spikes)

        self.clock = FakeClock(told)

    def run(self, **options):
        return race(self.calls, self.clock, rng=self.rng, now=lambda: self.clock.now, **options)


@pytest.mark.parametrize("kind", ["normal", "even", "long"])
@pytest.mark.parametrize("amount", [0.0, 0.02, 0.2])
def test_the_winner_is_within_its_bound(kind, amount):
    """Of 120 drawn races at most the risk, and what a count of 120 may be off by, ends on a contender that is slower
    than the best by more than the bound."""
    lost = decided = 0
    for seed in range(120):
        rng = random.Random(f"{seed} {kind} {amount}")
        true = {i: rng.choice([1.0, 1.003, 1.02, 1.1, 1.5, 4.0]) * (1 + 0.02 * rng.random())
                for i in range(rng.choice([2, 3, 8, 20]))}  # fmt: skip
        course = Course(true, rng, kind, amount)
        done = course.run(within=0.01, risk=0.05)
        decided += done.decided
        if done.decided:
            lost += true[done.winner] > 1.01 * min(true.values()) * (1 + 1e-9)
        assert true[done.winner] < min(true.values()) * (1.02 + amount)
        assert done.runner_up != done.winner and len(done.standings[done.winner].seconds) == done.rounds
    assert lost <= 12
    if amount <= 0.02:
        assert decided > 60


def test_stopping_early_saves_rounds():
    true = {i: 1 + 0.2 * i for i in range(30)}
    course = Course(true, random.Random(1), amount=0.01)
    done = course.run()
    assert done.winner == 0 and done.decided and done.runner_up == 1
    assert course.clock.calls < 30 * 10, "a race of all for 64 rounds is 1920 calls"
    assert course.ran[29] <= 3 and done.standings[29].dropped == "far behind"


def test_equals_end_by_being_within():
    done = Course(dict.fromkeys(range(5), 1.0), random.Random(2), amount=0.002, spikes=0.0).run(within=0.01)
    assert done.decided and done.rounds <= 32


def test_time_ends_a_race():
    course = Course({0: 1.0, 1: 1.0001}, random.Random(3), amount=0.3)
    done = course.run(until=7.0, within=0.0)
    assert not done.decided and done.rounds < 10 and course.clock.now < 20


def test_one_contender_and_none():
    course = Course({"a": 2.0}, random.Random(4))
    done = course.run()
    assert done.winner == "a" and done.runner_up is None and done.decided
    with pytest.raises(ValueError):
        race({}, course.clock)


def test_the_same_seed_is_the_same_race():
    one, two = (Course({i: 1 + i / 50 for i in range(9)}, random.Random(7)).run() for _ in range(2))
    assert one == two


@given(st.integers(1, 60), st.floats(1e-6, 0.5))
@settings(max_examples=60)
def test_losses_are_a_coins(rounds, chance):
    k = _losses(rounds, chance)
    tail = lambda k: sum(__import__("math").comb(rounds, i) for i in range(k, rounds + 1)) / 2**rounds  # noqa: E731
    assert tail(k) <= chance and (k == 0 or tail(k - 1) > chance)
    assert looks_of(rounds)[-1] == rounds and sorted(set(looks_of(rounds))) == looks_of(rounds)
