"""What a caller asks to be checked comes in: True, or words; the set of words that the translator knows goes out. And
what was found, as a record.

    waits            a register whose load has not been waited for (X024), and what `lds` finds
    races            accesses that nothing orders: in LDS (X025), in global memory (X040), by lanes of one instruction
                     (X041)
    lds              of these, the ones in LDS between waves alone (X025)
    hazards          too few wait states between two instructions (X026); rows that shipped code ignores are advisories
    hazards-strict   the same, and advisories are errors; VCC that v_cndmask reads as a mask counts as a constant
    init             LDS that nothing wrote is read (X055), and what `lds` finds
    uniform          a shuffle (ds_bpermute_b32) from a lane that is not active (X043)

True is waits, races and hazards. `AVE_CHECK=waits` is waits and hazards; `AVE_CHECK=races`, which is about kernels of
Ave, is races and uniform: other compilers read inactive lanes on purpose.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from avelang.base.errors import AveError, error

WORDS = ("waits", "races", "lds", "hazards", "hazards-strict", "init", "uniform")
USUAL = frozenset(("waits", "races", "lds", "hazards"))
_OF_KNOB = {"waits": ("waits", "hazards"), "races": ("races", "uniform"), "init": ("init",), "uniform": ("uniform",)}

Check = bool | str | Iterable[str]


def words(check: Check) -> frozenset[str]:
    """The set of words. `check`: True (waits, races, hazards), False, words of `WORDS` in a string with commas or one
    by one, or "all". Raises L034 for a word that there is not."""
    if check is True or check is False:
        return USUAL if check else frozenset()
    given = check.split(",") if isinstance(check, str) else [str(x) for x in check]
    found = frozenset(x.strip() for x in given) - {""}
    if "all" in found:
        found = found - {"all"} | (frozenset(WORDS) - {"hazards-strict"})
    for word in sorted(found - set(WORDS)):
        raise error("L034", name="check", got=word, want=", ".join((*WORDS, "all")))
    return (
        found
        | ({"lds"} if found & {"waits", "races", "init"} else set())
        | ({"hazards"} if "hazards-strict" in found else set())
    )


def of_knob(asked: Iterable[str]) -> frozenset[str]:
    """The words that AVE_CHECK's ask for; those of other engines and of the compiler ask for nothing here."""
    return words([w for word in asked for w in _OF_KNOB.get(word, ())])


@dataclasses.dataclass(frozen=True, slots=True)
class CheckReport:
    """One fault that a launch went on behind: the error that it would have been, its `severity` ("error" or
    "advisory"), and how often it was met. The error names the first time."""

    error: AveError
    severity: str
    times: int

    @property
    def code(self) -> str:
        """The error's code."""
        return self.error.code

    def __str__(self) -> str:
        often = f" ({self.times} times)" if self.times > 1 else ""
        return f"{'advisory: ' if self.severity == 'advisory' else ''}{self.error}{often}"
