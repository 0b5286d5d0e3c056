"""The tile for a product on Hopper, without a measurement: a shape comes in; the tile with the least time by a model of
the GPU goes out.

The model has the rounds of clusters over the multiprocessors; for a step along K what it takes of tensor cores,
shared memory, L2 and latency, where rows that begin at no multiple of 128 bytes cost L2 more, and rows past the end of
a matrix nothing; prologue and epilogue; the exchange of sums where K is shared; and the bytes that memory must move.
Its constants were fitted (`benchmarks/fit_hopper_rule.py` has the loss) to 11,500 runs of 705 drawn shapes on one H200
(`benchmarks/drawn_gemm.py`; driver 580, 2026-11-22), moved by 1,620 runs of 173 more, and fitted anew, held near what
they were, to 3,200 runs of 160 shapes of 2026-11-27, when kernels had learned to leave out what is past the end. Those
of parts that are added up together (TJOIN and the like) were set, not fitted: over 650 such runs of 64 shapes of
2026-11-29 the mean of log(measured / modeled) is -0.01, its standard deviation 0.06; a fit chose no better. Held
against one half of these, what the other half taught gained as much. Its choice is 2 % behind the best of the 15 to 30
tiles that were run for a shape. What the rule reaches is said by draws that were made after a change
(`benchmarks/NOTES.md`). The same kernel takes up to 30 % longer in another run of some shapes, where the matrices lie
elsewhere."""

from __future__ import annotations

import functools
import importlib.resources
import math
import threading
from collections.abc import Callable
from typing import Any

from avelang.pipelines.warp_specialized import LEAST_BOX
from avelang_kernels.matmul.hopper_tiles import SMS, STEP, STREAM, GemmTile, integer_width, resident

SPLITS = 16  # parts of K, at the most
WIDEST = 256  # rows or columns of a tile, at the most
SHORT = 16  # tiles of clusters of a short side of C, at the most

# The constants, in clocks, clocks an element or byte, or microseconds. They are fitted together: CLOCK is no frequency,
# and rates of what is hidden behind something else are not measured.
CONSTANTS = {
    "LAUNCH": 2.232, "CLAUNCH": 0.2455, "CLOCK": 2461.0, "FILL": 5488.0, "FILLC": 658.7, "LAT": 3073.0,
    "SYNCC": 3.03e-05, "PIECE": 401.9, "PIECET": 172.1, "EL": 9.555, "ELT": 7.959, "SUMS": 1.197, "L2": 57.53,
    "L2X": 70.39, "SM": 1.584, "BW": 9774000.0, "FB": 0.4664, "TURN0": 248.4, "EF": 1.9, "POWT": 273.4,
    "JOIN": 6154.0, "JOINP": 145.2, "STORED": 2.753, "LOADED": 6.58, "TJOIN": 6500.0, "TLOADED": 10.0, "TJOINP": 100.0,
    "MMA1": 1.853, "MMA2": 1.235, "MMA3": 1.248,
    "MMAP": 1.839, "MMAW": 1.186, "SJOIN": 11520.0, "SSTORED": 1.802, "SMEM": 0.5903, "CAP": 13.57, "CAPW": 3.382,
    "WAVE": 0.261, "A64": 0.9656, "A32": 0.9867, "A16": 1.252, "M16": 1.093, "ODD": 1.149,
}  # fmt: skip

# Those of A and B of 1 byte that differ. K counts elements of 2 bytes: a step has the same bytes, and takes the same
# time of the tensor cores. The epilogue comes out faster by the fit to 150 runs of 30 drawn shapes (2026-11-23), and
# by that to either half of them, on the other half; why is not known.
CONSTANTS_OF_BYTES = {"PIECE": 366.6, "PIECET": 158.7, "EL": 19.4, "ELT": 18.55}
# Where rows and columns have scales, too, an epilogue multiplies each sum twice: some half a microsecond for a tile of
# 128 x 256, by the products of `benchmarks/op_scaled.py` (2026-11-27).
CONSTANTS_OF_ROWS = CONSTANTS_OF_BYTES | {"EL": 10.0, "ELT": 10.0}


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


_Columns = Callable[[Callable[[GemmTile], Any]], Any]  # from what is computed of a tile to an array for all


def _kind(t: GemmTile) -> int:
    """The place of a tile's kind in the order of `_Model`."""
    return 3 if t.split == STREAM else 4 if t.split != 1 else 2 if t.cluster_k > 1 else 1 if t.pingpong else 0


class _Model:
    """What of the model depends on the tiles only, as arrays, in the order: whole tiles of cooperative consumers, of
    ping-pong ones, K shared in a cluster, streamed, split."""

    def __init__(
        self, size: int, sms: int, tiles: list[GemmTile] | None = None, width: int = 2, scaled: bool = False
    ):  # fmt: skip
        self.np = np = _numpy()
        more = CONSTANTS_OF_ROWS if scaled else CONSTANTS_OF_BYTES
        self.constants = c = CONSTANTS if width > 1 else CONSTANTS | more
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
        self.extents = [(t.m * t.cluster_m, t.n * t.cluster_n) for t in self.tiles]
        # Less than a whole number by what rounding may add.
        rows = (1 - flipped) / self.high * (1 - 1e-12), flipped / self.high * (1 - 1e-12)
        cols = flipped / self.wide * (1 - 1e-12), (1 - flipped) / self.wide * (1 - 1e-12)
        self.sides = np.array([np.concatenate(side) for side in zip(rows, cols, strict=True)])  # of m, and of n

        # The matrix unit takes as long for a width that 16 does not divide as for the next that it does, or longer.
        area, ideal = m * n, m * (n + n % 16) / 32 * np.where(n % 16, c["ODD"], 1.0)
        self.fixed = (ideal * column(self._rate)) ** 8 + ((m + m / 64 * n) * c["SM"]) ** 8
        self.fixed += (c["LAT"] / column(lambda t: t.stages)) ** 8
        self.narrow, self.odd = (n % 64 != 0, flipped > 0), column(lambda t: not integer_width(t.n)) > 0
        self.shape, self.power = (m, n, cm, cn, flipped), (ideal * c["EF"]) ** 8
        self.sync = c["SYNCC"] * (blocks - 1)
        pieces = column(lambda t: t.n // t.piece(size) * t.row_blocks)
        self.epilogue = pieces * np.where(flipped, c["PIECET"], c["PIECE"]) + area / np.where(
            flipped, c["ELT"], c["EL"]
        )
        exchange, own = area * (ck - 1) / ck / c["SUMS"], area / ck
        self.last = c["FILL"] + exchange + self.epilogue / ck
        join, self.load = self._joins(column, size, area, ck)
        self.part = 1 / ck * (1 - 1e-12)
        start = c["FILL"] + c["FILLC"] * consumers
        start[self.shared] -= c["FILL"]
        start[self.stream] += (c["SJOIN"] + area / c["SSTORED"])[self.stream]
        start[self.split] += (join + own / c["STORED"] + exchange)[self.split]
        self.always = np.array([k > 2 for k in sorted(kinds)], np.float64)
        # Microseconds that do not depend on the shape.
        self.start = start / c["CLOCK"] + c["LAUNCH"] + c["CLAUNCH"] * np.log2(blocks)
        self.spread = np.sqrt(self.resident * blocks * area) * (2 * c["WAVE"] * 2)
        self.apart = (self.resident * (self.high + self.wide) * 2 * c["SMEM"])[self.stream]
        self.last[: self.shared.start] = self.epilogue[: self.shared.start]
        least = ck * STEP - STEP + 1
        self.by_least = np.argsort(-least, kind="stable")
        self.least = least[self.by_least]
        self.loads: dict[tuple[float, int, int], tuple[Any, Any]] = {}
        self.lock, self.room = threading.Lock(), _Room(self)

    def _joins(self, column: _Columns, size: int, area: Any, ck: Any) -> tuple[Any, Any]:
        """Clocks in which parts of K are brought together, and those that each of them adds. Blocks that add up a tile
        together have a slice of it each, of all parts; else one, or each of a cluster's, adds up all of its own."""
        np, c, together = self.np, self.constants, column(lambda t: t.added_together) > 0
        slices = column(lambda t: t.slices(size) if t.added_together else 1)
        alone, shared = c["JOIN"] + self.epilogue / ck, c["TJOIN"] + area / c["TLOADED"] + self.epilogue / slices
        load = np.where(together, area / slices / c["TLOADED"] + c["TJOINP"], area / ck / c["LOADED"] + c["JOINP"])
        return np.where(together, shared, alone), load

    def _rate(self, t: GemmTile) -> float:
        c = self.constants
        if t.pingpong:
            # A consumer of 128 rows has two products under way, as two consumers have.
            return c["MMA2" if t.row_blocks > 1 and t.n > 96 else "MMAP"]
        several = t.m // 64
        return c["MMA1"] if several == 1 else c["MMAW"] if t.row_blocks > 1 else c[f"MMA{min(several, 3)}"]

    def times(self, m: int, n: int, k: int, align: int, size: int, batch: int = 1) -> tuple[Any, Any]:
        """Microseconds of each tile, and how many parts K is in; of so many products of these extents, one launch."""
        with self.lock:
            us, parts = self.compute(m, n, k, align, size, batch)
            return us.copy(), parts.copy()

    def compute(self, m: int, n: int, k: int, align: int, size: int, batch: int) -> tuple[Any, Any]:
        """As `times`, for who holds the lock: arrays of the model's own, which the next call overwrites. Written for
        few operations, into memory that is there: each takes half a microsecond, whatever it computes."""
        np, c, r, steps = self.np, self.constants, self.room, -(-k // STEP)
        self._rounds(r, m, n, batch)
        work = 2 * m * n * k * batch / 7e8
        self._steps(r, self._lines(m, n, c.get(f"A{max(align, 16)}", 1.0)), (work / (work + c["POWT"])) ** 8)
        self._whole(r, steps)
        share, parts = self._streamed(r), self._split(r)
        # Bytes: what several rounds read again, and what runs at different places of K.
        both = 2 * (m + n) * k * batch
        over = 1 / (1 + math.exp(min(50.0, (c["CAP"] - both / 1e6) / c["CAPW"])))
        self._reads(r, share, k * (over / c["BW"]), both * (over / c["BW"]))
        memory = (both * (c["M16"] if align < 32 else 1.0) - over * both + size * m * n * batch) / c["BW"] + c["FB"]
        us = r.clocks
        np.multiply(us, r.clock, us)
        np.add(us, self.start, us)
        np.add(us, r.active, us)
        np.add(us, r.given(4, memory), us)
        if k < self.least[0]:
            us[self.by_least[: int((self.least > k).sum())]] = np.inf
        np.multiply(share, r.scalars[1], r.stream_few)
        np.copyto(r.stream_clocks, r.never, where=np.equal(share, r.one) | np.less(r.stream_few, r.two))
        np.add(parts, parts, r.rest)
        np.copyto(r.split_clocks, r.never, where=np.less(parts, r.two) | np.less(r.parted, r.rest))
        return us, parts

    def _rounds(self, r: _Room, m: int, n: int, batch: int) -> None:
        """Tiles, the part of the multiprocessors that is busy, and rounds."""
        np = self.np
        r.extents[0], r.extents[1] = m, n
        np.dot(r.extents, self.sides, r.sides)
        np.ceil(r.sides, r.sides)
        np.multiply(r.rows, r.cols, r.tiles)
        if batch > 1:
            np.multiply(r.tiles, batch, r.tiles)
        np.divide(r.tiles, self.resident, r.filled)
        np.ceil(r.filled, r.rounds)
        np.maximum(r.filled, self.always, out=r.active)
        np.minimum(r.active, r.one, out=r.active)

    def _lines(self, m: int, n: int, rounded: float) -> tuple[Any, Any]:
        """Clocks in which L2 gives what a stage has, where all multiprocessors ask and where none does. Rows past the
        end of a matrix are not asked for. `rounded`: what rows that begin off lines cost more."""
        high, wide = (min(-(-x // LEAST_BOX) * LEAST_BOX, WIDEST) for x in (m, n))
        found = self.loads.get((rounded, high, wide))
        if found is None:
            np, c, (tile_m, tile_n, cm, cn, flipped) = self.np, self.constants, self.shape
            of_m, of_n = np.where(flipped, wide, high), np.where(flipped, high, wide)
            asked = (np.minimum(tile_m, of_m) / cn + np.minimum(tile_n, of_n) / cm) * (128 * rounded)
            found = self.loads[rounded, high, wide] = asked / c["L2"], asked / c["L2X"]
        return found

    def _steps(self, r: _Room, lines: tuple[Any, Any], power: float) -> None:
        """Clocks of a step along K. `power`: of what the card's power does."""
        np, step = self.np, r.step
        np.multiply(r.active, lines[0], step)
        np.add(step, lines[1], step)
        for _ in range(3):  # the root of the sum of eighth powers
            np.multiply(step, step, step)
        np.add(step, self.fixed, step)
        np.multiply(self.power, r.given(0, power), r.other)
        np.add(step, r.other, step)
        for _ in range(3):
            np.sqrt(step, step)
        np.add(step, self.sync, step)

    def _whole(self, r: _Room, steps: int) -> None:
        """Clocks of all tiles but those that are streamed or split: rounds of a loop and an epilogue. Of ping-pong
        consumers one has its epilogue while the other has its loop, in all rounds but one."""
        np = self.np
        np.multiply(r.part, r.given(1, steps), r.loop)
        np.ceil(r.loop, r.loop)
        np.multiply(r.loop, r.front_step, r.loop)
        np.add(r.loop, r.last, r.front)
        np.multiply(r.front, r.front_rounds, r.front)
        np.minimum(r.turn_loop, r.turn_epilogue, out=r.turn)
        np.subtract(r.turn0, r.turn, r.turn)
        np.subtract(r.turn_rounds, r.one, r.again)
        np.multiply(r.turn, r.again, r.turn)
        np.add(r.turn_clocks, r.turn, r.turn_clocks)

    def _reads(self, r: _Room, share: Any, of_k: Any, least: Any) -> None:
        """Microseconds of what is read again, in the place of `active`; `least` at the least."""
        np, of_k, least = self.np, r.given(2, of_k), r.given(3, least)
        np.sqrt(r.active, r.active)
        np.multiply(r.active, r.rounds, r.active)
        np.multiply(r.active, self.spread, r.active)
        np.multiply(r.active, of_k, r.active)
        np.maximum(r.active, least, out=r.active)
        np.multiply(share, self.apart, r.stream_extra)
        np.multiply(r.stream_extra, of_k, r.stream_extra)
        np.add(r.stream_extra, least, r.stream_extra)

    def _streamed(self, r: _Room) -> Any:
        """Clocks of streamed tiles, of which the blocks that share one add up its sums one after another (two are in
        the start); what comes out are the tiles of a block that it shares, or that it has as the last of several."""
        np, filled, whole, few = self.np, r.stream_filled, r.stream_whole, r.stream_few
        np.floor(filled, whole)
        np.minimum(filled, r.one, out=few)
        np.multiply(filled, r.stream_step, r.stream_clocks)
        np.multiply(r.stream_clocks, r.scalars[1], r.stream_clocks)
        np.maximum(whole, few, out=r.stream_share)
        np.multiply(r.stream_share, r.stream_epilogue, r.stream_share)
        np.add(r.stream_clocks, r.stream_share, r.stream_clocks)
        np.divide(r.stream_load, few, few)
        np.subtract(few, r.stream_load, few)
        np.add(r.stream_clocks, few, r.stream_clocks)
        np.maximum(whole, r.one, out=whole)
        np.subtract(whole, r.one, whole)
        return np.subtract(filled, whole, r.stream_share)

    def _split(self, r: _Room) -> Any:
        """Clocks of tiles that split K; the parts come out."""
        np, parts = self.np, r.parts
        np.divide(r.split_resident, r.split_tiles, parts)
        np.floor(parts, parts)
        np.minimum(parts, r.most, out=parts)
        np.maximum(parts, r.one, out=parts)
        np.multiply(r.split_part, r.scalars[1], r.parted)
        np.divide(r.parted, parts, r.split_clocks)
        np.ceil(r.split_clocks, r.split_clocks)
        np.multiply(r.split_clocks, r.split_step, r.split_clocks)
        np.multiply(parts, r.split_load, r.rest)
        np.add(r.split_clocks, r.rest, r.split_clocks)
        return parts

    def divided(self, parts: Any) -> list[GemmTile]:
        """The tiles, those that split K with so many parts."""
        split = [t._replace(split=int(p)) for t, p in zip(self.tiles[self.split.start :], parts, strict=True)]
        return [*self.tiles[: self.split.start], *split]

    def refuse(self, us: Any, majors: tuple[bool, bool], integers: bool = False) -> None:
        """Gives those tiles an endless time whose columns are those of an operand with neighbors off K, and no multiple
        of 64; and those that `integers` have no product for."""
        narrow, flipped = self.narrow
        if integers:
            us[self.odd] = float("inf")
        if majors[0]:
            us[narrow & flipped] = float("inf")
        if majors[1]:
            us[narrow & ~flipped] = float("inf")

    def best(
        self, m: int, n: int, k: int, align: int, size: int, batch: int, majors: tuple[bool, bool], integers: bool
    ) -> tuple[Any, ...]:  # fmt: skip
        """The tile that is through soonest, the parts of its K (0: as it is), and the extents of its cluster's part."""
        with self.lock:
            us, parts = self.compute(m, n, k, align, size, batch)
            self.refuse(us, majors, integers)
            at = int(us.argmin())
            split = int(parts[at - self.split.start]) if at >= self.split.start else 0
        high, wide = self.extents[at]
        return self.tiles[at], split, high, wide


class _Room:
    """Memory in which a model computes, and parts of it and of the model's arrays: of all but streamed and split tiles
    (`front`), of ping-pong, streamed and split ones."""

    def __init__(self, model: _Model):
        np, count = _numpy(), len(model.tiles)
        self.extents, self.sides = np.empty(2), np.empty(2 * count)
        self.rows, self.cols = self.sides[:count], self.sides[count:]
        self.tiles, self.filled, self.rounds, self.active, self.step, self.other, self.clocks = np.empty((7, count))
        front, turn, stream, split = slice(model.shared.stop), model.pingpong, model.stream, model.split
        self.part, self.last, self.loop = model.part[front], model.last[front], np.empty(front.stop)
        self.front, self.front_step, self.front_rounds = self.clocks[front], self.step[front], self.rounds[front]
        self.turn, self.again = np.empty((2, turn.stop - turn.start))
        self.turn_loop, self.turn_epilogue = self.loop[turn], model.epilogue[turn]
        self.turn_rounds, self.turn_clocks = self.rounds[turn], self.clocks[turn]
        self.stream_whole, self.stream_few, self.stream_share = np.empty((3, stream.stop - stream.start))
        self.stream_filled, self.stream_step = self.filled[stream], self.step[stream]
        self.stream_clocks, self.stream_load = self.clocks[stream], model.load[stream]
        self.stream_extra = self.active[stream]
        self.parts, self.parted, self.rest = np.empty((3, split.stop - split.start))
        self.split_resident, self.split_tiles = model.resident[split], self.tiles[split]
        self.split_part, self.split_step, self.split_load = model.part[split], self.step[split], model.load[split]
        self.split_clocks, self.stream_epilogue = self.clocks[split], model.epilogue[stream]
        # Numbers as arrays: from Python's own, NumPy makes one at each operation.
        numbers = 1.0, 2.0, float(SPLITS), float("inf"), model.constants["TURN0"], 1 / model.constants["CLOCK"]
        self.one, self.two, self.most, self.never, self.turn0, self.clock = map(np.array, numbers)
        self.scalars = [np.array(0.0) for _ in range(5)]

    def given(self, which: int, number: float) -> Any:
        """One of the numbers of a call, as an array."""
        found = self.scalars[which]
        found[()] = number
        return found


@functools.cache
def _model(size: int, sms: int, width: int, scaled: bool = False) -> _Model:
    return _Model(size, sms, width=width, scaled=scaled)


def times(
    m: int, n: int, k: int, sms: int = SMS, size: int = 2, align: int = 128, majors: tuple[bool, bool] = (False, False),
    width: int = 2, batch: int = 1, scaled: bool = False,
) -> tuple[list[GemmTile], Any]:  # fmt: skip
    """The candidates, and the microseconds that the model gives each for C of m x n, K of k; infinity where it cannot
    be. `size`: bytes of an element of C; `align`: greatest power of two, 128 at the most, of which the bytes from row
    to row of A and B are a multiple; `width`: bytes of an element of A, of which K counts as many as make 2;
    `batch`: products of these extents, in one launch; `scaled`: rows and columns have scales."""
    model = _model(size, sms, min(width, 2), scaled)
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
    us, parts = model.times(m, n, k, align, size, 1)
    return model.divided(parts), us


@functools.lru_cache(maxsize=1 << 16)
def choose_tile(
    m: int, n: int, k: int, sms: int = SMS, size: int = 2, align: int = 128, majors: tuple[bool, bool] = (False, False),
    width: int = 2, batch: int = 1, scaled: bool = False, integers: bool = False,
) -> GemmTile:  # fmt: skip
    """The tile with which C of m x n is through soonest on a GPU of so many multiprocessors, by the model; or so many
    of them, of `batch` products in one launch. `scaled`: sums are, by numbers for rows and columns;
    `integers`: A and B are. Other arguments are those of `times`."""
    tile, split, high, wide = _model(size, sms, min(width, 2), scaled).best(
        m, n, k, align, size, batch, majors, integers
    )  # fmt: skip
    return _of(tile, split or tile.split, _together(tile, m, n, high, wide, batch, sms))


def _together(tile: GemmTile, m: int, n: int, high: int, wide: int, batch: int, sms: int) -> int:
    """How many rows of clusters, each high x wide of C, are gone through together. Where a side is short, tiles go
    along it first: what runs at a time has all of it. Where all run at a time they do not: tiles with the same rows of
    the longer side, which are read once, would be on all parts of the GPU."""
    if tile.transposed:
        m, n = n, m
    rows, cols = -(-m // high), -(-n // wide)
    short = 1 if cols <= SHORT and cols < rows else SHORT if rows <= SHORT else tile.group_m
    return tile.group_m if short == 1 and rows * cols * batch <= resident(tile.cluster, sms) else short


def in_order(tile: GemmTile, m: int, n: int, sms: int = SMS) -> GemmTile:
    """The tile with its clusters in the order that the rule has for C of m x n."""
    high, wide = tile.m * tile.cluster_m, tile.n * tile.cluster_n
    return tile._replace(group_m=_together(tile, m, n, high, wide, 1, sms))


@functools.lru_cache(maxsize=1 << 12)
def _of(tile: GemmTile, split: int, group_m: int) -> GemmTile:
    return tile._replace(split=split, group_m=group_m)


@functools.cache
def invariant_tile(n: int, k: int, sms: int = SMS, size: int = 2) -> GemmTile:
    """The tile for products of N and K with any number of rows, so that the bits of a row do not depend on it: whole
    tiles, each by one block, of which 64 divides the width, so that either operand may lie by columns. Among them the
    one that the model gives the least time with 256 rows."""
    tiles, us = times(256, n, max(k, 1), sms, size)
    fits = [(float(t), i) for i, (one, t) in enumerate(zip(tiles, us, strict=True))
            if one.split == 1 and one.cluster_k == 1 and one.n % 64 == 0]  # fmt: skip
    return tiles[min(fits)[1]]
