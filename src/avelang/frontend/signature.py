"""Parameters of a function: annotations come in, `ParamSpec`s go out."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from avelang.base.errors import AveError, error
from avelang.base.parsing import parse_expression
from avelang.base.places import ANNOTATION
from avelang.base.spans import Span
from avelang.frontend import foreign_names
from avelang.frontend.names import Pointer, Ranks, Signals, Tensor, TensorMap, annotated, constexpr, near
from avelang.frontend.source import FunctionSource
from avelang.ir.dtypes import DType, i64
from avelang.ir.types import MapType

EMPTY: Any = inspect.Parameter.empty


@dataclasses.dataclass(frozen=True, slots=True)
class ParamSpec:
    """One parameter of a kernel. `kind`: "scalar", "pointer", "tensor", "map" or "constexpr"; `dtype` is None for the
    last.

    `shape` and `strides` (elements) are nested tuples of ints, for tensors only. `default` is `EMPTY` where there is
    none. `open`: the annotation, where an array fills in extents of it; what it fills in is a compile-time value under
    the parameter's name. `ranks`: of those who take part in a launch (`al.Ranks`), a pointer to 64-bit words.
    `signals`: a tensor of u32 that the kernel has as signals (`al.Signals`)."""

    name: str
    kind: str
    dtype: DType | None = None
    shape: tuple[Any, ...] = ()
    strides: tuple[Any, ...] = ()
    default: Any = EMPTY
    map: MapType | None = None
    open: Tensor | None = None
    ranks: bool = False
    signals: bool = False

    def filled(self, given: Any) -> ParamSpec:
        """The parameter with the extents of an array, as `Tensor.filled` takes them."""
        assert self.open is not None
        t = self.open.filled(given)
        return dataclasses.replace(self, shape=t.shape, strides=t.strides, open=None)


class AnnotationScope(dict[str, Any]):
    """The namespace in which an annotation is evaluated: every name asked for is looked up."""

    def __init__(self, lookup: Callable[[str], Any]):
        super().__init__()
        self._lookup = lookup

    def __missing__(self, name: str) -> Any:
        return self._lookup(name)


def evaluate(node: ast.expr, lookup: Callable[[str], Any], span: Span, param: str, hint: str = "") -> Any:
    """The value of an annotation, also of one written as a string. Raises T005 for an unknown name, T006 for what
    fails."""
    try:
        while isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = parse_expression(node.value)
        code = compile(ast.Expression(node), ANNOTATION, "eval")
        scope = AnnotationScope(lookup)
        return annotated(eval(code, {"__builtins__": {}}, scope))  # noqa: S307 - the user's own program
    except AveError as e:
        e.span = e.span or span
        raise
    except (KeyError, NameError) as e:
        name = getattr(e, "name", None) or str(e.args[0])
        theirs = foreign_names.hint(ast.unparse(node)) if name in foreign_names.MODULES else ""
        raise error("T005", span, theirs or hint or None, name=name, param=param) from None
    except Exception as e:  # whatever the user's expression raises
        raise error("T006", span, param=param, why=f"{type(e).__name__}: {e}") from None


def parameters(node: ast.FunctionDef, span: Callable[[ast.AST], Span]) -> list[ast.arg]:
    """All parameters of a definition, in order. Raises S001 for star parameters."""
    for star in (node.args.vararg, node.args.kwarg):
        if star is not None:
            raise error("S001", span(star), what="a parameter with a star", instead="name every parameter")
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def defaults(spec: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, with it, in the order in which Python evaluates them."""
    positional = [*spec.posonlyargs, *spec.args]
    by_name = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    return [*zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True),
            *((a, d) for a, d in by_name if d is not None)]  # fmt: skip


def annotation(source: FunctionSource, name: str, node: ast.expr) -> Any:
    """The annotation of a parameter, or of "return": Python's value, which may come from names that only the place of
    definition knows; a string is evaluated now."""
    value = source.fn.__annotations__.get(name)
    if not isinstance(value, str):
        return annotated(value)
    hint = _SEEN if "<locals>" in source.fn.__qualname__ else ""
    return evaluate(node, source.lookup, source.span(node), name, hint)


# Of a function in a function, whose annotations are text.
_SEEN = ("an annotation that is text sees the names of the module, those that the body of the function uses, and those "
         "that hold a value where @avelang.jit stands")


def _spec(name: str, annotation: Any, default: Any, span: Span) -> ParamSpec:
    if annotation is constexpr:
        return ParamSpec(name, "constexpr", default=default)
    if isinstance(annotation, DType) and annotation.kind != "void":
        return ParamSpec(name, "scalar", annotation, default=default)
    if isinstance(annotation, Pointer):
        return ParamSpec(name, "pointer", annotation.dtype, default=default)
    if annotation is Ranks:
        return ParamSpec(name, "pointer", i64, default=default, ranks=True)
    if isinstance(annotation, Tensor):
        return ParamSpec(name, "tensor", annotation.dtype, annotation.shape, annotation.strides, default,
                         open=annotation if annotation.dynamic else None, signals=isinstance(annotation, Signals))
    if isinstance(annotation, TensorMap):
        return ParamSpec(name, "map", annotation.type.dtype, default=default, map=annotation.type)
    alone = {Pointer: "al.Pointer[al.f32]", Tensor: "al.Tensor[(al.dynamic, al.dynamic), al.f32]",
             Signals: "al.Signals[8], or al.Signals[al.dynamic]"}
    if annotation in (Pointer, Tensor, Signals):
        how = "how many" if annotation is Signals else "of what"
        raise error("T007", span, f"say {how}: {alone[annotation]}", param=name,
                    got=f"cannot be annotated with al.{annotation.__name__} alone")
    raise error("T007", span, param=name, got=f"cannot be annotated with {annotation!r}")


def signature(source: FunctionSource) -> tuple[ParamSpec, ...]:
    """The parameters of a kernel. Raises T005, T006, T007 and S001 at the annotation."""
    node = source.tree
    defaults = {n: p.default for n, p in inspect.signature(source.fn).parameters.items()}
    specs = []
    for arg in parameters(node, source.span):
        span = source.span(arg)
        if arg.annotation is None:
            hint = ("a kernel is no method of an object: put @staticmethod above what makes it a kernel, and pass what "
                    "it needs")
            raise error("T007", span, hint if arg.arg in ("self", "cls") else None, param=arg.arg,
                        got="has no annotation")
        value = annotation(source, arg.arg, arg.annotation)
        specs.append(_spec(arg.arg, value, defaults[arg.arg], span))
    return tuple(specs)


def suggest(name: str, known: Any) -> str:
    """A hint with the names most like `name`."""
    return near(name, known).removeprefix("; ")
