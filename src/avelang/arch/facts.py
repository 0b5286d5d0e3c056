"""The records of which a chip's description is made; the chips themselves stand in `avelang.arch.amd` and
`avelang.arch.nvidia`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import NamedTuple, Protocol

KIB = 1024
MAX_THREADS = 1024  # of a block, on every chip: HIP and CUDA programming guides
# Blocks of a launch along x, y and z: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
# the same are safe on AMD.
MAX_BLOCKS = (2**31 - 1, 65535, 65535)
# Blocks of a cluster, the second for every kernel, the first where one is permitted to: CUDA C++ Programming Guide,
# "Thread Block Clusters".
MAX_CLUSTER, PORTABLE_CLUSTER = 16, 8
# Bytes of shared memory that a block has without being permitted to: CUDA C++ Programming Guide, "Shared Memory" of
# each compute capability.
STATIC_SHARED = 48 * KIB


class Needs(Protocol):
    """A row, as `Chip.has` sees it."""

    @property
    def needs(self) -> frozenset[str]:
        """Features of which the chip must have one."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class ComputeUnit:
    """The resources that waves on one AMD compute unit share. `waves`: of a SIMD; `vgprs`, `sgprs`: registers of a
    SIMD's file, for each lane and for all of its waves, and by how many they are allocated; `simds`; `groups`:
    work-groups of more than one wave; `lds`: bytes, allocated by `lds_granule`."""

    lds: int
    lds_granule: int
    waves: int = 8
    vgprs: int = 512
    vgpr_granule: int = 8
    sgprs: int = 800
    sgpr_granule: int = 16
    simds: int = 4
    groups: int = 16


@dataclasses.dataclass(frozen=True, slots=True)
class Multiprocessor:
    """The resources that blocks on one NVIDIA SM share: `threads`, `blocks`, bytes of `shared` memory, allocated by
    `granule` with `reserved` bytes more for each block; `registers`, of which each of the `partitions` has its part,
    allocated to a warp by `register_granule`; `most_registers` of a thread."""

    threads: int
    blocks: int
    shared: int
    granule: int = 128
    reserved: int = 1024
    registers: int = 64 * KIB
    partitions: int = 4
    register_granule: int = 256
    most_registers: int = 255


class Phases(NamedTuple):
    """The phases in which one access of a wave to shared memory is served: the lanes in `order`, `size` at a time, by
    `banks` of 4 bytes, each of which gives one word a clock."""

    order: tuple[int, ...]
    size: int
    banks: int

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The lanes of each phase."""
        return tuple(self.order[i : i + self.size] for i in range(0, len(self.order), self.size))


@dataclasses.dataclass(frozen=True, slots=True)
class SharedMemoryFacts:
    """Shared memory, or LDS. `read`, `write`: bytes a clock of one unit. `reads`, `writes`: the phases of accesses of
    (at most 4, 8, 12, 16) bytes a lane."""

    read: int
    write: int
    reads: tuple[Phases, Phases, Phases, Phases]
    writes: tuple[Phases, Phases, Phases, Phases]

    def phases(self, nbytes: int, kind: str = "read") -> Phases:
        """Those of an access of 1 to 16 bytes a lane; `kind`: "read" or "write"."""
        return (self.reads if kind == "read" else self.writes)[max(0, -(-nbytes // 4) - 1)]


@dataclasses.dataclass(frozen=True, slots=True)
class Sku:
    """A GPU with this chip, for models of time: a chip is sold in several products, and this is the one whose
    numbers stand here.

    `count` of compute units (SMs), `pipes`: matrix pipes of each (one to a SIMD or partition), `clock`: hertz at which
    peak rates are quoted, `memory`: bytes a second of device memory, `l2`: bytes a clock of the whole L2 (None: not
    found), `registers`: of 32 bits that a lane may have, `dies`: XCDs, to which blocks go in turn, each with an L2 of
    its own (NVIDIA: 1), `rate`: multiplications of 16-bit operands a clock and pipe by NVIDIA's (None: AMD's follow
    from the passes of its instructions, `avelang.isa.amdgpu.passes`), `sync_share`: the part of it that `mma.sync`
    reaches, `latency`: clocks of a load from memory (None: not found), `mall`: bytes a second of AMD's Infinity Cache
    (None: it has none, or not found)."""

    name: str
    count: int
    pipes: int
    clock: float
    memory: float
    l2: float | None
    registers: int
    dies: int = 1
    rate: int | None = None
    sync_share: float = 1.0
    latency: int | None = None
    mall: float | None = None

    @property
    def memory_clock(self) -> float:
        """Bytes of device memory for one unit in one clock."""
        return self.memory / self.clock / self.count

    @property
    def l2_clock(self) -> float:
        """Bytes of L2 for one unit in one clock; where L2's rate is not known, `ASSUMED_L2`."""
        return ASSUMED_L2 if self.l2 is None else self.l2 / self.count

    @property
    def load_clocks(self) -> int:
        """Clocks of a load from memory; where that is not known, `ASSUMED_LATENCY`."""
        return ASSUMED_LATENCY if self.latency is None else self.latency


# Where nothing is published: bytes of L2 a clock and unit as an A100's, 5120 / 108; clocks of a load from memory
# between an A100's and an H800's.
ASSUMED_L2 = 5120 / 108
ASSUMED_LATENCY = 475


# A cache line of AMD's (nod-ai, "AMDGPU Kernel Optimization Guide", "Cache Hierarchy"), two of NVIDIA's transactions of
# 32 bytes (CUDA C++ Programming Guide).
LINES = {"amd": 128, "nvidia": 64}


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """One chip, or one instruction-set version of a family.

    `wave`: lanes of a wave. `features`: names that `Row.needs` refers to. `lds_bytes`: the most shared memory that one
    block may have. `max_threads`: of a block. `fp8`: "fnuz", "ocp", or "" where the chip converts no 8-bit floats.
    `unit`: what waves share; `shared`: its shared memory; `product`: None where its numbers are not here; `ptx`: the
    version of PTX that has all its rows, 0 on AMD; `others`: further products with other counts of units."""

    name: str
    vendor: str
    wave: int
    features: frozenset[str]
    lds_bytes: int
    max_threads: int
    fp8: str
    unit: ComputeUnit | Multiprocessor
    shared: SharedMemoryFacts
    product: Sku | None = None
    ptx: int = 0
    others: tuple[Sku, ...] = ()

    def product_with(self, count: int) -> Sku | None:
        """The product that has so many compute units; where none is known, the chip's own with that many, which then
        share its memory; None where no product is known."""
        if self.product is None:
            return None
        known = next((x for x in (self.product, *self.others) if x.count == count), None)
        return known or dataclasses.replace(self.product, name=f"{self.product.name} with {count} units", count=count)

    def has(self, row: Needs) -> bool:
        """True where the chip has an intrinsic: any one of its features suffices."""
        return bool(self.features & row.needs)

    @property
    def line(self) -> int:
        """Bytes of a row that loads should fetch at a time, at least."""
        return LINES[self.vendor]

    @property
    def dies(self) -> int:
        """XCDs to which blocks go in turn; 1 where nothing else is known."""
        return self.product.dies if self.product else 1


def in_order(lanes: int, sizes: Iterable[int], banks: int = 32) -> tuple[Phases, ...]:
    """Phases of lanes one after another, of so many."""
    return tuple(Phases(tuple(range(lanes)), size, banks) for size in sizes)
