"""Chips: a name comes in, its descriptor goes out: wave size, features, limits, kind of fp8.

Sources: LLVM "User Guide for AMDGPU Backend", processors; AMD CDNA2, CDNA3 and CDNA4 ISA reference guides, section "LDS" (64 KiB of LDS a
work-group on gfx90a and gfx942, 160 KiB on gfx950); CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"
(maximum shared memory of a block after opting in; 1024 threads a block); PTX ISA, target strings (features of "a" targets are not
inherited).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Protocol

from avelang.base.errors import error


class Needs(Protocol):
    """What `infer` asks of a row."""

    @property
    def needs(self) -> frozenset[str]: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """One chip, or one instruction-set version of a family.

    `wave`: lanes a wave. `features`: names that `Row.needs` refers to. `lds_bytes`: the most shared memory that one block may have.
    `max_threads`: of a block. `fp8`: "fnuz", "ocp", or "" where the chip converts no 8-bit floats.
    """

    name: str
    vendor: str
    wave: int
    features: frozenset[str]
    lds_bytes: int
    max_threads: int
    fp8: str

    def has(self, row: Needs) -> bool:
        """Whether the chip has an intrinsic: any one of its features suffices."""
        return bool(self.features & row.needs)


KIB = 1024
MAX_THREADS = 1024

# name, LDS in KiB, kind of fp8, features. "gfx9" is what the three chips share; "mfma-gfx90a" the matrix instructions that all three have,
# "mfma-gfx908" those that gfx942 dropped, "mfma-gfx942" those that came with it and stayed.
_AMD: tuple[tuple[str, int, str, str], ...] = (
    ("gfx90a", 64, "", "mfma-gfx908"),
    ("gfx942", 64, "fnuz", "mfma-gfx942 xf32 fp8-cvt"),
    ("gfx950", 160, "ocp", "mfma-gfx942 mfma-gfx950 fp8-cvt lds-load-wide"),
)
# name, opt-in shared memory of a block in KiB, kind of fp8.
_NVIDIA: tuple[tuple[str, int, str], ...] = (
    ("sm_75", 64, ""),
    ("sm_80", 163, ""),
    ("sm_86", 99, ""),
    ("sm_89", 99, "ocp"),
    ("sm_90", 227, "ocp"),
    ("sm_90a", 227, "ocp"),
    ("sm_100a", 227, "ocp"),
)


def _amd(name: str, lds: int, fp8: str, features: str) -> Chip:
    own = {"gfx9", "mfma-gfx90a", name, *features.split(), *([f"fp8-{fp8}"] if fp8 else [])}
    return Chip(name, "amd", 64, frozenset(own), lds * KIB, MAX_THREADS, fp8)


def _version(name: str) -> int:
    return int(name.removeprefix("sm_").rstrip("a"))


def _nvidia(name: str, shared: int, fp8: str) -> Chip:
    # A generation has all features of the ones before it, except what an "a" target has for itself alone.
    older = {f"sm_{_version(n)}" for n, *_ in _NVIDIA if _version(n) <= _version(name)}
    return Chip(name, "nvidia", 32, frozenset({name, *older, *([f"fp8-{fp8}"] if fp8 else [])}), shared * KIB, MAX_THREADS, fp8)


CHIPS: dict[str, Chip] = {c.name: c for c in (*(_amd(*row) for row in _AMD), *(_nvidia(*row) for row in _NVIDIA))}

# Which chip is meant where a kernel's intrinsics leave a choice: what most people have, then the others from old to new.
PREFERENCE: tuple[str, ...] = ("gfx942", "gfx950", "gfx90a", "sm_80", "sm_90a", "sm_75", "sm_86", "sm_89", "sm_90", "sm_100a")


def chip(name: str) -> Chip:
    """The chip of that name. Raises U101 with the known names."""
    if name not in CHIPS:
        raise error("U101", name=name, known=", ".join(CHIPS))
    return CHIPS[name]


def infer(rows: Iterable[Needs]) -> Chip | None:
    """The first chip of `PREFERENCE` that has all the rows; None where there are no rows. Raises U102 where no chip has them all."""
    rows = list(rows)
    if not rows:
        return None
    for name in PREFERENCE:
        if all(CHIPS[name].has(row) for row in rows):
            return CHIPS[name]
    raise error("U102", names=", ".join(sorted({getattr(row, "name", "?") for row in rows})))
