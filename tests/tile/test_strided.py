"""Windows over views with strides of any kind: drawn ones on all engines against NumPy, products of transposed
matrices, and what is refused."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile import shared, windows
from tile import strided

RUNS = [
    ("gfx942", "reference", 4), ("gfx90a", "reference", 2), ("gfx950", "reference", 2), ("sm_75", "reference", 2),
    ("sm_80", "reference", 3), ("sm_90a", "reference", 2), ("gfx942", "gfx942-exec", 2), ("sm_80", "ptx", 3),
    ("gfx942", "cpu", 2)
]


@pytest.mark.parametrize(("target", "backend", "count"), RUNS)
def test_drawn_strides(target, backend, count):
    """Transposed, overlapping, backwards, of one row again and again; of 1 to 8 bytes; windows that begin before the
    view or reach past it."""
    from hypothesis import given, settings
    from hypothesis import strategies as st

    @settings(max_examples=count, deadline=None, database=None)
    @given(st.integers(0, 2**32 - 1))
    def drawn(seed: int) -> None:
        strided.run(seed, target, backend)

    drawn()


@avelang.constant
def blocked(rows, cols, dtype, wave):
    return tile.Distribution.blocked((rows, cols), dtype, waves=1, wave=wave)


@avelang.jit
def columns(a: al.Pointer(al.f32), o: al.Pointer(al.f32)):
    t = tile.view(a, (16, 16), 1, (1, 16)).window((16, 16), (0, 0), blocked(16, 16, al.f32, al.target().wave)).load()
    tile.view(o, (16, 16)).store(t, (0, 0))


@pytest.mark.parametrize(
    ("target", "backend"),
    [("gfx942", "reference"), ("gfx942", "gfx942-exec"), ("gfx942", "cpu"), ("sm_80", "reference")],
)
def test_transposed(target, backend):
    a, o = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
    columns[1, 64 if target == "gfx942" else 32](a, o, target=target, backend=backend)
    assert np.array_equal(o, a.T)


def product(T, dtype, of_a, of_b, of_c):
    """C = A @ B^T of views with strides."""

    @avelang.jit
    def gemm(
        a: al.Pointer(dtype),
        b: al.Pointer(dtype),
        c: al.Pointer(al.f32),
        m: al.u32,
        n: al.u32,
        k: al.u32,
        lda: al.u32,
        ldb: al.u32,
        ldc: al.u32,  # type: ignore
    ):
        A = tile.view(a, (m, k), 1, (1, lda)) if of_a else tile.view(a, (m, k), 8, (lda, 1))
        B = tile.view(b, (n, k), 1, (1, ldb)) if of_b else tile.view(b, (n, k), 8, (ldb, 1))
        C = tile.view(c, (m, n), 1, (1, ldc)) if of_c else tile.view(c, (m, n), 4, (ldc, 1))

        def finish(sums, at):
            C.store(sums, at)

        tile.multiply(T, A, B, (m, n, k), finish)

    return gemm


def layouts(x: np.ndarray, turned: bool, gap: int) -> tuple[np.ndarray, int]:
    """A matrix as memory, by rows or by columns that begin `gap` elements further than they need to, and how far apart
    they begin."""
    lines = x.T if turned else x
    memory = np.full((len(lines), lines.shape[1] + gap), 7, x.dtype)
    memory[:, : lines.shape[1]] = lines
    return memory, memory.shape[1]


@pytest.mark.parametrize(
    ("target", "pipeline", "backend"),
    [
        ("gfx942", "double-buffer", "reference"), ("gfx950", "direct-to-lds", "reference"),
        ("gfx942", "streamed", "reference"), ("gfx942", "direct-to-lds", "gfx942-exec"),
        ("sm_80", "cp-async", "reference"), ("sm_75", "prefetch", "reference")
    ],
)
def test_products_of_views(target, pipeline, backend):
    """Each of A, B and C by rows and by columns, with gaps between them."""
    rng = np.random.default_rng(5)
    m, n, k = 40, 24, 72
    T = tile.Block(32, 32, 64, (2, 2), pipeline, 2)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(np.float16) for rows in (m, n))
    for turned in ((True, False, True), (False, True, False)) if pipeline == "streamed" else ((False, True, True),):
        memory = [layouts(x, t, 8) for x, t in zip((a, b, np.zeros((m, n), np.float32)), turned, strict=True)]
        (A, lda), (B, ldb), (C, ldc) = memory
        threads = T.on(target, al.f16).threads
        product(T, al.f16, *turned)[T.grid(m, n, 1), threads](A, B, C, m, n, k, lda, ldb, ldc, target=target,
                                                              backend=backend)
        found = C[:, : m if turned[2] else n]
        assert np.array_equal(found.T if turned[2] else found, a.astype(np.float32) @ b.astype(np.float32).T)
        assert (C[:, m if turned[2] else n :] == 7).all()


@avelang.jit
def pitched(a: al.Pointer(al.f16), o: al.Pointer(al.f16), m: al.u32, n: al.u32, lda: al.u32):
    A, O = tile.view(a, (m, n), 8, (lda, 1)), tile.view(o, (m, n), 8, (lda, 1))
    O.store(A.window((32, 32), (0, 0), blocked(32, 32, al.f16, 64)).load(), (0, 0))


def test_rows_with_gaps_stay_buffers():
    """A run-time distance of rows costs AMD a comparison, not a branch, and accesses stay wide."""
    text = compile_text(pitched, {}, (64, 1, 1), "gfx942", "asm")
    assert "buffer_load_dwordx4" in text and "buffer_store_dwordx4" in text and "s_cbranch" not in text


def refusal(fn) -> str:
    with pytest.raises(AveError) as e:
        fn()
    return str(e.value)


def test_what_is_refused():
    """Vectors that strides do not allow, strides of another count, a view that is greater than its tensor."""

    def told(build):
        @avelang.jit
        def kernel(a: al.Pointer(al.f32), o: al.Tensor((8, 8), al.f32)):
            build(a, o)

        return refusal(lambda: compile_text(kernel, {}, (64, 1, 1), "gfx942", "ir"))

    told = [told(f) for f in (sideways, odd_rows, odd_columns, one_stride, too_great)]
    assert ["[T310]" in t for t in told] == [True, True, True, False, False] and all("[T301]" in t for t in told[3:])
    assert "16 elements apart" in told[0] and "rows begin 6" in told[1] and "10 places" in told[2]


@avelang.jit
def sideways(a, o):
    tile.view(a, (16, 16), 4, (1, 16))


@avelang.jit
def odd_rows(a, o):
    tile.view(a, (8, 4), 4, (6, 1))


@avelang.jit
def odd_columns(a, o):
    tile.view(a, (8, 10), 4)


@avelang.jit
def one_stride(a, o):
    tile.view(a, (8, 8), 4, (8,))


@avelang.jit
def too_great(a, o):
    tile.view(o, (16, 8))


@avelang.constant
def several_rows(wave):
    """48 rows of 4: a lane has three of them, 16 apart."""
    return tile.Distribution(tile.Encoding((wave // 16,), ((3, 16), (4,)), ((0, 1),), ((0, 1),), (1, 2), (0, 0)), wave,
                             1)


@avelang.jit
def early(a: al.Pointer(al.f32), o: al.Pointer(al.f32), x: al.Pointer(al.f32), top: al.i32, SHARED: al.constexpr):
    D = several_rows(al.target().wave)
    w = tile.view(a, (40, 4)).window((48, 4), (top, 0), D)
    if SHARED:
        room = shared.shared((48, 4), al.f32, 1, (D,))
        w.load_async(room)
        windows.commit_async()
        windows.wait_async(0)
        al.syncthreads()
        t = room.load(D)
    else:
        t = w.load()
    tile.view(o, (48, 4)).store(t, (0, 0))
    tile.view(x, (40, 4)).store(t, (top, 0))


@pytest.mark.parametrize(
    ("target", "backend"),
    [("gfx942", "gfx942-exec"), ("gfx950", "gfx950-exec"), ("gfx942", "reference"), ("sm_80", "cpu")],
)
@pytest.mark.parametrize("way", [False, True])
def test_lanes_of_several_rows_before_the_first(target, backend, way):
    """A buffer's range check adds an instruction's constant to a lane's offset without wrapping round: rows inside, of
    a lane whose first one is before the view, were out of range."""
    a = np.arange(160, dtype=np.float32).reshape(40, 4) + 1
    o, x = np.full((48, 4), -1, np.float32), np.full((40, 4), -1, np.float32)
    early[1, 32 if target == "sm_80" else 64](a, o, x, -13, way, target=target, backend=backend)
    assert np.array_equal(o, np.concatenate([np.zeros((13, 4)), a[:35]])) and np.array_equal(
        x, np.where(np.arange(40)[:, None] < 35, a, -1)
    )
