"""Faults of NVIDIA's assembler that generated programs meet on a GPU: what they do, exactly. What a device computed
comes in; what no fault explains goes out.

All of them are of guarded instructions, in lanes whose guard is false. The code that ptxas 13.0.88 makes shows them
(nvdisasm, sm_90a), and an H200 computes what it says:

- testp drops its guard: the code does not so much as read it.
- set with 16-bit operands selects between the new value and the destination's low half, and then extends the sign of that.
- set with an f32 result makes all ones or zero, selects between it and the destination's old bits, and then converts the magnitude to f32.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from sim.ptx.numbers import F, signed
from sim.ptx.programs import KEPT, Difference, Made, Step, stored

Version = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Fault:
    """Instructions whose text `instruction` matches, run as `how`, by the driver's assembler of the CUDA versions
    `first` to `last`. `result`: what the destination holds where the guard is false, of the operands' patterns and of
    what it held."""

    what: str
    instruction: str
    how: str
    first: Version
    last: Version
    result: Callable[[Step, list[int], int], int]

    def meets(self, step: Step, version: Version) -> bool:
        return (self.how == step.how and self.first <= version <= self.last
            and re.match(self.instruction, step.form.text) is not None)


def _unguarded(step: Step, args: list[int], kept: int) -> int:
    found = step.form.rule(*args)
    assert isinstance(found, int)
    return found


FAULTS = (Fault("a guarded testp is executed by all lanes", r"testp\.", "guard", (13, 0), (13, 0), _unguarded),
    Fault("a guarded set of 16-bit operands leaves the sign-extended low half of what was there",
    r"set\.\S*\.[us]32\.[usb]16 ", "guard", (13, 0), (13, 0), lambda step, args, kept: signed(kept, 16) & 0xFFFFFFFF),
    Fault("a guarded set to f32 leaves the magnitude of what was there, converted to f32",
    r"set\.\S*\.f32\.[usbf](32|64) ", "guard", (13, 0), (13, 0), lambda step, args,
    kept: F["f32"].round(Fraction(abs(signed(kept, 32))))))  # fmt: skip


def faulty(made: Made, section: int, step: Step, fault: Fault) -> np.ndarray:
    """uint64 (LANES,): the slot of a step's only result, with the fault."""
    (at,), (kind,) = step.outs, step.form.outs
    out = made.want[section, at].copy()
    for lane in np.flatnonzero(made.inputs[section, step.test] == 0).tolist():
        held = 0 if kind == "pred" else KEPT & 0xFFFFFFFF
        out[lane] = stored(fault.result(step, [int(made.inputs[section, a, lane]) for a in step.ins], held), kind)
    return out


def unexplained(made: Made, got: np.ndarray, found: Iterable[Difference], version: Version) -> tuple[list[Difference],
        collections.Counter[str]]:
    """(the differences that no known fault explains, how many lanes each fault explains). A fault explains a step only
    where all of its lanes hold what the fault says, and nothing else. `version`: of the driver's CUDA."""
    left: list[Difference] = []
    known: collections.Counter[str] = collections.Counter()
    for d in found:
        fault = next((f for f in FAULTS if f.meets(d.step, version)), None)
        if fault is not None and (got[d.section, d.at] == faulty(made, d.section, d.step, fault)).all():
            known[fault.what] += 1
        else:
            left.append(d)
    return left, known
