"""Slices of tiles, other shapes of their elements, and sorts of any extent: drawn, against NumPy on the same words, on
all engines."""

import importlib.util

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from tile.words import RUNS, launch


@avelang.jit
def flat_store(out, t):
    """A tile, its elements in row-major order."""
    SIZE = 1
    for n in t.shape:
        SIZE = SIZE * n
    place = 0
    for d in range(len(t.shape)):
        SIZE = SIZE // t.shape[d]
        at = tile.arange(t.shape[d])
        for _ in range(len(t.shape) - 1 - d):
            at = at[..., None]
        place = at * SIZE + place
    tile.store(out, place, t)


PROGRAM = """import avelang
import avelang.language as al
from avelang import tile
from tile.test_parts import flat_store


@avelang.jit
def part_of(x: al.Pointer[al.f32], out: al.Pointer[al.f32]):
    at = tile.arange({M})[:, None] * {N} + tile.arange({N})
    t = {t}
    flat_store(out, t[{index}])
"""


def part_of(folder, **words):
    file = folder / f"part{len(list(folder.iterdir()))}.py"
    file.write_text(PROGRAM.format(**words))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.part_of


def written(p):
    """An index as one writes it."""
    if not isinstance(p, slice):
        return str(p)
    return ":".join("" if x is None else str(x) for x in (p.start, p.stop, *([p.step] if p.step is not None else [])))


@avelang.jit
def reshape(x: al.Pointer(al.f32), out: al.Pointer(al.f32), SHAPE: al.constexpr, TO: al.constexpr):
    M, N = SHAPE
    t = tile.load(x, tile.arange(M)[:, None] * N + tile.arange(N))
    flat_store(out, t.reshape(TO) if len(TO) != 2 else t.reshape(TO[0], TO[1]))


@avelang.jit
def sorted_rows(x: al.Pointer(al.f32), up: al.Pointer(al.f32), places: al.Pointer(al.i32), most: al.Pointer(al.f32),
                SHAPE: al.constexpr, AXIS: al.constexpr, K: al.constexpr):
    M, N = SHAPE
    t = tile.load(x, tile.arange(M)[:, None] * N + tile.arange(N))
    flat_store(up, tile.sort(t, AXIS))
    flat_store(places, tile.argsort(t, AXIS, descending=True))
    flat_store(most, tile.topk(t, K, AXIS)[0])


SHAPES = [(8, 32), (4, 64), (6, 20), (3, 128), (16, 16), (5, 7)]
THREADS = [64, 128, 256]


def drawn_slice(rng, n):
    kind = rng.integers(6)
    if kind == 0:
        return slice(None)
    if kind == 1:
        return int(rng.integers(-n, n))
    if kind == 5:
        return slice(None, None, -1)
    a, b = sorted(rng.choice(n + 1, 2, replace=False).tolist())
    if kind == 2:
        return slice(a, b)
    if kind == 3:
        return slice(a, b, int(rng.integers(1, 4)))
    return slice(a - n - 1 if a else None, b - n if b < n else None)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_drawn_parts(run, tmp_path):
    rng = np.random.default_rng(RUNS.index(run))
    count = 10 if run[1] == "reference" else 5
    for _ in range(count):
        M, N = SHAPES[rng.integers(len(SHAPES))]
        form = bool(rng.integers(2))
        x = rng.standard_normal((M, N)).astype(np.float32)
        index = [drawn_slice(rng, M), drawn_slice(rng, N)][: rng.integers(1, 3)]
        index.insert(int(rng.integers(3)), None)
        at = np.arange(M * N).reshape(M, N)
        want = np.asarray((at * 2 - at % 3 if form else x)[tuple(index)], np.float32)
        if want.size == 0:
            continue
        out, t = np.full(want.size, 99, np.float32), "(at * 2 - at % 3).astype(al.f32)" if form else "tile.load(x, at)"
        kernel = part_of(tmp_path, M=M, N=N, t=t, index=", ".join(map(written, index)))
        launch(kernel, run, 1, int(rng.choice(THREADS)), (x, out))
        assert np.array_equal(out.reshape(want.shape), want), (M, N, index, form)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_drawn_shapes(run):
    rng = np.random.default_rng(RUNS.index(run))
    for (M, N), to in [((8, 32), (4, -1)), ((6, 20), (2, 3, 20)), ((4, 64), (16, 4, 4)), ((3, 128), (128, 3)), ((5, 7), (35,)),
                       ((16, 16), (-1,)), ((6, 20), (24, 5))]:  # fmt: skip
        x = rng.standard_normal((M, N)).astype(np.float32)
        out = np.zeros(M * N, np.float32)
        launch(reshape, run, 1, int(rng.choice(THREADS)), (x, out), SHAPE=(M, N), TO=to)
        assert np.array_equal(out.reshape(to), x.reshape(to)), (M, N, to)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_sorts_of_any_extent(run):
    rng = np.random.default_rng(RUNS.index(run))
    cases = [((4, 30), 1), ((12, 8), 0), ((2, 100), -1), ((3, 7), 1), ((5, 16), 0), ((1, 130), 1)]
    for shape, axis in cases if run[1] == "reference" else [cases[i] for i in rng.choice(6, 2, replace=False)]:
        x = rng.integers(-5, 6, shape).astype(np.float32)
        x[0, 1:3] = np.nan, np.inf
        x[-1, 0] = -np.inf
        n = shape[axis]
        k = int(rng.integers(1, n + 1))
        up, places, most = np.zeros(x.size, np.float32), np.zeros(x.size, np.int32), np.zeros(x.size // n * k, np.float32)
        launch(sorted_rows, run, 1, 64, (x, up, places, most), SHAPE=shape, AXIS=axis, K=k)
        order = np.sort(x, axis)
        assert np.array_equal(up.reshape(shape), order, equal_nan=True), (shape, axis)
        down = np.flip(order, axis)
        assert np.array_equal(np.take_along_axis(x, places.reshape(shape), axis), down, equal_nan=True)
        assert np.array_equal(np.sort(places.reshape(shape), axis), np.broadcast_to(
            np.arange(n).reshape([n if a == axis % 2 else 1 for a in range(2)]), shape))  # fmt: skip
        first = np.take(down, np.arange(k), axis)
        assert np.array_equal(most.reshape(first.shape), first, equal_nan=True)


@avelang.jit
def wrong(x: al.Pointer(al.f32), n: al.u32, CASE: al.constexpr):
    t = tile.load(x, tile.arange(8)[:, None] * 8 + tile.arange(8))
    if CASE == 0:
        t = t[:, 8:]
    elif CASE == 1:
        t = t[n]
    elif CASE == 2:
        t = t[8]
    elif CASE == 3:
        t = t[:n]
    elif CASE == 4:
        t = t.reshape((5, -1))
    elif CASE == 5:
        t = t.reshape((n, 8))
    elif CASE == 6:
        t = t[0, 0, 0]
    elif CASE == 7:
        t = t[::0]
    tile.store(x, 0, t)


@pytest.mark.parametrize(("case", "said"), [(0, "[:, 8:]"), (1, "a number of the launch"), (2, "[8]"), (3, "a run-time value"),
    (4, "64 elements"), (5, "known at compile time"), (6, "[0, 0, 0]"), (7, "[::0]")])  # fmt: skip
def test_what_is_refused(case, said):
    with pytest.raises(AveError, match="T017" if case == 3 else "T301") as caught:
        compile_text(wrong, {"CASE": case}, (64, 1, 1), "sm_80", "ir")
    assert said in str(caught.value), caught.value
    assert "t = t" in str(caught.value)
