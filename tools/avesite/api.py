"""Reference of the public names, made from their docstrings and signatures: one page a module.

Names of the language and operations come from tables, so objects are asked and not text: a builtin, a kernel, an operation and
a class each say their own signature. An entry's anchor is its dotted name as it is imported; where a package gives a
name that one of its modules defines, both dotted names are anchors.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import re
import types
from collections.abc import Iterator
from typing import Any

from avesite.outside import ROOT

# Packages and modules with public names, in the order of the list; each with a sentence. Modules of a package have pages of their own.
PUBLIC: dict[str, str] = {
    "avelang": "Kernels, options of launches, operations and tuning: what a program imports first.",
    "avelang.language": "The language, `al`: types, builtins, namespaces of intrinsics. Every name works inside kernels.",
    "avelang.tile": "Tiles: distributions, windows, matrix products, pipelines.",
    "avelang.ops": "Operations that models call, for NumPy, torch and JAX.",
    "avelang.bridge": "Operations of your own, and batch invariance.",
    "avelang.pipelines": "Parts of pipelined kernels: rings of stages, tile schedulers, epilogues.",
    "avelang.tuning": "The tuner, its clocks and tables.",
    "avelang.testing": "Random and poisoned arrays, comparison by dtype, GPUs that a test needs.",
    "avelang.executor": "AMD machine code on the CPU: load, run, check, count, model.",
    "avelang.ptx": "The instruction level: PTX in Python.",
    "avelang.integrations": "Models of other libraries.",
    "avelang.base.errors": "The classes of errors, as `avelang.errors`.",
    "avelang_kernels": "Kernels of the package, by operation.",
}
WIDE = 88


def exists(module: str) -> bool:
    """True where the module's file is in the source."""
    path = ROOT / "src" / module.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def modules() -> list[str]:
    """All modules with a page, by dotted name: those of `PUBLIC`, and the modules of its packages."""
    found: list[str] = []
    for name in PUBLIC:
        if not exists(name):
            continue
        module = importlib.import_module(name)
        found.append(name)
        path = getattr(module, "__path__", None)
        if path is not None and name != "avelang":
            found += sorted(m.name for m in pkgutil.walk_packages(path, name + ".") if "._" not in m.name)
    return list(dict.fromkeys(found))


def prose(doc: str) -> str:
    """A docstring as Markdown: words are words, names between backticks and indented blocks stay code."""
    blocks = re.split(r"(\n\s*\n)", doc)
    return "".join(b if not b.strip() or _is_code(b) else _escaped(b) for b in blocks)


def _is_code(block: str) -> bool:
    return all(line.startswith("    ") for line in block.splitlines() if line.strip())


def _escaped(text: str) -> str:
    """Words of a paragraph with what Markdown would take for marks made plain; between backticks nothing changes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else _plain(p) for p in parts)


def _plain(text: str) -> str:
    text = re.sub(r"([\[\]#_])", r"\\\1", text).replace("<", "&lt;")
    return re.sub(r"\*(?! )", r"\\*", text)  # a star with a blank behind it may begin a list


def _annotation(a: Any) -> str:
    if isinstance(a, str):
        return a.strip("'\"")
    return inspect.formatannotation(a) if isinstance(a, type) or "typing" in type(a).__module__ else repr(a)


def _default(value: Any) -> str:
    text = repr(value)
    if isinstance(value, (types.FunctionType, type)) or " at 0x" in text or len(text) > 60:
        return getattr(value, "__name__", "...")
    return text


def _parameters(signature: inspect.Signature) -> list[str]:
    out, star = [], False
    for p in signature.parameters.values():
        if p.name in ("self", "cls") and not out:
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            out.append("*")
            star = True
        text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        star = star or p.kind is p.VAR_POSITIONAL
        if p.annotation is not p.empty and p.annotation not in ("Any", Any):
            text += f": {_annotation(p.annotation)}"
        if p.default is not p.empty:
            text += f"{' = ' if ':' in text else '='}{_default(p.default)}"
        out.append(text)
    return out


def signature(name: str, thing: Any) -> str:
    """`name(parameters) -> result` as Python has it; the name alone for what is not called."""
    if type(thing).__name__ == "StructClass":
        fields = (
            f.name if f.default is inspect.Parameter.empty else f"{f.name}={f.default!r}" for f in thing.fields.values()
        )
        return f"{name}({', '.join(fields)})"
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    result = found.return_annotation
    tail = "" if result is found.empty or inspect.isclass(thing) else f" -> {_annotation(result)}"
    parts = _parameters(found)
    line = f"{name}({', '.join(parts)}){tail}"
    if len(line) <= WIDE:
        return line
    return f"{name}(\n" + "".join(f"    {p},\n" for p in parts) + f"){tail}"


def kind(thing: Any) -> str:
    """The word for an object of the reference."""
    name = type(thing).__name__
    words = {
        "JitFunction": "kernel or device function",
        "Builtin": "builtin of kernels",
        "Intrinsic": "intrinsic on every chip",
        "Namespace": "namespace",
        "Operation": "operation",
        "DType": "dtype",
        "StructClass": "struct of kernels",
        "module": "module",
        "property": "property",
        "classmethod": "class method",
        "staticmethod": "static method",
    }
    if inspect.isclass(thing):
        return (
            "exception"
            if issubclass(thing, BaseException)
            else "dataclass"
            if dataclasses.is_dataclass(thing)
            else "class"
        )
    return words.get(name, "function" if callable(thing) else "value")


def doc_of(thing: Any) -> str:
    """The docstring that an object itself has, not that of the type of a plain value."""
    if type(thing).__name__ == "DType":
        return f"{thing.bits} bits, {thing.kind}." if thing.kind != "void" else "No result."
    own = inspect.getdoc(thing) or ""
    return "" if kind(thing) == "value" and own == (inspect.getdoc(type(thing)) or "") else own


@functools.cache
def _tree(module: str) -> ast.Module:
    """The parsed text of a module, by its dotted name."""
    folder = ROOT / "src" / module.replace(".", "/")
    file = folder.with_suffix(".py") if folder.with_suffix(".py").exists() else folder / "__init__.py"
    return ast.parse(file.read_text())


def _methods(struct: Any) -> Iterator[ast.FunctionDef]:
    """Public methods of a struct of kernels, which are compiled and so are no functions of Python."""
    for cls in ast.walk(_tree(struct.__module__)):
        if isinstance(cls, ast.ClassDef) and cls.name == struct.__name__:
            yield from (n for n in cls.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_"))


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(cls).items():
        if name.startswith("_") or isinstance(member, types.MemberDescriptorType):
            continue
        plain = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        callable_or_property = (
            inspect.isroutine(plain) or isinstance(plain, property) or hasattr(plain, "__signature__")
        )
        if callable_or_property or type(plain).__name__ in ("JitFunction", "cached_property"):
            yield name, member


def entry(name: str, dotted: str, thing: Any, also: tuple[str, ...] = (), level: int = 3) -> str:
    """One name: heading, other anchors, signature, docstring; of a class its public members too."""
    # Markdown would read the underscores of a dunder as emphasis, in an attribute too.
    text = f'<a id="{dotted}"></a>\n\n' if "__" in dotted else ""
    text += f"{'#' * level} `{name}`" + ("\n\n" if text else f" {{#{dotted}}}\n\n")
    text += "".join(f'<a id="{x}"></a>' for x in also if x != dotted)
    text += f"{kind(thing)}{f' `{dotted}`' if level == 3 else ''}\n{{ .kind }}\n\n"
    shown = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
    if isinstance(thing, property) or kind(thing) in ("namespace", "dtype", "module"):
        pass
    elif kind(thing) == "value":
        text += f"```python\n{name} = {_value(thing)}\n```\n\n"
    else:
        text += f"```python\n{signature(name.rpartition('.')[2], shown)}\n```\n\n"
    text += prose(doc_of(thing)) + "\n\n"
    if type(thing).__name__ == "StructClass":
        for node in _methods(thing):
            text += f"{'#' * (level + 1)} `{name}.{node.name}` {{#{dotted}.{node.name}}}\n\nmethod\n{{ .kind }}\n\n"
            text += "".join(f'<a id="{x}.{node.name}"></a>' for x in also) + "\n\n"
            text += f"```python\n{node.name}({ast.unparse(node.args).removeprefix('self').removeprefix(', ')})\n```\n\n"
            text += prose(ast.get_docstring(node) or "") + "\n\n"
    if inspect.isclass(thing):
        for member, value in _members(thing):
            others = tuple(f"{x}.{member}" for x in also)
            text += entry(f"{name}.{member}", f"{dotted}.{member}", value, others, level + 1)
    return text


def _value(thing: Any) -> str:
    text = repr(thing)
    if isinstance(thing, dict):
        text = "{" + ", ".join(map(repr, list(thing)[:24])) + (", ...}" if len(thing) > 24 else "}")
    return text if len(text) <= 400 and " at 0x" not in text else f"<{type(thing).__name__}>"


def defined(module: str) -> list[str]:
    """Public names that a module's text defines: functions and classes, by its text."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [n.name for n in _tree(module).body if isinstance(n, kinds) and not n.name.startswith("_")]


def names_of(module: types.ModuleType) -> list[str]:
    """Public names of a module: `__all__` where it has one, else what it defines."""
    listed = getattr(module, "__all__", None)
    here = defined(module.__name__)
    return list(dict.fromkeys([*(listed or []), *here]))


def pages() -> dict[str, str]:
    """The pages of all modules, and reference/api.md with their list."""
    found = {name: importlib.import_module(name) for name in modules()}
    chief: dict[str, str] = {}  # where a thing is documented: its defining place -> dotted name
    for name in PUBLIC:
        listed = getattr(found.get(name), "__all__", ())
        for n in sorted(
            listed, key=lambda n: getattr(getattr(found[name], n), "__name__", n) != n
        ):  # a thing's own name first
            chief.setdefault(_origin(getattr(found[name], n), n), f"{name}.{n}")
    made = {f"reference/api/{name}.md": _page(module, chief) for name, module in found.items()}
    made = {place: text for place, text in made.items() if text}
    made["reference/api.md"] = _list([n for n in found if f"reference/api/{n}.md" in made], found, chief)
    return made


def _origin(thing: Any, name: str) -> str:
    return (
        f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', None) or getattr(thing, '__name__', name)}"
    )


def _page(module: types.ModuleType, chief: dict[str, str]) -> str:
    name = module.__name__
    text = f"# {name}\n\n[Python names](../api.md)\n{{ .kind }}\n\n{prose(inspect.getdoc(module) or '')}\n\n"
    entries, elsewhere = [], []
    for n in names_of(module):
        thing = getattr(module, n)
        origin = _origin(thing, n)
        dotted = f"{name}.{n}"
        best = chief.get(origin, dotted)
        if best != dotted and best.rpartition(".")[0] != name:
            elsewhere.append((n, best))
            continue
        if best != dotted:
            entries.append(f"### `{n}` {{#{dotted}}}\n\nAnother name of [`{best}`](#{best}).\n\n")
            continue
        entries.append(entry(n, dotted, thing, (origin,) if origin.startswith("avelang") else ()))
    inner = (
        [m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []), name + ".")] if name != "avelang" else []
    )
    inner = [m for m in inner if not m.rpartition(".")[2].startswith("_")]
    if inner:
        listed = [f"[`{m}`]({m}.md)" for m in inner if names_of(importlib.import_module(m)) or "avelang_kernels" in m]
        text += "Modules: " + ", ".join(listed) + ".\n\n"
    if elsewhere:
        text += (
            "Documented at the package: "
            + ", ".join(f"[`{n}`]({b.rpartition('.')[0]}.md#{b})" for n, b in elsewhere)
            + ".\n\n"
        )
    return text + "".join(entries)


def _list(names: list[str], found: dict[str, types.ModuleType], chief: dict[str, str]) -> str:
    text = "# Python names\n\nEvery public name, from its docstring. Search finds each by its name.\n\n"
    for name, words in PUBLIC.items():
        if name not in names:
            continue
        text += f"## [{name}](api/{name}.md)\n\n{words}\n\n"
        short = names_of(found[name])
        if short:
            text += ", ".join(f"[`{n}`](api/{_where(found[name], n, chief)})" for n in short) + "\n\n"
        inner = [m for m in names if m.startswith(name + ".") and m not in PUBLIC and name != "avelang"]
        if inner:
            text += "Modules: " + ", ".join(f"[`{m.removeprefix(name + '.')}`](api/{m}.md)" for m in inner) + ".\n\n"
    return text


def _where(module: types.ModuleType, n: str, chief: dict[str, str]) -> str:
    own = f"{module.__name__}.{n}"
    best = chief.get(_origin(getattr(module, n), n), own)
    page = best.rpartition(".")[0]
    return f"{page}.md#{best}" if page != module.__name__ else f"{page}.md#{own}"
