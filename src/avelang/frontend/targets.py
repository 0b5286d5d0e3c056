"""The build of a kernel comes in; what a kernel may know of its chip while it is built, `al.target()`, goes out."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang.arch as arch
from avelang.frontend.structs import MARK


@dataclasses.dataclass(frozen=True, slots=True)
class TargetInfo:
    """A chip, as kernels see it at compile time. `wave`: lanes of a wave; `lds_bytes`: shared memory that a block may
    have; `max_threads`: of a block; `fp8`: the kind of its 8-bit floats, "fnuz", "ocp" or ""; `dies`: XCDs, to which
    blocks go in turn, each with an L2 of its own (1: one L2); `units`: its compute units, 0 where they are not
    known."""

    name: str
    vendor: str
    wave: int
    lds_bytes: int
    max_threads: int
    fp8: str
    features: tuple[str, ...]
    dies: int
    units: int

    def has(self, feature: str) -> bool:
        """True if it has a feature: a chip's name means all that the chip has, such as "sm_80" for cp.async."""
        return feature in self.features


# A compile-time value, as `avelang.constant` makes them; that one needs a caller's line.
setattr(TargetInfo, MARK, True)


def target_of(build: Any) -> TargetInfo:
    """The chip of a build. Where nothing names one, it is the first that a kernel may be meant for (`arch.PREFERENCE`)
    and has the intrinsics met so far; from then on the kernel is for that chip. Raises U102 where no chip has them."""
    if build.chip is None:
        build.chip = arch.infer(list(build.rows.values())) or arch.chip(arch.PREFERENCE[0])
    c = build.chip
    units = c.product.count if c.product else 0
    return TargetInfo(c.name, c.vendor, c.wave, c.lds_bytes, c.max_threads, c.fp8, tuple(sorted(c.features)), c.dies,
                      units)
