"""Instructions and their operands come in; calls that record and verify waits, hazards and races go into the translated
code.

Waits are followed as the program runs: what was issued, what a wait lets one rely on (MI300 ISA, section 4.4). A load's
registers must not be read or overwritten before; data of stores are fetched when they are issued, with the exceptions
of `amdgcn.hazards`. Wait states between instructions are found without running (`amdgcn.hazards`); where they depend on
the way that control takes, they are counted as the program runs. Accesses to LDS are ordered by barriers alone, and
only those that a wave had waited for when it came to the barrier.
"""

from __future__ import annotations

from collections.abc import Iterable

from avelang.amdgcn import hazards, loops
from avelang.amdgcn.asm import AsmKernel, AsmProgram, MCInst
from avelang.amdgcn.effects import DS, FLAT_COUNTERS, LDS_COUNTER, VM_COUNTER, Effects, Span, effects
from avelang.native import amdgcn as native
from avelang.sim.amdgcn import check_global, ordering, swap_loops
from avelang.sim.amdgcn import check_text as text
from avelang.sim.amdgcn.faults import HAZARD
from avelang.sim.amdgcn.memory_access import slot
from avelang.sim.amdgcn.state import GROUP, WAVE
from avelang.sim.amdgcn.translator import BlockTranslator

CHECK_START = "define internal void @ave_check_start(ptr %g) #0 { ret void }"
KINDS = {
    "read": 0, "write": native.WRITES, "atomic": native.WRITES | native.ATOMICALLY,
    "async write": native.WRITES | native.ASYNC,
}  # fmt: skip


def granule_shift(program: AsmProgram) -> int:
    """Granularity (log2 of bytes) at which LDS is shadowed: by dwords, or as fine as the program's finest access to
    it."""
    return text.finest(i.desc.nbytes for i in program.instructions if effects(i).lds)


def wave_bytes(program: AsmProgram) -> int:
    """Size in bytes of a wave's checker records."""
    return -(-(text.OF_WAVE["positions"] + 8 * len(program.instructions)) // 64) * 64


def group_bytes(program: AsmProgram, lds: int) -> int:
    """Size in bytes of a workgroup's checker records, with so much LDS."""
    return text.granules(len(program.instructions)) + text.GRANULE * -(-max(lds, 4) >> granule_shift(program))


def find_hazards(program: AsmProgram, words: frozenset[str]) -> tuple[hazards.Hazard, ...]:
    """The hazards that a translation with these words looks for."""
    return hazards.find(program, "hazards-strict" in words) if "hazards" in words else ()


class Checker:
    """Writes the checks of a program's instructions through `t`. With `mutable`, the wait or barrier that the
    workgroup's `skip` names does nothing when the program runs."""

    def __init__(self, t: BlockTranslator, program: AsmProgram, kernel: AsmKernel):
        self.t, self.program, self.mutable = t, program, t.options.mutable
        t.checker = self
        t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
        t.module.declare("llvm.cttz.i16", "i16", ["i16", "i1"])
        self.words = t.options.check
        wait = "ave_check_mutable_wait" if self.mutable else "ave_check_wait"
        t.module.include(
            "amdgcn", "ave_check_use", "ave_check_issue", wait, "ave_check_arrive", "ave_check_begin", "ave_check_lds"
        )
        init = str("init" in self.words).lower()
        self.granules = f"i64 {text.granules(len(program.instructions))}, i64 {granule_shift(program)}, i1 {init}"
        self.split = ordering.split(kernel)
        follows = ordering.followed(self.words, program.chip)
        self.events = follows and (self.split or ordering.acquires(program))
        t.module.declare("llvm.fshr.i64", "i64", ["i64", "i64", "i64"])
        if "races" in self.words:
            t.module.functions["ave_race"] = check_global.race(program, self.events, self.split)
            t.module.include("amdgcn", "ave_follow", "ave_event", "ave_lanes")
        if "uniform" in self.words:
            t.module.include("amdgcn", "ave_sources")
        self.hazards: dict[int, list[tuple[int, hazards.Hazard]]] = {}
        for n, h in enumerate(find_hazards(program, self.words)):
            self.hazards.setdefault(h.second, []).append((n, h))
        unsure = [h for found in self.hazards.values() for _, h in found if not h.certain]
        self.timed = {h.first for h in unsure}
        self._sure: tuple[object, set[int]] = (None, set())
        self.loops = swap_loops.find(program, loops.entry(program, kernel.name))

    def start(self) -> str:
        """The text of `void ave_check_start(ptr g)`, called when a workgroup begins."""
        return "define internal void @ave_check_start(ptr %g) #0 {\n  call void @ave_check_begin(ptr %g)\n  ret void\n}"

    # -- one instruction -----------------------------------------------------------------------------------------------

    def before(self, i: MCInst) -> None:
        """Called before each instruction is translated."""
        e = effects(i)
        for n, h in self.hazards.get(i.index, ()):
            self._hazard(n, h)
        if self.timed:
            self._tick(i)
        if "waits" in self.words:
            self._uses(e, i)
        if "uniform" in self.words and i.name == "ds_bpermute_b32":
            self._access(i)
            where = self.t.place(i.operands[1])  # type: ignore[arg-type]
            self._guard(f"call i32 @ave_sources(ptr %g, ptr {where}, i32 {i.int('offset')}, i64 {self.t.exec()})")
        if "races" in self.words and (i.desc.touches_global or e.unit == DS):
            self._access(i)
        classes = i.desc.classes
        if "wait" in classes:
            self._wait(i)
        elif "barrier" in classes:
            self._barrier(i)
        elif "end" in classes:
            self._end()
        elif e.counter in text.CLASSES:
            self._issue(i, e)
        if i.index in self.loops.kept:
            self._keep(i)
        if self.events and (what := ordering.event(i, self.split)):
            self.t.do(f"call void @ave_event(ptr %w, ptr %g, i64 {what})")

    def _access(self, i: MCInst) -> None:
        """Says which access comes next."""
        place = self.t.op(f"getelementptr i8, ptr %g, i64 {GROUP['access']}")
        bits = check_global.bits(i) | self.loops.bits(i.index)
        self.t.do(f"store i64 {i.index | bits << 32}, ptr {place}, align 8")

    def _keep(self, i: MCInst) -> None:
        """Says which bits of its word each lane's swap leaves alone: those of the mask, if both operands have the same
        there."""
        t, i32 = self.t, self.t.t("i32")
        new, compared = (t.vector(*swap_loops.register(s)) for s in swap_loops.operands(i))
        mask = t.source(self.loops.kept[i.index])
        differ = t.op(f"and {i32} {t.op(f'xor {i32} {new}, {compared}')}, {mask}")
        same = t.op(f"icmp eq {i32} {differ}, zeroinitializer")
        kept, where = t.op(f"select {t.t('i1')} {same}, {i32} {mask}, {i32} zeroinitializer"), slot(t, "kept", 1)
        t.do(f"store {i32} {kept}, ptr {where}, align 64")
        t.do(f"store ptr {where}, ptr {t.field('g', GROUP['kept'])}, align 8")

    def _record(self) -> str:
        """A pointer to the checker's records of the wave."""
        t, key = self.t, "check record"
        return t.memo(key) or t.remember(key, t.op(f"load ptr, ptr {t.field('w', WAVE['check'])}, align 8"))

    def _list(self, spans: Iterable[tuple[Span, int]]) -> tuple[str, int]:
        """A constant with spans, and which class may still be under way in each; and how many there are."""
        words = [first | count << 10 | allowed << 20 for (first, count), allowed in spans]
        if not words:
            return "null", 0
        return self.t.module.constant(f"[{len(words)} x i32]", f"[{', '.join(f'i32 {x}' for x in words)}]", 4), len(
            words
        )

    def _settled(self) -> set[int]:
        """The cells of which this block has said already that they wait for nothing: so it stays until a load names
        them."""
        if self._sure[0] is not self.t.body:
            self._sure = (self.t.body, set())
        return self._sure[1]

    def _uses(self, e: Effects, i: MCInst) -> None:
        # A load over a load of the same class is no fault: they come in order.
        allowed = text.CLASSES.index(e.counter) + 1 if e.late and e.counter in (VM_COUNTER, LDS_COUNTER) else 0
        spans, sure = dict.fromkeys(e.reads, 0) | {s: 0 if s in e.reads else allowed for s in e.writes}, self._settled()
        place, n = self._list((s, a) for s, a in spans.items() if not sure.issuperset(range(s[0], s[0] + s[1])))
        sure.update(c for (first, count), a in spans.items() if not a for c in range(first, first + count))
        if n:
            self._guard(f"call i32 @ave_check_use(ptr {self._record()}, ptr %g, ptr {place}, i32 {n}, i32 {i.index})")

    def _issue(self, i: MCInst, e: Effects) -> None:
        kind = text.CLASSES.index(e.counter)
        place, n = self._list((s, 0) for s in e.writes) if e.late else ("null", 0)
        if e.late:
            self._settled().difference_update(c for first, count in e.writes for c in range(first, first + count))
        self.t.do(
            f"call void @ave_check_issue(ptr {self._record()}, i32 {kind}, i32 {i.index << 2 | kind}, ptr {place}, "
            f"i32 {n})"
        )

    def _wait(self, i: MCInst) -> None:
        vm, lgkm = i.int("vmcnt", -1), i.int("lgkmcnt", -1)
        if self.mutable:
            self.t.do(
                f"call void @ave_check_mutable_wait(ptr {self._record()}, ptr %g, i32 {vm}, i32 {lgkm}, i32 {i.index})"
            )
        else:
            self.t.do(f"call void @ave_check_wait(ptr {self._record()}, i32 {vm}, i32 {lgkm})")

    def _barrier(self, i: MCInst) -> None:
        call = "call void @ave_check_arrive(ptr %w, ptr %g, i1 false)"
        if self.events:
            call = f"call void @ave_event(ptr %w, ptr %g, i64 {ordering.BARRIER})\n  {call}"
        if not self.mutable:
            return self.t.do(call)
        t = self.t
        arrive, off, go = t.body.fresh("arrive"), t.body.fresh("off"), t.body.fresh("go")
        t.do(f"br i1 {t.skipped(i)}, label %{off}, label %{arrive}")
        t.body.start(off)
        group = t.op(f"getelementptr i8, ptr %g, i64 {GROUP['check']}")
        records = t.op(f"load ptr, ptr {group}, align 8")
        place = t.op(f"getelementptr i8, ptr {records}, i64 {text.OF_GROUP['met']}")
        met = t.op(f"load i32, ptr {place}, align 4")
        t.do(f"store i32 {t.op(f'add i32 {met}, 1')}, ptr {place}, align 4")
        t.do(f"br label %{go}")
        t.body.start(arrive)
        t.do(call)
        t.do(f"br label %{go}")
        t.body.start(go)

    def _end(self) -> None:
        t = self.t
        if self.mutable:
            group = t.op(f"load ptr, ptr {t.field('g', GROUP['check'])}, align 8")
            t.do(
                f"call void @ave_check_reach(ptr {self._record()}, ptr {group}, i32 0, i32 0, i32 "
                f"{len(self.program.instructions)}, i1 false)"
            )
        t.do("call void @ave_check_arrive(ptr %w, ptr %g, i1 true)")

    def _guard(self, call: str) -> None:
        self.t.guard(self.t.op(call))

    # -- wait states ---------------------------------------------------------------------------------------------------

    def _position(self, n: int | None = None) -> str:
        """A pointer to the number of wait states so far, or to where instruction n last stood."""
        offset = text.OF_WAVE["position"] if n is None else text.OF_WAVE["positions"] + 8 * n
        return self.t.op(f"getelementptr i8, ptr {self._record()}, i64 {offset}")

    def _tick(self, i: MCInst) -> None:
        t, place = self.t, self._position()
        now = t.op(f"load i64, ptr {place}, align 8")
        if i.index in self.timed:
            t.do(f"store i64 {now}, ptr {self._position(i.index)}, align 8")
        t.do(f"store i64 {t.op(f'add i64 {now}, {hazards.waits(i)}')}, ptr {place}, align 8")

    def _hazard(self, n: int, h: hazards.Hazard) -> None:
        t = self.t
        have = str(h.have)
        note, go = t.body.fresh("note"), t.body.fresh("go")
        if not h.certain:
            # Another way may have led here: how far back the first instruction really is.
            now = t.op(f"load i64, ptr {self._position()}, align 8")
            then = t.op(f"load i64, ptr {self._position(h.first)}, align 8")
            have = t.op(
                f"sub i64 {t.op(f'sub i64 {now}, {then}')}, {hazards.waits(self.program.instructions[h.first])}"
            )
            bad = t.op(f"icmp ult i64 {have}, {h.need}")
            t.do(f"br i1 {bad}, label %{note}, label %{go}")
            t.body.start(note)
        extra = t.op(f"or i64 {t.op(f'shl i64 {have}, 32')}, {n}")
        for name, kind, value in (("fault_code", "i32", str(HAZARD)), ("fault_extra", "i64", extra)):
            place = t.op(f"getelementptr i8, ptr %g, i64 {GROUP[name]}")
            t.do(f"store {kind} {value}, ptr {place}, align {4 if kind == 'i32' else 8}")
        severe = "false" if h.advisory and "hazards-strict" not in self.words else "true"
        self._guard(f"call i32 @ave_check_found(ptr %g, i32 {h.second}, i64 {n}, i1 {severe})")
        if not h.certain:
            t.do(f"br label %{go}")
            t.body.start(go)

    # -- LDS -----------------------------------------------------------------------------------------------------------

    def lds(self, i: MCInst, addr: str, offset: int, nbytes: int, kind: str) -> None:
        """Called before the active lanes access LDS (`BlockTranslator.lds_access`)."""
        if "lds" not in self.words:
            return
        bits = KINDS[kind] | (native.BY_FLAT if effects(i).counter == FLAT_COUNTERS else 0) | self.loops.bits(i.index)
        args = (
            f"ptr {addr}", f"i32 {offset}", f"i32 {nbytes}", f"i32 {bits}", f"i64 {self.t.exec()}", f"i32 {i.index}",
        )  # fmt: skip
        self._guard(f"call i32 @ave_check_lds(ptr %w, ptr %g, {', '.join(args)}, {self.granules})")
