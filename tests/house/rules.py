"""The house rules: a source tree comes in, a list of lines "file:line: what is wrong" goes out; empty when it keeps the
rules."""

from __future__ import annotations

import ast
import graphlib
import pathlib
import re
from collections.abc import Callable, Iterator

MAX_FILE, MAX_FUNCTION = 600, 60

# Bottom first. Folders of one line stand side by side: none may import another, except that those in `TOGETHER` may,
# without a cycle.
LEVELS: tuple[tuple[str, ...], ...] = (
    ("base",),
    ("ir",),
    ("isa",),
    ("arch",),
    ("native",),
    ("llvm", "amdgcn", "nvptx"),
    ("frontend", "passes", "emit", "sim"),
    ("pipeline",),
    ("runtime",),
    ("bridge",),
    ("jit", "bundles", "language", "executor", "ptx"),
    ("tuning",),
    ("testing", "dist", "judging", "reducing", "elements"),
    ("avelang",),  # the package itself: what `import avelang` gives
    ("pipelines",),
    ("tile",),
    ("avelang_kernels", "pyptx"),
    ("ops",),
    ("integrations", "puzzles"),
    ("inspection", "debugger"),
    ("cli",),
    ("__main__",),
)
TOGETHER = frozenset({"jit", "language"})
LEVEL = {name: height for height, names in enumerate(LEVELS) for name in names}


class Tree:
    """The Python files under `roots` (`src` folders), parsed once. `modules` maps dotted names to files."""

    def __init__(self, *roots: pathlib.Path):
        self.roots = roots
        self.modules = {self.dotted(f): f for root in roots for f in sorted(root.rglob("*.py"))}
        self.text = {m: f.read_text() for m, f in self.modules.items()}
        self.ast = {m: ast.parse(text) for m, text in self.text.items()}
        self._imports: dict[str, list[tuple[str, int]]] = {}

    def below(self, file: pathlib.Path) -> pathlib.Path:
        return file.relative_to(next(root for root in self.roots if file.is_relative_to(root)))

    def dotted(self, file: pathlib.Path) -> str:
        return ".".join(self.below(file).with_suffix("").parts).removesuffix(".__init__")

    def where(self, module: str, line: int = 1) -> str:
        return f"{self.below(self.modules[module])}:{line}"

    def imports(self, module: str) -> list[tuple[str, int]]:
        """(dotted name, line) of all that a module imports, wherever the statement stands; TYPE_CHECKING blocks left
        out."""
        if module not in self._imports:
            self._imports[module] = list(self._found(module))
        return self._imports[module]

    def _found(self, module: str) -> Iterator[tuple[str, int]]:
        tree = self.ast[module]
        checking = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
        skipped = {id(x) for n in checking for statement in n.body for x in ast.walk(statement)}
        package = module if self.modules[module].name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(tree):
            if id(node) in skipped:
                continue
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                base = ".".join([*parts, *([node.module] if node.module else [])])
                yield base, node.lineno
                yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("importlib.import_module", "import_module",
                    "__import__"):
                if node.args and isinstance(node.args[0], ast.Constant):
                    yield str(node.args[0].value), node.lineno

    def edges(self, module: str) -> Iterator[tuple[str, int]]:
        """The imports that are modules of this tree, without the module itself."""
        for name, line in self.imports(module):
            if name in self.modules and name != module:
                yield name, line


def part(module: str) -> str:
    """The part of the house that a module belongs to: a key of `LEVEL`, or a name that is not one."""
    head, _, rest = module.partition(".")
    return rest.split(".")[0] if head == "avelang" and rest else head


def downward(tree: Tree) -> list[str]:
    """Imports go down the levels only, and parts of one level do not import one another."""
    bad = [
        f"{tree.where(m)}: `{part(m)}` has no place in the order of LEVELS"
        for m in tree.modules
        if part(m) not in LEVEL
    ]
    for m in tree.modules:
        for target, line in tree.edges(m):
            here, there = part(m), part(target)
            if here == there or not {here, there} <= LEVEL.keys():
                continue
            beside = LEVEL[here] == LEVEL[there] and not {here, there} <= TOGETHER
            if LEVEL[here] < LEVEL[there] or beside:
                bad.append(f"{tree.where(m, line)}: {here} imports {target}")
    return bad


def _cycle(graph: dict[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as err:
        return [" -> ".join(err.args[1])]
    return []


def no_cycles(tree: Tree) -> list[str]:
    """No import cycle among files, nor among folders (`__init__` files gather what is below them and are left out
    there)."""
    files = {m: {t for t, _ in tree.edges(m)} for m in tree.modules}
    folders: dict[str, set[str]] = {}
    inner = {m for m, f in tree.modules.items() if f.name != "__init__.py"}

    def folder(m: str) -> str:
        above = m.rpartition(".")[0]
        return m if above == "avelang" else above  # jit.py is a part of the house in one file

    for m in inner:
        folders.setdefault(folder(m), set()).update({folder(t) for t in files[m] if t in inner} - {folder(m)})
    return [f"import cycle: {c}" for c in (*_cycle(files), *_cycle(folders))]


def small(tree: Tree) -> list[str]:
    """Files of at most 600 lines, functions of at most 60; `# long: why` on the def line, or in a file's first three
    lines, excuses."""
    bad = []
    for m, text in tree.text.items():
        lines = text.splitlines()
        if len(lines) > MAX_FILE and not any(re.search(r"# long: \S", x) for x in lines[:3]):
            bad.append(f"{tree.where(m)}: {len(lines)} lines")
        for node in ast.walk(tree.ast[m]):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > MAX_FUNCTION and not re.search(r"# long: \S", lines[node.lineno - 1]):
                    bad.append(f"{tree.where(m, node.lineno)}: `{node.name}` has {length} lines")
    return bad


def docstrings(tree: Tree) -> list[str]:
    """Each module says in its first line what it is."""
    return [f"{tree.where(m)}: no module docstring"
            for m, t in tree.ast.items() if not (ast.get_docstring(t) or "").strip()]


def environment(tree: Tree) -> list[str]:
    """Only base/knobs.py touches the environment."""
    bad = []
    for m, t in tree.ast.items():
        if m == "avelang.base.knobs":
            continue
        for node in ast.walk(t):
            names = {a.name for a in getattr(node, "names", []) if isinstance(a, ast.alias)} | {
                getattr(node, "attr", "")
            }
            if {"environ", "environb", "getenv", "putenv"} & names:
                bad.append(f"{tree.where(m, getattr(node, 'lineno', 1))}: touches the environment")
    return bad


MAKES = frozenset({"empty", "zeros", "ones", "full", "rand", "randn", "tensor", "eye", "linspace"})


def dtypes_said(tree: Tree) -> list[str]:
    """New tensors of torch have a dtype: its default is the user's to set."""
    return [f"{tree.where(m, n.lineno)}: a tensor of torch's default dtype" for m, t in tree.ast.items()
            for n in ast.walk(t) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
            and n.func.attr in MAKES and ast.unparse(n.func.value).endswith("torch")
            and "dtype" not in {k.arg for k in n.keywords}]


FOREIGN = frozenset({"torch", "jax", "jaxlib", "triton", "cupy"})


def no_frameworks(tree: Tree) -> list[str]:
    """Nothing imports torch, JAX and their like: they are found in `sys.modules` when the user has loaded them."""
    return [f"{tree.where(m, n)}: imports {name}" for m in tree.modules
            for name, n in tree.imports(m) if name.split(".")[0] in FOREIGN]


PUBLIC = ("avelang.bridge", "avelang.language", "avelang.pipelines", "avelang.ptx", "avelang.tile", "avelang.tuning")


def public_only(tree: Tree) -> list[str]:
    """The kernels' package uses the names that users have: `avelang`, `avelang.bridge`, `avelang.language`,
    `avelang.pipelines`, `avelang.ptx`, `avelang.tile` and `avelang.tuning`."""
    bad = []
    for m in tree.modules:
        if part(m) != "avelang_kernels":
            continue
        for name, line in tree.imports(m):
            public = name in PUBLIC or name.startswith(tuple(f"{p}." for p in PUBLIC))
            inside = name.startswith("avelang.") and not public
            if inside and (name in tree.modules or name.count(".") > 1):
                bad.append(f"{tree.where(m, line)}: imports {name}")
    return bad


_UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bfor now\b|\bnot (yet )?implemented\b|NotImplementedError")
_MACHINE = re.compile(r"(?<![\w.])/(work|root|home)/")
_BRITISH = re.compile(
    r"\b(behaviour|colour|neighbour|favour|honour|centre|metre|grey|labelled|modelled|cancelled|artefact|licence)\w*"
    r"|\b(special|vector|optim|initial|normal|serial|parallel|recogn|organ|summar|material|util|synchron|local|minim|maxim|general|pessim|emphas)"
    r"is(e|es|ed|er|ers|ing|ation|ations)\b"
    r"|\banalys(e|ed|ing)\b",
    re.IGNORECASE,
)


def _grep(tree: Tree, pattern: re.Pattern[str]) -> list[str]:
    hits = ((m, text, hit) for m, text in tree.text.items() for hit in pattern.finditer(text))
    return [f"{tree.where(m, text.count(chr(10), 0, hit.start()) + 1)}: {hit[0]!r}" for m, text, hit in hits]


def finished(tree: Tree) -> list[str]:
    """Nothing is left for later in the code."""
    return _grep(tree, _UNFINISHED)


def no_machine_paths(tree: Tree) -> list[str]:
    """No folder of somebody's machine."""
    return _grep(tree, _MACHINE)


def american(tree: Tree) -> list[str]:
    """One spelling, the American one, in code and comments."""
    return _grep(tree, _BRITISH)


SOURCE_RULES: tuple[Callable[[Tree], list[str]], ...] = (
    downward,
    no_cycles,
    small,
    docstrings,
    environment,
    dtypes_said,
    no_frameworks,
    public_only,
    finished,
    no_machine_paths,
    american,
)


def unused_codes(codes: set[str], tree: Tree, tests: dict[str, str]) -> list[str]:
    """Each code of the catalogue is raised in the source, by its name, and named by a test. `tests`: texts by file."""
    source = "\n".join(text for m, text in tree.text.items() if m != "avelang.base.catalogue")
    tested = {code for text in tests.values() for code in re.findall(r"\b[A-Z]\d{3}\b", text)}
    bad = [f"{c} is in the catalogue but nothing raises it" for c in sorted(codes) if f'"{c}"' not in source]
    bad += [f"{c} is triggered by no test" for c in sorted(codes - tested)]
    known = set(re.findall(r'error\(\s*"([A-Z]\d{3})"', source))
    return bad + [f"{c} is raised but not in the catalogue" for c in sorted(known - codes)]


# An instruction of LLVM IR on a line of its own, or the head of a function.
_IR = re.compile(r"^\s*(%[\w.{}\"-]+ = |br (i1|label)|store |ret |call |define |switch |unreachable)", re.MULTILINE)


def ir_lines(tree: Tree) -> dict[str, int]:
    """By module, how many lines of strings of several lines are LLVM IR: all lines of each string of which two at least
    are instructions."""
    found: dict[str, int] = {}
    for m, t in tree.ast.items():
        if len(_IR.findall(tree.text[m])) < 2:
            continue
        lines = tree.text[m].splitlines()
        # The parts of an f-string have places of their own from Python 3.12 on.
        parts = {id(part) for n in ast.walk(t) if isinstance(n, ast.JoinedStr) for part in ast.walk(n) if part is not n}
        strings = (n for n in ast.walk(t) if isinstance(n, (ast.JoinedStr, ast.Constant)) and id(n) not in parts)
        for first, last in {(n.lineno, n.end_lineno or 0) for n in strings}:
            text = "\n".join(lines[first - 1 : last])
            if last > first and '"""' in text and len(_IR.findall(text)) >= 2:
                found[m] = found.get(m, 0) + last - first
    return found


MAX_WIDTH = 120
_CLAUSE = re.compile(r"(What|Where|Whether|How|Which|Who)\b")


def shared_class_names(tree: Tree) -> dict[str, list[str]]:
    """Names of classes that more than two modules define, with these modules."""
    found: dict[str, list[str]] = {}
    for m, t in tree.ast.items():
        for name in sorted({n.name for n in ast.walk(t) if isinstance(n, ast.ClassDef)}):
            found.setdefault(name, []).append(m)
    return {name: modules for name, modules in found.items() if len(modules) > 2}


def shared_file_names(tree: Tree) -> dict[str, list[str]]:
    """Names of files that stand in more than two folders (`__init__.py` aside), with these folders."""
    found: dict[str, list[str]] = {}
    for f in tree.modules.values():
        if f.name != "__init__.py":
            found.setdefault(f.name, []).append(str(tree.below(f).parent))
    return {name: folders for name, folders in found.items() if len(folders) > 2}


def public_definitions(tree: Tree) -> Iterator[tuple[str, int, str, str | None]]:
    """(module, line, name, docstring) of each public function and class, and of each public method of a public
    class."""
    for m, t in tree.ast.items():
        bodies = [t.body]
        while bodies:
            for n in bodies.pop():
                if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or n.name.startswith("_"):
                    continue
                if any(ast.unparse(d) in ("overload", "typing.overload") for d in n.decorator_list):
                    continue  # the definition behind them has the docstring
                yield m, n.lineno, n.name, ast.get_docstring(n)
                if isinstance(n, ast.ClassDef):
                    bodies.append(n.body)


def undocumented(tree: Tree) -> list[str]:
    """Public definitions without a docstring."""
    return [f"{tree.where(m, line)}: `{name}` has no docstring"
            for m, line, name, doc in public_definitions(tree) if not (doc or "").strip()]


def clauses(tree: Tree) -> list[str]:
    """Docstrings of public definitions that begin with a clause (`What ...`, `Whether ...`) instead of a noun or a verb
    of the field."""
    return [f"{tree.where(m, line)}: `{name}` begins with a clause"
            for m, line, name, doc in public_definitions(tree) if _CLAUSE.match(doc or "")]


def wide(tree: Tree) -> list[str]:
    """Lines of more than 120 columns."""
    texts = ((m, n, line) for m, text in tree.text.items() for n, line in enumerate(text.splitlines(), 1))
    return [f"{tree.where(m, n)}: {len(line)} columns" for m, n, line in texts if len(line) > MAX_WIDTH]


# The same as one literal of any shape has it: what a builder names itself, or writes by its methods, is none.
_IR_LINE = re.compile(
    r"^\s*(%[\w.-]+ = |br (i1|label) |store [\w<]+.*, ptr |ret (void|i\d+|ptr|<|%)|call [\w<]+.*@|define |switch "
    r"i\d+ |unreachable$)",
    re.MULTILINE,
)
_BUILDERS = frozenset({"op", "do", "run", "guard", "_guard"})


def ir_literals(tree: Tree) -> dict[str, int]:
    """By module, how many lines of LLVM IR stand in string literals of one line or more: in lists, sums and joins too,
    but not those that are the argument of a builder's method."""
    found: dict[str, int] = {}
    for m, t in tree.ast.items():
        if not _IR_LINE.search(tree.text[m].replace("{", "X").replace('"', "\n").replace("'", "\n")):
            continue
        inside = {
            id(x)
            for n in ast.walk(t)
            if isinstance(n, ast.JoinedStr)
            for x in ast.walk(n)
            if x is not n and isinstance(x, ast.Constant)
        }
        built = {
            id(a)
            for n in ast.walk(t)
            if isinstance(n, ast.Call) and getattr(n.func, "attr", "") in _BUILDERS
            for a in n.args
        }
        for n in ast.walk(t):
            if id(n) in inside or not isinstance(n, (ast.JoinedStr, ast.Constant)):
                continue
            parts = n.values if isinstance(n, ast.JoinedStr) else [n]
            text = "".join(x.value if isinstance(x, ast.Constant) and isinstance(x.value, str) else "X" for x in parts)
            if lines := len(_IR_LINE.findall(text)) if "\n" in text or id(n) not in built else 0:
                found[m] = found.get(m, 0) + lines
    return found
