"""Coordinates of every lane's elements come in, as arrays; the tile distribution encoding that makes them goes out, or
why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from avelang.base.lazy import np
from avelang.tile.encoding import Digit, Encoding


class NoEncoding(ValueError):
    """The map is none that digits can make; the text says why."""


def digits(places: np.ndarray, what: str) -> list[Digit]:
    """The digits, slowest first, of a map from 0 .. n - 1 to coordinates, an int array (n, dimensions). Neighboring
    digits that make one are one."""
    out: list[Digit] = []
    rest = places - places[0]
    while len(rest) > 1:
        n, step = len(rest), rest[1]
        linear = (rest == np.arange(n)[:, None] * step).all(axis=1)
        length = n if linear.all() else int(np.argmin(linear))
        length = max(d for d in range(1, length + 1) if n % d == 0)
        if length == 1:
            raise NoEncoding(f"the {n} {what} do not move in equal steps")
        if (step < 0).any() or (step != 0).sum() > 1:
            raise NoEncoding(
                f"the {what} move by {tuple(map(int, step))}, which is no step forward along one dimension"
            )
        out.insert(0, Digit(length, tuple(map(int, step))))
        rest = rest[::length]
    return out


def _factors(users: Sequence[tuple[int, int]], extent: int, axis: int) -> list[int]:
    """The order, slowest first, in which digits (stride, extent) make up a dimension."""
    order = sorted(range(len(users)), key=lambda i: users[i])
    want = 1
    for i in order:
        stride, length = users[i]
        if stride != want:
            how = "leave some out" if stride > want else "meet some twice"
            raise NoEncoding(f"steps of {stride} along dimension {axis}, where {want} is next, {how}")
        want *= length
    if want != extent:
        raise NoEncoding(f"dimension {axis} has extent {extent}, and {want} of it is covered")
    return order[::-1]


def solve(index: Sequence[np.ndarray], shape: Sequence[int]) -> Encoding:
    """The encoding with two Ps of a map: one int array (waves, lanes, elements) for each dimension of a tile of
    `shape`. Raises NoEncoding."""
    places = np.stack(list(index), axis=-1).astype(np.int64) if len(index) else np.zeros((1, 1, 1, 0), np.int64)
    if (places[0, 0, 0] != 0).any():
        raise NoEncoding(
            f"the first element of the first lane stands at {tuple(map(int, places[0, 0, 0]))}, not at the origin"
        )
    groups = [digits(places[:, 0, 0], "waves"), digits(places[0, :, 0], "lanes"), digits(places[0, 0, :], "elements")]
    of_dim: list[list[tuple[int, int]]] = [[] for _ in shape]
    replicas: list[int] = []
    where: list[
        list[tuple[int, int]]
    ] = []  # for each group its digits as (major, number among the users of that major)
    for g, found in enumerate(groups):
        where.append([])
        for d in found:
            axis = next((a for a, s in enumerate(d.strides) if s), None)
            if axis is None:
                if g == 2:
                    raise NoEncoding("a lane holds an element twice")
                where[-1].append((0, len(replicas)))
                replicas.append(d.extent)
            else:
                where[-1].append((axis + 1, len(of_dim[axis])))
                of_dim[axis].append((d.strides[axis], d.extent))
    orders = [_factors(users, extent, axis) for axis, (users, extent) in enumerate(zip(of_dim, shape, strict=True))]

    def minor(major: int, number: int) -> int:
        return number if major == 0 else orders[major - 1].index(number)

    pairs = [[(major, minor(major, number)) for major, number in group] for group in where]
    (wave, lane, elem) = (tuple(zip(*group, strict=True)) or ((), ()) for group in pairs)
    encoding = Encoding(tuple(replicas),
                        tuple(tuple(users[i][1] for i in order) for users, order in zip(of_dim, orders, strict=True)),
                        (wave[0], lane[0]), (wave[1], lane[1]), elem[0], elem[1])
    for got, want in zip(encoding.index, index, strict=True):
        if (got.reshape(want.shape) != want).any():
            raise NoEncoding("waves, lanes and elements do not move independently of one another")
    return encoding
