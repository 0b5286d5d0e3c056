"""The names that users write: annotations (`Tensor`, `Pointer`, `constexpr`), builtins, intrinsics, as objects that the
frontend knows."""

from __future__ import annotations

import difflib
import importlib
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from avelang.base.errors import MissingError, counted, error
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import here
from avelang.base.takes import placed
from avelang.frontend import foreign_names, shapes
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, u32
from avelang.ir.functions import FUNCTIONS
from avelang.ir.types import AtomicScope, MapType
from avelang.isa.tensor_map import box_fault

if TYPE_CHECKING:
    from avelang.isa.row import Row


class constexpr:  # noqa: N801 - the name users write
    """As an annotation: a parameter that is known at compile time. Called with an int, float or str, it gives that
    number or text back, with the attribute `value`: `BLOCK = al.constexpr(32)`, `BLOCK.value == 32`. Anything else
    comes back as it is."""

    def __new__(cls, value: Any) -> Any:
        kind = _CONSTEXPRS.get(type(value))
        return value if kind is None else kind(value)


class ConstexprInt(int):
    """An int that `al.constexpr` gave."""

    @property
    def value(self) -> int:
        """The plain int."""
        return int(self)


class ConstexprFloat(float):
    """A float that `al.constexpr` gave."""

    @property
    def value(self) -> float:
        """The plain float."""
        return float(self)


class ConstexprStr(str):
    """A str that `al.constexpr` gave."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The plain str."""
        return str(self)


_CONSTEXPRS: dict[type, Any] = {int: ConstexprInt, float: ConstexprFloat, str: ConstexprStr}


def plain(value: Any) -> Any:
    """A number or text without what `al.constexpr` put around it."""
    return value.value if isinstance(value, (ConstexprInt, ConstexprFloat, ConstexprStr)) else value


def extents(value: Any, what: str, least: int = 0) -> shapes.Nested:
    """A nested tuple of ints (or run-time values, inside a kernel) out of an int, tuple or list. Raises T030."""
    if isinstance(value, (tuple, list)):
        return tuple(extents(v, what, least) for v in value)
    if isinstance(value, Value):
        if isinstance(value.type, DType) and value.type.is_int:
            return value
        raise error("T030", what=what, got=f"a value of type {value.type}")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        hint = "an extent that each launch takes from the array is al.dynamic" if value is None else None
        raise error("T030", None, hint, what=what, got=repr(value)) from None
    if number < least:
        raise error("T030", what=what, got=repr(value))
    return number


class Layout(DrawnInNotebooks):
    """Shape and strides in elements, nested alike. Extents and strides are ints or, inside a kernel, run-time
    integers."""

    __slots__ = ("shape", "strides")

    @placed
    def __init__(self, shape: Any, strides: Any):
        self.shape: tuple[shapes.Nested, ...] = shapes.as_tuple(extents(shape, "an extent", 1))
        self.strides: tuple[shapes.Nested, ...] = shapes.as_tuple(extents(strides, "a stride"))
        if not shapes.congruent(self.shape, self.strides):
            raise error("T031", shape=shapes.show(self.shape), strides=shapes.show(self.strides))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (self.shape, self.strides)

    def __repr__(self) -> str:
        return f"Layout({shapes.show(self.shape)}, {shapes.show(self.strides)})"


DYNAMIC = -1  # an extent or a stride that a launch fills in


class Tensor(Layout):
    """`Tensor[shape, dtype]` or `Tensor[shape, strides, dtype]`: an annotation, which type checkers take too;
    `Tensor(shape, dtype)` and `Tensor(shape, strides, dtype)` mean the same, and are the target of a view. Default
    strides are row-major. In the annotation of a kernel's parameter an extent (or a stride that is given) may be
    `al.dynamic`: each launch takes it from the array, and it is known at compile time."""

    __slots__ = ("dtype", "dynamic")

    def __class_getitem__(cls, args: Any) -> Tensor:
        """`Tensor[shape, dtype]`: what `Tensor(shape, dtype)` is. Raises T003, T030, T031, T032."""
        return cls(*args) if isinstance(args, tuple) else cls(args)

    @placed
    def __init__(self, *args: Any):
        if len(args) not in (2, 3):
            raise error("T003", callee="Tensor", want="(shape, dtype) or (shape, strides, dtype)",
                        got=counted(len(args), "argument"))
        if not isinstance(args[-1], DType):
            raise error("T032", None, _shape_first(args), what="Tensor", got=repr(args[-1]))
        self.dtype: DType = args[-1]
        self.dynamic = any(map(_left_open, args[:-1]))
        if self.dynamic:
            self.shape = shapes.as_tuple(_open(args[0], "an extent", 1))
            self.strides = shapes.as_tuple(_open(args[1], "a stride", 0)) if len(args) == 3 else ()
            if self.strides and not shapes.congruent(self.shape, self.strides):
                raise error("T031", shape=shapes.show(self.shape), strides=shapes.show(self.strides))
            return
        shape = shapes.as_tuple(extents(args[0], "an extent", 1))
        super().__init__(shape, args[1] if len(args) == 3 else shapes.row_major(shape, operator.mul))

    def filled(self, given: tuple[int, ...]) -> Tensor:
        """The annotation for an array: `given` has its extents, and behind them its strides in elements where some of
        those are open too."""
        count = len(shapes.leaves(self.shape))
        shape = shapes.rebuild(self.shape, list(given[:count]))
        strides = shapes.rebuild(self.strides, list(given[count:])) if len(given) > count else self.strides
        return Tensor(shape, strides, self.dtype) if strides else Tensor(shape, self.dtype)

    def _key(self) -> tuple[Any, ...]:
        return (self.shape, self.strides, self.dtype)

    def __repr__(self) -> str:
        return f"Tensor({shapes.show(self.shape)}, {shapes.show(self.strides)}, {self.dtype})"


def _shape_first(args: tuple[Any, ...]) -> str | None:
    """The hint for `Tensor[dtype, 2]`."""
    if not isinstance(args[0], DType):
        return None
    return f"the shape stands first, the dtype last: al.Tensor[(al.dynamic, al.dynamic), al.{args[0]}]"


def _left_open(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_left_open, value))
    return isinstance(value, int) and not isinstance(value, bool) and value == DYNAMIC


def _open(value: Any, what: str, least: int) -> shapes.Nested:
    """As `extents`, with open leaves left as they are."""
    if isinstance(value, (tuple, list)):
        return tuple(_open(v, what, least) for v in value)
    return DYNAMIC if _left_open(value) else extents(value, what, least)


class Signals(Tensor):
    """`signals: al.Signals[n]` (or `[m, n]`; extents as of `Tensor`): an annotation for signals, words of u32 in
    symmetric memory by which ranks say what is done. Each holds an *epoch*, a number that only grows: a signal is sent
    and waited for, and is no data, so it is neither loaded nor stored to. `signals[i]` is one of them, with `at`,
    `send`, `wait`, `add` and `value`. In a kernel `al.Signals(pointer, shape)` takes a pointer to u32, or a tensor of
    u32."""

    __slots__ = ()

    def __class_getitem__(cls, args: Any) -> Signals:
        """`Signals[shape]`: what `Signals(shape)` is. Raises T030."""
        return cls(args)

    @placed
    def __init__(self, shape: Any):
        super().__init__(shape, u32)

    def __repr__(self) -> str:
        return f"Signals({shapes.show(self.shape)})"


# What one signal has in a kernel: names, parameters, and what each does.
SIGNAL: dict[str, tuple[str, str]] = {
    "at": ("rank", "The same signal in the memory of another rank, to be sent there."),
    "send": ("epoch", "Writes the number `epoch`, behind all accesses before it: whoever waits for it sees them. Store "
             "with release at system scope."),
    "wait": ("at_least rank", "Waits until the signal, which rank `rank` sends, has reached the epoch `at_least` or a "
             "later one (numbers go round after 2**31); accesses behind it see what that rank did before. Where the "
             "host gives up, all waits end, and the launch fails (L080)."),
    "add": ("count=", "Adds `count` (1) in one step, with release at system scope: for a signal that several blocks or "
            "ranks send, whose epoch is the sum of what they have added."),
    "value": ("", "The epoch that is there, loaded with acquire: accesses behind it see what was done before it was "
              "sent."),
}  # fmt: skip


class Pointer:
    """`Pointer[dtype]`: an annotation for an address in global memory; `Pointer(dtype)` means the same."""

    __slots__ = ("dtype",)

    def __class_getitem__(cls, dtype: Any) -> Pointer:
        """`Pointer[dtype]`: what `Pointer(dtype)` is. Raises T032."""
        return cls(dtype)

    @placed
    def __init__(self, dtype: DType):
        if not isinstance(dtype, DType):
            raise error("T032", what="Pointer", got=repr(dtype))
        self.dtype = dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash((Pointer, self.dtype))

    def __repr__(self) -> str:
        return f"Pointer({self.dtype})"


class Ranks:
    """`team: al.Ranks`: an annotation for the parameter that says who takes part in a launch on several GPUs: this
    rank, how many there are, and where the memory of each lies (`avelang.dist`). A kernel has one; `al.rank()`,
    `al.ranks()`, `al.peer` and `al.wait` find it by themselves, in functions that the kernel calls too."""


class TensorMap:
    """`TensorMap(dtype, rank, box, swizzle=0, interleave=0, fill=0)`: an annotation for a tensor map, by which a GPU
    copies boxes of an array of `rank` dimensions; a launch passes the array. `box`: extents in elements, in the array's
    order of dimensions, the last of them contiguous. `swizzle`: 0, 32, 64 or 128 bytes. `interleave`: 0. `fill`: what
    elements outside the array read as: 0 or "nan". `TensorMap[dtype, rank, box, swizzle]` means the same."""

    __slots__ = ("type",)

    def __class_getitem__(cls, args: Any) -> TensorMap:
        """`TensorMap[dtype, rank, box, ...]`: what a call with these arguments is. Raises T003, T032, T036."""
        given = args if isinstance(args, tuple) else (args,)
        if not 3 <= len(given) <= 6:
            raise error("T003", here(), callee="TensorMap", want="(dtype, rank, box, swizzle, interleave, fill)",
                        got=counted(len(given), "argument"))
        return cls(*given)

    @placed
    def __init__(self, dtype: DType, rank: int, box: Any, swizzle: int = 0, interleave: int = 0, fill: Any = 0):
        if not isinstance(dtype, DType):
            raise error("T032", what="TensorMap", got=repr(dtype))
        box = tuple(box) if isinstance(box, (tuple, list)) else (box,)
        self.type = MapType(dtype, box, swizzle, interleave, fill == "nan")
        wrong = self._wrong(rank, fill)
        if wrong:
            raise error("T036", got=repr(self), why=wrong)

    def _wrong(self, rank: int, fill: Any) -> str:
        """The reason why TMA cannot copy so, or "" (CUDA driver API, cuTensorMapEncodeTiled)."""
        t = self.type
        if rank != len(t.box):
            return "`box` has as many extents as `rank` says"
        return box_fault(t) or ("" if fill in (0, "nan") else '`fill` is 0 or "nan"')

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorMap) and other.type == self.type

    def __hash__(self) -> int:
        return hash((TensorMap, self.type))

    def __repr__(self) -> str:
        t = self.type
        fill = ", fill='nan'" if t.nan else ""
        return f"TensorMap({t.dtype}, {len(t.box)}, {t.box}, swizzle={t.swizzle}{fill})"


ANNOTATED: Any = type(Annotated[int, 0])  # what `typing.Annotated[...]` gives


def annotated(value: Any) -> Any:
    """An annotation without `typing.Annotated`: `Annotated[al.Tensor, (m, n), al.f32]` is `al.Tensor[(m, n), al.f32]`,
    as it is of Pointer and TensorMap; `Annotated[Any, x]` is x; of everything else, what stands first. `tuple[a, b]`
    is (a, b)."""
    if isinstance(value, GenericAlias) and value.__origin__ is tuple and Ellipsis not in value.__args__:
        return tuple(annotated(v) for v in value.__args__)
    if not isinstance(value, ANNOTATED):
        return value
    origin: Any = value.__origin__  # type: ignore[attr-defined]
    given: tuple[Any, ...] = value.__metadata__  # type: ignore[attr-defined]
    if origin is Any:
        return given[0]
    return origin(*given) if origin in (Tensor, Signals, Pointer, TensorMap) else origin


class Builtin:
    """A function of the language. `params`: names in order, `name=` for one that may be left out, `*name` for the
    rest."""

    def __init__(self, name: str, params: str, doc: str):
        self.name, self.params, self.__doc__ = name, tuple(params.split()), doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error("T004", here(), name=f"al.{self.name}")

    def __repr__(self) -> str:
        return f"<al.{self.name}({', '.join(self.params)})>"

    @property
    def __signature__(self) -> inspect.Signature:
        return signature_of((p.rstrip("=").lstrip("*"), p) for p in self.params)


class HostBuiltin(Builtin):
    """A function of the language that host code may call too, on Python's numbers: `host` computes it."""

    def __init__(self, name: str, params: str, doc: str, host: Callable[..., Any]):
        super().__init__(name, params, doc)
        self.host = host

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.host(*args, **kwargs)


def cdiv(a: Any, b: Any) -> Any:
    """Python's a / b, rounded up."""
    return -(-a // b)


class Intrinsic:
    """An intrinsic under its public name ("amdgpu.rcp"); the facts are in its row."""

    def __init__(self, name: str, row: Row):
        self.name, self.row, self.__doc__ = name, row, row.doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error("T004", here(), name=f"al.{self.name}")

    def __repr__(self) -> str:
        return f"<al.{self.name}({', '.join(p.name for p in self.row.params)})>"

    @property
    def __signature__(self) -> inspect.Signature:
        return signature_of((p.name, p.name if p.default is None else p.default) for p in self.row.params)


def signature_of(params: Iterable[tuple[str, Any]]) -> inspect.Signature:
    """The signature of a name of the language, for `inspect` and for help: (name, spelling or default) a parameter."""
    kinds = inspect.Parameter
    out = []
    for name, how in params:
        rest = isinstance(how, str) and how.startswith("*")
        default = kinds.empty if not isinstance(how, str) else None if how.endswith("=") else kinds.empty
        default = how if not isinstance(how, str) else default
        kind = kinds.VAR_POSITIONAL if rest else kinds.POSITIONAL_OR_KEYWORD
        out.append(kinds(name, kind, default=default))
    return inspect.Signature(out)


def _rows(prefix: str) -> dict[str, Row]:
    """The rows by public name, a vendor's at least. Imported when the first is asked for: a launch out of the cache
    needs none, and the tables take time to load."""
    from avelang.isa import PACKAGES
    from avelang.isa.row import PUBLIC

    importlib.import_module(PACKAGES[prefix])
    return PUBLIC


class Namespace:
    """`al.amdgpu`, `al.nvvm`: the intrinsics of one vendor as attributes, and a few further names."""

    def __init__(self, prefix: str, extra: dict[str, Any]):
        self._prefix, self._extra = prefix, extra

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._extra:
            return self._extra[name]
        row = _rows(self._prefix).get(f"{self._prefix}.{name}")
        if row is None:
            raise missing(f"al.{self._prefix}", name, dir(self))
        intrinsic = Intrinsic(f"{self._prefix}.{name}", row)
        self.__dict__[name] = intrinsic
        return intrinsic

    def __dir__(self) -> Iterator[str]:  # type: ignore[override]
        yield from self._extra
        yield from (name.partition(".")[2] for name in _rows(self._prefix) if name.startswith(self._prefix + "."))

    def __repr__(self) -> str:
        return f"<al.{self._prefix}>"


def near(name: str, known: Any) -> str:
    """"; did you mean ...?" with the names most like `name`, or nothing."""
    found = difflib.get_close_matches(name, list(known), 3, 0.6)
    return f"; did you mean {' or '.join(found)}?" if found else ""


def missing(base: str, name: str, known: Any, told: str = "") -> AttributeError:
    """T009 for a name that a module or namespace does not have, which is an AttributeError too. `told`: a hint."""
    ours = base in ("avelang.language", "avelang.tile")
    theirs = foreign_names.hint(name, base == "avelang.tile") if ours else ""
    hint = told or theirs or f"it has others{near(name, known)}"
    found = error("T009", here(), hint, base=base, name=name)
    out = MissingError(*found.args)
    out.code, out.message, out.hint, out.span = found.code, found.message, found.hint, found.span
    return out


def outside(name: str) -> NoReturn:
    """Raises T004: a builtin was called outside a kernel."""
    raise error("T004", here(), name=name)


_ATOMICS = (
    ("add", "value ", "Adds to x[index] in one step; a pair of f16 or bf16 adds to two elements, from x[index] on."),
    ("max", "value ", "Writes value to x[index] where it is more, in one step."),
    ("min", "value ", "Writes value to x[index] where it is less, in one step."),
    ("and", "value ", "Ands the bits of value to x[index] in one step."),
    ("or", "value ", "Ors the bits of value to x[index] in one step."),
    ("and_", "value ", "Another name of `al.atomic_and`."),
    ("or_", "value ", "Another name of `al.atomic_or`."),
    ("xor", "value ", "Flips the bits of value in x[index] in one step."),
    ("exchange", "value ", "Writes value to x[index] in one step."),
    ("cas", "expected value ", "Compare-and-swap: writes value to x[index] where it is expected, bit by bit."),
)
_HOW = ('scope: "block", "cluster", "device" (if left out) or "system"; order: "relaxed" (if left out), "acquire", '
        '"release" or "acq_rel".')
_TABLE = (
    ("convert", "value dtype", "The number in another dtype; a vector element by element."),
    ("bitcast", "value dtype", "The same bits as another dtype (or `Tensor`), element 0 lowest."),
    *((f.name, "value", f.doc) for f in FUNCTIONS.values()),
    ("min", "a b *rest", "The least."),
    ("max", "a b *rest", "The greatest."),
    ("select", "condition a b", "`a` where the condition holds, else `b`."),
    ("where", "condition a b", "`a` where the condition holds, else `b`: another name of `al.select`."),
    ("clamp", "value low high", "The value, or the bound beyond which it lies."),
    ("cdiv", "a b", "Integers: a / b rounded up, such as the blocks that a elements take. Host code may call it too."),
    ("isnan", "value", "True where a float is no number."),
    ("isinf", "value", "True where a float is infinite."),
    ("isfinite", "value", "True where a float is neither infinite nor NaN."),
    ("sign", "value", "-1, 0 or 1, in the value's type; of NaN, NaN."),
    ("ffs", "value", "The place of the lowest bit that is set, counted from 1; 0 where none is."),
    ("philox", "seed c0 c1= c2= c3=", "Philox 4x32-10: four words (u32) of a 64-bit seed and a counter of four words."),
    ("randint", "seed offset", "A random u32, the first word of Philox for this seed and offset."),
    ("rand", "seed offset", "A random f32 in [0, 1), of Philox 4x32-10: the same on every chip and engine."),
    ("randn", "seed offset", "A random f32 of the normal distribution, likewise."),
    ("fma", "a b c", "a * b + c with one rounding."),
    ("make_shared", "shape dtype alignment= undefined=",
     "A tensor in shared memory, one for each block; alignment in bytes. `undefined`: a kernel may read of it what "
     "nothing wrote, without a use for it: the reference gives NaN then, and no error."),
    ("make_scratch", "shape dtype slot=",
     "Shared memory between two barriers: tensors of one `slot` (0) lie in the same memory, one for each block."),
    ("make_local", "shape dtype", "A register tensor of each lane, with undefined contents."),
    ("full", "shape value dtype", "A register tensor with every element `value`."),
    ("make_tensor", "pointer dtype layout=", "A tensor at a pointer: (pointer, dtype, layout) or (pointer, Tensor)."),
    ("make_layout", "shape strides=",
     "Shape and strides in elements, which may be run-time integers; default strides are row-major."),
    ("view", "tensor dtype layout=", "The same bits read otherwise: (tensor, Tensor) or (tensor, dtype, layout)."),
    ("subview", "tensor offsets sizes strides=", "A window onto a tensor; stores go through."),
    ("block_id", "dim", "Which block this is, along dimension 0, 1 or 2; u32."),
    ("thread_id", "dim", "Which thread of its block this is; u32."),
    ("block_dim", "dim", "Threads of a block; u32."),
    ("grid_dim", "dim", "Blocks of the grid; u32."),
    ("block_threads", "", "Threads of a block of the launch, an int at compile time; 0 where no launch is known."),
    ("expect_threads", "count exact=",
     "Blocks have `count` threads along dimension 0 or more; `exact`: just these. Other launches fail."),
    ("expect", "condition what value=",
     "A promise that callers keep: `what` says it in words. A launch that breaks it fails."),
    ("lane_id", "", "Which lane of its wave this is; u32."),
    ("target", "",
     "The chip that the kernel is compiled for, at compile time: name, vendor, wave, lds_bytes, dies, has(feature)."),
    ("syncthreads", "", "Waits until every thread of the block has arrived."),
    ("shuffle", "value offset width=", "The value of lane `offset` of the segment of `width` lanes."),
    ("shuffle_up", "value offset width=", "The value of the lane `offset` below."),
    ("shuffle_down", "value offset width=", "The value of the lane `offset` above."),
    ("shuffle_xor", "value offset width=", "The value of the lane whose number differs by xor `offset`."),
    *((f"atomic_{name}", f"x index {values}scope= order=", f"{doc} Gives what stood there before. {_HOW}")
      for name, values, doc in _ATOMICS),
    ("fence", "scope= order=", 'Orders the lane\'s accesses to memory before and behind it, within scope ("device"); '
     'order: "acq_rel", "acquire" or "release".'),
    ("rank", "", "Which of the launch's ranks this is, from 0 on; u32. As `ranks`, `peer` and `wait` it reads the "
     "kernel's parameter of type al.Ranks."),
    ("ranks", "", "How many ranks take part in the launch; u32."),
    ("peer", "tensor rank", "The same tensor (or pointer) in the memory of another rank, where `tensor` lies in "
     'symmetric memory: for loads, stores, atomics with scope="system", and copies by TMA.'),
    ("signal", "place epoch", "Writes the number `epoch` to a signal, a u32 in symmetric memory, often of a peer, "
     "behind all accesses before it: whoever waits for it sees them. Store with release at system scope."),
    ("wait", "place epoch rank", "Waits until the signal at `place`, which rank `rank` gives, has reached `epoch` (or "
     "a later one: numbers go round after 2**31); accesses behind it see what that rank did before. Where the host "
     "gives up, all waits end, and the launch fails (L080)."),
    ("printf", "format *args", "Prints by C's conventions, once for each lane."),
    ("range", "start stop= step= unroll=", "A loop at run time: range(stop), (start, stop) or (start, stop, step)."),
)  # fmt: skip
BUILTINS: dict[str, Builtin] = {name: Builtin(name, params, doc) for name, params, doc in _TABLE}
BUILTINS["cdiv"] = HostBuiltin("cdiv", "a b", BUILTINS["cdiv"].__doc__ or "", cdiv)

amdgpu = Namespace("amdgpu", {"AtomicScope": AtomicScope})
nvvm = Namespace("nvvm", {})
system = Namespace("system", {})
