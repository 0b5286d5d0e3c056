"""Launches come in; each runs once more, with its steps written down, and the steps go into a `TraceFile`: of executed
gfx942 code on the model of a compute unit, of PTX with probes on its executor or on a GPU, of blocks on this machine's
cores. Memory is as it was when the launch itself runs."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.inspection.trace_file import TraceFile
from avelang.nvptx.instrument import HEADER, RECORD, InstrumentedPtx, instrumented
from avelang.runtime import compile
from avelang.runtime.arguments import EXECUTORS
from avelang.runtime.arrays import CPU, Array
from avelang.runtime.assembled import DataSpace
from avelang.runtime.interception import CheckedLaunch, PtxLaunch, intercepting

if TYPE_CHECKING:
    from avelang.runtime.arguments import BoundArguments, Parameters
    from avelang.runtime.geometry import Geometry
    from avelang.runtime.gpu import GpuProgram

MOST_GROUPS = 4  # workgroups of AMD that share the model's compute unit in a trace
CLOCK = "clocks of a model of one compute unit, written as nanoseconds (docs/cu_model.md): no time on a card"
ORDER = "readings of the executor's clock, written as nanoseconds: the order of a run, and no time"
CARD = "nanoseconds of %globaltimer and %clock64, of a kernel with probes"
CORES = "nanoseconds of this machine, blocks timed one by one"


class Tracer:
    """The launches of a context: each is traced, then runs as ever. `target`: the chip for arrays of this machine,
    "cpu" for its cores, None for where each launch runs; `group`: AMD's first workgroup that is traced, by its linear
    number; `records` of a warp and `blocks` of a grid that write them, of PTX."""

    def __init__(self, target: str | None = None, group: int = 0, records: int = 1024, blocks: int = 64):
        self.trace, self.target, self.group = TraceFile(), target, group
        self.records, self.blocks = records, blocks
        self.launches: list[str] = []
        self.missing: list[str] = []

    # -- what launches show ---

    def intercept(self, launch: CheckedLaunch) -> bool:
        """Traces a launch of a jit function, and lets it run."""
        call, name = launch.call, launch.call.kernel
        target = self.target or (launch.backend.chip if launch.backend.name in EXECUTORS else CPU)  # type: ignore
        chip = compile.chip_of(str(target))
        if call.bound.device == CPU and chip is None and launch.backend.name != CPU:
            self.missing.append(f"`{name}`: the launch asks for {launch.backend.name}, which has no timeline")
            return True
        try:
            with kept(call.bound.arrays if call.bound.device == CPU else []):
                if call.bound.device != CPU:
                    self.on_gpu(launch)
                elif chip is None:
                    self.on_cores(launch)
                elif chip.vendor == "amd":
                    self.executed_amd(launch, chip.name)
                else:
                    text, meta = _assembly(launch, chip.name)
                    made = instrumented(text, meta["entry"], self.records, self.blocks)
                    cluster = meta.get("launch", {}).get("cluster") or call.bound.options.get("cluster")
                    self.executed_ptx(made, call.params, call.bound, call.at, meta["dynamic_bytes"], cluster)
            self.launches.append(name)
        except AveError as e:
            self.missing.append(f"`{name}`: {e.message}")
        return True

    def intercept_ptx(self, launch: PtxLaunch) -> bool:
        """Traces a call of the instruction level on memory of this machine, and lets it run."""
        traced = launch.kernel.traced(launch.sizes, None)
        made = instrumented(traced.with_lines, traced.entry, self.records, self.blocks)
        try:
            with kept(launch.bound.arrays):
                self.executed_ptx(made, launch.parameters, launch.bound, traced.geometry, traced.dynamic_bytes,
                                  traced.cluster if math.prod(traced.cluster) > 1 else None)  # fmt: skip
            self.launches.append(traced.entry)
        except AveError as e:
            self.missing.append(f"`{traced.entry}`: {e.message}")
        return True

    def _begin(self, unit: str) -> int:
        """The first process number of a launch."""
        self.trace.unit = unit
        self.trace.other.setdefault("clocks", unit)
        return 1 + 1000 * len(self.launches)

    # -- this machine's cores ---

    def on_cores(self, launch: CheckedLaunch) -> None:
        """Blocks on the pool's threads: a slice each. The code is the launch's own."""
        call = launch.call
        program = launch.launcher.program_of(call, launch.backend)
        steps: list[tuple[int, int, int, int]] = []
        signature = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
                                     ctypes.c_void_p)  # fmt: skip
        real = signature(program.record.run)

        def timed(args: Any, state: Any, first: int, end: int, scratch: Any) -> int:
            me = threading.get_native_id()
            for block in range(first, end):
                start = time.perf_counter_ns()
                status = real(args, state, block, block + 1, scratch)
                steps.append((me, block, start, time.perf_counter_ns()))
                if status:
                    return status
            return 0

        from avelang.native.layouts import CpuKernel
        from avelang.runtime.cpu_backend import fail
        from avelang.runtime.native import native

        back = signature(timed)
        record = CpuKernel(run=ctypes.cast(back, ctypes.c_void_p).value, scratch_bytes=program.record.scratch_bytes)
        values = (ctypes.c_uint64 * max(1, len(call.bound.slots)))(*call.bound.slots)
        status = native().run(ctypes.addressof(record), values, (ctypes.c_uint32 * 3)(*call.at.grid))
        if status and "sites" not in program.meta:
            fail(status)
        pid = self._begin(CORES)
        self.trace.process(pid, f"{call.kernel} on {os.cpu_count()} cores, grid {tuple(call.at.grid)}")
        zero = min((s for *_, s, _ in steps), default=0)
        threads = {t: n for n, t in enumerate(dict.fromkeys(t for t, *_ in sorted(steps, key=lambda x: x[2])), 1)}
        x, y, _ = call.at.grid
        for thread, block, start, end in steps:
            self.trace.thread(pid, threads[thread], f"thread {threads[thread]}")
            at = [block % x, block // x % y, block // (x * y)]
            self.trace.slice(pid, threads[thread], f"block {tuple(at)}", "block", start - zero, end - zero, block=at)

    # -- executed AMD code ---

    def executed_amd(self, launch: CheckedLaunch, target: str) -> None:
        """Some workgroups are executed; their waves' instructions run on the model of a compute unit."""
        from avelang.amdgcn.asm import parse
        from avelang.amdgcn.cu.model import CuModel, CuRecord
        from avelang.amdgcn.cu.timing import timings
        from avelang.amdgcn.report import report_of
        from avelang.sim.amdgcn.arguments import pack
        from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams
        from avelang.sim.amdgcn.trace import streams

        call = launch.call
        text, meta = _assembly(launch, target)
        machine = AmdMachine(parse(text, call.kernel), meta["entry"], profile=True, lazy=True, alike=False)
        bound, dynamic = call.bound, int(meta["dynamic_bytes"])
        grid: Any = tuple(call.at.grid)
        block: Any = tuple(call.at.block)
        regions = [(a.address, a.address + a.span()) for a in bound.arrays]
        kernarg = pack(machine.kernel, list(bound.slots), grid, block, dynamic)
        total = math.prod(grid)
        fit = report_of(machine.program, machine.chip.name, machine.kernel.name, dynamic).occupancy.groups
        first = min(self.group, max(0, total - 1))
        last = min(total, first + max(1, min(fit, MOST_GROUPS)))
        run = machine.launch(DispatchParams(grid, block, kernarg, regions, dynamic, groups=(first, last), trace=True))
        assert run.trace is not None
        waves = streams(run.trace, machine.block_ranges, len(machine.program.instructions))
        model = CuModel(machine.program.instructions, waves, timings(machine.chip.name))
        model.record = CuRecord()
        model.run()
        pid = self._begin(CLOCK)
        of_wave = [(g, w) for g, group in enumerate(waves) for w in range(len(group))]
        for g in range(len(waves)):
            self.trace.process(pid + g, f"{call.kernel} on {target}, work-group {first + g} of {total}")
        for n, (g, w) in enumerate(of_wave):
            self.trace.thread(pid + g, w + 1, f"wave {w} (SIMD {n % 4})")
            for kind, a, b, index, count in stages_of(model.record, n):
                i = machine.program.instructions[index]
                self.trace.slice(
                    pid + g,
                    w + 1,
                    kind,
                    "wait" if kind.startswith("waits") else "stage",
                    a,
                    b,
                    at=_where(i.source),
                    instruction=" ".join(i.text.split()),
                    instructions=count,
                )

    # -- PTX with probes ---

    def executed_ptx(
        self, made: InstrumentedPtx, params: Parameters, bound: BoundArguments, at: Geometry, dynamic: int, cluster: Any
    ) -> None:  # fmt: skip
        """The grid on the PTX executor."""
        from avelang.sim.ptx import Program, tensor_map

        records = np.zeros(made.bytes_for(tuple(at.grid), tuple(at.block)) // 8, np.uint64)
        program = Program(made.text, entry=made.entry)
        args: list[Any] = []
        memory: dict[int, tuple[int, int, str, bool]] = {}
        for spec, value, slot, v in zip(params.runtime, bound.values, bound.slots, program.code.params, strict=False):
            if spec.map is not None:
                args.append(tensor_map(spec.map, value.address, value.shape, value.strides))
                memory[value.address] = (value.address, value.span(), spec.name, True)
                continue
            args.append(slot & (1 << 8 * v.bytes) - 1)
            if isinstance(value, Array) and value.size:
                memory[value.address] = (value.address, value.span(), spec.name, True)
        args.append(records.ctypes.data)
        places = [*memory.values(), (records.ctypes.data, records.nbytes, "the trace", True)]
        grid: Any = tuple(at.grid)
        block: Any = tuple(at.block)
        program.launch(args, grid, block, dynamic, tuple(cluster) if cluster else None, places)  # type: ignore
        self.decode(made, records, at, ORDER, "the PTX executor")

    def on_gpu(self, launch: CheckedLaunch) -> None:
        """The grid on the arrays' own NVIDIA GPU, by the code of the PTX with probes."""
        from avelang.runtime import streams, tensor_maps

        call: Any = launch.call
        backend: Any = launch.backend
        chip = str(call.bound.options.get("target", backend.chip.name))
        if backend.chip.vendor != "nvidia":
            self.missing.append(f"`{call.kernel}`: probes are put into PTX, and {backend.name} has none")
            return
        text, meta = _assembly(launch, chip)
        made = instrumented(text, meta["entry"], self.records, self.blocks)
        code, said = backend.driver.machine_code(backend, made.text, chip, meta["entry"], None)
        program = backend.load(code, {**meta, **said, "params": meta["params"] + 1})
        records = np.zeros(made.bytes_for(tuple(call.at.grid), tuple(call.at.block)) // 8, np.uint64)
        stream = call.bound.stream
        if stream is None:
            stream = streams.current(call.bound.arrays, backend.index)[0]
        if call.bound.maps:
            with backend.driver.on(backend, f"encoding a tensor map on {backend.name}"):
                tensor_maps.encode_all(backend.driver, call.params.runtime, call.bound, program.writes)
        with backend.driver.on(backend, f"tracing `{call.kernel}` on {backend.name}"):
            captured = backend.driver.capturing(stream)  # then `lending` refuses, and a copy would spoil the capture
        program.finish(call.at, call.bound, call.names, stream)
        with contextlib.nullcontext() if captured else kept(call.bound.arrays, program):
            program.lending(call.at, call.bound, call.names, stream, [records])
        self.decode(made, records, call.at, CARD, backend.name)

    def decode(self, made: InstrumentedPtx, records: np.ndarray, at: Geometry, unit: str, where: str) -> None:
        """The slices of the records of a launch."""
        pid = self._begin(unit)
        warps = -(-math.prod(at.block) // 32)
        table = records.reshape(-1, made.records, RECORD // 8)
        shift, mask = np.uint64(16), np.uint64(HEADER)
        used = [(w, row[: int(np.count_nonzero(row[:, 1]))]) for w, row in enumerate(table) if row[0, 1]]
        zero = min((int(r[0, 0]) for _, r in used), default=0)
        rate = _rate([r for _, r in used])
        x, y, _ = at.grid
        for w, r in used:
            block, warp = divmod(w, warps)
            place = (block % x, block // x % y, block // (x * y))
            sm = int(r[0, 1] >> shift)
            self.trace.process(pid + block, f"{made.entry} on {where}, block {place}" + (f", SM {sm}" if sm else ""))
            self.trace.thread(pid + block, warp + 1, f"warp {warp}")
            numbers, clocks = (r[1:, 1] & mask).tolist(), (r[1:, 1] >> shift).astype(np.int64)
            if not len(clocks):
                continue
            start = float(int(r[1, 0]) - zero)
            times = start + (clocks - clocks[0]) * rate
            for k in range(len(numbers)):
                probe = made.probes[numbers[k] - 1] if 0 < numbers[k] <= len(made.probes) else None
                if probe is None or not probe.stage:
                    continue
                end = float(times[k + 1]) if k + 1 < len(times) else float(times[k])
                self.trace.slice(pid + block, warp + 1, probe.stage, "stage", float(times[k]), end,
                                 at=_where((probe.file, probe.line)), instruction=probe.text)  # fmt: skip
            if len(r) == made.records:
                self.trace.other["cut"] = f"a warp writes {made.records} records at most"


def _rate(rows: Sequence[np.ndarray]) -> float:
    """Nanoseconds of a clock of %clock64, by all warps that ran for long enough to tell; 1 where none did."""
    spans = [(int(r[-1, 0]) - int(r[1, 0]), int(r[-1, 1] >> np.uint64(16)) - int(r[1, 1] >> np.uint64(16)))
             for r in rows if len(r) > 2]  # fmt: skip
    time_, clocks = sum(t for t, _ in spans), sum(c for _, c in spans)
    return time_ / clocks if time_ > 0 and clocks > 0 else 1.0


def _where(source: tuple[Any, ...] | None) -> str:
    return f"{source[0]}:{source[1]}" if source and source[1] else ""


def stages_of(record: Any, wave: int) -> Iterator[tuple[str, float, float, int, int]]:
    """(kind, first clock, last, index of the first instruction, how many) of what a wave does and waits for, in order;
    steps of one kind are one, and none overlap."""
    steps = [(a, b, _KINDS.get(kind, kind), n, 1) for w, n, kind, a, b in record.issued if w == wave]
    steps += [(a, b, f"waits: {why}", n, 0) for w, n, why, a, b in record.waits if w == wave and b > a]
    steps.sort(key=lambda s: (s[0], s[4]))
    merged: list[list[Any]] = []
    for a, b, kind, n, count in steps:
        if not kind:  # waits that are over at once, hints
            continue
        last = merged[-1] if merged else None
        if last is not None and last[0] == kind and (count == 0 or a - last[2] <= _GAP):
            last[2], last[4] = max(last[2], b), last[4] + count
            continue
        if last is not None and last[2] > a:
            last[2] = a
        merged.append([kind, a, b, n, count])
    for kind, a, b, n, count in merged:
        if b > a:
            yield kind, float(a), float(b), n, count


_GAP = 16  # clocks between instructions of one kind that are still one stage
_KINDS = {"lds": "LDS", "valu": "vector", "salu": "scalar", "smem": "scalar memory", "wait": "", "priority": "",
          "branch": "branch", "nop": "", "sleep": "sleep"}  # fmt: skip


def _assembly(launch: CheckedLaunch, target: str) -> tuple[str, dict[str, Any]]:
    """The code of a launch for a chip, and what is known of it."""
    call = launch.call
    options = {n: v for n, v in call.bound.options.items() if n not in ("backend", "stream", "target")}
    return compile.device_assembly(launch.launcher.source, call.bound.constexprs, target, call.at.block, options)


@contextlib.contextmanager
def kept(arrays: Sequence[Array], program: GpuProgram | None = None) -> Iterator[None]:
    """Memory that may be written is as it was before, behind what is within. On a GPU, that of `program`, nothing may
    run meanwhile that writes it."""
    space = DataSpace([(str(i), a) for i, a in enumerate(arrays) if not a.read_only])
    if program:
        taken = space.read(program)
        try:
            yield
        finally:
            space.write(program, taken)
        return
    copies = [ctypes.string_at(m.start, m.size) for m in space.ranges]
    try:
        yield
    finally:
        for m, copy in zip(space.ranges, copies, strict=True):
            ctypes.memmove(m.start, copy, m.size)


@contextlib.contextmanager
def tracing(target: str | None = None, **options: int) -> Iterator[Tracer]:
    """Traces the launches within: `Tracer.trace` has their timeline. `options`: of `Tracer`."""
    tracer = Tracer(target, **options)
    aimed = knobs.with_target(target) if target not in (None, "cpu") else contextlib.nullcontext()
    with intercepting(tracer, everywhere=True), aimed:
        yield tracer
