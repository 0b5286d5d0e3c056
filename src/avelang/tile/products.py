"""Matrix products of one wave, real and virtual: sizes, dtypes, layouts and a lowering come in; a description that
kernels and the selection use goes out.

A virtual one is dense to its user and made of other instructions: `lower(a, b, acc)` issues them, on fragments that lie
as `a`, `b` and `acc` say."""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import avelang
from avelang.arch import chip as chip_of
from avelang.base.places import wrong
from avelang.frontend.source import Jitted
from avelang.ir.dtypes import DType
from avelang.isa.amdgpu.passes import CLOCKS, passes
from avelang.tile.distribution import Distribution, row_of
from avelang.tile.lowerings import same
from avelang.tile.mma_layout import SubgroupLayout


@avelang.constant
@dataclasses.dataclass(frozen=True)
class MmaAtom:
    """acc (m x n) += A (m x k) @ B (k x n) over one wave (wgmma: over a group of waves).

    `shape`: (m, n, k). `dtypes`: of A, B and the accumulator. `a`, `b`, `acc`: a `Distribution` over one wave or a
    `SubgroupLayout`, of (M, K), (K, N) and (M, N); None: the instruction reads the operand from shared memory, by a
    descriptor. Then `acc` may be spread over a group of waves. `lower`: a jit function (a, b, acc) -> acc on register
    tensors, in the order of elements that the layouts say. `natives`: the names of the rows that it issues, one entry
    an instruction. `expand`, `collapse`: jit functions from `acc` to the accumulator that `lower` works on and back, to
    be called outside of the loop over K.

    Raises, at the caller's line, T307 where layouts do not fit the shape or one another, T301 for what is of another
    kind."""

    name: str
    shape: tuple[int, int, int]
    dtypes: tuple[DType, DType, DType]
    a: Distribution | None
    b: Distribution | None
    acc: Distribution
    lower: Any
    natives: tuple[str, ...]
    expand: Any = same
    collapse: Any = same

    if TYPE_CHECKING:

        def __init__(
            self, name: str, shape: tuple[int, int, int], dtypes: tuple[DType, DType, DType],
            a: Distribution | SubgroupLayout | None, b: Distribution | SubgroupLayout | None,
            acc: Distribution | SubgroupLayout, lower: Any, natives: tuple[str, ...], expand: Any = ...,
            collapse: Any = ...,
        ) -> None: ...  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("a", "b", "acc"):
            layout = getattr(self, name)
            if isinstance(layout, SubgroupLayout):
                object.__setattr__(self, name, layout.distribution)
            elif not isinstance(layout, Distribution) and (layout is not None or name == "acc"):
                raise wrong("T301", what=name, want="a Distribution or a SubgroupLayout", got=repr(layout))
        for name in ("lower", "expand", "collapse"):
            if not isinstance(getattr(self, name), Jitted):
                raise wrong("T301", what=name, want="a function decorated with @avelang.jit",
                            got=repr(getattr(self, name)))
        object.__setattr__(self, "natives", tuple(row_of(n).name for n in self.natives))
        m, n, k = self.shape
        for name, want in (("a", (m, k)), ("b", (k, n)), ("acc", (m, n))):
            have = getattr(self, name)
            if have is None:
                continue
            if have.shape != want:
                raise wrong("T307", name=self.name,
                            why=f"`{name}` is a layout of {have.shape}, and the shape {self.shape} wants {want}")
            if (have.waves != 1 and self.b is not None) or have.wave != self.acc.wave:
                why = f"`{name}` is spread over {have.waves} waves of {have.wave} lanes, not over one of {self.wave}"
                raise wrong("T307", name=self.name, why=why)

    @property
    def m(self) -> int:
        """Rows of the product."""
        return self.shape[0]

    @property
    def n(self) -> int:
        """Columns of the product."""
        return self.shape[1]

    @property
    def k(self) -> int:
        """Elements along K."""
        return self.shape[2]

    @property
    def wave(self) -> int:
        """Lanes of the wave."""
        return self.acc.wave

    @property
    def virtual(self) -> bool:
        """True unless it is one instruction on its own fragments."""
        return self.name.startswith("V")

    @property
    def unroll(self) -> int:
        """Instructions that it takes, one after another along K."""
        return len(self.natives)

    def exists_on(self, target: str) -> bool:
        """True where the chip has all its instructions."""
        chip = chip_of(target)
        return all(chip.has(row_of(name)) for name in self.natives)

    def cycles(self, target: str) -> int:
        """Clocks for which it holds the matrix core of an AMD chip. Raises U110 elsewhere."""
        return sum(CLOCKS * passes(name, target) for name in self.natives)

    @property
    def lds_bytes(self) -> int:
        """Bytes read from shared memory where A and B come from there."""
        return sum(self.operand_bytes)

    @property
    def operand_bytes(self) -> tuple[int, int]:
        """Bytes of A and of B that it takes, by all lanes together; by a descriptor, each element once."""
        m, n, k = self.shape
        counts = (x.threads * x.elements if x else size for x, size in ((self.a, m * k), (self.b, k * n)))
        a, b = (count * d.bytes for count, d in zip(counts, self.dtypes, strict=False))
        return a, b

    @property
    def work(self) -> int:
        """Multiplications that count."""
        return math.prod(self.shape)

    def layouts(self) -> dict[str, SubgroupLayout | None]:
        """The operands in IREE's four tuples, None where those cannot say it."""
        found = {name: getattr(self, name) for name in ("a", "b", "acc")}
        return {name: SubgroupLayout.of(x) if x else None for name, x in found.items()}

    def __repr__(self) -> str:
        return (
            f"<{self.name}: {'x'.join(map(str, self.shape))}, {' + '.join(n.partition('.')[2] for n in self.natives)}>"
        )


Mma = MmaAtom  # the public name


def named(known: Sequence[MmaAtom], name: str) -> MmaAtom:
    """The one of that name. Raises T301 with those that are nearest to it."""
    found = next((x for x in known if x.name.lower() == name.lower()), None)
    if found is None:
        near = difflib.get_close_matches(name.upper(), [x.name for x in known], 5, 0)
        raise wrong("T301", what="the name of an MMA",
                    want=f"one of the chip's {len(known)}, such as {', '.join(near)}", got=repr(name))
    return found


__all__ = ["Mma", "MmaAtom", "named"]
