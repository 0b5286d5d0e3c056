"""The state of emission for machines whose threads are lanes: what one lane's code is written through, and what a
target must say of itself.

A value of the IR is one LLVM value: vectors are LLVM vectors; f16, bf16 and fp8 are integers of their width until an
instruction wants them otherwise. `simt_kernel.emit` is the way in. """

from __future__ import annotations

import abc
import contextlib
import dataclasses
import typing
from collections.abc import Callable, Iterator, Sequence

import avelang.arch as arch
from avelang.base.errors import error
from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.ops import bits_of
from avelang.ir.printf import Print
from avelang.ir.types import GLOBAL, LOCAL, DType, PtrType, Type, VecType
from avelang.llvm.core import Body, IRModule
from avelang.llvm.literals import elem

if typing.TYPE_CHECKING:
    from avelang.emit.llvm.simt_choices import Choice

LETTERS = {"float": "f32", "double": "f64", "half": "f16", "bfloat": "bf16"}
LIBRARY = {"fmodf": "i32", "fmod": "i64"}  # functions that no GPU has, and the integers that hold their floats
BINARY16 = {"f16": "half", "bf16": "bfloat"}  # the LLVM types of 16-bit floats


@dataclasses.dataclass(frozen=True, slots=True)
class DeviceModule:
    """The result of a GPU emitter: LLVM IR `text`, the `entry` symbol, the chip, the extents of a block, and the bytes
    of shared memory that a block has, of which the launch must provide `dynamic_bytes`. Pointer arguments must be
    aligned to `pointer_align` bytes, those in `aligned` to so many; `whole`: what forbids less, of some. Where the
    kernel has `prints`, its last argument is the buffer that `avelang.ir.printf` describes and decodes; where it checks
    its accesses, at `sites`, the record of `avelang.ir.bounds_report` comes before that."""

    text: str
    entry: str
    chip: arch.Chip
    block: tuple[int, int, int]
    shared_bytes: int
    dynamic_bytes: int
    pointer_align: int
    prints: tuple[Print, ...] = ()
    sites: tuple[typing.Any, ...] = ()
    aligned: typing.Mapping[str, int] = dataclasses.field(default_factory=dict)
    whole: typing.Mapping[str, str] = dataclasses.field(default_factory=dict)


class SharedLayout(typing.NamedTuple):
    """Shared memory of a block: (op, bytes, alignment, offset) of each allocation, and the bytes of all."""

    allocations: list[tuple[Op, int, int, int]]
    total: int


class GpuTarget(abc.ABC):
    """One vendor's part of emission. Methods that write code get the emission `w`; texts are LLVM values."""

    convention = ""
    triple = ""
    stack_space = 0  # the address space of allocas
    native_narrow: frozenset[str] = frozenset({"f16"})  # floats that `fptrunc` from f32 makes in an instruction or two
    native_fma: frozenset[str] = frozenset({"f16"})  # 16-bit floats with a fused multiply-add of their own
    # Whether LLVM's backend makes a product that is rounded to f16 a fused multiply-add of +0, by which -0 becomes +0.
    adds_to_products = False
    or_by_words = False  # whether the or of numbers of 64 bits is written as two of 32
    device_scope = ""  # of atomics within the device, with the keyword before it
    scopes: tuple[str, ...] = ("", "", "", "")  # LLVM's names of AtomicScope; the system is the one without a name
    split_members = False  # whether shuffles name the lanes that take part

    def __init__(self, chip: arch.Chip):
        self.chip = chip

    def space(self, space: str) -> int:
        """The number of an address space."""
        return self.stack_space if space == LOCAL else 1 if space == GLOBAL else 3

    @abc.abstractmethod
    def attributes(self, w: Simt) -> str:
        """The attributes of functions."""

    @abc.abstractmethod
    def index(self, w: Simt, op: Op) -> str:
        """`thread_id`, `block_id` or `grid_dim` along the op's `dim`, an i32."""

    @abc.abstractmethod
    def lane(self, w: Simt) -> str:
        """The lane within its wave, an i32."""

    @abc.abstractmethod
    def shuffle(self, w: Simt, op: Op, word: str) -> str:
        """The i32 `word` of the lane that a shuffle names, of the own lane where that is outside the segment."""

    @abc.abstractmethod
    def ballot(self, w: Simt, cond: str) -> str:
        """An i64 with a bit for each active lane."""

    @abc.abstractmethod
    def first(self, w: Simt, word: str) -> str:
        """The i32 `word` of the first active lane."""

    @abc.abstractmethod
    def barrier(self, w: Simt, op: Op) -> None:
        """Waits for the block and orders memory."""

    def leave(self, w: Simt) -> None:
        """The lane is over; the block of the function ends behind this."""
        raise w.refuse()

    def scope(self, scope: int) -> str:
        """A scope of `ir.types.AtomicScope` as LLVM writes it, with a space before it; "" for the system."""
        return f' syncscope("{self.scopes[scope]}")' if self.scopes[scope] else ""

    def release(self, w: Simt, scope: int, order: int) -> int:
        """Writes what comes before a releasing access where LLVM's order is not enough; the order (bit 0 acquires, bit
        1 releases) that is left for the access."""
        return order

    @abc.abstractmethod
    def atomic(self, w: Simt, op: Op, pointer: str) -> str | None:
        """An `atomic_add` or `atomic` at `pointer`, by an instruction of the chip; what stood there before. None where
        it has none: a loop of compare-and-swap takes its place."""

    def swap(self, w: Simt, op: Op, pointer: str, now: str, new: str) -> str | None:
        """A step of that loop where LLVM's `cmpxchg` is not it: integers come in, what stood there goes out."""
        return None

    @abc.abstractmethod
    def row(self, w: Simt, op: Op) -> str | None:
        """An intrinsic; its result, where it has one."""

    def function(self, name: str) -> Callable[[Simt, DType, str], str] | None:
        """The emission of a mathematical function of f32 that the machine has; f64 and the others have been
        expanded."""
        return None

    def narrow(self, w: Simt, t: Type, x: str) -> str | None:
        """f32 rounded to the 8-bit floats of `t`, where an instruction does that as the language defines it."""
        return None

    def widen(self, w: Simt, t: Type, x: str) -> str | None:
        """8-bit floats of type `t` as f32, likewise."""
        return None

    def map_param(self, w: Simt, name: str) -> str:
        """The declaration of a tensor map as a parameter."""
        raise error(
            "U202",
            w.kernel.span,
            what=f"the tensor map `{name}`",
            target=self.chip.name,
            why="only NVIDIA's chips from sm_90 on have them",
        )

    def begin(self, w: Simt) -> None:  # noqa: B027  (most targets have nothing to do)
        """Called before the first op; sets `w.members` where not all lanes enter the kernel."""

    def count(self, w: Simt, cond: str) -> str:
        """The members that have `cond`, for targets with `split_members`."""
        raise w.refuse()

    def own(self, w: Simt, type: str, text: str) -> str:
        """A value of LLVM's type that each lane shall hold for itself, though it be the same in all."""
        return text

    def unseen(self, w: Simt, type: str, text: str) -> str:
        """A value of LLVM's type of which LLVM does not see how it was computed, for targets with `adds_to_products` or
        `or_by_words`."""
        raise w.refuse()

    def agreed(self, w: Simt, op: Op, text: str) -> str:
        """The op's value `text`, where need be told to LLVM to be the same in all lanes: a pass has found that, LLVM
        has not."""
        return text

    def shared(self, w: Simt, plan: SharedLayout) -> tuple[list[str], int]:
        """Declares the shared memory of a plan, whose allocations `w.shared` then names: the text of the globals, and
        how many bytes the launch provides."""
        lines = []
        for i, (op, size, align, _) in enumerate(plan.allocations):
            name = f"@shared.{i}.{op.attrs.get('name', '')}".rstrip(".")
            w.shared[op] = name
            lines.append(f"{name} = internal addrspace(3) global [{size} x i8] poison, align {align}")
        return lines, 0

    def tail(self, w: Simt) -> list[str]:
        """Module flags and metadata."""
        return []


class Vectors:
    """Writes element-by-element instructions on vectors of `W` elements, or on scalars where `wide` is false: what
    `arithmetic` and `narrow_floats`, which hold the language's arithmetic, write through."""

    def __init__(self, w: Simt, n: int):
        self.w, self.W, self.module = w, n, w.module
        self.op, self.do, self.call = w.op, w.do, w.call

    def t(self, e: str, wide: bool = True) -> str:
        """An LLVM type: the elements of the vector that is worked on."""
        return f"<{self.W} x {e}>" if wide else e

    def splat(self, text: str, e: str) -> str:
        """A constant in all elements."""
        return self.w.splat(text, e, self.W)

    def outlined(self, name: str, result: str, param: str, x: str, make: Callable[[], str]) -> str:
        """Calls a function of the module on `x`, defining it if need be: `make` emits its body on %x, one basic block.
        LLVM puts it in place of the call; the text is shorter."""
        w = self.w
        if name not in self.module.functions:
            self.module.functions[name] = ""
            outer, w.body = w.body, Body()
            value = make()
            text, w.body = w.body.text(), outer
            self.module.functions[name] = (
                f"define internal {result} @{name}({param} %x) alwaysinline #0 {{\n{text}\n  ret {result} {value}\n}}"
            )
        return self.op(f"call {result} @{name}({param} {x})")

    def overload(self, name: str, e: str, wide: bool) -> str:
        """An intrinsic's name with its suffix for the vector."""
        letters = LETTERS.get(e, e)
        return f"llvm.{name}.v{self.W}{letters}" if wide else f"llvm.{name}.{letters}"


class Simt:
    """Emission of one kernel for one target. `env` maps IR values to LLVM texts; `members` is the mask of the lanes
    that are here, for targets whose shuffles want it (None: all lanes of the wave)."""

    def __init__(self, kernel: Kernel, target: GpuTarget, run: Callable[[Simt, Block], None]):
        self.kernel, self.target = kernel, target
        self.module, self.body = IRModule(), Body()
        self.block: tuple[int, int, int] = kernel.attrs["block"]
        self.wave: int = kernel.attrs["wave"]
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.env: dict[Value, str] = {}
        self.shared: dict[Op, str] = {}  # shared allocations: LLVM constants
        self.prints: list[Print] = []
        self.choices: dict[Op, Choice] = {}  # accesses to local memory that choose among registers
        self.members: str | None = None
        self.parted = False  # whether only some lanes of a wave may be here
        self.here: Op | None = None  # the op that is being emitted
        self.previous: Op | None = None  # the op before it in its block
        self._run = run

    # -- text ----------------------------------------------------------------------------------------------------------

    def op(self, text: str) -> str:
        """Appends an instruction that has a result, and returns the result's name."""
        return self.body.op(text)

    def do(self, text: str) -> None:
        """Appends an instruction without a result."""
        self.body.do(text)

    def call(self, name: str, result: str, *args: tuple[str, str]) -> str:
        """Calls an intrinsic, or fmod or fmodf. `args` are (type, value) pairs. Raises U202 for other functions."""
        if not name.startswith("llvm."):
            return self._library(name, result, *args)
        target = self.module.declare(name, result, (t for t, _ in args))
        text = f"call {result} {target}({', '.join(f'{t} {v}' for t, v in args)})"
        if result == "void":
            self.do(text)
            return ""
        return self.op(text)

    def _library(self, name: str, result: str, *args: tuple[str, str]) -> str:
        """Calls a function of `native/gpu/gpu.c`, which takes floats as integers, and is inlined."""
        if name not in LIBRARY:
            raise self.refuse()
        own, word = f"ave_{name}", LIBRARY[name]
        if own not in self.module.functions:
            self.module.include("gpu", own)
            self.module.functions[own] = self.module.functions[own].replace(" #0 {", " alwaysinline nounwind {", 1)
        words = ", ".join(f"{word} {self.bitcast(x, t, word)}" for t, x in args)
        return self.bitcast(self.op(f"call {word} @{own}({words})"), word, result)

    def ranged(self, name: str, end: int, *args: tuple[str, str]) -> str:
        """Calls an intrinsic whose i32 is known to lie from 0 to `end` - 1."""
        target = self.module.declare(name, "i32", (t for t, _ in args))
        return self.op(f"call range(i32 0, {end}) i32 {target}({', '.join(f'{t} {v}' for t, v in args)})")

    def refuse(self, why: str = "") -> Exception:
        """The error for an op that this target has no code for."""
        op = self.here
        assert op is not None
        what = f"`{op.name}` on {op.operands[0].type}" if op.operands else f"`{op.name}`"
        return error("U202", op.span, what=what, target=self.target.chip.name, why=why or "there is no code for it")

    def splat(self, text: str, e: str, n: int) -> str:
        """A vector of n copies of a scalar."""
        if not text.startswith("%"):
            return "zeroinitializer" if text in ("0", "false") else f"splat ({e} {text})"
        one = self.op(f"insertelement <{n} x {e}> poison, {e} {text}, i64 0")
        return self.op(f"shufflevector <{n} x {e}> {one}, <{n} x {e}> poison, <{n} x i32> zeroinitializer")

    def view(self, t: Type) -> typing.Any:
        """The writer for a type's elements. (Any: `arithmetic` names the CPU's own writer in its signatures.)"""
        return Vectors(self, t.n if isinstance(t, VecType) else 1)

    # -- types and values ----------------------------------------------------------------------------------------------

    def type(self, t: Type) -> str:
        """The LLVM type that holds a value."""
        if isinstance(t, VecType):
            return f"<{t.n} x {elem(t.dtype)}>"
        if isinstance(t, DType):
            return elem(t)
        assert isinstance(t, PtrType)
        space = self.target.space(t.space)
        return f"ptr addrspace({space})" if space else "ptr"

    def value(self, v: Value) -> str:
        """The text of an IR value."""
        return self.env[v]

    def typed(self, v: Value) -> str:
        """Type and value."""
        return f"{self.type(v.type)} {self.env[v]}"

    def bitcast(self, text: str, source: str, result: str) -> str:
        """A value's bits as another LLVM type."""
        return text if source == result else self.op(f"bitcast {source} {text} to {result}")

    def words(self, text: str, t: Type) -> list[str]:
        """A scalar or vector as i32 words, the lowest first; the last is filled up with zeros."""
        if isinstance(t, PtrType):
            wide = 64 if t.space == GLOBAL else 32
            text, bits = self.op(f"ptrtoint {self.type(t)} {text} to i{wide}"), wide
        else:
            bits = bits_of(t)
            text = self.bitcast(text, self.type(t), f"i{bits}")
        if bits < 32:
            return [self.op(f"zext i{bits} {text} to i32")]
        count = -(-bits // 32)
        if bits % 32:
            text = self.op(f"zext i{bits} {text} to i{32 * count}")
        if count == 1:
            return [text]
        vector = self.op(f"bitcast i{32 * count} {text} to <{count} x i32>")
        return [self.op(f"extractelement <{count} x i32> {vector}, i64 {i}") for i in range(count)]

    def from_words(self, words: Sequence[str], t: Type) -> str:
        """The inverse of `words`."""
        bits = bits_of(t)
        text = words[0]
        if len(words) > 1:
            vector = self.vector(words, "i32")
            text = self.op(f"bitcast <{len(words)} x i32> {vector} to i{32 * len(words)}")
        if bits != 32 * len(words):
            text = self.op(f"trunc i{32 * len(words)} {text} to i{bits}")
        return self.bitcast(text, f"i{bits}", self.type(t))

    def vector(self, items: Sequence[str], e: str) -> str:
        """A vector of scalars."""
        out = "poison"
        for i, x in enumerate(items):
            out = self.op(f"insertelement <{len(items)} x {e}> {out}, {e} {x}, i64 {i}")
        return out

    def elements(self, v: Value) -> list[str]:
        """The elements of a vector, or the one scalar."""
        if not isinstance(v.type, VecType):
            return [self.env[v]]
        return [self.op(f"extractelement {self.typed(v)}, i64 {i}") for i in range(v.type.n)]

    # -- regions -------------------------------------------------------------------------------------------------------

    def run(self, block: Block) -> list[str]:
        """Emits a region's ops; gives the texts of what its terminator passes on."""
        outer, self.previous = (self.here, self.previous), None
        self._run(self, block)
        self.here, self.previous = outer
        return [self.env[v] for v in block.terminator.operands]

    @contextlib.contextmanager
    def among(self, members: str | None, parted: bool) -> Iterator[None]:
        """Emits what follows for these lanes."""
        outer = self.members, self.parted
        self.members, self.parted = members, self.parted or parted
        try:
            yield
        finally:
            self.members, self.parted = outer
