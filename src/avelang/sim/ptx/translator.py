"""Instructions of one block of code come in, one after another; LLVM IR of a host function over registers of 32 lanes
goes out.

Within a block, registers are SSA values; those that another block, or the host, reads are written to the warp's memory
at its end, in the lanes that ran. Handlers in the tables of `integers`, `floats`, `memory`, ... work through the
methods here. """

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np

import avelang.sim.ptx.memory_text as memory_text
import avelang.sim.ptx.special_values as special_values
import avelang.sim.ptx.watch_text as watch_text
from avelang.llvm.core import Body, IRModule
from avelang.llvm.writer import Writer
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import At, Callee, FlatLabel, Instr, Mem, Operand, PtxReg
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.state import (
    APART,
    BLOCK,
    EXITED,
    FAULT,
    LANES,
    LOCAL_BASE,
    NARROW_START,
    RANK,
    SHARED_BASE,
    SPLIT,
    UNKNOWN,
    UNWAITED,
    WAITS,
    WARP,
    WINDOWS,
)

Handler = Callable[["PtxTranslator", Instr], None]


class PtxTranslator(Writer):
    """Writes the functions of blocks of code into `module`."""

    def __init__(self, module: IRModule, targets: dict[int, int], functions: list[int], checked: bool, carry: PtxReg,
            watched: bool = False):
        """`targets`: numbers of blocks by the index of their first instruction; `functions`: the blocks where functions
        begin; `checked`: there are asynchronous copies, so shared memory has a shadow; `carry`: the condition code;
        `watched`: accesses to memory are written down, and faults do not stop the warp (`watch_text`)."""
        super().__init__(module, LANES)
        self.watched, self.notes = watched, 0  # how many records the block may write
        self.targets, self.functions, self.checked, self.carry = targets, functions, checked, carry
        self.windows = WINDOWS[64]  # how wide addresses are, and where those of other spaces than global begin
        self.reasons: dict[int, str] = {}  # why instructions are not executed, by their index
        self.here: Instr | None = None
        # of code that follows what nothing has written (`defined`)
        self.undef_places: dict[tuple[PtxReg, int], int] = {}
        self.undef_start = 0
        self.unread: frozenset[PtxReg] = frozenset()  # registers that nothing reads
        self.widest = 8  # bytes in which arguments are copied
        self.without = -1  # the index of a bar.warp.sync that is left out
        # by a register of wgmma: words that say that it has been written since the last wgmma.fence
        self.unfenced: dict[PtxReg, list[PtxReg]] = {}
        # by a register of an accumulator: how many wgmma that write it run
        self.running: dict[PtxReg, list[PtxReg]] = {}

    # -- functions -----------------------------------------------------------------------------------------------------

    def begin(self, number: int) -> None:
        """Starts a block's function; nothing is known of any register."""
        self.number = number
        self.body, self._memo = Body(), [{}]
        self.values: dict[PtxReg, str] = {}
        self.read: dict[PtxReg, None] = {}  # registers whose value came from memory
        self.written: dict[PtxReg, None] = {}
        self.active = "%active"
        self.guard = ""  # an i1 a lane, of the instruction that is being written
        self._faults: list[tuple[int, str]] = []
        self.exit: str | None = None  # what the function returns; None: the way goes on
        self.ending: Callable[[], None] | None = None  # writes the function's end instead, where it is more than that
        self.notes = 0
        self.entered()

    def starts(self, i: Instr) -> None:
        """An instruction begins."""

    def updates(self, space: str, bits: int, count: int, operands: int) -> None:
        """An atomic operation of `count` elements has been done, with so many operands."""

    def picked(self, value: str, result: str, source: str) -> None:
        """`result` is what each lane has got of `value` in lane `source`."""

    def entered(self) -> None:
        """Watched code writes down which lanes run from here on."""
        if self.watched:
            self.notes += 1
            self.do(f"call void @ave_enter(ptr %w, ptr %g, i32 {self.active})")

    def note(self, kind: int, size: int = 0, lanes: str = "") -> None:
        """Watched code writes down an access at the addresses that have been put, or another of `watch_text`'s
        records."""
        if self.watched:
            assert self.here is not None
            self.notes += 1
            self.do(f"call void @ave_note(ptr %w, ptr %g, i32 {lanes or self.lanes()}, i32 {self.here.index}, i32 "
                f"{kind}, i32 {size})")

    def saved(self) -> dict[str, object]:
        """The state of the block that is being written, to be gone on with later."""
        names = ("number", "body", "_memo", "values", "read", "written", "active", "guard", "_faults", "exit", "ending")
        return {name: getattr(self, name) for name in names}

    def restore(self, saved: dict[str, object]) -> None:
        """Goes on with a block that was saved."""
        for name, value in saved.items():
            setattr(self, name, value)

    def leave(self, result: str) -> None:
        """The block ends here and returns this."""
        self.exit = result

    def finish(self, name: str, live: set[PtxReg], next_block: int, count: int) -> str:
        """Ends the function, going on to `next_block` where its last instruction went nowhere. `live`: the registers
        that are read elsewhere."""
        mask = ""
        for reg in self.written:
            if reg not in live:
                continue
            place, value = self.place(reg), self.values[reg]
            if reg.bits == 1:
                bits = self.op(f"bitcast {self.t('i1')} {value} to i32")
                old = self.op(f"load i32, ptr {place}, align 4")
                changed = self.op(f"xor i32 {old}, {bits}")
                new = self.op(f"xor i32 {old}, {self.op(f'and i32 {changed}, {self.active}')}")
                self.do(f"store i32 {new}, ptr {place}, align 4")
                continue
            t = self.t(f"i{reg.bits}")
            mask = mask or self.op(f"bitcast i32 {self.active} to {self.t('i1')}")
            old = self.op(f"load {t}, ptr {place}, align 64")
            merged = self.op(f"select {self.t('i1')} {mask}, {t} {value}, {t} {old}")
            self.do(f"store {t} {merged}, ptr {place}, align 64")
        counter = self.op(f"getelementptr i8, ptr %w, i64 {WARP['count']}")
        before = self.op(f"load i64, ptr {counter}, align 8")
        self.do(f"store i64 {self.op(f'add i64 {before}, {count}')}, ptr {counter}, align 8")
        if self.ending is not None:
            self.ending()
        else:
            self.do(f"ret i32 {self.exit if self.exit is not None else next_block}")
        if self._faults:
            self.body.start("fault")
            index = self.op(f"phi i32 {', '.join(f'[ {index}, %{label} ]' for index, label in self._faults)}")
            place = self.op(f"getelementptr i8, ptr %g, i64 {BLOCK['fault_instruction']}")
            self.do(f"store i32 {index}, ptr {place}, align 4")
            self.do(f"ret i32 {FAULT}")
        return f"define internal i32 @{name}(ptr noalias %w, ptr noalias %g, i32 %active) #0 {{\n{self.body.text()}\n}}"

    # -- lanes ---------------------------------------------------------------------------------------------------------

    def mask(self) -> str:
        """The lanes that run, as one bit each."""
        return self.remember(("mask", self.active), self.memo(("mask", self.active))
            or self.op(f"bitcast i32 {self.active} to {self.t('i1')}"))

    def lanes(self) -> str:
        """The lanes that execute this instruction, an i32."""
        if not self.guard:
            return self.active
        bits = self.op(f"bitcast {self.t('i1')} {self.guard} to i32")
        return self.op(f"and i32 {bits}, {self.active}")

    def bits_of(self, p: str) -> str:
        """One bit a lane as an i32."""
        return self.op(f"bitcast {self.t('i1')} {p} to i32")

    def lanes_of(self, bits: str) -> str:
        """An i32 as one bit a lane."""
        return self.op(f"bitcast i32 {bits} to {self.t('i1')}")

    def numbers(self) -> str:
        """0, 1, 2, ... as an operand."""
        return "<" + ", ".join(f"i32 {k}" for k in range(LANES)) + ">"

    # -- registers -----------------------------------------------------------------------------------------------------

    def place(self, reg: PtxReg) -> str:
        """A pointer to a register in the warp's memory."""
        return self.pointer("w", reg.place)

    def pointer(self, base: str, offset: int) -> str:
        """A pointer into the warp ("w") or the block ("g")."""
        key = ("field", base, offset)
        return self.memo(key) or self.remember(key, self.op(f"getelementptr i8, ptr %{base}, i64 {offset}"))

    def value(self, reg: PtxReg) -> str:
        """A register's value: a vector of integers, or of i1."""
        if reg not in self.values:
            self.read[reg] = None
            if reg.bits == 1:
                self.values[reg] = self.lanes_of(self.op(f"load i32, ptr {self.place(reg)}, align 4"))
            else:
                self.values[reg] = self.op(f"load {self.t(f'i{reg.bits}')}, ptr {self.place(reg)}, align 64")
        return self.values[reg]

    def put(self, reg: PtxReg, value: str) -> None:
        """Gives a register a value of its width, in the lanes that execute the instruction."""
        if self.guard:
            t = self.t(f"i{reg.bits}")
            value = self.op(f"select {self.t('i1')} {self.guard}, {t} {value}, {t} {self.value(reg)}")
        self.values[reg] = value
        self.written[reg] = None
        for word in self.unfenced.get(reg, ()):
            self.do(f"store i32 {self.lanes()}, ptr {self.place(word)}, align 4")

    # -- operands ------------------------------------------------------------------------------------------------------

    def get(self, o: Operand, bits: int, wider: bool = False, kind: str = "b") -> str:
        """An operand as a vector of integers of so many bits. `wider`: a wider register is cut (PTX ISA 9.4.1, operand
        size exceeding the instruction's). `kind` "f": constants are floats of that width where they are written as
        floats."""
        if isinstance(o, PtxReg):
            if o.bits == bits:
                return self.value(o)
            if wider and o.bits > bits > 1:
                return self.op(f"trunc {self.t(f'i{o.bits}')} {self.value(o)} to {self.t(f'i{bits}')}")
            raise NotExecuted(f"{o} has {o.bits} bits, {bits} are needed")
        if isinstance(o, n.Int):
            return self.constant(o.value, bits)
        if isinstance(o, n.Float):
            return self.constant(float_bits(o, bits, kind), bits)
        if isinstance(o, n.SpecialOperand):
            return self.special(o, bits)
        if isinstance(o, At):
            return self.cut(self.address_of(o), 64, bits)
        if isinstance(o, n.VectorOperand):
            return self.joined(o, bits)
        if isinstance(o, Callee):
            return self.constant(self.windows.functions + o.number * 16, bits)
        raise NotExecuted(f"an operand of this kind ({type(o).__name__}) is not executed here")

    def constant(self, value: int, bits: int) -> str:
        """A number in all lanes."""
        if bits == 1:
            return f"splat (i1 {str(bool(value)).lower()})"
        if not -(1 << bits - 1) <= value < 1 << bits:
            value &= (1 << bits) - 1
        return self.splat(str(value), f"i{bits}")

    def cut(self, value: str, have: int, want: int) -> str:
        """Integers of another width; zeros are put in front."""
        if have == want:
            return value
        return self.op(f"{'trunc' if have > want else 'zext'} {self.t(f'i{have}')} {value} to {self.t(f'i{want}')}")

    def joined(self, o: n.VectorOperand, bits: int) -> str:
        """{a, b, ...} as one number, the first in the low bits."""
        part = bits // len(o.items)
        whole = ""
        for k, item in enumerate(o.items):
            x = self.cut(self.get(item, part), part, bits)  # type: ignore[arg-type]
            if k:
                x = self.op(f"shl {self.t(f'i{bits}')} {x}, {self.constant(k * part, bits)}")
            whole = self.op(f"or {self.t(f'i{bits}')} {whole}, {x}") if whole else x
        return whole

    def pred(self, o: Operand) -> str:
        """A predicate operand."""
        if isinstance(o, n.Not):
            return self.op(f"xor {self.t('i1')} {self.pred(o.operand)}, splat (i1 true)")  # type: ignore[arg-type]
        if isinstance(o, PtxReg) and o.bits == 1:
            return self.value(o)
        if isinstance(o, n.Int):
            return self.constant(o.value, 1)
        if isinstance(o, n.SpecialOperand):
            return self.special(o, 1)
        raise NotExecuted("a predicate is needed")

    def set(self, o: Operand, value: str, bits: int, wider: str = "") -> None:
        """Writes the destination. `wider`: "s" or "u", how a value fills a wider register."""
        if isinstance(o, n.Sink):
            return
        if isinstance(o, n.VectorOperand):
            part = bits // len(o.items)
            for k, item in enumerate(o.items):
                x = value if not k else self.op(f"lshr {self.t(f'i{bits}')} {value}, {self.constant(k * part, bits)}")
                self.set(item, self.cut(x, bits, part), part)  # type: ignore[arg-type]
            return
        if not isinstance(o, PtxReg):
            raise NotExecuted("the destination must be a register")
        if o.bits != bits:
            if not wider or o.bits < bits:
                raise NotExecuted(f"{o} has {o.bits} bits, the result {bits}")
            value = self.op(f"{wider}ext {self.t(f'i{bits}')} {value} to {self.t(f'i{o.bits}')}")
        self.put(o, value)

    def special(self, o: n.SpecialOperand, bits: int) -> str:
        """A special register of so many bits."""
        have, x = special_values.value(self, o)
        return x if have == 1 or have == bits else self.cut(x, have, bits)

    def word(self, name: str, index: int = 0, bits: int = 32) -> str:
        """A number of the block as a scalar."""
        key = ("word", name, index)
        offset = BLOCK[name] + index * bits // 8
        return (self.memo(key) or self.remember(key, self.op(f"load i{bits}, ptr {self.pointer('g', offset)}, align "
            f"{bits // 8}")))

    def address_of(self, o: At) -> str:
        """The address of a variable in its space, an i64 a lane (PTX ISA 5.1): of parameters, global and const
        variables on this machine."""
        v, offset = o.variable, o.variable.offset + o.offset
        if v.space == "local":
            return self.constant(offset, 64)
        if v.space == "shared":
            own = self.word("rank")
            rank = self.op(f"zext i32 {self.op(f'shl i32 {own}, {RANK}')} to i64")
            return self.splat(self.op(f"add i64 {rank}, {offset}"), "i64")
        base = self.word("params" if v.space == "param" else "module", 0, 64)
        if self.windows.bits == 32:
            base = self.op(f"sub i64 {base}, {self._base()}")
        return self.splat(self.op(f"add i64 {base}, {offset}"), "i64")

    def _base(self) -> str:
        """The i64 that is added to an address of global memory of 32 bits."""
        return self.op(f"sub i64 {self.word('params', 0, 64)}, {NARROW_START}")

    def _widened(self, x: str, space: str) -> str:
        """Addresses of 32 bits as this machine has them."""
        t = self.t("i64")
        memory = self.op(f"add {t} {x}, {self.splat(self._base(), 'i64')}")
        if space != "generic":
            return memory
        window = self.op(f"lshr {t} {x}, {self.constant(28, 64)}")
        for narrow, wide in ((self.windows.shared, SHARED_BASE), (self.windows.local, LOCAL_BASE)):
            own = self.op(f"icmp eq {t} {window}, {self.constant(narrow >> 28, 64)}")
            moved = self.op(f"xor {t} {x}, {self.constant(narrow ^ wide, 64)}")
            memory = self.op(f"select {self.t('i1')} {own}, {t} {moved}, {t} {memory}")
        return memory

    def address(self, m: Mem, space: str, window: str = "") -> str:
        """The addresses of a memory operand, an i64 a lane. `window`: the base of const or parameter memory, whose
        addresses in registers of 32 bits are the low half of an address."""
        if isinstance(m.base, At):
            x = self.address_of(At(m.base.variable, m.base.offset + m.offset))
            if m.base.variable.space in ("shared", "local"):
                far = SHARED_BASE if m.base.variable.space == "shared" else LOCAL_BASE
                return self.op(f"or {self.t('i64')} {x}, {self.constant(far, 64)}") if space == "generic" else x
            return self._widened(x, "global") if self.windows.bits == 32 else x
        if isinstance(m.base, n.Int):
            return self.constant(m.base.value + m.offset, 64)
        if not isinstance(m.base, PtxReg) or m.base.bits not in (32, self.windows.bits):
            wide = " or 64" * (self.windows.bits == 64)
            raise NotExecuted(f"an address must be in a register of 32{wide} bits")
        x = self.value(m.base)
        if m.base.bits == 32:
            if window and self.windows.bits == 64:
                low = self.op(f"trunc i64 {self.word(window, 0, 64)} to i32")
                x = self.op(f"sub {self.t('i32')} {x}, {self.splat(low, 'i32')}")
                inside = self.cut(self.op(f"add {self.t('i32')} {x}, {self.constant(m.offset, 32)}"), 32, 64)
                return self.op(f"add {self.t('i64')} {inside}, {self.splat(self.word(window, 0, 64), 'i64')}")
            x = self.op(f"add {self.t('i32')} {x}, {self.constant(m.offset, 32)}") if m.offset else x
            x = self.cut(x, 32, 64)
            return self._widened(x, space) if self.windows.bits == 32 and space in ("global", "generic") else x
        return self.op(f"add {self.t('i64')} {x}, {self.constant(m.offset, 64)}") if m.offset else x

    # -- memory --------------------------------------------------------------------------------------------------------

    def helper(self, name: str, text: Callable[[], str]) -> str:
        """The name of a function of the module, which `text` writes if it is new."""
        if name not in self.module.functions:
            self.module.functions[name] = ""
            self.module.functions[name] = text()
        return name

    def put_addresses(self, x: str) -> None:
        """Puts the addresses of an access in the warp's memory."""
        self.do(f"store {self.t('i64')} {x}, ptr {self.pointer('w', WARP['address'])}, align 64")

    def data(self, k: int, bits: int) -> str:
        """A pointer to element k of all lanes, on its way to or from memory."""
        return self.pointer("w", WARP["data"] + k * LANES * bits // 8)

    def put_data(self, k: int, value: str, bits: int) -> None:
        """Puts element k of the data of an access in the warp's memory."""
        self.do(f"store {self.t(f'i{bits}')} {value}, ptr {self.data(k, bits)}, align {min(64, bits * 4)}")

    def take_data(self, k: int, bits: int) -> str:
        """Element k of what an access has read."""
        return self.op(f"load {self.t(f'i{bits}')}, ptr {self.data(k, bits)}, align {min(64, bits * 4)}")

    def access(self, space: str, bits: int, count: int, store: bool) -> None:
        """Loads or stores, for the lanes that execute this, at the addresses that have been put."""
        name, text = memory_text.access(space, bits, count, store, self.checked, self.watched)
        if self.watched:
            self._watched_access(space, bits, count, store, self.helper(name, lambda: text))
        else:
            self.run(self.helper(name, lambda: text))

    def _watched_access(self, space: str, bits: int, count: int, store: bool, name: str) -> None:
        own = space == "local"  # nobody else sees it: only faults are written down
        self.note(watch_text.STORE if store else watch_text.LOAD, bits // 8 * count, "0" if own else "")
        self.run(name)
        if store and not own:
            verify, text = watch_text.same(space, bits, count)
            bad = self.pointer("w", WARP["bad"])
            self.do(f"store i32 0, ptr {bad}, align 4")
            self.run(self.helper(verify, lambda: text))
            self.note(watch_text.CLASH, bits // 8 * count, self.op(f"load i32, ptr {bad}, align 4"))

    def run(self, name: str) -> None:
        """Calls a helper function that may fault."""
        status = self.op(f"call i32 @{name}(ptr %w, ptr %g, i32 {self.lanes()})")
        self.stop_if(self.op(f"icmp ne i32 {status}, 0"))

    def stop_if(self, bad: str) -> None:
        """The warp stops where `bad`, an i1, holds; the block says why."""
        assert self.here is not None
        self._faults.append((self.here.index, self.body.label))
        label = self.body.fresh("go")
        self.do(f"br i1 {bad}, label %fault, label %{label}")
        self.body.start(label)

    def stop(self, code: int, bad: str = "true", extra: str = "0") -> None:
        """The warp stops with a fault where `bad` holds and lanes execute this."""
        any_ = self.op(f"icmp ne i32 {self.lanes()}, 0")
        bad = any_ if bad == "true" else self.op(f"and i1 {any_}, {bad}")
        for name, value in (("fault_code", str(code)), ("fault_extra", extra)):
            self.do(f"store i32 {value}, ptr {self.pointer('g', BLOCK[name])}, align 4")
        self.stop_if(bad)

    def agreed(self) -> None:
        """All lanes are here, and all execute this, or none (PTX ISA 9.0, 9.7.13: `.aligned` in conditionally executed
        code): the warp stops where the guard differs."""
        if self.guard:
            self.stop(SPLIT, self.op(f"icmp ne i32 {self.lanes()}, {self.active}"), self.lanes())

    def unknown(self, i: Instr, why: str) -> None:
        """The instruction is not executed: the warp stops when it comes there."""
        self.reasons[i.index] = why
        self.stop(UNKNOWN)

    def stop_unwaited(self, i: Instr) -> None:
        """The warp stops where an instruction touches an accumulator of a wgmma that still runs. Only the host begins
        and ends those: one look holds for the rest of the block."""
        for count in dict.fromkeys(c for r in i.registers() for c in self.running.get(r, ())):
            key = ("running", count, self.active)
            if self.memo(key) is None:
                n = self.op(f"load i32, ptr {self.place(count)}, align 4")
                runs = self.op(f"icmp ne i32 {n}, 0")
                if self.watched:
                    self.note(watch_text.RUNNING, 0, self.op(f"select i1 {runs}, i32 {self.lanes()}, i32 0"))
                else:
                    self.stop(UNWAITED, runs)
                if not self.guard:
                    self.remember(key, n)

    # -- control -------------------------------------------------------------------------------------------------------

    def pcs(self) -> str:
        """The blocks in which the lanes go on, an i32 each."""
        return self.op(f"load {self.t('i32')}, ptr {self.pointer('w', WARP['pc'])}, align 64")

    def put_pcs(self, new: str, lanes: str) -> None:
        """Writes where some lanes go on, an i32 each."""
        t = self.t("i32")
        merged = self.op(f"select {self.t('i1')} {self.lanes_of(lanes)}, {t} {new}, {t} {self.pcs()}")
        self.do(f"store {t} {merged}, ptr {self.pointer('w', WARP['pc'])}, align 64")

    def block_at(self, index: int) -> int:
        """The number of the block that begins with an instruction."""
        return self.targets[index]

    def target(self, o: Operand) -> int:
        """The block of a label."""
        if not isinstance(o, FlatLabel):
            raise NotExecuted("a label is needed")
        return self.targets[o.index]

    def go(self, new: str) -> None:
        """Each lane that runs goes to a block of its own (an i32 a lane); the block ends here."""

        def end() -> None:
            self.put_pcs(new, self.active)
            self.do(f"ret i32 {APART}")

        self.ending = end

    def fork(self, lanes: str, there: int, here: int) -> None:
        """Some lanes (an i32 of those that run) go to one block, the others to another; the block ends here."""

        def end() -> None:
            every, none = self.op(f"icmp eq i32 {lanes}, {self.active}"), self.op(f"icmp eq i32 {lanes}, 0")
            one, two = self.body.fresh("one"), self.body.fresh("two")
            self.do(f"br i1 {self.op(f'or i1 {every}, {none}')}, label %{one}, label %{two}")
            self.body.start(one)
            self.do(f"ret i32 {self.op(f'select i1 {every}, i32 {there}, i32 {here}')}")
            self.body.start(two)
            t = self.t("i32")
            new = self.op(f"select {self.t('i1')} {self.lanes_of(lanes)}, {t} {self.constant(there, 32)}, {t} "
                f"{self.constant(here, 32)}")
            self.put_pcs(new, self.active)
            self.do(f"ret i32 {APART}")

        self.ending = end

    def vanish(self, lanes: str) -> None:
        """Lanes that are no more."""
        live = self.op(f"load i32, ptr {self.pointer('w', WARP['live'])}, align 4")
        others = self.op(f"xor i32 {lanes}, -1")
        self.do(f"store i32 {self.op(f'and i32 {live}, {others}')}, ptr {self.pointer('w', WARP['live'])}, align 4")
        self.do(f"store i32 0, ptr {self.pointer('w', WARP['blocked'])}, align 4")
        self.put_pcs(self.constant(EXITED, 32), lanes)

    def together(self, wanted: str | None) -> str:
        """The block begins with an instruction that lanes execute together: those go on whose word of `wanted` (an i32
        a lane; None: all lanes of the warp) names lanes that are here, or have exited. Of several such groups one goes
        on; the others wait. Returns the group's word."""
        live = self.op(f"load i32, ptr {self.pointer('w', WARP['live'])}, align 4")
        # A lane that the guard keeps from executing it does not come: it goes on.
        come = self.active if wanted is None else self.lanes()
        absent = self.op(f"and i32 {live}, {self.op(f'xor i32 {come}, -1')}")
        if wanted is None:
            word = "-1"
            ok = self.op(f"select i1 {self.op(f'icmp eq i32 {absent}, 0')}, i32 %active, i32 0")
        else:
            t = self.t("i32")
            missing = self.op(f"and {t} {wanted}, {self.splat(absent, 'i32')}")
            here = self.op(f"and i32 {self.bits_of(self.op(f'icmp eq {t} {missing}, zeroinitializer'))}, {come}")
            first = self.op(f"call i32 @llvm.cttz.i32(i32 {here}, i1 false)")
            word = self.op(f"extractelement {t} {wanted}, i32 {self.op(f'and i32 {first}, {LANES - 1}')}")
            same = self.bits_of(self.op(f"icmp eq {t} {wanted}, {self.splat(word, 'i32')}"))
            ok = self.op(f"and i32 {here}, {same}")
            if self.guard:
                idle = self.op(f"xor i32 {come}, -1")
                ok = self.op(f"or i32 {self.op(f'and i32 {idle}, %active')}, {ok}")
        label, waits, some, split = (self.body.fresh(x) for x in ("all", "waits", "some", "split"))
        self.do(f"br i1 {self.op(f'icmp eq i32 {ok}, %active')}, label %{label}, label %{some}")
        self.body.start(some)
        self.do(f"br i1 {self.op(f'icmp eq i32 {ok}, 0')}, label %{waits}, label %{split}")
        self.body.start(waits)
        self.do(f"ret i32 {WAITS}")
        self.body.start(split)
        rest = self.op(f"and i32 %active, {self.op(f'xor i32 {ok}, -1')}")
        self._park(rest, ok)
        self.do(f"br label %{label}")
        self.body.start(label)
        self.active = ok
        self._memo = [{}]
        self.entered()
        return word

    def _park(self, rest: str, ok: str) -> None:
        """Those that wait stand before this block."""
        t, at = self.t("i32"), {name: self.op(f"getelementptr i8, ptr %w, i64 {WARP[name]}")
            for name in ("pc", "blocked", "active")}
        old = self.op(f"load {t}, ptr {at['pc']}, align 64")
        lanes = self.lanes_of(rest)
        new = self.op(f"select {self.t('i1')} {lanes}, {t} {self.constant(self.number, 32)}, {t} {old}")
        self.do(f"store {t} {new}, ptr {at['pc']}, align 64")
        blocked = self.op(f"load i32, ptr {at['blocked']}, align 4")
        self.do(f"store i32 {self.op(f'or i32 {blocked}, {rest}')}, ptr {at['blocked']}, align 4")
        self.do(f"store i32 {ok}, ptr {at['active']}, align 4")


def float_bits(o: n.Float, bits: int, kind: str) -> int:
    """A float constant in the width that an instruction wants (PTX ISA 4.5.2: constants are converted to the type they
    are used as)."""
    if o.width == bits or kind != "f":
        if o.width != bits and bits < o.width:
            kind = "f"
        else:
            return o.bits
    value = struct.unpack("<f" if o.width == 32 else "<d", o.bits.to_bytes(o.width // 8, "little"))[0]
    if bits == 64:
        return int.from_bytes(struct.pack("<d", value), "little")
    if bits == 32:
        with np.errstate(over="ignore"):
            return int(np.float64(value).astype(np.float32).view(np.uint32))
    raise NotExecuted(f"a float constant of {o.width} bits where {bits} are needed")
