"""Tensors and layouts: strides, nested modes, coordinates, sub-tensors, views, subviews, register tensors."""

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al

BF16 = ml_dtypes.bfloat16


@avelang.jit
def row_major(x: al.Tensor((4, 6), al.i32), out: al.Tensor((4, 6), al.i32)):
    t = al.thread_id(0)
    out[t // 6, t % 6] = x[t // 6, t % 6] + 1


def test_a_shape_alone_is_row_major(launch):
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    out = np.zeros_like(x)
    launch(row_major, x, out, block=24)
    np.testing.assert_array_equal(out, x + 1)


@avelang.jit
def with_strides(p: al.Pointer(al.i32), out: al.Tensor((4, 3), al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout((4, 3), (1, 5)))
    t = al.thread_id(0)
    out[t // 3, t % 3] = x[t // 3, t % 3]


def test_strides_of_a_layout(launch):
    memory = np.arange(20, dtype=np.int32)
    out = np.zeros((4, 3), np.int32)
    launch(with_strides, memory, out, block=12)
    np.testing.assert_array_equal(out, np.lib.stride_tricks.as_strided(memory, (4, 3), (4, 20)))


@avelang.jit
def strided_parameter(x: al.Tensor((3, 4), (8, 2), al.f32), out: al.Tensor((12,), al.f32)):
    t = al.thread_id(0)
    out[t] = x[t // 4, t % 4]


def test_strides_of_a_parameter(launch):
    memory = np.arange(24, dtype=np.float32).reshape(3, 8)
    x = memory[:, ::2]
    out = np.zeros(12, np.float32)
    launch(strided_parameter, x, out, block=12)
    np.testing.assert_array_equal(out, x.ravel())


@avelang.jit
def nested_as_one_integer(p: al.Pointer(al.i32), out: al.Tensor((8,), al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout(((2, 4),), ((4, 1),)))
    t = al.thread_id(0)
    out[t] = x[t]


@avelang.jit
def nested_constants(p: al.Pointer(al.i32), out: al.Tensor((8,), al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout(((2, 4),), ((4, 1),)))
    for t in range(8):
        out[t] = x[t]


def test_a_nested_mode_read_by_one_integer(launch):
    memory = np.arange(100, 108, dtype=np.int32)
    for kernel, block in ((nested_as_one_integer, 8), (nested_constants, 1)):
        out = np.zeros(8, np.int32)
        launch(kernel, memory, out, block=block)
        np.testing.assert_array_equal(out - 100, [0, 4, 1, 5, 2, 6, 3, 7])


@avelang.jit
def nested_flat(p: al.Pointer(al.i32), flat: al.Tensor((4, 2, 4), al.i32), whole: al.Tensor((4, 8), al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout((4, (2, 4)), (8, (4, 1))))
    t = al.thread_id(0)
    flat[t // 8, t // 4 % 2, t % 4] = x[t // 8, t // 4 % 2, t % 4]
    whole[t // 8, t % 8] = x[t // 8, t % 8]


def test_a_nested_mode_leaf_by_leaf_and_whole(launch):
    memory = np.arange(32, dtype=np.int32)
    flat, whole = np.zeros((4, 2, 4), np.int32), np.zeros((4, 8), np.int32)
    launch(nested_flat, memory, flat, whole, block=32)
    np.testing.assert_array_equal(flat, memory.reshape(4, 2, 4))
    np.testing.assert_array_equal(whole, memory.reshape(4, 2, 4).transpose(0, 2, 1).reshape(4, 8))


@avelang.jit
def nested_parameter(x: al.Tensor(((2, 4), 3), ((4, 1), 8), al.i32), out: al.Tensor((8, 3), al.i32)):
    t = al.thread_id(0)
    out[t // 3, t % 3] = x[t // 3, t % 3]


@avelang.jit
def nested_store(p: al.Pointer(al.i32)):
    x = al.make_tensor(p, al.i32, al.make_layout(((2, 4), 2), ((4, 1), 8)))
    t = al.thread_id(0)
    x[t // 2, t % 2] = 10 * (t // 2) + t % 2


def test_nested_stores(launch):
    memory = np.zeros(16, np.uint32)
    launch(nested_store, memory.view(np.int32), block=16)
    want = np.zeros(16, np.int32)
    for t in range(8):
        for j in range(2):
            want[t % 2 * 4 + t // 2 + 8 * j] = 10 * t + j
    np.testing.assert_array_equal(memory.view(np.int32), want)


@avelang.jit
def runtime_layout(p: al.Pointer(al.i32), q: al.Pointer(al.i32), rows: al.u32, cols: al.u32):
    x = al.make_tensor(p, al.i32, al.make_layout((rows, cols), (cols, 1)))
    y = al.make_tensor(q, al.i32, al.make_layout((cols, rows), (rows, 1)))
    t = al.block_id(0) * al.block_dim(0) + al.thread_id(0)
    if t < rows * cols:
        y[t % cols, t // cols] = x[t // cols, t % cols]


def test_extents_and_strides_known_at_run_time(launch):
    for rows, cols in ((7, 11), (16, 3)):
        x = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
        y = np.zeros((cols, rows), np.int32)
        launch(runtime_layout, x, y, rows, cols, grid=2, block=64)
        np.testing.assert_array_equal(y, x.T)


# -- sub-tensors -------------------------------------------------------------------------------------------------------


@avelang.jit
def reading_copies(src: al.Tensor((2, 4), al.i32), out: al.Tensor((4,), al.i32)):
    row = src[0]
    row[2] = 99
    for i in range(4):
        out[i] = row[i]


def test_reading_a_sub_tensor_copies(launch):
    src = np.arange(8, dtype=np.int32).reshape(2, 4)
    before, out = src.copy(), np.zeros(4, np.int32)
    launch(reading_copies, src, out, block=1)
    np.testing.assert_array_equal(src, before)
    np.testing.assert_array_equal(out, [0, 1, 99, 3])


@avelang.jit
def the_copy_is_of_that_moment(src: al.Tensor((2, 4), al.i32), out: al.Tensor((4,), al.i32)):
    row = src[0]
    src[0, 1] = 77
    out[0] = row[1]
    out[1] = src[0, 1]
    other = row
    out[2] = other[3]


def test_a_copy_does_not_see_later_stores(launch):
    src = np.arange(8, dtype=np.int32).reshape(2, 4)
    out = np.zeros(4, np.int32)
    launch(the_copy_is_of_that_moment, src, out, block=1)
    np.testing.assert_array_equal(out, [1, 77, 3, 0])


@avelang.jit
def assigning_writes_all(src: al.Tensor((8, 4), al.i32), dst: al.Tensor((8, 4), al.i32)):
    t = al.thread_id(0)
    dst[7 - t] = src[t]


def test_assigning_a_sub_tensor_writes_all_of_it(launch):
    src = np.arange(32, dtype=np.int32).reshape(8, 4)
    dst = np.zeros_like(src)
    launch(assigning_writes_all, src, dst, block=8)
    np.testing.assert_array_equal(dst, src[::-1])


@avelang.jit
def two_modes_left(src: al.Tensor((3, 2, 4), al.f32), dst: al.Tensor((3, 2, 4), al.f32)):
    t = al.thread_id(0)
    part = src[t]
    part[1, 2] = part[1, 2] + 100.0
    dst[t] = part


def test_a_sub_tensor_of_two_modes(launch):
    src = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
    dst = np.zeros_like(src)
    launch(two_modes_left, src, dst, block=3)
    want = src.copy()
    want[:, 1, 2] += 100
    np.testing.assert_array_equal(dst, want)


@avelang.jit
def shared_rows(src: al.Tensor((64, 4), al.i32), dst: al.Tensor((64, 4), al.i32)):
    t = al.thread_id(0)
    tile = al.make_shared((64, 4), al.i32)
    tile[t] = src[t]
    al.syncthreads()
    dst[t] = tile[63 - t]


def test_rows_through_shared_memory(launch):
    src = np.arange(256, dtype=np.int32).reshape(64, 4)
    dst = np.zeros_like(src)
    launch(shared_rows, src, dst)
    np.testing.assert_array_equal(dst, src[::-1])


# -- views -------------------------------------------------------------------------------------------------------------


@avelang.jit
def words_as_bf16(src: al.Tensor((64, 4), al.i32), out: al.Tensor((64, 2, 4), al.f32)):
    t = al.thread_id(0)
    words = src[t]
    halves = al.view(words, al.Tensor((2, 4, 1), al.bf16))
    for i in range(2):
        for j in range(4):
            out[t, i, j] = al.convert(halves[i, j, 0], al.f32)


def test_a_view_of_registers(launch):
    x = np.random.default_rng(1).standard_normal((64, 8)).astype(BF16)
    out = np.zeros((64, 2, 4), np.float32)
    launch(words_as_bf16, x.view(np.int32).reshape(64, 4), out)
    np.testing.assert_array_equal(out.reshape(64, 8), x.astype(np.float32))


@avelang.jit
def view_of_global(x: al.Tensor((16, 8), al.bf16), out: al.Tensor((16, 4), al.u32)):
    t = al.thread_id(0)
    words = al.view(x, al.Tensor((16, 4), al.u32))
    out[t // 4, t % 4] = words[t // 4, t % 4]


def test_a_view_of_global_memory(launch):
    x = np.random.default_rng(2).standard_normal((16, 8)).astype(BF16)
    out = np.zeros((16, 4), np.uint32)
    launch(view_of_global, x, out)
    np.testing.assert_array_equal(out, x.view(np.uint32))


@avelang.jit
def view_with_layout(x: al.Tensor((8, 8), al.i32), out: al.Tensor((8, 8), al.i32)):
    t = al.thread_id(0)
    transposed = al.view(x, al.i32, al.make_layout((8, 8), (1, 8)))
    out[t // 8, t % 8] = transposed[t // 8, t % 8]


def test_a_view_with_another_layout(launch):
    x = np.arange(64, dtype=np.int32).reshape(8, 8)
    out = np.zeros_like(x)
    launch(view_with_layout, x, out)
    np.testing.assert_array_equal(out, x.T)


@avelang.jit
def writing_through_a_view(out: al.Tensor((16,), al.f32)):
    t = al.thread_id(0)
    words = al.view(out, al.Tensor((16,), al.u32))
    words[t] = 0x3F800000 + (t << 23)


def test_stores_through_a_view(launch):
    out = np.zeros(16, np.float32)
    launch(writing_through_a_view, out, block=16)
    np.testing.assert_array_equal(out, 2.0 ** np.arange(16))


@avelang.jit
def views_of_registers_alias(out: al.Tensor((4,), al.u32)):
    r = al.make_local((2,), al.f32)
    w = al.view(r, al.Tensor((2,), al.u32))
    r[0] = 1.0
    r[1] = -2.0
    out[0] = w[0]
    out[1] = w[1]
    w[0] = 0x40400000
    out[2] = al.bitcast(r[0], al.u32)
    out[3] = 0


def test_a_view_of_a_register_tensor_is_the_same_registers(launch):
    out = np.zeros(4, np.uint32)
    launch(views_of_registers_alias, out, block=1)
    np.testing.assert_array_equal(out, [0x3F800000, 0xC0000000, 0x40400000, 0])


@avelang.jit
def view_of_registers_with_a_layout(x: al.Tensor((4,), al.u32), out: al.Tensor((4, 2), al.u16)):
    words = al.make_local((4,), al.u32)
    for i in range(4):
        words[i] = x[i]
    halves = al.view(words, al.u16, al.make_layout((2, 4), (1, 2)))
    for i in range(4):
        for j in range(2):
            out[i, j] = halves[1 - j, i]


def test_a_view_of_registers_with_a_layout(launch):
    x = np.random.default_rng(4).integers(0, 1 << 32, 4, dtype=np.uint32)
    out = np.zeros((4, 2), np.uint16)
    launch(view_of_registers_with_a_layout, x, out, block=1)
    np.testing.assert_array_equal(out, x.view(np.uint16).reshape(4, 2)[:, ::-1])


# -- subviews ----------------------------------------------------------------------------------------------------------


@avelang.jit
def subview_aliases(x: al.Tensor((8, 8), al.i32)):
    t = al.thread_id(0)
    tile = al.subview(x, (2, 4), (4, 2), (1, 1))
    tile[t // 2, t % 2] = 100 + t


def test_stores_go_through_a_subview(launch):
    x = np.arange(64, dtype=np.int32).reshape(8, 8)
    want = x.copy()
    want[2:6, 4:6] = 100 + np.arange(8).reshape(4, 2)
    launch(subview_aliases, x.view(np.int32), block=8)
    np.testing.assert_array_equal(x, want)


@avelang.jit
def subview_steps(x: al.Tensor((8, 8), al.i32), out: al.Tensor((4, 2), al.i32)):
    t = al.thread_id(0)
    tile = al.subview(x, (1, 2), (4, 2), (2, 3))
    out[t // 2, t % 2] = tile[t // 2, t % 2]


def test_strides_of_a_subview_step_over_its_base(launch):
    x = np.arange(64, dtype=np.int32).reshape(8, 8)
    out = np.zeros((4, 2), np.int32)
    launch(subview_steps, x, out, block=8)
    np.testing.assert_array_equal(out, x[1:9:2, 2:8:3])


@avelang.jit
def subview_at_runtime(x: al.Tensor((64,), al.i32), out: al.Tensor((4, 8), al.i32), step: al.u32):
    t = al.thread_id(0)
    part = al.subview(x, (al.block_id(0) * step,), (step,), (1,))
    out[al.block_id(0), t] = part[t]


def test_runtime_offsets_and_sizes_of_a_subview(launch):
    x = np.arange(64, dtype=np.int32)
    out = np.zeros((4, 8), np.int32)
    launch(subview_at_runtime, x, out, 10, grid=4, block=8)
    np.testing.assert_array_equal(out, [x[10 * b : 10 * b + 8] for b in range(4)])


@avelang.jit
def view_of_a_subview(x: al.Tensor((8, 8), al.f32), out: al.Tensor((16,), al.u32)):
    t = al.thread_id(0)
    lower = al.subview(x, (4, 0), (2, 8), (1, 1))
    words = al.view(lower, al.Tensor((16,), al.u32))
    out[t] = words[t]


def test_a_view_of_a_subview_starts_at_its_offset(launch):
    x = np.random.default_rng(3).standard_normal((8, 8)).astype(np.float32)
    out = np.zeros(16, np.uint32)
    launch(view_of_a_subview, x, out, block=16)
    np.testing.assert_array_equal(out, x[4:6].ravel().view(np.uint32))


@avelang.jit
def subview_of_shared(x: al.Tensor((8, 8), al.i32), out: al.Tensor((8, 8), al.i32)):
    t = al.thread_id(0)
    tile = al.make_shared((8, 8), al.i32)
    tile[t // 8, t % 8] = 0
    al.syncthreads()
    if t < 16:
        inner = al.subview(tile, (2, 2), (4, 4), (1, 1))
        inner[t // 4, t % 4] = x[t // 4, t % 4]
        part = al.subview(inner, (1, 1), (2, 2), (1, 1))
        if t == 0:
            part[0, 0] = -1
    al.syncthreads()
    out[t // 8, t % 8] = tile[t // 8, t % 8]


def test_subviews_of_subviews_of_shared_memory(launch):
    x = np.arange(64, dtype=np.int32).reshape(8, 8)
    out = np.zeros_like(x)
    launch(subview_of_shared, x, out)
    want = np.zeros_like(x)
    want[2:6, 2:6] = x[:4, :4]
    want[3, 3] = -1
    # Lane 0 stores -1 after lanes 0..15 stored x: they are one wave, and lockstep orders them.
    np.testing.assert_array_equal(out, want)


# -- register tensors --------------------------------------------------------------------------------------------------


@avelang.jit
def local_array(x: al.Tensor((64, 5), al.f32), out: al.Tensor((64,), al.f32)):
    t = al.thread_id(0)
    r = al.make_local((5,), al.f32)
    for i in al.range(5):
        r[i] = x[t, i]
    total = 0.0
    for i in al.range(5):
        total = total + r[4 - i] * al.convert(i, al.f32)
    out[t] = total


def test_make_local_with_runtime_indices(launch):
    x = np.arange(320, dtype=np.float32).reshape(64, 5)
    out = np.zeros(64, np.float32)
    launch(local_array, x, out)
    np.testing.assert_array_equal(out, (x[:, ::-1] * np.arange(5, dtype=np.float32)).sum(1))


@avelang.jit
def lanes_own_index(out: al.Tensor((64, 4), al.i32)):
    t = al.thread_id(0)
    r = al.full((2, 4), 7, al.i32)
    r[t % 2, t % 4] = al.convert(t, al.i32)
    for i in range(4):
        out[t, i] = r[t % 2, i]


def test_full_and_indices_that_differ_from_lane_to_lane(launch):
    out = np.zeros((64, 4), np.int32)
    launch(lanes_own_index, out)
    want = np.full((64, 4), 7)
    want[np.arange(64), np.arange(64) % 4] = np.arange(64)
    np.testing.assert_array_equal(out, want)


@avelang.jit
def sixty_four_bit_offsets(p: al.Pointer(al.u8), out: al.Tensor((1,), al.u8), stride: al.u32):
    x = al.make_tensor(p, al.u8, al.make_layout((4, 4), (stride, 1)))
    out[0] = x[3, 1]


def test_offsets_are_computed_in_64_bits(launch):
    """The element stands 3 * 2**31 + 1 bytes behind the pointer. The memory is zeros that the system gives only when
    touched."""
    memory = np.zeros(3 * 2**31 + 2, np.uint8)
    memory[3 * 2**31 + 1] = 13
    out = np.zeros(1, np.uint8)
    launch(sixty_four_bit_offsets, memory, out, 1 << 31, block=1)
    assert out[0] == 13


@avelang.jit
def alignment_of_shared(out: al.Tensor((4,), al.i32)):
    a = al.make_shared((3,), al.u8)
    b = al.make_shared((4,), al.i32, 16)
    a[0] = 1
    b[al.thread_id(0)] = al.convert(al.thread_id(0), al.i32)
    al.syncthreads()
    out[al.thread_id(0)] = b[3 - al.thread_id(0)] + al.convert(a[0], al.i32)


def test_make_shared_takes_an_alignment(launch):
    out = np.zeros(4, np.int32)
    launch(alignment_of_shared, out, block=4)
    np.testing.assert_array_equal(out, [4, 3, 2, 1])


def test_nested_parameter_layout_needs_a_matching_array(launch):
    """A parameter with nested modes takes memory of the flattened leaves."""
    memory = np.arange(24, dtype=np.int32)
    x = np.lib.stride_tricks.as_strided(memory, (2, 4, 3), (16, 4, 32))
    out = np.zeros((8, 3), np.int32)
    launch(nested_parameter, x, out, block=24)
    want = [[memory[t % 2 * 4 + t // 2 + 8 * j] for j in range(3)] for t in range(8)]
    np.testing.assert_array_equal(out, want)
