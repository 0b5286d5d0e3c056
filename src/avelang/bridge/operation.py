"""`op`: a shape rule and a host function that launches kernels come in; an operation, which arrays of NumPy, torch and
JAX call alike, goes out."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

import avelang.bridge.relaunched as relaunched
from avelang.base import knobs
from avelang.base.errors import ArgumentError, error
from avelang.base.lazy import np
from avelang.base.places import argument_error, here, rehomed, users_line
from avelang.base.takes import NOT_TRACED, placed, traced
from avelang.bridge.alignment import elements, forward
from avelang.bridge.descriptions import Array, NoKernel, ave_dtype, dtype_name, framework_of
from avelang.bridge.invariance import invariant
from avelang.bridge.jax_views import MODES
from avelang.bridge.overlaps import check_outputs, check_traced, shared
from avelang.bridge.registry import registered
from avelang.bridge.signatures import Signature, check, shown
from avelang.ir.dtypes import numpy_dtype

F = TypeVar("F", bound=Callable[..., Any])
OURS = "avelang"
_PREPARING = threading.RLock()


def namespace_of(host: Callable[..., Any], given: str | None) -> str:
    """The namespace of an operation: "avelang" for ours, the module's name for a user's, unless one is given."""
    module = str(getattr(host, "__module__", None) or "user")
    if given is None and module.startswith(("avelang.", "avelang_kernels.")):
        return OURS
    return re.sub(r"\W", "_", given or module).strip("_") or "user"


class Operation:
    """A host function with a shape rule, and perhaps a backward: a function of arrays of NumPy, torch and JAX. Made by
    `avelang.op`; docs/op.md tells all of it."""

    def __init__(
        self, host: Callable[..., Any], shapes: Callable[..., Any], returns: int, namespace: str | None, *,
        batched: Sequence[str] = (), contiguous: bool | Sequence[str] = False, autocast: str | None = None,
        sharding: Any = None, inplace: Mapping[str, Sequence[str]] | None = None, apart: Sequence[str] = (),
        strided: Mapping[str, str] | None = None, follows: Mapping[str, str] | None = None, broadcasts: bool = False,
    ):  # fmt: skip
        name = getattr(host, "__name__", "operation")
        self.signature = Signature(name, host, shapes)
        self.host, self.shapes, self.returns = host, shapes, returns
        if not isinstance(returns, int) or not 1 <= returns <= len(self.signature.outputs):
            raise error("L068", here(), name=name, why=f"returns is {returns!r}: a number from 1 to "
                        f"{len(self.signature.outputs)}, the outputs of the host function")  # fmt: skip
        arrays = (*self.signature.inputs, *self.signature.outputs)
        packed = () if contiguous is False else arrays if contiguous is True else tuple(contiguous)
        same = {name: tuple(names) for name, names in (inplace or {}).items()}
        for said, names in (("batched", batched), ("apart", apart), ("contiguous", packed),
                            *(("inplace", x) for x in same.values())):  # fmt: skip
            known = arrays if said == "contiguous" else self.signature.inputs
            unknown = [n for n in names if n not in known]
            if unknown:
                what = "inputs and outputs" if said == "contiguous" else "inputs"
                raise error("L068", here(), name=name, why=f"{said} names {unknown}: {what} are {known}")
        unknown = [n for n in same if n not in self.signature.outputs[:returns]]
        if unknown:
            raise error("L068", here(), name=name, why=f"inplace names {unknown}: outputs that a caller gets are "
                        f"{self.signature.outputs[:returns]}")  # fmt: skip
        self.strided, self.follows = dict(strided or {}), dict(follows or {})
        self._check_views(packed)
        # For each output that a caller gets the numbers of the inputs that it may be.
        at = self.signature.inputs.index
        self.inplace = [[at(n) for n in same.get(y, ())] for y in self.signature.outputs[:returns]]
        self.packed = tuple(i for i, n in enumerate(self.signature.inputs) if n in packed)
        self.whole = tuple(i for i, n in enumerate(self.signature.outputs[:returns]) if n in packed)
        if autocast not in (None, "lower", "float32"):
            raise error("L068", here(), name=name, why=f"autocast is {autocast!r}: 'lower', 'float32' or None")
        self.batched, self.autocast, self.sharding = frozenset(batched), autocast, sharding
        self.broadcasts = broadcasts
        self.apart = tuple(i for i, n in enumerate(self.signature.inputs) if n in apart)
        self.gradient: Callable[..., Any] | None = None
        self.gradient_options: frozenset[str] | None = frozenset()
        self.saves: frozenset[str] = frozenset((*self.signature.inputs, *self.signature.outputs))
        self.instead: Callable[..., Any] | None = None
        self.spent = ""  # why torch can go backward once only, where the backward writes to what is kept for it
        self.__name__, self.__doc__ = name, host.__doc__
        self.__qualname__, self.__module__ = getattr(host, "__qualname__", name), host.__module__
        self.__signature__ = self.signature.public()
        self._count, self._complete = len(self.signature.inputs), self.signature.complete
        self._defaults, self._asks = self.signature.defaults, self.signature.asks_invariant
        self._direct = self._complete and self._asks < 0
        self._single = len(self.signature.outputs) == 1
        self._torch: Any = None
        self._prepared = self._preparing()
        self.full_name = registered(self, namespace_of(host, namespace), name)
        # Arrays that kernels cannot read where they lie: ours are called with copies of them.
        self.aligns = self.full_name.startswith(f"{OURS}::")
        self.repeats = self.aligns  # whether XLA's calls are repeated without the host function (`replays.py`)

    def _check_views(self, packed: Sequence[str]) -> None:
        """Checks what JAX may make of views. Raises L068."""
        inputs, why = self.signature.inputs, ""
        for name, mode in self.strided.items():
            if name not in inputs or name in packed:
                why = f"strided names {name!r}: it may name inputs that are not contiguous, of {inputs}"
            elif mode not in MODES:
                why = f"strided is {mode!r} for {name}: it must be one of {MODES}"
        for made, name in self.follows.items():
            if made not in self.signature.outputs or name not in self.strided:
                why = f"follows has {name!r} for {made!r}: it gives outputs an input that `strided` names"
        if why:
            raise error("L068", here(), name=self.signature.name, why=why)

    # -- definition ----------------------------------------------------------------------------------------------------

    @overload
    def backward(self, function: F, *, saves: Sequence[str] | None = None) -> F: ...
    @overload
    def backward(self, *, saves: Sequence[str] | None = None) -> Callable[[F], F]: ...
    def backward(self, function: Any = None, *, saves: Sequence[str] | None = None) -> Any:
        """Gives the operation its backward: `backward(grads, inputs, outputs, *, options)`, written with operations,
        which returns a gradient or None for each input. As `@op.backward`, or `@op.backward(saves=("x", "rstd"))` with
        the inputs and outputs that it reads: the others come as None, and torch does not keep them alive.

        grads: contiguous, one for each output that the caller gets. Among its options, which it may leave out,
        `needs`, a tuple of bools, says which inputs want a gradient. Raises L068 for what cannot be one."""
        names = (*self.signature.inputs, *self.signature.outputs)
        if saves is not None:
            wrong = [n for n in saves if n not in names]
            if wrong:
                raise error("L068", here(), name=self.__name__, why=f"saves names {wrong}: there are {names}")
            self.saves = frozenset(saves)
        if function is None:
            return lambda given: self.backward(given, saves=saves)
        if self.gradient is not None:
            raise error("L068", here(), name=self.__name__, why="it has a backward already")
        import inspect

        found = inspect.signature(function).parameters.values()
        if sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in found) != 3:
            raise error(
                "L068",
                here(),
                name=self.__name__,
                why="a backward takes (grads, inputs, outputs), and options behind `*`",
            )
        named = frozenset(p.name for p in found if p.kind is p.KEYWORD_ONLY)
        unknown = named - set(self.signature.options) - {"needs"}
        if unknown:
            raise error("L068", here(), name=self.__name__, why=f"its backward asks for {sorted(unknown)}: options are "
                        f"{tuple(self.signature.options)}, and `needs`")  # fmt: skip
        self.gradient_options = None if any(p.kind is p.VAR_KEYWORD for p in found) else named
        self.gradient = function
        return function

    def fallback(self, function: F) -> F:
        """Gives the operation the framework's own function, `function(*inputs, **options)`: with `fallback=True` a call
        runs it where there is no kernel for the dtype or the chip (`avelang.bridge.no_kernel`)."""
        self.instead = function
        return function

    # -- calls ---------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, out: Any = None, fallback: bool = False, **named: Any) -> Any:
        # Before anything of this object is read: what Dynamo sees of it must not change while it traces.
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            inputs, options = self.bind(args, named)
            return self._compiled(torch, inputs, options, out, fallback)
        if torch is not None and traced():
            raise rehomed(argument_error(NOT_TRACED), self.__name__)
        side, inputs, options = self._torch, (), ()
        try:
            if not named and self._direct and len(args) == self._count:
                inputs, options = args, self._defaults
            else:
                inputs, options = self.bind(args, named)
            if side is not None and type(inputs[0]) in side.plain:
                return side.call(inputs, options, out, fallback)
            return self._routed(inputs, options, out, fallback)
        except ArgumentError as e:
            # Not from within a framework, nor from an operation that the host function calls.
            raise (
                rehomed(e, self.__name__) if knobs.full_traceback() else rehomed(e, self.__name__).with_traceback(None)
            ) from None
        except TypeError as e:
            if str(e).startswith("unhashable"):  # what torch's side keeps of a call is found by its options
                self._check_options(options)
            raise
        except RuntimeError:
            self._check_layouts(inputs)
            raise

    def _check_layouts(self, inputs: Sequence[Any]) -> None:
        """Raises L066 for a tensor without memory of strides, which only torch's own functions can read."""
        torch = sys.modules.get("torch")
        for name, x in zip(self.signature.inputs, inputs, strict=False):
            if torch is not None and isinstance(x, torch.Tensor) and (x.is_nested or x.layout is not torch.strided):
                said = f"{name} is a {'nested tensor' if x.is_nested else f'tensor of layout {x.layout}'}"
                wanted = "it must be in memory with strides, as x.to_dense() or x.to_padded_tensor(0) is"
                raise rehomed(argument_error(f"{said}: {wanted}"), self.__name__) from None

    def _check_options(self, options: Sequence[Any]) -> None:
        """Raises L066 for an option that is no value of a static one, such as an array."""
        for name, value in zip(self.signature.options, options, strict=False):
            try:
                hash(value)
            except TypeError:
                said = f"{name} is {shown(value)}: an option is a number, a string, a bool, None or a tuple of such"
                raise rehomed(argument_error(said), self.__name__) from None

    def bind(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Inputs and options of a call, all of them, in order. Raises L066."""
        if len(args) == self._count and self._complete:
            inputs, options = args, self._defaults
            if named:
                given, positions = list(options), self.signature.positions
                for name, value in named.items():
                    at = positions.get(name, -1)
                    if at < 0 or type(value) is list:
                        inputs, given = self.signature.bind(args, named)
                        break
                    given[at] = value
                options = tuple(given)
        else:
            inputs, options = self.signature.bind(args, named)
        at = self._asks
        if at >= 0 and options[at] is None:
            options = (*options[:at], invariant.on(), *options[at + 1 :])
        return inputs, options

    def _routed(self, inputs: tuple[Any, ...], options: tuple[Any, ...], out: Any, fallback: bool) -> Any:
        kind = framework_of(inputs)
        self.check_arrays(inputs, kind)
        if kind == "torch":
            self.prepare()
            return self._torch.call(inputs, options, out, fallback)
        if kind == "jax":
            import avelang.bridge.jax_calls as jax_calls

            return jax_calls.call(self, inputs, options, out, fallback)
        views = sys.modules.get("avelang.bridge.device_views")  # which takes NumPy to import
        if views is not None and any(isinstance(x, views.DeviceView) for x in inputs):
            import avelang.bridge.view_calls as view_calls

            return view_calls.call(self, inputs, options, out)
        return self._on_numpy(inputs, options, out, fallback)

    def check_arrays(self, inputs: Sequence[Any], kind: str) -> None:
        """Checks that inputs are arrays of one library, and None where they may be. Raises L066."""
        for name, optional, x in zip(self.signature.inputs, self.signature.optional, inputs, strict=True):
            if x is None:
                if not optional:
                    raise argument_error(f"{name} is None: it must be an array")
            elif not hasattr(x, "shape") or not hasattr(x, "dtype") or isinstance(x, type):
                raise argument_error(f"{name} is {shown(x)}: it must be an array of NumPy, torch or JAX")
            elif framework_of((x,)) != kind and (kind == "torch" or not isinstance(x, np.ndarray)):
                whose = {"torch": "torch", "jax": "JAX", "": "NumPy"}
                raise argument_error(f"{name} is of {whose[framework_of((x,))]}, and another array of {whose[kind]}: "
                                     f"arrays of one call are of one library")  # fmt: skip

    def rule(self, descriptions: Sequence[Array | None], options: Sequence[Any]) -> tuple[Array, ...]:
        """Descriptions of the outputs. Raises L066 for options of another type, what the shape rule raises, and L068
        where that gives something else."""
        check(self.signature.options.values(), options)
        named = self.signature.named(options)
        given = self.shapes(*descriptions, **{n: named[n] for n in self.signature.rule_options})
        found = (given,) if isinstance(given, Array) else tuple(given) if isinstance(given, (tuple, list)) else ()
        if len(found) != len(self.signature.outputs) or not all(isinstance(x, Array) for x in found):
            raise error("L068", here(), name=self.__name__, why=f"its shape rule gave {given!r}: "
                        f"an Array is wanted for each of {self.signature.outputs}")  # fmt: skip
        for x in found:
            if any(isinstance(n, float) or (isinstance(n, int) and n < 0) for n in x.shape):
                why = f"its shape rule gave {x!r}: extents are ints, 0 or more"
                raise error("L068", here(), name=self.__name__, why=why)
        return found

    def check_returned(self, given: Any, made: Sequence[Any]) -> None:
        """Raises L068 for an array that a host function returned, unless that has memory of an output: whoever computes
        one has not written to the outputs."""
        for x in given if isinstance(given, (tuple, list)) else (given,):
            if _elsewhere(x, made):
                names = ", ".join(self.signature.outputs)
                why = f"its host function returned an array: it writes to its outputs ({names}), and returns nothing"
                raise error("L068", users_line(), name=self.__name__, why=why)

    def given(self, out: Any) -> tuple[Any, ...]:
        """`out=` as a tuple. Raises L066 for another number of arrays than the call returns."""
        found = tuple(out) if isinstance(out, (tuple, list)) else (out,)
        if len(found) != self.returns:
            raise argument_error(f"out is {len(found)} arrays: the call returns {self.returns}")
        return found

    def splits(self, inputs: Sequence[Array | None], options: Sequence[Any]) -> list[tuple[list[Any], list[Any]]]:
        """The ways in which a call may be split over devices: for each output and each input the dimension along which
        it is split, None where each device has all of it, "sum" where each has a part of the sum. By the operation's
        rule; without one, along each dimension but the last that all of what is `batched` and all outputs share."""
        outputs = self.rule(inputs, options)
        whole: tuple[list[Any], list[Any]] = [None] * len(outputs), [None] * len(inputs)
        if self.sharding is not None:
            named = self.signature.named(options)
            return [whole, *((list(o), list(i)) for o, i in self.sharding(*inputs, **named))]
        rows = [x for n, x in zip(self.signature.inputs, inputs, strict=True) if n in self.batched and x is not None]
        if any(inputs[i] is not None for i in self.apart):
            return [whole]
        common = min((x.ndim for x in (*rows, *outputs)), default=0)
        shared = [d for d in range(min(common, rows[0].ndim - 1 if rows else 0))
                  if all(x.shape[d] == rows[0].shape[d] for x in (*rows, *outputs))]  # fmt: skip
        return [whole] + [
            ([d] * len(outputs), [d if n in self.batched else None for n in self.signature.inputs]) for d in shared
        ]

    def takes_batch(self, mapped: Sequence[bool], present: Sequence[bool]) -> bool:
        """True where one call may take a batch of the inputs that are `mapped`, of those that are `present`."""
        inside = all(n in self.batched for n, m in zip(self.signature.inputs, mapped, strict=True) if m)
        return inside and not any(present[i] for i in self.apart)

    def in_batch(
        self, size: int, inputs: Sequence[Any], mapped: Sequence[bool], repeat: Callable[[Any, tuple[int, ...]], Any]
    ) -> list[Any]:  # fmt: skip
        """The inputs of one call for a batch, which those that are `mapped` have along their first dimension. `repeat`
        brings an array to a shape, by broadcasting."""
        named = list(zip(self.signature.inputs, inputs, mapped, strict=True))
        if not self.broadcasts:
            return [x if x is None or m or n not in self.batched else repeat(x, (size, *x.shape)) for n, x, m in named]
        rank = max(len(x.shape) - m for n, x, m in named if n in self.batched and x is not None)
        return [x.reshape(x.shape[0], *[1] * (rank + 1 - len(x.shape)), *x.shape[1:]) if m else x for _, x, m in named]

    def torch_side(self) -> Any:
        """The operation in torch, which must have been imported."""
        self.prepare()
        return self._torch

    def check_out(self, out: Sequence[Any], wanted: Sequence[Array]) -> None:
        """Raises L066 where arrays are not as described."""
        for x, want in zip(out, wanted, strict=False):
            shape = None if isinstance(x, type) else getattr(x, "shape", None)
            if shape is None or tuple(shape) != want.shape or dtype_name(x.dtype) != want.dtype:
                came = shown(x) if shape is None else f"{tuple(shape)} of {dtype_name(x.dtype)}"
                raise argument_error(f"out is {came}: it must be {want.shape} of {want.dtype}")

    def _on_numpy(self, inputs: tuple[Any, ...], options: tuple[Any, ...], out: Any, fallback: bool) -> Any:
        try:
            wanted = self.rule([None if x is None else Array(x.shape, x.dtype) for x in inputs], options)
            given = () if out is None else self.given(out)
            for x in given:
                if framework_of((x,)):
                    whose = {"torch": "torch", "jax": "JAX"}[framework_of((x,))]
                    raise argument_error(f"out is of {whose}, and the other arrays of NumPy: arrays of one call are of "
                                         f"one library")  # fmt: skip
            self.check_out(given, wanted)
            check_outputs(given)
            made = [
                given[i]
                if i < len(given) and self._written(i, given[i], inputs)
                else np.empty(a.shape, numpy_dtype(ave_dtype(a.dtype)))
                for i, a in enumerate(wanted)
            ]
            if self.packed:
                at = self.packed
                inputs = tuple(
                    np.ascontiguousarray(x) if i in at and x is not None else x for i, x in enumerate(inputs)
                )
            if self.aligns:
                inputs = tuple(map(elements, self.signature.inputs, inputs))
            inputs, made = tuple(map(_plain, inputs)), list(map(_plain, made))
            back = self.host(*inputs, *made, **self.signature.named(options))
            if back is not None:
                self.check_returned(back, made)
            for y, z in zip(given, made, strict=False):
                if z is not y and not shared(z, (y,)):
                    y[...] = z
        except NoKernel:
            if not fallback:
                raise
            return self.fallen_back(inputs, options, out)
        return self.returned(made) if out is None else out

    def _written(self, number: int, y: Any, inputs: Sequence[Any]) -> bool:
        """True where the host function may write an output that a caller gave, of NumPy, where it lies."""
        fits = number not in self.whole or y.flags.c_contiguous
        return fits and not shared(y, inputs, self.inplace[number]) and (not self.aligns or forward("out", y))

    def returned(self, made: Sequence[Any]) -> Any:
        """The outputs that a caller gets."""
        return made[0] if self.returns == 1 else tuple(made[: self.returns])

    def fallen_back(self, inputs: Sequence[Any], options: Sequence[Any], out: Any) -> Any:
        """A call by the framework's own function. Raises the error that is being handled where there is none."""
        if self.instead is None:
            raise  # noqa: PLE0704
        made = self.instead(*inputs, **self.signature.named(options))
        if out is None:
            return made
        for x, y in zip(self.given(out), made if isinstance(made, tuple) else (made,), strict=True):
            x[...] = y
        return out

    def check_gradient(self) -> None:
        """Raises L069 for an operation without a backward."""
        if self.gradient is None:
            own = "give it one by @operation.backward"
            theirs = "where a derivative of a derivative is wanted, use torch's or JAX's own function"
            why = f"it has no backward: {theirs if self.aligns else own}"
            raise error("L069", users_line(), name=self.__name__, what="gradient", why=why)

    def gradients(
        self, grads: tuple[Any, ...], inputs: Any, outputs: Any, options: Sequence[Any], needs: Any,
        shapes: Sequence[Any],
    ) -> list:  # fmt: skip
        """One gradient, or None, for each input: always None for one that is None. `shapes`: those of the inputs, also
        where the backward does not read them. Raises L069 where the backward gives something else."""
        assert self.gradient is not None
        named = {**self.signature.named(options), "needs": needs}
        held = bool(named["invariant"]) if self._asks >= 0 else invariant.on()
        if self.gradient_options is not None:
            named = {k: v for k, v in named.items() if k in self.gradient_options}
        with invariant(held):  # what held where the forward was called
            given = self.gradient(grads, tuple(inputs), tuple(outputs), **named)
        found = list(given) if isinstance(given, (tuple, list)) else [given]
        if len(found) != self._count:
            names = ", ".join(self.signature.inputs)
            raise error("L069", users_line(), name=self.__name__, what="gradient",
                        why=f"its backward gave {len(found)} for {self._count} inputs ({names})")  # fmt: skip
        of_torch = framework_of(grads) == "torch"
        for i, (name, x, shape) in enumerate(zip(self.signature.inputs, found, shapes, strict=True)):
            if x is None or shape is None:
                found[i] = None
                continue
            came, want, why = tuple(getattr(x, "shape", ())), tuple(shape), ""
            last = came[len(came) - len(want) :]  # what is spread out over more, torch sums up itself
            if of_torch and framework_of((x,)) != "torch":
                why = f"its backward gave {shown(x)} for {name}: it must be a tensor, or None"
            elif len(came) < len(want) or any(want[i] not in (1, n) for i, n in enumerate(last)):
                why = f"its backward gave one of shape {came} for {name}, which is {want}"
            if why:
                raise error("L069", users_line(), name=self.__name__, what="gradient", why=why)
        return found

    def _compiled(self, torch: Any, inputs: Any, options: Any, out: Any, fallback: bool) -> Any:
        """A call that `torch.compile` traces: of the registered operator. Plain code, which Dynamo can follow."""
        self._prepared()
        # Read here, so that what is traced asks each time whether it is this operation: another of the same signature
        # may stand in its place, as an argument, in another module, or defined anew.
        namespace, name = self.full_name.split("::")
        operator = getattr(getattr(torch.ops, namespace), name).default
        given = []
        for option, value in zip(self.signature.options.values(), options, strict=True):
            plain = value
            if option.schema.startswith("float") and isinstance(value, np.ndarray):  # as numbers of NumPy are, traced
                plain = float(value)
            given.append(plain if option.schema else repr(value))
        made = operator(*inputs, *given)
        if out is None:
            return made if self._single else made[0] if self.returns == 1 else made[: self.returns]
        many, given = (made,) if self._single else made, self.given(out)
        check_traced(torch, given, many)
        for x, y in zip(given, many, strict=False):
            x.copy_(y)
        return out

    def _preparing(self) -> Callable[[], str]:
        """`prepare`, as `torch.compile` calls it while it traces, to take its result for a constant: of no arguments,
        since not all versions of torch pass on what is no constant itself."""

        def name() -> str:
            self.prepare()
            self._torch.shard()
            return self.full_name

        name._dynamo_marked_constant = True  # type: ignore[attr-defined]  (torch._dynamo.assume_constant_result)
        return name

    def prepare(self) -> str:
        """Registers the operator in torch, and gives its name."""
        if self._torch is None:
            from avelang.bridge.torch_operator import TorchOperator

            with _PREPARING:  # torch takes a name once, whichever thread comes first
                if self._torch is None:
                    self._torch = TorchOperator(self)
        return self.full_name

    def __repr__(self) -> str:
        return f"<operation {self.full_name}{self.__signature__}>"

    def __reduce__(self) -> str:
        return self.__qualname__


def _elsewhere(x: Any, made: Sequence[Any]) -> bool:
    """True for an array that has no memory of arrays of its own library."""
    if isinstance(x, np.ndarray):
        return all(isinstance(y, np.ndarray) and y.size and not np.may_share_memory(x, y) for y in made)
    if framework_of((x,)) != "torch" or framework_of(made) != "torch":
        return False
    return x.untyped_storage().data_ptr() not in [y.untyped_storage().data_ptr() for y in made]


def _plain(x: Any) -> Any:
    """An array or number of NumPy as an array, of no subclass: a matrix has two dimensions, whatever one does."""
    return np.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x


class LaunchingOperation(Operation):
    """One whose host function only launches kernels: a call like two before it is repeated by compiled code."""

    def __init__(self, *args: Any, **named: Any):
        super().__init__(*args, **named)
        self.repeats = True
        self._short = relaunched.Relaunched(super().__call__, self.__name__)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if not relaunched.compiling():
            found = self._short.ask(*args, **named)
            if found is not None:
                return self._short.learn(found, args, named) if type(found) is bytes else found
        return super().__call__(*args, **named)


def evenly(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a rule for DTensor (`op(sharding=)`): arrays are split only where the devices divide the extents."""
    rule.even = True  # type: ignore[attr-defined]
    return rule


@placed
def op(
    shapes: Callable[..., Array | tuple[Array, ...]], *, returns: int = 1, namespace: str | None = None,
    batched: Sequence[str] = (), contiguous: bool | Sequence[str] = False, autocast: str | None = None,
    sharding: Any = None, launches_only: bool = False, inplace: Mapping[str, Sequence[str]] | None = None,
    apart: Sequence[str] = (), strided: Mapping[str, str] | None = None, follows: Mapping[str, str] | None = None,
    broadcasts: bool = False,
) -> Callable[[Callable[..., Any]], Operation]:  # fmt: skip
    """Makes an operation of a host function, which launches kernels: `@op(shapes)`.

    shapes: the shape rule, `shapes(x, weight, *, eps)`: descriptions (`Array`) of the inputs come in, and the options
    that it asks for; it checks them (L066 by `avelang.argument_error`) and returns the Array of the output, or a tuple.
    An input whose default is None there may be None. The host function takes the inputs, then the outputs, which the
    bridge allocates, and static options behind `*`; it writes every element of the outputs.

    returns: how many outputs, from the first, the caller gets; the others are kept for the backward. namespace: of
    torch's operator; the module's name where it is None. batched: inputs that may have more leading dimensions, which
    the outputs then have too: `vmap` maps onto them. apart: inputs in whose presence it does not, since what is
    computed depends on an element's place in the batch, as random numbers do. contiguous: inputs and outputs (True:
    all) that the host function gets row-major without gaps: copies of inputs that are not so, new memory for what a
    caller gives as `out=`. autocast: "lower" (the dtype of torch's autocast, as for matrix products), "float32" (as for
    norms and losses) or None (as given). sharding: a rule
    for torch's DTensor, `rule(*inputs, **options)`: ways to split a call besides all devices having all of it, each
    (outputs, inputs) with a dimension, None or "sum"; `avelang.bridge.evenly(rule)` leaves out extents that devices do
    not divide.
    launches_only: True where the host function does nothing but launch kernels on its arrays, views of them and new
    memory, and decides by nothing but their shapes, strides, dtypes and devices, by options and `ops.invariant`: an
    eager call in torch like two before it then runs no Python of it, only the launches. inplace: for an output the
    inputs that it may be, `{"y": ("x",)}`, where each thread reads its elements before it writes to them; any other
    `out=` that shares memory with an input is made apart and then copied. strided: inputs whose strides the kernels
    follow, `{"a": "any"}`: JAX hands over transposed, sliced and broadcast ones as views, where it would make copies;
    "any": one of the last two dimensions is contiguous, "rows": the last one, "matrix": the last one, and those before
    it have one stride. follows: outputs that are laid out as an input is, `{"out": "query"}`, where that is a view.
    broadcasts: True where leading dimensions of the `batched` inputs are broadcast against one another, as those of
    products are: `vmap` repeats none that it does not map.

    Raises L068 for functions that do not fit one another."""

    def made(host: Callable[..., Any]) -> Operation:
        return (LaunchingOperation if launches_only else Operation)(
            host,
            shapes,
            returns,
            namespace,
            batched=batched,
            contiguous=contiguous,
            autocast=autocast,
            sharding=sharding,
            inplace=inplace,
            apart=apart,
            strided=strided,
            follows=follows,
            broadcasts=broadcasts,
        )

    return made
