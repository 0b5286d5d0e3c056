"""The judge: the text of a program comes in, what its arrays hold afterwards goes out, found by running the text as Python, thread by thread.

The names of the language are stood in for by `names` and `values`, which know `numbers` and nothing of the compiler. A kernel becomes a generator, one for
each thread: it yields at barriers and shuffles. What the language does not define is an error (`Undefined`), so that a program that is made smaller
cannot slip into saying nothing: reads of memory that nothing wrote, coordinates outside, races, shuffles from lanes that are not there.
"""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from fuzz import products
from fuzz.names import GREATEST, LEAST, Device, namespace, struct, total
from fuzz.numbers import KINDS
from fuzz.values import Dtype, Memory, Num, Run, Tensor, Three, Undefined, literal

__all__ = ["Undefined", "load", "run"]

U64 = KINDS["u64"]

# -- running -----------------------------------------------------------------------------------------------------------------------------------

PRODUCTS = ("nvvm.mma_", "amdgpu.mfma_")
LANES = ("amdgpu.readfirstlane", "amdgpu.ballot")
SHUFFLES = {"shuffle": "idx", "shuffle_up": "up", "shuffle_down": "down", "shuffle_xor": "xor"}


class Text(ast.NodeTransformer):
    """Rewrites what Python would do by its own rules: choices, conditions, annotated assignments; barriers and shuffles yield."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func).removeprefix("al.")
        if name == "syncthreads":
            return ast.Yield(ast.Constant("barrier"))
        if name.startswith(PRODUCTS) or name in LANES:
            kind = "product" if name.startswith(PRODUCTS) else "lanes"
            named = ast.Dict([ast.Constant(k.arg) for k in node.keywords], [k.value for k in node.keywords])
            return ast.Yield(ast.Tuple([ast.Constant(kind), ast.Constant(name), ast.Tuple(node.args, ast.Load()), named], ast.Load()))
        if name in SHUFFLES:
            width = next((k.value for k in node.keywords if k.arg == "width"), ast.Constant(0))
            return ast.Yield(ast.Tuple([ast.Constant(SHUFFLES[name]), *node.args[:2], *(node.args[2:3] or [width])], ast.Load()))
        return node

    def _call(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(ast.Name("al", ast.Load()), name, ast.Load()), list(args), [])

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return self._call("choose", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return self._call("logic", ast.Constant("and" if isinstance(node.op, ast.And) else "or"), *node.values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self._call("logic", ast.Constant("not"), node.operand) if isinstance(node.op, ast.Not) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return node
        return ast.Assign([node.target], self._call("declared", node.value, node.annotation))

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(self._call("tick")))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for part in node.body:  # annotations of fields stay
            if isinstance(part, ast.FunctionDef):
                self.visit(part)
        return node


def load(text: str, name: str = "kernel") -> Any:
    """The kernel's function, as Python runs it; a generator function if anything in it waits."""
    tree = ast.parse(text)
    tree.body = [n for n in tree.body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    tree = ast.fix_missing_locations(Text().visit(tree))
    held: dict[str, Any] = {
        "al": namespace(), "avelang": types.SimpleNamespace(jit=Device, struct=struct), "min": LEAST, "max": GREATEST, "sum": total,
    }  # fmt: skip
    exec(compile(tree, "<judged>", "exec", dont_inherit=True), held)  # noqa: S102 - text that was drawn here
    return held[name]


def run(text: str, args: dict[str, Any], block: Three, grid: Three = (1, 1, 1), wave: int = 64) -> None:
    """Runs the kernel of a text over arrays (in place) and Python numbers, given by name. Raises Undefined."""
    kernel = load(text)
    Run.wave, Run.block, Run.grid, Run.steps = wave, block, grid, 0
    arrays, values = [], {}
    for name, value in args.items():
        note = kernel.notes[name]
        if isinstance(value, np.ndarray):
            m = Memory(value.nbytes, True, True, max(grid) > 1)
            m.data[:] = value.tobytes()
            arrays.append((m, value))
            values[name] = Tensor(m, note.kind, note.shape, note.strides)
        else:
            values[name] = Num(note.kind, literal(value, note.kind)) if isinstance(note, Dtype) else value
    for Run.number in range(grid[0] * grid[1] * grid[2]):
        Run.index = (Run.number % grid[0], Run.number // grid[0] % grid[1], Run.number // (grid[0] * grid[1]))
        Run.memories = [m for m, _ in arrays]
        for m in Run.memories:
            m.seen = {}
        _block(kernel.fn, values, block, wave)
    for m, value in arrays:
        value.view(np.uint8).reshape(-1)[:] = np.frombuffer(bytes(m.data), np.uint8)


def _block(fn: Any, values: dict[str, Any], block: Three, wave: int) -> None:
    count = block[0] * block[1] * block[2]
    Run.shared, Run.made, Run.copies = {}, {}, {}
    threads: dict[int, Any] = {}
    for Run.thread in range(count):
        made = fn(**values)
        if isinstance(made, types.GeneratorType):
            threads[Run.thread] = made
    answers: dict[int, Any] = dict.fromkeys(threads)
    while threads:
        asked: dict[int, Any] = {}
        for Run.thread, generator in list(threads.items()):
            try:
                asked[Run.thread] = generator.send(answers[Run.thread])
            except StopIteration:
                del threads[Run.thread]
        kinds = {x if isinstance(x, str) else x[0] if x[0] in TOGETHER else "shuffle" for x in asked.values()}
        if len(kinds) > 1:
            raise Undefined("some threads at a barrier, others at a shuffle")
        if kinds == {"barrier"}:
            for m in Run.memories:
                if m.seen:
                    m.seen.clear()
            answers = dict.fromkeys(threads)
        elif kinds and (one := next(iter(kinds))) in TOGETHER:
            answers = {}
            for first in range(0, count, wave):
                answers.update(TOGETHER[one]({t: asked[t] for t in range(first, min(first + wave, count)) if t in asked}, wave))
        else:
            answers = {t: _shuffled(t, asked, wave) for t in asked}


def _product(asked: dict[int, Any], wave: int) -> dict[int, Any]:
    """A matrix product of a wave."""
    if not asked:
        return {}
    if len(asked) != wave or len({(x[1], tuple(x[3].items())) for x in asked.values()}) > 1:
        raise Undefined("a product without all lanes")
    name = asked[min(asked)][1]
    return dict(zip(sorted(asked), products.product(name, [asked[t][2] for t in sorted(asked)], asked[min(asked)][3])))


def _lanes(asked: dict[int, Any], wave: int) -> dict[int, Any]:
    """What the lanes that are there find out about one another."""
    if not asked:
        return {}
    first = asked[min(asked)]
    if any(x[1] != first[1] for x in asked.values()):
        raise Undefined("different instructions")
    if first[1] == "amdgpu.readfirstlane":
        return dict.fromkeys(asked, first[2][0])
    bits = sum(1 << t % wave for t, x in asked.items() if bool(x[2][0]))
    return dict.fromkeys(asked, Num(U64, bits))


TOGETHER = {"product": _product, "lanes": _lanes}


def _shuffled(thread: int, asked: dict[int, Any], wave: int) -> Any:
    kind, value, offset, width = asked[thread]
    width, lane = width or wave, thread % wave
    if any(asked[t][0] != kind or asked[t][3] != asked[thread][3] for t in asked):
        raise Undefined("different shuffles")
    segment, place, by = lane - lane % width, lane % width, offset.__index__()
    source = {"idx": by, "up": place - by, "down": place + by, "xor": place ^ by}[kind]
    if not 0 <= source < width:
        return value
    other = asked.get(thread - lane + segment + source)
    if other is None:
        raise Undefined("a shuffle from a lane that is not there")
    return other[1]
