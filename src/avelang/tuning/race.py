"""Contenders and a clock come in; the fastest, and how sure that is, go out: interleaved timing with early stopping.

In each round every contender that is left runs once, in a new order: a slow moment of the machine hits all alike, and
two contenders are compared by the rounds in which one beat the other (a sign test: no distribution of the noise is
assumed). At each look, after 2, 3, 4, 6, 8, 12, ... rounds:

| a contender is dropped | where |
| --- | --- |
| far behind | its best time is over 3, 2, 1.5 times the leader's median after 2, 3, 4 rounds |
| behind | it lost so many rounds to the leader as it would with a chance below `risk` / (pairs x looks), if as fast |

and the race ends when each that is left is, by the same test, at most `within` faster than the leader. So with a
chance of 1 - `risk` the winner is at most `within` slower than the best, as long as rounds are independent of one
another and no contender is disturbed threefold twice in a row."""

from __future__ import annotations

import functools
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

LOOKS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # rounds after which is looked
FAR = {2: 3.0, 3: 2.0, 4: 1.5}


class Clock(Protocol):
    """A clock: `name` for the table, and the seconds of each call of a list, run in that order."""

    @property
    def name(self) -> str:
        """The clock in a few words."""
        ...

    def seconds(self, calls: Sequence[Callable[[], Any]]) -> list[float]:
        """Runs these calls one after another and returns the seconds of each."""
        ...


class Standing(NamedTuple):
    """A contender after a race: its seconds in each round, and why it was dropped ("" where it was not)."""

    seconds: tuple[float, ...]
    dropped: str

    @property
    def median(self) -> float:
        """The median of its seconds; infinity where it never ran."""
        return statistics.median(self.seconds) if self.seconds else math.inf

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles, relative to the median."""
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / 2 / self.median if self.median else 0.0


class RaceResult(NamedTuple):
    """A race: the winner, the runner-up (None where there is one contender), all standings by name, how many rounds
    the winner ran, and whether the race was decided: the winner is at most `within` behind the best, with a chance of
    1 - `risk`."""

    winner: Any
    runner_up: Any
    standings: Mapping[Any, Standing]
    rounds: int
    decided: bool


@functools.cache
def _losses(rounds: int, chance: float) -> int:
    """The least number of lost rounds that a coin gives with at most this chance; more than `rounds` where none is."""
    tail, total = 0.0, 2.0**rounds
    for lost in range(rounds, -1, -1):
        tail += math.comb(rounds, lost) / total
        if tail > chance:
            return lost + 1
    return 0


def looks_of(most: int) -> list[int]:
    """The rounds after which is looked, `most` the last."""
    return [n for n in LOOKS if n < most] + [most]


def race(
    contenders: Mapping[Any, Callable[[], Any]], clock: Clock, *, within: float = 0.01, risk: float = 0.05,
    most: int = 64, until: float = math.inf, rng: random.Random | None = None,
    now: Callable[[], float] = time.monotonic, told: Callable[[int, int], None] = lambda rounds, left: None,
    keep: Callable[[Any, str], None] = lambda name, why: None,
) -> RaceResult:  # fmt: skip
    """Runs the contenders against one another, at most `most` rounds and until `now()` is `until` (two rounds are run
    in any case). `told(rounds, left)` hears of each look, `keep(name, why)` of each contender that is dropped.

    `within`, `risk`: see the module. Raises ValueError where there is no contender."""
    if not contenders:
        raise ValueError("a race needs a contender")
    rng, names = rng or random.Random(0), list(contenders)
    if len(names) == 1:
        alone = Standing(tuple(clock.seconds([contenders[names[0]]] * 3)), "")
        return RaceResult(names[0], None, {names[0]: alone}, 3, True)
    times: dict[Any, list[float]] = {name: [] for name in names}
    dropped: dict[Any, str] = {}
    looks = looks_of(most)
    chance = risk / ((len(names) - 1) * len(looks))
    rounds, decided = 0, False
    for look in looks:
        live = [name for name in names if name not in dropped]
        order = [name for _ in range(look - rounds) for name in rng.sample(live, len(live))]
        for name, seconds in zip(order, clock.seconds([contenders[name] for name in order]), strict=True):
            times[name].append(seconds)
        rounds = look
        leader = min(live, key=lambda name: statistics.median(times[name]))
        for name in live:
            why = _behind(times[name], times[leader], rounds, chance) if name != leader else ""
            if why:
                dropped[name] = why
                keep(name, why)
        live = [name for name in live if name not in dropped]
        told(rounds, len(live))
        decided = all(_no_faster(times[name], times[leader], rounds, chance, within) for name in live if name != leader)
        if decided or now() >= until:
            break
    standings = {name: Standing(tuple(times[name]), dropped.get(name, "")) for name in names}
    live = [name for name in names if name not in dropped]
    winner = min(live, key=lambda name: standings[name].median)
    others = [name for name in names if name != winner]
    # One that was dropped ran less; among them the next is told all the same.
    second = min(others, key=lambda name: (name in dropped, standings[name].median))
    return RaceResult(winner, second, standings, rounds, decided)


def _behind(mine: Sequence[float], leaders: Sequence[float], rounds: int, chance: float) -> str:
    """Why a contender is dropped, or ""."""
    far = FAR.get(rounds)
    if far is not None and min(mine) > far * statistics.median(leaders):
        return "far behind"
    lost = sum(a > b for a, b in zip(mine, leaders, strict=True))
    return "behind" if lost >= _losses(rounds, chance) else ""


def _no_faster(mine: Sequence[float], leaders: Sequence[float], rounds: int, chance: float, within: float) -> bool:
    """True where the leader is no more than `within` slower than a contender."""
    held = sum(b < a * (1 + within) for a, b in zip(mine, leaders, strict=True))
    return held >= _losses(rounds, chance)
