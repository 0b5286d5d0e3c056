"""Calls: of builtins, dtypes, intrinsics, device functions and of the few Python functions that work on compile-time
values."""

from __future__ import annotations

import ast
import itertools
import math
import types
from collections.abc import Callable
from typing import Any, NoReturn

from avelang.base.errors import counted
from avelang.base.lazy import numpys
from avelang.frontend import (
    arith,
    atomic_calls,
    foreign_names,
    inline,
    intrinsic_calls,
    math_calls,
    memory_calls,
    number_calls,
    objects,
    printf_call,
    random_calls,
    rank_calls,
    shapes,
    signal_calls,
    tensor_access,  # fmt: skip
)
from avelang.frontend.constants import MATH
from avelang.frontend.frame import Frame
from avelang.frontend.infer import MOST_TRIPS, fits
from avelang.frontend.names import SIGNAL, Builtin, Intrinsic, Layout, Pointer, Signals, Tensor, constexpr, extents
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Method, Object, Pure, StructClass, is_constant_class
from avelang.frontend.targets import TargetInfo, target_of
from avelang.frontend.values import (
    LocalFn,
    Ref,
    RuntimeRange,
    SignalMethod,
    Vec,
    describe,
    is_number,
    is_runtime,
    is_scalar,
)
from avelang.ir.core import Value
from avelang.ir.dtypes import BY_NAME, DType, u32
from avelang.ir.functions import FUNCTIONS

Args = dict[str, Any]


def arguments(f: Frame, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    """The values of a call's arguments."""
    args: list[Any] = []
    for a in node.args:
        if isinstance(a, ast.Starred):
            held = f.expr(a.value)
            if not isinstance(held, tuple):
                f.fail("S001", a, what="a starred argument that is no tuple", instead="name every argument")
            args += held
        else:
            args.append(f.expr(a))
    kwargs: dict[str, Any] = {}
    for k in node.keywords:
        if k.arg is None:
            f.fail("S001", k.value, what="`**` in a call", instead="name every argument")
        kwargs[k.arg] = f.expr(k.value)
    return args, kwargs


def bound(f: Frame, callee: str, params: tuple[str, ...], args: list[Any], kwargs: dict[str, Any],
          node: ast.AST) -> Args:
    """Arguments by parameter name. `name=` may be left out (and is then absent); `*name` takes the rest."""
    found: Args = {}
    names = [p.rstrip("=").lstrip("*") for p in params]
    rest = next((p[1:] for p in params if p.startswith("*")), None)
    positional = [n for n in names if n != rest]

    def shown() -> str:
        return f"{callee}({', '.join(p.rstrip('=') + ('=...' if p.endswith('=') else '') for p in params)})"

    if len(args) > len(positional) and rest is None:
        f.fail("T003", node, callee=callee, want=f"{_count(params)} as in {shown()}", got=f"{len(args)}")
    found.update(zip(positional, args))  # noqa: B905 - the rest may be absent or too many
    if rest is not None:
        found[rest] = tuple(args[len(positional) :])
    for k, v in kwargs.items():
        if k not in positional:
            theirs = foreign_names.parameter(k, names)
            f.fail("T060", node, theirs and f"it is {shown()}; {theirs}" or None, callee=callee, name=k, shown=shown())
        if k in found:
            f.fail("T061", node, callee=callee, name=k)
        found[k] = v
    missing = [p for p in params if not p.endswith("=") and not p.startswith("*") and p not in found]
    if missing:
        f.fail("T003", node, callee=callee, want=f"{_count(params)} as in {shown()}", got=f"{len(args) + len(kwargs)}")
    return found


def _count(params: tuple[str, ...]) -> str:
    most, least = len(params), sum(not p.endswith("=") and not p.startswith("*") for p in params)
    if any(p.startswith("*") for p in params):
        return f"at least {counted(least, 'argument')}"
    return counted(least, "argument") if most == least else f"{least} to {most} arguments"


def call(f: Frame, node: ast.Call) -> Any:
    """A call expression."""
    callee = f.expr(node.func)
    args, kwargs = arguments(f, node)
    f.at(node)
    taker = None if kwargs else _taker(callee, args)
    if taker is not None:
        return objects.method(f, taker, ELEMENTWISE, [callee, tuple(args)], {}, node)
    if isinstance(callee, Builtin):
        return BUILTIN[callee.name](f, bound(f, f"al.{callee.name}", callee.params, args, kwargs, node), node)
    if isinstance(callee, SignalMethod):
        params = tuple(SIGNAL[callee.name][0].split())
        return signal_calls.call(f, callee, bound(f, f"signal.{callee.name}", params, args, kwargs, node), node)
    if callee is Signals:
        return signal_calls.make(f, bound(f, "al.Signals", ("pointer", "shape"), args, kwargs, node), node)
    if isinstance(callee, Intrinsic):
        return intrinsic_calls.call(f, callee, args, kwargs, node)
    if isinstance(callee, (Jitted, LocalFn, Method)):
        return inline.call(f, callee, args, kwargs, node)
    if isinstance(callee, StructClass):
        return objects.construct(f, callee, args, kwargs, node)
    if isinstance(callee, Object):
        return objects.method(f, callee, "__call__", args, kwargs, node)
    if isinstance(callee, Pure) or is_constant_class(callee):
        return objects.pure(f, callee, args, kwargs, node)
    if callee is isinstance:
        return objects.instance(f, args, kwargs, node)
    if isinstance(callee, DType):
        found = bound(f, f"al.{callee}", ("value",), args, kwargs, node)
        return math_calls.convert(f, {**found, "dtype": callee}, node)
    with f.locate(node):
        if callee is Tensor and len(args) == 2 and not kwargs:
            shape = shapes.as_tuple(extents(args[0], "an extent", 1))
            args.insert(1, tensor_access.default_strides(f, shape))
        if isinstance(callee, type) and issubclass(callee, (Tensor, Pointer, Layout)):
            try:
                return callee(*args, **kwargs)
            except TypeError as e:  # a wrong number of arguments, or a wrong name
                f.fail("T016", node, what=f"al.{callee.__name__}",
                       why=str(e).replace(f"{callee.__name__}.__init__()", "it"))
    return _python(f, callee, args, kwargs, node)


# The method by which a struct takes functions of numbers: elementwise(fn, args) gives fn of itself among args.
ELEMENTWISE = "elementwise"
OF_NUMBERS = frozenset(
    {*FUNCTIONS, "bitcast", "convert", "min", "max", "select", "where", "clamp", "cdiv", "isnan", "isinf", "isfinite",
     "sign", "ffs", "fma"}
)  # fmt: skip


def _taker(callee: Any, args: list[Any]) -> Object | None:
    """The argument, an object, that takes this function of numbers itself."""
    if isinstance(callee, Builtin):
        if callee.name not in OF_NUMBERS:
            return None
    elif not isinstance(callee, DType) and callee is not abs and callee is not min and callee is not max:
        return None
    if len(args) == 1 and (callee is min or callee is max):
        return None  # the greatest of one tile's elements is no function of each of them
    return next((a for a in args if isinstance(a, Object) and ELEMENTWISE in a.cls.members), None)


def _python(f: Frame, callee: Any, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Any:
    """A Python function on compile-time values."""
    if callee is constexpr and len(args) == 1:
        return args[0]
    if id(callee) not in _ALLOWED:
        _refuse(f, callee, node)
    special = PYTHON_AT_RUN_TIME.get(callee)
    runtime = any(map(is_runtime, args)) or any(map(is_runtime, kwargs.values()))
    if special is not None and runtime:
        least, most, build = special
        shown = ast.unparse(node.func)
        if kwargs:
            f.fail("T060", node, callee=shown, name=next(iter(kwargs)), shown=f"{shown}(...), without keywords")
        if not least <= len(args) <= most:
            f.fail("T003", node, callee=shown, got=len(args),
                   want=counted(least, "argument") if most == least else f"{least} to {most} arguments")
        return build(f, args, node)
    if callee in STRUCTURE:
        for a in args:
            if isinstance(a, (Value, Object)):
                f.fail("T050", node, got=describe(a))
        args = [_items(f, a, node) for a in args]
    elif runtime:
        shown = ast.unparse(node.func)
        name = {"fabs": "abs"}.get(shown.rpartition(".")[2], shown.rpartition(".")[2])
        ours = (callee in MATH or callee is round) and name in BUILTIN
        f.fail("T064", node, f"use al.{name}" if ours else None, name=shown)
    for a in args:
        if isinstance(a, range) and len(a) > MOST_TRIPS:
            f.fail("U001", node, trips=len(a), most=MOST_TRIPS)
    result = arith.compile_time(f, node, "", lambda: callee(*args, **kwargs))
    return tuple(result) if callee in STRUCTURE or isinstance(result, list) else result


def _refuse(f: Frame, callee: Any, node: ast.Call) -> NoReturn:
    """The error for a Python callable that a kernel cannot call."""
    shown = ast.unparse(node.func)
    if callee is print:
        f.fail("S001", node, what="`print`", instead="use al.printf")
    if isinstance(callee, types.FunctionType):
        f.fail("T062", node, name=shown)
    if isinstance(callee, types.ModuleType):  # such as avelang.tile.gather, where somebody has imported it
        f.fail("T063", node, foreign_names.hint(shown) or None, name=shown, got=describe(callee))
    number = isinstance(callee, type) and issubclass(callee, numpys("generic"))
    same = next((d for d in BY_NAME.values() if d.kind not in ("bool", "void") and d.np == callee),
                None) if number else None
    hint = f"say al.{same}(...), or al.convert(x, al.{same})" if same is not None else _INSTEAD.get(callee)
    if hint is None and isinstance(callee, type) and issubclass(callee, tuple) and hasattr(callee, "_fields"):
        hint = "a kernel makes plain tuples; what has named fields there is a class under @avelang.struct"
    f.fail("T063", node, hint, name=shown, got=describe(callee))


# What to write in place of functions that ask Python about a value.
_INSTEAD: dict[Any, str] = {
    type: "isinstance(x, al.Tensor), x.dtype and x.shape are known at compile time",
    hasattr: "isinstance(x, S) tells structs apart, at compile time",
    getattr: "write x.name; a choice among fields is an `if` of compile-time values",
}

# Python functions that only move values about, and so take run-time ones too.
STRUCTURE = (tuple, list, enumerate, zip, reversed, itertools.product, itertools.chain, itertools.pairwise)
PYTHON = (len, int, float, bool, min, max, abs, range, round, divmod, sum, sorted, any, all, pow, *STRUCTURE)
_ALLOWED = frozenset(map(id, (*PYTHON, *MATH)))


def _items(f: Frame, v: Any, node: ast.Call) -> Any:
    """A tensor as a tuple of its parts along its first mode, where its extent is known; anything else as it is. Raises
    T022."""
    if not isinstance(v, (Vec, Ref)):
        return v
    n = v.shape[0]
    if not isinstance(n, int) or n > MOST_TRIPS:
        want = f"a tensor whose first mode has a known extent of at most {MOST_TRIPS}"
        f.fail("T022", node, "index it in a loop with al.range", what=f"what {ast.unparse(node.func)} goes through",
               got=describe(v), want=want)
    return tuple(tensor_access.get(f, v, (i,), node) for i in range(n))


def _len(f: Frame, args: list[Any], node: ast.Call) -> Any:
    held = args[0]
    if isinstance(held, tuple):
        return len(held)
    if isinstance(held, Object):
        return objects.method(f, held, "__len__", [], {}, node)
    if isinstance(held, (Vec, Ref)):
        first = held.shape[0]
        return shapes.size(first) if isinstance(first, tuple) and shapes.static(first) else first
    f.fail("T022", node, what="the argument of len", got=describe(held), want="a tuple or a tensor")


def _cast(to: str) -> Callable[[Frame, list[Any], ast.Call], Any]:
    def cast(f: Frame, args: list[Any], node: ast.Call) -> Any:
        f.fail("T065", node, name=to, dtype={"int": "al.i32", "float": "al.f32"}[to])

    return cast


def _of_tiles(v: Any, name: str) -> str | None:
    """The hint for Python's `max(t)`, where `t` is a tile."""
    return f"of a tile: tile.{name}(t), tile.{name}(t, axis)" if isinstance(v, Object) else None


def _extreme(name: str) -> Callable[[Frame, list[Any], ast.Call], Any]:
    def extreme(f: Frame, args: list[Any], node: ast.Call) -> Any:
        if len(args) == 1:
            items = _items(f, args[0], node)
            if not isinstance(items, tuple) or not items or any(isinstance(x, (Ref, Vec))
                                                                for x in items) and items is not args[0]:
                f.fail("T022", node, _of_tiles(args[0], name), what=f"the only argument of {name}",
                       got=describe(args[0]), want="a tuple or a tensor of one mode")
            args = list(items)
        return math_calls.fold(f, name, args, node)

    return extreme


def _sum(f: Frame, args: list[Any], node: ast.Call) -> Any:
    total = args[1] if len(args) > 1 else 0
    items = _items(f, args[0], node)
    if not isinstance(items, (tuple, range)):
        f.fail("T022", node, _of_tiles(args[0], "sum"), what="the first argument of sum", got=describe(args[0]),
               want="a tuple or a tensor")
    for item in items:
        total = item if isinstance(total, int) and total == 0 else objects.binary(f, ast.Add, total, item, node)
    return total


def _range_error(f: Frame, args: list[Any], node: ast.Call) -> Any:
    f.fail("T066", node)


def _every(every: bool) -> Callable[[Frame, list[Any], ast.Call], Any]:
    def quantified(f: Frame, args: list[Any], node: ast.Call) -> Any:
        items = _items(f, args[0], node)
        if not isinstance(items, tuple):
            f.fail("T022", node, _of_tiles(args[0], "all" if every else "any"), got=describe(args[0]),
                   what=f"the argument of {'all' if every else 'any'}", want="a tuple or a tensor")
        return arith.any_or_all(f, items, every, node)

    return quantified


def _operators(*ops: type[ast.operator]) -> Callable[[Frame, list[Any], ast.Call], Any]:
    def results(f: Frame, args: list[Any], node: ast.Call) -> Any:
        a, b = args
        found = [objects.binary(f, op, a, b, node) for op in ops]
        return tuple(found) if len(found) > 1 else found[0]

    return results


# How many arguments each may have, and what it becomes.
PYTHON_AT_RUN_TIME: dict[Any, tuple[int, int, Callable[[Frame, list[Any], ast.Call], Any]]] = {
    len: (1, 1, _len),
    int: (1, 1, _cast("int")),
    float: (1, 1, _cast("float")),
    bool: (1, 1, lambda f, args, node: arith.condition(f, args[0], node)),
    min: (1, MOST_TRIPS, _extreme("min")),
    max: (1, MOST_TRIPS, _extreme("max")),
    abs: (1, 1, lambda f, args, node: math_calls.unary(f, "abs", args[0], node)),
    sum: (1, 2, _sum),
    any: (1, 1, _every(False)),
    all: (1, 1, _every(True)),
    divmod: (2, 2, _operators(ast.FloorDiv, ast.Mod)),
    pow: (2, 2, _operators(ast.Pow)),
    range: (1, 3, _range_error),
}


# -- builtins that are neither mathematics nor memory ----------------------------------------------------------------


def constant_int(f: Frame, v: Any, what: str, node: ast.AST) -> int:
    """A compile-time int. Raises T017."""
    if isinstance(v, (bool, float)) or not isinstance(v, int):
        f.fail("T017", node, what=what, got=describe(v))
    return int(v)


def _dimension(name: str) -> Callable[[Frame, Args, ast.Call], Any]:
    def dimension(f: Frame, a: Args, node: ast.Call) -> Any:
        dim = constant_int(f, a["dim"], f"the dimension of al.{name}", node)
        if dim not in (0, 1, 2):
            f.fail("T067", node, name=name, dim=dim)
        return f.b.emit(name, (), (u32,), dim=dim).result

    return dimension


def _shuffle(kind: str) -> Callable[[Frame, Args, ast.Call], Any]:
    def shuffle(f: Frame, a: Args, node: ast.Call) -> Any:
        value = tensor_access.operand(f, a["value"], node)
        if is_number(value):
            value = math_calls.typed(f, value)
        if not is_scalar(value) and not isinstance(value, Vec):
            f.fail("T022", node, what="the value of a shuffle", got=describe(value), want="a number or a vector")
        offset: Any = a["offset"]
        if isinstance(offset, int):
            offset = f.b.const(offset, u32 if fits(offset, u32) else arith.i32)
        if not is_scalar(offset) or not offset.type.is_int:
            f.fail("T022", node, what="the offset of a shuffle", got=describe(offset), want="an integer")
        width = constant_int(f, a["width"], "the width of a shuffle", node) if "width" in a else 0
        if width and width not in (1, 2, 4, 8, 16, 32, 64):
            f.fail("T068", node, width=width)
        flat = value.value if isinstance(value, Vec) else value
        # Without a width: the whole wave. 64 stands until the chip is known.
        result = f.b.shuffle(kind, flat, offset, width or 64)
        assert result.op is not None
        f.build.shuffles.append(result.op)
        if not width:
            f.build.whole_wave.add(result.op)
        return arith.wrap(result, value.shape if isinstance(value, Vec) else None)

    return shuffle


def _range(f: Frame, a: Args, node: ast.Call) -> RuntimeRange:
    bounds = (0, a["start"], 1) if "stop" not in a else (a["start"], a["stop"], a.get("step", 1))
    if "stop" not in a and "step" in a:
        bounds = (0, a["start"], a["step"])
    checked = []
    for x in bounds:
        x = tensor_access.operand(f, x, node)
        if not (isinstance(x, int) or (is_scalar(x) and x.type.is_int)):
            f.fail("T051", node, got=describe(x))
        checked.append(int(x) if isinstance(x, int) else x)
    if checked[2] == 0 and not isinstance(checked[2], Value):
        f.fail("T069", node)
    return RuntimeRange(*checked, unroll=bool(a.get("unroll", False)))


def _barrier(f: Frame, a: Args, node: ast.Call) -> None:
    f.b.emit("barrier")


def _expect_threads(f: Frame, a: Args, node: ast.Call) -> None:
    count, exact = constant_int(f, a["count"], "the count of al.expect_threads", node), a.get("exact", False)
    if not isinstance(exact, bool):
        f.fail("T017", node, what="`exact` of al.expect_threads", got=describe(exact))
    f.build.threads[count, exact] = None


def _expect(f: Frame, a: Args, node: ast.Call) -> None:
    """An expectation: an error at the launch that breaks it (L050), or here where it is known to be broken (T311)."""
    condition, what = a["condition"], a["what"]
    if not isinstance(what, str):
        f.fail("T017", node, what="`what` of al.expect", got=describe(what))
    condition = arith.condition(f, condition, node)
    value = tensor_access.operand(f, a["value"], node) if a.get("value") is not None else None
    if not isinstance(condition, Value):
        if not condition:
            f.fail("T311", node, what=what, got="" if not isinstance(value, int) else f", got {value}")
        return
    shown = [value] if isinstance(value, Value) and isinstance(value.type, DType) and value.type.is_int else []
    f.b.emit("expect", [condition, *shown], what=what)


def _lane(f: Frame, a: Args, node: ast.Call) -> Value:
    return f.b.lane_id()


def _block_threads(f: Frame, a: Args, node: ast.Call) -> int:
    return math.prod(f.build.extents) if f.build.extents is not None else 0


def _target(f: Frame, a: Args, node: ast.Call) -> TargetInfo:
    return target_of(f.build)


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    **math_calls.BUILTIN,
    **memory_calls.BUILTIN,
    **atomic_calls.BUILTIN,
    **rank_calls.BUILTIN,
    **number_calls.BUILTIN,
    **random_calls.BUILTIN,
    **{n: _dimension(n) for n in ("block_id", "thread_id", "block_dim", "grid_dim")},
    "shuffle": _shuffle("idx"),
    "shuffle_up": _shuffle("up"),
    "shuffle_down": _shuffle("down"),
    "shuffle_xor": _shuffle("xor"),
    "range": _range,
    "syncthreads": _barrier,
    "expect_threads": _expect_threads,
    "expect": _expect,
    "lane_id": _lane,
    "target": _target,
    "block_threads": _block_threads,
    "printf": lambda f, a,
    node: printf_call.call(f, a["format"], [tensor_access.read_name(f, x, node) for x in a["args"]], node),
}
