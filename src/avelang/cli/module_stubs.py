"""Type stubs of modules that are written in Ave: the text of a module comes in, that of its stub goes out.

Device functions and structs say little of their types: what a parameter may be, the compiler finds at each call. A
checker is told their names, parameters, fields, methods and operators; what has no annotation is `Any`, and a parameter
that the body calls is a function."""

from __future__ import annotations

import ast
import builtins
import pathlib
import sys
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("tile", "pipelines")
KERNELS = ("avelang.jit", "avelang.struct")
# Decorators that say nothing to a checker, or hide the signature.
SILENT = ("takes", "placed", "functools.cache", "functools.lru_cache", "avelang.constant")
STRUCTS = {  # that modules return to one another
    "DistributedTile": "avelang.tile.tensors",
    "TensorView": "avelang.tile.views",
    "Window": "avelang.tile.windows",
    "SharedTile": "avelang.tile.shared",
}
OF_TILES = ("apply", "plus", "minus", "times")  # of a tile, a tile: what methods return that give themselves
UNKNOWN = ""
FUNCTION = "Function"  # of `base.functions`: a parameter that is called


def _called(node: ast.AST) -> set[str]:
    """Names that are called in a function's body."""
    return {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


def _is_type(node: ast.expr | None) -> bool:
    """True for an annotation that checkers take too: no `...`, tuples, calls."""
    if node is None or (isinstance(node, ast.Constant) and node.value is ...):
        return False
    inside = ast.walk(node)
    bare = isinstance(node, ast.Tuple) or ast.unparse(node) == "object"
    return not bare and not any(isinstance(n, (ast.Call, ast.Lambda)) for n in inside)


def _returned(node: ast.FunctionDef) -> list[ast.expr]:
    """What a function returns or yields; of a name, what it is assigned."""
    found: list[ast.expr] = []
    names: dict[str, list[ast.expr]] = {}
    left: list[ast.AST] = list(node.body)
    for n in left:  # not into functions inside, which return for themselves
        if isinstance(n, (ast.Return, ast.Yield)) and n.value is not None:
            found.append(n.value)
        if isinstance(n, ast.Assign):
            for t in n.targets:
                names.setdefault(ast.unparse(t), []).append(n.value)
        if not isinstance(n, (ast.FunctionDef, ast.Lambda)):
            left += ast.iter_child_nodes(n)
    return [v for x in found for v in names.get(ast.unparse(x), [x])]


class _Stub:
    """The stub of one module, as it is written. `functions`: names of parameters that some function of it calls.
    `others`: what functions of other modules return. `given`: of each function, by class and name, its definition and
    what it returns; `results`: the types of that."""

    def __init__(self, text: str):
        self.others: dict[str, str] = {}
        self.tree = ast.parse(text)
        self.lines: list[str] = []
        self.functions: set[str] = set()
        self.classes = {n.name for n in self.tree.body if isinstance(n, ast.ClassDef)}
        for n in self.tree.body:
            if isinstance(n, ast.ImportFrom):
                self.classes |= {a.asname or a.name for a in n.names if a.name in STRUCTS}
        self.given: dict[tuple[str, str], tuple[ast.FunctionDef, list[ast.expr]]] = {}
        for n in self.tree.body:
            cls = n.name if isinstance(n, ast.ClassDef) else ""
            for f in n.body if isinstance(n, ast.ClassDef) else [n]:
                if isinstance(f, ast.FunctionDef):
                    self.given[cls, f.name] = f, _returned(f)
                    called = _called(f)
                    self.functions |= {a.arg for a in f.args.args if a.arg in called and a.annotation is None}
        self.names = {f"{cls}.{name}".lstrip(".") for cls, name in self.given}
        self.results: dict[str, str] = {}

    def infer(self, others: dict[str, str]) -> None:
        """Finds the results of all functions: one may be that of another."""
        self.others = others
        before: dict[str, str] | None = None
        while before != self.results:
            before = dict(self.results)
            for (cls, name), (f, values) in self.given.items():
                self.results[f"{cls}.{name}".lstrip(".")] = self.result(f, values, cls)

    def result(self, node: ast.FunctionDef, values: list[ast.expr], cls: str) -> str:
        """What a function returns: its annotation, or the struct that each `return` makes."""
        if _is_type(node.returns):
            return ast.unparse(node.returns)  # type: ignore[arg-type]
        kinds = {self.made(v, cls) for v in values} - {UNKNOWN}
        return "None" if not values else kinds.pop() if len(kinds) == 1 else "Any" if kinds else UNKNOWN

    def made(self, value: ast.expr, cls: str) -> str:
        """The type of what is returned, where that is a struct; `UNKNOWN`: it is that of a function whose result is not
        known yet."""
        if isinstance(value, ast.Name) and value.id == "self" and cls:
            return cls
        if isinstance(value, ast.IfExp):
            both = {self.made(value.body, cls), self.made(value.orelse, cls)} - {UNKNOWN}
            return both.pop() if len(both) == 1 else "Any" if both else UNKNOWN
        if not isinstance(value, ast.Call):
            return "Any"
        name = ast.unparse(value.func)
        if name in self.classes:
            return name
        if cls == "DistributedTile" and name in OF_TILES:
            return cls
        if isinstance(value.func, ast.Attribute) and name not in self.others:
            of = self.made(value.func.value, cls)
            return UNKNOWN if of == UNKNOWN else self.known(f"{of}.{value.func.attr}")
        return self.others.get(name) or self.known(name)

    def known(self, name: str) -> str:
        """The result of a function or method of this module."""
        return self.results.get(name, UNKNOWN if name in self.names else "Any")

    def kind(self, arg: ast.arg) -> str:
        """The annotation of a parameter."""
        if _is_type(arg.annotation):
            return ast.unparse(arg.annotation)  # type: ignore[arg-type]
        return FUNCTION if arg.arg in self.functions else "Any"

    def parameters(self, a: ast.arguments, method: bool) -> str:
        """The parameters of a definition; of `method`, the first stays bare."""
        every = [*a.posonlyargs, *a.args]
        optional = {x.arg for x in every[len(every) - len(a.defaults) :]} if a.defaults else set()
        optional |= {x.arg for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None}

        def one(x: ast.arg) -> str:
            default = " = ..." if x.arg in optional else ""
            kind = self.kind(x) + (" | None" if default and self.kind(x) == FUNCTION else "")
            return f"{x.arg}: {kind}{default}"

        out = [x.arg if method and i == 0 else one(x) for i, x in enumerate(every)]
        if a.posonlyargs:
            out.insert(len(a.posonlyargs), "/")
        out += [f"*{one(a.vararg)}"] if a.vararg else ["*"] if a.kwonlyargs else []
        out += [one(x) for x in a.kwonlyargs] + ([f"**{one(a.kwarg)}"] if a.kwarg else [])
        return ", ".join(out)

    def doc(self, node: ast.AST, indent: str) -> bool:
        """Writes a docstring, if there is one."""
        text = ast.get_docstring(node, clean=True)  # type: ignore[arg-type]
        if text is None:
            return False
        mark = "r" if "\\" in text else ""
        lines = [f'{indent}{mark}"""{text}"""'] if "\n" not in text else None
        lines = lines or [
            f'{indent}{mark}"""{text.splitlines()[0]}',
            *(f"{indent}{t}".rstrip() for t in text.splitlines()[1:]),
        ]
        lines[-1] += "" if lines[-1].endswith('"""') and len(lines) == 1 else '"""'
        self.lines += lines
        return True

    def function(self, node: ast.FunctionDef, indent: str = "", cls: str = "") -> None:
        """Writes a function."""
        names = [ast.unparse(d) for d in node.decorator_list]
        self.lines += [f"{indent}@{d}" for d in names if d.partition("(")[0] not in SILENT]
        result = self.results.get(f"{cls}.{node.name}" if cls else node.name) or "Any"
        bound = bool(cls) and "staticmethod" not in names
        params = self.parameters(node.args, bound)
        head = f"{indent}def {node.name}({params}) -> {result}:"
        if len(head) > 120:
            lines = textwrap.indent("\n".join(textwrap.wrap(params, 145 - len(indent))), indent + "    ")
            head = f"{indent}def {node.name}(\n{lines}\n{indent}) -> {result}:"
        self.lines.append(head)
        if not self.doc(node, indent + "    "):
            self.lines[-1] += " ..."

    def struct(self, node: ast.ClassDef) -> None:
        """Writes a class: fields, constants and methods."""
        self.lines += [f"@{ast.unparse(d)}" for d in node.decorator_list]
        bases = ", ".join(map(ast.unparse, [*node.bases, *node.keywords]))
        self.lines.append(f"class {node.name}({bases}):" if bases else f"class {node.name}:")
        start = len(self.lines)
        self.doc(node, "    ")
        for n in node.body:
            if isinstance(n, ast.AnnAssign):
                kind = ast.unparse(n.annotation) if _is_type(n.annotation) else "Any"
                self.lines.append(f"    {ast.unparse(n.target)}: {kind}" + (" = ..." if n.value is not None else ""))
            elif isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) != "__slots__":
                self.lines.append(f"    {ast.unparse(n.targets[0])} = ...")
            elif isinstance(n, ast.FunctionDef):
                self.function(n, "    ", node.name)
        if len(self.lines) == start:
            self.lines[-1] += " ..."

    def constant(self, node: ast.Assign | ast.AnnAssign) -> None:
        """Writes a name of the module."""
        if isinstance(node, ast.AnnAssign):
            self.lines.append(f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}")
            return
        if any(isinstance(t, ast.Attribute) for t in node.targets):
            return
        value, text = node.value, ast.unparse(node)
        made = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        if isinstance(value, ast.Name) or made in ("TypeVar", "collections.namedtuple", "namedtuple", "NamedTuple"):
            self.lines.append(text)
            return
        kind = type(value.value).__name__ if isinstance(value, ast.Constant) and value.value is not None else "Any"
        self.lines += [f"{n.id}: {kind}" for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]

    def imports(self, used: set[str]) -> list[str]:
        """The imports of which the stub uses the names, as ruff sorts them."""
        found: dict[str, set[str]] = {}  # of a module: the names; "" for the module itself
        for n in _top(self.tree):
            if isinstance(n, ast.Import):
                kept = {ast.unparse(a) for a in n.names if (a.asname or a.name.partition(".")[0]) in used}
                found |= {text: {""} for text in kept}
            elif isinstance(n, ast.ImportFrom) and n.module and n.module != "__future__":
                ours = n.module.startswith("avelang")  # a name that others import from here, for all that is known
                kept = {
                    f"{a.name} as {a.asname or a.name}" if ours else ast.unparse(a)
                    for a in n.names
                    if ours or (a.asname or a.name) in used
                }
                found.setdefault(n.module, set()).update(kept)
        have = {n.name for n in self.tree.body if isinstance(n, ast.ClassDef)}
        for name in STRUCTS.keys() & used - have:
            found.setdefault(STRUCTS[name], set()).add(f"{name} as {name}")
        if "Any" in used:
            found.setdefault("typing", set()).add("Any")
        if FUNCTION in used:
            found.setdefault("avelang.base.functions", set()).add(FUNCTION)
        groups: list[list[str]] = [[], [], []]
        for m, names in sorted(found.items(), key=lambda x: (x[1] != {""}, x[0])):
            top = m.split()[0].split(".")[0]
            group = groups[2 if top == "avelang" else 0 if top in sys.stdlib_module_names else 1]
            single = [{n} for n in sorted(names, key=_isort)] if top == "avelang" else [names]
            group += [
                f"import {m}" if n == {""} else f"from {m} import {', '.join(sorted(n, key=_isort))}"
                for n in single
                if n
            ]
        return [x for i, g in enumerate(groups) if g for x in (*([""] if any(groups[:i]) else []), *g)]


def _isort(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    first = name.partition(" ")[0]
    return (0 if first.isupper() and len(first) > 1 else 1 if first[:1].isupper() else 2, name)


def _top(tree: ast.Module) -> list[ast.stmt]:
    """The statements of a module, those under `if TYPE_CHECKING` among them."""
    inner = [s for n in tree.body if isinstance(n, ast.If) for s in n.body]
    return [*tree.body, *inner]


def _text(out: _Stub, name: str) -> str:
    """The stub of a module. `name`: its file, for the first line."""
    for node in _top(out.tree):
        if isinstance(node, ast.FunctionDef):
            out.function(node)
        elif isinstance(node, ast.ClassDef):
            out.struct(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            out.constant(node)
    body = "\n".join(out.lines) + "\n"
    used = {n.id for n in ast.walk(ast.parse(body)) if isinstance(n, ast.Name)} - set(dir(builtins))
    head = [f'"""Made by `./dev stubs` from {name}."""', "", *out.imports(used)]
    return "\n".join(head) + "\n\n" + body


def module_stubs() -> dict[str, str]:
    """The stubs of all modules of the tile level that hold device functions or structs, by their path."""
    stubs: dict[str, _Stub] = {}
    for folder in FOLDERS:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            text = path.read_text()
            if any(f"@{k}\n" in text for k in KERNELS):
                stubs[f"src/avelang/{folder}/{path.name}"] = _Stub(text)
    others: dict[str, str] = {}
    for _ in range(2):
        for name, stub in stubs.items():
            stub.infer(others)
            module = name.rpartition("/")[2].removesuffix(".py")
            others |= {f"{module}.{f}": kind for f, kind in stub.results.items() if kind in STRUCTS}
    return {name + "i": _text(stub, name) for name, stub in stubs.items()}
