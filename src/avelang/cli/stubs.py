"""The type stub of `avelang.language`: builtins, dtypes and rows come in, `{path: text}` goes out. `./dev stubs` writes
it.

Names that are made from tables at run time are unknown to a type checker; the stub tells it their parameters and
documentation. Values inside a kernel are `Any`: their types are those of the language, which the compiler checks."""

from __future__ import annotations

import types

from avelang import language
from avelang.frontend.names import Builtin, Namespace
from avelang.ir.dtypes import DType
from avelang.isa.row import PUBLIC, Param

HEAD = '''"""Made by `./dev stubs` from the tables of builtins and the rows of the intrinsics."""

from typing import Any, TypeAlias

'''


def _doc(text: str, indent: str) -> str:
    """A docstring of one paragraph, wrapped to the line length of the project."""
    words, lines, line = text.replace("\\", "\\\\").replace('"""', "'''").split(), [], f'{indent}"""'
    for word in words:
        if len(line) + len(word) > 130:
            lines.append(line)
            line = indent + word
        else:
            line += word if line.endswith('"""') else f" {word}"
    lines.append(line + ("\n" + indent if len(lines) else "") + '"""')
    return "\n".join(lines) + "\n"


def _param(text: str) -> str:
    """One parameter of a builtin: `name`, `name=` where it may be left out, `*name` for the rest."""
    return f"{text[:-1]}: Any = ..." if text.endswith("=") else f"{text}: Any"


def _row_param(p: Param) -> str:
    kind = "int" if p.is_const else "Any"
    return f"{p.name}: {kind}" + ("" if p.default is None else f" = {p.default}")


def _builtin(name: str, b: Builtin) -> str:
    return f"def {name}({', '.join(map(_param, b.params))}) -> Any:\n" + _doc(b.__doc__ or "", "    ")


def _namespace(name: str, space: Namespace) -> str:
    text = f"class _{name}:\n"
    for short in sorted(dir(space)):
        row = PUBLIC.get(f"{name}.{short}")
        if row is None:
            value = getattr(space, short)
            text += f"    from {value.__module__} import {value.__qualname__} as {short}\n\n"
            continue
        params, result = [*map(_row_param, row.params)], "None" if row.result is None else "Any"
        line = f"    def {short}({', '.join(params)}) -> {result}:\n"
        if len(line) > 130:
            line = f"    def {short}(\n        " + ",\n        ".join(params) + f",\n    ) -> {result}:\n"
        text += "    @staticmethod\n" + line + _doc(row.doc, "        ") + "\n"
    return text + f"\n{name}: _{name}\n"


def stub() -> str:
    """src/avelang/language/__init__.pyi"""
    names = sorted(language.__all__)
    values = {n: getattr(language, n) for n in names}
    # As annotations these say nothing that a type checker could use: inside, a parameter behaves as its value.
    plain = [n for n, v in values.items() if isinstance(v, DType) or n == "constexpr"]
    spaces = {n: v for n, v in values.items() if isinstance(v, Namespace)}
    builtins = {n: v for n, v in values.items() if isinstance(v, Builtin)}
    # Classes and decorators: a type checker finds them where they are made.
    classes = {n: v for n, v in values.items() if isinstance(v, (type, types.FunctionType)) and n not in plain}
    by_module = sorted((v.__module__, n, v.__qualname__) for n, v in classes.items())
    # Another name of a class is assigned: imported so, a parameter of that name would hide it.
    renamed = "".join(f"{n}: TypeAlias = {original}\n" for _, n, original in by_module if n != original)
    imports = "".join(f"from {module} import {n} as {n}\n" for module, n, original in by_module if n == original)
    scalars = renamed + "".join(f"{n}: TypeAlias = Any\n" for n in plain)
    exported = "__all__: list[str]\n" + "".join(f"{n}: int\n" for n, v in values.items() if isinstance(v, int))
    functions = [_builtin(n, b) for n, b in builtins.items()]
    parts = [HEAD + imports, exported, scalars, *functions, *(_namespace(n, s) for n, s in spaces.items())]
    return "\n".join(parts)


def stubs() -> dict[str, str]:
    """All generated stubs, by their path in the repository."""
    return {"src/avelang/language/__init__.pyi": stub()}
