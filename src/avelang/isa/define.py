"""`@row`: an intrinsic in a few lines. A signature, the emitted text and the meaning in NumPy come in; a registered row
goes out.

    @row("amdgpu.fmed3(a: f32, b: f32, c: f32) -> f32", "AMD CDNA3 ISA, V_MED3_F32", GFX9, llvm="llvm.amdgcn.fmed3.f32",
         lower=lambda b, x, y, z: b.same("max", b.same("min", x, y), b.same("min", b.same("max", x, y), z)))
    def fmed3(wave, a, b, c):
        \"""The one in the middle.\"""
        return np.median(np.stack([a, b, c]), axis=0).astype(np.float32)

A parameter's type is a dtype (`f32`), a vector (`f16x2`), several of these (`i32|u32`), the name of an earlier
parameter, whose type it shares; a range (`0..3`) or choices (`{1, 2, 4}`) of a compile-time int, which may have a
default (`= 0`); memory (`shared[]`, `global|shared[]`), or `map`. Behind the first paragraph of the docstring, lines
`name: words` say more of parameters. What this cannot say, `row.Row` can."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

from avelang.base.errors import error
from avelang.ir.core import PURE
from avelang.ir.dtypes import BY_NAME
from avelang.ir.types import Type, VecType
from avelang.isa.asm import Asm
from avelang.isa.row import Lower, Param, Row, Semantics, register

_SIGNATURE = re.compile(r"(?P<name>\w+\.\w+)\((?P<params>.*)\)(?: -> (?P<result>\S+))?")
_PARAM = re.compile(r"(?P<name>\w+): (?P<type>[^={]+?|\{[-\d, ]+\})(?: = (?P<default>-?\d+))?")
_TARGETS = {"amdgpu": "amdgpu", "nvvm": "nvptx"}  # a namespace, and LLVM's name of the target


def _type(text: str) -> Type | None:
    """The type of a name such as f32 or f16x2; None where there is none of that name."""
    vector = re.fullmatch(r"(\w+?)x(\d+)", text)
    if vector is not None and vector[1] in BY_NAME:
        return VecType(BY_NAME[vector[1]], int(vector[2]))
    return BY_NAME.get(text)


def _param(text: str, earlier: list[Param]) -> Param | None:
    """A parameter, of its text in the signature."""
    found = _PARAM.fullmatch(text)
    if found is None:
        return None
    name, kind, default = found["name"], found["type"], found["default"]
    const = Param(name, "const", default=None if default is None else int(default))
    if kind[0] == "{":
        choices = tuple(map(int, kind[1:-1].split(",")))
        return dataclasses.replace(const, choices=choices, range=(min(choices), max(choices)))
    if ".." in kind:
        low, high = (int(x, 0) for x in kind.split(".."))
        return dataclasses.replace(const, range=(low, high))
    if kind == "map" or kind.endswith("[]"):
        return Param(
            name, "map" if kind == "map" else "tensor", spaces=tuple(kind[:-2].split("|")) if kind != "map" else ()
        )
    if any(p.name == kind for p in earlier):
        return Param(name, kind)
    types = [_type(x) for x in kind.split("|")]
    if None in types:
        return None
    return Param(name, types[0] if len(types) == 1 else tuple(types))  # type: ignore[arg-type]


def signature(text: str) -> tuple[str, tuple[Param, ...], Type | str | None]:
    """The name, the parameters and the result of a row, of its signature. Raises V001 for text that is none."""
    found = _SIGNATURE.fullmatch(text)
    if found is None:
        raise error("V001", op=text, why="it is no signature: namespace.name(a: type, b: type) -> type")
    params: list[Param] = []
    for part in filter(None, re.split(r",\s*(?![^{]*\})", found["params"])):
        param = _param(part, params)
        if param is None:
            raise error("V001", op=found["name"], why=f"`{part}` is no parameter")
        params.append(param)
    result = found["result"]
    if result is None or any(p.name == result for p in params):
        return found["name"], tuple(params), result
    if _type(result) is None:
        raise error("V001", op=found["name"], why=f"`{result}` is no result")
    return found["name"], tuple(params), _type(result)


def _documented(params: tuple[Param, ...], text: str) -> tuple[str, tuple[Param, ...]]:
    """The row's words and its parameters with theirs, of a docstring."""
    words, _, rest = text.partition("\n\n")
    lines = dict(re.findall(r"^(\w+): (.*(?:\n {4,}.*)*)", rest, re.MULTILINE))
    joined = {name: " ".join(said.split()) for name, said in lines.items()}
    return " ".join(words.split()), tuple(dataclasses.replace(p, doc=joined.get(p.name, p.doc)) for p in params)


def row(
    declared: str, source: str, needs: frozenset[str], *, llvm: Any = None, asm: str = "", lower: Lower | None = None,
    effects: frozenset[str] = PURE, **more: Any,
) -> Callable[[Semantics], Row]:  # fmt: skip
    """A decorator that registers a row. `llvm`: an intrinsic's name, or a `lowering.Lowering`; `asm`: PTX text instead,
    as in `asm.Asm`. `lower`: the same in primitive ops, written independently of the body. `more`: other fields of
    `Row`. Raises V001."""
    name, params, result = signature(declared)
    if asm:
        llvm = Asm(asm)
    spelled = {} if llvm is None else {_TARGETS[name.partition(".")[0]]: llvm}

    def made(semantics: Semantics) -> Row:
        taken = list(inspect.signature(semantics).parameters)[1:]
        if taken != [p.name for p in params]:
            raise error("V001", op=name, why=f"its signature has {[p.name for p in params]}, its body {taken}")
        doc, documented = _documented(params, inspect.getdoc(semantics) or "")
        return register(
            Row(name, documented, result, doc, source, needs, semantics, effects, lower, llvm=spelled, **more)
        )

    return made
