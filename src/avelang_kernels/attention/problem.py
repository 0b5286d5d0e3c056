"""What an attention is asked for: `Problem`, a description without arrays, and `Operands`, the arrays as they were
given. Kernels say by `Problem` whether they take it; `avelang.ops.attention` chooses among them."""

from __future__ import annotations

import dataclasses
from typing import Any

FAR = 1 << 29  # stands for a window without an end: beyond every length, and small enough to be added to one


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """An attention: extents, what rows see, how scores are edited, how arrays lie.

    `batch`: of sequences; `heads` of Q, `kv_heads` of K and V, which divide them. `queries`, `keys`: lengths; of packed
    sequences and of a paged cache the greatest that there may be. `d` of Q and K, `dv` of V and O. `dtype`: its name,
    as NumPy has it. `scale` of scores. `left`, `right`: query i sees keys from i + shift - left to i + shift + right,
    None without an end on that side; shift is 0, or where `bottom_right` a sequence's keys - queries. `softcap`: 0.0,
    or c: scores become c tanh(score / c). `bias`: "" without one, "bool" (True takes part), or the dtype of what is
    added to scores after the cap. `packed_q`, `packed_k`: sequences lie one after another, and offsets say where.
    `page`: 0, or so many keys to a page of a cache with a block table. `lengths`: an array says how many keys each
    sequence has. `sinks`: each head has a further score, whose value is 0. `dropout`: the part of the weights that is
    left out of the product with V. `rows_alike`: the bits of a row must not depend on what else is there (see
    `avelang.ops.invariant`)."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    d: int
    dv: int
    dtype: str
    scale: float
    left: int | None = None
    right: int | None = None
    bottom_right: bool = False
    softcap: float = 0.0
    bias: str = ""
    packed_q: bool = False
    packed_k: bool = False
    page: int = 0
    lengths: bool = False
    sinks: bool = False
    rows_alike: bool = False
    dropout: float = 0.0

    @property
    def causal(self) -> bool:
        """True where the mask is a causal one and nothing else: no query sees keys behind its own place."""
        return self.left is None and self.right == 0

    @property
    def plain(self) -> bool:
        """True for arrays (batch, heads, length, d) whose scores are scaled and masked by place alone."""
        return not (
            self.softcap or self.bias or self.packed_q or self.packed_k or self.page or self.lengths or self.sinks
            or self.dropout
        )  # fmt: skip

    @property
    def group(self) -> int:
        """Heads of Q that share one of K and V."""
        return self.heads // max(1, self.kv_heads)

    @property
    def empty(self) -> bool:
        """True where no row of O is made of anything."""
        return 0 in (self.batch, self.heads, self.queries, self.keys, self.d, self.dv)


@dataclasses.dataclass(slots=True)
class Operands:
    """The arrays of a `Problem`, as they were given; None for those that it has not.

    q, k, v: (batch, heads, length, d) with any strides that keep d side by side; packed: (tokens, heads, d); in a paged
    cache k and v are (pages, page, kv_heads, d). `bias`: (batch, heads, queries, keys), any of which but the last may
    have stride 0, or extent 1. `cu_q`, `cu_k`: i32 (batch + 1,), where sequences begin. `table`: i32 (batch, pages of a
    sequence). `lengths`: i32 (batch,). `sinks`: f32 (heads,). `seed`: an integer, (1,), of the numbers by
    which weights are left out."""

    q: Any
    k: Any
    v: Any
    bias: Any = None
    cu_q: Any = None
    cu_k: Any = None
    table: Any = None
    lengths: Any = None
    sinks: Any = None
    seed: Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table of kernels: `chips`, beginnings of the names of chips; `fits` says of a problem whether the
    kernel takes it; `launch` runs it.

    Forward: `launch(problem, operands, out, lse, *, target, units, **options)`; `out` lies as Q does, with `dv`; `lse`:
    f32 (batch, heads, queries), packed (heads, tokens), -inf for rows that see nothing; it is always there.
    Backward: `launch(problem, operands, out, lse, dout, dlse, dq, dk, dv, *, target, units, **options)`; `dlse` may be
    None. Every element of the results is written, those of rows that see nothing too. `units`: multiprocessors."""

    name: str
    chips: tuple[str, ...]
    fits: Any
    launch: Any

    def takes(self, problem: Problem, chip: str) -> bool:
        """True where it runs the problem on a chip."""
        return chip.startswith(self.chips) and bool(self.fits(problem))
