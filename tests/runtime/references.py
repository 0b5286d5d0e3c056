"""References that a call takes and does not give back."""

import gc
import sys
from collections.abc import Callable, Sequence


def growth(call: Callable[[], object], watched: Sequence[object], times: int, rounds: int = 4) -> int:
    """By how many references the worst of `watched` has changed in `times` calls, in the round in which it changed least: a leak of a call is in
    all rounds, what other tests left, and a collection takes away in the midst of one (all hold None), is not."""
    changes = []
    gc.collect()
    for _ in range(rounds):
        before = [sys.getrefcount(w) for w in watched]
        for _ in range(times):
            call()
        gc.collect()
        changes.append([abs(sys.getrefcount(w) - n) for w, n in zip(watched, before, strict=True)])
    return max(map(min, zip(*changes, strict=True)))
