"""Which engine can do which check: one table. The checks that AVE_CHECK asks for come in; what an engine leaves out
goes out, as an error where a check was asked for by its name."""

from __future__ import annotations

import sys
from collections.abc import Collection

from avelang.base import knobs
from avelang.base.errors import error

REFERENCE, CPU, GFX942, PTX, GPU = "reference", "cpu", "gfx942-exec", "ptx-exec", "gpu"
GFX950 = "gfx950-exec"

_IR, _NO_IR = "the verifier runs behind the frontend and each pass", "text has no IR: nothing is left out"
_ENDS = "a launch ends before the call returns"
_AMD = {
    "bounds": "accesses outside of a tensor; memory that was not given and LDS that is not there are always found "
    "(X022, X023)",
    "init": "LDS that nothing wrote, in memory that starts out poisoned",
    "races": "LDS (X025; only barriers order accesses there), global memory (X040), lanes of a wave (X041) and reads "
    "from inactive lanes (X043)",
    "waits": "registers of loads and LDS in flight, distances between instructions (X024 to X026)",
    "uniform": "X044, in code that is made here with AVE_CHECK=uniform; reads from inactive lanes (X043)",
    "ir": _IR,
    "launch": _ENDS,
}
# By engine: what it finds under each word of AVE_CHECK. A word that is missing it cannot do.
TABLE: dict[str, dict[str, str]] = {
    REFERENCE: {
        "bounds": "always: X001, X002, X005",
        "init": "always: shared and local memory (X003); with `init` standard error says what of an array that it only "
        "writes a kernel left out",
        "races": "shared memory (X006), global memory (X040), lanes of a wave (X041), barriers (X042) "
        "and shuffles (X043) that not all come to",
        "waits": "copies and matrix products of NVIDIA GPUs that run beside the waves, always: X010, X013, X014; not "
        "AMD's loads to LDS and s_waitcnt: an error in a kernel that has any",
        "uniform": "always: X044",
        "ir": _IR,
        "launch": _ENDS,
    },
    CPU: {"uniform": "X044", "bounds": "accesses outside of a tensor", "ir": _IR, "launch": _ENDS},
    GFX942: _AMD,
    GFX950: _AMD,
    PTX: {
        "bounds": "always: memory that was not given (X032)",
        "init": "shared and local memory, registers (X051)",
        "races": "shared memory (X050), global memory (X040), lanes of a warp (X041), barriers (X042) "
        "and shuffles (X043) that not all come to",
        "waits": "always: copies, products, proxies (X033)",
        "ir": _NO_IR,
        "launch": _ENDS,
    },
    GPU: {
        "bounds": "accesses outside of a tensor",
        "ir": _IR,
        "launch": "each launch is waited for (L033)",
        "ptxas": "NVIDIA GPUs: results of -O0, -O3 and the PTX executor that differ (X066)",
    },
}
WORDS = {
    "bounds": "an access outside of a tensor",
    "init": "a read of memory or registers that nothing wrote",
    "races": "accesses that nothing orders",
    "waits": "the use of what is still on its way",
    "uniform": "operands of scalar registers that differ by lane",
    "ir": "the compiler's own verifier",
    "launch": "which launch it was that failed",
    "ptxas": "faults of NVIDIA's assembler",
}
# Words about the code of certain GPUs: where there is no such code, `all` leaves nothing out.
_OF_CODE = frozenset({"ptxas"})
# What `ave run --check` takes where nothing is said of the engine: the first that can do all, and the code that AMD's
# waits stand in before others.
_CHOICE = (CPU, REFERENCE, GFX942)
_told: set[tuple[str, frozenset[str]]] = set()


def lacking(engine: str, words: Collection[str]) -> list[str]:
    """Of these words the ones that an engine cannot check."""
    return [w for w in knobs.CHECKS if w in words and w not in TABLE[engine]]


def able(words: Collection[str]) -> list[str]:
    """The engines that can check all of these."""
    return [engine for engine in TABLE if not lacking(engine, words)]


def choose(words: Collection[str]) -> str:
    """The engine for a program whose arrays are on the CPU. Raises X045 where none of those that run kernels can do all
    of it."""
    words = frozenset(words) - _OF_CODE  # whoever runs on the CPU all the same is told at the launch
    order = (GFX942, REFERENCE) if "waits" in words else _CHOICE
    found = next((engine for engine in order if not lacking(engine, words)), None)
    if found is None:
        raise error("X045", kernel="ave run", engine="no one engine", words=" and ".join(sorted(words)),
                    able=_advice(words))
    return found


def choices(words: Collection[str]) -> str:
    """The engines for a program whose arrays are on the CPU, by preference: of those that execute code the next one is
    for launches that are for another chip. Raises X045 as `choose`."""
    first, words = choose(words), frozenset(words) - _OF_CODE
    if first not in (GFX942, GFX950):
        return first
    return ",".join(e for e in (first, GFX950, REFERENCE) if not lacking(e, words))


def require(engine: str, kernel: str, *, without: Collection[str] = ()) -> None:
    """Before a launch: raises X045 where AVE_CHECK asks by name for what the engine cannot do. Of `all` it does what it
    can, and what is left out is said once on standard error. `without`: words that are nothing to this kernel on this
    engine, though the engine has them."""
    asked = knobs.checks()
    if not asked:
        return
    missing = sorted({*lacking(engine, asked), *(asked & set(without))})
    named = [w for w in missing if w in knobs.checks_by_name()]
    if named:
        raise error("X045", kernel=kernel, engine=engine, words=" and ".join(named), able=_advice(named, engine))
    missing = [w for w in missing if w not in _OF_CODE]
    key = engine, frozenset(missing)
    if missing and key not in _told:
        _told.add(key)
        print(f"ave: AVE_CHECK=all on {engine}: it cannot check {', '.join(missing)}; {_advice(missing, engine)}",
              file=sys.stderr)


def _advice(words: Collection[str], but: str = "") -> str:
    parts = [f"{w}: {' or '.join(e for e in TABLE if w in TABLE[e] and e != but)}" for w in knobs.CHECKS if w in words]
    return "who can: " + "; ".join(parts)
