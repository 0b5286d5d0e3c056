"""The row: everything that Ave knows of one intrinsic, in one place. From the rows come the public names, the argument
checks, the IR ops, what the executors compute, what the backends emit, and the reference pages."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import PURE, Op, OpDef, Value, define
from avelang.ir.types import MapType, PtrType, TensorType, Type, VecType, dtype_of
from avelang.isa.fragments import Mma


class Wave(Protocol):
    """The wave that executes a row, as its `semantics` sees it. All arrays have one entry a lane."""

    lanes: int
    active: np.ndarray  # bool (lanes,): the lanes that execute the instruction
    features: frozenset[
        str
    ]  # of the chip that is emulated, for the few rows whose meaning depends on it (fp8: "fp8-fnuz" or "fp8-ocp")

    def read(self, space: str, address: np.ndarray, nbytes: int, mask: np.ndarray) -> np.ndarray:
        """uint8 (lanes, nbytes) from byte addresses uint64 (lanes,); zeros where `mask` is False. Addresses are what
        `TensorRef` and resource words hold."""
        ...

    def write(self, space: str, address: np.ndarray, data: np.ndarray, mask: np.ndarray) -> None:
        """Writes uint8 (lanes, nbytes), lanes in order, so that the highest active lane wins where two write one
        byte."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class TensorRef:
    """A tensor operand, as a `semantics` gets it: `address` uint64 (lanes,) of its first byte, in `space`."""

    space: str
    address: np.ndarray
    tensor: TensorType


@dataclasses.dataclass(frozen=True, slots=True)
class Param:
    """One parameter of an intrinsic.

    `type`: a scalar or vector type; a tuple of such types, any of which will do; the name of an earlier parameter,
    whose type it shares; "const": a compile-time int within `range` (inclusive) or one of `choices`, an attribute of
    the op; "tensor": a tensor in one of `spaces`; "map": a tensor map. Where `packed`, an argument with the same number
    of bits (a vector of 32-bit words for instance) is taken as it is, bit by bit. `source`: memory that is only read,
    though the row writes elsewhere. `held`: registers that the hardware goes on using behind the instruction; the row's
    `semantics` gets them as something that it hands on to `machine.Products`. `uniform`: hardware takes the operand
    from scalar registers (or for the wave as a whole), so that it must be the same in all active lanes; the words say
    what to do where it is not. `also`: another name by which it may be given. `words`: how the language spells the
    values of a const, from 0 on."""

    name: str
    type: Type | tuple[Type, ...] | str
    doc: str = ""
    range: tuple[int, int] | None = None
    spaces: tuple[str, ...] = ()
    packed: bool = False
    default: int | None = None
    choices: tuple[int, ...] = ()
    held: bool = False
    source: bool = False
    uniform: str = ""
    also: str = ""
    words: tuple[str, ...] = ()

    @property
    def is_const(self) -> bool:
        """True for a compile-time int, an attribute of the op."""
        return self.type == "const"


Semantics = Callable[..., "np.ndarray | Generator[Any, Any, Any] | None"]  # a generator: `isa.wave_protocol.Waiting`
Lower = Callable[..., "Value | None"]


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One intrinsic.

    `name` is "amdgpu.rcp": namespace and public name. `aliases` are further public names of the same row. `needs`:
    features; a chip has the intrinsic when it has any one of them (see `avelang.arch`). `result`: a type, the name of a
    parameter whose type it shares, or None. `semantics(wave, *args)`: NumPy on whole operands. An argument is (lanes,)
    for a scalar, (lanes, n) for a vector, an int for a const, a `TensorRef` for a tensor, a `tensor_map.TensorMapValue`
    for a map; the return has the shape of the result. It computes all lanes; `wave.active` matters to memory only. One
    that waits is a generator (`isa.wave_protocol.Waiting`), whose return is the result. `lower(builder, *args)`: the
    same in primitive IR ops, for backends that have no such instruction (the CPU first of all); tensors come as values
    of tensor type, consts as ints; `builder.features` are the chip's, `builder.cluster` the launch's. Rows with `mma`
    need none: backends execute them from their fragment maps. `llvm`, `ptx`: how those targets spell it, keyed by
    target ("amdgpu", "nvptx"): an intrinsic's name or a function of the emitter. `source`: manual and section from
    which the facts are taken. `refused(op)`: why this use of it has no machine code that works, or "" (U111)."""

    name: str
    params: tuple[Param, ...]
    result: Type | str | None
    doc: str
    source: str
    needs: frozenset[str]
    semantics: Semantics
    effects: frozenset[str] = PURE
    lower: Lower | None = None
    mma: Mma | None = None
    aliases: tuple[str, ...] = ()
    llvm: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    ptx: str | None = None
    refused: Callable[[Op], str] | None = None

    @property
    def namespace(self) -> str:
        """The name in front of the dot: "amdgpu" or "nvvm"."""
        return self.name.partition(".")[0]

    @property
    def operands(self) -> tuple[Param, ...]:
        """The parameters that are operands of the op, in order; the others are its attributes."""
        return tuple(p for p in self.params if not p.is_const)

    def arguments(self, op: Op, value: Callable[[Value], Any]) -> list[Any]:
        """The op's arguments in the order of the parameters: `value(operand)` for operands, ints for consts."""
        rest = iter(op.operands)
        return [op.attrs[p.name] if p.is_const else value(next(rest)) for p in self.params]


ROWS: dict[str, Row] = {}
PUBLIC: dict[str, Row] = {}  # "amdgpu.mfma_f32_32x32x8_bf16" and every alias


def _accepts(p: Param, t: Type, seen: Mapping[str, Type]) -> bool:
    if p.type == "map":
        return isinstance(t, MapType)
    if p.type == "tensor":
        return isinstance(t, (TensorType, PtrType)) and t.space in p.spaces
    if isinstance(p.type, str):
        return seen.get(p.type) == t
    return t in p.type if isinstance(p.type, tuple) else t == p.type


def _checker(row: Row) -> Callable[[Op], str | None]:
    def check(op: Op) -> str | None:
        if len(op.operands) != len(row.operands):
            return f"takes {len(row.operands)} operands, not {len(op.operands)}"
        seen: dict[str, Type] = {}
        for p, v in zip(row.operands, op.operands, strict=True):
            if not _accepts(p, v.type, seen):
                return f"operand `{p.name}` cannot be {v.type}"
            seen[p.name] = v.type
        for p in row.params:
            if p.is_const and (not isinstance(op.attrs.get(p.name), int) or not in_range(p, op.attrs[p.name])):
                return f"`{p.name}` must be a constant, {allowed(p)}, not {op.attrs.get(p.name)!r}"
        want = seen.get(row.result) if isinstance(row.result, str) else row.result
        got = op.results[0].type if op.results else None
        return None if got == want else f"gives {want}, not {got}"

    return check


def in_range(p: Param, value: int) -> bool:
    """True for a value that a const parameter may have."""
    return (p.range is None or p.range[0] <= value <= p.range[1]) and (not p.choices or value in p.choices)


def allowed(p: Param) -> str:
    """The values that a const parameter may have, in words for messages and pages."""
    steps = {b - a for a, b in itertools.pairwise(p.choices)}
    if len(p.choices) > 8 and len(steps) == 1:
        return f"one of {p.choices[0]}, {p.choices[1]}, ... {p.choices[-1]}"
    if len(p.choices) > 8:
        return "one of the values that its description names"
    if p.choices:
        return "one of " + ", ".join(map(str, p.choices))
    return f"within {p.range[0]}..{p.range[1]}" if p.range else "any integer"


def types_on(p: Param, features: frozenset[str]) -> tuple[Type, ...]:
    """The types that an operand may have on a chip with these features: of 8-bit floats only the chip's own kind."""
    if isinstance(p.type, str):
        return ()
    types = p.type if isinstance(p.type, tuple) else (p.type,)
    kinds = {kind for kind in ("fnuz", "ocp") if f"fp8-{kind}" in features}

    def fits(t: Type) -> bool:
        d = dtype_of(t)
        return not d.is_fp8 or not kinds or ("fnuz" if d.name.endswith("fnuz") else "ocp") in kinds

    return tuple(t for t in types if fits(t))


def register(row: Row) -> Row:
    """Adds a row to the table and its op to the IR. Raises V001 when one of its public names is taken."""
    names = [row.name, *(f"{row.namespace}.{alias}" for alias in row.aliases)]
    for name in names:
        if name in PUBLIC or names.count(name) > 1:
            raise error("V001", op=name, why="defined twice")
    PUBLIC.update(dict.fromkeys(names, row))
    ROWS[row.name] = row
    sources = frozenset(i for i, p in enumerate(row.operands) if p.source)
    define(OpDef(row.name, _checker(row), row.effects, doc=row.doc, sources=sources))
    return row


def bits(t: Type) -> int:
    """Bits of a scalar or vector type."""
    return t.n * t.dtype.bits if isinstance(t, VecType) else getattr(t, "bits", 0)


__all__ = [
    "PUBLIC",
    "ROWS",
    "Builder",
    "Param",
    "Row",
    "Semantics",
    "TensorRef",
    "Wave",
    "allowed",
    "bits",
    "in_range",
    "register",
    "types_on",
]
