"""The tile for a product on Hopper, without a measurement: a shape comes in; the tile with the least time by a model of
the GPU goes out.

The model has the rounds of clusters over the multiprocessors; for a step along K what it takes of tensor cores,
shared memory, L2 and latency, where rows that begin at no multiple of 128 bytes cost L2 more; prologue and epilogue;
the exchange of sums where K is shared; and the bytes that memory must move. Its constants are fitted
(`benchmarks/fit_hopper_rule.py` has the loss) to 11,500 runs of 705 drawn shapes on one H200
(`benchmarks/drawn_gemm.py`; driver 580, 2026-11-22): its times are 6 % off on the mean, and its choice is 2 % behind
the best of the 15 to 30 tiles that were run for a shape. On 2026-11-23 constants were moved again by 1,020 runs of 120
other shapes: most by descents on one half that were held against the other, some by hand where a shape showed what was
wrong; and the four of what a launch and its first loads cost by 600 runs of 53 more, to the gain of either half. What
the rule reaches is therefore said by draws that were made after a change (`benchmarks/NOTES.md`).
The same kernel takes up to 30 % longer in another run of some shapes, where the matrices lie elsewhere."""

from __future__ import annotations

import functools
import importlib.resources
import math
from collections.abc import Callable
from typing import Any

from avelang_kernels.matmul.hopper_tiles import SMS, STEP, STREAM, GemmTile, resident

SPLITS = 16  # parts of K, at the most
SHORT = 16  # tiles of clusters of a short side of C, at the most

# The constants, in clocks, clocks an element or byte, or microseconds. They are fitted together: CLOCK is no frequency,
# and rates of what is hidden behind something else are not measured.
CONSTANTS = {
    "LAUNCH": 2.183, "CLAUNCH": 0.2113, "CLOCK": 2438.0, "FILL": 5595.0, "FILLC": 838.0, "LAT": 3366.0,
    "SYNCC": 3.038e-05, "PIECE": 434.7, "PIECET": 165.9, "EL": 9.061, "ELT": 9.589, "SUMS": 1.296, "L2": 51.87,
    "L2X": 80.63, "SM": 1.521, "BW": 10230000.0, "FB": 0.4603, "TURN0": 242.7, "EF": 1.904, "POWT": 301.3,
    "JOIN": 4922.0, "JOINP": 135.4, "STORED": 2.839, "LOADED": 7.575, "MMA1": 1.85, "MMA2": 1.249, "MMA3": 1.274,
    "MMAP": 1.724, "MMAW": 1.281, "SJOIN": 11610.0, "SSTORED": 1.756, "SMEM": 0.5213, "CAP": 13.63, "CAPW": 3.371,
    "WAVE": 0.2594, "A64": 0.9983, "A32": 1.02, "A16": 1.286, "M16": 1.1,
}  # fmt: skip

# Those of A and B of 1 byte that differ. K counts elements of 2 bytes: a step has the same bytes, and takes the same
# time of the tensor cores. The epilogue comes out faster by the fit to 150 runs of 30 drawn shapes (2026-11-23), and
# by that to either half of them, on the other half; why is not known.
CONSTANTS_OF_BYTES = {"PIECE": 366.6, "PIECET": 158.7, "EL": 19.4, "ELT": 18.55}


def _numpy() -> Any:
    import numpy as np  # takes longer to import than a kernel from the cache

    return np


def table() -> list[GemmTile]:
    """The tiles of `hopper_tiles.txt`, without stages. `split` is 2 for those that split K."""
    text = importlib.resources.files("avelang_kernels.matmul").joinpath("hopper_tiles.txt").read_text()
    found: list[GemmTile] = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        *numbers, share, turns, orientation = line.split()
        m, n, cluster_m, cluster_n, cluster_k, row_blocks = map(int, numbers)
        split = {"whole": 1, "stream": STREAM, "split": 2}[share]
        found.append(GemmTile(m, n, 0, cluster_m, cluster_n, 8, cluster_k, row_blocks, turns == "pingpong",
                              orientation == "transposed", split))  # fmt: skip
    return found


def candidates(size: int) -> list[GemmTile]:
    """Tiles to choose from, for outputs of `size` bytes an element: those of the table, and of 4 bytes as many as there
    are in the same steps, since what they stage differs."""
    if size == 2:
        tiles = table()
    else:
        shapes = ((64, 1), (128, 1), (192, 1), (256, 2))
        tiles = [
            GemmTile(m, n, 0, cluster_m, cluster_n, 8, cluster_k, row_blocks, False, False, split)
            for m, row_blocks in shapes
            for n in range(32, 257, 32)
            for cluster_m, cluster_n in ((2, 1), (1, 2))
            for cluster_k, split in ((1, 1), (2, 1), (4, 1), (1, 2))
        ]
    tiles = [tile.fitted(size) for tile in tiles]
    return [tile for tile in tiles if not tile.fault(size)]


def every_tile() -> list[GemmTile]:
    """Tiles of all shapes and kinds, for outputs of 2 bytes an element: what a search may look at; too many to choose
    from at a call. Of widths that 16 does not divide those that are staged in pieces of 24 columns or more."""
    kinds = [(m, m // 256 + 1, False) for m in (64, 128, 192, 256)] + [(64, 1, True), (128, 2, True)]
    clusters = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4)]
    tiles = [
        GemmTile(m, n, 0, cm, cn, 8, ck, row_blocks, pingpong, transposed, split).fitted(2)
        for m, row_blocks, pingpong in kinds
        for n in range(16, 257, 8)
        for cm, cn in clusters
        for ck, split in ((1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (4, 2), (1, STREAM))
        for transposed in (False, True)
    ]
    return [tile for tile in tiles if (tile.n % 16 == 0 or tile.piece(2) >= 24) and not tile.fault(2)]


def _kind(t: GemmTile) -> int:
    """The place of a tile's kind in the order of `_Model`."""
    return 3 if t.split == STREAM else 4 if t.split != 1 else 2 if t.cluster_k > 1 else 1 if t.pingpong else 0


class _Model:
    """What of the model depends on the tiles only, as arrays, in the order: whole tiles of cooperative consumers, of
    ping-pong ones, K shared in a cluster, streamed, split."""

    def __init__(self, size: int, sms: int, tiles: list[GemmTile] | None = None, width: int = 2):
        np = _numpy()
        self.constants = c = CONSTANTS if width > 1 else CONSTANTS | CONSTANTS_OF_BYTES
        self.tiles = sorted(candidates(size) if tiles is None else tiles, key=_kind)
        kinds = [_kind(t) for t in self.tiles]
        ends = [sum(k <= i for k in kinds) for i in range(5)]
        self.whole, self.pingpong, self.shared, self.stream, self.split = (
            slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)
        )

        def column(f: Callable[[GemmTile], Any]) -> Any:
            return np.array([f(t) for t in self.tiles], np.float64)

        m, n, ck = column(lambda t: t.m), column(lambda t: t.n), column(lambda t: t.cluster_k)
        cm, cn = column(lambda t: t.cluster_m), column(lambda t: t.cluster_n)
        blocks, flipped = column(lambda t: t.cluster), column(lambda t: t.transposed)
        consumers = column(lambda t: t.m // 64 // t.row_blocks)
        self.resident = column(lambda t: resident(t.cluster, sms))
        self.high, self.wide = m * cm, n * cn
        # Less than a whole number by what rounding may add.
        self.rows = (1 - flipped) / self.high * (1 - 1e-12), flipped / self.high * (1 - 1e-12)
        self.cols = flipped / self.wide * (1 - 1e-12), (1 - flipped) / self.wide * (1 - 1e-12)

        def rate(t: GemmTile) -> float:
            if t.pingpong:
                # A consumer of 128 rows has two products under way, as two consumers have.
                return c["MMA2" if t.row_blocks > 1 and t.n > 96 else "MMAP"]
            several = t.m // 64
            return c["MMA1"] if several == 1 else c["MMAW"] if t.row_blocks > 1 else c[f"MMA{min(several, 3)}"]

        area, ideal = m * n, m * n / 32
        self.fixed = (ideal * column(rate)) ** 8 + ((m + m / 64 * n) * c["SM"]) ** 8
        self.fixed += (c["LAT"] / column(lambda t: t.stages)) ** 8
        self.narrow = n % 64 != 0, flipped > 0
        self.bytes, self.power = (m / cn + n / cm) * 128, (ideal * c["EF"]) ** 8
        self.sync = c["SYNCC"] * (blocks - 1)
        pieces = column(lambda t: t.n // t.piece(size) * t.row_blocks)
        self.epilogue = pieces * np.where(flipped, c["PIECET"], c["PIECE"]) + area / np.where(
            flipped, c["ELT"], c["EL"]
        )
        exchange, own = area * (ck - 1) / ck / c["SUMS"], area / ck
        self.last = c["FILL"] + exchange + self.epilogue / ck
        self.load = own / c["LOADED"] + c["JOINP"]
        self.part = 1 / ck * (1 - 1e-12)
        start = c["FILL"] + c["FILLC"] * consumers
        start[self.shared] -= c["FILL"]
        start[self.stream] += (c["SJOIN"] + area / c["SSTORED"])[self.stream]
        start[self.split] += (c["JOIN"] + own / c["STORED"] + exchange + self.epilogue / ck)[self.split]
        self.start = start
        self.always = np.array([k > 2 for k in sorted(kinds)], np.float64)
        self.launch = c["LAUNCH"] + c["CLAUNCH"] * np.log2(blocks)
        self.spread, self.resident_area = 2 * c["WAVE"] * 2, self.resident * blocks * area
        self.apart = self.resident * (self.high + self.wide) * 2 * c["SMEM"]
        least = ck * STEP - STEP + 1
        self.by_least = np.argsort(-least, kind="stable")
        self.least = least[self.by_least]

    def times(self, m: int, n: int, k: int, align: int, size: int, batch: int = 1) -> tuple[Any, Any]:
        """Microseconds of each tile, and how many parts K is in; of so many products of these extents, one launch.
        Written for few operations: each takes a microsecond."""
        np, c = _numpy(), self.constants
        tiles = np.ceil(m * self.rows[0] + n * self.rows[1]) * np.ceil(m * self.cols[0] + n * self.cols[1])
        if batch > 1:
            tiles *= batch
        filled = tiles / self.resident
        rounds, steps = np.ceil(filled), -(-k // STEP)
        active = np.minimum(np.maximum(filled, self.always), 1.0)
        work = 2 * m * n * k * batch / 7e8
        load = active * (c["L2"] ** -1 * c.get(f"A{max(align, 16)}", 1.0))
        load += c.get(f"A{max(align, 16)}", 1.0) / c["L2X"]
        load *= self.bytes
        for _ in range(3):  # the root of the sum of eighth powers
            load *= load
        load += self.fixed
        load += self.power * (work / (work + c["POWT"])) ** 8
        step = np.sqrt(np.sqrt(np.sqrt(load)))
        step += self.sync
        loop = step * steps
        clocks = (loop + self.epilogue) * rounds
        s = self.pingpong
        turn = np.maximum(self.epilogue[s] - loop[s], 0) + c["TURN0"]
        clocks[s] = (turn + loop[s]) * rounds[s] + (self.epilogue[s] - turn)
        s = self.shared
        clocks[s] = (np.ceil(steps * self.part[s]) * step[s] + self.last[s]) * rounds[s]
        streaming = s = self.stream
        whole = np.maximum(np.floor(filled[s]), 1) - 1
        share = filled[s] - whole
        clocks[s] = filled[s] * loop[s] + (whole + np.minimum(share, 1)) * self.epilogue[s]
        # The last block of a shared tile adds up the sums of the others one after another; two are in the start.
        clocks[s] += np.maximum(1 / np.maximum(share, 1e-9) - 1, 0) * self.load[s]
        splitting = s = self.split
        parts = np.maximum(np.minimum(np.floor(self.resident[s] / tiles[s]), SPLITS), 1)
        clocks[s] = np.ceil(steps * self.part[s] / parts) * step[s] + parts * self.load[s]
        # Bytes: what several rounds read again, and what runs at different places of K.
        both = 2 * (m + n) * k * batch
        extra = np.sqrt(self.resident_area * active) * rounds
        extra *= self.spread * k
        extra = np.maximum(extra, both)
        extra[streaming] = share * self.apart[streaming] * k + both
        over = 1 / (1 + math.exp(min(50.0, (c["CAP"] - both / 1e6) / c["CAPW"])))
        memory = (both * (c["M16"] if align < 32 else 1.0) - over * both + size * m * n * batch) / c["BW"] + c["FB"]
        us = (clocks + self.start) * (1 / c["CLOCK"]) + self.launch + extra * (over / c["BW"])
        us += memory
        if k < self.least[0]:
            us[self.by_least[: int((self.least > k).sum())]] = np.inf
        us[streaming][(share == 1) | (share * steps < 2)] = np.inf
        us[splitting][(parts < 2) | (steps * self.part[splitting] < 2 * parts)] = np.inf
        return us, parts

    def divided(self, parts: Any) -> list[GemmTile]:
        """The tiles, those that split K with so many parts."""
        split = [t._replace(split=int(p)) for t, p in zip(self.tiles[self.split.start :], parts, strict=True)]
        return [*self.tiles[: self.split.start], *split]

    def refuse(self, us: Any, majors: tuple[bool, bool]) -> None:
        """Gives those tiles an endless time whose columns are those of an operand with neighbors off K, and no multiple
        of 64."""
        narrow, flipped = self.narrow
        if majors[0]:
            us[narrow & flipped] = float("inf")
        if majors[1]:
            us[narrow & ~flipped] = float("inf")


@functools.cache
def _model(size: int, sms: int, width: int) -> _Model:
    return _Model(size, sms, width=width)


def times(
    m: int, n: int, k: int, sms: int = SMS, size: int = 2, align: int = 128, majors: tuple[bool, bool] = (False, False),
    width: int = 2, batch: int = 1,
) -> tuple[list[GemmTile], Any]:  # fmt: skip
    """The candidates, and the microseconds that the model gives each for C of m x n, K of k; infinity where it cannot
    be. `size`: bytes of an element of C; `align`: greatest power of two, 128 at the most, of which the bytes from row
    to row of A and B are a multiple; `width`: bytes of an element of A, of which K counts as many as make 2;
    `batch`: products of these extents, in one launch."""
    model = _model(size, sms, min(width, 2))
    us, parts = model.times(m, n, k, align, size, batch)
    return model.divided(parts), us


@functools.cache
def _model_of(tiles: tuple[GemmTile, ...], size: int, sms: int) -> _Model:
    return _Model(size, sms, list(tiles))


def times_of(
    tiles: tuple[GemmTile, ...], m: int, n: int, k: int, sms: int = SMS, size: int = 2, align: int = 128
) -> tuple[list[GemmTile], Any]:
    """The same of other tiles than the candidates, in the order in which they are returned."""
    model = _model_of(tiles, size, sms)
    return model.tiles, model.times(m, n, k, align, size, 1)[0]


@functools.lru_cache(maxsize=1 << 16)
def choose_tile(
    m: int, n: int, k: int, sms: int = SMS, size: int = 2, align: int = 128, majors: tuple[bool, bool] = (False, False),
    width: int = 2, batch: int = 1,
) -> GemmTile:  # fmt: skip
    """The tile with which C of m x n is through soonest on a GPU of so many multiprocessors, by the model; or so many
    of them, of `batch` products in one launch. Arguments are those of `times`."""
    model = _model(size, sms, min(width, 2))
    us, parts = model.times(m, n, k, align, size, batch)
    model.refuse(us, majors)
    best = int(us.argmin())
    tile = model.tiles[best]
    if best >= model.split.start:
        tile = tile._replace(split=int(parts[best - model.split.start]))
    # Where a side is short, tiles go along it first: what runs at a time has all of it.
    rows, cols = -(-m // model.high[best]), -(-n // model.wide[best])
    if tile.transposed:
        rows, cols = -(-n // model.high[best]), -(-m // model.wide[best])
    short = 1 if cols <= SHORT and cols < rows else SHORT if rows <= SHORT else tile.group_m
    return tile._replace(group_m=short)


@functools.cache
def invariant_tile(n: int, k: int, sms: int = SMS, size: int = 2) -> GemmTile:
    """The tile for products of N and K with any number of rows, so that the bits of a row do not depend on it: whole
    tiles, each by one block, of which 64 divides the width, so that either operand may lie by columns. Among them the
    one that the model gives the least time with 256 rows."""
    tiles, us = times(256, n, max(k, 1), sms, size)
    fits = [(float(t), i) for i, (one, t) in enumerate(zip(tiles, us, strict=True))
            if one.split == 1 and one.cluster_k == 1 and one.n % 64 == 0]  # fmt: skip
    return tiles[min(fits)[1]]
