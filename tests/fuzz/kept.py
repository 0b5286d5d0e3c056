"""Cases of the tile level and of whole PTX programs that are kept: a program that was wrong as a file, and back."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.drawn import numpy_of

if TYPE_CHECKING:
    from fuzz.scenes import Scene
    from fuzz.tiles import Tiled

LINE = 150


def packed(x: np.ndarray) -> list[Any]:
    return [x.dtype.str if x.dtype.kind in "iuf" else x.dtype.name, list(x.shape), base64.b64encode(zlib.compress(x.tobytes(), 9)).decode()]


def unpacked(found: list[Any]) -> np.ndarray:
    kind, shape, data = found
    try:
        dtype = np.dtype(kind)
    except TypeError:  # one of ml_dtypes
        import ml_dtypes

        dtype = np.dtype(getattr(ml_dtypes, kind))
    return np.frombuffer(zlib.decompress(base64.b64decode(data)), dtype).reshape(shape).copy()


def of_tile(made: Tiled, chip: str, why: str) -> str:
    """A kernel of the tile level on a chip."""
    given = {**made.args, **made.inputs.get(chip, {})}
    kinds = made.kinds[chip]
    said = {
        "why": why, "chip": chip, "text": made.texts[chip].splitlines(), "threads": made.threads[chip], "grid": made.grids[chip], "exact": made.exact, "kinds": kinds,
        "arrays": {n: packed(a) for n, a in given.items() if n in kinds}, "numbers": {n: [type(a).__name__, int(a)] for n, a in given.items() if n not in kinds},
        "order": list(given), "wants": {n: packed(w) for n, w in made.wants.items()},
    }  # fmt: skip
    return json.dumps(said, indent=1) + "\n"


def tile_of(text: str) -> Tiled:
    """What `of_tile` wrote."""
    from fuzz.tile_views import guarded
    from fuzz.tiles import Tiled

    said, args = json.loads(text), {}
    for name in said["order"]:
        if name in said["kinds"]:
            x = unpacked(said["arrays"][name])
            flat = guarded(x.size, said["kinds"][name])
            flat[...] = x.reshape(-1)
            args[name] = flat.reshape(x.shape)
        else:
            kind, value = said["numbers"][name]
            args[name] = np.dtype(kind).type(value)
    chip = said["chip"]
    wants = {n: unpacked(w) for n, w in said["wants"].items()}
    assert all(numpy_of(said["kinds"][n]) == w.dtype for n, w in wants.items())
    return Tiled({chip: "\n".join(said["text"]) + "\n"}, {chip: said["threads"]}, {chip: tuple(said["grid"])}, args, {chip: said["kinds"]}, wants, 0, said["why"], said["exact"])


def of_scene(s: Scene) -> str:
    """A PTX program."""
    m = s.memory
    arrays = {"table": m.table, "fill": np.frombuffer(m.shared, np.uint8), "frags": np.frombuffer(bytes(m.frags), np.uint8), "inputs": s.inputs, "want": s.want}
    return json.dumps({
        "ptx": s.text.splitlines(), "blocks": m.blocks, "arrays": {n: packed(a) for n, a in arrays.items()}, "held": {n: packed(a) for n, a in m.arrays.items()},
        "ends": {n: packed(a) for n, a in s.ends.items()}}, indent=1) + "\n"  # fmt: skip


def scene_of(text: str) -> Scene:
    """What `of_scene` wrote."""
    from fuzz.scene_steps import Memory
    from fuzz.scenes import Block, Scene

    said = json.loads(text)
    arrays, m = {n: unpacked(a) for n, a in said["arrays"].items()}, Memory(0, said["blocks"])
    m.table, m.shared, m.frags = arrays["table"], arrays["fill"].tobytes(), bytearray(arrays["frags"].tobytes())
    m.arrays = {n: unpacked(a) for n, a in said["held"].items()}
    return Scene("\n".join(said["ptx"]) + "\n", Block([]), m, arrays["inputs"], arrays["want"], {n: unpacked(a) for n, a in said["ends"].items()}, 0)
