"""Formats of loads and stores come in; LLVM IR of functions that move 64 lanes between registers and addresses of this
machine goes out.

A move is `void move(data, at, exec, delta)`: `data` points at the memory of vector registers, `at` at 64 addresses. A
load reads at the addresses of all lanes (those of inactive ones must be good to read) and writes registers in the
active ones; a store touches active lanes only, in ascending order. Each address is moved by `delta`. No alignment is
asked for: Linux's driver sets SH_MEM_CONFIG to unaligned accesses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from avelang.llvm.core import Body
from avelang.sim.amdgcn.state import LANES, REGISTER
from avelang.sim.amdgcn.translator import BlockTranslator

STEP = 16  # lanes that are moved at a time


@dataclasses.dataclass(frozen=True, slots=True)
class Narrow:
    """Memory of 8 or 16 `bits`. Loaded, it is extended to 16 or 32 bits (`to`) and shifted left by `shift`; the rest of
    the register becomes 0, D16 forms included (MI300 ISA, section 9.1.6: with ECC, which these chips have on, they
    write all of the register). Stored, it is shifted right."""

    bits: int
    signed: bool = False
    to: int = 32
    shift: int = 0


NARROW_LOADS = {
    "u8": Narrow(8), "i8": Narrow(8, True), "u16": Narrow(16), "i16": Narrow(16, True),
    "u8_d16": Narrow(8, False, 16), "u8_d16_hi": Narrow(8, False, 16, 16), "i8_d16": Narrow(8, True, 16),
    "i8_d16_hi": Narrow(8, True, 16, 16),
    "u16_d16": Narrow(16, False, 16), "u16_d16_hi": Narrow(16, False, 16, 16),
}  # fmt: skip
NARROW_STORES = {
    "b8": Narrow(8), "b16": Narrow(16), "b8_d16_hi": Narrow(8, shift=16), "b16_d16_hi": Narrow(16, shift=16),
}  # fmt: skip
WORDS = {"b32": 1, "b64": 2, "b96": 3, "b128": 4}
# What global, flat, scratch and buffer instructions call the formats.
NAMES = {
    "ubyte": "u8", "sbyte": "i8", "ushort": "u16", "sshort": "i16", "ubyte_d16": "u8_d16", "ubyte_d16_hi": "u8_d16_hi",
    "sbyte_d16": "i8_d16",
    "sbyte_d16_hi": "i8_d16_hi", "short_d16": "u16_d16", "short_d16_hi": "u16_d16_hi",
}  # fmt: skip
STORE_NAMES = {"byte": "b8", "short": "b16", "byte_d16_hi": "b8_d16_hi", "short_d16_hi": "b16_d16_hi"}
DWORDS = {"dword": "b32", "dwordx2": "b64", "dwordx3": "b96", "dwordx4": "b128"}


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryTransfer:
    """A load or a store of a format: `nbytes` of a lane's memory in `words` registers."""

    store: bool
    format: str

    @property
    def words(self) -> int:
        """Registers of the data."""
        return WORDS.get(self.format, 1)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        if self.format in WORDS:
            return 4 * self.words
        return (NARROW_STORES if self.store else NARROW_LOADS)[self.format].bits // 8

    @property
    def unit(self) -> MemoryTransfer:
        """The access whose range a buffer checks alone: a dword of wide ones (MI300 ISA, section 9.1.5.1, note 4)."""
        return MemoryTransfer(self.store, "b32") if self.format in WORDS else self

    @property
    def name(self) -> str:
        """Name of the helper function."""
        return f"{'store' if self.store else 'load'}_{self.format}"

    def pieces(self) -> list[tuple[MemoryTransfer, int]]:
        """The moves that it takes, and the first word of each. A store is one move, so that of lanes that overlap the
        last one wins."""
        if self.format == "b96" and not self.store:
            return [(MemoryTransfer(self.store, "b64"), 0), (MemoryTransfer(self.store, "b32"), 2)]
        return [(self, 0)]


def calls(t: BlockTranslator, access: MemoryTransfer, data: str, at: str, mask: str) -> str:
    """Lines that call the moves of an access."""
    lines = []
    if access.store and "races" in t.options.check:
        lines = _differ(access, data, at, mask)
    for n, (piece, word) in enumerate(access.pieces()):
        name = t.helper(f"ave_{piece.name}", lambda piece=piece: _move(t, piece))
        lines += [f"  %{data}.{n} = getelementptr i8, ptr %{data}, i64 {REGISTER * word}"]
        lines += [f"  call void {name}(ptr %{data}.{n}, ptr %{at}, i64 %{mask}, i64 {4 * word})"]
    return "\n".join(lines)


def _differ(access: MemoryTransfer, data: str, at: str, mask: str) -> list[str]:
    """Lines that go to %fault where lanes store different values to one place (`ave_lanes`); `data`, `at` and `mask`
    are names without %."""
    narrow = NARROW_STORES.get(access.format)
    words, shift = WORDS.get(access.format, 1), narrow.shift if narrow else 0
    bits = (1 << narrow.bits) - 1 if narrow else -1
    name = f"differ.{data}.{at}"
    return [
        f"  %{name} = call i32 @ave_lanes(ptr %g, ptr %{data}, ptr %{at}, i64 %{mask}, i64 {words}, i32 {shift}, i32 "
        f"{bits})",
        f"  %{name}.bad = icmp ne i32 %{name}, 0",
        f"  br i1 %{name}.bad, label %fault, label %{name}.fine",
        f"{name}.fine:",
    ]


def _move(t: BlockTranslator, access: MemoryTransfer) -> str:
    t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
    if access.store:
        return _store_words(access) if access.format in WORDS else _store_narrow(access)
    return _load(access)


HEAD = "define internal void @{name}(ptr noalias %data, ptr noalias %at, i64 %exec, i64 %delta) noinline #0 {{"


def _function(name: str, b: Body) -> str:
    return f"{HEAD.format(name=name)}\n{b.text()}\n  ret void\n}}"


def _pointers(b: Body, lane: str) -> list[str]:
    """Pointers to what the lanes of the step from `lane` on address."""
    first = b.op(f"getelementptr i64, ptr %at, i64 {lane}")
    found = []
    for k in range(STEP):
        address = b.op(f"load i64, ptr {b.op(f'getelementptr i64, ptr {first}, i64 {k}')}, align 8")
        found.append(b.op(f"inttoptr i64 {b.op(f'add i64 {address}, %delta')} to ptr"))
    return found


def _shuffle(b: Body, t: str, n: int, x: str, y: str, order: list[int]) -> str:
    which = ", ".join(f"i32 {k}" for k in order)
    return b.op(f"shufflevector <{n} x {t}> {x}, <{n} x {t}> {y}, <{len(order)} x i32> <{which}>")


def _collect(b: Body, t: str, items: list[str]) -> str:
    value = "poison"
    for k, item in enumerate(items):
        value = b.op(f"insertelement <{len(items)} x {t}> {value}, {t} {item}, i64 {k}")
    return value


def _quarters(x: int) -> list[int]:
    """An order that takes elements x and x + 1 of each quarter of one vector, and the other's behind them."""
    return [k + 4 * s for s in range(4) for k in (x, x + 1, STEP + x, STEP + x + 1)]


def _zipped(x: int) -> list[int]:
    """An order that takes elements x and x + 1 of each quarter of two vectors in turns."""
    return [k + 4 * s for s in range(4) for k in (x, STEP + x, x + 1, STEP + x + 1)]


def _four(b: Body, rows: list[str]) -> list[str]:
    """Four <16 x i32> transposed in each quarter: 4 words of a lane to one word of 4 lanes, and back."""
    halves = [[_shuffle(b, "i32", STEP, rows[k], rows[k + 1], _zipped(x)) for k in (0, 2)] for x in (0, 2)]
    return [_shuffle(b, "i32", STEP, low, high, _quarters(x)) for low, high in halves for x in (0, 2)]


def _read(b: Body, access: MemoryTransfer, places: list[str]) -> list[str]:
    """The words of `STEP` lanes as <16 x i32>, one for each register."""
    if access.format == "b32":
        return [_collect(b, "i32", [b.op(f"load i32, ptr {p}, align 1") for p in places])]
    if access.format == "b64":
        halves = [
            _collect(b, "i64", [b.op(f"load i64, ptr {p}, align 1") for p in part]) for part in (places[:8], places[8:])
        ]
        x, y = (b.op(f"bitcast <8 x i64> {h} to <16 x i32>") for h in halves)
        return [_shuffle(b, "i32", 16, x, y, list(range(k, 32, 2))) for k in range(2)]
    if access.format == "b128":
        lanes = [b.op(f"load <4 x i32>, ptr {p}, align 1") for p in places]
        pairs = [_shuffle(b, "i32", 4, lanes[k], lanes[k + 4], list(range(8))) for k in (0, 1, 2, 3, 8, 9, 10, 11)]
        return _four(b, [_shuffle(b, "i32", 8, pairs[k], pairs[k + 4], list(range(16))) for k in range(4)])
    kind = NARROW_LOADS[access.format]
    extend = "sext" if kind.signed else "zext"
    words = [b.op(f"{extend} i{kind.bits} {b.op(f'load i{kind.bits}, ptr {p}, align 1')} to i32") for p in places]
    value = _collect(b, "i32", words)
    if kind.to == 16 and kind.signed:
        value = b.op(f"and <16 x i32> {value}, splat (i32 65535)")
    return [b.op(f"shl <16 x i32> {value}, splat (i32 {kind.shift})") if kind.shift else value]


def _load(access: MemoryTransfer) -> str:
    b = Body()
    with b.each(LANES, STEP) as lane:
        registers = _read(b, access, _pointers(b, lane))
        shifted = b.op(f"lshr i64 %exec, {lane}")
        mask = b.op(f"bitcast i16 {b.op(f'trunc i64 {shifted} to i16')} to <16 x i1>")
        for k, value in enumerate(registers):
            place = b.op(f"getelementptr i32, ptr %data, i64 {b.op(f'add i64 {lane}, {LANES * k}')}")
            old = b.op(f"load <16 x i32>, ptr {place}, align 64")
            b.do(
                f"store <16 x i32> {b.op(f'select <16 x i1> {mask}, <16 x i32> {value}, <16 x i32> {old}')}, ptr "
                f"{place}, align 64"
            )
    return _function(f"ave_{access.name}", b)


def _active(b: Body, store: Callable[[str, str], None]) -> None:
    """Calls `store(here, pointer)` once, for the code of each active lane: pointers to the lane's word of the first
    register, and to memory."""
    some, out = b.fresh("some"), b.fresh("out")
    b.do(f"br i1 {b.op('icmp eq i64 %exec, 0')}, label %{out}, label %{some}")
    b.start(some)
    with b.each_bit("%exec") as n:
        address = b.op(f"load i64, ptr {b.op(f'getelementptr i64, ptr %at, i64 {n}')}, align 8")
        pointer = b.op(f"inttoptr i64 {b.op(f'add i64 {address}, %delta')} to ptr")
        store(b.op(f"getelementptr i32, ptr %data, i64 {n}"), pointer)
    b.do(f"br label %{out}")
    b.start(out)


def _store_narrow(access: MemoryTransfer) -> str:
    b, kind = Body(), NARROW_STORES[access.format]

    def store(here: str, pointer: str) -> None:
        word = b.op(f"lshr i32 {b.op(f'load i32, ptr {here}, align 4')}, {kind.shift}")
        b.do(f"store i{kind.bits} {b.op(f'trunc i32 {word} to i{kind.bits}')}, ptr {pointer}, align 1")

    _active(b, store)
    return _function(f"ave_{access.name}", b)


def _one_by_one(b: Body, words: int) -> None:
    """Stores word by word, lane by lane."""

    def store(here: str, pointer: str) -> None:
        for k in range(words):
            word = b.op(f"load i32, ptr {b.op(f'getelementptr i32, ptr {here}, i64 {LANES * k}')}, align 4")
            b.do(f"store i32 {word}, ptr {b.op(f'getelementptr i32, ptr {pointer}, i64 {k}')}, align 1")

    _active(b, store)


def _store_words(access: MemoryTransfer) -> str:
    """All lanes at once where all are active, but for three words, which are rare."""
    name, b = f"ave_{access.name}", Body()
    if access.words != 3:
        b.do(f"br i1 {b.op('icmp eq i64 %exec, -1')}, label %whole, label %part")
        b.start("whole")
        with b.each(LANES, STEP) as lane:
            _store_wide(b, access.words, lane)
        b.do("ret void")
        b.start("part")
    _one_by_one(b, access.words)
    return _function(name, b)


def _store_wide(b: Body, count: int, lane: str) -> None:
    """Stores words of the lanes of a step."""
    places = _pointers(b, lane)
    words = [b.op(f"add i64 {lane}, {LANES * k}") for k in range(count)]
    registers = [
        b.op(f"load <16 x i32>, ptr {b.op(f'getelementptr i32, ptr %data, i64 {word}')}, align 64") for word in words
    ]
    if count == 4:
        rows = _four(b, registers)
        for n, place in enumerate(places):
            quarter = _shuffle(b, "i32", STEP, rows[n % 4], "poison", [4 * (n // 4) + k for k in range(4)])
            b.do(f"store <4 x i32> {quarter}, ptr {place}, align 1")
    else:
        values, kind = registers, "i32"
        if count == 2:
            orders = [[k for n in range(first, first + 8) for k in (n, STEP + n)] for first in (0, 8)]
            halves = [_shuffle(b, "i32", STEP, registers[0], registers[1], order) for order in orders]
            values, kind = [b.op(f"bitcast <16 x i32> {h} to <8 x i64>") for h in halves], "i64"
        each = STEP // len(values)
        for n, place in enumerate(places):
            item = b.op(f"extractelement <{each} x {kind}> {values[n // each]}, i64 {n % each}")
            b.do(f"store {kind} {item}, ptr {place}, align 1")
