"""Translation that also follows what nothing has written: beside each register, one bit a lane for each byte of it,
and beside shared and local memory one a byte say so.

A value that comes of an undefined one is undefined too. It is a fault where it is used: as an address, as a condition
of a branch or of an access, as data of a store to global memory; an atomic update of shared memory that nothing has
written is one as well. Copies into registers, shared and local memory are none: compilers move what they do not use.
`selp` takes the side that is chosen, `xor` and `sub` of a register with itself are zero, shuffles take the lane that is
read, matrix products the rows and columns that meet. Bytes that are packed, cut out or computed side by side keep
apart (`parts`): compilers fill up words with what has no value. """

from __future__ import annotations

import functools

import numpy as np

import avelang.sim.ptx.parts as parts
import avelang.sim.ptx.parts_by_value as parts_by_value
import avelang.sim.ptx.warp_mma as warp_mma
import avelang.sim.ptx.watch_text as watch_text
from avelang.llvm.vectors import Ops
from avelang.nvptx.forms import entry, named
from avelang.sim.ptx.code import Instr, Mem, Operand, PtxReg, items_of
from avelang.sim.ptx.memory_text import each, field, head
from avelang.sim.ptx.parts import Parts
from avelang.sim.ptx.state import BLOCK, LANES, LOCAL_BASE, SHARED_BASE, WARP
from avelang.sim.ptx.translator import PtxTranslator

ADDRESS, CONDITION, DATA, UPDATE = range(4)  # how an undefined value is used (`findings.WORDS`)
_SELP, _BRX, _MMA = (entry(name) for name in ("selp", "brx", "mma"))
_ACROSS = named("vote match redux")  # of these, what one lane has reaches all
_ZEROING = named("xor sub fsub")  # of a value and itself


class Defining(PtxTranslator):
    """`undef_places`: where the bits of each part of a register stand in the warp's memory, from `start` on. `apart`:
    registers whose parts may differ; the others have one place."""

    apart: frozenset[PtxReg] = frozenset()

    def begin(self, number: int) -> None:
        """Nothing is known of any register, nor of which lanes of it are defined."""
        self.undefs: dict[PtxReg, Parts] = {}
        self.tags: dict[str, Parts] = {}  # by an SSA value: the lanes (an i32 for each part) in which it is undefined
        self.sources: list[str] = []
        self.forced: list[Parts] = []
        self.guard_undef = "0"
        super().begin(number)

    def saved(self) -> dict[str, object]:
        """The state of the block, with the undefined lanes of registers."""
        return {**super().saved(), "undefs": self.undefs, "tags": self.tags}

    def places_of(self, reg: PtxReg) -> list[str]:
        """Pointers: one, or one for each part."""
        keys = [(reg, k) for k in range(parts.count(reg.bits) if reg in self.apart else 1)]
        at = [self.undef_places.setdefault(key, self.undef_start + 4 * len(self.undef_places)) for key in keys]
        return [self.op(f"getelementptr i8, ptr %w, i64 {offset}") for offset in at]

    def undef(self, reg: PtxReg) -> Parts:
        """The undefined lanes of each part of a register."""
        if reg not in self.undefs:
            found = tuple(self.op(f"load i32, ptr {place}, align 4") for place in self.places_of(reg))
            self.undefs[reg] = found if reg in self.apart else found * parts.count(reg.bits)
        return self.undefs[reg]

    def either(self, *masks: str) -> str:
        """The union of masks, "0" if there is none."""
        out = "0"
        for m in dict.fromkeys(masks):
            if m != "0":
                out = m if out == "0" else self.op(f"or i32 {out}, {m}")
        return out

    def used(self, mask: str, how: int) -> None:
        """The lanes that execute this must not use an undefined value."""
        if mask != "0":
            self.note(watch_text.UNDEFINED, how, self.op(f"and i32 {mask}, {self.lanes()}"))

    # -- instructions --------------------------------------------------------------------------------------------------

    def starts(self, i: Instr) -> None:
        """Finds which lanes of the results of an instruction will be undefined."""
        self.sources, self.forced = [], []
        self.guard_undef = self.either(*self.undef(i.guard[0])) if i.guard else "0"
        if i.guard and i.entry.has("jump", "call", "stop", "read", "write") and self.guard_undef != "0":
            self.note(watch_text.UNDEFINED, CONDITION, self.op(f"and i32 {self.guard_undef}, {self.active}"))
        o = i.operands
        if i.entry is _SELP and isinstance(o[3], PtxReg):
            chosen, condition = self.bits_of(self.pred(o[3])), self.whole(o[3])
            others = self.op(f"xor i32 {chosen}, -1")
            width = parts.count(o[0].bits) if isinstance(o[0], PtxReg) else 1
            one, two = (self.of(x, width) for x in o[1:3])
            if len(one) == len(two) == width:
                self.forced = [tuple(self.either(self.common(chosen, a), self.common(others, b), condition) for a,
                    b in zip(one, two, strict=True))]
        elif i.entry in _ZEROING and len(o) == 3 and o[1] == o[2] and isinstance(o[1], PtxReg):
            zero = ("0",) * parts.count(o[1].bits)
            self.forced = [("0",), zero] if "cc" in i.parts else [zero]  # the carry is written first
        elif i.entry is _MMA:
            self.forced = self.product(i)
        elif i.entry is _BRX and isinstance(o[0], PtxReg):
            self.used(self.whole(o[0]), CONDITION)
        else:
            self.forced = parts.results(i, self.of, self.either) or parts_by_value.results(i, self)
        self.sources = []

    def common(self, one: str, two: str) -> str:
        """The intersection of two masks."""
        return "0" if two == "0" else self.op(f"and i32 {one}, {two}")

    def holds(self, o: Operand, value: bool) -> str:
        """The lanes in which a predicate has this value."""
        found = self.bits_of(self.pred(o))
        return found if value else self.op(f"xor i32 {found}, -1")

    def within(self, o: Operand, low: int, high: int, bits: int = 32, start: int = 0) -> str:
        """The lanes in which `bits` of a number, from bit `start` on, are in [low, high]."""
        to = Ops(self, "i32")
        x = to("and", to("lshr", super().get(o, 32), start), (1 << bits) - 1)
        return self.bits_of(to.cmp("ule", to("sub", x, low), high - low))

    def of(self, o: Operand, width: int = 1) -> Parts:
        """Of a register its own parts; a number's are none, and as many as are wanted."""
        return self.undef(o) if isinstance(o, PtxReg) else ("0",) * width

    def whole(self, o: Operand) -> str:
        """The lanes in which some part of an operand is undefined."""
        return self.either(*self.of(o))

    def value(self, reg: PtxReg) -> str:
        """A register's value; its undefined lanes are those of the value."""
        x = super().value(reg)
        u = self.undef(reg)
        self.tags[x] = u
        self.sources.append(self.either(*u))
        return x

    def get(self, o: Operand, bits: int, wider: bool = False, kind: str = "b") -> str:
        """An operand; of a register that is cut only the bytes that are left count."""
        known = len(self.sources)
        x = super().get(o, bits, wider, kind)
        if isinstance(o, PtxReg) and o.bits > bits > 1:
            self.tags[x] = self.undef(o)[: parts.count(bits)]
            self.sources[known:] = [self.either(*self.tags[x])]
        return x

    def tag(self, value: str, width: int) -> Parts:
        """The lanes in which a value that this instruction has made, of so many parts, is undefined."""
        if value in self.tags and len(self.tags[value]) == width:
            return self.tags[value]
        u = self.either(*self.tags.get(value, self.sources))
        if self.here is not None and self.here.entry in _ACROSS and u != "0":
            some = self.op(f"icmp ne i32 {self.op(f'and i32 {u}, {self.lanes()}')}, 0")
            u = self.op(f"select i1 {some}, i32 -1, i32 0")
        return (u,) * width

    def put(self, reg: PtxReg, value: str) -> None:
        """Gives a register a value, and the value's undefined lanes."""
        u = self.forced.pop(0) if self.forced else self.tag(value, parts.count(reg.bits))
        if self.guard:
            runs, old = self.bits_of(self.guard), self.undef(reg)
            others = self.op(f"xor i32 {runs}, -1")
            mixed = ((self.common(runs, self.either(a, self.guard_undef)), self.common(others, b)) for a,
                b in zip(u, old, strict=True))
            u = tuple(self.either(*x) for x in mixed)
        sources = self.sources
        self.sources = []  # what the register held, which a guarded write reads, is no source of a second result
        super().put(reg, value)
        self.sources = sources
        self.undefs[reg] = self.tags[self.values[reg]] = u if reg in self.apart else (self.either(*u),) * len(u)

    def finish(self, name: str, live: set[PtxReg], next_block: int, count: int) -> str:
        """Ends the function; the undefined lanes of registers that others read are kept."""
        for reg in self.written:
            if reg in live:
                for place, u in zip(self.places_of(reg), self.undefs[reg], strict=False):
                    old = self.op(f"load i32, ptr {place}, align 4")
                    kept = self.op(f"and i32 {old}, {self.op(f'xor i32 {self.active}, -1')}")
                    mine = self.op(f"and i32 {u}, {self.active}")
                    self.do(f"store i32 {self.op(f'or i32 {kept}, {mine}')}, ptr {place}, align 4")
        return super().finish(name, live, next_block, count)

    # -- memory --------------------------------------------------------------------------------------------------------

    def word_of(self, k: int) -> str:
        """A pointer to word k of the warp's `undef`."""
        return self.pointer("w", WARP["undef"] + 4 * k)

    def address(self, m: Mem, space: str, window: str = "") -> str:
        """The addresses of a memory operand; using an undefined one is noted."""
        if isinstance(m.base, PtxReg):
            self.used(self.whole(m.base), ADDRESS)
        x = super().address(m, space, window)
        self.sources = []
        return x

    def put_addresses(self, x: str) -> None:
        """Puts addresses, and finds which are in global memory."""
        super().put_addresses(x)
        o = Ops(self, "i64")
        window = o("lshr", x, 60)
        near = [self.bits_of(o.cmp("eq", window, base >> 60)) for base in (SHARED_BASE, LOCAL_BASE)]
        # lanes that go to global memory, where the address is generic
        self.far = self.op(f"xor i32 {self.either(*near)}, -1")

    def put_data(self, k: int, value: str, bits: int) -> None:
        """Puts data, and which lanes of it are undefined."""
        super().put_data(k, value, bits)
        width = parts.count(bits)
        for p, u in enumerate(self.tag(value, width)):
            self.do(f"store i32 {u}, ptr {self.word_of(k * width + p)}, align 4")

    def take_data(self, k: int, bits: int) -> str:
        """The data that an access has read, and which lanes of it are undefined."""
        x = super().take_data(k, bits)
        width = parts.count(bits)
        self.tags[x] = tuple(self.op(f"load i32, ptr {self.word_of(k * width + p)}, align 4") for p in range(width))
        self.sources.append(self.either(*self.tags[x]))
        return x

    def access(self, space: str, bits: int, count: int, store: bool) -> None:
        """An access to memory, and to its shadow."""
        super().access(space, bits, count, store)
        width = parts.count(bits)
        words = [self.op(f"load i32, ptr {self.word_of(k)}, align 4") for k in range(count * width)] if store else []
        if space in ("global", "generic") and store:
            outside = "-1" if space == "global" else self.far
            self.used(self.op(f"and i32 {self.either(*words)}, {outside}"), DATA)
        if not store:
            for k in range(count * width):
                self.do(f"store i32 0, ptr {self.word_of(k)}, align 4")
        if space != "global":
            name, text = shadow(space, bits, count, store)
            self.run(self.helper(name, lambda: text))

    def updates(self, space: str, bits: int, count: int, operands: int) -> None:
        """An atomic operation has been written: its operands, and the memory if it is shared."""
        width = parts.count(bits)
        words = [self.op(f"load i32, ptr {self.word_of(k)}, align 4") for k in range(operands * width)]
        self.used(self.either(*words), DATA)
        for k in range(count * width):
            self.do(f"store i32 0, ptr {self.word_of(k)}, align 4")
        if space != "global":
            for store in (False, True):
                name, text = shadow(space, bits, count, store)
                self.run(self.helper(name, lambda text=text: text))
                for k in range(0 if store else count * width):
                    self.used(self.op(f"load i32, ptr {self.word_of(k)}, align 4"), UPDATE)
                    self.do(f"store i32 0, ptr {self.word_of(k)}, align 4")

    # -- lanes ---------------------------------------------------------------------------------------------------------

    def picked(self, value: str, result: str, source: str) -> None:
        """A shuffle: each lane has got the value of lane `source` (an i32 each)."""
        o = Ops(self, "i32")
        found: list[str] = []
        for u in self.tags.get(value, ("0",)):
            if u != "0":
                there = o("and", o("lshr", self.splat(u, "i32"), source), 1)
                u = self.bits_of(o.cmp("ne", there, 0))
            found.append(u)
        self.tags[result] = tuple(found)

    def product(self, i: Instr) -> list[Parts]:
        """mma: which lanes of each register of D an undefined register of A, B or C reaches."""
        row = warp_mma.MMA.get(i.name)
        if row is None:
            return []
        vectors = [items_of(o) for o in i.operands]
        masks = [[self.whole(x) for x in v] for v in vectors[1:4]]  # type: ignore[arg-type]
        out = list(masks[2])
        tables = reaches(i.name)
        for part in (0, 1):
            for k, u in enumerate(masks[part]):
                if u == "0":
                    continue
                for d in range(len(out)):
                    lanes = tables[part][k][d]
                    hit = self.op(f"and {self.t('i32')} {self.splat(u, 'i32')}, {self.const_vector(lanes, 'i32')}")
                    out[d] = self.either(out[d], self.bits_of(Ops(self, "i32").cmp("ne", hit, 0)))
        widths = [parts.count(x.bits) if isinstance(x, PtxReg) else 1 for x in vectors[0]]
        return [(u,) * width for u, width in zip(out, widths, strict=True)]


@functools.lru_cache(64)
def reaches(name: str) -> tuple[list[list[list[int]]], list[list[list[int]]]]:
    """For a form of mma: [A, B][register][register of D][lane of D] a mask of the lanes of A or B whose register that
    element depends on."""
    row = warp_mma.MMA[name]
    mma = row.mma
    assert mma is not None
    kinds = warp_mma._dtypes(row)

    def spots(f: object, d: int, axis: int) -> np.ndarray:
        """(registers, lanes, elements of a register) of one coordinate."""
        index = np.asarray(f.index[axis])  # type: ignore[attr-defined]
        per = max(1, 32 // kinds[d].bits)
        return index.reshape(LANES, -1, per).transpose(1, 0, 2)

    out = []
    for f, d, axis, mine in ((mma.a, 0, -2, -2), (mma.b, 1, -1, -1)):
        theirs, own = spots(f, d, axis), spots(mma.c, 2, mine)
        table = []
        for r in theirs:
            # (registers of D, lanes of D, lanes of the operand)
            hit = (own[:, :, None, :, None] == r[None, None, :, None, :]).any((3, 4))
            bits = (hit.astype(np.int64) << np.arange(LANES)).sum(2)
            table.append(np.where(bits >> 31 & 1, bits - (1 << 32), bits).tolist())
        out.append(table)
    return out[0], out[1]


def shadow(space: str, bits: int, count: int, store: bool) -> tuple[str, str]:
    """(name, text) of a function that takes from the shadow of shared or local memory, or puts there, which lanes' data
    are undefined: a word in the warp's `undef` for each part of an element. Nothing is known of global memory, nor of
    accesses that go nowhere."""
    name, size = f"ave_undef_{'st' if store else 'ld'}_{space.replace('::', '_')}_{bits}x{count}", bits // 8
    lines = [field("log", "%lpp"), "  %l = load ptr, ptr %lpp, align 8", f"  %sink = getelementptr i8, ptr %l, i64 "
        f"{watch_text.SINK}", "  %lost = icmp eq ptr %p, %sink", "  %window = lshr i64 %a, 60",
        f"  %far = icmp eq i1 {'true' if space == 'generic' else 'false'}, true", f"  %insh = icmp eq i64 %window, "
        f"{SHARED_BASE >> 60}", f"  %inlo = icmp eq i64 %window, {LOCAL_BASE >> 60}", "  %innear = or i1 %insh, %inlo",
        "  %inglobal = xor i1 %innear, true", "  %other = and i1 %far, %inglobal", "  %skip = or i1 %other, %lost",
        "  br i1 %skip, label %behind, label %look", "look:", field("undef", "%dp2"), "  %dist = load i64, ptr %dp2, "
        "align 8", "  %s = getelementptr i8, ptr %p, i64 %dist"]  # fmt: skip
    for k in range(size * count):
        lines += [f"  %eu{k} = getelementptr i8, ptr %w, i64 {WARP['undef'] + 4 * k}", f"  %eo{k} = load i32, ptr "
            f"%eu{k}, align 4"]
        if store:
            lines += [f"  %eh{k} = lshr i32 %eo{k}, %lane32", f"  %eb{k} = trunc i32 %eh{k} to i8",
                f"  %ec{k} = and i8 %eb{k}, 1"]
        lines.append(f"  %es{k} = getelementptr i8, ptr %s, i64 {k}")
        if store:
            lines.append(f"  store i8 %ec{k}, ptr %es{k}, align 1")
        else:
            lines += [f"  %ey{k} = load i8, ptr %es{k}, align 1", f"  %ez{k} = zext i8 %ey{k} to i32",
                f"  %em{k} = shl i32 %ez{k}, %lane32", f"  %en{k} = or i32 %eo{k}, %em{k}",
                f"  store i32 %en{k}, ptr %eu{k}, align 4"]  # fmt: skip
    lines += ["  br label %behind", "behind:"]
    return name, head(name) + "  br label %loop" + each(space, size * count, False, "\n".join(lines), ("some",), True)


assert BLOCK["undef"] % 8 == 0
