"""The model: streams of the waves of workgroups on one compute unit come in, clocks and stalls go out.

Each of four SIMDs has its turn every four clocks. In a turn it issues at most one instruction of a wave and at most one
for each port (vector, scalar, memory, LDS, branch) of different waves: the wave of the highest priority first, then the
oldest (AMD, "Graphics Cores Next Architecture" white paper, "CU scheduling"). Waits, barriers and hints go by no port.
A matrix instruction holds its SIMD's matrix pipe for its passes, another vector instruction the vector pipe. LDS and
vector memory are one unit each for the whole CU: they serve one access after another, in the order of issue. A pair of
SIMDs has a queue to LDS and a bus from it, a SIMD a queue to memory; where a queue is full, the wave waits.

Registers are followed, also where hardware does not wait by itself: right code has s_nop there. Counters are: an
instruction that would count beyond what its counter holds waits. Results of loads come back in order."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from avelang.amdgcn.asm import MCInst
from avelang.amdgcn.cu.stream import WaveStream
from avelang.amdgcn.cu.timing import INTERNAL, LANES, SIMDS, TURN, CuOp, CuTimings, op_of
from avelang.amdgcn.effects import CELLS

NEVER = 1 << 60
# What a wave may wait for, in the order of reports.
CAUSES = ("vmcnt", "lgkmcnt", "barrier", "dependency", "matrix pipe", "vector pipe", "LDS queue", "memory queue",
          "counter", "issue", "nop", "branch")  # fmt: skip

OWN = ("barrier", "nop", "branch")  # causes of time behind an instruction: that one is named


@dataclasses.dataclass(frozen=True, slots=True)
class CuResult:
    """Figures of a model of one CU. `clocks`: until the last wave ended. `waves`: how many.
    `matrix`: clocks that the matrix pipes of the four SIMDs were held, together; `steady`: the share of their time
    between the end of the first quarter of all matrix instructions and the end of the third. `lds`, `memory`: clocks
    that LDS and vector memory's addresses were served. `issued`: instructions by kind. `stalls`: clocks that waves
    waited, by (index of the instruction that could not go, cause). `held`: clocks of the matrix pipes by instruction.
    `loop`: the share of the matrix pipes' time while all waves are in the main loop, from the second iteration of the
    last to come to the last one of the first to leave; None where the loop is not known or has fewer than four
    iterations."""

    chip: str
    clocks: int
    waves: int
    matrix: int
    steady: float
    lds: int
    memory: int
    issued: dict[str, int]
    stalls: dict[tuple[int, str], int]
    held: dict[int, int]
    loop: float | None = None

    @property
    def share(self) -> float:
        """The share of all matrix pipes' time, from start to end."""
        return self.matrix / (SIMDS * self.clocks) if self.clocks else 0.0

    @property
    def causes(self) -> dict[str, int]:
        """Clocks that waves waited, by cause."""
        found: Counter[str] = Counter()
        for (_, cause), clocks in self.stalls.items():
            found[cause] += clocks
        return {c: found[c] for c in CAUSES if found[c]}


@dataclasses.dataclass(slots=True)
class CuRecord:
    """Every step of a run. `issued`: (wave, index of the instruction, kind, first clock, clock behind the last that it
    holds its issue slot or pipe); `waits`: (wave, index of the instruction that cannot go, cause, from, to)."""

    issued: list[tuple[int, int, str, int, int]] = dataclasses.field(default_factory=list)
    waits: list[tuple[int, int, str, int, int]] = dataclasses.field(default_factory=list)


class _Wave:
    __slots__ = ("age", "at", "block", "dep", "dep_at", "factor", "lgkm", "next", "other", "owner", "plain", "priority",
                 "rounds", "same", "simd", "since", "stream", "vm", "which", "why")  # fmt: skip

    def __init__(self, age: int, block: int, simd: int, stream: WaveStream, start: int):
        self.age, self.block, self.simd, self.stream = age, block, simd, stream
        self.at, self.next, self.priority = 0, start, 0
        # When what a register holds is there: for anybody; to be multiplied; to be added to the same, or to others.
        self.plain, self.factor = [0] * CELLS, [0] * CELLS
        self.same, self.other = [0] * CELLS, [0] * CELLS
        self.owner: list[tuple[int, int] | None] = [None] * CELLS
        self.vm: list[int] = []
        self.lgkm: list[int] = []
        self.dep, self.dep_at = 0, -1
        self.rounds: list[int] = []  # when it came to the main loop's first instruction
        self.since, self.why, self.which = start, "", 0


class _Block:
    __slots__ = ("arrived", "live", "waves")

    def __init__(self, waves: list[_Wave]):
        self.waves, self.live = waves, len(waves)
        self.arrived: list[_Wave] = []


def _outstanding(done: list[int], allowed: int, t: int) -> int:
    """When at most `allowed` of the accesses that end at these times are under way; `t` where they are now."""
    if len(done) <= allowed:
        return t
    done[:] = [x for x in done if x > t]
    if len(done) <= allowed:
        return t
    return sorted(done, reverse=True)[allowed]


class CuModel:
    """One run. `code`: the program's instructions; `blocks`: the streams of the waves of each workgroup. `stagger`:
    clocks by which each workgroup starts behind the one before; `header`: the first instruction of the main loop."""

    def __init__(
        self, code: Sequence[MCInst], blocks: Sequence[Sequence[WaveStream]], t: CuTimings, stagger: int = 0,
        header: int = -1,
    ):  # fmt: skip
        self.t, self.header = t, header
        used = {n for b in blocks for s in b for n in s.code}
        self.ops: dict[int, CuOp] = {n: op_of(code[n], t) for n in used}
        self.waves: list[_Wave] = []
        self.blocks: list[_Block] = []
        for b, streams in enumerate(blocks):
            mine = [_Wave(len(self.waves) + n, b, (len(self.waves) + n) % SIMDS, s, b * stagger)
                    for n, s in enumerate(streams)]
            self.blocks.append(_Block(mine))
            self.waves += mine
        self.simds = [[w for w in self.waves if w.simd == n] for n in range(SIMDS)]
        self.matrix_free, self.vector_free = [0] * SIMDS, [0] * SIMDS
        self.lds_free = self.memory_free = 0
        self.lds_waiting: list[list[int]] = [[] for _ in range(SIMDS // 2)]  # when each access leaves its pair's queue
        self.bus_free = [0] * (SIMDS // 2)
        self.memory_waiting: list[list[int]] = [[] for _ in range(SIMDS)]
        self.arrivals: list[tuple[int, int]] = []  # of loads to LDS: when, and the clocks that LDS takes
        self.stalls: Counter[tuple[int, str]] = Counter()
        self.issued: Counter[str] = Counter()
        self.held: Counter[int] = Counter()
        self.busy: list[tuple[int, int]] = []  # of matrix instructions: start and end
        self.lds_busy = self.memory_busy = 0
        self.end = 0
        self.wake = [0] * SIMDS
        self.record: CuRecord | None = None

    def run(self) -> CuResult:
        """Until all waves have ended."""
        wake = self.wake
        for n in range(SIMDS):
            wake[n] = n if self.simds[n] else NEVER
        while (t := min(wake)) < NEVER:
            self._turn(wake.index(t), t)
        matrix = sum(b - a for a, b in self.busy)
        return CuResult(self.t.chip, self.end, len(self.waves), matrix, self._steady(), self.lds_busy, self.memory_busy,
                        dict(self.issued), dict(self.stalls), dict(self.held), self._loop())

    def _between(self, first: int, last: int) -> float:
        """The share of the matrix pipes' time from one clock to another."""
        inside = sum(min(b, last) - max(a, first) for a, b in self.busy if b > first and a < last)
        return inside / (SIMDS * (last - first)) if last > first else 0.0

    def _loop(self) -> float | None:
        """See `CuResult.loop`."""
        times = [w.rounds for w in self.waves]
        if not times or min(map(len, times)) < 4:
            return None
        first, last = max(x[1] for x in times), min(x[-1] for x in times)
        return self._between(first, last) if last > first else None

    def _steady(self) -> float:
        """See `CuResult.steady`."""
        found = sorted(self.busy)
        if len(found) < 8:
            return self._between(0, self.end)
        return self._between(found[len(found) // 4][0], found[3 * len(found) // 4][0])

    def _turn(self, simd: int, t: int) -> None:
        """A SIMD's turn: every wave that can goes on by one instruction."""
        if self.arrivals:
            self._land(t)
        taken: set[str] = set()
        soon = NEVER
        for w in sorted(self.simds[simd], key=lambda w: (-w.priority, w.age)):
            if w.at >= len(w.stream.code):
                continue
            n = w.stream.code[w.at]
            op = self.ops[n]
            when, why = self._blocked(w, op, taken, t)
            if w.why and w.since < t:
                self.stalls[w.which, w.why] += t - w.since
                if self.record is not None:
                    self.record.waits.append((w.age, w.which, w.why, w.since, t))
            w.since = t
            if why not in OWN:
                w.why, w.which = why, n
            if when <= t:
                if op.port != INTERNAL:
                    taken.add(op.port)
                self._issue(w, n, op, t)
                when = w.next if w.at < len(w.stream.code) else NEVER
            soon = min(soon, when)
        if soon < NEVER:
            soon = max(soon, t + 1)
            soon += (simd - soon) % TURN
        # A barrier that this turn has opened may have set it already.
        self.wake[simd] = soon if self.wake[simd] <= t else min(soon, self.wake[simd])

    def _land(self, t: int) -> None:
        """Loads to LDS whose data is there take their time of it."""
        for when, clocks in [a for a in self.arrivals if a[0] <= t]:
            self.lds_free = max(self.lds_free, when) + clocks
            self.lds_busy += clocks
        self.arrivals = [a for a in self.arrivals if a[0] > t]

    def _ready(self, w: _Wave, op: CuOp) -> int:
        """When all that an instruction reads is there."""
        ready = 0
        plain, factor = w.plain, w.factor
        for c in op.reads:
            if plain[c] > ready:
                ready = plain[c]
        for c in op.factors:
            if factor[c] > ready:
                ready = factor[c]
        for c in op.first:  # LLVM's model alone
            later = factor[c] + 4 * TURN if factor[c] else 0
            if later > ready:
                ready = later
        if op.adds is not None:
            first, count = op.adds
            same = all(w.owner[c] == op.adds for c in range(first, first + count))
            times = w.same if same else w.other
            ready = max(ready, *times[first : first + count])
        return ready

    def _blocked(self, w: _Wave, op: CuOp, taken: set[str], t: int) -> tuple[int, str]:
        """(when to look again, for what it waits) of a wave's next instruction; not after `t` where it can go."""
        if w.next > t:
            return w.next, w.why if w.why in OWN else ""
        if op.kind == "wait":
            if op.vm >= 0 and (when := _outstanding(w.vm, op.vm, t)) > t:
                return when, "vmcnt"
            if op.lgkm >= 0 and (when := _outstanding(w.lgkm, op.lgkm, t)) > t:
                return when, "lgkmcnt"
            return t, ""
        if op.port == INTERNAL:
            return t, ""
        if w.dep_at != w.at:
            w.dep, w.dep_at = self._ready(w, op), w.at
        if w.dep > t:
            return w.dep, "dependency"
        if op.port in taken:
            return t + TURN, "issue"
        return self._unit(w, op, t)

    def _unit(self, w: _Wave, op: CuOp, t: int) -> tuple[int, str]:
        """The same for the unit that executes it."""
        s = w.simd
        if op.kind == "matrix":
            return (self.matrix_free[s], "matrix pipe") if self.matrix_free[s] > t else (t, "")
        if op.kind == "valu":
            return (self.vector_free[s], "vector pipe") if self.vector_free[s] > t else (t, "")
        if not op.counters:
            return t, ""
        for name in op.counters:
            most = self.t.most_vm if name == "vm" else self.t.most_lgkm
            if (when := _outstanding(w.vm if name == "vm" else w.lgkm, most - 1, t)) > t:
                return when, "counter"
        queue, depth = ((self.lds_waiting[s // 2], self.t.lds_queue) if op.kind == "lds" else
                        (self.memory_waiting[s], self.t.memory_queue))  # fmt: skip
        if op.kind in ("lds", "memory"):
            queue[:] = [x for x in queue if x > t]
            if len(queue) >= depth:
                return min(queue), "LDS queue" if op.kind == "lds" else "memory queue"
        return t, ""

    def _issue(self, w: _Wave, n: int, op: CuOp, t: int) -> None:
        """The instruction goes: pipes are held, results get their times."""
        at = w.at
        if n == self.header:
            w.rounds.append(t)
        if self.record is not None:
            held = op.hold if op.kind in ("matrix", "valu", "nop", "sleep") else TURN
            self.record.issued.append((w.age, n, op.kind, t, t + max(TURN, held)))
        w.at += 1
        w.next, w.since, w.why, w.which = t + TURN, t + TURN, "", n
        self.issued[op.kind] += 1
        self.end = max(self.end, t + TURN, t + (op.hold if op.kind == "matrix" else op.plain))
        ends = w.at >= len(w.stream.code)
        if op.kind == "matrix":
            self.matrix_free[w.simd] = t + op.hold
            self.busy.append((t, t + op.hold))
            self.held[n] += op.hold
        elif op.kind == "valu":
            self.vector_free[w.simd] = t + op.hold
        elif op.kind in ("lds", "memory", "smem"):
            self._access(w, at, op, t)
            if ends:
                self._leave(w, t)
            return
        elif op.kind in ("nop", "sleep"):
            w.next = t + max(TURN, op.hold)
            w.why = "nop" if op.hold > TURN else ""
        elif op.kind == "branch":
            if not ends and w.stream.code[w.at] != n + 1 and self.t.hardware:
                w.next, w.why = t + self.t.taken, "branch"
        elif op.kind == "priority":
            w.priority = op.value
        elif op.kind == "barrier":
            self._arrive(w, t)
        self._write(w, op, t + op.plain, t + op.factor, t + op.same, t + op.other)
        if ends:
            self._leave(w, t)

    @staticmethod
    def _write(w: _Wave, op: CuOp, plain: int, factor: int, same: int, other: int) -> None:
        for c in op.writes:
            w.plain[c], w.factor[c], w.same[c], w.other[c], w.owner[c] = plain, factor, same, other, op.span

    def _access(self, w: _Wave, at: int, op: CuOp, t: int) -> None:
        """An access to memory: when its unit takes it, and when its data is there."""
        c = self.t
        if op.kind == "smem":
            done = t + c.scalar_latency
        elif op.kind == "lds":
            clocks = w.stream.lds.get(at, op.hold) if c.hardware else 0
            start = max(self.lds_free, t)
            self.lds_free = start + clocks
            self.lds_busy += clocks
            self.lds_waiting[w.simd // 2].append(start + clocks)
            pair, moved = w.simd // 2, op.bytes * LANES // c.bus if c.hardware else 0
            self.bus_free[pair] = max(start + clocks, self.bus_free[pair] + moved)
            done = self.bus_free[pair] + c.lds_latency
        else:
            clocks = max(op.hold, w.stream.pieces.get(at, op.pieces)) if c.hardware else 0
            start = max(self.memory_free, t)
            self.memory_free = start + clocks
            self.memory_busy += clocks
            self.memory_waiting[w.simd].append(start + clocks)
            done = start + clocks + c.memory_latency
            if op.direct:
                more = w.stream.lds.get(at, clocks)
                self.arrivals.append((done, more))
                done += more
        # Data comes back in order.
        for name in op.counters:
            order = w.vm if name == "vm" else w.lgkm
            if op.kind != "smem" and order:
                done = max(done, order[-1])
        for name in op.counters:
            (w.vm if name == "vm" else w.lgkm).append(done)
        self.end = max(self.end, done)
        self._write(w, op, done, done, done, done)

    def _arrive(self, w: _Wave, t: int) -> None:
        """A wave is at a barrier; the last one opens it."""
        block = self.blocks[w.block]
        block.arrived.append(w)
        w.next, w.why = NEVER, "barrier"
        if len(block.arrived) >= block.live:
            self._open(block, t)

    def _open(self, block: _Block, t: int) -> None:
        for w in block.arrived:
            w.next = t + max(TURN, self.t.barrier)
            when = w.next + (w.simd - w.next) % TURN
            self.wake[w.simd] = min(self.wake[w.simd], when) if self.wake[w.simd] > t else when
        block.arrived = []

    def _leave(self, w: _Wave, t: int) -> None:
        """A wave has ended: barriers no longer wait for it."""
        block = self.blocks[w.block]
        block.live -= 1
        if block.arrived and len(block.arrived) >= block.live:
            self._open(block, t)


def simulate(
    code: Sequence[MCInst], blocks: Sequence[Sequence[WaveStream]], t: CuTimings, stagger: int = 0, header: int = -1
) -> CuResult:
    """Runs the waves of workgroups that share a CU; see `CuModel`."""
    return CuModel(code, blocks, t, stagger, header).run()
