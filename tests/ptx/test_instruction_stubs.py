"""The stub of `ptx.inst` against the table of the instruction set: every name leads to a call that takes as many
operands as its forms, and no word leads where the table has none."""

from __future__ import annotations

import ast
import random

import pytest

from avelang.cli.ptx_stubs import AVE, PYPTX, instruction_names, special_registers, spelled
from avelang.nvptx.readings import FORMS, environments
from avelang.nvptx.special_registers import SPECIAL
from avelang.ptx import inst


class Stub:
    """A stub, read as a checker does: `step` follows a word, `arities` are those of a call."""

    def __init__(self, text: str):
        self.classes = {c.name: c for c in ast.parse(text).body if isinstance(c, ast.ClassDef)}
        self.edges = {name: dict(self._edges(c)) for name, c in self.classes.items()}
        self.arities = {name: {max(0, len(n.args.posonlyargs) - 1) for n in c.body if isinstance(n, ast.FunctionDef)
                               and n.name == "__call__"} for name, c in self.classes.items()}  # fmt: skip

    @staticmethod
    def _edges(of: ast.ClassDef):
        for node in of.body:
            if isinstance(node, ast.AnnAssign):
                yield ast.unparse(node.target), ast.unparse(node.annotation)
            if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
                kind = node.args.args[-1].annotation if node.args.args[1:] else node.args.posonlyargs[-1].annotation
                said = ast.literal_eval(kind.slice) if isinstance(kind, ast.Subscript) else ()
                for word in (said,) if isinstance(said, str) else said:
                    yield word, ast.unparse(node.returns)

    def follow(self, words: tuple[str, ...]) -> str | None:
        at: str | None = "Instructions"
        for word in words:
            at = self.edges[at].get(spelled(word)) if at is not None else None
        return at


@pytest.fixture(scope="module", params=[AVE, PYPTX])
def stub(request) -> Stub:
    return Stub(instruction_names(request.param))


def test_every_form_of_the_table(stub):
    names: dict[str, set[int]] = {}
    for forms in FORMS.values():
        for form in forms:
            for env in environments(form):
                specs = form.present(env)
                least = len([s for s in specs if not s.optional])
                names.setdefault(form.name(env), set()).update(range(least, len(specs) + 1))
    assert len(names) > 5000
    for name, counts in names.items():
        at = stub.follow(tuple(name.split(".")))
        assert at is not None, name
        assert counts <= stub.arities[at], name


def test_names_of_the_stub_are_those_of_the_table(stub):
    """Drawn walks through the stub: where they end in a call, the table reads the name."""
    rng, ended = random.Random(0), 0
    roots = sorted(stub.edges["Instructions"].items())
    for _ in range(2000):
        word, at = rng.choice(roots)
        words = [word]
        while stub.edges[at] and not (stub.arities[at] and rng.random() < 0.3):
            word, at = rng.choice(sorted(stub.edges[at].items()))
            words.append(word)
        if stub.arities[at]:
            parts, ended = tuple(inst.part(w) for w in words), ended + 1
            slots = [{w for s in f.slots for c in s.choices for w in c.split(".")} for f in FORMS[parts[0]]]
            assert any(set(parts[1:]) <= s for s in slots), parts
    assert ended > 1000


@pytest.mark.parametrize("path", ["src/avelang/ptx/special_registers.pyi", "distributions/pyptx/src/pyptx/ptx/special.pyi"])
def test_special_registers(path):
    text = special_registers(path)
    assert all(f" {name[1:]}" in text or f"\n{name[1:]}:" in text for name in SPECIAL)
    ast.parse(text)
