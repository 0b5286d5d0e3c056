"""Shapes in words, and a tuned function, come in; arguments are made and tuned, shape after shape; results go out.

A shape is `m=4096 n=4096 k=64`; a number may be drawn: `m=16..16384:8` is a multiple of 8 between, its logarithm
uniform."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
import math
import random
import re
import runpy
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from avelang.base.errors import OWN, AveError, error
from avelang.tuning.tuner import Settings, TuneResult

if TYPE_CHECKING:
    from avelang.tuning.tuned import Tuned

Shape = dict[str, Any]
_RANGE = re.compile(r"(\d+)\.\.(\d+)(?::(\d+))?")


class Tuning(NamedTuple):
    """A shape that was tuned: the result, or the error."""

    shape: Shape
    result: TuneResult | None
    error: AveError | None


def parse_shape(text: str, rng: random.Random) -> Shape:
    """The shape of such words, ranges drawn. Raises L070."""
    found: Shape = {}
    for part in re.split(r"[,\s]+", text.strip()):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier() or name in found or not value:
            why = f"`{part}` is no name=value, and names are given once"
            raise error("L070", name=f"the shape `{text}`", why=why, hint="a shape is m=4096,n=512 or m=16..4096:8")
        found[name] = _drawn(text, value, rng)
    return found


def _drawn(text: str, value: str, rng: random.Random) -> Any:
    span = _RANGE.fullmatch(value)
    if span is None:
        try:
            return json.loads(value)
        except ValueError:
            return value
    low, high, step = int(span[1]), int(span[2]), int(span[3] or 1)
    least, most = -(-low // step), high // step
    if not 0 < least <= most:
        raise error("L070", name=f"the shape `{text}`", why=f"there is nothing to draw in {value}",
                    hint="m=16..4096:8: the least, the most, a multiple of what")
    drawn = round(math.exp(rng.uniform(math.log(least), math.log(most))))
    return min(max(drawn, least), most) * step


def parse_shapes(texts: Iterable[str], draws: int = 1, seed: int = 0) -> list[Shape]:
    """The shapes of texts with `;` between them, each once; those with ranges `draws` times. Raises L070."""
    rng = random.Random(seed)
    found: list[Shape] = []
    for text in (part for several in texts for part in several.split(";") if part.strip()):
        for _ in range(draws if ".." in text else 1):
            shape = parse_shape(text, rng)
            if shape not in found:
                found.append(shape)
    return found


def load(target: str, run: Callable[[str, str], Mapping[str, Any]] | None = None) -> Tuned:
    """The tuned function that `FILE.py:name` or `module:name` names. `run(file, name)` runs a file and gives its
    globals. Raises L073 for what is not tuned, and what the file raises."""
    from avelang.tuning.tuned import Tuned

    place, _, name = target.rpartition(":")
    if not place or not name:
        raise error("L073", name=target, why="it does not say FILE.py:NAME or MODULE:NAME")
    if place.endswith(".py"):
        if not Path(place).is_file():
            raise error("L073", name=target, why=f"there is no file {place}")
        stem = Path(place).stem
        have: Mapping[str, Any] = run(place, stem) if run is not None else runpy.run_path(place, run_name=stem)
    else:
        if importlib.util.find_spec(place.partition(".")[0]) is None or importlib.util.find_spec(place) is None:
            raise error("L073", name=target, why=f"there is no file and no module {place}")
        have = vars(importlib.import_module(place))
    first, *rest = name.split(".")
    found = have.get(first)
    for part in rest:
        found = getattr(found, part, None)
    if not isinstance(found, Tuned):
        tunable = ", ".join(x for x, y in have.items() if isinstance(y, Tuned)) or "nothing"
        why = f"{place} has no tuned function of that name (it has {tunable})"
        raise error("L073", name=target, why=why, hint="put @avelang.tune above it")
    return found


def tune_shapes(tuned: Tuned, shapes: Sequence[Mapping[str, Any]], settings: Settings,
                told: Callable[[Tuning], object] = lambda done: None) -> list[Tuning]:  # fmt: skip
    """Tunes shape after shape, each with its part of the seconds that are left; one that cannot be tuned does not keep
    others from it. `told` hears of each."""
    found, end = [], time.monotonic() + settings.seconds
    for i, shape in enumerate(shapes):
        left = max(1.0, (end - time.monotonic()) / (len(shapes) - i))
        found.append(tune_shape(tuned, shape, dataclasses.replace(settings, seconds=left)))
        told(found[-1])
    return found


def tune_shape(tuned: Tuned, shape: Mapping[str, Any], settings: Settings) -> Tuning:
    """Tunes one shape. An exception of a function of the user's (its inputs, its reference, ...) is L073."""
    from avelang.tuning.tuner import tune_call

    try:
        return Tuning(dict(shape), tune_call(tuned, tuned.inputs_for(shape), {}, settings), None)
    except AveError as e:
        return Tuning(dict(shape), None, e)
    except Exception as e:  # whatever the user's function raises
        frames = traceback.extract_tb(e.__traceback__)
        ours = max(i for i, f in enumerate(frames) if f.filename.startswith(OWN))
        at = "".join(f" ({Path(f.filename).name}:{f.lineno})" for f in frames[ours + 1 : ours + 2])  # what was called
        why = f"{type(e).__name__}: {e}{at}"
        return Tuning(dict(shape), None, error("L073", tuned.span, name=tuned.name, why=why))


def record(done: Tuning) -> dict[str, Any]:
    """A tuning as JSON values."""
    if done.result is None:
        assert done.error is not None
        return {"shape": done.shape, "error": {"code": done.error.code, "message": done.error.message}}
    r = done.result
    return {
        "shape": done.shape, "choice": r.row.values, "row": dataclasses.asdict(r.row),
        "verdicts": {text: v._asdict() for text, v in r.verdicts.items()}, "seconds": round(r.seconds, 3),
    }  # fmt: skip
