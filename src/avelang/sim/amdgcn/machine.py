"""A program of gfx942 or gfx950 and launches of its kernels come in; memory of this machine changes, and faults become
errors.

What the hardware's command processor does before a wave starts is done here: scalar registers by the kernel's
descriptor, work-item ids in v0 (LLVM, "User Guide for AMDGPU Backend", Initial Kernel Execution State).
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from avelang.amdgcn.asm import AsmKernel, AsmProgram, MCInst
from avelang.amdgcn.code_object import USER_SGPRS
from avelang.arch import chip
from avelang.base import interrupts
from avelang.base.errors import error
from avelang.llvm.engine import LoadedCode
from avelang.sim.amdgcn import check, check_found, check_text, checks, memory_traffic, objects, reports
from avelang.sim.amdgcn.lazy import RUN, Lazy, Store
from avelang.sim.amdgcn.memory_traffic import Traffic
from avelang.sim.amdgcn.ordering import Ordering, followed, split
from avelang.sim.amdgcn.program import accumulators, blocks, translate, unified
from avelang.sim.amdgcn.state import (
    ARCHITECTED,
    CELLS,
    FILE,
    GROUP,
    GROUP_BYTES,
    LANES,
    MAX_WAVES,
    STACK,
    VECTORS,
    WAVE,
    WAVE_BYTES,
)  # fmt: skip
from avelang.sim.amdgcn.translator import Options

Dim3 = tuple[int, int, int]
ORDERS = ("forward", "reverse", "random")
DYNAMIC_SCRATCH = 1 << 14  # bytes of a lane whose kernel does not know how many its functions take
MOST_SCRATCH = 1 << 17  # bytes of a lane: what the hardware can address


@dataclasses.dataclass(frozen=True, slots=True)
class DispatchResult:
    """Results of a launch: wave-instructions executed; with `profile` the LDS cycles of each instruction beyond the
    least (see `AmdMachine`), and the bytes that lanes moved; and the registers of the waves of the last workgroup, as
    they ended: uint32 (waves, 512, 64), accumulation registers behind the 256 others (where `accum_offset` is less,
    some are in both), and uint32 (waves, cells). `reports`: what the checker found and the launch went on behind.
    `trace`: with `DispatchParams.trace`, uint64 records of what waves executed (see `trace`)."""

    instructions: int
    conflicts: dict[int, int]
    vectors: np.ndarray
    scalars: np.ndarray
    traffic: Traffic = dataclasses.field(default_factory=Traffic)
    reports: tuple[checks.CheckReport, ...] = ()
    trace: np.ndarray | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class DispatchParams:
    """One launch. `regions` are (start, end) of the memory that the kernel may touch, addresses of this machine;
    `names` what errors call the first of them. `vectors`, uint32 (waves, n, 64) with v0 first, and `scalars`, by cell,
    are what registers hold at the start, instead of what the descriptor asks for. `groups`: only the workgroups first
    .. end - 1 run, by their linear number. `trace`: what waves execute is recorded (of a machine with `profile`, one
    workgroup after another). `rank`, `ranked`: whose launch this is, beside those of other ranks (`ranked.Ranked`)."""

    grid: Dim3
    block: Dim3
    kernarg: bytes
    regions: Sequence[tuple[int, int]]
    dynamic_lds: int = 0
    vectors: np.ndarray | None = None
    scalars: Mapping[int, int] = dataclasses.field(default_factory=dict)
    names: Sequence[str] = ()
    groups: tuple[int, int] | None = None
    trace: bool = False
    rank: int | None = None
    ranked: Any = None


TRACED = 1 << 25  # records of a traced launch; memory is taken as it is written


def aligned(count: int, align: int = 64) -> np.ndarray:
    """`count` zero bytes at an aligned address."""
    raw = np.zeros(count + align, np.uint8)
    start = -raw.ctypes.data % align
    return raw[start : start + count]


def items(block: Dim3, dims: int) -> tuple[np.ndarray, int]:
    """v0 of each wave, uint32 (waves, 64): x, y and z of the work-item in 10 bits each, of which the kernel asks for
    the first `dims`: the others are 0, and LLVM does not mask them; and the number of work-items. Lanes past the last
    work-item are not active."""
    n = block[0] * block[1] * block[2]
    waves = -(-n // LANES)
    flat = np.arange(waves * LANES)
    packed = flat % block[0] | flat // block[0] % block[1] << 10 | flat // (block[0] * block[1]) << 20
    packed &= (1 << 10 * dims) - 1
    return np.where(flat < n, packed, 0).astype(np.uint32).reshape(waves, LANES), n


class _State:
    """The memory of one workgroup at a time: what one thread works on."""

    def __init__(self, waves: int, lds: int, private: int):
        self.waves = aligned(waves * WAVE_BYTES)
        self.waves.view(np.uint32)[:] = 0xDEADBEEF  # what registers hold that nothing wrote
        self.lds = aligned(max(lds, 64))
        self.private = aligned(max(64, waves * LANES * private))
        self.group = aligned(GROUP_BYTES)
        for n in range(waves):
            self.put_wave(n, "count", 0, "<Q")
            self.put_wave(n, "private", self.private.ctypes.data + n * LANES * private, "<Q")

    def lend(self, group_bytes: int, wave_bytes: int) -> None:
        """Memory for the checker's records of the workgroup and of each wave."""
        waves = len(self.waves) // WAVE_BYTES
        self.records = aligned(group_bytes), aligned(waves * wave_bytes), aligned(check_found.BYTES)
        self.put("reports", self.records[2].ctypes.data, "<Q")
        self.put("check", self.records[0].ctypes.data, "<Q")
        for n in range(waves):
            self.put_wave(n, "check", self.records[1].ctypes.data + n * wave_bytes, "<Q")

    def put(self, name: str, value: int, kind: str) -> None:
        struct.pack_into(kind, self.group.data, GROUP[name], value)

    def put_wave(self, n: int, name: str, value: int, kind: str) -> None:
        struct.pack_into(kind, self.waves.data, n * WAVE_BYTES + WAVE[name], value)

    def get(self, name: str, kind: str = "<I") -> int:
        return struct.unpack_from(kind, self.group.data, GROUP[name])[0]


@dataclasses.dataclass(frozen=True, slots=True)
class Ready:
    """A translation ready to run: object files for this machine, packed, and why instructions of it cannot be executed,
    by their index."""

    payload: bytes
    unknown: Mapping[int, str]


def _end(states: list[_State]) -> None:
    """Makes workgroups that run end at their next branch."""
    for state in states:
        state.put("stop", 1, "<I")


class AmdMachine:
    """A kernel of a program, translated for this machine.

    `kernel`: its name; may be left out where there is one. `check`: what is verified, at the cost of speed (see
    `checks.words`). `collect`: launches go on behind what the checker finds, and `DispatchResult.reports` says it; they
    stop else. Advisories never stop. `profile`: LDS cycles lost to bank conflicts and bytes moved are counted. `order`:
    which wave of a workgroup runs first between barriers: "forward", "reverse", or "random" from `seed`. `ready`: what
    the attribute of that name was of a machine with the same program and options. `lazy`: blocks become machine code
    when a wave first comes to them; `store` keeps them between processes. `mutable`: `skip` names a wait or a barrier
    that does nothing (see `mutate`). `alike`: waves that store the same value at one place do not race: as hardware has
    it, but not the language.
    """

    def __init__(
        self, program: AsmProgram, kernel: str = "", *, check: checks.Check = False, profile: bool = False,
        order: str = "forward",
        seed: int = 1, ready: Ready | None = None, mutable: bool = False, collect: bool = False, lazy: bool = False,
        store: Store | None = None,
        alike: bool = True,
    ):  # fmt: skip
        self.program = program
        self.kernel = self._kernel(kernel)
        self.program = unified(program, self.kernel)
        self.chip = chip(program.chip or "gfx942")
        if order not in ORDERS:
            raise error(
                "X027", kernel=self.kernel.name, what=f"order={order!r}", why=f"it is one of {', '.join(ORDERS)}"
            )
        self.order, self.seed = order, seed
        self.options, self.collect = Options(checks.words(check), profile, mutable), collect
        self.reports: tuple[checks.CheckReport, ...] = ()  # of the last launch, also of one that stopped
        self.skip, self.alike = check_text.NOTHING, alike
        self.records: list[np.ndarray] = []  # the checker's, of the workgroups of the last launch: one for each thread
        self.lazy = Lazy(self.program, self.kernel.label, self.options, store) if lazy and not ready else None
        self.ready = Ready(b"", self.lazy.unknown) if self.lazy else ready or self._translated()
        self._code = None if self.lazy else LoadedCode(self.ready.payload)
        self._image = self._load()

    def _translated(self) -> Ready:
        made = translate(self.program, self.kernel.label, self.options)
        return Ready(objects.made(made.module)[0], made.unknown)

    def _kernel(self, name: str) -> AsmKernel:
        kernels = self.program.kernels
        if not name and len(kernels) == 1:
            return next(iter(kernels.values()))
        if name not in kernels:
            raise error("D023", what="the program", name=name or "(no name given)", known=", ".join(kernels) or "none")
        return kernels[name]

    def _load(self) -> np.ndarray:
        """The program's data at an address of this machine, with the addresses in it filled in."""
        data = self.program.data
        image = aligned(max(64, len(data.content)))
        image[: len(data.content)] = np.frombuffer(data.content, np.uint8)
        for offset, symbol, addend in data.fixups:
            at = (
                data.labels[symbol]
                if symbol in data.labels
                else self.program.instructions[self.program.labels[symbol]].address
            )
            struct.pack_into("<Q", image.data, offset, image.ctypes.data + at + addend)
        return image

    # -- launches ------------------------------------------------------------------------------------------------------

    def launch(self, launch: DispatchParams, threads: int = 1) -> DispatchResult:
        """Runs a grid; `threads` workgroups at a time. Raises X021 to X026 for what stops a wave, X027 for extents that
        cannot be."""
        self._check(launch)
        launch = self._in_words(launch)
        total = launch.grid[0] * launch.grid[1] * launch.grid[2]
        if total == 0:
            return DispatchResult(0, {}, np.zeros((0, 512, LANES), np.uint32), np.zeros((0, CELLS), np.uint32))
        # Races in memory are followed by one thread, in whose order all workgroups stand.
        races = followed(self.options.check, self.chip.name)
        begin, end = launch.groups or (0, total)
        threads = 1 if races or launch.trace else max(1, min(threads, end - begin))
        cuts = [begin + (end - begin) * n // threads for n in range(threads + 1)]
        profile = np.zeros((memory_traffic.KINDS, len(self.program.instructions)), np.uint64)
        kernarg = aligned(len(launch.kernarg) + 256)
        kernarg[: len(launch.kernarg)] = np.frombuffer(launch.kernarg, np.uint8)
        states = [self._state(launch, kernarg, profile, n) for n in range(threads)]
        order = self._ordering(states[0], launch) if races else None
        beside = launch.ranked if launch.ranked is not None and order is launch.ranked.order is not None else None
        if beside is not None and launch.rank:
            cuts = [n + launch.rank * total for n in cuts]
        trace = np.zeros(TRACED if launch.trace else 0, np.uint64)
        if launch.trace:
            states[0].put("trace", trace.ctypes.data, "<Q")
            states[0].put("trace_end", trace.ctypes.data + trace.nbytes, "<Q")
        ranges = list(zip(states, cuts, cuts[1:], strict=False))
        with beside.turns(launch.rank) if beside is not None else contextlib.nullcontext():
            bad = interrupts.run([functools.partial(self._go, *r) for r in ranges], functools.partial(_end, states))
        for failed in (order and order.failed, self.lazy and self.lazy.failed):
            if failed:
                raise failed
        if self.lazy:
            self.lazy.save()
        self.reports = reports.collected(self, states, launch) if self.options.check else ()
        for state, failed in zip(states, bad, strict=True):
            if failed:
                raise reports.fault(self, state, launch)
        self.records = [s.records[0] for s in states if self.options.check]
        count = sum(
            int(s.waves[n * WAVE_BYTES + WAVE["count"] :][:8].view(np.uint64)[0])
            for s in states
            for n in range(self._waves(launch))
        )
        waves = states[-1].waves.reshape(-1, WAVE_BYTES)
        vectors = self._two_files(waves[:, VECTORS:].view(np.uint32).reshape(len(waves), FILE, LANES))
        lost = {int(n): int(profile[memory_traffic.LOST, n]) for n in np.flatnonzero(profile[memory_traffic.LOST])}
        moved = memory_traffic.traffic(self.program.instructions, profile)
        kept = self._traced(trace, states[0]) if launch.trace else None
        return DispatchResult(count, lost, vectors, waves[:, : 4 * CELLS].view(np.uint32), moved, self.reports, kept)

    def _traced(self, trace: np.ndarray, state: _State) -> np.ndarray:
        """The records that were written. Raises X027 where there were more than find place."""
        count = (state.get("trace", "<Q") - trace.ctypes.data) // 8
        if count > len(trace):
            why = f"its {count:,} records are more than {len(trace):,}: trace fewer workgroups, or a smaller problem"
            raise error("X027", kernel=self.kernel.name, what="a trace", why=why)
        return trace[:count].copy()

    @functools.cached_property
    def counting(self) -> AmdMachine:
        """This machine with `profile`: what can be traced."""
        if self.options.profile:
            return self
        return AmdMachine(self.program, self.kernel.name, profile=True, lazy=True, alike=self.alike)

    @property
    def block_ranges(self) -> tuple[tuple[int, int], ...]:
        """The instructions [first, end) of each block, by the numbers that a trace has."""
        if self.lazy:
            return self.lazy.ranges
        return tuple(blocks(self.program, self.program.labels[self.kernel.label]))

    def _two_files(self, held: np.ndarray) -> np.ndarray:
        """The unified file (waves, 512, 64) as `DispatchResult` has it: what v names, then what a names."""
        first = accumulators(self.kernel)
        if first == ARCHITECTED:
            return held
        behind = np.zeros_like(held[:, :ARCHITECTED])
        behind[:] = held[:, first : first + ARCHITECTED]
        return np.concatenate([held[:, :ARCHITECTED], behind], axis=1)

    def _one_file(self, given: np.ndarray) -> np.ndarray:
        """What `DispatchParams.vectors` gives, as it stands in the unified file."""
        first = accumulators(self.kernel)
        if first == ARCHITECTED or given.shape[1] <= first:
            return np.ascontiguousarray(given, np.uint32)
        held = np.full((len(given), FILE, LANES), 0xDEADBEEF, np.uint32)
        held[:, :first] = given[:, :first]
        behind = given[:, ARCHITECTED : ARCHITECTED + FILE - first]
        held[:, first : first + behind.shape[1]] = behind
        return held

    def _ordering(self, state: _State, launch: DispatchParams) -> Ordering:
        """Who follows releases and acquires, and the records of memory."""
        of, order = (accumulators(self.kernel), state, launch, split(self.kernel)), None
        if launch.ranked is not None:
            order = launch.ranked.ordering(self, *of)
        order = order or Ordering(self.program, *of, self.alike)
        state.put("shadow", order.table.ctypes.data, "<Q")
        state.put("shadows", len(order.table), "<I")
        state.put("judge", ctypes.cast(order.call, ctypes.c_void_p).value or 0, "<Q")
        return order

    @functools.cached_property
    def _run(self) -> Callable[[int, int, int], int]:
        """`ave_run`."""
        code = self._code or (self.lazy and self.lazy.start())
        assert code
        return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
            code.address(RUN if self.lazy else "ave_run")
        )

    def _go(self, state: _State, first: int, last: int) -> int:
        return self._run(state.group.ctypes.data, first, last) if first < last else 0

    @staticmethod
    def _waves(launch: DispatchParams) -> int:
        return -(-launch.block[0] * launch.block[1] * launch.block[2] // LANES)

    def _check(self, launch: DispatchParams) -> None:
        name, waves = self.kernel.name, self._waves(launch)
        items, most = (
            launch.block[0] * launch.block[1] * launch.block[2],
            self.kernel.said.get("max_flat_workgroup_size", MAX_WAVES * LANES),
        )
        lds = -(-self.kernel.get("group_segment_fixed_size") // 4) * 4 + launch.dynamic_lds  # given in words
        for what, bad, why in (
            (f"block {launch.block}", not 1 <= waves <= MAX_WAVES,
                f"a workgroup has 1 to {MAX_WAVES * LANES} work-items"),
            (f"block {launch.block}", items > most,
                f"the kernel was compiled for {most} work-items at most (.max_flat_workgroup_size)"),
            (f"workgroups {launch.groups} of {math.prod(launch.grid)}",
                launch.groups is not None and not 0 <= launch.groups[0] < launch.groups[1] <= math.prod(launch.grid),
                "first and end of a range of them"),
            ("a trace", launch.trace and not self.options.profile, "only a machine with profile=True has one"),
            (f"grid {launch.grid}", min(launch.grid) < 0 or max(launch.grid) >= 1 << 31, "extents are 0 to 2**31 - 1"),
            (f"{lds} bytes of LDS", lds > self.chip.lds_bytes,
                f"a workgroup of {self.chip.name} has at most {self.chip.lds_bytes}"),
            (f"{self.kernel.get('private_segment_fixed_size')} bytes of scratch",
                self.kernel.get("private_segment_fixed_size") > MOST_SCRATCH,
             f"a lane has at most {MOST_SCRATCH}"),
            (f"{len(launch.kernarg)} bytes of arguments", len(launch.kernarg) < self.kernel.get("kernarg_size"),
             f"its arguments take {self.kernel.get('kernarg_size')} bytes"),
        ):  # fmt: skip
            if bad:
                raise error("X027", kernel=name, what=what, why=why)

    def _in_words(self, launch: DispatchParams) -> DispatchParams:
        """The launch, with memory in whole words where the code swaps words: an update of 16 bits swaps the word that
        they are in, which memory of a GPU has whole."""
        swaps = ("global_atomic_cmpswap", "flat_atomic_cmpswap", "buffer_atomic_cmpswap")
        if not any(i.text.startswith(swaps) for i in self.program.instructions):
            return launch
        return dataclasses.replace(launch, regions=[(s & ~3, -(-e // 4) * 4) for s, e in launch.regions])

    def _private(self) -> int:
        """Bytes of a lane's stack. Where functions recurse or are called by address the compiler knows the kernel's own
        part alone; HIP gives 1 KiB then, and as much as a program asks for (hipLimitStackSize)."""
        own = self.kernel.get("private_segment_fixed_size")
        return max(own, DYNAMIC_SCRATCH) if self.kernel.get("uses_dynamic_stack") else own

    def _state(self, launch: DispatchParams, kernarg: np.ndarray, profile: np.ndarray, n: int) -> _State:
        v0, count = items(launch.block, 1 + self.kernel.get("system_vgpr_workitem_id"))
        start = v0[:, None] if launch.vectors is None else self._one_file(launch.vectors)
        lds = -(-self.kernel.get("group_segment_fixed_size") // 4) * 4 + launch.dynamic_lds  # given in words
        private = self._private()
        state = _State(len(v0), lds, private)
        packet = np.frombuffer(self._packet(launch, kernarg, lds, private), np.uint8).copy()
        template, id_cell = self._template(launch, kernarg, packet, private)
        given = [*launch.regions, *((x.ctypes.data, x.ctypes.data + x.nbytes) for x in (kernarg, packet, self._image))]
        regions = np.array(given, np.uint64)
        state.keep = (template, start, regions, packet, kernarg, profile)  # type: ignore[attr-defined]
        mask = sum(self.kernel.get(f"system_sgpr_workgroup_id_{d}") << k for k, d in enumerate("xyz"))
        tail = count % LANES
        for name, value in (
            ("lds", state.lds.ctypes.data), ("wave_states", state.waves.ctypes.data), ("kernarg", kernarg.ctypes.data),
            ("regions", regions.ctypes.data), ("template", template.ctypes.data), ("items", start.ctypes.data),
            ("image", self._image.ctypes.data),
            ("finder", self.lazy.finder if self.lazy else 0), ("profile", profile.ctypes.data),
            ("last_exec", (1 << tail) - 1 if tail else (1 << 64) - 1),
        ):  # fmt: skip
            state.put(name, value, "<Q")
        for name, value in (
            ("lds_bytes", lds), ("waves", len(v0)), ("region_count", len(given)), ("private_bytes", private),
            ("item_registers", start.shape[1]),
            ("id_cell", id_cell), ("id_mask", mask), ("skip", self.skip), ("collect", self.collect),
            ("order", ORDERS.index(self.order)), ("seed", (self.seed + 0x9E3779B9 * n) % (1 << 32) or 1),
        ):  # fmt: skip
            state.put(name, value, "<I")
        if self.options.check:
            state.lend(check.group_bytes(self.program, lds), check.wave_bytes(self.program))
        for k in range(3):
            struct.pack_into("<I", state.group.data, GROUP["grid"] + 4 * k, launch.grid[k])
        return state

    def _packet(self, launch: DispatchParams, kernarg: np.ndarray, lds: int, private: int) -> bytes:
        """The dispatch packet that the dispatch pointer points at (HSA Platform System Architecture 1.2, section
        2.9.6)."""
        sizes = [g * b for g, b in zip(launch.grid, launch.block, strict=True)]
        sizes = [min(s, 0xFFFFFFFF) for s in sizes]
        return struct.pack(
            "<HHHHHHIIIIIQQQQ", 2, 3, *launch.block, 0, *sizes, private, lds, 0, kernarg.ctypes.data, 0, 0
        )

    def _template(
        self, launch: DispatchParams, kernarg: np.ndarray, packet: np.ndarray, private: int
    ) -> tuple[np.ndarray, int]:
        """The scalar registers of a new wave, and the cell of its first workgroup id."""
        cells = np.full(CELLS, 0xDEADBEEF, np.uint32)
        values = {
            "user_sgpr_dispatch_ptr": packet.ctypes.data, "user_sgpr_kernarg_segment_ptr": kernarg.ctypes.data,
            "user_sgpr_private_segment_size": private, "user_sgpr_private_segment_buffer": STACK,
        }  # fmt: skip
        at = 0
        for short, size in USER_SGPRS:
            name = f"user_sgpr_{short}"
            if not self.kernel.get(name):
                continue
            value = values.get(name, 0)
            cells[at : at + size] = [value >> 32 * k & 0xFFFFFFFF for k in range(size)]
            at += size
        length, offset = (self.kernel.get(f"user_sgpr_kernarg_preload_{x}") for x in ("length", "offset"))
        if length:
            cells[at : at + length] = kernarg[4 * offset : 4 * (offset + length)].view(np.uint32)
            at += length
        at = max(at, self.kernel.get("user_sgpr_count"))
        # Behind the numbers of the workgroup: where the stacks of a wave begin in those of all. Here each wave has its
        # own.
        behind = sum(self.kernel.get(f"system_sgpr_workgroup_{x}") for x in ("id_x", "id_y", "id_z", "info"))
        if self.kernel.get("system_sgpr_private_segment_wavefront_offset"):
            cells[at + behind] = 0
        cells[126:128] = 0xFFFFFFFF
        cells[124] = 0xFFFFFFFF
        cells[128] = 0
        for cell, value in launch.scalars.items():
            cells[cell] = value
        return cells, at

    def instruction(self, index: int) -> MCInst:
        """The instruction of a fault."""
        return self.program.instructions[index]
