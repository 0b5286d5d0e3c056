"""The table comes in; a representative instruction of each form goes out, as nodes, with what has to be declared around
them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from avelang.nvptx import nodes as n
from avelang.nvptx.check import count_of, type_of
from avelang.nvptx.forms import Env, Form, OperandSpec
from avelang.nvptx.printer import instruction
from avelang.nvptx.ptx_types import REGISTERS, TYPES
from avelang.nvptx.readings import FORMS, environments

_REGISTERS = 300  # of each type: enough for the largest list in braces
BEGIN, LABEL = "$L_begin", "$L_end"
# Names that addresses in examples have, by the space: only parameters need to be named.
_NAMED = {"param": "parameter", "param::entry": "parameter", "param::func": "result"}
_TEXTURES = {"tex": "texture", "surf": "surface"}
_TARGETS = n.Targets("$L_targets", "branchtargets", (LABEL,))
_CALL = n.PtxInstruction(("call",), (n.Arguments((n.SymbolOperand("result"),)), n.SymbolOperand("callee")))
_FLOATS = {"f32": n.Float(0x3F800000, 32), "f64": n.Float(0x3FF0000000000000, 64)}


def register_type(kind: str) -> str:
    """The type of the register that holds a value of this type."""
    return kind if kind in REGISTERS and kind not in ("u8", "s8") else f"b{max(8, TYPES[kind].bits)}"


@dataclasses.dataclass(slots=True)
class _ExampleWriter:
    stores: bool = False  # kernels do not write to their parameters
    used: dict[str, int] = dataclasses.field(default_factory=dict)

    def register(self, kind: str, wider: bool) -> n.Register:
        held = register_type(kind)
        if wider and TYPES[held].bits == 8:
            held = "b16"
        i = self.used.get(held, 0)
        self.used[held] = i + 1
        return n.Register(f"%{held}_{i}")

    def operand(self, spec: OperandSpec, env: Env) -> n.Operand:
        kind, count = type_of(spec, env), count_of(spec, env)
        if spec.role == "m":
            return self.address("param::func" if kind == "param" and self.stores else kind)
        if spec.role == "t":
            base = n.SymbolOperand(_TEXTURES[kind]) if kind in _TEXTURES else self.register("b64", False)
            return n.AddressOperand(base, None,
                (n.VectorOperand(tuple(self.register("b32", False) for _ in range(count))),))
        if spec.role == "l":
            return n.SymbolOperand(f"$L_{spec.values[0]}" if spec.values else LABEL)
        if spec.role == "n":
            return n.SymbolOperand(spec.values[0] if spec.values else "texture")
        if spec.role == "d" and spec.values:
            return n.Sink()
        if spec.role == "i":
            return _FLOATS.get(kind) or n.Int(int(spec.values[0]) if spec.values else 0)
        one = (n.VectorOperand(tuple(self.register(kind, spec.wider) for _ in range(count))) if count
            else self.register(kind, spec.wider))
        return n.Pair(one, self.register("pred", False)) if spec.pair else one

    def address(self, space: str) -> n.AddressOperand:
        if space == "tmem":
            return n.AddressOperand(self.register("b32", False))
        if space in _TEXTURES:
            return n.AddressOperand(n.SymbolOperand(_TEXTURES[space]))
        if space in _NAMED:
            return n.AddressOperand(n.SymbolOperand(_NAMED[space]))
        return n.AddressOperand(self.register("b64", False))


def example(form: Form, env: Env, shortest: bool = False) -> n.PtxInstruction:
    """An instruction of that form, with all operands that it may have, or with as few as possible."""
    writer = _ExampleWriter(form.entry.has("write"))
    parts = tuple(form.name(env).split("."))
    if form.entry.has("call"):
        return n.PtxInstruction(parts, _CALL.operands)
    specs = [dataclasses.replace(s, pair=s.both) if shortest else s for s in form.present(env)
        if not (shortest and s.optional)]
    return n.PtxInstruction(parts, tuple(writer.operand(s, env) for s in specs))


def forms(opcodes: frozenset[str] | None = None) -> Iterator[tuple[Form, Mapping[str, str], n.PtxInstruction]]:
    """(form, its words, an instruction) for all of the table, or for some opcodes; each name of an instruction and its
    operands once."""
    seen: set[n.PtxInstruction] = set()
    for opcode, listed in FORMS.items():
        if opcodes is not None and opcode not in opcodes:
            continue
        for form in listed:
            for env in environments(form):
                for x in (example(form, env), example(form, env, shortest=True)):
                    if x not in seen:
                        seen.add(x)
                        yield form, env, x


def module(body: tuple[n.Statement, ...], target: str, version: tuple[int, int]) -> n.PtxModule:
    """A kernel with these statements, and with the registers, symbols and the label that examples name.

    The first of them stands on the line behind the label `BEGIN`.
    Statements that read what a call returned (`ld.param::func`) have to come first, behind the call.
    """
    text = "".join(instruction(s) for s in n.instructions(body))
    registers = tuple(n.RegisterDecl(t, (n.RegisterName(f"%{t}_", _REGISTERS),)) for t in REGISTERS if f"%{t}_" in text)
    result = n.PtxVariable("param", "b8", "result", align=32, dims=(n.Int(64),))
    items = (n.PtxFunction("func", "callee", returns=(dataclasses.replace(result, name="out"),),
        body=(n.PtxInstruction(("ret",)),)), n.PtxVariable("global", "texref", "texture"),
        n.PtxVariable("global", "surfref", "surface"),
        n.PtxVariable("global", "b8", "data", align=128, dims=(n.Int(1024),)),
        n.PtxFunction("entry", "forms", (n.PtxVariable("param", "b8", "parameter", align=64, dims=(n.Int(256),)),),
        body=(*registers, result, _CALL, _TARGETS, n.LabelMark(BEGIN), *body, n.LabelMark(LABEL),
        n.PtxInstruction(("ret",))), linkage="visible"))  # fmt: skip
    return n.PtxModule(version, (target,), 64, items)
