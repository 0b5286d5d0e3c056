"""The blocks among which a plan is chosen where C has more than a few rows, and what was measured of each: the share of
the matrix pipes' rate.

AMD: one wave's share by llvm-mca 22 for bf16 (`python benchmarks/tile_blocks.py --only static`,
`benchmarks/results/tile_blocks.json`): issue and waits of the code itself, no time on a card. NVIDIA: on an H200,
relative to the fastest block, 4096 cubed in bf16 (`--only timed`, `tile_blocks_gpu.json`); `tests/tile/test_select.py`
holds both against those files. What was not measured is estimated from the block of 128 x 128 by four waves
(`TunedBlock.share`)."""

from __future__ import annotations

import dataclasses

from avelang.arch import chip as chip_of
from avelang.arch import product
from avelang.ir.dtypes import DType


@dataclasses.dataclass(frozen=True, slots=True)
class TunedBlock:
    """A block: extents of its tile of C, the grid of its waves, pipeline, ring and cluster as of `schedules.Block`;
    `row`: bytes of each row of A and B in one step. `shares`: by chip. `spills`: begins of the names of dtypes whose
    code spills registers, by ptxas."""

    pipeline: str
    m: int
    n: int
    waves: tuple[int, int]
    shares: dict[str, float]
    row: int = 128
    stages: int = 4
    cluster: tuple[int, int] = (1, 1)
    spills: tuple[str, ...] = ()

    def share(self, target: str) -> float:
        """Share on a chip, of the rate of the instruction that multiplies. NVIDIA's other chips are taken to be as the
        one that was measured; where nothing was, in proportion to the products that a wave makes of each element that
        it reads."""
        high, wide = self.m // self.waves[0], self.n // self.waves[1]
        estimate = MEASURED_SHARE * min(1.0, high * wide / (high + wide) / MEASURED_REUSE)
        found = self.shares.get(target, self.shares.get(MEASURED, estimate))
        own = self.pipeline == "tma" or chip_of(target).vendor == "amd"
        return found if own else min(1.0, found / product(MEASURED).sync_share)

    def spills_for(self, dtype: DType) -> bool:
        """True where its code for a dtype spills registers."""
        return dtype.name.startswith(self.spills) if self.spills else False


def _amd(
    pipeline: str, m: int, n: int, waves: tuple[int, int], *shares: float, row: int = 128, stages: int = 4
) -> TunedBlock:
    return TunedBlock(pipeline, m, n, waves, dict(zip(("gfx90a", "gfx942", "gfx950"), shares, strict=True)), row,
                      stages)


AMD = (
    _amd("double-buffer", 256, 256, (2, 4), 0.999, 0.983, 0.914),
    _amd("double-buffer", 256, 128, (4, 2), 1.000, 0.962, 0.785),
    _amd("double-buffer", 128, 128, (2, 2), 0.998, 0.959, 0.771),
    _amd("double-buffer", 128, 64, (2, 2), 1.000, 0.805, 0.492),
    _amd("double-buffer", 64, 64, (2, 2), 0.826, 0.516, 0.294),
    _amd("double-buffer", 32, 64, (1, 2), 0.766, 0.492, 0.276),
    _amd("double-buffer", 16, 128, (1, 4), 0.432, 0.244, 0.132),
    _amd("double-buffer", 16, 64, (1, 4), 0.269, 0.140, 0.073),
    _amd("prefetch", 256, 256, (2, 4), 0.945, 0.886, 0.800, row=64),
    _amd("prefetch", 128, 128, (2, 2), 0.934, 0.850, 0.711),
    _amd("ping-pong", 256, 256, (2, 4), 0.962, 0.914, 0.842, row=64),
    _amd("direct-to-lds", 256, 256, (2, 4), 0.996, 0.973, 0.934, row=64, stages=2),
    _amd("direct-to-lds", 128, 128, (2, 2), 0.993, 0.952, 0.895, stages=2),
    _amd("preshuffled", 128, 128, (2, 2), 0.996, 0.959, 0.785),
    _amd("preshuffled", 64, 128, (2, 2), 0.957, 0.798, 0.479),
)
TMA = (
    TunedBlock("tma", 128, 256, (2, 1), {"sm_90a": 1.0}, stages=4, cluster=(2, 1)),
    TunedBlock("tma", 128, 128, (2, 1), {"sm_90a": 0.96}, stages=6, cluster=(2, 1)),
    TunedBlock("tma", 64, 128, (1, 1), {"sm_90a": 0.77}, stages=6),
)
# Not measured: their share is that of the model (`GemmPlan.step_cycles`). The first two are pairs of blocks.
TENSOR = (
    TunedBlock("tma", 128, 256, (1, 1), {"sm_100a": 1.0}, stages=6, cluster=(2, 1)),
    TunedBlock("tma", 128, 128, (1, 1), {"sm_100a": 1.0}, stages=8, cluster=(2, 1)),
    TunedBlock("tma", 128, 128, (1, 1), {"sm_100a": 1.0}, stages=6),
    TunedBlock("tma", 128, 64, (1, 1), {"sm_100a": 1.0}, stages=8),
)
SYNC = (
    TunedBlock("cp-async", 128, 256, (2, 4), {"sm_90a": 0.63}, row=64, spills=("f8",)),
    TunedBlock("cp-async", 128, 128, (2, 2), {"sm_90a": 0.59}, row=64, spills=("f8",)),
    TunedBlock("cp-async", 128, 128, (2, 4), {"sm_90a": 0.45}, row=64),
    TunedBlock("cp-async", 64, 64, (2, 2), {"sm_90a": 0.37}, row=64),
    TunedBlock("cp-async", 32, 64, (1, 2), {"sm_90a": 0.26}, row=64),
    TunedBlock("cp-async", 16, 64, (1, 4), {"sm_90a": 0.15}, row=64), TunedBlock("double-buffer", 128, 128, (2, 4), {}),
    TunedBlock("double-buffer", 64, 64, (2, 2), {}), TunedBlock("double-buffer", 32, 64, (1, 2), {}),
    TunedBlock("double-buffer", 16, 64, (1, 4), {}), TunedBlock("preshuffled", 128, 128, (2, 4), {}),
    TunedBlock("preshuffled", 64, 128, (2, 2), {})
)
MEASURED = "sm_90a"
MEASURED_SHARE, MEASURED_REUSE = 0.59, 64 * 64 / (64 + 64)  # of 128 x 128 by four waves


def blocks_of(target: str) -> tuple[TunedBlock, ...]:
    """The tuned blocks of a chip."""
    if chip_of(target).vendor == "amd":
        return AMD
    have = chip_of(target).features
    mine = "cp-async" if "sm_80" in have else "double-buffer", "preshuffled"
    own = TMA if "sm_90a" in have else TENSOR if "sm_100a" in have else ()
    return (*own, *(b for b in SYNC if b.pipeline in mine))
