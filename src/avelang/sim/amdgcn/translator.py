"""Instructions of one basic block come in, one after another; LLVM IR of a host function over registers of 64 lanes
goes out.

Registers live in the wave's memory (`state`). Within a block their values are kept as SSA values. Vector registers are
written back at once, scalar ones before anything that reads them in memory, and at the block's end. Handlers in the
tables of `scalar`, `vector`, `memory`, ... work through the methods here; none of them knows where a register stands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from avelang.amdgcn.asm import EXEC, SCC, VCC, Imm, MCInst, Name, Operand, PhysReg
from avelang.llvm.core import Body, IRModule
from avelang.llvm.writer import Writer
from avelang.sim.amdgcn import indexing, operands
from avelang.sim.amdgcn.faults import UNKNOWN, UnsupportedForm
from avelang.sim.amdgcn.mode import Mode
from avelang.sim.amdgcn.state import ARCHITECTED, END, FAULT, FILES, GROUP, LANES, REGISTER, VECTORS, WAVE

if TYPE_CHECKING:
    from avelang.sim.amdgcn.check import Checker

Handler = Callable[["BlockTranslator", MCInst], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """Instrumentation of translated code. `check`: words of `checks.WORDS`; `profile`: counters of LDS bank conflicts
    and of bytes moved; `mutable`: waits and barriers can be switched off one at a time."""

    check: frozenset[str] = frozenset()
    profile: bool = False
    mutable: bool = False


class BlockTranslator(Writer):
    """Writes the functions of a program's blocks into `module`."""

    def __init__(
        self, module: IRModule, options: Options, symbols: Callable[[Name, MCInst], int], targets: dict[int, int],
        labels: dict[str, int],
        code: Sequence[MCInst],
    ):  # fmt: skip
        """`symbols`: the value of a symbol in an operand; `targets`: numbers of blocks by the index of their first
        instruction; `labels`: indices of instructions by name; `code`: all instructions."""
        super().__init__(module, LANES)
        self.options, self.symbols, self.targets, self.labels, self.code = options, symbols, targets, labels, code
        self.here: MCInst | None = None
        self.mode, self.mode_known = Mode(), True  # MODE at this instruction
        self.first_mode = self.mode  # and where the kernel starts
        self.counted = 0  # instructions of this block that `count` has added
        self.reasons: dict[int, str] = {}  # why instructions are not executed, by their index
        self.fp8 = "fnuz"  # the kind of 8-bit floats (see `arch.Chip`)
        self.chip = "gfx942"
        self.accum = ARCHITECTED  # where a0 stands in the unified file (`accum_offset`)
        self.registers = 0  # how many registers the wave has in that file, 0 where the descriptor does not say
        self.checker: Checker | None = None

    # -- functions -----------------------------------------------------------------------------------------------------

    def begin(self, mode: Mode | None = None) -> None:
        """Starts a block's function; nothing is known of any register. `mode` is None where MODE depends on the way
        here."""
        self.mode, self.mode_known = mode or self.mode, mode is not None
        self.body, self._memo = Body(), [{}]
        self._vectors: dict[tuple[str, int], str] = {}
        self._scalars: dict[int, str] = {}
        self._pairs: dict[int, str] = {}  # 64-bit values of cells n, n + 1
        self._dirty: dict[tuple[str, int], None] = {}  # scalar cells ("s") and pairs ("p") to be written back
        self._scc: str | None = None
        self._faults: list[tuple[int, str]] = []
        self.ended = False

    def finish(self, name: str, next_block: int) -> str:
        """Ends the function, falling through to `next_block` where its last instruction went nowhere. Returns its
        text."""
        if not self.ended:
            self.leave(str(next_block))
        if self._faults:
            self.body.start("fault")
            which = ", ".join(f"[ {index}, %{label} ]" for index, label in self._faults)
            index = self.op(f"phi i32 {which}")
            # A pointer of its own: what is remembered may have been computed behind the first way here.
            place = self.op(f"getelementptr i8, ptr %g, i64 {GROUP['fault_instruction']}")
            self.do(f"store i32 {index}, ptr {place}, align 4")
            self.do(f"ret i32 {FAULT}")
        return f"define internal i32 @{name}(ptr noalias %w, ptr noalias %g) #0 {{\n{self.body.text()}\n}}"

    def leave(self, block: str) -> None:
        """Returns the number of the block to go on with (an i32), or one of `state`'s END, BARRIER."""
        self.flush()
        self.do(f"ret i32 {block}")
        self.ended = True

    def field(self, base: str, offset: int) -> str:
        """A pointer into the wave ("w") or the workgroup ("g")."""
        key = ("field", base, offset)
        return self.memo(key) or self.remember(key, self.op(f"getelementptr i8, ptr %{base}, i64 {offset}"))

    def group(self, name: str, t: str) -> str:
        """A field of the workgroup that does not change while a block runs."""
        key = ("group", name)
        return self.memo(key) or self.remember(
            key, self.op(f"load {t}, ptr {self.field('g', GROUP[name])}, align {4 if t == 'i32' else 8}")
        )

    # -- registers -----------------------------------------------------------------------------------------------------

    def place(self, reg: PhysReg, k: int = 0) -> str:
        """A pointer to the memory of a vector register, `k` behind the first one of `reg`. `forget` once it is written
        there."""
        return self._cell(*self._unified(reg.file, reg.first + k))

    def _unified(self, file: str, n: int) -> tuple[str, int]:
        """The vector file is one: v[n] is a[n - accum_offset] from `accum_offset` on (LLVM, "User Guide for AMDGPU
        Backend", ACCUM_OFFSET)."""
        return ("a", n - self.accum) if file == "v" and n >= self.accum else (file, n)

    def _cell(self, file: str, n: int) -> str:
        """A pointer to a register's memory. File "x" is memory of the block: registers on their way (see
        `indexing`)."""
        if file == "x":
            return self.op(f"getelementptr i8, ptr {self.beside}, i64 {n * REGISTER}")
        return self.field("w", VECTORS + (n + (self.accum if file == "a" else 0)) * REGISTER)

    @property
    def beside(self) -> str:
        """Memory of `indexing.BESIDE` registers that stand in no file."""
        return self.memo("beside") or self.remember("beside", self.body.alloca(f"[{indexing.BESIDE * LANES} x i32]"))

    def vector(self, file: str, n: int) -> str:
        """The value of a vector register, <64 x i32>."""
        key = self._unified(file, n)
        if key not in self._vectors:
            self._vectors[key] = self.op(f"load {self.t('i32')}, ptr {self._cell(*key)}, align 64")
        return self._vectors[key]

    def set_vector(self, file: str, n: int, value: str, masked: bool = True) -> None:
        """Gives a vector register a value: in the active lanes, or in all of them. It is written back at once: values
        that wait for the block's end would all be live there, which costs LLVM a third more time."""
        if masked and self.exec() != "-1":
            value = self.op(
                f"select {self.t('i1')} {self.mask()}, {self.t('i32')} {value}, {self.t('i32')} {self.vector(file, n)}"
            )
        key = self._unified(file, n)
        self._vectors[key] = value
        self.do(f"store {self.t('i32')} {value}, ptr {self._cell(*key)}, align 64")

    def forget_vector(self, reg: PhysReg) -> None:
        """After one register's memory was written: its value is not known any more."""
        self._vectors.pop(self._unified(reg.file, reg.first), None)

    def scalar(self, n: int) -> str:
        """The value of a scalar cell, an i32."""
        if n == SCC:
            return self.op(f"zext i1 {self.scc()} to i32")
        if n not in self._scalars:
            low = n if n in self._pairs else n - 1
            if low in self._pairs:
                word = self._pairs[low]
                part = word if low == n else self.op(f"lshr i64 {word}, 32")
                self._scalars[n] = self.op(f"trunc i64 {part} to i32")
            else:
                self._scalars[n] = self.op(f"load i32, ptr {self.field('w', 4 * n)}, align 4")
        return self._scalars[n]

    def set_scalar(self, n: int, value: str) -> None:
        """Sets a scalar cell to an i32."""
        if n == SCC:
            return self.set_scc(self.op(f"icmp ne i32 {value}, 0"))
        self._split(n)
        self._split(n - 1)
        self._scalars[n] = value
        self._dirty["s", n] = None

    def _split(self, n: int) -> None:
        """Forgets a pair, keeping what it holds in its cells."""
        if n not in self._pairs:
            return
        dirty = ("p", n) in self._dirty
        for cell in (n, n + 1):
            if dirty:
                self.scalar(cell)
                self._dirty["s", cell] = None
        self._dirty.pop(("p", n), None)
        del self._pairs[n]

    def pair(self, n: int) -> str:
        """The value of cells n and n + 1, an i64."""
        if n not in self._pairs:
            if ("s", n) in self._dirty or ("s", n + 1) in self._dirty or n - 1 in self._pairs or n + 1 in self._pairs:
                lo, hi = (self.op(f"zext i32 {self.scalar(x)} to i64") for x in (n, n + 1))
                self._split(n - 1)
                self._split(n + 1)
                self._pairs[n] = self.op(f"or i64 {lo}, {self.op(f'shl i64 {hi}, 32')}")
            else:
                self._pairs[n] = self.op(f"load i64, ptr {self.field('w', 4 * n)}, align 4")
        return self._pairs[n]

    def set_pair(self, n: int, value: str) -> None:
        """Sets cells n and n + 1 to an i64."""
        for cell in (n - 1, n + 1):
            self._split(cell)
        for cell in (n, n + 1):
            self._scalars.pop(cell, None)
            self._dirty.pop(("s", cell), None)
        self._pairs[n] = value
        self._dirty["p", n] = None

    def scc(self) -> str:
        """SCC, an i1."""
        if self._scc is None:
            word = self.op(f"load i32, ptr {self.field('w', 4 * SCC)}, align 4")
            self._scc = self.op(f"icmp ne i32 {word}, 0")
        return self._scc

    def set_scc(self, bit: str) -> None:
        """Sets SCC to an i1."""
        self._scc = bit
        self._dirty["scc", 0] = None

    def both(self, a: str, b: str) -> str:
        """a and b, of i64 that may be constants."""
        return a if b == "-1" else b if a == "-1" else self.op(f"and i64 {a}, {b}")

    def exec(self) -> str:
        """EXEC, an i64."""
        return self.pair(EXEC)

    def mask(self) -> str:
        """The active lanes, <64 x i1>."""
        return self.lanes_of(self.exec())

    def lanes_of(self, word: str) -> str:
        """One bit for each lane, from an i64."""
        key = ("lanes", word)
        return self.memo(key) or self.remember(key, self.op(f"bitcast i64 {word} to {self.t('i1')}"))

    def word_of(self, lanes: str) -> str:
        """An i64 from one bit for each lane."""
        return self.op(f"bitcast {self.t('i1')} {lanes} to i64")

    def flush(self) -> None:
        """Writes scalar registers back, so that the wave's memory is true."""
        for file, n in self._dirty:
            if file == "s":
                self.do(f"store i32 {self._scalars[n]}, ptr {self.field('w', 4 * n)}, align 4")
            elif file == "p":
                self.do(f"store i64 {self._pairs[n]}, ptr {self.field('w', 4 * n)}, align 4")
            elif file == "scc":
                self.do(f"store i32 {self.op(f'zext i1 {self._scc} to i32')}, ptr {self.field('w', 4 * SCC)}, align 4")
        self._dirty.clear()

    def forget(self) -> None:
        """After code that wrote registers in the wave's memory: nothing that was read is known any more. `flush` comes
        before."""
        assert not self._dirty
        self._vectors, self._scalars, self._pairs, self._scc = {}, {}, {}, None

    def forget_vectors(self) -> None:
        """Like `forget`, where only vector registers were written."""
        self._vectors = {}

    # -- helper functions ----------------------------------------------------------------------------------------------

    def helper(self, name: str, make: Callable[[], str]) -> str:
        """The name, with @, of a function of the module; `make` gives its text when it is first asked for."""
        if name not in self.module.functions:
            self.module.functions[name] = ""
            self.module.functions[name] = make()
        return "@" + name

    def run(self, name: str, *args: str, may_fail: bool = True) -> None:
        """Calls a helper on typed arguments such as "ptr %w"; with `may_fail` it returns an i32, not 0 when it recorded
        a fault in the workgroup (all `fault_` fields but the instruction), and the wave stops there. The values of
        vector registers are forgotten, since keeping them across calls costs more than reading them again."""
        assert self.here is not None
        if not may_fail:
            self.do(f"call void {name}({', '.join(args)})")
        else:
            self.guard(self.op(f"call i32 {name}({', '.join(args)})"))
        self.forget_vectors()

    def guard(self, status: str) -> None:
        """Stops the wave at this instruction where the i32 `status` is not 0: a fault has been recorded."""
        assert self.here is not None
        bad = self.op(f"icmp ne i32 {status}, 0")
        label = self.body.fresh("go")
        self._faults.append((self.here.index, self.body.label))
        self.do(f"br i1 {bad}, label %fault, label %{label}")
        self.body.start(label)

    def stop(self, code: int, why: str) -> None:
        """Stops the wave at this instruction with a code of `faults`; `why` is what the error says."""
        assert self.here is not None
        self.reasons[self.here.index] = why
        for name, value in (("fault_code", code), ("fault_instruction", self.here.index)):
            self.do(f"store i32 {value}, ptr {self.field('g', GROUP[name])}, align 4")
        self.leave(str(FAULT))

    def stop_if(self, bad: str, why: str) -> None:
        """Stops the wave at this instruction where the i1 `bad` is true; `why` is what the error says."""
        assert self.here is not None
        self.reasons[self.here.index] = why
        stop, go = self.body.fresh("stop"), self.body.fresh("go")
        self.do(f"br i1 {bad}, label %{stop}, label %{go}")
        self.body.start(stop)
        place = self.op(f"getelementptr i8, ptr %g, i64 {GROUP['fault_code']}")
        self.do(f"store i32 {UNKNOWN}, ptr {place}, align 4")
        self.do("br label %fault")
        self._faults.append((self.here.index, stop))
        self.body.start(go)

    # -- operands ------------------------------------------------------------------------------------------------------

    def mode_allows(self, i: MCInst) -> None:
        """Raises UnsupportedForm where MODE is not known, or says something that this instruction's handler does not
        heed."""
        if not self.mode_known:
            raise UnsupportedForm("MODE differs by the way that leads here")

    def immediate(self, x: Imm, bits: int, floating: bool) -> int:
        """The pattern of a constant in an operand of so many bits; see `operands.immediate`."""
        return operands.immediate(x, bits, floating, self.signed())

    def signed(self) -> bool:
        """True if the instruction takes its 64-bit operands as signed."""
        return self.here is not None and self.here.name.endswith("_i64")

    def scalar_source(self, o: Operand, bits: int = 32) -> str:
        """A scalar operand, an i32 or i64."""
        if isinstance(o, PhysReg) and o.file == "s":
            if bits == 64 and o.first != SCC:
                return self.pair(o.first)
            text = self.scalar(o.first)
            return text if bits == 32 else self.op(f"zext i32 {text} to i64")
        if isinstance(o, Imm):
            value = self.immediate(o, bits, False)
            return str(value - (value >> bits - 1 << bits))  # signed, so that a full EXEC reads -1
        if isinstance(o, Name):
            assert self.here is not None
            if (found := operands.named(self, o, bits)) is not None:
                return found
            return str(self.symbols(o, self.here) & (1 << bits) - 1)
        raise UnsupportedForm(f"{o} is no scalar operand")

    def set_scalar_result(self, o: Operand, value: str, bits: int = 32) -> None:
        """Writes a scalar destination of 32 or 64 bits."""
        if not isinstance(o, PhysReg) or o.file != "s":
            raise UnsupportedForm(f"{o} is no scalar destination")
        if bits == 64:
            self.set_pair(o.first, value)
        else:
            self.set_scalar(o.first, value)

    def source(self, o: Operand, bits: int = 32, k: int = 0) -> str:
        """A vector operand as integers, <64 x iN> of 16, 32 or 64 bits, without its modifiers; `k` registers behind its
        first."""
        return operands.source(self, o, bits, k)

    def wide(self, low: str, high: str) -> str:
        """<64 x i64> from two registers."""
        i32, i64 = self.t("i32"), self.t("i64")
        up = self.op(f"shl {i64} {self.op(f'zext {i32} {high} to {i64}')}, splat (i64 32)")
        return self.op(f"or {i64} {self.op(f'zext {i32} {low} to {i64}')}, {up}")

    def set_result(self, o: Operand, value: str, bits: int = 32, masked: bool = True, k: int = 0) -> None:
        """Writes a vector destination from <64 x i32> or <64 x i64>, in the active lanes."""
        if not isinstance(o, PhysReg) or o.file not in FILES:
            raise UnsupportedForm(f"{o} is no vector destination")
        if bits == 32:
            return self.set_vector(o.file, o.first + k, value, masked)
        i32, i64 = self.t("i32"), self.t("i64")
        self.set_vector(o.file, o.first + k, self.op(f"trunc {i64} {value} to {i32}"), masked)
        high = self.op(f"lshr {i64} {value}, splat (i64 32)")
        self.set_vector(o.file, o.first + k + 1, self.op(f"trunc {i64} {high} to {i32}"), masked)

    def source_at(self, i: MCInst, n: int, bits: int = 32) -> str:
        """Operand `n` of a vector instruction as integers, <64 x iN> of 16, 32 or 64 bits: SDWA's selection, DPP's
        movement, op_sel and sext applied. Results that are operands too (fmac) come as they are."""
        return operands.source_at(self, i, n, bits)

    def float_at(self, i: MCInst, n: int, bits: int = 32, flush: bool = True) -> str:
        """Operand `n` as <64 x half>, <64 x float> or <64 x double>, neg and abs applied too. Denormals are zeros where
        MODE says so; `flush` False for what only moves floats, such as v_cndmask_b32."""
        return operands.float_at(self, i, n, bits, flush)

    def packed_at(self, i: MCInst, n: int, bits: int = 16) -> tuple[str, str]:
        """Sources of the lower and upper result of a packed integer instruction in operand `n`: <64 x i16> halves of a
        register, or with bits=32 <64 x i32> registers of a pair."""
        return operands.packed_at(self, i, n, bits)

    def packed_float_at(self, i: MCInst, n: int, bits: int = 16) -> tuple[str, str]:
        """`packed_at` of <64 x half> or <64 x float>, neg_lo and neg_hi applied."""
        return operands.packed_float_at(self, i, n, bits)

    def mix_at(self, i: MCInst, n: int) -> str:
        """Operand `n` of v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16, <64 x float>."""
        return operands.mix_at(self, i, n)

    def result_at(self, i: MCInst, value: str, bits: int = 32, n: int = 0, clamped: bool = False) -> None:
        """Writes operand `n` of a vector instruction from <64 x iN> of 16, 32 or 64 bits, as SDWA, DPP and op_sel say.
        An instruction with the modifier clamp must have clamped its result itself, and says so."""
        operands.result_at(self, i, value, bits, n, clamped)

    def float_result(self, i: MCInst, value: str, bits: int = 32) -> None:
        """Writes operand 0 from floats of so many bits, after omod, clamp, and flushing of denormals as MODE says."""
        operands.result_at(self, i, operands.finished(self, i, value, bits), bits, clamped=True)

    def packed_result(self, i: MCInst, lo: str, hi: str, bits: int = 16, clamped: bool = False) -> None:
        """Writes operand 0 of a packed instruction from two <64 x i16> or, with bits=32, two <64 x i32>; `clamped` as
        in `result_at`."""
        operands.packed_result(self, i, lo, hi, bits, clamped)

    def packed_float_result(self, i: MCInst, lo: str, hi: str, bits: int = 16) -> None:
        """`packed_result` of floats, after clamp and flushing."""
        low, high = (operands.finished(self, i, x, bits) for x in (lo, hi))
        operands.packed_result(self, i, low, high, bits, clamped=True)

    def mask_result_at(self, i: MCInst, lanes: str, n: int = 1) -> None:
        """`set_mask_result` of operand `n` of an instruction that DPP must not keep from some of its lanes."""
        if operands.dpp_lanes(self, i) != "-1":
            raise UnsupportedForm("a mask as the result of DPP that leaves lanes out")
        self.set_mask_result(i.operands[n], lanes)

    def set_mask_result(self, o: Operand, lanes: str) -> None:
        """Writes one bit for each lane to a pair of scalar registers; bits of inactive lanes become 0."""
        if not isinstance(o, PhysReg) or o.file != "s":
            raise UnsupportedForm(f"{o} is no scalar destination")
        self.set_pair(o.first, self.op(f"and i64 {self.word_of(lanes)}, {self.exec()}"))

    def vcc(self) -> str:
        """VCC, an i64."""
        return self.pair(VCC)

    def branch_to(self, o: Operand) -> int:
        """The number of the block at a label."""
        if not isinstance(o, Name) or o.name not in self.labels:
            raise UnsupportedForm(f"there is no label {o.name if isinstance(o, Name) else o}")
        return self.targets[self.labels[o.name]]

    def block_after(self, i: MCInst) -> int:
        """The number of the block behind an instruction that ends one; END where the code ends there."""
        return self.targets.get(i.index + 1, END)

    def count(self, n: int) -> None:
        """Adds to the wave's count of instructions."""
        self.counted = n
        place = self.field("w", WAVE["count"])
        old = self.op(f"load i64, ptr {place}, align 8")
        self.do(f"store i64 {self.op(f'add i64 {old}, {n}')}, ptr {place}, align 8")

    # -- hooks ---------------------------------------------------------------------------------------------------------

    def lds_access(self, i: MCInst, addr: str, offset: int, nbytes: int, kind: str) -> None:
        """Called before the active lanes access LDS: `nbytes` each at the address that `addr` (a pointer to 64 i32: a
        register's memory, or a copy) holds, plus `offset`, modulo 2**32. `kind`: "read", "write", "atomic" or "async
        write". What lies outside of LDS is the access's own fault, or not an access to LDS at all (flat addresses):
        nothing is to be said of it here."""
        if self.checker:
            self.checker.lds(i, addr, offset, nbytes, kind)

    def skipped(self, i: MCInst) -> str:
        """Of a mutable program: whether this instruction is the one that is switched off, an i1."""
        which = self.op(f"load i32, ptr {self.field('g', GROUP['skip'])}, align 4")
        return self.op(f"icmp eq i32 {which}, {i.index << 2}")
