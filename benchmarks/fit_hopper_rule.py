"""Constants of `hopper_rule.py`, held against records of `drawn_gemm.py --others N`, and improved by random steps.

The loss of a set of constants is the mean of log(time of the choice / time of the best tile that was run), with the
choice spread over tiles of nearly equal modeled times, and a sixth of the mean of |log(measured / modeled)|^1.5. The
constants that are committed come from descents on this loss over 11,500 runs of 705 drawn shapes (2026-11-22).

    python benchmarks/fit_hopper_rule.py RECORD.json ... [--steps 0] [--seed 1]"""

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

from avelang_kernels.matmul import hopper_rule
from avelang_kernels.matmul.hopper_tiles import STREAM, GemmTile

SPREAD = 0.02  # log of the modeled times that count as nearly equal
ERROR = 1 / 6  # weight of the error of times


class Shape(NamedTuple):
    """What was run of a shape: numbers of tiles in the model's table, their microseconds, and cuBLAS's."""

    m: int
    n: int
    k: int
    tiles: np.ndarray
    us: np.ndarray
    cublas: float


def key(tile: GemmTile) -> tuple[Any, ...]:
    """What tells tiles of the table apart."""
    split = tile.split if tile.split in (1, STREAM) else 2
    return tile[:2] + tile[3:5] + tile[6:10] + (split,)


def shapes(files: list[pathlib.Path]) -> list[Shape]:
    """The shapes of records of which two tiles of the table or more were run."""
    table = {key(tile): i for i, tile in enumerate(hopper_rule._Model(2, hopper_rule.SMS).tiles)}
    found = []
    for file in files:
        record = json.loads(file.read_text())
        for row in record["rows"] if isinstance(record, dict) else record:
            runs = {}
            for name, us in row["us"].items():
                number = table.get(key(GemmTile(*ast.literal_eval(name)))) if name.startswith("(") else None
                if number is not None:
                    runs[number] = min(us, runs.get(number, math.inf))
            if len(runs) > 1:
                numbers, times = np.array(list(runs)), np.array(list(runs.values()))
                m, n, k = row["shape"]
                found.append(Shape(m, n, k, numbers, times, row["us"]["cuBLAS"]))
    return found


def modeled(model: Any, shape: Shape) -> np.ndarray:
    """Microseconds of the tiles that were run, by the model."""
    us, _ = model.times(shape.m, shape.n, shape.k, math.gcd(128, 2 * shape.k), 2)
    return us[shape.tiles]


def loss(data: list[Shape]) -> float:
    """The loss of the constants that `hopper_rule` has now."""
    model, regrets, errors = hopper_rule._Model(2, hopper_rule.SMS), [], []
    for shape in data:
        us = modeled(model, shape)
        fits = np.isfinite(us)
        said, was = np.log(us[fits]), np.log(shape.us[fits])
        weights = np.exp(-(said - said.min()) / SPREAD)
        regrets.append(float(weights @ (was - was.min()) / weights.sum()))
        errors.append(float((np.abs(said - was) ** 1.5).mean()))
    return statistics.fmean(regrets) + ERROR * statistics.fmean(errors)


def report(data: list[Shape]) -> str:
    """How the choices do beside cuBLAS and beside the best tiles that were run."""
    model, chosen, best = hopper_rule._Model(2, hopper_rule.SMS), [], []
    for shape in data:
        us = modeled(model, shape)
        chosen.append(shape.cublas / float(shape.us[int(us.argmin())]))
        best.append(shape.cublas / float(shape.us.min()))
    rule, top = statistics.geometric_mean(chosen), statistics.geometric_mean(best)
    return f"{len(data)} shapes: choice {rule:.4f} of cuBLAS, least {min(chosen):.3f}; best tile run {top:.4f}"


def improve(data: list[Shape], steps: int, rng: random.Random) -> None:
    """Random steps of a few constants at a time; those that lower the loss are kept."""
    constants, least = hopper_rule.CONSTANTS, loss(data)
    for step in range(steps):
        before, size = dict(constants), 0.15 * 0.995**step + 0.01
        for name in rng.sample(sorted(constants), rng.randint(1, 4)):
            constants[name] *= math.exp(rng.gauss(0, size))
        now = loss(data)
        if now < least:
            least = now
        else:
            constants.update(before)


def main() -> None:
    """Reads records, and prints how good the constants are, before and after the steps, and the constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    data = shapes(args.records)
    print(report(data), f"loss {loss(data):.5f}")
    if args.steps:
        improve(data, args.steps, random.Random(args.seed))
        print(report(data), f"loss {loss(data):.5f}")
        print({name: float(f"{value:.4g}") for name, value in hopper_rule.CONSTANTS.items()})


if __name__ == "__main__":
    main()
