"""The type stubs: of `avelang.language` from builtins, dtypes and rows, of tiles from their modules (`module_stubs`).
`./dev stubs` writes them.

Names that are made from tables at run time are unknown to a type checker; the stub tells it their parameters and
documentation. To a checker a dtype is a class of values, so that it is an annotation, and its metaclass is a `DType`,
so that it is an argument. What is computed inside a kernel is `Any`: its type is one of the language, which the
compiler checks."""

from __future__ import annotations

import types

from avelang import language
from avelang.cli.module_stubs import module_stubs
from avelang.cli.ptx_stubs import ptx_stubs
from avelang.frontend import names
from avelang.frontend.names import Builtin, Namespace
from avelang.frontend.operators import METHODS
from avelang.ir.dtypes import DType
from avelang.isa.row import PUBLIC, Param

HEAD = '''"""Made by `./dev stubs` from the tables of builtins and the rows of the intrinsics."""

from abc import ABCMeta
from collections.abc import Iterable, Iterator
from enum import EnumMeta
from typing import Any, Protocol, TypeAlias

from avelang.frontend import names as _names
'''
# What a value has in a kernel, and the annotations that stand for one. `__class_getitem__` is what lets checkers take
# `Tensor[(m, n), f32]`: of a class that has it, and no type parameters, they leave the subscript alone.
VALUES = '''class _DType(EnumMeta, ABCMeta, DType):  # type: ignore
    """A scalar type: as an annotation, a number of it; in expressions, the type. `EnumMeta` stands here for calls: by
    it pyright lets a protocol be called."""

    def __call__(cls, value: Any) -> Any:  # type: ignore
        """The number in this dtype, in a kernel."""
    def __eq__(cls, other: object) -> bool: ...
    def __hash__(cls) -> int: ...

class _Float(Protocol):
    """A number in a kernel; Python's are, too."""

    def __abs__(self) -> Any: ...
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
@FLOAT@
class _Int(_Float, Protocol):
    """An integer in a kernel."""

@INT@
class _Value:
    """A vector, tensor or pointer in a kernel."""

    dtype: Any
    shape: Any
    strides: Any
    ndim: int

    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __len__(self) -> int: ...
    def __abs__(self) -> Any: ...
    def __hash__(self) -> int: ...
@FLOAT@
@INT@
class Pointer(_names.Pointer, _Value):  # type: ignore
@POINTER@
    dtype: Any
    def __init__(self, dtype: DType) -> None: ...
    def __class_getitem__(cls, dtype: Any) -> Any: ...

class Tensor(_names.Tensor, _Value):  # type: ignore
@TENSOR@
    dtype: Any
    shape: Any
    strides: Any
    def __init__(self, *args: Any) -> None: ...
    def __class_getitem__(cls, args: Any) -> Any: ...

class Signals(_names.Signals):  # type: ignore
@SIGNALS@
    shape: Any
    def __init__(self, pointer: Any, shape: Any = ...) -> None: ...
    def __class_getitem__(cls, shape: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Signals: ...
@SIGNAL@
class TensorMap(_names.TensorMap, _Value):  # type: ignore
@MAP@
    dtype: Any
    def __init__(
        self, dtype: DType, rank: int, box: Any, swizzle: int = 0, interleave: int = 0, fill: Any = 0
    ) -> None: ...
    def __class_getitem__(cls, args: Any) -> Any: ...

constexpr: TypeAlias = Any
"""As an annotation: a parameter that is known at compile time."""

'''
# Types of parameters by their name, of the parameters of one builtin, and results. The rest is `Any`.
KINDS = {"dtype": "DType", "dim": "int", "format": "str", "what": "str"}
KINDS_OF = {(n, "dtype"): "DType | Tensor" for n in ("bitcast", "make_tensor", "view")}
KINDS_OF |= {("make_tensor", "layout"): "Layout", ("view", "layout"): "Layout"}
RESULTS = {
    **dict.fromkeys(("make_local", "make_shared", "make_tensor", "view", "subview", "full"), "Tensor"),
    **dict.fromkeys(("block_id", "thread_id", "block_dim", "grid_dim", "lane_id"), "u32"),
    **dict.fromkeys(("expect", "expect_threads", "printf", "syncthreads"), "None"),
    "make_layout": "Layout",
    "range": "Iterable[Any]",
}


def _doc(text: str, indent: str) -> str:
    """A docstring of one paragraph, wrapped to the line length of the project."""
    words, lines, line = text.replace("\\", "\\\\").replace('"""', "'''").split(), [], f'{indent}"""'
    for word in words:
        if len(line) + len(word) > 130:
            lines.append(line)
            line = indent + word
        else:
            line += word if line.endswith('"""') else f" {word}"
    lines.append(line + ("\n" + indent if len(lines) else "") + '"""')
    return "\n".join(lines) + "\n"


def _param(builtin: str, text: str) -> str:
    """One parameter of a builtin: `name`, `name=` where it may be left out, `*name` for the rest."""
    name = text.rstrip("=")
    kind = KINDS_OF.get((builtin, name)) or KINDS.get(name, "Any")
    return f"{name}: {kind}" + (" = ..." if text.endswith("=") else "")


def _row_param(p: Param) -> str:
    kind = "int" if p.is_const else "Any"
    return f"{p.name}: {kind}" + ("" if p.default is None else f" = {p.default}")


def _builtin(name: str, b: Builtin) -> str:
    params = ", ".join(_param(name, p) for p in b.params)
    return f"def {name}({params}) -> {RESULTS.get(name, 'Any')}:\n" + _doc(b.__doc__ or "", "    ")


def _values() -> str:
    """The classes of values: dtypes, and the annotations of tensors and pointers."""
    one = {"__neg__", "__pos__", "__invert__"}
    ints = frozenset(
        m
        for m in METHODS
        if m.strip("_").removeprefix("r") in ("lshift", "shift", "rshift", "and", "or", "xor", "invert")
    )

    def lines(chosen: frozenset[str]) -> str:
        return "".join(
            f"    def {m}({'self' if m in one else 'self, other: Any, /'}) -> Any: ...\n".replace(
                "other: Any", "other: object" if m in ("__eq__", "__ne__") else "other: Any"
            )
            for m in sorted(chosen)
        )

    floats = METHODS - ints - {"__matmul__", "__rmatmul__", "__pow__", "__rpow__"}
    text = VALUES.replace("@FLOAT@\n", lines(floats) + "\n", 1).replace("@INT@\n", lines(ints) + "\n", 1)
    text = text.replace("@FLOAT@\n@INT@\n", lines(METHODS) + "\n")
    text = text.replace("@SIGNAL@\n", "".join(map(_signal, names.SIGNAL)) + "\n")
    marks = (("@POINTER@", names.Pointer), ("@TENSOR@", names.Tensor), ("@SIGNALS@", names.Signals),
             ("@MAP@", names.TensorMap))  # fmt: skip
    for mark, cls in marks:
        text = text.replace(mark + "\n", _doc(cls.__doc__ or "", "    ") + "\n")
    return text


def _signal(name: str) -> str:
    """What one signal can do."""
    params, doc = names.SIGNAL[name]
    result = {"at": "Signals", "value": "Any"}.get(name, "None")
    given = ", ".join(["self", *(_param(name, p) for p in params.split())])
    return f"    def {name}({given}) -> {result}:\n" + _doc(doc, "        ")


def _namespace(name: str, space: Namespace) -> str:
    text = f"class _{name}:\n"
    for short in sorted(dir(space)):
        row = PUBLIC.get(f"{name}.{short}")
        if row is None:
            value = getattr(space, short)
            text += f"    from {value.__module__} import {value.__qualname__} as {short}\n\n"
            continue
        params, result = [*map(_row_param, row.params)], "None" if row.result is None else "Any"
        line = f"    def {short}({', '.join(params)}) -> {result}:\n"
        if len(line) > 130:
            line = f"    def {short}(\n        " + ",\n        ".join(params) + f",\n    ) -> {result}:\n"
        text += "    @staticmethod\n" + line + _doc(row.doc, "        ") + "\n"
    return text + f"\n{name}: _{name}\n"


def stub() -> str:
    """src/avelang/language/__init__.pyi"""
    public = sorted(language.__all__)
    values = {n: getattr(language, n) for n in public}
    spaces = {n: v for n, v in values.items() if isinstance(v, Namespace)}
    builtins = {n: v for n, v in values.items() if isinstance(v, Builtin)}
    # Classes and decorators: a type checker finds them where they are made.
    ours = {"Pointer", "Signals", "Tensor", "TensorMap", "constexpr"}
    classes = {n: v for n, v in values.items() if isinstance(v, (type, types.FunctionType)) and n not in ours}
    by_module = sorted((v.__module__, n, v.__qualname__) for n, v in classes.items())
    # Another name of a class is assigned: imported so, a parameter of that name would hide it.
    renamed = "".join(f"{n}: TypeAlias = {original}\n" for _, n, original in by_module if n != original)
    imports = "".join(f"from {module} import {n} as {n}\n" for module, n, original in by_module if n == original)
    scalars = renamed + "".join(
        f"class {n}({'_Float' if v.is_float else '_Int'}, Protocol, metaclass=_DType): ...\n"
        for n, v in values.items()
        if isinstance(v, DType)
    )
    exported = "__all__: list[str]\n" + "".join(f"{n}: int\n" for n, v in values.items() if isinstance(v, int))
    functions = [_builtin(n, b) for n, b in builtins.items()]
    parts = [HEAD + imports, exported, _values(), scalars, *functions]
    return "\n".join([*parts, *(_namespace(n, s) for n, s in spaces.items())])


def stubs() -> dict[str, str]:
    """All generated stubs, by their path in the repository."""
    return {"src/avelang/language/__init__.pyi": stub(), **module_stubs(), **ptx_stubs()}
