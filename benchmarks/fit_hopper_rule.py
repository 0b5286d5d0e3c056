"""Constants of `hopper_rule.py`, held against records of `drawn_gemm.py --others N`, and improved by random steps.

The loss of a set of constants is the mean of log(time of the choice / time of the best tile that was run), with the
choice spread over tiles of nearly equal modeled times, and a sixth of the mean of |log(measured / modeled)|^1.5. The
constants that are committed come from descents on this loss over 11,500 runs of 705 drawn shapes (2026-11-22). A
descent on few shapes is held near them: the loss then has the mean of the squared logs by which constants moved, times
`--pull`. `--held` names records that are reported, and not fitted to.

    python benchmarks/fit_hopper_rule.py RECORD.json ... [--held RECORD.json ...] [--steps 0] [--seed 1] [--pull 0]"""

from __future__ import annotations

import argparse
import ast
import json
import math
import pathlib
import random
import statistics
from typing import Any, NamedTuple

import numpy as np
from drawn_gemm import drawn

from avelang_kernels.matmul import hopper_rule
from avelang_kernels.matmul.hopper_tiles import STREAM, GemmTile

SPREAD = 0.02  # log of the modeled times that count as nearly equal
ERROR = 1 / 6  # weight of the error of times


class Shape(NamedTuple):
    """What was run of a shape: numbers of tiles of `TILES`, their microseconds, and the peer's; `k` in elements of 2
    bytes; `line`, the bytes of which those of a row are a multiple, at most 128; `width`, bytes of an element."""

    m: int
    n: int
    k: int
    line: int
    width: int
    tiles: np.ndarray
    us: np.ndarray
    peer: float


TILES: list[GemmTile] = []  # all that were run


def key(tile: GemmTile) -> tuple[Any, ...]:
    """What tells tiles apart."""
    split = tile.split if tile.split in (1, STREAM) else 2
    return tile[:2] + tile[3:5] + tile[6:10] + (split,)


def model_now() -> dict[int, Any]:
    """The model with the constants that `hopper_rule` has now, for elements of 1 and of 2 bytes."""
    return {width: hopper_rule._Model(2, hopper_rule.SMS, TILES, width) for width in (1, 2)}


def shapes(files: list[pathlib.Path]) -> list[Shape]:
    """The shapes of records of which two tiles or more were run. Adds to `TILES` what it does not have."""
    records = [json.loads(file.read_text()) for file in files]
    rows = [(row, record) for record in records for row in (record["rows"] if isinstance(record, dict) else record)]
    ran = {GemmTile(*ast.literal_eval(name)) for row, _ in rows for name in row["us"] if name.startswith("(")}
    known = {key(tile) for tile in TILES}
    TILES.extend(tile for tile in {key(t): t._replace(group_m=8) for t in ran}.values() if key(tile) not in known)
    numbers, found = {key(tile): i for i, tile in enumerate(model_now()[2].tiles)}, []
    for row, record in rows:
        runs: dict[int, float] = {}
        for name, us in row["us"].items():
            if name.startswith("("):
                number = numbers[key(GemmTile(*ast.literal_eval(name)))]
                runs[number] = min(us, runs.get(number, math.inf))
        if len(runs) > 1:
            bytes_of = 1 if isinstance(record, dict) and record.get("dtype") == "e4m3" else 2
            m, n, k = row["shape"]
            line, peer = math.gcd(128, bytes_of * k), row["us"]["cuBLAS"]
            at, us = np.array(list(runs)), np.array(list(runs.values()))
            found.append(Shape(m, n, k * bytes_of // 2, line, bytes_of, at, us, peer))
    return found


def modeled(model: Any, shape: Shape) -> np.ndarray:
    """Microseconds of the tiles that were run, by the model."""
    us, _ = model[shape.width].times(shape.m, shape.n, shape.k, shape.line, 2)
    return us[shape.tiles]


def loss(data: list[Shape]) -> float:
    """The loss of the constants that `hopper_rule` has now."""
    model, regrets, errors = model_now(), [], []
    for shape in data:
        us = modeled(model, shape)
        fits = np.isfinite(us)
        said, was = np.log(us[fits]), np.log(shape.us[fits])
        weights = np.exp(-(said - said.min()) / SPREAD)
        regrets.append(float(weights @ (was - was.min()) / weights.sum()))
        errors.append(float((np.abs(said - was) ** 1.5).mean()))
    return statistics.fmean(regrets) + ERROR * statistics.fmean(errors)


def report(data: list[Shape]) -> str:
    """How the choices do beside the peer and beside the best tiles that were run."""
    model, chosen, best = model_now(), [], []
    for shape in data:
        us = modeled(model, shape)
        chosen.append(shape.peer / float(shape.us[int(us.argmin())]))
        best.append(shape.peer / float(shape.us.min()))
    rule, top = statistics.geometric_mean(chosen), statistics.geometric_mean(best)
    return f"{len(data)} shapes: choice {rule:.4f} of the peer, least {min(chosen):.3f}; best tile run {top:.4f}"


def improve(data: list[Shape], steps: int, rng: random.Random, pull: float, only: list[str]) -> None:
    """Random steps of a few constants at a time, of `only` these; those that lower the loss are kept. Where all data
    are of 1 byte, the constants of bytes move."""
    constants = hopper_rule.CONSTANTS
    if all(shape.width == 1 for shape in data):
        constants = hopper_rule.CONSTANTS_OF_BYTES
        constants.update({name: constants.get(name, hopper_rule.CONSTANTS[name]) for name in only})
    first = dict(constants)

    def held() -> float:
        moved = (math.log(constants[name] / first[name]) ** 2 for name in first)
        return loss(data) + pull * statistics.fmean(moved)

    least = held()
    for step in range(steps):
        before, size = dict(constants), 0.15 * 0.995**step + 0.01
        for name in rng.sample(only, min(len(only), rng.randint(1, 4))):
            constants[name] *= math.exp(rng.gauss(0, size))
        now = held()
        if now < least:
            least = now
        else:
            constants.update(before)


def grown(count: int, drawn: list[tuple[int, int, int]]) -> list[tuple[GemmTile, float]]:
    """The tiles outside of the rule's table that would lower its times most for drawn shapes, by the model, the best
    first, and by how much on the geometric mean."""
    every, known = hopper_rule._Model(2, hopper_rule.SMS, hopper_rule.every_tile()), hopper_rule.table()
    keys = {key(tile) for tile in known}
    inside = np.array([key(tile) in keys for tile in every.tiles])
    said = np.array([np.log(every.times(m, n, k, math.gcd(128, 2 * k), 2)[0]) for m, n, k in drawn])
    now, found = said[:, inside].min(axis=1), []
    for _ in range(count):
        gains = np.maximum(now[:, None] - said, 0).mean(axis=0)
        best = int(gains.argmax())
        now = np.minimum(now, said[:, best])
        found.append((every.tiles[best], float(gains[best])))
    return found


def line_of(tile: GemmTile) -> str:
    """A tile's line of `hopper_tiles.txt`."""
    m, n, _, *clusters = tile[:5]
    share = {1: "whole", STREAM: "stream"}.get(tile.split, "split")
    numbers = f"{m:>3} {n:>3} " + " ".join(map(str, (*clusters, tile.cluster_k, tile.row_blocks)))
    consumers, side = "pingpong" if tile.pingpong else "-", "transposed" if tile.transposed else "-"
    return f"{numbers} {share:6} {consumers:8} {side}"


def main() -> None:
    """Reads records, and prints how good the constants are, before and after the steps, and the constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=pathlib.Path)
    parser.add_argument("--held", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pull", type=float, default=0.0)
    parser.add_argument("--only", nargs="*", default=sorted(hopper_rule.CONSTANTS), help="constants that may move")
    parser.add_argument("--grow", type=int, default=0, help="tiles to add to the rule's table")
    args = parser.parse_args()
    if args.grow:
        for tile, gain in grown(args.grow, drawn(1500, args.seed)):
            print(line_of(tile), f"  # {gain:.5f}")
        return
    found = shapes([*args.records, *args.held])
    fitted = sum(len(shapes([file])) for file in args.records)
    data, held = found[:fitted], found[fitted:]
    if not data:
        parser.error("the records have no shape of which two tiles or more were run (drawn_gemm.py --others 6)")

    def said() -> None:
        print(report(data), f"loss {loss(data):.5f}")
        if held:
            print("held:", report(held), f"loss {loss(held):.5f}")

    said()
    if args.steps:
        improve(data, args.steps, random.Random(args.seed), args.pull, args.only)
        said()
        for constants in (hopper_rule.CONSTANTS, hopper_rule.CONSTANTS_OF_BYTES):
            print({name: float(f"{value:.4g}") for name, value in constants.items()})


if __name__ == "__main__":
    main()
