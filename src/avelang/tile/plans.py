"""One way to compute a GEMM: sizes, a matrix product, a block and a pipeline come in; counts, a model of its time, the
`BlockConfig` and the launch go out.

The terms are IREE's ("Virtual Dense MFMAs for Skinny GEMM"): the MMA, `workgroup` (extents of a block's tile),
`subgroup` (MMA tiles of one wave), `reduction` (MMA tiles along K in one step of the loop), `promote_operands` (those
that pass through shared memory), `padding`. Counts are exact; cycles are a model: the longest of matrix pipe, LDS and
memory in each step, and the busiest unit's share of workgroups."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, NamedTuple

from avelang.arch import Sku, product
from avelang.arch import chip as chip_of
from avelang.arch.facts import KIB
from avelang.base.errors import AveError
from avelang.base.lazy import np
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import wrong
from avelang.ir.dtypes import DType, f32, f64, i32
from avelang.pipelines.warp_specialized import PATTERN, ROWS
from avelang.tile.pipelines import Pipeline, in_tensor_memory, pipeline
from avelang.tile.products import MmaAtom
from avelang.tile.schedules import BlockConfig
from avelang.tile.virtual import PAIRED

NORM = 8  # what takes the longest decides; where two take as long they are in each other's way: then some 9 % more
STAGED = ROWS * PATTERN  # bytes that a consumer of the pipeline "tma" stages at a time


@dataclasses.dataclass(frozen=True, slots=True)
class Gemm:
    """C (m x n) = A (m x k) B (k x n), A and B of `dtype` with K contiguous in both, on a chip; `preshuffled`: B lies
    in memory as its fragments do; `aligned`: rows of A, B and C are multiples of 16 bytes apart; `count`: compute
    units, 0 for the chip's. Raises T301, U101, U103."""

    m: int
    n: int
    k: int
    dtype: DType
    target: str
    preshuffled: bool = False
    aligned: bool = True
    count: int = 0

    def __post_init__(self) -> None:
        for name in ("m", "n", "k"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise wrong("T301", what=name.upper(), want="an integer from 1", got=repr(getattr(self, name)))
        product(self.target, "the choice of a plan")

    @property
    def accumulator(self) -> DType:
        """The dtype of sums."""
        return i32 if self.dtype.is_int else f64 if self.dtype == f64 else f32

    @property
    def unit(self) -> Sku:
        """The chip's product, for the model of time."""
        return product(self.target)

    @property
    def units(self) -> int:
        """Compute units of the GPU."""
        return self.count or self.unit.count


@dataclasses.dataclass(frozen=True, slots=True)
class LaunchConfig:
    """Extents of a launch: blocks (the caller's scheduler shares them among the `split_k` parts of K), threads of a
    block, blocks of a cluster."""

    grid: int
    threads: int
    split_k: int
    cluster: int


Launch = LaunchConfig  # the public name


class PlanCode(NamedTuple):
    """Facts of a plan that its code alone decides: as of `GemmPlan`'s properties."""

    lds_bytes: int
    registers: int
    default_mma: str
    build_error: str
    mma_cycles: int


_CODE: dict[Any, PlanCode] = {}


@dataclasses.dataclass(frozen=True)
class GemmPlan(DrawnInNotebooks):
    """One way to compute a GEMM; see the module's text for the terms. `grid`: of the waves over C (of "tma": of groups
    of waves); `stages` and `cluster`: as of `BlockConfig`; `share`: part of the matrix pipes' rate that the code
    reaches where nothing else is in the way, as measured; `streamed`: every block gets an equal share of all steps
    along K, `split_k` is 1."""

    gemm: Gemm
    mma: MmaAtom
    workgroup: tuple[int, int]
    subgroup: tuple[int, int]
    reduction: int
    pipeline: Pipeline
    split_k: int = 1
    grid: tuple[int, int] | None = None
    stages: int = 4
    cluster: tuple[int, int] = (1, 1)
    share: float = 1.0
    streamed: bool = False

    @property
    def split(self) -> int | str:
        """Parts of K, or "stream" where every block gets an equal share of all steps."""
        return "stream" if self.streamed else self.split_k

    @property
    def waves(self) -> int:
        """Waves of a workgroup."""
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

    # -- what is run ---------------------------------------------------------------------------------------------------

    @property
    def waves_of_c(self) -> tuple[int, int]:
        """The grid of waves over C: as given, or beside one another."""
        return self.grid or (1, self.waves)

    def block(self) -> BlockConfig:
        """The block of the kernel. `mma` is named where the block would choose another one. Raises what
        `BlockConfig.on` does: T301, T307, U103."""
        return self._checked_block(self.default_mma)

    def _checked_block(self, default: str) -> BlockConfig:
        plain = BlockConfig(*self.workgroup, self.step, self.waves_of_c, self.pipeline.name, self.stages, self.cluster)
        if self.mma.b is None:
            plain = dataclasses.replace(plain, waves=(2, 2))  # warpgroups follow from the rows
            plain.on(self.gemm.target, self.gemm.dtype)
            return plain
        named = dataclasses.replace(plain, mma=self.mma.name)
        return plain if default == self.mma.name else _checked(named, self.gemm.target, self.gemm.dtype)

    def _default_mma(self) -> str:
        return _default_mma(BlockConfig(*self.workgroup, self.step, self.waves_of_c, self.pipeline.name, self.stages),
                            self.gemm.target, self.gemm.dtype)

    def _build_error(self) -> str:
        try:
            self._checked_block(self._default_mma())
        except AveError as e:
            return e.message
        return ""

    @property
    def launch(self) -> LaunchConfig:
        """The launch of a block on all units."""
        made = self.block()
        grid = made.grid(self.gemm.m, self.gemm.n, self.gemm.units) * (
            1 if self.pipeline.name == "tma" else self.split_k
        )
        return LaunchConfig(grid, made.on(self.gemm.target, self.gemm.dtype).threads, self.split_k,
                            math.prod(self.cluster))

    # -- counts --------------------------------------------------------------------------------------------------------

    @property
    def tiles(self) -> int:
        """Tiles of C, each of which `split_k` workgroups share; clusters make whole ones."""
        (high, wide), (many_m, many_n) = self.workgroup, self.cluster
        return -(-self.gemm.m // (high * many_m)) * many_m * (-(-self.gemm.n // (wide * many_n)) * many_n)

    @property
    def workgroups(self) -> int:
        """Workgroups of the launch."""
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
    def ring(self) -> bool:
        """True where A and B go through a ring of `stages` in shared memory by cp.async, on chips that have it, instead
        of B straight into registers."""
        return self.pipeline.ring and not pipeline("cp-async").missing(self.gemm.target)

    @property
    def promoted(self) -> tuple[int, ...]:
        """Operands that pass through shared memory."""
        return (0, 1) if self.ring else self.pipeline.promoted

    @property
    def held(self) -> int:
        """Tiles of a step's A and B in shared memory at once."""
        return self.stages if self.ring else self.pipeline.held or self.stages

    @functools.cached_property
    def fixed(self) -> PlanCode:
        """Facts that follow from the code alone, whatever sizes and parts of K are."""
        g = self.gemm
        key = (g.target, g.dtype, self.mma.name, self.workgroup, self.subgroup, self.reduction, self.pipeline.name,
               self.grid, self.stages, self.cluster)  # fmt: skip
        found = _CODE.get(key)
        if found is None:
            found = _CODE[key] = PlanCode(self._lds_bytes(), self._registers(), self._default_mma(),
                                          self._build_error(), self._mma_cycles())  # fmt: skip
        return found

    @property
    def lds_bytes(self) -> int:
        """Bytes of shared memory of a workgroup."""
        return self.fixed.lds_bytes

    @property
    def registers(self) -> int:
        """32-bit registers of a lane for the accumulator and one MMA's fragments of each tile: the least that the code
        takes."""
        return self.fixed.registers

    @property
    def default_mma(self) -> str:
        """The MMA that such a block takes by itself; empty where it does not fit."""
        return self.fixed.default_mma

    @property
    def build_error(self) -> str:
        """Error of building a kernel for it; empty where one can be built."""
        return self.fixed.build_error

    @property
    def mma_cycles(self) -> int:
        """Clocks of a matrix pipe for one MMA."""
        return self.fixed.mma_cycles

    @property
    def tensor_memory(self) -> bool:
        """True where sums are in tensor memory, and of a pair of blocks each has half of B in shared memory."""
        return self.mma.b is None and in_tensor_memory(self.gemm.target)

    @property
    def copied(self) -> tuple[int, int]:
        """Rows of A and of B that a workgroup has in its own shared memory."""
        return self.workgroup[0], self.workgroup[1] // (self.cluster[0] if self.tensor_memory else 1)

    @property
    def pipe_waves(self) -> int:
        """Waves of a workgroup that have a matrix pipe to themselves: those that hold sums of tcgen05 are more."""
        return self.waves // max(1, self.mma.acc.waves // self.gemm.unit.pipes)

    def _lds_bytes(self) -> int:
        tiles = sum(self.copied[i] for i in self.promoted) * self.step * self.gemm.dtype.bytes * self.held
        if self.pipeline.name != "tma":
            return tiles
        return tiles + self.workgroup[0] // ROWS * 2 * STAGED + KIB  # two stagings for each consumer, barriers

    def _registers(self) -> int:
        sub, mma = self.subgroup, self.mma
        acc = math.prod(sub) * -(-mma.acc.elements * mma.dtypes[2].bytes // 4)
        acc *= 2 if mma.name.startswith("VDMFMA") else 1  # expanded while the loop runs
        held = [
            s * -(-x.elements * self.gemm.dtype.bytes // 4) if x else 0
            for s, x in zip(sub, (mma.a, mma.b), strict=True)
        ]
        # What does not come from shared memory is there for a whole step.
        return acc + sum(n * (1 if i in self.promoted else self.reduction) for i, n in enumerate(held))

    def _tiles(self) -> int:
        """MMA tiles of one wave, or of one group of waves, in one step."""
        return math.prod(self.subgroup) * self.reduction

    @property
    def barriers(self) -> int:
        """Barriers of one workgroup's loop; 0 where the block does not fit."""
        if self.ring or not self.pipeline.apart:
            return self.steps * self.pipeline.barriers(1)
        return (
            0
            if self.build_error
            else self.steps * self.pipeline.barriers(self.block().on(self.gemm.target, self.gemm.dtype).steps)
        )

    def _mma_cycles(self) -> int:
        g = self.gemm
        if chip_of(g.target).vendor == "amd":
            return self.mma.cycles(g.target)
        assert g.unit.rate is not None
        rate = g.unit.rate * 2 / g.dtype.bytes
        if self.mma.b is not None:
            return math.ceil(self.mma.work / (rate * g.unit.sync_share))
        pipes = min(self.mma.acc.waves, g.unit.pipes)  # each wave of the group has a pipe
        return math.ceil(self.mma.work / (rate * pipes))

    @property
    def matrix_cycles(self) -> int:
        """Clocks of matrix pipes, all pipes together, for the whole product, padding included."""
        # Each wave of a group keeps a pipe.
        return self.tiles * self.all_steps * self.pipe_waves * self._tiles() * self.mma_cycles

    @property
    def lds_read(self) -> int:
        """Bytes read from shared memory for the whole product."""
        parts = enumerate(zip(self.subgroup, self.mma.operand_bytes, strict=True))
        if self.mma.b is None:  # an instruction reads its operands for itself
            a, b = self.mma.operand_bytes
            wave = math.prod(self.subgroup) * (a + b * self.copied[1] // self.workgroup[1])
        else:
            wave = sum(s * size for i, (s, size) in parts if i in self.promoted)
        return self.tiles * self.all_steps * self.waves // self.mma.acc.waves * self.reduction * wave

    # -- the model -----------------------------------------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """Workgroups of the busiest unit."""
        cluster = math.prod(self.cluster)
        return -(-(self.workgroups // cluster) // max(1, self.gemm.units // cluster))

    @property
    def co_resident(self) -> int:
        """Workgroups that a unit has at once, if no more than are its. NVIDIA's blocks were measured as they are: 1."""
        chip = chip_of(self.gemm.target)
        if chip.vendor != "amd":
            return 1
        slots = self.gemm.unit.registers // max(self.registers, 1) * self.gemm.unit.pipes // self.waves
        return max(1, min(chip.lds_bytes // max(self.lds_bytes, 1), slots, self.rounds))

    @property
    def resident(self) -> int:
        """Workgroups of a unit that fill one another's gaps, where the share of one wave is known."""
        return 1 if self.share == 1.0 else self.co_resident

    @property
    def busy(self) -> float:
        """Share of the units' time that has a workgroup, if all take as long."""
        return self.workgroups / (self.rounds * self.gemm.units)

    @property
    def step_cycles(self) -> dict[str, float]:
        """The model's clocks of one step of one workgroup, by what takes them."""
        unit, shared, g, size = self.gemm.unit, chip_of(self.gemm.target).shared, self.gemm, self.gemm.dtype.bytes
        rows = min(self.workgroup[0], g.m)
        # What several workgroups read comes from L2 but for the first time.
        fresh = rows / -(-g.n // self.workgroup[1]) + self.workgroup[1] / -(-g.m // self.workgroup[0])
        reads = self.lds_read / (self.tiles * self.all_steps)
        # That blocks of "tma" wait for L2 is in their measured share; what a cluster shares is read once for all of it.
        # Blackwell's rate of L2 was not found: there the model has no L2.
        l2 = 0.0 if self.mma.b is None else (rows + self.workgroup[1]) * self.step * size / unit.l2_clock
        written = sum(self.copied[i] for i in self.promoted) * self.step * size / shared.write
        share = 1 - (1 - self.share) ** self.resident  # one wave's gaps are others' turns
        takes = {
            "matrix": -(-self.pipe_waves // unit.pipes) * self._tiles() * self.mma_cycles / share,
            "memory": max(fresh * self.step * size / unit.memory_clock, l2),
        }
        # What wgmma reads and TMA writes is in the share too; of tcgen05 nothing was measured.
        grouped = self.mma.b is None and not self.tensor_memory
        return takes if grouped else {**takes, "LDS": reads / shared.read + written}

    @property
    def matrix_busy(self) -> float:
        """Share of the time of all matrix pipes in which they multiply, padding included, by the model."""
        return self.matrix_cycles / (self.gemm.unit.pipes * self.gemm.units * self.cycles)

    @property
    def idle(self) -> int:
        """Units that have no workgroup."""
        return max(0, self.gemm.units - self.workgroups)

    @property
    def cycles(self) -> float:
        """The model's clocks: of the busiest unit, and of adding up what the parts of K give."""
        unit, g = self.gemm.unit, self.gemm
        step = sum(x**NORM for x in self.step_cycles.values()) ** (1 / NORM)
        # From a block's first load to its first product, and from its last one to the next block's.
        # A block of "tma" fetches for its next tile meanwhile.
        waits = 2 * unit.load_clocks * (1 if self.pipeline.name == "tma" else -(-self.rounds // self.co_resident))
        loop = self.rounds * self.steps * step + waits
        # Partial sums are written to memory, and read from L2, through which they pass.
        partials = 0 if self.split_k == 1 else g.m * g.n * 4 * self.split_k / unit.count
        return loop + partials / unit.memory_clock + partials / unit.l2_clock

    def cycles_of(self, parts: Any) -> Any:
        """The model's clocks with other parts of K: `cycles` of each of an array of numbers, at once."""
        unit, g, chip = self.gemm.unit, self.gemm, chip_of(self.gemm.target)
        cluster, steps = math.prod(self.cluster), -(-self.all_steps // parts)
        rounds = -(-(self.tiles * parts // cluster) // max(1, g.units // cluster))
        together = np.ones_like(rounds)
        if chip.vendor == "amd":
            slots = unit.registers // max(self.registers, 1) * unit.pipes // self.waves
            together = np.maximum(1, np.minimum(min(chip.lds_bytes // max(self.lds_bytes, 1), slots), rounds))
        one = dataclasses.replace(self, share=1.0).step_cycles
        matrix = one.pop("matrix") / (1 - (1 - self.share) ** (1 if self.share == 1.0 else together))
        step = (matrix**NORM + sum(x**NORM for x in one.values())) ** (1 / NORM)
        waits = 2 * unit.load_clocks * (1 if self.pipeline.name == "tma" else -(-rounds // together))
        partials = np.where(parts == 1, 0, g.m * g.n * 4 * parts / unit.count)
        return rounds * steps * step + waits + partials / unit.memory_clock + partials / unit.l2_clock

    @property
    def stream_cycles(self) -> float:
        """The model's clocks where every unit gets an equal share of all steps along K: each leaves the sums of two
        tiles, and adds up as many."""
        unit = self.gemm.unit
        step = sum(x**NORM for x in self.step_cycles.values()) ** (1 / NORM)
        steps = math.ceil(self.tiles * self.all_steps / self.gemm.units)
        sums = math.prod(self.workgroup) * 4
        begun = -(-steps // self.all_steps) + 1  # tiles of which a run has some steps
        return steps * step + 2 * begun * unit.load_clocks + 2 * sums / unit.memory_clock + 2 * sums / unit.l2_clock

    @property
    def relation(self) -> str:
        """Relation of the MMA to IREE's of the same name; empty where it is that one."""
        if not self.mma.name.endswith(PAIRED):
            return ""
        theirs = self.mma.name.removesuffix(PAIRED)
        order = "A is put in pairs when it is stored to LDS, and no register of B is moved"
        return f"{self.mma.name} is {theirs} but for the order of K: {order}"

    def lowering_config(self) -> dict[str, object]:
        """The plan in IREE's terms, as seed 004 prints them; `split_k` and `pipeline` are ours."""
        found: dict[str, object] = {"mma_kind": self.mma.name}
        if self.padding:
            found["padding"] = list(self.padding)
        found["promote_operands"] = list(self.promoted)
        found["reduction"] = [0, 0, self.reduction]
        found["subgroup"] = [*self.subgroup, 0]
        found["workgroup"] = [*self.workgroup, 0]
        return {**found, "split_k": self.split_k, "pipeline": self.pipeline.name}


Plan = GemmPlan  # the public name


@functools.lru_cache(1024)
def _default_mma(block: BlockConfig, target: str, dtype: DType) -> str:
    """The MMA that a block takes by itself; empty where it does not fit."""
    try:
        return block.on(target, dtype).mma.name
    except AveError:
        return ""


def _checked(block: BlockConfig, target: str, dtype: DType) -> BlockConfig:
    """The block, if it fits."""
    block.on(target, dtype)
    return block
