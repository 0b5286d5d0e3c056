"""A call's arguments and the kernel's parameters come in; checked 8-byte slots, compile-time values and options go out.

Every L error about an argument is raised here: each names the kernel, the parameter, what it wants and what it got.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import math
import operator
import re
import struct
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from avelang.base.errors import AveError, error
from avelang.base.places import users_line
from avelang.base.spans import Span
from avelang.frontend.names import DYNAMIC, near
from avelang.frontend.signature import EMPTY, ParamSpec
from avelang.ir.dtypes import SCALARS, DType, u8
from avelang.runtime.arrays import CPU, Array, Unreadable, describe
from avelang.runtime.geometry import CLUSTERS, cluster_of
from avelang.runtime.streams import handle

OPTIONS = ("num_warps", "waves_per_eu", "cluster", "target", "backend", "stream")
# Options of Triton's launches, and where the same is said here.
_THEIRS = {
    "num_stages": "; stages are those of a tile.Block, tile.Block(128, 128, 32, (2, 2), \"cp-async\", stages=3)",
    "num_ctas": "; blocks of a cluster are cluster=",
}

# The backends that execute machine code (`runtime.executed_code`), and the chips whose code that is.
EXECUTORS = {f"{chip}-exec": chip for chip in ("gfx942", "gfx950")}
GPU_ALIGN = 16  # bytes: of which code for a GPU takes arrays to begin at multiples, unless a launch says otherwise
BACKENDS = ("cpu", "reference", *EXECUTORS)


@dataclasses.dataclass(slots=True)
class BoundArguments:
    """One call, checked. `slots` and `values` go by run-time parameter, in order: 8 bytes as an unsigned integer; a
    number or an `Array`.

    `constexprs` go by name, `options` likewise. `device` is where the arrays are, `stream` what the launch says of it
    (None: nothing). Whoever runs the kernel keeps this object until it has run: it holds the arrays' memory. `idle`:
    the grid is empty, and so is an array whose extents the kernel would take: there is nothing to make or run."""

    slots: list[int]
    values: list[Any]
    constexprs: dict[str, Any]
    options: dict[str, Any]
    device: str = CPU
    stream: int | None = None
    maps: list[Any] = dataclasses.field(default_factory=list)  # memory that the slots of tensor maps point to
    idle: bool = False

    @property
    def arrays(self) -> list[Array]:
        """The arrays among the values."""
        return [v for v in self.values if isinstance(v, Array)]


def _choice(*known: str) -> Callable[[Any], bool]:
    return lambda value: value in known


_COPY = "pass a contiguous copy (np.ascontiguousarray(x), x.contiguous())"
_FORWARD = f"strides of a layout are 0 or more: {_COPY}, or the array the other way round and count back in the kernel"
_NARROW = re.compile(r"[A-Za-z_]\w*=(1|2|4|8)( [A-Za-z_]\w*=(1|2|4|8))*")

# What an option must be: a test, and words for the message. "narrow" is of code made ahead: a launch says it itself.
_OPTIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "num_warps": (lambda v: type(v) is int and v >= 1, "a positive int"),
    "waves_per_eu": (lambda v: type(v) is int and 1 <= v <= 8, "an int from 1 to 8"),
    "cluster": (lambda v: isinstance(v, tuple) and cluster_of(v) is not None, CLUSTERS),
    "narrow": (lambda v: isinstance(v, str) and _NARROW.fullmatch(v) is not None,
               'parameters and the bytes of their elements, such as "x=4 y=2"'),
    "target": (lambda v: isinstance(v, str), "the name of a chip"),
    "backend": (_choice(*BACKENDS), " or ".join((", ".join(f'"{b}"' for b in BACKENDS[:-1]), f'"{BACKENDS[-1]}"'))),
    "stream": (lambda v: handle(v) is not None,
               "a stream: its handle as an int, or a stream of torch, CuPy or whatever has __cuda_stream__"),
}


def wanted(option: str, value: Any) -> str:
    """The words for what an option of a launch must be, where a value is not that; else ""."""
    fits, words = _OPTIONS[option]
    return "" if fits(value) else words


class Parameters:
    """The parameters of one kernel. `where(param)` gives a span for messages; the first `positional` may go by position
    (None: all)."""

    def __init__(self, kernel: str, specs: Sequence[ParamSpec], where: Callable[[str], Span] | None = None,
                 positional: int | None = None):
        self.kernel = kernel
        self.specs = tuple(specs)
        self.runtime = tuple(s for s in specs if s.kind != "constexpr")
        self._where = where
        self._positional = len(specs) if positional is None else positional
        self._names = {s.name: i for i, s in enumerate(specs)}

    def fail(self, code: str, param: str = "", **fields: Any) -> AveError:
        """The exception, with the span of the parameter, and of the launch."""
        span: Span | None = self._where(param) if self._where else None
        at = users_line()
        span = span.called_from(at) if span is not None and at is not None else span or at
        return error(code, span, kernel=self.kernel, param=param, **fields)

    # -- which argument goes where ---

    def assign(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The value for each parameter, defaults filled in, and the options. Raises L005 to L008."""
        specs = self.specs
        if len(args) > self._positional:
            raise self.fail("L005", want=self._positional, got=len(args), params=", ".join(s.name for s in specs))
        values = [*args, *(s.default for s in specs[len(args) :])]
        options = {}
        for name, value in kwargs.items():
            at = self._names.get(name)
            if at is None:
                if name not in OPTIONS:
                    known = [*self._names, *OPTIONS]
                    raise self.fail("L007", name=name, near=_THEIRS.get(name) or near(name, known),
                                    options=", ".join(f"{o}=" for o in OPTIONS))
                options[name] = value
            elif at < len(args):
                raise self.fail("L008", name)
            else:
                values[at] = value
        missing = [s.name for s, v in zip(specs, values, strict=True) if v is EMPTY]
        if missing:
            raise self.fail("L006", missing[0], missing=", ".join(missing))
        return values, self._options(options)

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in options.items() if value is not None}
        for name, value in given.items():
            fits, words = _OPTIONS[name]
            if not fits(value):
                raise self.fail("L009", name=name, want=words, got=repr(value))
        return given

    # -- what each argument must be ---

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any], empty: bool = False) -> BoundArguments:
        """Checks a call, of an `empty` grid or not. Raises L005 to L020."""
        values, options = self.assign(args, kwargs)
        # A kernel is the same on every stream.
        out = BoundArguments([], [], {}, options, stream=handle(options.pop("stream", None)))
        arrays: dict[str, Array] = {}
        refused: AveError | None = None
        for spec, value in zip(self.specs, values, strict=True):
            if spec.kind == "constexpr":
                out.constexprs[spec.name] = self.constexpr(spec, value)
            elif spec.kind == "scalar":
                number, bits = self.scalar(spec, value)
                out.values.append(number)
                out.slots.append(bits)
            else:
                array = self.array(spec, value)
                arrays[spec.name] = array
                if not array.known:
                    refused = refused or self._device(spec, array)
                    continue
                if spec.open is not None:
                    given = self._given(spec, array, empty)
                    if not given:
                        self._dtype(spec, array)
                        out.idle = True
                        continue
                    out.constexprs[spec.name] = given
                    spec = spec.filled(given)
                self.check(spec, array)
                out.values.append(array)
                out.slots.append(array.address if spec.map is None else self.map_words(spec, array, out))
        out.device = self._place(arrays)
        if refused is not None:
            raise refused
        return out

    def _given(self, spec: ParamSpec, array: Array, empty: bool) -> tuple[int, ...]:
        """The extents of an array for an annotation that leaves some open, with its strides in elements where some of
        those are open; nothing of an empty array, which goes with an `empty` grid only. Raises L012 to L014."""
        wanted, strides = tuple(_leaves(spec.shape)), tuple(_leaves(spec.strides))
        ranks, void = len(array.shape) == len(wanted), 0 in array.shape
        if void and empty and ranks and all(n in (have, DYNAMIC) for have, n in zip(array.shape, wanted, strict=True)):
            return ()
        if not ranks or void:
            shown = _tuple(tuple("any" if n == DYNAMIC else n for n in wanted))
            hint = ("an extent of 0 has no layout in a kernel: leave the launch out where there is nothing to do, or "
                    "launch an empty grid") if ranks else None  # fmt: skip
            raise self.fail("L013", spec.name, want=want(spec), got=str(array), expected=shown, hint=hint)
        if DYNAMIC not in strides:
            return tuple(have if n == DYNAMIC else n for have, n in zip(array.shape, wanted, strict=True))
        steps = self._steps(spec, array)
        given = zip((*array.shape, *steps), (*wanted, *strides), strict=True)
        return tuple(have if n == DYNAMIC else n for have, n in given)

    def _steps(self, spec: ParamSpec, array: Array) -> tuple[int, ...]:
        """The strides of an array in elements, which a layout may have. Raises L012 and L014."""
        item = self._dtype(spec, array)
        back = any(s < 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))
        if back or any(s % item for s in array.strides):
            raise self.fail("L014", spec.name, want=want(spec), got=str(array), strides=_elements(array, item),
                            expected="0 or more" if back else "whole elements", instead=_FORWARD if back else _COPY)
        return tuple(abs(s) // item for s in array.strides)  # one that goes back is of an extent of 1, and never taken

    def map_words(self, spec: ParamSpec, array: Array, out: BoundArguments) -> int:
        """The address of what the CPU takes for a tensor map. Raises L027."""
        from avelang.isa.tensor_map import faults
        from avelang.runtime import tensor_maps

        assert spec.map is not None
        wrong = faults(spec.map, array.address, array.shape, array.strides)
        if wrong:
            raise self.fail("L027", spec.name, want=want(spec), got=str(array), why=wrong)
        words = tensor_maps.words(spec.map, array.address, array.shape, array.strides)
        out.maps.append(words)
        return ctypes.addressof(words)

    def _place(self, arrays: dict[str, Array]) -> str:
        """The one device that the arrays are on, or can be reached from. Raises L017."""
        places = {array.device for array in arrays.values()}
        gpus = places - {CPU}
        if len(gpus) == 1 and all(array.device != CPU or array.pinned() for array in arrays.values()):
            return gpus.pop()
        if len(places) > 1:
            raise self.fail("L017", devices=", ".join(f"{name} on {array.device}" for name, array in arrays.items()))
        return places.pop() if places else CPU

    def array(self, spec: ParamSpec, value: Any) -> Array:
        """The array that an argument is. Raises L010 and L011."""
        try:
            found = describe(value)
        except Unreadable as e:
            raise self.fail("L011", spec.name, got=_kind(value), why=str(e)) from None
        if found is None:
            hint = ("for an array that may be missing, a constexpr parameter says whether it is there, and any array "
                    "that fits stands in its place") if value is None else None  # fmt: skip
            raise self.fail("L010", spec.name, want=want(spec), got=_kind(value), hint=hint)
        if found.via == "torch":
            self.check_gradient(spec, value)
        if found.via == "cuda":
            from avelang.runtime.devices import locate

            found.device = locate(found)
        return found

    def check_gradient(self, spec: ParamSpec, value: Any) -> None:
        """Raises L055 for a tensor of torch whose gradient would be lost: kernels take no part in autograd."""
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
            raise self.fail("L055", spec.name, got=f"a torch tensor of shape {tuple(value.shape)}")

    def written(self, bound: BoundArguments, written: Collection[str]) -> None:
        """Tells libraries that the arrays of the parameters named in `written` change: torch, whose autograd finds by
        it what it had saved of them; JAX, which keeps a copy of an array that was read on the CPU."""
        for spec, value in zip(self.runtime, bound.values, strict=True):
            if spec.name not in written or not isinstance(value, Array):
                continue
            if value.via == "torch" and not value.keep.is_inference():
                sys.modules["torch"].autograd.graph.increment_version(value.keep)
            elif value.kind == "JAX" and isinstance(value.keep, tuple):
                if getattr(value.keep[0], "_npy_value", None) is not None:
                    value.keep[0]._npy_value = None

    def _device(self, spec: ParamSpec, array: Array) -> AveError:
        why = "" if ":" in array.device else ", and no driver here knows whose memory it is"
        return self.fail("L016", spec.name, got=str(array), device=array.device, why=why)

    def check_writable(self, bound: BoundArguments, written: frozenset[str]) -> None:
        """Raises L021 where a parameter named in `written` has an array that NumPy protects."""
        for spec, value in zip(self.runtime, bound.values, strict=True):
            if spec.name in written and isinstance(value, Array) and value.read_only:
                raise self.fail("L021", spec.name, got=str(value))

    def check_stored(self, bound: BoundArguments, written: frozenset[str]) -> None:
        """Raises L027 where a tensor map named in `written` has an array that the copy engine would write past the rows
        of."""
        from avelang.isa.tensor_map import torn

        for spec, value in zip(self.runtime, bound.values, strict=True):
            if spec.map is not None and spec.name in written and (why := torn(spec.map, value.shape)):
                hint = "pass an array with longer rows, or a view of that many columns of one"
                raise self.fail("L027", spec.name, want=want(spec), got=str(value), why=why, hint=hint)

    def narrow(self, bound: BoundArguments) -> None:
        """Notes arrays that begin off multiples of 16 bytes among the options, with the bytes of their elements: code
        for a GPU is made for memory that begins anywhere."""
        found = [
            f"{spec.name}={value.dtype.bytes if value.dtype else 1}"
            for spec, value in zip(self.runtime, bound.values, strict=True)
            if isinstance(value, Array) and value.address % GPU_ALIGN and value.size and spec.map is None
        ]
        if found:
            bound.options["narrow"] = " ".join(found)

    def check_aligned(
        self, bound: BoundArguments, align: int, narrow: Mapping[str, int], whole: Mapping[str, str]
    ) -> None:  # fmt: skip
        """Raises L015 where memory does not begin at a multiple of `align`, or of `narrow` of its parameter. `whole`:
        what wants that, by parameter."""
        for spec, value in zip(self.runtime, bound.values, strict=True):
            least = narrow.get(spec.name, align)
            if isinstance(value, Array) and value.address % least and value.size:
                what = f"`{whole[spec.name]}`" if spec.name in whole else "code for a GPU"
                hint = (
                    f"{what} reads {least} bytes at once: pass memory as the library gave it, or a copy "
                    f"of this part (x.clone(), x.copy())"
                )
                raise self.fail("L015", spec.name, hint=hint, got=str(value), address=value.address, align=least)

    def check(self, spec: ParamSpec, array: Array) -> None:
        """Dtype, shape, strides and alignment of an array. Raises L012 to L015."""
        item = self._dtype(spec, array)
        if spec.kind == "tensor":
            self._layout(spec, array, item)
        elif spec.kind == "pointer" and not array.contiguous():
            raise self.fail(
                "L014",
                spec.name,
                want=want(spec),
                got=str(array),
                strides=_elements(array, item),
                expected="row-major without gaps",
                instead=f"a pointer has no strides: {_COPY} or annotate a Tensor",
            )
        if array.address % item and array.size:
            raise self.fail("L015", spec.name, got=str(array), address=array.address, align=item)

    def _dtype(self, spec: ParamSpec, array: Array) -> int:
        """The bytes of an element. Raises L012 where it is of another dtype."""
        assert spec.dtype is not None
        if array.dtype is None or not serves(array.dtype, spec.dtype):
            names = " or ".join(d.name for d in alternatives(spec.dtype))
            raise self.fail("L012", spec.name, want=want(spec), got=str(array), dtype=array.dtype_name, expected=names)
        return array.dtype.bytes

    def _layout(self, spec: ParamSpec, array: Array, item: int) -> None:
        forms = layouts(spec)
        if array.shape not in (shape for shape, _ in forms):
            raise self.fail("L013", spec.name, want=want(spec), got=str(array),
                            expected=" or ".join(str(shape) for shape, _ in forms))
        for shape, strides in forms:
            rows = zip(shape, strides, array.strides, strict=True) if shape == array.shape else None
            # An array of no elements has no gaps, whatever its strides.
            if rows is not None and (array.size == 0 or all(n == 1 or s * item == have for n, s, have in rows)):
                return
        expected = " or ".join(str(strides) for shape, strides in forms if shape == array.shape)
        raise self.fail(
            "L014", spec.name, want=want(spec), got=str(array), strides=_elements(array, item), expected=expected,
            instead="write the strides in the annotation, al.Tensor(shape, strides, dtype), or pass a contiguous copy",
        )  # fmt: skip

    def scalar(self, spec: ParamSpec, value: Any) -> tuple[int | float | bool, int]:
        """A number and its 8 bytes. Raises L018 and L019."""
        assert spec.dtype is not None
        d = spec.dtype
        if hasattr(value, "requires_grad"):
            self.check_gradient(spec, value)
        plain = _number(value)
        if plain is None or (isinstance(plain, float) and not d.is_float):
            rank0 = "a Python number, a NumPy scalar or an array of rank 0"
            instead = "convert it with int(...)" if isinstance(plain, float) else rank0
            raise self.fail("L018", spec.name, want=want(spec), got=_kind(value), instead=instead)
        if d.is_float:
            return self._float(spec, d, plain)
        low, high = (0, 1) if d.kind == "bool" else (d.min, d.max)
        if not low <= plain <= high:
            raise self.fail("L019", spec.name, want=want(spec), got=repr(plain), low=low, high=high)
        number = bool(plain) if d.kind == "bool" else int(plain)
        return number, int(number) & 0xFFFF_FFFF_FFFF_FFFF

    def _float(self, spec: ParamSpec, d: DType, plain: int | float | bool) -> tuple[float, int]:
        try:
            number = float(plain)
        except OverflowError:
            number = math.inf
        if d.bits == 64:
            bits = struct.unpack("<Q", struct.pack("<d", number))[0]
            fits = not (math.isinf(number) and isinstance(plain, int))
        else:
            with np.errstate(all="ignore"):
                small = np.asarray(number, np.float64).astype(d.np)
            bits = int(small.view(f"u{d.bytes}"))
            fits = not math.isfinite(number) or math.isfinite(float(small))
            fits = fits and not (math.isinf(number) and isinstance(plain, int))
        if not fits:
            raise self.fail("L019", spec.name, want=want(spec), got=repr(plain), low=f"the least {d}",
                            high=f"the greatest {d}")
        return number, bits

    def constexpr(self, spec: ParamSpec, value: Any) -> Any:
        """A compile-time value; NumPy's scalars become Python's. Raises L020."""
        if isinstance(value, np.generic):
            value = value.item()
        try:
            hash(value)
        except TypeError:
            raise self.fail("L020", spec.name, got=_unhashable(value)) from None
        if isinstance(value, np.ndarray) or describe_quietly(value):
            raise self.fail("L020", spec.name, got=_kind(value))
        return value


def _unhashable(value: Any) -> str:
    return f"{value!r}, which may change" if isinstance(value, (list, dict, set)) else _kind(value)


def describe_quietly(value: Any) -> bool:
    """True for an array of any kind."""
    try:
        return describe(value) is not None
    except Unreadable:
        return True


def _number(value: Any) -> int | float | bool | None:
    """The Python number that a scalar argument is: Python's, NumPy's, or an array of rank 0 on the CPU; None for
    anything else."""
    if isinstance(value, (int, float)):
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item") and getattr(value, "dtype", None) is not None:
        if not isinstance(value, (np.generic, np.ndarray)):
            try:
                found = describe(value)
            except Unreadable:
                return None
            if found is None or found.device != CPU:
                return None
        plain = value.item()
        if not isinstance(plain, (int, float, complex, str, bytes)) and hasattr(plain, "__float__"):
            return float(plain)
        return _python(plain)
    # Arrays of one element have an index too, but are no numbers.
    if hasattr(value, "shape"):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _python(plain: Any) -> int | float | None:
    return plain if isinstance(plain, (int, float)) else None


def _kind(value: Any) -> str:
    """What an argument is, in a few words."""
    if value is None:
        return "None"
    if isinstance(value, (int, float, complex, bool, str, np.generic)):
        text = repr(value)
        return f"{text if len(text) <= 40 else text[:37] + '...'} ({type(value).__name__})"
    try:
        found = describe(value)
    except Unreadable:
        found = None
    return str(found) if found is not None else f"an object of type {type(value).__module__}.{type(value).__qualname__}"


def _elements(array: Array, item: int) -> tuple[float, ...]:
    return tuple(s // item if s % item == 0 else s / item for s in array.strides)


def want(spec: ParamSpec) -> str:
    """A parameter's annotation as the user writes it."""
    if spec.signals:
        return f"Signals({_tuple(spec.shape)})"
    if spec.kind == "tensor":
        strides = f"{_tuple(spec.strides)}, " if spec.strides else ""
        return f"Tensor({_tuple(spec.shape)}, {strides}{spec.dtype})"
    if spec.map is not None:
        return f"TensorMap({spec.dtype}, {spec.map.rank}, {spec.map.box})"
    return f"Pointer({spec.dtype})" if spec.kind == "pointer" else str(spec.dtype)


def _tuple(nested: Any) -> str:
    if not isinstance(nested, tuple):
        return "dynamic" if nested == DYNAMIC else str(nested)
    return "(" + ", ".join(map(_tuple, nested)) + ("," if len(nested) == 1 else "") + ")"


@functools.cache
def alternatives(d: DType) -> list[DType]:
    """Dtypes of arrays that serve for a parameter of dtype `d`: itself, and for integers the other sign; bytes for
    conditions."""
    if d.kind == "bool":
        return [d, u8]
    return [d, *(o for o in SCALARS if d.is_int and o.is_int and o.bits == d.bits and o != d)]


def serves(have: DType, needed: DType) -> bool:
    """True where an array of dtype `have` may be passed where `needed` is annotated."""
    return have == needed or have in alternatives(needed)


def _leaves(nested: Any) -> list[int]:
    return [leaf for part in nested for leaf in _leaves(part)] if isinstance(nested, tuple) else [nested]


@functools.cache
def layouts(spec: ParamSpec) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(shape, strides) in elements that an array for a tensor parameter may have.

    Leaf by leaf; and, where modes nest and the layout fills its memory without gaps or overlaps, the row-major array
    with one dimension for each mode, whose memory is the same."""
    shape, strides = tuple(_leaves(spec.shape)), tuple(_leaves(spec.strides))
    out = [(shape, strides)]
    modes = tuple(math.prod(_leaves(mode)) for mode in spec.shape)
    if modes != shape and _compact(shape, strides):
        dense = tuple(math.prod(modes[i + 1 :]) for i in range(len(modes)))
        out.append((modes, dense))
    return out


def _compact(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    step = 1
    for stride, extent in sorted((s, n) for n, s in zip(shape, strides, strict=True) if n != 1):
        if stride != step:
            return False
        step *= extent
    return True
