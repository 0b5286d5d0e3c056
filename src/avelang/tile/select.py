"""A GEMM comes in: M, N, K, a dtype and a chip; candidate plans go out, each kept or dropped with the reason, and one
is chosen."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from avelang.arch import chip as chip_of
from avelang.base.errors import AveError, counted
from avelang.base.lazy import np
from avelang.base.places import wrong
from avelang.base.takes import at_least, takes
from avelang.ir.dtypes import BY_NAME, DType
from avelang.tile.block_gemm import usual_mma
from avelang.tile.pipelines import Pipeline, pipeline
from avelang.tile.plans import Gemm, GemmPlan
from avelang.tile.products import MmaAtom
from avelang.tile.schedules import BlockConfig
from avelang.tile.tuned import TunedBlock, blocks_of
from avelang.tile.virtual import PAIRED, mmas_of

STEP = 128  # bytes of each row in a step of few rows
SKINNY = 16  # rows of C up to which tiles are one MMA high, of any chip
FEW = 24  # the same where sparse instructions multiply 8 rows at a time
SKINNY_WAVES, SKINNY_TILES = 2, 2  # what IREE starts from in small products: waves of a workgroup, MMA tiles of a wave
SKINNY_ROWS = 8
MOST_PARTS = 32  # of K: the block that comes last holds so many vectors of sums at once
IGNORED = ("XF32", "TF32")  # ends of the names of products that ignore bits of f32


def rejection(p: GemmPlan) -> str:
    """Reason to drop a plan; empty for one to keep."""
    g, mma, limit = p.gemm, p.mma, chip_of(p.gemm.target).lds_bytes
    missing = p.pipeline.missing(g.target)
    if missing:
        return missing
    if p.pipeline.name == "preshuffled" and not g.preshuffled:
        return "it wants B in memory as its fragments lie, and B lies there row by row"
    if p.pipeline.name != "preshuffled" and g.preshuffled:
        return "it reads B row by row, and B lies in memory as its fragments do"
    if p.pipeline.name == "tma" and not g.aligned:
        return "rows are no multiples of 16 bytes, as TMA wants them"
    if mma.virtual and mma.m == SKINNY_ROWS and g.m > (FEW if mma.name.startswith("VDMFMA") else mma.m):
        return f"M = {g.m} is more than its {mma.m} rows" + (", three times" if mma.name.startswith("VDMFMA") else "")
    if p.grid is not None and mma.b is not None and p.default_mma != mma.name:
        return (
            f"the block multiplies by {p.default_mma} as fast, in its own order of K"
            if p.default_mma
            else "the block does not fit its fragments"
        )
    if mma.name.startswith("VMFMA"):
        return "a block counts K in that order anyway, and reads as widely for the instructions that it is made of"
    line = chip_of(g.target).line
    if p.grid is None and p.step * g.dtype.bytes < line:
        return f"a step of {p.step} reads {p.step * g.dtype.bytes} bytes of each row, and a cache line has {line}"
    if p.steps * (p.split_k - 1) >= p.all_steps:
        return f"K = {g.k} has {counted(p.all_steps, 'step')} of {p.step}, which leave one of {p.split_k} parts empty"
    if p.lds_bytes > limit:
        return f"{p.lds_bytes} bytes of shared memory, and a block has {limit} at most"
    have = g.unit.registers
    if p.registers > have:
        return f"{p.registers} registers a lane, and there are {have}"
    return f"no kernel can be built for it: {p.build_error}" if p.build_error else ""


def _fits(gemm: Gemm) -> list[MmaAtom]:
    """The products of the GEMM's dtypes on its chip. Raises U103 where there is none."""
    fits = mmas_of(gemm.target, (gemm.dtype, gemm.dtype, gemm.accumulator))
    # PAIRED: for pipelines that bring A into that order (`_in_pairs`).
    fits = [x for x in fits if not x.name.endswith((PAIRED, *IGNORED))]
    if not fits:
        raise wrong("U103", name=gemm.target, what=f"a matrix product of {gemm.dtype}",
                    instead="`ave intrinsics mma` lists what there is")
    return fits


def few_rows(gemm: Gemm) -> bool:
    """True where tiles are one MMA high, or a few of 8 rows."""
    virtual = "mfma-gfx942" in chip_of(gemm.target).features and gemm.dtype.bytes < 4
    return gemm.m <= (FEW if virtual else SKINNY)


def candidates(gemm: Gemm) -> Iterator[GemmPlan]:
    """The plans that are looked at: for few rows tiles one MMA high, for more rows the blocks of `avelang.tile.tuned`;
    parts of K where they help."""
    for mma in _fits(gemm):
        if few_rows(gemm):
            yield from _skinny(gemm, mma)
        if gemm.m > SKINNY:
            yield from (p for known in blocks_of(gemm.target) for p in _split(_plan(gemm, mma, known), gemm.units))


def _split(plan: GemmPlan | None, enough: int) -> Iterator[GemmPlan]:
    """A plan with K in one part, and in several where there are few workgroups: all numbers of parts that equal numbers
    of whole steps make; of a single step only where units would be without a workgroup otherwise, since then no load is
    ahead of a product."""
    if plan is not None:
        yield from (dataclasses.replace(plan, split_k=s) for s in _parts(plan, enough))


def _parts(plan: GemmPlan, enough: int) -> list[int]:
    """Parts of K that `_split` has."""
    least = 1 if plan.tiles * -(-plan.all_steps // 2) < plan.gemm.units else 2
    steps = plan.all_steps
    # ceil(steps / each) takes its values up to MOST_PARTS for few `each` beside the large ones.
    parts = {s for s in range(1, min(MOST_PARTS, -(-steps // least)) + 1) if -(-steps // -(-steps // s)) == s}
    if plan.workgroups >= enough:
        parts = {1}
    return [s for s in sorted(parts | {1}) if s <= MOST_PARTS]


def _plan(gemm: Gemm, mma: MmaAtom, known: TunedBlock) -> GemmPlan | None:
    """A known block with a product; None where they are of different kinds, or much of the block were empty."""
    if (
        (mma.b is None) != (known.pipeline == "tma")
        or (known.m > 64 and gemm.m <= known.m // 4)
        or known.spills_for(gemm.dtype)
    ):
        return None
    high, wide = mma.m * known.waves[0], mma.n * known.waves[1]
    if known.m % high or known.n % wide or (mma.b is None and mma.n != known.n):
        return None
    k = known.row // gemm.dtype.bytes
    deep = pipeline(known.pipeline).deep
    if deep and mma.b is not None:
        k = max(k, deep * mma.k)
    if k % mma.k:
        return None
    sub = (known.m // high, known.n // wide)
    return GemmPlan(gemm, mma, (known.m, known.n), sub, k // mma.k, pipeline(known.pipeline), 1, known.waves,
                    known.stages, known.cluster, known.share(gemm.target))


def _reduction(gemm: Gemm, mma: MmaAtom, lines: int) -> int:
    """MMA tiles along K in a step that reads `lines` of 128 bytes of each row; as many times more as a sparse trick
    makes the product shorter, so that there is as much of it to hide the next step's loads behind."""
    scale = mma.unroll if mma.name.startswith("VDMFMA") else 1
    return max(1, lines * STEP // (gemm.dtype.bytes * mma.k)) * scale


def _usual(gemm: Gemm, mma: MmaAtom) -> tuple[Pipeline, ...]:
    """The pipelines of products of few rows."""
    if mma.b is None:
        return (pipeline("tma"),)
    return tuple(
        map(pipeline, ("streamed", "prefetch" if chip_of(gemm.target).vendor == "amd" else "cp-async", "preshuffled"))
    )


@functools.lru_cache(256)
def _in_pairs(mma: MmaAtom, target: str) -> MmaAtom:
    """The product that takes A in pairs, if there is one: for pipelines that bring A into that order, so that B's
    registers are operands as they come."""
    return next((x for x in mmas_of(target, mma.dtypes) if x.name == mma.name + PAIRED), mma)


def _skinny(gemm: Gemm, dense: MmaAtom) -> Iterator[GemmPlan]:
    """Tiles as high as an MMA, or two where there are more rows; with all parts of K."""
    for plan in _skinny_bases(gemm, dense):
        yield from _split(plan, 4 * gemm.units)


def _skinny_bases(gemm: Gemm, dense: MmaAtom) -> Iterator[GemmPlan]:
    """The same with K in one part."""
    for pipe in _usual(gemm, dense):
        mma = _in_pairs(dense, gemm.target) if pipe.name == "streamed" else dense
        rows = -(-gemm.m // mma.m) * mma.m
        waves, tiles = (SKINNY_WAVES, SKINNY_TILES) if mma.b is not None else (1, 1)
        full = _reduction(gemm, mma, 2 if mma.b is not None else 1)  # wgmma reads rows of 128 bytes
        plan = GemmPlan(gemm, mma, (rows, waves * tiles * mma.n), (rows // mma.m, tiles), full, pipe)
        for r in (full, *(full // d for d in (2, 4) if full % d == 0)):
            less = dataclasses.replace(plan, reduction=r)
            yield less
            if not rejection(less):
                break  # a step of fewer bytes has fewer in flight, for which the model has no number


@takes("T301")
def choose(gemm: Gemm) -> tuple[GemmPlan, list[PlanVerdict]]:
    """The plan for a GEMM, and all candidates with their verdicts, the kept ones first, the best of them first.

    Where VDMFMA multiplies fewer rows (8, not 16; 24, not 32), it is taken: the padded instruction is no faster, and
    multiplies padding. Of
    plans within 2 % of the fewest cycles that with the fewest matrix-pipe cycles is taken, then that with the least
    traffic with LDS, then that which leaves the fewest units without a workgroup, that which keeps them busiest, then
    that with the fewest parts of K, the MMA that a block takes by itself, the fewest barriers. Raises U103 where there
    is no plan."""
    kept: list[tuple[GemmPlan, str]] = []
    out: list[tuple[GemmPlan, str]] = []
    for p in candidates(gemm):
        why = rejection(p)
        (out if why else kept).append((p, why))
    if not kept:
        raise wrong("U103", name=gemm.target, what="a plan for this product",
                    instead="; ".join(sorted({why for _, why in out})))
    best = _same(gemm, [p for p, _ in kept])
    order = sorted((p for p, _ in kept), key=lambda p: (p is not best, p.cycles, p.matrix_cycles))
    verdicts = [PlanVerdict(p, True, "chosen" if p is best else _compared(p, best)) for p in order]
    return best, verdicts + [PlanVerdict(p, False, why) for p, why in out]


def _eligible(gemm: Gemm, plans: list[GemmPlan]) -> list[GemmPlan]:
    """Those among which the best is looked for."""
    virtual = [p for p in plans if p.mma.name.startswith("VDMFMA")]
    # An eighth row, or a 24th, that is padding takes less than a sixteenth, or a 32nd.
    fewer = -(-gemm.m // SKINNY_ROWS) * SKINNY_ROWS < -(-gemm.m // SKINNY) * SKINNY
    return (virtual if fewer else []) or plans


def _same(gemm: Gemm, kept: list[GemmPlan]) -> GemmPlan:
    """The candidate that is the plan of `plan_for`, or the best one where that is none of them."""
    try:
        p = plan_for(gemm.m, gemm.n, gemm.k, gemm.dtype, gemm.target, gemm.count, gemm.aligned, gemm.preshuffled)
    except AveError:
        return _best(_eligible(gemm, kept))
    code = p.mma.name, p.workgroup, p.subgroup, p.step, p.pipeline.name, p.stages, p.cluster
    alike = [x for x in kept if code == (x.mma.name, x.workgroup, x.subgroup, x.step, x.pipeline.name, x.stages,
                                         x.cluster)]  # fmt: skip
    return min(alike, key=lambda x: abs(x.split_k - p.split_k), default=_best(_eligible(gemm, kept)))


def _best(plans: list[GemmPlan]) -> GemmPlan:
    least = min(p.cycles for p in plans)
    near = [p for p in plans if p.cycles <= NEAR * least]
    return min(near, key=_preference)


def _preference(p: GemmPlan) -> tuple[float, ...]:
    """Sort key of plans that take as long."""
    work = p.matrix_cycles, p.lds_read, p.idle, -round(p.busy, 2)
    return (*work, p.split_k, p.default_mma != p.mma.name, p.barriers, p.lds_bytes, p.cycles)


@dataclasses.dataclass(frozen=True)
class PlanVerdict:
    """A candidate with its verdict: `kept` with its cycles, or dropped, for `reason`."""

    plan: GemmPlan
    kept: bool
    reason: str


Verdict = PlanVerdict  # the public name


def _compared(p: GemmPlan, best: GemmPlan) -> str:
    if p.cycles > best.cycles * 1.005:
        bound = max(p.step_cycles, key=lambda k: p.step_cycles[k])
        why = f"{p.cycles / best.cycles:.2f} times the cycles, bound by {bound}"
        return why + (f"; busy {p.busy:.0%} of the time" if p.busy < best.busy - 0.05 else "")
    if p.matrix_cycles > best.matrix_cycles:
        return f"{p.matrix_cycles / best.matrix_cycles:.1f} times the matrix-pipe cycles in the same time"
    if p.lds_read > best.lds_read:
        return f"{p.lds_read / best.lds_read:.1f} times the bytes from LDS in the same time"
    if p.default_mma != p.mma.name and best.default_mma == best.mma.name:
        return f"no better than {best.mma.name}, which the block takes by itself"
    return "no better, with more barriers, more parts of K or more LDS"


@takes("T301")
def padded(gemm: Gemm) -> GemmPlan | None:
    """Plan of a GEMM of few rows on the dense instructions alone, padded to their rows: seed 004's baseline. None
    where no instruction fits."""
    try:
        fits = [x for x in _fits(gemm) if not x.virtual and x.b is not None]
    except AveError:
        return None
    fits = [x for x in fits if x.m * x.n == min(y.m * y.n for y in fits)]
    if not fits:
        return None
    mma = max(fits, key=lambda x: x.k / x.cycles(gemm.target) if chip_of(gemm.target).vendor == "amd" else x.k)
    rows = -(-min(gemm.m, FEW) // mma.m) * mma.m
    both = next(p for p in _usual(gemm, mma) if p.promoted == (0, 1))
    return GemmPlan(gemm, mma, (rows, SKINNY_WAVES * SKINNY_TILES * mma.n), (rows // mma.m, SKINNY_TILES),
                    _reduction(gemm, mma, 2), both)


@takes("T301")
def gemm(m: int, n: int, k: int, dtype: str | DType, target: str, preshuffled: bool = False, **more: int) -> Gemm:
    """A problem, its dtype by name or itself: "f16", "bf16", "i8", "fp8", "bf8" (the chip's kinds of f8e4m3 and
    f8e5m2). `more`: `aligned` and `count` of `Gemm`. Raises T301."""
    if isinstance(dtype, DType):
        return Gemm(m, n, k, dtype, target, preshuffled, **more)  # type: ignore[arg-type]
    name = dtype
    if dtype in ("fp8", "bf8"):
        name = {"fp8": "f8e4m3fn", "bf8": "f8e5m2"}[dtype]
        if chip_of(target).fp8 == "fnuz":
            name = {"fp8": "f8e4m3fnuz", "bf8": "f8e5m2fnuz"}[dtype]
    if name not in BY_NAME:
        raise wrong("T301", what="the dtype", want="one such as f16, bf16, i8, fp8", got=repr(dtype))
    return Gemm(m, n, k, BY_NAME[name], target, preshuffled, **more)  # type: ignore[arg-type]


# -- for kernels -------------------------------------------------------------------------------------------------------

_Size = Annotated[int, at_least(1)]
STREAM = "stream"  # every block gets an equal share of all steps along K
CLASS = 64  # sizes are rounded up to multiples of this before a block is looked for


def _own(p: GemmPlan) -> bool:
    """False where it is known, without making the block, that it multiplies by another MMA by itself."""
    return p.mma.b is None or p.pipeline.policy is not None or p.mma.name == _usual_name(p.gemm.target, p.gemm.dtype)


@functools.cache
def _usual_name(target: str, dtype: DType) -> str:
    try:
        return usual_mma(target, dtype).name
    except AveError:
        return ""


@functools.lru_cache(1024)
def _blocks_for(problem: Gemm) -> tuple[GemmPlan, ...]:
    """The plans of one part of K, of the MMA that blocks take by themselves."""
    mine = [
        p
        for mma in _fits(problem)
        for known in blocks_of(problem.target)
        if (p := _plan(problem, mma, known)) is not None and _own(p)
    ]
    if problem.m <= SKINNY:
        mine += [p for mma in _fits(problem) for p in _skinny(problem, mma) if p.split_k == 1]
    mine = [p for p in mine if (p.mma.b is None or p.default_mma == p.mma.name) and not rejection(p)]
    if not mine:
        raise wrong("U103", name=problem.target, what="a block for this product",
                    instead="the pipelines of this chip do not fit it")
    grouped = [
        p for p in mine if p.mma.b is None
    ]  # wgmma, wherever it can: the smaller blocks of `mma.sync` are estimates
    return tuple(grouped or mine)


NEAR = 1.02  # of the least cycles: the model cannot tell plans apart that are so near


def _nearest(bases: Sequence[GemmPlan]) -> list[GemmPlan]:
    """The plans, with all parts of K that they may have, that are within NEAR of the best of them."""
    fewer = [4 if p.grid is None else 1 for p in bases]  # workgroups that each unit may have, of few rows
    parts = [np.array(_parts(p, f * p.gemm.units) if p.mma.b is not None else [1])
             for p, f in zip(bases, fewer, strict=True)]  # fmt: skip
    parts = [s[-(-p.all_steps // s) * (s - 1) < p.all_steps] for p, s in zip(bases, parts, strict=True)]
    cycles = [p.cycles_of(s) for p, s in zip(bases, parts, strict=True)]
    limit = NEAR * 1.0001 * min(float(c.min()) for c in cycles)
    return [dataclasses.replace(p, split_k=int(s)) for p, each, took in zip(bases, parts, cycles, strict=True)
            for s, c in zip(each, took, strict=True) if c <= limit]  # fmt: skip


@functools.lru_cache(1024)
def _selected(problem: Gemm, whole: bool) -> GemmPlan:
    """The plan of all callers: for few rows the best of `choose`'s candidates; else the best of blocks that
    multiply by the MMA that they take by themselves, K in one part or several, or streamed. `whole`: in one part."""
    if few_rows(problem):
        found = [p for mma in _fits(problem) for p in _skinny_bases(problem, mma)]
        if problem.m > SKINNY:
            tuned = (_plan(problem, mma, known) for mma in _fits(problem) for known in blocks_of(problem.target))
            found += [p for p in tuned if p is not None]
        found = _eligible(problem, [p for p in found if not rejection(p)])
        if found:
            return _best(found if whole else _nearest(found))
    plans = _blocks_for(problem)
    if whole:
        return _best(list(plans))
    best = _best(_nearest(plans))
    streamed = min((p for p in plans if streamable(p)), key=lambda p: p.stream_cycles, default=best)
    if streamable(streamed) and streamed.stream_cycles < 0.98 * best.cycles:
        return dataclasses.replace(streamed, streamed=True)
    return best


@functools.lru_cache(1024)
def _block_of(plan: GemmPlan) -> BlockConfig:
    return plan.block()


def _class(m: int, n: int, k: int, dtype: DType, target: str, *more: Any) -> Gemm:
    """The product whose sizes are those of near ones: in 64s, few rows of C in 16s, or in 8s where there are products
    of so many."""
    unit = CLASS if m > CLASS else SKINNY
    if m <= FEW and few_rows(Gemm(m, 1, 1, dtype, target)):
        chip = chip_of(target)
        eights = "mfma-gfx942" in chip.features or (chip.vendor != "amd" and m <= SKINNY_ROWS)
        unit = SKINNY_ROWS if eights else SKINNY
    return Gemm(-(-m // unit) * unit, -(-n // CLASS) * CLASS, -(-k // CLASS) * CLASS, dtype, target, *more)


@takes("T301")
@functools.lru_cache(1024)
def plan_for(
    m: _Size, n: _Size, k: _Size, dtype: DType, target: str, count: int = 0, aligned: bool = True,
    preshuffled: bool = False, whole: bool = False
) -> GemmPlan:
    """The plan for a product, for all who ask: `choose`, `block_for`, `split_for`, `ave explain` and the kernels of the
    package. `plan.block()` is its block, `plan.split` the parts of K, or "stream".

    `count`: compute units, 0 for the chip's; `aligned`: rows of A, B and C are multiples of 16 bytes; `whole`: the best
    whose K is in one part. Sizes count in 64s, few rows of C in 16s or 8s, so that near shapes have one answer, which
    is found once: the plan is that of the size up to which is counted. Raises U103 where no block fits."""
    return _selected(_class(m, n, k, dtype, target, preshuffled, aligned, count), whole)


@takes("T301")
@functools.lru_cache(1024)
def block_for(
    m: _Size, n: _Size, k: _Size, dtype: DType, target: str, count: int = 0, aligned: bool = True,
    preshuffled: bool = False, whole: bool = False
) -> BlockConfig:
    """The block of `plan_for`. A kernel that has K in one part asks for the best `whole` one."""
    return _block_of(plan_for(m, n, k, dtype, target, count, aligned, preshuffled, whole))


@takes("T301")
@functools.lru_cache(1024)
def split_for(
    m: _Size, n: _Size, k: _Size, dtype: DType, target: str, count: int = 0, aligned: bool = True
) -> tuple[BlockConfig, int | str]:
    """The block of `plan_for`, and in how many parts its K is split, or STREAM. Blocks of "tma" have K in one part:
    they are persistent, and `hopper_gemm` splits their K."""
    plan = plan_for(m, n, k, dtype, target, count, aligned)
    return _block_of(plan), plan.split if plan.streamed else min(plan.split_k, -(-k // plan.step))


def streamable(p: GemmPlan) -> bool:
    """True where one block on each unit gives each of its pipes two waves, and the loop can begin anew."""
    return chip_of(p.gemm.target).vendor == "amd" and p.waves >= 2 * p.gemm.unit.pipes
