"""The signature of an operation: a shape rule and a host function come in; which parameters are inputs, outputs and
static options, with types for torch's schema, goes out."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.base.places import argument_error, here
from avelang.base.takes import PLAIN
from avelang.frontend.names import near

_MISSING: Any = inspect.Parameter.empty
_SIMPLE = {bool: "bool", int: "SymInt", float: "float", str: "str"}
# Names that calls of operations take themselves.
RESERVED = ("out", "fallback")


class Option(NamedTuple):
    """A static option: `schema` is its type in torch's schema, or "" where its values are handed over as their text."""

    name: str
    default: Any
    schema: str

    @property
    def required(self) -> bool:
        """True where a call must give it."""
        return self.default is _MISSING


def schema_type(annotation: Any, default: Any) -> str:
    """The type of an option in torch's schema language: by its annotation, else by its default; "" where there is
    none."""
    if annotation is _MISSING:
        if type(default) in (bool, float):
            return _SIMPLE[type(default)]
        return "str?" if type(default) is str else "Scalar" if type(default) is int else ""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema_type(inner[0], default)
    if origin in (typing.Union, types.UnionType):
        kinds = [a for a in inner if a is not type(None)]
        maybe = "?" if len(kinds) < len(inner) else ""
        if set(kinds) == {int, float}:
            return "Scalar" + maybe
        found = schema_type(kinds[0], _MISSING) if len(kinds) == 1 else ""
        return found and found + maybe
    if origin is typing.Literal:
        return "str" if all(isinstance(x, str) for x in inner) else ""
    if origin in (tuple, list) and inner and set(inner) - {Ellipsis} in ({int}, {float}):
        return ("SymInt" if int in inner else "float") + "[]"
    return _SIMPLE.get(annotation, "") if isinstance(annotation, type) else ""


_KINDS: dict[str, type] = {"SymInt": int, "float": float, "Scalar": float, "bool": bool, "str": str}


def _fits(schema: str, value: Any) -> bool:
    """True where a value is one of this type: also a number of NumPy, 0 and 1 for a bool and a bool for a number, and a
    symbol of torch's; no array."""
    if schema.endswith("?"):
        return value is None or _fits(schema[:-1], value)
    if schema.endswith("[]"):
        return isinstance(value, tuple) and all(_fits(schema[:-2], x) for x in value)
    if schema == "str":
        return isinstance(value, str)
    if isinstance(value, (bool, np.bool_)) or (schema == "bool" and isinstance(value, int)):
        return value in (0, 1)
    plain = not hasattr(value, "shape") or isinstance(value, np.generic)
    return plain and PLAIN[_KINDS[schema]].fits(value) or type(value).__name__ in ("SymInt", "SymFloat", "SymBool")


def check(options: Iterable[Option], values: Sequence[Any]) -> None:
    """Raises L066 for a value of another type than its option's; those without a type are any."""
    for option, value in zip(options, values, strict=True):
        if isinstance(value, (complex, np.complexfloating)) or (not option.schema and _text(value) is None):
            raise _no_option(option.name, value)
        if option.schema and not _fits(option.schema, value):
            kind = option.schema.rstrip("?")
            words = PLAIN[_KINDS[kind.removesuffix("[]")]].words
            wanted = f"a tuple, each {words}" if kind.endswith("[]") else words
            may = ", or None" if option.schema.endswith("?") else ""
            raise argument_error(f"{option.name} is {shown(value)}: it must be {wanted}{may}")


def shown(x: Any) -> str:
    """A value in an error's words: its type, and the beginning of its text."""
    text = " ".join(repr(x).split())
    return f"{type(x).__name__} {text if len(text) < 60 else text[:57] + '...'}"


def encoded(name: str, value: Any) -> str:
    """The text of an option's value, which `avelang.base.parsing.literal` reads back as it was: also its type, and the
    sign of a zero. Numbers of NumPy become Python's. Raises L066 for what is no value of a static option."""
    text = _text(value)
    if text is None:
        raise _no_option(name, value)
    return text


def _text(value: Any) -> str | None:
    """As `encoded`; None for what is no value of an option."""
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) is tuple:
        parts = [_text(x) for x in value]
        found = [p for p in parts if p is not None]
        return f"({', '.join(found)}{',' * (len(found) == 1)})" if len(found) == len(parts) else None
    text = repr(value)
    kinds: tuple[Any, ...] = (bool, int, float, str)
    plain = value is None or any(isinstance(value, k) and text == k.__repr__(value) for k in kinds)
    return text if plain else None


def _no_option(name: str, value: Any) -> Exception:
    return argument_error(
        f"{name} is {shown(value)}: a static option is an int, a float, a string, a bool, None or a tuple of such"
    )


class Signature:
    """Parameters of an operation. `inputs`: names; `optional`: which of them may be None; `outputs`: names, in the
    order of the host function; `options`: static ones by name."""

    def __init__(self, name: str, host: Callable[..., Any], shapes: Callable[..., Any]):
        self.name = name
        self.host, self.shapes = host, shapes
        mine, theirs = _parameters(name, host), _parameters(name, shapes)
        positional = [p for p in mine if p.kind is p.POSITIONAL_OR_KEYWORD]
        given = [p for p in theirs if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.inputs = tuple(p.name for p in given)
        self.optional = tuple(p.default is None for p in given)
        self.outputs = tuple(p.name for p in positional[len(given) :])
        if tuple(p.name for p in positional[: len(given)]) != self.inputs or not self.inputs:
            raise _undefined(
                name,
                f"the shape rule takes {self.inputs}, and the host function begins with "
                f"{tuple(p.name for p in positional)[: len(given)]}: they must be the inputs, in order",
            )
        if not self.outputs:
            raise _undefined(name, "the host function has no outputs: they follow its inputs, as positional parameters")
        hints = _hints(host)
        defaults = {p.name: p.default for p in theirs if p.kind is p.KEYWORD_ONLY}
        self.options = {p.name: Option(p.name, _default(p, defaults), schema_type(hints.get(p.name, _MISSING),
                                                                                 _default(p, defaults)))
                        for p in mine if p.kind is p.KEYWORD_ONLY}  # fmt: skip
        _check_names(name, self.inputs, tuple(self.options))
        unknown = [n for n in defaults if n not in self.options]
        if unknown:
            raise _undefined(name, f"the shape rule asks for {unknown}, which the host function does not take")
        self.rule_options = tuple(defaults)
        self.all_names = frozenset((*self.inputs, *self.options))
        self.positions = {n: i for i, n in enumerate(self.options)}
        self.defaults = tuple(o.default for o in self.options.values())
        self.complete = not any(o.required for o in self.options.values())
        self.asks_invariant = self.positions.get("invariant", -1)

    def bind(self, args: Sequence[Any], named: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Inputs and options of a call, in order. Raises L066 for what does not fit."""
        count = len(self.inputs)
        inputs, options = list(args), list(self.defaults)
        if len(inputs) > count:
            raise argument_error(f"takes {count} arrays ({', '.join(self.inputs)}) by position, {len(inputs)} given: "
                                 f"options go by name ({', '.join(self.options) or 'it has none'})")  # fmt: skip
        inputs += [_MISSING] * (count - len(inputs))
        for name, value in named.items():
            at = self.positions.get(name, -1)
            if at >= 0:
                options[at] = tuple(value) if isinstance(value, list) else value
                continue
            if name not in self.inputs:
                known = ", ".join((*self.inputs, *self.options, *RESERVED))
                raise argument_error(f"there is no {name!r}: it takes {known}{near(name, self.all_names)}")
            if inputs[self.inputs.index(name)] is not _MISSING:
                raise argument_error(f"{name} is given twice")
            inputs[self.inputs.index(name)] = value
        for i, x in enumerate(inputs):
            if x is _MISSING and self.optional[i]:
                inputs[i] = None
            elif x is _MISSING:
                raise argument_error(f"{self.inputs[i]} is missing: it is an array")
        for option, value in zip(self.options.values(), options, strict=True):
            if value is _MISSING:
                raise argument_error(f"{option.name} is missing: it has no default")
        return tuple(inputs), tuple(options)

    def named(self, options: Sequence[Any]) -> dict[str, Any]:
        """Options by name."""
        return dict(zip(self.options, options, strict=True))

    def schema(self) -> str:
        """The operator in torch's schema language, without its name."""
        inputs = [f"Tensor{'?' * may} {n}" for n, may in zip(self.inputs, self.optional, strict=True)]
        inputs += [f"{o.schema or 'str'} {o.name}" for o in self.options.values()]
        outputs = "Tensor" if len(self.outputs) == 1 else f"({', '.join(['Tensor'] * len(self.outputs))})"
        return f"({', '.join(inputs)}) -> {outputs}"

    def public(self) -> inspect.Signature:
        """The signature of a call."""
        kind = inspect.Parameter
        parts = [kind(n, kind.POSITIONAL_OR_KEYWORD, default=None if may else _MISSING)
                 for n, may in zip(self.inputs, self.optional, strict=True)]  # fmt: skip
        seen = False
        for i, p in enumerate(parts):  # no parameter without a default behind one with
            seen = seen or p.default is None
            if seen and p.default is _MISSING:
                parts[i] = p.replace(kind=kind.KEYWORD_ONLY)
        parts.sort(key=lambda p: p.kind)
        parts += [kind(o.name, kind.KEYWORD_ONLY, default=o.default) for o in self.options.values()]
        return inspect.Signature(
            [*parts, kind("out", kind.KEYWORD_ONLY, default=None), kind("fallback", kind.KEYWORD_ONLY, default=False)]
        )


def _undefined(name: str, why: str) -> Exception:
    return error("L068", here(), name=name, why=why)


def _check_names(name: str, inputs: Sequence[str], options: Sequence[str]) -> None:
    """Raises L068 for names that calls take themselves, or that torch's schema language does not have."""
    for wrong in [n for n in (*inputs, *options) if n in RESERVED or (n == "self" and n in options)]:
        raise _undefined(name, f"`{wrong}` is a name that all operations take themselves")
    for what, found in (("name", (name,)), ("input", inputs), ("option", options)):
        for n in found:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", n):
                raise _undefined(name, f"its {what} is {n!r}: a name is of the letters a to z, digits and `_`, as that "
                                 f"of a function which `def` makes")  # fmt: skip


def _parameters(name: str, function: Any) -> list[inspect.Parameter]:
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise _undefined(name, f"{function!r} is no function with a signature") from None
    for p in found:
        if p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            raise _undefined(name, f"`{p}` of `{getattr(function, '__name__', function)}`: parameters are inputs and "
                             f"outputs by position, and options behind `*`")  # fmt: skip
    return found


def _default(p: inspect.Parameter, others: dict[str, Any]) -> Any:
    """The default of an option: the host function's, else the shape rule's."""
    return p.default if p.default is not _MISSING else others.get(p.name, _MISSING)


def _hints(function: Any) -> dict[str, Any]:
    """Annotations as types; those that cannot be evaluated are left out."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # whatever an annotation's text raises
        return {k: v for k, v in getattr(function, "__annotations__", {}).items() if not isinstance(v, str)}
