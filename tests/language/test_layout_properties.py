"""Property tests: drawn layouts, nested modes, views and subviews address what NumPy's strides address, and touch
nothing else."""

import ml_dtypes
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al

few = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
SIZE = 1 << 12  # elements of the memory behind every layout

extents = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)


@st.composite
def injective(draw, shape):
    """Strides under which no two coordinates meet: a permutation of the modes, with gaps."""
    strides, step = [0] * len(shape), 1
    for mode in draw(st.permutations(range(len(shape)))):
        step *= draw(st.integers(1, 2))
        strides[mode] = step
        step *= shape[mode]
    return tuple(strides)


def strided(memory, shape, strides, offset=0):
    """NumPy's own reading of a layout."""
    size = memory.itemsize
    return np.lib.stride_tricks.as_strided(memory[offset:], shape, [s * size for s in strides])


def walk(rank):
    """Kernels that read and write a layout of `rank` leaves at the coordinates of each thread, row by row."""
    if rank == 1:

        @avelang.jit
        def kernel(
            p: al.Pointer(al.i32), out: al.Pointer(al.i32), SHAPE: al.constexpr, STRIDES: al.constexpr, N: al.constexpr
        ):
            x = al.make_tensor(p, al.i32, al.make_layout(SHAPE, STRIDES))
            y = al.make_tensor(out, al.i32, al.make_layout((N,), (1,)))
            t = al.thread_id(0)
            y[t] = x[t]
            x[t] = -y[t]
    elif rank == 2:

        @avelang.jit
        def kernel(
            p: al.Pointer(al.i32), out: al.Pointer(al.i32), SHAPE: al.constexpr, STRIDES: al.constexpr, N: al.constexpr
        ):
            x = al.make_tensor(p, al.i32, al.make_layout(SHAPE, STRIDES))
            y = al.make_tensor(out, al.i32, al.make_layout((N,), (1,)))
            t = al.thread_id(0)
            y[t] = x[t // SHAPE[1], t % SHAPE[1]]
            x[t // SHAPE[1], t % SHAPE[1]] = -y[t]
    else:

        @avelang.jit
        def kernel(
            p: al.Pointer(al.i32), out: al.Pointer(al.i32), SHAPE: al.constexpr, STRIDES: al.constexpr, N: al.constexpr
        ):
            x = al.make_tensor(p, al.i32, al.make_layout(SHAPE, STRIDES))
            y = al.make_tensor(out, al.i32, al.make_layout((N,), (1,)))
            t = al.thread_id(0)
            y[t] = x[t // (SHAPE[1] * SHAPE[2]), t // SHAPE[2] % SHAPE[1], t % SHAPE[2]]
            x[t // (SHAPE[1] * SHAPE[2]), t // SHAPE[2] % SHAPE[1], t % SHAPE[2]] = -y[t]

    return kernel


WALK = {rank: walk(rank) for rank in (1, 2, 3)}


@few
@given(st.data())
def test_layouts_are_numpys_strides(launch, data):
    shape = data.draw(extents)
    strides = data.draw(injective(shape))
    n = int(np.prod(shape))
    memory = np.arange(1, SIZE + 1, dtype=np.int32)
    want = memory.copy()
    view = strided(want, shape, strides)
    read = view.ravel().copy()
    view *= -1
    out = np.zeros(n, np.int32)
    launch(WALK[len(shape)], memory, out, shape, strides, n, block=n)
    np.testing.assert_array_equal(out, read)
    np.testing.assert_array_equal(memory, want)


@avelang.jit
def by_one_integer(
    p: al.Pointer(al.i32), out: al.Pointer(al.i32), SHAPE: al.constexpr, STRIDES: al.constexpr, N: al.constexpr
):
    x = al.make_tensor(p, al.i32, al.make_layout((SHAPE,), (STRIDES,)))
    y = al.make_tensor(out, al.i32, al.make_layout((N,), (1,)))
    t = al.thread_id(0)
    y[t] = x[t]


@few
@given(st.data())
def test_one_integer_runs_through_a_nested_mode_first_leaf_fastest(launch, data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=3).map(tuple))
    strides = data.draw(injective(shape))
    n = int(np.prod(shape))
    memory, out = np.arange(SIZE, dtype=np.int32), np.zeros(n, np.int32)
    launch(by_one_integer, memory, out, shape, strides, n, block=n)
    np.testing.assert_array_equal(out, strided(memory, shape, strides).ravel(order="F"))


@avelang.jit
def through_subview(
    p: al.Pointer(al.i32), SHAPE: al.constexpr, STRIDES: al.constexpr, OFFSETS: al.constexpr, SIZES: al.constexpr,
    STEPS: al.constexpr,
    dx: al.u32, dy: al.u32,
):  # fmt: skip
    x = al.make_tensor(p, al.i32, al.make_layout(SHAPE, STRIDES))
    fixed = al.subview(x, OFFSETS, SIZES, STEPS)
    moved = al.subview(x, (dx, dy), SIZES, STEPS)
    t = al.thread_id(0)
    v = fixed[t // SIZES[1], t % SIZES[1]]
    moved[t // SIZES[1], t % SIZES[1]] = -v


@few
@given(st.data())
def test_subviews_are_numpys_slices(launch, data):
    shape = data.draw(st.tuples(st.integers(2, 9), st.integers(2, 9)))
    strides = data.draw(injective(shape))
    steps = data.draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    offsets = tuple(data.draw(st.integers(0, e - 1)) for e in shape)
    sizes = tuple(
        data.draw(st.integers(1, (e - o + s - 1) // s)) for e, o, s in zip(shape, offsets, steps, strict=True)
    )
    memory = np.arange(1, SIZE + 1, dtype=np.int32)
    want = memory.copy()
    window = tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, steps, strict=True))
    strided(want, shape, strides)[window] *= -1
    launch(through_subview, memory, shape, strides, offsets, sizes, steps, *offsets, block=int(np.prod(sizes)))
    np.testing.assert_array_equal(memory, want)


@avelang.jit
def through_view(
    p: al.Pointer(al.bf16), out: al.Pointer(al.u32), ROWS: al.constexpr, COLS: al.constexpr, START: al.constexpr,
    SHAPE: al.constexpr,
    STRIDES: al.constexpr,
):  # fmt: skip
    x = al.make_tensor(p, al.bf16, al.make_layout((ROWS, COLS), (COLS, 1)))
    below = al.subview(x, (START, 0), (ROWS - START, COLS), (1, 1))
    words = al.view(below, al.u32, al.make_layout(SHAPE, STRIDES))
    y = al.make_tensor(out, al.u32, al.make_layout((SHAPE[0] * SHAPE[1],), (1,)))
    t = al.thread_id(0)
    y[t] = words[t // SHAPE[1], t % SHAPE[1]]


@few
@given(st.data())
def test_views_of_subviews_reinterpret_from_the_offset(launch, data):
    rows, cols = data.draw(st.integers(3, 8)), data.draw(st.sampled_from([4, 8, 16]))
    start = data.draw(st.integers(0, rows - 2))
    words = (rows - start) * cols // 2
    shape = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    strides = data.draw(injective(shape))
    while sum((e - 1) * s for e, s in zip(shape, strides, strict=True)) >= words:
        shape = tuple(max(1, e - 1) for e in shape)
    memory = np.random.default_rng(rows).standard_normal((rows, cols)).astype(ml_dtypes.bfloat16)
    out = np.zeros(shape, np.uint32)
    launch(through_view, memory, out, rows, cols, start, shape, strides, block=int(np.prod(shape)))
    np.testing.assert_array_equal(out, strided(memory.view(np.uint32).ravel(), shape, strides, start * cols // 2))


@avelang.jit
def whole_rows(p: al.Pointer(al.i32), out: al.Pointer(al.i32), SHAPE: al.constexpr, STRIDES: al.constexpr):
    x = al.make_tensor(p, al.i32, al.make_layout(SHAPE, STRIDES))
    y = al.make_tensor(out, al.i32, al.make_layout(SHAPE, (SHAPE[1] * SHAPE[2], SHAPE[2], 1)))
    t = al.thread_id(0)
    row = x[t]
    x[t] = al.full((SHAPE[1], SHAPE[2]), -7, al.i32)
    y[t] = row


@few
@given(st.data())
def test_sub_tensors_read_and_write_all_that_remains(launch, data):
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4)))
    strides = data.draw(injective(shape))
    memory = np.arange(SIZE, dtype=np.int32)
    want, out = memory.copy(), np.zeros(shape, np.int32)
    view = strided(want, shape, strides)
    read = view.copy()
    view[...] = -7
    launch(whole_rows, memory, out, shape, strides, block=shape[0])
    np.testing.assert_array_equal(out, read)
    np.testing.assert_array_equal(memory, want)
