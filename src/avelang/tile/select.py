"""A GEMM comes in: M, N, K, a dtype and a chip; candidate plans go out, each kept or dropped with the reason, and one is chosen.

The terms are IREE's ("Virtual Dense MFMAs for Skinny GEMM"): the MMA, `workgroup` (extents of a block's tile), `subgroup` (MMA tiles of one wave),
`reduction` (MMA tiles along K in one step of the loop), `promote_operands` (those that pass through shared memory), `padding`. Counts are exact;
cycles are a model: the longest of matrix pipe, LDS and memory in each step, and the busiest unit's share of workgroups.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from avelang.arch import chip as chip_of
from avelang.base.errors import counted
from avelang.base.places import wrong
from avelang.ir.dtypes import BY_NAME, DType, f32, f64, i32
from avelang.tile.pipelines import Pipeline, pipeline
from avelang.tile.products import Mma
from avelang.tile.virtual import PAIRED, mmas


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    """What a chip has, for the model: compute units (SMs), matrix pipes of each, registers of 32 bits a lane, bytes of device memory and of L2 per
    clock and unit, bytes of shared memory per clock."""

    units: int
    pipes: int
    registers: int
    memory: float
    l2: float = 64.0
    shared: float = 128.0


# AMD data sheets of MI250X (one of its two dies), MI300X, MI355X: 1.6, 5.3, 8 TB/s at 1.7, 2.1, 2.4 GHz. NVIDIA data sheets of A100 and H200: 2.0 and
# 4.8 TB/s at 1.41 and 1.98 GHz.
UNITS: dict[str, Unit] = {
    "gfx90a": Unit(110, 4, 512, 1.6e12 / 1.7e9 / 110),
    "gfx942": Unit(304, 4, 512, 5.3e12 / 2.1e9 / 304),
    "gfx950": Unit(256, 4, 512, 8e12 / 2.4e9 / 256),
    "sm_80": Unit(108, 4, 255, 2.0e12 / 1.41e9 / 108),
    "sm_90a": Unit(132, 4, 255, 4.8e12 / 1.98e9 / 132),
}
# Multiplications of 16-bit operands per clock in one matrix pipe of NVIDIA (the same data sheets); on Hopper, `mma.sync` reaches 0.63 of it (W. Luo
# and others, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", 2024).
NVIDIA_RATE = {"sm_80": 256.0, "sm_90a": 512.0}
SYNC_SHARE = {"sm_90a": 0.63}
LINE = 128  # bytes of a cache line
SKINNY_WAVES, SKINNY_TILES = 2, 2  # what IREE starts from in small products: waves of a workgroup, MMA tiles of a wave
SKINNY_ROWS = 8
SPLITS = (1, 2, 4, 8, 16)  # parts of K that are tried
# Tiles for more rows: extents of a workgroup, and of the grid of its waves; for wgmma, of the grid of its groups of four waves.
SQUARES = ((256, 256, 2, 2), (256, 128, 2, 2), (128, 128, 2, 2), (64, 64, 2, 2), (32, 64, 1, 2))
GROUPS = ((128, 256, 2, 1), (128, 128, 2, 1), (64, 128, 1, 1), (64, 64, 1, 1))


@dataclasses.dataclass(frozen=True, slots=True)
class Gemm:
    """C (m x n) = A (m x k) B (k x n), A and B of `dtype` with K contiguous in both, on a chip; `preshuffled`: B lies in memory as its fragments do.
    Raises T301, U101, U103."""

    m: int
    n: int
    k: int
    dtype: DType
    target: str
    preshuffled: bool = False

    def __post_init__(self) -> None:
        for name in ("m", "n", "k"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise wrong("T301", what=name.upper(), want="an integer from 1", got=repr(getattr(self, name)))
        chip_of(self.target)
        if self.target not in UNITS:
            raise wrong("U103", name=self.target, what="the choice of a plan", instead=f"{', '.join(UNITS)} have one")

    @property
    def accumulator(self) -> DType:
        return i32 if self.dtype.is_int else f64 if self.dtype == f64 else f32


@dataclasses.dataclass(frozen=True)
class Plan:
    """One way to compute a GEMM; see the module's text for the terms."""

    gemm: Gemm
    mma: Mma
    workgroup: tuple[int, int]
    subgroup: tuple[int, int]
    reduction: int
    pipeline: Pipeline
    split_k: int = 1

    @property
    def waves(self) -> int:
        groups = math.prod(self.workgroup) // (self.mma.m * self.subgroup[0] * self.mma.n * self.subgroup[1])
        return groups * self.mma.acc.waves

    @property
    def step(self) -> int:
        """Elements of K in one step of the loop."""
        return self.reduction * self.mma.k

    @property
    def padding(self) -> tuple[int, int, int] | None:
        """The tile to whose multiples the problem is padded; None where it has such extents already."""
        tile = (*self.workgroup, self.step)
        sizes = (self.gemm.m, self.gemm.n, self.gemm.k)
        return tile if any(s % t for s, t in zip(sizes, tile, strict=True)) else None

    @property
    def tiles(self) -> int:
        """Tiles of C, each of which `split_k` workgroups share."""
        return -(-self.gemm.m // self.workgroup[0]) * -(-self.gemm.n // self.workgroup[1])

    @property
    def workgroups(self) -> int:
        return self.tiles * self.split_k

    @property
    def all_steps(self) -> int:
        """Steps over the whole of K."""
        return -(-self.gemm.k // self.step)

    @property
    def steps(self) -> int:
        """Steps of one workgroup's loop, of the longest part of K where they are not even."""
        return -(-self.all_steps // self.split_k)

    @property
    def lds_bytes(self) -> int:
        """Bytes of shared memory of a workgroup."""
        rows = [self.workgroup[i] for i in self.pipeline.promoted]
        return sum(rows) * self.step * self.gemm.dtype.bytes * self.pipeline.buffers

    @property
    def registers(self) -> int:
        """32-bit registers of a lane for the accumulator and one MMA's fragments of each tile."""
        sub, mma = self.subgroup, self.mma
        acc = math.prod(sub) * -(-mma.acc.elements * mma.dtypes[2].bytes // 4)
        acc *= 2 if mma.name.startswith("VDMFMA") else 1  # expanded while the loop runs
        held = [s * -(-x.elements * self.gemm.dtype.bytes // 4) if x else 0 for s, x in zip(sub, (mma.a, mma.b), strict=True)]
        # What does not come from shared memory is there for a whole step.
        return acc + sum(n * (1 if i in self.pipeline.promoted else self.reduction) for i, n in enumerate(held))

    def _tiles(self) -> int:
        """MMA tiles of one wave, or of one group of waves, in one step."""
        return math.prod(self.subgroup) * self.reduction

    @property
    def lds_accesses(self) -> int:
        """Instructions of one wave by which it reads its fragments, for one part of K; 0 where the matrix instruction reads for itself."""
        size = self.gemm.dtype.bytes
        operands = enumerate(zip(self.subgroup, (self.mma.a, self.mma.b), (1, 0), strict=True))
        found = [(s, x, axis) for i, (s, x, axis) in operands if x and i in self.pipeline.promoted]
        return sum(s * x.elements * size // x.width(axis, self.gemm.dtype) for s, x, axis in found) * self.reduction * self.steps

    @property
    def barriers(self) -> int:
        """Barriers of one workgroup: two in a step where there is one buffer, which is read and then written, else one."""
        return self.steps * (2 if self.pipeline.buffers == 1 else 1)

    @property
    def mma_cycles(self) -> int:
        """Clocks of a matrix pipe for one MMA."""
        if chip_of(self.gemm.target).vendor == "amd":
            return self.mma.cycles(self.gemm.target)
        rate = NVIDIA_RATE[self.gemm.target] * 2 / self.gemm.dtype.bytes
        if self.mma.b is not None:
            return math.ceil(self.mma.work / (rate * SYNC_SHARE.get(self.gemm.target, 1.0)))
        return math.ceil(self.mma.work / (rate * self.mma.acc.waves))  # each wave of the group has a pipe

    @property
    def matrix_cycles(self) -> int:
        """Clocks of matrix pipes, all pipes together, for the whole product, rows that nobody asked for included."""
        return self.tiles * self.all_steps * self.waves * self._tiles() * self.mma_cycles  # a group of waves keeps a pipe each

    @property
    def lds_read(self) -> int:
        """Bytes read from shared memory for the whole product."""
        parts = enumerate(zip(self.subgroup, self.mma.operand_bytes, strict=True))
        if self.mma.b is None:  # an instruction reads its operands for itself
            wave = math.prod(self.subgroup) * self.mma.lds_bytes
        else:
            wave = sum(s * size for i, (s, size) in parts if i in self.pipeline.promoted)
        return self.tiles * self.all_steps * self.waves // self.mma.acc.waves * self.reduction * wave

    @property
    def busy(self) -> float:
        """Share of the units' time that has a workgroup, if all take as long."""
        units = UNITS[self.gemm.target].units
        return self.workgroups / (-(-self.workgroups // units) * units)

    @property
    def step_cycles(self) -> dict[str, float]:
        """The model's clocks of one step of one workgroup, by what takes them."""
        unit, g, size = UNITS[self.gemm.target], self.gemm, self.gemm.dtype.bytes
        rows = min(self.workgroup[0], g.m)
        # What several workgroups read comes from L2 but for the first time.
        fresh = rows / -(-g.n // self.workgroup[1]) + self.workgroup[1] / -(-g.m // self.workgroup[0])
        reads = self.lds_read / (self.tiles * self.all_steps)
        return {
            "matrix": -(-self.waves // unit.pipes) * self._tiles() * self.mma_cycles,
            "LDS": reads / unit.shared,
            "memory": max(fresh * self.step * size / unit.memory, (rows + self.workgroup[1]) * self.step * size / unit.l2),
        }

    @property
    def cycles(self) -> float:
        """The model's clocks: of the busiest unit, and of adding up what the parts of K give."""
        unit, g = UNITS[self.gemm.target], self.gemm
        loop = -(-self.workgroups // unit.units) * self.steps * max(self.step_cycles.values())
        together = 0.0 if self.split_k == 1 else 2 * g.m * g.n * 4 * self.split_k / (unit.memory * unit.units)
        return loop + together

    def lowering_config(self) -> dict[str, object]:
        """The plan in IREE's terms, as seed 004 prints them; `split_k` and `pipeline` are ours."""
        found: dict[str, object] = {"mma_kind": self.mma.name}
        if self.padding:
            found["padding"] = list(self.padding)
        found["promote_operands"] = list(self.pipeline.promoted)
        found["reduction"] = [0, 0, self.reduction]
        found["subgroup"] = [*self.subgroup, 0]
        found["workgroup"] = [*self.workgroup, 0]
        return {**found, "split_k": self.split_k, "pipeline": self.pipeline.name}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A candidate and what became of it: `kept` with its cycles, or dropped, for `reason`."""

    plan: Plan
    kept: bool
    reason: str


def dropped(p: Plan) -> str:
    """Why a plan cannot be, or is not worth a try; empty where neither."""
    g, mma, limit = p.gemm, p.mma, chip_of(p.gemm.target).lds_bytes
    missing = p.pipeline.missing(g.target)
    if missing:
        return missing
    if p.pipeline.promoted == (0,) and not g.preshuffled:
        return "B does not lie in memory as its fragments do"
    if p.pipeline.name == "direct-to-lds" and "lds-load-wide" not in chip_of(g.target).features:
        return f"loads into LDS move 4 bytes a lane on {g.target}, and 16 go through registers"
    if mma.virtual and mma.m == SKINNY_ROWS and g.m > mma.m:
        return f"M = {g.m} is more than its {mma.m} rows"
    if mma.name.startswith("VDMFMA") and g.k % p.step:
        return f"K = {g.k} is no multiple of {p.step}, {counted(p.reduction, 'tile')} of {mma.k}"
    if p.step * g.dtype.bytes < LINE:
        return f"a step of {p.step} reads {p.step * g.dtype.bytes} bytes of each row, and a cache line has {LINE}"
    if p.steps * (p.split_k - 1) >= p.all_steps:
        return f"K = {g.k} has {counted(p.all_steps, 'step')} of {p.step}, which leave one of {p.split_k} parts empty"
    if p.lds_bytes > limit:
        return f"{p.lds_bytes} bytes of shared memory, and a block has {limit} at most"
    have = UNITS[g.target].registers
    return f"{p.registers} registers a lane, and there are {have}" if p.registers > have else ""


def _reduction(gemm: Gemm, mma: Mma, lines: int) -> int:
    """MMA tiles along K in a step that reads `lines` cache lines of each row; as many times more as a sparse trick makes the product shorter, so that
    there is as much of it to hide the next step's loads behind."""
    scale = mma.unroll if mma.name.startswith("VDMFMA") else 1
    return max(1, lines * LINE // (gemm.dtype.bytes * mma.k)) * scale


AMD_PIPELINES = ("prefetch", "double-buffer", "direct-to-lds", "preshuffled")
NVIDIA_PIPELINES = ("double-buffer", "cp-async")


def _usual(gemm: Gemm, mma: Mma) -> tuple[Pipeline, ...]:
    vendor = chip_of(gemm.target).vendor
    if mma.b is None:
        return (pipeline("tma"),)
    return tuple(map(pipeline, AMD_PIPELINES if vendor == "amd" else NVIDIA_PIPELINES))


def candidates(gemm: Gemm) -> Iterator[Plan]:
    """The plans that are looked at: for few rows tiles one MMA high, for more rows squares of up to 256; parts of K where they help."""
    fits = [x for x in mmas(gemm.target) if x.dtypes == (gemm.dtype, gemm.dtype, gemm.accumulator)]
    fits = [x for x in fits if not x.name.endswith(PAIRED)]  # for kernels that bring A into that order: a choice of theirs
    if not fits:
        raise wrong("U103", name=gemm.target, what=f"a matrix product of {gemm.dtype}", instead="`ave intrinsics mma` lists what there is")
    skinny = gemm.m <= 16
    for mma in fits:
        for pipe in _usual(gemm, mma):
            if skinny:
                rows = max(mma.m, -(-min(gemm.m, 16) // mma.m) * mma.m)
                waves, tiles = (SKINNY_WAVES, SKINNY_TILES) if mma.b is not None else (1, 1)
                full = _reduction(gemm, mma, 2)
                plan = Plan(gemm, mma, (rows, waves * tiles * mma.n), (rows // mma.m, tiles), full, pipe)
                splits = SPLITS if plan.workgroups < 4 * UNITS[gemm.target].units else (1,)
                sizes = [full, *(full // d for d in (2, 4) if full % d == 0)]
                yield from (dataclasses.replace(plan, reduction=r, split_k=s) for r in sizes for s in splits)
            else:
                for tm, tn, wm, wn in SQUARES if mma.b is not None else GROUPS:
                    if tm % (wm * mma.m) or tn % (wn * mma.n) or (tm > 64 and gemm.m <= tm // 4):
                        continue
                    plan = Plan(gemm, mma, (tm, tn), (tm // (wm * mma.m), tn // (wn * mma.n)), _reduction(gemm, mma, 1), pipe)
                    splits = SPLITS if plan.workgroups < UNITS[gemm.target].units else (1,)
                    yield from (dataclasses.replace(plan, split_k=s) for s in splits)


def choose(gemm: Gemm) -> tuple[Plan, list[Verdict]]:
    """The plan for a GEMM, and all candidates with what became of them, the kept ones first, the best of them first.

    Of plans within 2 % of the fewest cycles that with the fewest matrix-pipe cycles is taken, then that with the least traffic with LDS, then that
    with the fewest parts of K, the fewest reads from LDS, the fewest barriers. Raises U103 where there is no plan.
    """
    kept: list[tuple[Plan, str]] = []
    out: list[tuple[Plan, str]] = []
    for p in candidates(gemm):
        why = dropped(p)
        (out if why else kept).append((p, why))
    if not kept:
        raise wrong("U103", name=gemm.target, what="a plan for this product", instead="; ".join(sorted({why for _, why in out})))
    least = min(p.cycles for p, _ in kept)
    near = [p for p, _ in kept if p.cycles <= 1.02 * least]
    best = min(near, key=lambda p: (p.matrix_cycles, p.lds_read, p.split_k, p.lds_accesses, p.barriers, p.lds_bytes, p.cycles))
    order = sorted((p for p, _ in kept), key=lambda p: (p is not best, p.cycles, p.matrix_cycles))
    verdicts = [Verdict(p, True, "chosen" if p is best else _compared(p, best)) for p in order]
    return best, verdicts + [Verdict(p, False, why) for p, why in out]


def _compared(p: Plan, best: Plan) -> str:
    if p.cycles > best.cycles * 1.005:
        bound = max(p.step_cycles, key=lambda k: p.step_cycles[k])
        why = f"{p.cycles / best.cycles:.2f} times the cycles, bound by {bound}"
        return why + (f"; busy {p.busy:.0%} of the time" if p.busy < best.busy - 0.05 else "")
    if p.matrix_cycles > best.matrix_cycles:
        return f"{p.matrix_cycles / best.matrix_cycles:.1f} times the matrix-pipe cycles in the same time"
    if p.lds_read > best.lds_read:
        return f"{p.lds_read / best.lds_read:.1f} times the bytes from LDS in the same time"
    if p.lds_accesses > best.lds_accesses:
        return f"{p.lds_accesses / best.lds_accesses:.1f} times the reads from LDS, narrower ones, in the same time"
    return "no better, with more barriers, more parts of K or more LDS"


def padded(gemm: Gemm) -> Plan | None:
    """What a GEMM of few rows would be on the dense instructions alone, padded to their rows: seed 004's baseline. None where no instruction fits."""
    fits = [x for x in mmas(gemm.target) if x.dtypes == (gemm.dtype, gemm.dtype, gemm.accumulator) and not x.virtual]
    fits = [x for x in fits if x.b is not None]
    fits = [x for x in fits if x.m * x.n == min(y.m * y.n for y in fits)]
    if not fits:
        return None
    mma = max(fits, key=lambda x: x.k / x.cycles(gemm.target) if chip_of(gemm.target).vendor == "amd" else x.k)
    rows = -(-min(gemm.m, 16) // mma.m) * mma.m
    return Plan(gemm, mma, (rows, SKINNY_WAVES * SKINNY_TILES * mma.n), (rows // mma.m, SKINNY_TILES), _reduction(gemm, mma, 2), _usual(gemm, mma)[0])


def gemm(m: int, n: int, k: int, dtype: str | DType, target: str, preshuffled: bool = False) -> Gemm:
    """A problem, its dtype by name or itself: "f16", "bf16", "i8", "fp8" (the chip's kind of f8e4m3). Raises T301."""
    if isinstance(dtype, DType):
        return Gemm(m, n, k, dtype, target, preshuffled)
    name = dtype
    if dtype in ("fp8", "bf8"):
        name = ("f8e4m3fn" if dtype == "fp8" else "f8e5m2") + ("uz" if dtype == "fp8" else "fnuz") * (chip_of(target).fp8 == "fnuz")
    if name not in BY_NAME:
        raise wrong("T301", what="the dtype", want="one such as f16, bf16, i8, fp8", got=repr(dtype))
    return Gemm(m, n, k, BY_NAME[name], target, preshuffled)
