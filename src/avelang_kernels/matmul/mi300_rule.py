"""How AMD's GEMM shares out a product, without a measurement: a shape and a GPU come in; the tile, the parts of K and
the order of tiles with the least time by a model go out.

The model has the rounds of blocks over compute units, of which each has as many as fit; for each step along K what it
takes of matrix pipes and L2, and what the model of a compute unit finds beside those (LDS, latency, barriers);
prologue, epilogue and the exchange of sums; and the bytes that go through the Infinity Cache and memory at least. **It
is a model: nothing here was measured on a card.** Facts of chips stand in `avelang.arch.amd`, with their sources; what
is assumed stands below."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import avelang
from avelang import argument_error
from avelang_kernels.matmul.mi300_tiles import (
    STEP_BYTES,
    STREAM,
    GemmPlace,
    Mi300Tile,
    tile_of_waves,
    tiles_of,
)

# Assumed, in clocks: of a load from memory (as the project's model of a compute unit has it), of a launch.
LATENCY, LAUNCH = 800, 6000
ALONE = 1100  # the least that a step takes of a SIMD with one wave, by the model of a unit: latency and barriers
BF16_CLOCKS = 32  # of a matrix pipe, for a fragment and half a step
NORM = 4  # what takes the longest decides a step; where several take as long, they are in each other's way
OVERLAP = 2  # the same of compute units and memory
REGISTERS = 256  # of a lane, so that a SIMD has two waves
# Shares of the matrix pipes' time in the main loop, of bf16 on gfx942, by the model of a compute unit with that
# latency: waves along m and n, rows and columns of the tile (`python benchmarks/amd_rule.py --only tiles`).
SHARES: dict[tuple[int, int], dict[int, dict[int, float]]] = {
    (2, 2): {
        64: {64: 0.647, 96: 0.553, 128: 0.678, 160: 0.748, 192: 0.722, 256: 0.670},
        96: {64: 0.544, 96: 0.813, 128: 0.809, 160: 0.586, 192: 0.687, 256: 0.905},
        128: {64: 0.649, 96: 0.806, 128: 0.991, 160: 0.723, 192: 0.809},
        160: {64: 0.773, 96: 0.750, 128: 0.835, 160: 0.785},
        192: {64: 0.759, 96: 0.840, 128: 0.888},
    },
    (2, 4): {
        128: {128: 0.930, 192: 0.856, 256: 0.908},
        192: {128: 0.815, 192: 0.915, 256: 0.942},
        256: {128: 0.906, 192: 0.955, 256: 0.968},
    },
    (4, 2): {
        128: {96: 0.715, 160: 0.662, 224: 0.755},
        192: {96: 0.640, 160: 0.909, 224: 0.953},
        256: {96: 0.796, 160: 0.931, 224: 0.960},
    },
    (1, 2): {
        16: {64: 0.331, 128: 0.222, 192: 0.233},
        32: {64: 0.336, 128: 0.402, 192: 0.433},
        48: {64: 0.504, 128: 0.599, 192: 0.648},
    },
    (1, 4): {
        32: {128: 0.366, 256: 0.412},
        64: {128: 0.675, 256: 0.718},
    },
}  # fmt: skip
PARTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 32)
GROUPS = (1, 2, 4, 8, 16)  # rows of tiles that may be gone through together


def candidates() -> list[Mi300Tile]:
    """Tiles to choose from: those of SHARES."""
    return [tile_of_waves(m, n, *waves) for waves, rows in SHARES.items() for m, cols in rows.items() for n in cols]


@functools.cache
def gpu(name: str, units: int) -> Any:
    """The product of a chip with so many compute units. Raises ValueError where the chip's numbers are not known."""
    found = avelang.chip(name).product_with(units)
    if found is None:
        raise argument_error(f"{name} has no numbers from which a tile could be chosen")
    return found


@functools.cache
def mfma_clocks(kind: str, chip: str) -> int:
    """Clocks of a matrix pipe for a fragment of 16 x 16 and 64 bytes of K, of elements of a kind ("bf16", "f16", "i8",
    "f8")."""
    from avelang import tile  # takes longer to import than a kernel from the cache

    wide = "mfma-gfx950" in avelang.chip(chip).features
    f8 = "F8E4M3FNUZ" if avelang.chip(chip).fp8 == "fnuz" else "F8E4M3FN"
    name, times = {
        "bf16": ("MFMA_F32_16x16x32_BF16", 1) if wide else ("MFMA_F32_16x16x16_BF16", 2),
        "f16": ("MFMA_F32_16x16x32_F16", 1) if wide else ("MFMA_F32_16x16x16_F16", 2),
        "i8": ("MFMA_I32_16x16x64_I8", 1) if wide else ("MFMA_I32_16x16x32_I8", 2),
        "f8": (f"MFMA_F32_16x16x32_{f8}", 2),
    }[kind]
    return times * tile.mma(name, chip).cycles(chip)


@functools.cache
def _terms(kind: str, chip: str, units: int) -> tuple[list[Mi300Tile], dict[str, Any]]:
    """The candidates, and what of the model depends on them and the GPU only, as arrays: a row for each tile."""
    import numpy as np  # takes longer to import than a kernel from the cache

    tiles, sku = candidates(), gpu(chip, units)
    unit: Any = avelang.chip(chip).unit
    room, clocks = unit.lds, mfma_clocks(kind, chip)

    def column(f: Callable[[Mi300Tile], Any]) -> Any:
        return np.array([f(t) for t in tiles], np.float64)[:, None]

    waves, m, n = column(lambda t: t.waves), column(lambda t: t.m), column(lambda t: t.n)
    fit = column(lambda t: max(1, min(room // t.lds, 512 // (-(-t.registers // 8) * 8) * sku.pipes // t.waves)))
    fragments, shares = column(lambda t: math.prod(t.fragments)), column(share_of)
    per_pipe, l2 = np.ceil(fit * waves / sku.pipes), (m + n) * STEP_BYTES / sku.l2_clock
    # What else takes time than products: what the model of a unit found beside those of bf16 on gfx942.
    known = per_pipe * fragments * (2 * BF16_CLOCKS)
    rest = known * ((1 / shares) ** NORM - 1) ** (1 / NORM)

    def step(resident: Any) -> Any:
        """Clocks of a step of so many blocks of a unit, side by side: half of what else takes time is latency. Where a
        SIMD has one wave, nobody works in its gaps."""
        pipe = np.ceil(resident * waves / sku.pipes) * fragments
        gaps = np.where(resident * waves > sku.pipes, 0, ALONE)
        takes = pipe * (2 * clocks), resident * l2, np.maximum(rest * (1 + resident / fit) / 2, gaps)
        return sum(x**NORM for x in takes) ** (1 / NORM)

    # Of 0 blocks of a unit, 1, 2 ..., as far as fit.
    steps = np.concatenate([0 * m, *(step(np.minimum(r, fit)) for r in range(1, int(fit.max()) + 1))], 1)
    sums = m * n * 4 / sku.l2_clock  # clocks in which a unit writes or reads a tile's sums
    rows, parts = np.arange(len(tiles))[:, None], np.array(PARTS, np.float64)[None, :]
    die = np.maximum(fit * units / sku.dies, 1)  # tiles that a die has at a time
    return tiles, {
        "products": per_pipe * fragments * (2 * clocks), "registers": np.array([t.registers for t in tiles]),
        "m": m, "n": n, "fit": fit, "slots": fit * units, "unit": 1 / units, "dies": sku.dies,
        "parts": parts, "parts_of_slots": parts / (fit * units) * (1 - 1e-9),
        "shared": np.array([[*(p * (p > 1) for p in PARTS), 0]], np.float64),
        "steps": steps.ravel(), "rows": rows * steps.shape[1], "full": steps[rows, fit.astype(int)],
        "fill": 2 * LATENCY, "all": fit * sums, "exchange": np.where(parts > 1, 2 * fit * sums, 0),
        "tail": np.where(parts > 1, (parts - 1) * sums + 2 * LATENCY, 0),
        "flow": 8 * fit * units * m * n * sku.clock / sku.memory + 4 * LATENCY,  # two tiles' sums of each run
        "die": 1 / die, "die_reads": 2 * np.sqrt(die * m * n),
        "memory": sku.clock / sku.memory, "mall": sku.clock / (sku.mall or sku.memory),
    }  # fmt: skip


def costs(m: int, n: int, k: int, kind: str, chip: str, units: int, size: int) -> tuple[Any, Any]:
    """Clocks of the busiest compute unit, and of memory, by the model: a row for each tile, a column for each of PARTS
    and a last one for a stream; infinity where it cannot be."""
    import numpy as np

    t = _terms(kind, chip, units)[1]
    along = -(-k // (STEP_BYTES // (1 if kind in ("i8", "f8") else 2)))  # steps of a tile
    count, slots, fit = np.ceil(m / t["m"]) * np.ceil(n / t["n"]), t["slots"], t["fit"]
    stored = t["fill"] + t["all"] * (size / 4)

    # Parts of K: rounds of whole blocks, and a last one.
    parts = t["parts"]
    steps, filled = np.ceil(along / parts), count * t["parts_of_slots"]
    full = np.floor(filled)
    last = np.ceil((filled - full) * fit).astype(np.intp)
    clocks = np.ceil(filled) * (stored + t["exchange"])
    clocks += steps * (full * t["full"] + t["steps"].take(last + t["rows"]))
    clocks += t["tail"]
    if along < PARTS[-1]:
        clocks[:, parts[0] > along] = math.inf
    # A stream: every run has as many steps; it begins and ends inside of tiles, of which it leaves the sums.
    runs = np.minimum(slots, count * along)
    run = np.ceil(count * along / runs)
    one = t["steps"].take(np.ceil(runs * t["unit"]).astype(np.intp) + t["rows"])
    streamed = run * one + (np.ceil(run / along) + 1) * stored + (3 + np.ceil(along / run)) * t["all"] + t["flow"]
    # Bytes: of A and B as often as dies read them; of them once, of C, and of sums of parts, which pass through memory.
    bytes_k = along * STEP_BYTES
    across = np.minimum(t["die_reads"], m + n) * np.maximum(count * t["die"], t["dies"])
    moved = ((m + n) * bytes_k + size * m * n + 4.0 * m * n * t["shared"]) * t["memory"]
    return np.concatenate([clocks, streamed], 1), np.maximum(across * (bytes_k * t["mall"]), moved)


def times(m: int, n: int, k: int, kind: str = "bf16", chip: str = "gfx942", units: int = 304,
          size: int = 4) -> tuple[list[Mi300Tile], Any]:  # fmt: skip
    """The candidates, and the model's microseconds for C of m x n, of `size` bytes an element, as `costs`."""
    busy, memory = costs(m, n, k, kind, chip, units, size)
    clocks = (busy**OVERLAP + memory**OVERLAP) ** (1 / OVERLAP) + LAUNCH
    return _terms(kind, chip, units)[0], 1e6 * clocks / gpu(chip, units).clock


def share_of(tile: Mi300Tile) -> float:
    """The share of a tile in SHARES."""
    return SHARES[tile.waves_m, tile.waves_n][tile.m][tile.n]


def share(tile: Mi300Tile, kind: str = "bf16", chip: str = "gfx942", units: int = 304) -> float:
    """Share of the matrix pipes' time in the main loop of a tile, as many blocks on a unit as fit, by the model."""
    tiles, t = _terms(kind, chip, units)
    row = tiles.index(tile)
    return float(t["products"][row, 0] / t["full"][row, 0])


@functools.lru_cache(maxsize=1 << 16)
def choose(m: int, n: int, k: int, kind: str = "bf16", chip: str = "gfx942", units: int = 304, size: int = 4,
           least: int = 1, spare: int = 0) -> GemmPlace:  # fmt: skip
    """Place of C of m x n, of `size` bytes an element, with K of k, on a GPU of a chip with so many compute units: what
    takes the least time by the model, of elements of a `kind` ("bf16", "f16", "i8", "f8"). `least`: parts of K at the
    least. `spare`: registers that the tile must leave, for what loads take more."""
    tiles, (busy, memory) = _terms(kind, chip, units)[0], costs(m, n, max(k, 1), kind, chip, units, size)
    if least > 1:
        busy[:, [*(i for i, p in enumerate(PARTS) if p < least), -1]] = math.inf
    if spare:
        busy[_terms(kind, chip, units)[1]["registers"] > REGISTERS - spare] = math.inf
    row, col = divmod(int((busy * busy + memory * memory).argmin()), busy.shape[1])  # OVERLAP
    tile, sku = tiles[row], gpu(chip, units)
    split, fit = (STREAM if col == len(PARTS) else PARTS[col]), int(_terms(kind, chip, units)[1]["fit"][row, 0])
    steps = -(-k // (STEP_BYTES // (1 if kind in ("i8", "f8") else 2)))
    runs = min(units * fit, tiles_of(tile, m, n) * steps) if split == STREAM else 0
    return GemmPlace(tile, split, runs, group_of(tile, m, n, units * fit // sku.dies), sku.dies)


def group_of(tile: Mi300Tile, m: int, n: int, together: int) -> int:
    """Rows of tiles that are gone through together, so that the tiles that a die has at a time read the fewest rows of
    A and B."""
    rows, cols = -(-m // tile.m), -(-n // tile.n)
    together = max(1, min(together, rows * cols))

    least, found = 1 << 62, 1
    for group in GROUPS:
        high = min(group, rows)
        read = high * tile.m + min(-(-together // high), cols) * tile.n
        if read < least:
            least, found = read, group
    return found


def invariant_place(m: int, n: int, k: int, kind: str, chip: str, units: int) -> GemmPlace:
    """The place of a product so that the bits of a row do not depend on how many rows there are: the tile is that of N
    and K with 256 rows, K is in one part. `kind`: the dtype's name."""
    tile, dies = _invariant_tile(n, k, {"bfloat16": "bf16", "float16": "f16"}.get(kind, kind), chip, units)
    return GemmPlace(tile, 1, 0, group_of(tile, m, n, max(1, units // dies)), dies)


@functools.cache
def _invariant_tile(n: int, k: int, kind: str, chip: str, units: int) -> tuple[Mi300Tile, int]:
    tiles, (busy, memory) = _terms(kind, chip, units)[0], costs(256, n, max(k, 1), kind, chip, units, 4)
    whole = (busy * busy + memory * memory)[:, PARTS.index(1)]
    whole[_terms(kind, chip, units)[1]["registers"] > REGISTERS - 64] = math.inf  # whatever loads take
    return tiles[int(whole.argmin())], gpu(chip, units).dies
