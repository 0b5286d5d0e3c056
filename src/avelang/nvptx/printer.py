"""A `PtxModule`, or a part of one, comes in; PTX text goes out, written as a person would: four spaces, one statement a
line."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from avelang.nvptx import nodes as n
from avelang.nvptx.operands import BINDING

STEP = "    "


def operand(x: n.Operand) -> str:
    """The text of an operand."""
    return _OPERANDS[type(x)](x)


def _list(items: Iterable[n.Operand]) -> str:
    return ", ".join([_OPERANDS[type(x)](x) for x in items])


def _component(x: n.Register | n.SpecialOperand) -> str:
    return f"{x.name}.{x.component}" if x.component else x.name


_PREFIX = {16: ("0x", "x"), 10: ("", "d"), 8: ("0", "o"), 2: ("0b", "b")}


def _int(x: n.Int) -> str:
    if x.base == 10 and not x.unsigned:
        return str(x.value)
    prefix, form = _PREFIX[x.base]
    digits = format(abs(x.value), form).rjust(x.width, "0")
    prefix = prefix.upper() if x.capital else prefix
    return f"{'-' if x.value < 0 else ''}{prefix}{digits.upper() if x.upper else digits}{'U' if x.unsigned else ''}"


def _float(x: n.Float) -> str:
    if x.decimal:
        return repr(struct.unpack(">d", x.bits.to_bytes(8, "big"))[0])
    digits = format(x.bits, f"0{x.width // 4}{'X' if x.upper else 'x'}")
    return f"{'0f' if x.width == 32 else '0d'}{digits}"


def _inner(x: n.Operand, least: int) -> str:
    """An operand of an operator that binds so close, in parentheses where it needs them."""
    loose = isinstance(x, n.Ternary) or (isinstance(x, n.Binary) and BINDING[x.op] < least)
    return f"({operand(x)})" if loose else operand(x)


def _unary(x: n.Unary) -> str:
    return x.op + _inner(x.operand, 11)


def _binary(x: n.Binary) -> str:
    close = BINDING[x.op]
    tight = isinstance(x.left, (n.SymbolOperand, n.Apply))  # table+8
    return f"{_inner(x.left, close)}{x.op if tight else f' {x.op} '}{_inner(x.right, close + 1)}"


def _address(x: n.AddressOperand) -> str:
    offset = "" if x.offset is None else f"+{operand(x.offset)}"
    rest = "".join(f", {operand(r)}" for r in x.rest)
    return f"[{operand(x.base)}{offset}{rest}]"


_OPERANDS = {
    n.Register: _component,
    n.SpecialOperand: _component,
    n.SymbolOperand: lambda x: x.name,
    n.Int: _int,
    n.Float: _float,
    n.Unary: _unary,
    n.Binary: _binary,
    n.Ternary: lambda x: f"{_inner(x.condition, 1)} ? {operand(x.then)} : {operand(x.other)}",
    n.Apply: lambda x: f"{x.name if isinstance(x.name, str) else _int(x.name)}({operand(x.operand)})",
    n.VectorOperand: lambda x: f"{{{_list(x.items)}}}",
    n.AddressOperand: _address,
    n.Element: lambda x: f"{x.array}[{operand(x.index)}]",
    n.Not: lambda x: f"!{operand(x.operand)}",
    n.Pair: lambda x: f"{operand(x.first)}|{operand(x.second)}",
    n.Sink: lambda x: "_",
    n.Arguments: lambda x: f"({_list(x.items)})",
}


# -- declarations ------------------------------------------------------------------------------------------------------


def _initializer(x: n.Initializer) -> str:
    if isinstance(x, tuple):
        return f"{{{', '.join(map(_initializer, x))}}}"
    return f"{x.name} = {operand(x.value)}" if isinstance(x, n.FieldInit) else operand(x)


def _attributes(x: n.PtxVariable | n.PtxFunction) -> str:
    def one(a: n.PtxAttribute) -> str:
        return f".{a.name}({_list(a.values)})" if a.values else f".{a.name}"

    return f".attribute({', '.join(map(one, x.attributes))})" if x.attributes else ""


def variable(x: n.PtxVariable) -> str:
    """The text of a variable or of a parameter, without a semicolon."""
    pointer = x.pointer
    words = [x.linkage and f".{x.linkage}", f".{x.space}", _attributes(x), f".align {x.align}" if x.align is not None
        else "", x.vector and f".{x.vector}", f".{x.type}", ".ptr" if pointer else "", f".{pointer.space}" if pointer
        and pointer.space else "", f".align {pointer.align}" if pointer and pointer.align is not None else "", x.name
        + "".join(f"[{'' if d is None else operand(d)}]" for d in x.dims), f"= {_initializer(x.init)}"
        if x.init is not None else ""]  # fmt: skip
    return " ".join(filter(None, words))


def _registers(x: n.RegisterDecl) -> str:
    names = ", ".join(r.name if r.count is None else f"{r.name}<{r.count}>" for r in x.names)
    return f".reg {f'.{x.vector} ' if x.vector else ''}.{x.type} {names};"


def _parameters(params: tuple[n.PtxVariable, ...] | None) -> str:
    return "" if params is None else f"({', '.join(map(variable, params))})"


def _directive(x: n.Directive) -> str:
    if x.name == "pragma":
        return _pragma(n.Pragma(tuple(v for v in x.values if isinstance(v, str))))
    values = ", ".join(v if isinstance(v, str) else operand(v) for v in x.values)
    return f".{x.name} {values}" if values else f".{x.name}"


# -- statements --------------------------------------------------------------------------------------------------------


def instruction(x: n.PtxInstruction) -> str:
    """The text of an instruction, with its semicolon."""
    guard = f"@{'!' if x.guard.negated else ''}{operand(x.guard.register)} " if x.guard is not None else ""
    if not x.operands:
        return f"{guard}{'.'.join(x.parts)};"
    return f"{guard}{'.'.join(x.parts)} {_list(x.operands)};"


def _loc(x: n.Loc) -> str:
    function = f", function_name {operand(x.function)}" if x.function is not None else ""
    inlined = f", inlined_at {x.inlined[0]} {x.inlined[1]} {x.inlined[2]}" if x.inlined is not None else ""
    return f".loc {x.file} {x.row} {x.col}{function}{inlined}"


def _pragma(x: n.Pragma) -> str:
    texts = ", ".join(f'"{t}"' for t in x.texts)
    return f".pragma {texts};"


def _prototype(x: n.Prototype) -> str:
    words = (".callprototype", _parameters(x.returns), x.name, _parameters(x.params), *map(_directive, x.directives))
    return f"{x.label}: {' '.join(filter(None, words))};"


_STATEMENTS = {
    n.PtxInstruction: instruction,
    n.RegisterDecl: _registers,
    n.PtxVariable: lambda x: f"{variable(x)};",
    n.Targets: lambda x: f"{x.label}: .{x.kind} {', '.join(x.names)};",
    n.Prototype: _prototype,
    n.Loc: _loc,
    n.Pragma: _pragma,
}


def body(statements: tuple[n.Statement, ...], indent: str = STEP) -> list[str]:
    """The lines of statements. Labels stand one step further out."""
    out: list[str] = []
    for s in statements:
        if isinstance(s, n.LabelMark):
            out.append(f"{indent[len(STEP):]}{s.name}:")
        elif isinstance(s, n.PtxBlock):
            out += [f"{indent}{{", *body(s.body, indent + STEP), f"{indent}}}"]
        else:
            out.append(indent + _STATEMENTS[type(s)](s))
    return out


# -- modules -----------------------------------------------------------------------------------------------------------


def function(x: n.PtxFunction) -> list[str]:
    """The lines of a function or of its declaration; parameters one a line where there are some."""
    words = [x.linkage and f".{x.linkage}", f".{x.kind}", _attributes(x), _parameters(x.returns), x.name]
    out = [" ".join(filter(None, words))]
    if x.params:
        out[0] += "("
        out += [f"{STEP}{variable(p)}{',' if p is not x.params[-1] else ''}" for p in x.params]
        out.append(")")
    elif x.params is not None:
        out[0] += "()"
    out += map(_directive, x.directives)
    if x.body is None:
        out[-1] += ";"
        return out
    return [*out, "{", *body(x.body), "}"]


def _section(x: n.Section) -> list[str]:
    lines = [f"{i.name}:" if isinstance(i, n.LabelMark) else f"{STEP}.{i.kind} {_list(i.values)}" for i in x.items]
    return [f".section {x.name}", "{", *lines, "}"]


def _file(x: n.File) -> list[str]:
    stamp = f", {x.stamp[0]}, {x.stamp[1]}" if x.stamp is not None else ""
    return [f'.file {x.index} "{x.name}"{stamp}']


_ITEMS = {
    n.PtxFunction: lambda x: ["", *function(x)],
    n.PtxVariable: lambda x: [f"{variable(x)};"],
    n.File: _file,
    n.Section: lambda x: ["", *_section(x)],
    n.Alias: lambda x: [f".alias {x.name}, {x.of};"],
    n.Pragma: lambda x: [_pragma(x)],
    n.Loc: lambda x: [_loc(x)],
}


def print_module(x: n.PtxModule) -> str:
    """The text of a module, which `parse` reads back as an equal one."""
    out = [f".version {x.version[0]}.{x.version[1]}", f".target {', '.join(x.target)}"]
    if x.address_size is not None:
        out.append(f".address_size {x.address_size}")
    for item in x.items:
        out += _ITEMS[type(item)](item)
    return "\n".join(out) + "\n"
