"""Softmax over rows that come a tile at a time: tiles of scores come in; their weights, and by how much to shrink what
was summed before, go out.

In base 2 and f32: a weight is 2 to the score * scale - shift, rounded once, where shift is the row's greatest score so
far, times scale. Any shift would do, were it not for overflow: rounded, it is off by up to half a unit, and past 2^31
that is more than powers of two reach. There the scale is the power of two below, by which products are exact: scores
that large, if they differ at all, differ by so much that only the greatest counts."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
import avelang.tile.tensors as tensors
import avelang.tile.vectorize as vectorize
from avelang.tile.distribution import Distribution
from avelang.tile.tensors import DistributedTile, add, greater

LN2 = math.log(2)
NEVER = -math.inf  # the score of what counts nothing
LARGE = 2.0**30  # of a shift that is rounded
EXPONENT = 0x7F800000  # the bits of f32 that say which power of two is below
HALF, UPPER = 0x8000, 0x07060302  # half a unit of bf16 in f32's bits; the upper halves of two words, for AMD's `perm`


@avelang.constant
def rows_of(dist: Distribution) -> Distribution:
    """Distribution of the results of rows of a tile."""
    return vectorize.folding(dist, 1).dist


@avelang.struct
class Softmax:
    """A lane's part of rows, as tiles: the greatest scores so far, and the sums of the weights of the lane's own
    columns."""

    most: ...
    total: ...

    def weigh(self, s, scale):
        """The weights of a tile of scores, and by how much what has been summed of the rows shrinks. `scale`: above 0,
        in base 2. All lanes of a wave call it; each row is one wave's."""
        shrink, by, shift = self.grow(s, scale)
        return self.add(s, shrink, by, shift), shrink

    def grow(self, s, scale):
        """The first half of `weigh`: by how much what has been summed shrinks, and the scale and the shift of the
        rows' weights from here on."""
        most = fold_wave(s, fold_lane(s, greater), greater).map(greater, (self.most,))
        before, (by, shift) = shifts(self.most, scale), shifts(most, scale)
        # Where the one scale follows upon the other, nothing of what was before counts.
        shrink = before[1].map(lambda x, y, a, b: al.select(a == b, power(x - y), 0.0),
                               (shift.map(finite), before[0], by))
        self.most = most
        return shrink, by, shift.map(finite)

    def add(self, s, shrink, by, shift):
        """The other half: the weights, whose sums are added to those of before."""
        p = weights(s, by, shift)
        self.total = fold_lane(p, add).map(lambda new, old, f: al.fma(old, f, new), (self.total, shrink))
        return p

    def sums(self, like):
        """The sums of whole rows; `like`: a tile as `weigh` got them."""
        return fold_wave(like, self.total, add)

    def logarithms(self, sums, scale):
        """Logarithms of the rows' sums of e to the scores: -inf where nothing counted."""
        return self.most.map(lambda m, t: m * (scale * LN2) + al.log(t), (sums,))


@avelang.jit
def softmax(dist, thread=None, groups=1):
    """Before the first tile of scores in a distribution."""
    most, total = tensors.full(rows_of(dist), NEVER, al.f32), tensors.full(rows_of(dist), 0.0, al.f32)
    return Softmax(DistributedTile(most.values, most.dist, thread, groups),
                   DistributedTile(total.values, total.dist, thread, groups))


@avelang.jit
def shifts(most, scale):
    """For rows with these greatest scores: the scale, and the shift."""
    exact = al.bitcast(al.bitcast(scale, al.u32) & EXPONENT, al.f32)
    by = most.map(lambda m: al.select(al.abs(m * scale) < LARGE, scale, exact))
    return by, most.map(lambda m, b: m * b, (by,))


@avelang.jit
def finite(x):
    """0 for the shift of rows in which nothing has counted."""
    return al.select(x == NEVER, 0.0, x)


@avelang.jit
def weights(s, by, shift):
    """Weights of a tile of scores."""
    F, p = vectorize.folding(s.dist, 1), al.make_local((s.dist.elements,), al.f32)
    for i in range(len(F.of)):
        p[i] = al.fma(s.values[i], by.values[F.of[i]], 0.0 - shift.values[F.of[i]])
    return DistributedTile(power(p), s.dist, s.thread, s.groups)


@avelang.jit
def inverse(sums):
    """1 / sums, 0 where nothing counted."""
    return sums.map(lambda t: al.select(t == 0.0, 0.0, 1.0 / t))


@avelang.jit
def scaled(tile, by):
    """Rows of a tile, each times its number of `by`."""
    return tile.along(lambda x, f: x * f, by, 1)


@avelang.jit
def fold_lane(tile, fn):
    """Rows folded within each lane: what `DistributedTile.fold` does before lanes exchange their parts."""
    F = vectorize.folding(tile.dist, 1)
    out, done = al.make_local((F.results,), tile.dtype), ()
    for i in range(len(F.of)):
        r = F.of[i]
        out[r] = fn(out[r], tile.values[i]) if r in done else tile.values[i]
        done = done + (r,)
    return DistributedTile(out, F.dist, tile.thread, tile.groups)


@avelang.jit
def fold_wave(like, part, fn):
    """The rest of it: what all lanes of a wave have folded of rows of a tile like `like`."""
    F = vectorize.folding(like.dist, 1)
    assert len(F.waves) == 0, "each row is one wave's"
    out = al.make_local((F.results,), part.dtype)
    for r in range(F.results):
        x = part.values[r]
        for offset in F.exchanges:
            x = fn(x, al.shuffle_xor(x, offset))
        out[r] = x
    return DistributedTile(out, part.dist, part.thread, part.groups)


@avelang.jit
def power(x):
    """2 to the x, of a vector; 0 where it would be subnormal."""
    out = al.make_local((len(x),), x.dtype)
    for i in range(len(x)):
        out[i] = al.amdgpu.exp2(x[i]) if al.target().vendor == "amd" else al.nvvm.exp2(x[i])
    return out


@avelang.jit
def narrow(x, dtype):
    """Weights, 0 to 1, in the dtype of operands. Where a chip has no instruction for bf16, half of a unit is added:
    ties go up."""
    if dtype != al.bf16 or al.target().vendor != "amd" or al.target().has("mfma-gfx950"):
        return al.convert(x, dtype)
    bits = al.view(x, al.Tensor((len(x),), al.u32)) + HALF
    out = al.make_local((len(x) // 2,), al.u32)
    for i in range(len(x) // 2):
        out[i] = al.amdgpu.perm(bits[2 * i + 1], bits[2 * i], UPPER)
    return al.view(out, al.Tensor((len(x),), dtype))
