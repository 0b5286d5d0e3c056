"""Operands of memory instructions come in; calls of functions that check addresses and move data go out. What global,
scratch and LDS memory share.

A space is "global", "flat", "scratch" or "lds" (see `memory_addresses`); a place in it is (low, high, base): pointers
to the memory of two vector registers and an i64 that all lanes share.
"""

from __future__ import annotations

from avelang.amdgcn.asm import M0, MCInst, Name, Operand, PhysReg
from avelang.arch import chip
from avelang.llvm.writer import Writer
from avelang.sim.amdgcn import memory_banks, memory_traffic
from avelang.sim.amdgcn.memory_addresses import V32, V64, helper, stage, zeros
from avelang.sim.amdgcn.memory_moves import MemoryTransfer, calls
from avelang.sim.amdgcn.state import FILES, LANES, REGISTER, SHARED_BASE
from avelang.sim.amdgcn.translator import BlockTranslator, UnsupportedForm

Place = tuple[str, str, str]
PARAMETERS = "ptr noalias %g, ptr noalias %w, ptr %data, ptr %low, ptr %high, i64 %base, i64 %exec"
# Instructions that take a base in LDS from M0 read as many of its bits as LDS needs: 16 for 64 KiB, 18 for 160 (MI300
# ISA, section 9.1.9; CDNA4 ISA, section 10.3, whole dwords: M0[17:2]). Those of `ds_read_addtid_b32` and its like are
# 16 on both (CDNA4 ISA, section 12.12).
WHOLE_DWORDS = ("global", "scratch")
NOWHERE = 1 << 20  # an address in LDS that is behind that of any chip


def m0_lds(t: BlockTranslator, space: str) -> int:
    """The bits of M0 that are a place in LDS."""
    bits = 0xFFFF if space == "lds" else (1 << (chip(t.chip).lds_bytes - 1).bit_length()) - 1
    return bits & ~3 if space in WHOLE_DWORDS else bits


def function(name: str, parameters: str, slots: dict[str, str], body: str) -> str:
    """A helper that returns 0 at once where no lane is active. `body` begins behind that, and ends by going to %done
    or, a fault being recorded, to %fault."""
    allocas = "\n".join(f"  %{slot} = alloca {kind}, align 64" for slot, kind in slots.items())
    return f"""define internal i32 @{name}({parameters}) noinline #0 {{
entry:
{allocas}
  %none = icmp eq i64 %exec, 0
  br i1 %none, label %done, label %go
go:
{body}
done:
  ret i32 0
fault:
  ret i32 1
}}
"""


def staged(
    t: BlockTranslator, space: str, nbytes: int, out: str = "at", low: str = "%low", high: str = "%high",
    base: str = "%base",
) -> str:  # fmt: skip
    """Lines that check addresses and leave them in %out."""
    arguments = f"ptr %g, ptr %w, ptr %{out}, ptr {low}, ptr {high}, i64 {base}, i64 %exec, i64 {nbytes}"
    return f"""  %s.{out} = call i32 {stage(t, space)}({arguments})
  %b.{out} = icmp ne i32 %s.{out}, 0
  br i1 %b.{out}, label %fault, label %staged.{out}
staged.{out}:"""


def plain(t: BlockTranslator, space: str, access: MemoryTransfer) -> str:
    """The function of a load or a store, with its @: i32(g, w, data, low, high, base, exec)."""
    name = f"ave_{space}_{access.name}"

    def make() -> str:
        body = staged(t, space, access.nbytes) + "\n" + calls(t, access, "data", "at", "exec") + "\n  br label %done"
        if space == "lds" and not access.store and "d16" not in access.format:
            body = _zeros_of_nowhere(t, access) + body
        return function(name, PARAMETERS, {"at": V64}, body)

    return t.helper(name, make)


def _nowhere(t: BlockTranslator) -> str:
    """i1 ave_nowhere(low, base, exec): whether all active lanes read LDS at one address that is behind any chip's, and
    no small negative number."""
    w = Writer(t.module, LANES)
    lane = w.op("call i64 @llvm.cttz.i64(i64 %exec, i1 true)")
    one = w.op(f"load i32, ptr {w.op(f'getelementptr i32, ptr %low, i64 {lane}')}, align 4")
    other = w.op(f"icmp ne {V32} {w.op(f'load {V32}, ptr %low, align 64')}, {w.splat(one, 'i32')}")
    active = w.op(f"and i64 {w.op(f'bitcast <{LANES} x i1> {other} to i64')}, %exec")
    at = w.op(f"add i32 {one}, {w.op('trunc i64 %base to i32')}")
    far = w.op(f"and i1 {w.op(f'icmp uge i32 {at}, {NOWHERE}')}, {w.op(f'icmp sgt i32 {at}, 0')}")
    found = w.op(f"and i1 {far}, {w.op(f'icmp eq i64 {active}, 0')}")
    head = "define internal i1 @ave_nowhere(ptr %low, i64 %base, i64 %exec) noinline #0"
    return f"{head} {{\n{w.body.text()}\n  ret i1 {found}\n}}"


def _zeros_of_nowhere(t: BlockTranslator, access: MemoryTransfer) -> str:
    """Lines that give active lanes 0 where `ave_nowhere`, and go on at %there else."""
    t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
    nowhere = t.helper("ave_nowhere", lambda: _nowhere(t))
    clear = helper(t, "ave_clear")
    lines = [
        f"  %nowhere = call i1 {nowhere}(ptr %low, i64 %base, i64 %exec)",
        "  br i1 %nowhere, label %nothing, label %there",
        "nothing:",
    ]
    for k in range(access.words):
        lines += [
            f"  %z{k} = getelementptr i8, ptr %data, i64 {REGISTER * k}",
            f"  call void {clear}(ptr %z{k}, i64 %exec)",
        ]
    return "\n".join([*lines, "  br label %done", "there:", ""])


def run(t: BlockTranslator, space: str, access: MemoryTransfer, data: str, place: Place) -> None:
    """Loads or stores at a place; `data` points at the memory of registers."""
    low, high, base = place
    t.run(
        plain(t, space, access), "ptr %g", "ptr %w", f"ptr {data}", f"ptr {low}", f"ptr {high}", f"i64 {base}",
        f"i64 {t.exec()}",
    )  # fmt: skip


def data_register(t: BlockTranslator, o: Operand, words: int) -> str:
    """A pointer to the memory of so many vector registers."""
    if not isinstance(o, PhysReg) or o.file not in FILES or o.count != words:
        raise UnsupportedForm(f"{o} is not {words} vector register{'s' * (words > 1)}")
    return t.place(o)


def is_off(o: Operand) -> bool:
    """True if an operand is `off`: the address has no such part."""
    return isinstance(o, Name) and o.name == "off"


def plus(t: BlockTranslator, value: str, constant: int) -> str:
    """An i64 plus a constant."""
    return t.op(f"add i64 {value}, {constant}") if constant else value


def place(t: BlockTranslator, i: MCInst, space: str, vaddr: Operand, saddr: Operand) -> Place:
    """The place that a global, flat or scratch instruction spells (MI300 ISA, section 10.3 to 10.5)."""
    offset, nothing = i.int("offset"), zeros(t)
    if space == "scratch":
        low = nothing if is_off(vaddr) else data_register(t, vaddr, 1)
        shared = str(offset) if is_off(saddr) else plus(t, t.op(f"zext i32 {t.scalar_source(saddr)} to i64"), offset)
        return low, nothing, shared
    if is_off(saddr):
        low = data_register(t, vaddr, 2)
        assert isinstance(vaddr, PhysReg)
        return low, t.place(vaddr, 1), str(offset)
    return data_register(t, vaddr, 1), nothing, plus(t, t.scalar_source(saddr, 64), offset)


def slot(t: BlockTranslator, what: str, words: int) -> str:
    """Memory like that of so many vector registers, for values on their way; one of a name in each block."""
    key = ("slot", what, words)
    return t.memo(key) or t.remember(key, t.body.alloca(f"[{LANES * words} x i32]"))


def lane_offsets(t: BlockTranslator, step: int) -> str:
    """A pointer to constants: the lane's number times `step`."""
    return t.module.constant(V32, "<" + ", ".join(f"i32 {n * step}" for n in range(LANES)) + ">")


def lds_base(t: BlockTranslator, i: MCInst, space: str) -> str:
    """An i64: what M0 and the instruction's offset say of a place in LDS."""
    return plus(t, t.op(f"zext i32 {t.op(f'and i32 {t.scalar(M0)}, {m0_lds(t, space)}')} to i64"), i.int("offset"))


def touch(t: BlockTranslator, i: MCInst, addr: str, offset: int, nbytes: int, kind: str, lanes: str = "") -> None:
    """Tells the checker and the counters of an access to LDS. `lanes`: those that the counters count, the active ones
    if empty."""
    if t.options.check:
        t.lds_access(i, addr, offset, nbytes, kind)
    if t.options.profile:
        memory_banks.count(t, i, addr, offset, nbytes, kind, lanes or t.exec())
        memory_traffic.lds(t, i, nbytes, lanes or t.exec())


def touch_flat(t: BlockTranslator, i: MCInst, vaddr: PhysReg, nbytes: int, kind: str) -> None:
    """`touch` for flat addresses: those outside of LDS count as far beyond its end."""
    if not (t.options.check or t.options.profile):
        return
    i32, i64 = t.t("i32"), t.t("i64")
    address = t.op(f"add {i64} {t.source(vaddr, 64)}, splat (i64 {i.int('offset')})")
    shared = t.op(f"icmp eq {i64} {t.op(f'lshr {i64} {address}, splat (i64 32)')}, splat (i64 {SHARED_BASE >> 32})")
    low = t.op(
        f"select {t.t('i1')} {shared}, {i32} {t.op(f'trunc {i64} {address} to {i32}')}, {i32} splat (i32 -65536)"
    )
    where = slot(t, "touched", 1)
    t.do(f"store {i32} {low}, ptr {where}, align 64")
    touch(t, i, where, 0, nbytes, kind, t.op(f"and i64 {t.word_of(shared)}, {t.exec()}"))


def to_lds(t: BlockTranslator, i: MCInst, space: str, words: int, data: str) -> None:
    """Direct to LDS: registers' worth of data, already loaded, go to M0 + offset + 4 bytes for each lane, 16 where
    there are 3 or 4 words (MI300 ISA, section 9.1.9 and 10.3; CDNA4 ISA for the wide ones)."""
    where, step = slot(t, "direct", 1), 4 if words == 1 else 16
    base = t.op(f"trunc i64 {lds_base(t, i, space)} to i32")
    i32, all_lanes = t.t("i32"), t.splat(base, "i32")
    lanes = t.op(f"load {i32}, ptr {lane_offsets(t, step)}, align 64")
    t.do(f"store {i32} {t.op(f'add {i32} {lanes}, {all_lanes}')}, ptr {where}, align 64")
    store = MemoryTransfer(True, f"b{32 * words}")
    touch(t, i, where, 0, store.nbytes, "async write")
    run(t, "lds", store, data, (where, zeros(t), "0"))
