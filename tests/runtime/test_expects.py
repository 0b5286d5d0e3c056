"""What kernels expect of launches: told by Python and by the host code alike, for drawn expressions; promises of the tile level on every engine."""

import ctypes
import random

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.ir.elementwise import COMPARE, INT
from avelang.passes.collect_expects import collect
from avelang.runtime import compile, expects

ENGINES = [{"backend": "reference"}, {"backend": "cpu"}, {"target": "gfx942"}]


def told(kernel, geometry, *args, **options) -> AveError:
    with pytest.raises(AveError) as e:
        kernel[geometry](*args, **options)
    return e.value


@avelang.jit
def kernel(o: al.Pointer(al.i32), n: al.u32, s: al.i32 = 0):
    al.expect(n % 4 == 0, "n to be a multiple of 4", n)
    al.expect(al.grid_dim(0) >= (n + 3) // 4, "a block for each four")
    if n > 8:
        al.expect(s < 0, "s below 0 where n is above 8", s)
    if al.thread_id(0) == 0:
        o[al.block_id(0)] = al.convert(n, al.i32)


@pytest.mark.parametrize("options", ENGINES, ids=["reference", "cpu", "executed"])
def test_a_launch_like_one_before_is_looked_at(options):
    """First, again by the fast path, then with other numbers and other grids."""
    o = np.zeros(8, np.int32)
    for _ in range(3):
        kernel[2, 64](o, 8, 1, **options)
    e = told(kernel, (2, 64), o, 6, 1, **options)
    assert e.code == "L050" and "a multiple of 4, got 6" in str(e) and "n=6" in e.hint and e.span.file == __file__
    assert "each four" in str(told(kernel, (1, 64), o, 8, 1, **options))
    kernel[4, 64](o, 16, -1, **options)
    assert "got 1" in str(told(kernel, (4, 64), o, 16, 1, **options))
    assert list(o[:5]) == [16, 16, 16, 16, 0]


@avelang.jit
def never(o: al.Pointer(al.i32), N: al.constexpr):
    al.expect(N % 4 == 0, "N to be a multiple of 4", N)


@avelang.jit
def unnamed(o: al.Pointer(al.i32)):
    al.expect(True, 5)


def test_known_at_compile_time():
    e = told(never, (1, 64), np.zeros(1, np.int32), 6)
    assert e.code == "T311" and "got 6" in str(e)
    assert told(unnamed, (1, 64), np.zeros(1, np.int32)).code == "T017"


@avelang.jit
def by_block(o: al.Pointer(al.i32), i: al.Pointer(al.i32)):
    al.expect(i[0] == 3, "a three in memory", i[0])
    al.expect(al.thread_id(0) < 32, "threads below 32")


def test_the_reference_sees_the_rest():
    """What stands in memory, and what threads differ in."""
    o, i = np.zeros(1, np.int32), np.array([3], np.int32)
    by_block[1, 32](o, i, backend="reference")
    assert "below 32" in str(told(by_block, (1, 64), o, i, backend="reference"))
    i[0] = 4
    e = told(by_block, (1, 32), o, i, backend="reference")
    assert e.code == "L050" and "got 4" in str(e) and "thread" in e.hint
    by_block[1, 64](o, i, backend="cpu")


# -- the two that compute ------------------------------------------------------------------------------------------------------------------


def drawn(r: random.Random) -> dict:
    """Rows over three numbers and the grid."""
    rows = [["arg", 0, 0, 0, 32, 0], ["arg", 1, 0, 0, 32, 1], ["arg", 2, 0, 0, 64, 1], ["grid", 0, 0, 0, 64, 1], ["const", r.choice((0, 1, 4, 7, 31)), 0, 0, 64, 1]]
    for _ in range(12):
        name = r.choice([*INT, *COMPARE, "select", "convert", "not", "neg"])
        bits, signed = r.choice(((32, 0), (32, 1), (16, 0), (8, 1)))
        x = [r.randrange(len(rows)) for _ in range(3)]
        if name in INT or name in COMPARE:
            # Operands of an op have its dtype.
            for i in range(2):
                rows.append(["convert", x[i], 0, 0, bits, signed])
            x = [len(rows) - 2, len(rows) - 1, 0]
        rows.append([name, *x, *((64, 1) if name in COMPARE else (bits, signed))])
    return {"rows": rows, "asked": [["it", len(rows) - 1, -1, []]]}


def test_the_host_code_computes_what_python_does():
    """Each row of a drawn program is asked to be what Python makes of it, and what it is not."""
    from avelang.runtime.native import native

    kept = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(native().kept_address)
    r = random.Random(7)
    for _ in range(200):
        found, grid = drawn(r), (r.choice((1, 5, 65535)), 1, 1)
        numbers = [r.choice((0, 1, 3, 2**31, 2**32 - 1)), r.choice((0, -1, 5, -(2**31), 2**31 - 1)), r.choice((0, -7, 2**40))]
        slots = [n & (2**64 - 1) for n in numbers]
        want = expects.values(found["rows"], slots, grid)
        for wrong in (0, 1):
            rows, asked = [*found["rows"]], []
            for i, x in enumerate(want):
                rows += [["const", x + wrong, 0, 0, 64, 1], ["eq", i, len(rows), 0, 64, 1]]
                asked.append(["", len(rows) - 1, -1, []])
            table = expects.table({"rows": rows, "asked": asked})
            assert kept(table, (ctypes.c_uint64 * 3)(*slots), (ctypes.c_uint32 * 3)(*grid)) == 1 - wrong, (found, numbers, grid)


def test_more_than_the_host_code_takes():
    with pytest.raises(ValueError, match="300 rows"):
        expects.table({"rows": [["const", 0, 0, 0, 64, 1]] * 300, "asked": [["", 0, -1, []]]})


# -- promises of the tile level --------------------------------------------------------------------------------------------------------------


@avelang.constant
def spread(wave):
    return tile.Distribution.blocked((16, 16), al.f32, waves=1, wave=wave)


@avelang.jit
def copied(a: al.Pointer(al.f32), o: al.Pointer(al.f32), m: al.u32, n: al.u32, lda: al.u32, left: al.u32, V: al.constexpr = 4):
    A, O = tile.view(a, (m, n), V), tile.view(o, (m, n), V, (lda, 1))
    O.store(A.window((16, 16), (0, left), spread(al.target().wave)).load(), (0, left))


@pytest.mark.parametrize("options", ENGINES, ids=["reference", "cpu", "executed"])
def test_vectors_that_rows_do_not_have(options):
    """The last extent, the distance of rows, the origin of a window; with vector=1 all are right."""
    a, o = np.arange(320, dtype=np.float32), np.zeros(400, np.float32)
    threads = 64
    copied[1, threads](a, o, 16, 16, 20, 4, target="gfx942", **({} if "target" in options else options))
    for n, lda, left, why in ((14, 16, 0, "last extent"), (12, 18, 0, "rows of a view"), (16, 16, 2, "to begin at a multiple of 4")):
        options = {"target": "gfx942", **options}
        e = told(copied, (1, threads), a, o, 16, n, lda, left, **options)
        assert e.code == "L050" and why in str(e)
        o[:] = 0
        copied[1, threads](a, o, 16, n, lda, left, 1, **options)
        found = np.lib.stride_tricks.as_strided(o, (16, n), (lda * 4, 4))
        assert np.array_equal(found[:, left:], a[: 16 * n].reshape(16, n)[:, left:])


@avelang.jit
def gemm(a: al.Pointer(al.f16), b: al.Pointer(al.f16), c: al.Pointer(al.f32), m: al.u32, n: al.u32, k: al.u32, T: al.constexpr):
    A, B, C = tile.view(a, (m, k), 8), tile.view(b, (n, k), 8), tile.view(c, (m, n), 4)

    def finish(sums, at):
        C.store(sums, at)

    tile.multiply(T, A, B, (m, n, k), finish)


@pytest.mark.parametrize("options", [{"backend": "reference"}, {"backend": "cpu"}, {}], ids=["reference", "cpu", "executed"])
def test_a_grid_that_leaves_tiles_out(options):
    T = tile.Block(32, 32, 32, (1, 1), "single")
    threads = T.on("gfx942", al.f16).threads
    a, b, c = np.ones((40, 32), np.float16), np.ones((36, 32), np.float16), np.zeros((40, 36), np.float32)
    for grid in (4, 7):
        gemm[grid, threads](a, b, c, 40, 36, 32, T, target="gfx942", **options)
        assert (c == 32).all()
    e = told(gemm, (3, threads), a, b, c, 40, 36, 32, T, target="gfx942", **options)
    assert e.code == "L050" and "got 4" in str(e) and "each tile of C" in str(e)


def test_rows_too_far_apart_for_offsets():
    """Of AMD's buffers: 16 rows of 2^27 bytes and more are beyond 2 GiB. Known distances take another way to memory."""
    found = collect(compile.build(copied.source, {"V": 4}, "gfx942"), (64, 1, 1))
    launch = type("Launch", (), {"grid": (1, 1, 1), "block": (64, 1, 1)})
    names = ["a", "o", "m", "n", "lda", "left"]
    assert expects.unmet("k", found, names, [0, 0, 16, 16, 16, 0], launch) is None
    broken = expects.unmet("k", found, names, [0, 0, 16, 16, 1 << 26, 0], launch)
    assert broken is not None and broken.code == "L050" and "2 GiB" in str(broken)
