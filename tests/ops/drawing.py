"""Drawn calls of `avelang.ops` for torch's tensors: arrays in memory with gaps that hold NaN, cases, and how they are
judged against float64. `drawn_rows`, `drawn_products` and `drawn_attention` have the operations.

A case is drawn from a text, its seed: the same text is the same case on every machine of the same kind."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

BF16, F16, F32, F64 = torch.bfloat16, torch.float16, torch.float32, torch.float64
# A unit in the last place, relative: what one rounding of a result may cost, twice.
UNIT = {BF16: 2.0**-8, F16: 2.0**-11, F32: 2.0**-19, F64: 2.0**-44}
EDGES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1024)


@dataclasses.dataclass
class Case:
    """A call. run: makes results by name; wanted: the same in float64, each with what it may be off by."""

    said: str
    run: Callable[[], dict[str, Any]]
    wanted: Callable[[], dict[str, tuple[Any, Any]]]
    kept: Callable[[], list[str]]


class Draw:
    """What a case is drawn with, and the words for what was drawn. `most`: products of sizes are below it. `target`: the
    chip whose kernels run, on a CPU."""

    def __init__(self, seed: str, device: str, most: int, target: str | None = None) -> None:
        self.rng, self.device, self.most = random.Random(seed), device, most
        self.where: dict[str, str] = {} if target is None else {"target": target}
        self.rounds_to_f32 = device == "cpu"  # not so a GPU's matrix cores
        self.numbers = torch.Generator(device).manual_seed(self.rng.randrange(1 << 60))
        self.said: list[str] = []
        self.kept: list[tuple[str, Any, Any, Any]] = []

    def note(self, name: str, value: Any) -> Any:
        """The value, which is written down."""
        self.said.append(f"{name}={value!r}")
        return value

    def one(self, name: str, choices: Sequence[Any]) -> Any:
        """One of several. Of dtypes sm_75 has products of f16 alone."""
        if name == "dtype" and self.where.get("target") == "sm_75":
            choices = (F16,)
        return self.note(name, self.rng.choice(choices))

    def chance(self, part: float) -> bool:
        """True so often."""
        return self.rng.random() < part

    def size(self, most: int, least: int = 1, empty: float = 0.02) -> int:
        """A size up to `most`: at an edge of a tile, or any, small ones as often as large ones; 0 so often."""
        if self.chance(empty):
            return 0
        if self.chance(0.5):
            return self.rng.choice([n for n in EDGES if least <= n <= most] or [most])
        return max(least, min(most, round(least * (most / least) ** self.rng.random())))

    def layout(self, shape: Sequence[int], inner: bool) -> tuple[list[int], int]:
        """Strides and the first element. inner: the last dimension is kept side by side."""
        order = list(range(len(shape)))
        if self.chance(0.35):
            self.rng.shuffle(order)
        elif self.chance(0.3):
            order[-2:] = order[-2:][::-1]
        if inner and order:
            order.remove(len(shape) - 1)
            order.append(len(shape) - 1)
        strides, at, plain = [0] * len(shape), 1, self.chance(0.3)
        for i, axis in enumerate(reversed(order)):
            step = 1 if plain or (inner and not i) or self.chance(0.85) else self.rng.randint(2, 3)
            strides[axis] = at * step
            gap = 0 if plain or self.chance(0.7) else self.rng.choice((1, 3, 8, 16))
            at = strides[axis] * max(1, shape[axis]) + gap
        return strides, 0 if self.chance(0.7) else self.rng.choice((1, 2, 3, 4, 8, 13))

    def placed(self, name: str, shape: Sequence[int], dtype: Any, *, spread: bool, inner: bool = False) -> tuple[Any, Any]:
        """(an array among NaN, its memory). spread: a dimension may have the stride 0."""
        shape = tuple(shape)
        strides, first = self.layout(shape, inner)
        wide = [i for i, n in enumerate(shape[:-1] if inner else shape) if n > 1]
        if spread and wide and self.chance(0.12):
            strides[self.rng.choice(wide)] = 0
        room = first + 17 + (0 if 0 in shape else sum((n - 1) * s for n, s in zip(shape, strides, strict=True)))
        memory = torch.empty(room, dtype=dtype, device=self.device)
        if dtype in UNIT:
            memory.fill_(float("nan"))
        elif dtype == torch.bool:
            memory.fill_(True)
        else:
            memory.view(torch.uint8).fill_(0x7F)  # NaN of fp8, and a great integer
        self.said.append(f"{name}={str(dtype)[6:]}{shape} strides {tuple(strides)} from {first}")
        return memory.as_strided(shape, strides, first), memory

    def filled(self, name: str, values: Any, *, grad: bool = False, spread: bool = True, inner: bool = False) -> Any:
        """An input with these values, or with those of the first along a dimension of stride 0."""
        x, memory = self.placed(name, values.shape, values.dtype, spread=spread, inner=inner)
        at = tuple(slice(0, 1) if s == 0 else slice(None) for s in x.stride())
        if x.numel():
            x[at].copy_(values[at])
        self.kept.append((name, memory, memory.clone(), None))
        return x.requires_grad_(grad)

    def normal(self, name: str, shape: Sequence[int], dtype: Any, *, scale: float = 1.0, grad: bool = False,
               spread: bool = True, inner: bool = False) -> Any:  # fmt: skip
        """Normal numbers."""
        values = torch.randn(tuple(shape), generator=self.numbers, device=self.device) * scale
        return self.filled(name, values.to(dtype), grad=grad, spread=spread, inner=inner)

    def integers(self, name: str, low: int, high: int, shape: Sequence[int], dtype: Any) -> Any:
        """Numbers from low to high - 1."""
        values = torch.randint(low, high, tuple(shape), generator=self.numbers, device=self.device)
        return self.filled(name, values.to(dtype), spread=False)

    def out(self, shape: Sequence[int], dtype: Any, part: float = 0.35, name: str = "out") -> Any:
        """Memory for a result, or None."""
        if not self.chance(part):
            return None
        x, memory = self.placed(name, shape, dtype, spread=False)
        self.kept.append((name, memory, memory.clone(), x))
        return x

    def changed(self) -> list[str]:
        """What was written that must not be: inputs, and memory around outputs."""
        found = []
        for name, memory, before, x in self.kept:
            if x is not None:
                before = before.as_strided(x.shape, x.stride(), x.storage_offset()).copy_(x)._base  # noqa: SLF001
            if not torch.equal(memory.view(torch.uint8), before.view(torch.uint8)):
                found.append(f"memory of {name} was written outside of it" if x is not None else f"{name} was changed")
        return found

    def case(self, name: str, run: Any, wanted: Any) -> Case:
        """The case, when all is drawn."""
        return Case(f"{name}: {', '.join(self.said)}", run, wanted, self.changed)


@contextmanager
def poisoned() -> Iterator[None]:
    """New memory of torch is NaN, or great integers."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def greatest(x: Any) -> float:
    """The greatest magnitude, 0 of nothing."""
    return float(x.detach().abs().nan_to_num(0, 0, 0).max()) if x.numel() else 0.0


def bound(want: Any, dtype: Any, times: float, scale: float = 0.0) -> Any:
    """One rounding, and `times` units of the greatest result or of `scale`; never less than f32 can do."""
    size = want.abs().nan_to_num(0, 0, 0)
    most = max(greatest(want), scale, 1e-2)
    return UNIT[dtype] * size + (times * UNIT[dtype] + (UNIT[F32] if dtype != F64 else UNIT[F64])) * most


def differentiable(
    draw: Draw, name: str, call: Any, reference: Any, inputs: dict[str, Any], *, exact: float = 0.05,
    rough: float = 4.0, scale: float = 0.0, slope: float = 0.0,
) -> Case:  # fmt: skip
    """A case of a call whose inputs may want gradients. call, reference: of the inputs in their order, an array or a
    tuple of them. exact, rough: how many units of the greatest results and gradients may be off by; or of `scale`, and
    of `slope` times the greatest gradient that is given, where terms that cancel are greater."""
    wants = [n for n, x in inputs.items() if x is not None and x.requires_grad]
    wide: dict[str, Any] = {n: None if x is None else x.detach().double() for n, x in inputs.items()}
    want = reference(*[x.requires_grad_() if n in wants else x for n, x in wide.items()])
    want = want if isinstance(want, tuple) else (want,)
    kinds: list[Any] = []
    rows = [draw.normal(f"gradient{i}", y.shape, F32).double() for i, y in enumerate(want)] if wants else []

    def run() -> dict[str, Any]:
        out = call(*inputs.values())
        out = out if isinstance(out, tuple) else (out,)
        kinds[:] = [y.dtype for y in out]
        found = {f"result{i}": y.detach() for i, y in enumerate(out)}
        if wants:
            given = [inputs[n] for n in wants]
            grads = torch.autograd.grad(out, given, [g.to(y.dtype) for g, y in zip(rows, out, strict=True)])
            found |= {f"gradient of {n}": g for n, g in zip(wants, grads, strict=True)}
        return found

    def wanted() -> dict[str, tuple[Any, Any]]:
        found = {f"result{i}": (y.detach(), bound(y.detach(), kinds[i], exact, scale)) for i, y in enumerate(want)}
        if wants:
            given = [g.to(kinds[i]).double() for i, g in enumerate(rows)]
            for n, g in zip(wants, torch.autograd.grad(want, [wide[n] for n in wants], given), strict=True):
                coarse = max((*kinds, *(inputs[x].dtype for x in wants)), key=UNIT.__getitem__)
                found[f"gradient of {n}"] = g, bound(g, coarse, rough, slope * max(map(greatest, given)))
        return found

    return draw.case(name, run, wanted)


def wrong(case: Case) -> list[str]:
    """Runs a case: what is wrong with it, nothing if all is right."""
    try:
        with poisoned():
            got = case.run()
        found = case.kept()
        for name, (want, limit) in case.wanted().items():
            found += judged(name, got[name], want, limit)
    except Exception as e:  # noqa: BLE001 - whatever a call raises is its fault: what is drawn is what it is said to take
        where = e.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        at = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where is not None else "?"
        return [f"{type(e).__name__}: {' '.join(str(e).split())[:400]} ({at})"]
    return found


def judged(name: str, got: Any, want: Any, limit: Any) -> list[str]:
    """What is wrong with a result. want: float64; NaN and infinity must be the same."""
    if tuple(got.shape) != tuple(want.shape):
        return [f"{name} is {tuple(got.shape)}, not {tuple(want.shape)}"]
    got = got.double()
    same = (got == want) | (got.isnan() & want.isnan())
    bad = ~(same | ((got - want).abs() <= limit))
    if not bool(bad.any()):
        return []
    first = [int(i) for i in bad.nonzero()[0]]
    limit = torch.as_tensor(limit, device=got.device).expand(got.shape)
    at = tuple(first)
    return [
        f"{name}: {int(bad.sum())} of {got.numel()} are wrong, first at {first}: {float(got[at]):.7g}, not "
        f"{float(want[at]):.7g} within {float(limit[at]):.2g}"
    ]
