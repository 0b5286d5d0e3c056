"""`ptx.module`: functions that write bodies, declarations and variables come in, in the order of the text; a whole
module of PTX goes out.

The layer below `@kernel`: nothing is added to what is written. Registers are declared by `reg.declare`, parameters by
`ptx.parameter`, and labels, variables and directives have the names they are given, so that any module can be written.
(Of `reg.scalar` and what else makes registers of its own, the names have an underscore: `%r_0`.)"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from avelang.base import knobs
from avelang.base.errors import AveError, error
from avelang.base.places import wrong
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx import ptx_types as chips
from avelang.nvptx.check import PtxTarget
from avelang.nvptx.printer import print_module
from avelang.ptx.build import VERSION, dynamic_shared
from avelang.ptx.registers import Reg
from avelang.ptx.statements import Declarations, DeclaredVariable, declaration, declared, directive_nodes
from avelang.ptx.trace import Trace, tracing
from avelang.ptx.types import BY_PTX


class ModuleFunction:
    """A kernel or a function of a module; as an operand its name."""

    def __init__(self, module: ModuleBuilder, name: str):
        self.module, self.name = module, name

    def node(self) -> n.Operand:
        """The function's name as an operand."""
        return n.SymbolOperand(self.name)

    def ptx(self) -> str:
        """The PTX of its module."""
        return self.module.ptx()

    def __repr__(self) -> str:
        return f"<PTX function {self.name}>"


class ModuleBuilder:
    """A module of PTX. `target`: a chip, or a tuple of a chip and options ("sm_90a", "debug"); `version` of PTX;
    `address_size` None: not written. Raises S207."""

    def __init__(
        self, target: str | Sequence[str] = "sm_80", version: tuple[int, int] = VERSION, address_size: int | None = 64
    ):
        self._target = (target,) if isinstance(target, str) else tuple(target)
        self._version, self._size = (version[0], version[1]), address_size
        try:
            chips.target(self._target[0])
        except ValueError:
            raise wrong("S207", name=self._target[0]) from None
        self._items: list[n.Item] = []

    def nodes(self) -> n.PtxModule:
        """The module's nodes."""
        return n.PtxModule(self._version, self._target, self._size, tuple(self._items))

    def ptx(self) -> str:
        """The PTX, exactly as it was written."""
        return print_module(self.nodes())

    # -- variables and the like ----------------------------------------------------------------------------------------

    def variable(self, space: str, dtype: Any, name: str, *dims: Any, **options: Any) -> DeclaredVariable:
        """A variable of the module: `module.variable("global", b8, "text", 6, init=b"hello")`. Options: `align`
        (bytes); `init`, a value, (nested) lists of values, bytes, a dict for an opaque type; `vector` ("v2"); `linkage`
        ("visible", "extern", "weak", "common"); `attributes` (["managed"]). Extents: ints, None for one that is left
        open. Raises T221."""
        out = declaration(space, dtype, name, *dims, **options)
        self._items.append(out.declaration)
        return out

    def alias(self, name: str, of: Any) -> ModuleFunction:
        """`.alias name, of;`"""
        self._items.append(n.Alias(name, of if isinstance(of, str) else of.name))
        return ModuleFunction(self, name)

    def pragma(self, *texts: str) -> None:
        """`.pragma "...";`"""
        self._items.append(n.Pragma(texts))

    # -- functions -----------------------------------------------------------------------------------------------------

    def declare(
        self, kind: str, name: str, params: Declarations = None, *, returns: Declarations = None, linkage: str = "",
        directives: Sequence[Any] = (), attributes: Sequence[Any] = (),
    ) -> ModuleFunction:  # fmt: skip
        """A function ("func") or kernel ("entry") without a body: one that is defined elsewhere, or further down."""
        if kind not in ("func", "entry"):
            raise wrong("T221", what="the kind of a function", want='"func" or "entry"', got=repr(kind))
        self._items.append(self._function(kind, name, params, returns, linkage, directives, attributes))
        return ModuleFunction(self, name)

    def entry(
        self, params: Declarations = None, *, name: str = "", linkage: str = "visible", directives: Sequence[Any] = (),
        attributes: Sequence[Any] = (),
    ) -> Callable[[Callable[..., Any]], ModuleFunction]:  # fmt: skip
        """A decorator that makes a kernel: the function runs once, now, with the parameters as operands, and writes the
        body. `name`: as PTX shall have it; `directives`: `[("maxntid", 128, 1, 1), ("minnctapersm", 2)]`. Raises what
        the body's calls raise."""
        return self._defined("entry", name, params, None, linkage, directives, attributes)

    def func(
        self, params: Declarations = None, *, returns: Declarations = None, name: str = "", linkage: str = "",
        directives: Sequence[Any] = (), attributes: Sequence[Any] = (),
    ) -> Callable[[Callable[..., Any]], ModuleFunction]:  # fmt: skip
        """As `entry`, for a device function, which `ptx.call` calls. The Python function gets the results first, then
        the parameters."""
        return self._defined("func", name, params, returns, linkage, directives, attributes)

    def _defined(
        self, kind: str, name: str, params: Any, returns: Any, *options: Any
    ) -> Callable[[Callable[..., Any]], ModuleFunction]:
        def made(fn: Callable[..., Any]) -> ModuleFunction:
            head = self._function(kind, name or fn.__name__, params, returns, *options)
            try:
                self._items += self._traced(fn, head)
            except AveError as e:
                raise e if knobs.full_traceback() else e.with_traceback(None) from None
            return functools.update_wrapper(ModuleFunction(self, head.name), fn)  # type: ignore[return-value]

        return made

    @staticmethod
    def _function(kind: str, name: str, params: Any, returns: Any, linkage: str, directives: Sequence[Any],
                  attributes: Sequence[Any]) -> n.PtxFunction:  # fmt: skip
        # Attributes are written as those of a variable.
        shared = declaration("param", BY_PTX["b32"], name, attributes=attributes).declaration.attributes
        return n.PtxFunction(
            kind, name, declared(params), declared(returns), None, linkage, directive_nodes(directives), shared
        )

    def _traced(self, fn: Callable[..., Any], head: n.PtxFunction) -> list[n.Item]:
        """The function with its body, and what must stand before it."""
        variables = (*(head.returns or ()), *(head.params or ()))
        have = list(inspect.signature(fn).parameters)
        span = Span(fn.__code__.co_filename, fn.__code__.co_firstlineno, function=fn.__name__)
        if len(have) != len(variables):
            want = (
                f"one for each result and parameter of `{head.name}`: {', '.join(v.name for v in variables) or 'none'}"
            )
            raise error(
                "T221", span, what=f"the parameters of `{fn.__name__}`", want=want, got=", ".join(have) or "none"
            )
        log = Trace(head.name, PtxTarget(self._target[0], self._version), mark="_")
        log.address_size = self._size
        operands: list[Any] = []
        for v in variables:
            log.symbols[v.name] = "entry" if head.kind == "entry" else v.space
            if v.space == "reg":
                log.know(v.name, v.type)
            operands.append(Reg(v.name, BY_PTX[v.type]) if v.space == "reg" else DeclaredVariable(v))
        with tracing(log):
            returned = fn(*operands)
        if returned is not None:
            raise error("T054", span, name=fn.__name__)
        return [*dynamic_shared(log), dataclasses.replace(head, body=log.finish())]


module = ModuleBuilder

__all__ = ["ModuleBuilder", "ModuleFunction", "module"]
