"""The card of this machine comes in; the name of its architecture goes out."""

from __future__ import annotations

import functools
import sys

from avelang.base.errors import AveError
from avelang.runtime.devices import DRIVERS
from pyptx._errors import PyptxRuntimeError, fail

_OWN = {(9, 0), (10, 0), (10, 1), (10, 3)}  # capabilities with instructions of their own: sm_90a


@functools.cache
def detect_arch() -> str:
    """The architecture of CUDA device 0: "sm_80", "sm_90a". Raises RuntimeError (T241) where there is none."""
    found = _by_torch() or _by_driver()
    if found is None:
        raise fail(PyptxRuntimeError, "detect_arch", "there is no CUDA device here", 'name one: arch="sm_90a"')
    return f"sm_{found[0]}{found[1]}" + "a" * (found in _OWN)


def _by_torch() -> tuple[int, int] | None:
    torch = sys.modules.get("torch")
    return tuple(torch.cuda.get_device_capability(0)) if torch is not None and torch.cuda.is_available() else None


def _by_driver() -> tuple[int, int] | None:
    try:
        DRIVERS["cuda"].open("cuda:0")
        number = DRIVERS["cuda"].architecture(0)[1].removeprefix("sm_")
    except AveError:
        return None
    return int(number[:-1]), int(number[-1])
