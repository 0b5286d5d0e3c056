"""What a function's syntax tree says without types: a tree comes in; names assigned, names live and ways out of
statements go out."""

from __future__ import annotations

import ast
import dataclasses

NameSet = frozenset[str]
NONE: NameSet = frozenset()


@dataclasses.dataclass(slots=True)
class Facts:
    """Of a statement: names read before it assigns them, names it assigns on every path, names it may assign, and how
    it may be left ("return", "break", "continue")."""

    use: NameSet
    kill: NameSet
    defs: NameSet
    exits: NameSet = NONE


class Flow:
    """The analysis of one function. `live`: what may be read after a compound statement; `head`: what may be read at
    the head of a loop."""

    def __init__(self, node: ast.FunctionDef):
        self.facts: dict[ast.AST, Facts] = {}
        self.live: dict[ast.AST, NameSet] = {}
        self.head: dict[ast.AST, NameSet] = {}
        # What nested functions read is live always: they are called at any later place.
        self.captured: NameSet = NONE
        self.returns_value = False
        body = self._list(node.body)
        params = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        self.names: NameSet = body.defs | params
        self._down(node.body, set(self.captured))

    # -- upward: facts of each statement ------------------------------------------------------------------------------

    def _list(self, body: list[ast.stmt]) -> Facts:
        use: set[str] = set()
        done: set[str] = set()
        kill: set[str] = set()
        defs: set[str] = set()
        exits: set[str] = set()
        for stmt in body:
            facts = self._stmt(stmt)
            # Whoever comes to a statement has passed all before it.
            use |= facts.use - done
            done |= facts.kill
            # After a statement that may leave, an assignment no longer stands on every path.
            if not exits:
                kill |= facts.kill
            defs |= facts.defs
            exits |= facts.exits
        return Facts(frozenset(use), frozenset(kill), frozenset(defs), frozenset(exits))

    def _stmt(self, stmt: ast.stmt) -> Facts:
        facts = self._compound(stmt)
        self.facts[stmt] = facts
        return facts

    def _compound(self, stmt: ast.stmt) -> Facts:
        if isinstance(stmt, ast.If):
            a, b = self._list(stmt.body), self._list(stmt.orelse)
            self._lambdas(stmt.test)
            kill = a.kill & b.kill
            if a.exits != b.exits:
                kill = b.kill if _ends(stmt.body) else a.kill if _ends(stmt.orelse) else kill
            return Facts(_reads(stmt.test) | a.use | b.use, kill, a.defs | b.defs, a.exits | b.exits)
        if isinstance(stmt, (ast.For, ast.While)):
            body = self._list(stmt.body)
            target = _stores(stmt.target) if isinstance(stmt, ast.For) else NONE
            head = stmt.iter if isinstance(stmt, ast.For) else stmt.test
            self._lambdas(head)
            outer = _reads(head)
            return Facts(outer | (body.use - target), NONE, body.defs | target, body.exits - {"break", "continue"})
        if isinstance(stmt, ast.FunctionDef):
            reads = _reads(stmt)
            self.captured |= reads
            return Facts(reads, frozenset({stmt.name}), frozenset({stmt.name}))
        if isinstance(stmt, (ast.Return, ast.Break, ast.Continue)):
            self.returns_value |= isinstance(stmt, ast.Return) and stmt.value is not None
            self._lambdas(stmt)
            return Facts(_reads(stmt), NONE, NONE, frozenset({type(stmt).__name__.lower()}))
        nodes = walk(stmt)
        reads, stores = _names(stmt, nodes)
        self._lambdas_in(nodes)
        return Facts(reads, stores, stores)

    def _lambdas(self, *parts: ast.AST) -> None:
        """Names that lambdas read are always live, like those of nested functions."""
        for part in parts:
            self._lambdas_in(walk(part))

    def _lambdas_in(self, nodes: list[ast.AST]) -> None:
        for n in nodes:
            if type(n) is ast.Lambda:
                self.captured |= _reads(n.body)

    # -- downward: what is live ---------------------------------------------------------------------------------------

    def _down(self, body: list[ast.stmt], live: set[str], left: NameSet = NONE, next_trip: NameSet = NONE) -> None:
        """`live`: what may be read behind these statements; `left`, `next_trip`: what may be read where `break` and
        `continue` lead."""
        for stmt in reversed(body):
            facts = self.facts[stmt]
            # Behind a statement that may leave the loop, an assignment is not certain to come, nor one in it.
            away = (left if "break" in facts.exits else NONE) | (next_trip if "continue" in facts.exits else NONE)
            live |= away
            if isinstance(stmt, (ast.If, ast.For, ast.While)):
                self.live[stmt] = frozenset(live)
                if isinstance(stmt, ast.If):
                    self._down(stmt.body, set(live), left, next_trip)
                    self._down(stmt.orelse, set(live), left, next_trip)
                else:
                    self.head[stmt] = frozenset(live | facts.use | self._list_use(stmt.body))
                    self._down(stmt.body, set(self.head[stmt]), self.live[stmt], self.head[stmt])
            live -= facts.kill - self.captured
            live |= facts.use | away

    def _list_use(self, body: list[ast.stmt]) -> NameSet:
        use: set[str] = set()
        kill: set[str] = set()
        for stmt in body:
            use |= self.facts[stmt].use - kill
            kill |= self.facts[stmt].kill
        return frozenset(use)

    def exits(self, body: list[ast.stmt]) -> NameSet:
        """The ways in which a list of statements may be left before its end."""
        return frozenset().union(*(self.facts[s].exits for s in body))

    ends = staticmethod(lambda body: _ends(body))


def _ends(body: list[ast.stmt]) -> bool:
    """True if control never reaches the end of these statements (as far as the syntax says)."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Break, ast.Continue)):
        return True
    return isinstance(last, ast.If) and _ends(last.body) and _ends(last.orelse)


# Fields that hold no expression or statement.
_SKIP = frozenset({"ctx", "op", "ops", "kind", "type_comment", "name", "id", "attr"})
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def walk(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, operators and contexts left out, parents first. `ast.walk` takes four times as
    long."""
    found = [node]
    for n in found:
        t = type(n)
        fields = _FIELDS.get(t)
        if fields is None:
            fields = _FIELDS[t] = tuple(x for x in t._fields if x not in _SKIP) if t is not ast.Constant else ()
        for field in fields:
            child = getattr(n, field, None)
            if isinstance(child, list):
                found += [c for c in child if isinstance(c, ast.AST)]
            elif isinstance(child, ast.AST):
                found.append(child)
    return found


def _reads(node: ast.AST) -> NameSet:
    """Names that a node reads. An augmented assignment reads its target."""
    return _names(node)[0]


def _stores(node: ast.AST) -> NameSet:
    return _names(node)[1]


def _names(node: ast.AST, nodes: list[ast.AST] | None = None) -> tuple[NameSet, NameSet]:
    """Names that a node reads, and names that it assigns. `nodes`: what `walk` gives of it."""
    reads, stores = set(), set()
    for n in walk(node) if nodes is None else nodes:
        if type(n) is ast.Name:
            (reads if type(n.ctx) is ast.Load else stores).add(n.id)
    if type(node) is ast.AugAssign and type(node.target) is ast.Name:
        reads.add(node.target.id)
    return frozenset(reads), frozenset(stores)
