"""How the arrays of an attention lie: what a launch knows of them comes in; views of one head of one sequence go out,
for arrays with strides, for packed sequences and for a cache in pages."""

# No `from __future__ import annotations`, as in the kernels.

import dataclasses
import functools
import math
from typing import Any

import avelang
import avelang.language as al
from avelang import argument_error, tile
from avelang.tile.transforms import Merge
from avelang_kernels.arrays import address, copied, dtype_of, named, spanned, strides_of
from avelang_kernels.attention.problem import FAR, Operands, Problem
from avelang_kernels.attention.tile_attention_rows import UNIT, WIDEST, Dropout, Scores, Sight

VECTOR = 16  # bytes that a lane moves at once
FEW = 64  # rows of a head of K up to which heads that share it are rows of one block


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Features:
    """Parts of a problem on which the code of a kernel depends: `d`, `dv`; `vector`, elements that lie side by side and
    aligned in all arrays, `bias_vector` in the bias, whose columns are `bias_column` (0 or 1) apart; `left`: rows see
    no key before a certain one; `right`: nor behind one (where that costs nothing it is always so); `edited`: scores
    are in base e at the softmax; `cap`, `bias` ("", "bool", "add"), `packed_q`, `packed_k`, `page`, `lengths`,
    `sinks`, `dropout`: of `Problem`. `grouped`: heads that share one of K are rows of one block. `split`: keys are
    shared by several blocks."""

    d: int
    dv: int
    vector: int
    left: bool = False
    edited: bool = False
    cap: bool = False
    bias: str = ""
    bias_vector: int = 1
    bias_column: int = 1
    packed_q: bool = False
    packed_k: bool = False
    page: int = 0
    lengths: bool = False
    sinks: bool = False
    grouped: bool = False
    split: bool = False
    dropout: float = 0.0
    right: bool = True


@avelang.struct
class PagedRows:
    """Rows of a sequence in a cache of pages: row r is row r % PAGE of page `table`[r // PAGE]. `last`: the last row
    that there is."""

    table: ...
    last: ...
    PAGE: al.constexpr

    def lower_index(self, at: Any):
        """The coordinates below, and whether they exist."""
        row = min(at[0], self.last)
        return (al.convert(self.table[row // self.PAGE], al.u32), row % self.PAGE, at[1]), True


@avelang.struct
class Launch:
    """Arguments of a launch: extents, distances of each array's sequences, heads and rows in elements, where packed
    sequences begin, pages, and what rows see. `slots`: blocks of rows of a head. Arrays that a problem has not are
    None."""

    F: al.constexpr
    extents: ...  # batches, heads, heads of K, queries, keys, tokens of Q, tokens (or pages) of K, slots
    sight: ...  # left, right, whether bottom right, as a number
    cu_q: ... = None
    cu_k: ... = None
    table: ... = None
    pages: ... = None  # of a row of the table
    lengths: ... = None
    seed: ... = None

    @property
    def group(self):
        """Heads of Q that share one of K and V."""
        return self.extents[1] // self.extents[2]

    def queries(self, batch: Any):
        """Begin of a sequence of Q, and how long it is. Behind the last one what is left counts as one more."""
        return span_of(self.cu_q, batch, self.extents[0], self.extents[3], self.extents[5])

    def keys(self, batch: Any):
        """The same of K."""
        begin, count = span_of(self.cu_k, batch, self.extents[0], self.extents[4], self.extents[6])
        if self.lengths is not None:
            count = al.convert(0, al.u32)
            if batch < self.extents[0]:
                count = min(al.convert(self.lengths[batch], al.u32), self.extents[4])
        return begin, count

    def both(self, batch: Any, of_keys: Any = False):
        """Begin of Q, queries, begin of K, keys: what is behind the last sequence sees nothing; `of_keys`: of K, and is
        not seen."""
        (q, queries), (k, keys) = self.queries(batch), self.keys(batch)
        if self.F.packed_q:
            there = batch < self.extents[0]
            keys, queries = (keys, al.select(there, queries, 0)) if of_keys else (al.select(there, keys, 0), queries)
        return q, queries, k, keys

    def sees(self, queries: Any, keys: Any):
        """Sight of the rows of a sequence."""
        shift = self.sight[2] * (al.convert(keys, al.i32) - al.convert(queries, al.i32))
        left = self.sight[0] - shift if self.F.left else None
        right = self.sight[1] + shift if self.F.right else None
        return Sight(keys, right, left, self.group if self.F.grouped else None)

    def rows(self, x: Any, strides: Any, batch: Any, head: Any, begin: Any, count: Any, D: Any):
        """A view of rows of one head; heads that share one of K as rows of one matrix, if they are worked on
        together: `head` is then of K."""
        wide = al.convert(D, al.u32) if D % UNIT else D  # known at run time only: a block's tile reaches past it
        where = 0 if self.F.packed_q else batch
        if self.F.grouped:
            G, size = self.group, (max(count, 1), self.group, D)
            whole = al.make_tensor(
                x, x.dtype, al.make_layout((where + 1, head * G + G, begin + size[0], D), strides + (1,))
            )
            mine = al.subview(whole, (where, head * G, begin, 0), (1, G, size[0], D), (1, 1, 1, 1))
            layout = al.make_layout((size[0], G, wide), (strides[2], strides[1], 1))
            return tile.View(al.view(mine, x.dtype, layout), (count * G, wide), self.F.vector, (Merge(0, size[:2]),))
        return head_view(x, strides, where, head, begin, count, wide, self.F.vector)

    def cache(self, x: Any, strides: Any, batch: Any, head: Any, begin: Any, count: Any, D: Any):
        """A view of the rows of K or V of one head."""
        wide = al.convert(D, al.u32) if D % UNIT else D
        if not self.F.page:
            return head_view(x, strides, 0 if self.F.packed_k else batch, head, begin, count, wide, self.F.vector)
        PAGE = self.F.page
        layout = al.make_layout((self.extents[6], PAGE, head + 1, D), (strides[0], strides[2], strides[1], 1))
        mine = al.subview(
            al.make_tensor(x, x.dtype, layout), (0, 0, head, 0), (self.extents[6], PAGE, 1, D), (1, 1, 1, 1)
        )
        data = al.view(mine, x.dtype, al.make_layout((self.extents[6], PAGE, wide), (strides[0], strides[2], 1)))
        table = vector_of(self.table, batch * self.pages, self.pages)
        step = PagedRows(table, max(count, 1) - 1, PAGE)
        return tile.View(data, (count, wide), self.F.vector, (step,))

    def logarithms(self, lse: Any, batch: Any, head: Any, begin: Any, queries: Any):
        """A view of the logarithms of a head's rows."""
        if not self.F.grouped:
            at = (
                head * self.extents[5] + begin
                if self.F.packed_q
                else (batch * self.extents[1] + head) * self.extents[3]
            )
            return tile.View(vector_of(lse, at, max(queries, 1)), (queries,))
        G, apart = self.group, self.extents[5] if self.F.packed_q else self.extents[3]
        at = head * G * apart + begin if self.F.packed_q else (batch * self.extents[1] + head * G) * apart
        size = max(queries, 1), G
        data = al.view(vector_of(lse, at, apart * G), al.f32, al.make_layout(size, (1, apart)))
        return tile.View(data, (queries * G,), 1, (Merge(0, size),))

    def bias(self, x: Any, strides: Any, batch: Any, head: Any, queries: Any, keys: Any, column: Any = None):
        """A view of the bias of a head's rows. `column`: how far columns are apart, where that is not as of the bias:
        those of its gradient are not broadcast."""
        COL, BOTH = self.F.bias_column if column is None else column, (max(queries, 1), max(keys, 1))
        if self.F.grouped:
            G = self.group
            layout = al.make_layout((batch + 1, head * G + G) + BOTH, strides + (COL,))
            mine = al.subview(al.make_tensor(x, x.dtype, layout), (batch, head * G, 0, 0), (1, G) + BOTH, (1, 1, 1, 1))
            data = al.view(mine, x.dtype, al.make_layout((BOTH[0], G, BOTH[1]), (strides[2], strides[1], COL)))
            return tile.View(data, (queries * G, keys), self.F.bias_vector, (Merge(0, (BOTH[0], G)),))
        layout = al.make_layout((batch + 1, head + 1) + BOTH, strides + (COL,))
        mine = al.subview(al.make_tensor(x, x.dtype, layout), (batch, head, 0, 0), (1, 1) + BOTH, (1, 1, 1, 1))
        data = al.view(mine, x.dtype, al.make_layout(BOTH, (strides[2], COL)))
        return tile.View(data, (queries, keys), self.F.bias_vector)

    def turned_bias(self, x: Any, strides: Any, batch: Any, head: Any, queries: Any, keys: Any):
        """A view of the bias of a head's rows, keys first."""
        COL, BOTH = self.F.bias_column, (max(queries, 1), max(keys, 1))
        layout = al.make_layout((batch + 1, head + 1) + BOTH, strides + (COL,))
        mine = al.subview(al.make_tensor(x, x.dtype, layout), (batch, head, 0, 0), (1, 1) + BOTH, (1, 1, 1, 1))
        data = al.view(mine, x.dtype, al.make_layout((BOTH[1], BOTH[0]), (COL, strides[2])))
        return tile.View(data, (keys, queries))

    def scores(self, sight: Any, first: Any, factor: Any, cap: Any, bias: Any, dropout: Any):
        """Edits of the scores of rows from `first` on."""
        return Scores(sight, first, factor, cap if self.F.cap else None, bias, self.F.edited, dropout)

    def dropout(self, batch: Any, head: Any):
        """The weights of a head of Q that are left out."""
        return Dropout(self.seed[0], al.convert(head, al.u32), al.convert(batch, al.u32), self.F.dropout)


@avelang.jit
def span_of(offsets: Any, batch: Any, batches: Any, length: Any, tokens: Any):
    """Begin of a sequence, and how long it is: all of a batch's part of an array without offsets."""
    if offsets is None:
        return al.convert(0, al.u32), length
    begin = al.convert(offsets[batch], al.u32)
    end = tokens
    if batch < batches:
        end = al.convert(offsets[batch + 1], al.u32)
    return begin, end - begin


@avelang.jit
def vector_of(x: Any, first: Any, count: Any):
    """`count` numbers of memory."""
    return al.view(
        al.subview(al.make_tensor(x, x.dtype, al.make_layout((first + count,))), (first,), (count,), (1,)),
        x.dtype, al.make_layout((count,)),
    )  # fmt: skip


@avelang.jit
def head_view(x: Any, strides: Any, batch: Any, head: Any, begin: Any, count: Any, wide: Any, VECTOR: Any):
    """Rows of one head of an array with strides (batch, heads, rows)."""
    have = max(count, 1)
    whole = al.make_tensor(x, x.dtype, al.make_layout((batch + 1, head + 1, begin + have, wide), strides + (1,)))
    mine = al.subview(whole, (batch, head, begin, 0), (1, 1, have, wide), (1, 1, 1, 1))
    return tile.View(
        al.view(mine, x.dtype, al.make_layout((have, wide), (strides[2], 1))), (count, wide), VECTOR, (), True
    )


@avelang.jit
def find_sequence(offsets: Any, batches: Any, slot: Any, tokens: Any, M: Any):
    """Of packed sequences the one that a block of M rows belongs to, and its number there. The number is that of none
    where there are fewer blocks."""
    batch, end = al.convert(0, al.u32), al.convert(offsets[0], al.u32)
    found = False
    while not found:
        begin = end
        end = tokens
        if batch < batches:
            end = al.convert(offsets[batch + 1], al.u32)
        count = (end - begin + (M - 1)) // M
        found = slot < count or batch == batches
        if not found:
            slot -= count
            batch += 1
    return batch, slot


# -- on the host -------------------------------------------------------------------------------------------------------


def readable(x: Any, what: str) -> tuple[Any, tuple[int, ...]]:
    """An array whose last dimension lies side by side and whose strides are not negative, and these; a copy where it
    is not so. Raises L066 for one that reaches too far."""
    strides = strides_of(x)
    if (strides[-1] != 1 and x.shape[-1] > 1) or min(strides) < 0 or overlap(x.shape, strides):
        x = copied(x)
        strides = strides_of(x)
    if max(strides) >= 1 << 32:
        raise argument_error(f"{what} has strides {strides}: each must be below 2^32 elements; pass a copy")
    return x, strides


def readable_bias(x: Any) -> Any:
    """A bias whose columns lie side by side, or are one for all keys, and whose strides are not negative; a copy where
    it is not so."""
    if x is None:
        return None
    strides = strides_of(x)
    if min(strides) >= 0 and (strides[-1] in (0, 1) or x.shape[-1] == 1):
        return x
    return copied(x)


def writable(x: Any) -> bool:
    """True for an array (batch, heads, rows, d), or packed, that kernels write as it lies."""
    strides = strides_of(x)
    return (strides[-1] == 1 or x.shape[-1] == 1) and min(strides) >= 0 and not overlap(x.shape, strides)


def overlap(shape: Any, strides: tuple[int, ...]) -> bool:
    """True where rows of an array (..., length, d), or (length, heads, d), may overlap, or a single one has stride 0:
    tiles reach past it."""
    return (
        any(n == 1 and s == 0 for n, s in zip(shape[:-1], strides, strict=False))
        or any(0 < s < shape[-1] for s in strides[:-1])
        or (shape[-2] > 1 and strides[-2] == 0)
        or (len(shape) == 3 and shape[0] > 1 and strides[0] == 0)
    )


def layout_of(x: Any, kind: str) -> tuple[int, int, int]:
    """Distances of sequences, heads and rows of an array: of kind "dense" (batch, heads, rows, d), "packed" (tokens,
    heads, d), or "paged" (pages, page, heads, d), of which a page counts as a sequence."""
    s = strides_of(x)
    if kind == "packed":
        return 0, s[1], s[0]
    return (s[0], s[2], s[1]) if kind == "paged" else (s[0], s[1], s[2])


def vector_for(size: int, d: int, arrays: Any) -> int:
    """Elements of `size` bytes that lie side by side and aligned in all arrays and rows of `d`."""
    found = math.gcd(VECTOR // size, d)
    for x in arrays:
        found = math.gcd(found, *(s for n, s in zip(x.shape[:-1], strides_of(x), strict=False) if n > 1))
        found = math.gcd(found, address(x) // size)
    return found


@functools.lru_cache(1024)
def sight_of(p: Problem) -> tuple[int, int, int]:
    """left, right and whether bottom right, as kernels get them."""
    far = [FAR if x is None else min(x, FAR) for x in (p.left, p.right)]
    return far[0], far[1], int(p.bottom_right)


def kind_of(p: Problem, packed: bool, page: int = 0) -> str:
    """Of an array, for `layout_of`."""
    return "paged" if page else "packed" if packed else "dense"


def features(p: Problem, x: Operands, others: Any = (), **more: Any) -> Features:
    """The features of a launch; `others`: further arrays that lie as Q does."""
    size = x.q.dtype.itemsize
    vector = vector_for(size, math.gcd(p.d, p.dv), (x.q, x.k, x.v, *others))
    kind, wide, column = "", 1, 1
    if p.bias:
        kind = "bool" if p.bias == "bool" else "add"
        strides = strides_of(x.bias)
        column = int(x.bias.shape[-1] == p.keys and (strides[-1] != 0 or p.keys == 1))
        each = x.bias.dtype.itemsize
        most = VECTOR // each
        whole = column and math.gcd(most, p.keys, address(x.bias) // each, *strides[:-1]) == most
        wide = most if whole else 1  # two kinds of code are enough
    edited = bool(p.softcap) or kind == "add" or not p.scale > 0
    return Features(
        p.d,
        p.dv,
        vector,
        p.left is not None,
        edited,
        bool(p.softcap),
        kind,
        wide,
        column,
        p.packed_q,
        p.packed_k,
        p.page,
        p.lengths,
        p.sinks,
        dropout=p.dropout,
        **more,
    )


def bias_of(p: Problem, x: Operands) -> tuple[Any, tuple[int, int, int]]:
    """Memory of the bias, and its strides of sequences, heads and rows."""
    if not p.bias:
        return None, (0, 0, 0)
    shape, strides = x.bias.shape, strides_of(x.bias)
    b, h, q = (0 if n == 1 else s for n, s in zip(shape[:3], strides, strict=False))
    data = spanned(x.bias, strides)
    if p.bias == "bool":
        data = data.view(dtype_of(data, "uint8"))
    return data, (b, h, q)


def seeds_of(p: Problem, x: Operands) -> Any:
    """The dtype of the seed; None without dropout."""
    return {"int64": al.i64, "int32": al.i32, "uint32": al.u32}[named(x.seed)] if p.dropout else None


def check_sizes(p: Problem) -> None:
    """Checks what all portable kernels need. Raises L066."""
    if not 0 < max(p.d, p.dv) <= WIDEST:
        raise argument_error(f"d is {p.d} and dv {p.dv}: attention takes 1 to {WIDEST}")


def small_memory(target: str) -> bool:
    """True of a chip of NVIDIA's whose blocks have less than 100 KiB of shared memory."""
    return not target.startswith(("gfx", "sm_80", "sm_90", "sm_100"))


def name_of(x: Any) -> str:
    """Of an array's dtype."""
    return named(x)
