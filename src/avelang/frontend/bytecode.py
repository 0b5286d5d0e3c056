"""What Python code reads by name: a code object comes in; chains of names, imports and all names in it go out."""

from __future__ import annotations

import dataclasses
import dis
import functools
import types

# A name and the attributes asked of it, one after another.
Chain = tuple[str, ...]

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_CELLS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
# They stand anywhere, and change nothing of what is said here.
_BETWEEN = frozenset({"EXTENDED_ARG", "PUSH_NULL", "CACHE", "RESUME", "NOT_TAKEN"})


@dataclasses.dataclass(frozen=True, slots=True)
class Reads:
    """Names that a code object and those nested in it read. `globals`: names of globals and builtins, with the
    attributes that follow at once; `cells`: those of cells, its own and those of functions around the ones inside.
    `imports`: module, level, names taken from it. `names`: every name and every string in the code, of which an
    attribute may be asked."""

    globals: tuple[Chain, ...]
    cells: tuple[Chain, ...]
    imports: tuple[tuple[str, int, tuple[str, ...]], ...]
    names: frozenset[str]


def codes(code: types.CodeType) -> list[types.CodeType]:
    """A code object and those inside of it: nested functions, lambdas, comprehensions, classes."""
    return [code, *(c for x in code.co_consts if isinstance(x, types.CodeType) for c in codes(x))]


@functools.lru_cache(maxsize=4096)
def reads(code: types.CodeType) -> Reads:
    """The names that a function with this code reads."""
    chains: dict[tuple[bool, Chain], None] = {}
    imports: dict[tuple[str, int, tuple[str, ...]], None] = {}
    names: set[str] = set()
    for one in codes(code):
        names.update(one.co_names, _strings(one.co_consts))
        _scan(one, chains, imports)
    here = tuple(c for cell, c in chains if not cell)
    return Reads(here, tuple(c for cell, c in chains if cell), tuple(imports), frozenset(names))


def _strings(held: tuple[object, ...]) -> set[str]:
    found = {x for x in held if isinstance(x, str)}
    return found.union(*(_strings(x) for x in held if isinstance(x, tuple)))


def _scan(code: types.CodeType, chains: dict[tuple[bool, Chain], None],
          imports: dict[tuple[str, int, tuple[str, ...]], None]) -> None:
    chain: list[str] = []
    cell = False
    module: tuple[str, int] | None = None
    taken: list[str] = []
    constants: list[object] = []

    def end() -> None:
        nonlocal module
        if chain:
            chains[cell, tuple(chain)] = None
            chain.clear()
        if module is not None:
            imports[(*module, tuple(taken))] = None
            module = None
            taken.clear()

    for i in dis.get_instructions(code):
        name = i.opname
        if name in _BETWEEN:
            continue
        if name in _ATTRIBUTES and chain:
            chain.append(str(i.argval))
            continue
        if module is not None and (name == "IMPORT_FROM" or name.startswith(("STORE_", "SWAP", "POP_TOP", "ROT_"))):
            # What is taken of a module is stored, one name after another.
            if name == "IMPORT_FROM":
                taken.append(str(i.argval))
            continue
        end()
        if name in _GLOBALS or name in _CELLS:
            chain.append(str(i.argval))
            cell = name in _CELLS
        elif name == "IMPORT_NAME":
            level = constants[-2] if len(constants) > 1 else 0
            module = str(i.argval), level if isinstance(level, int) else 0
        if name.startswith(("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_CONST")):
            constants.append(i.argval)
    end()
