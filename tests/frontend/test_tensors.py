"""Tensors: layouts, indices, sub-tensors, views and subviews, and what is refused about them."""

import numpy as np
import pytest

import avelang.language as al
from avelang.base.errors import AveError
from frontend.building import both, built, lanes, ops_of, refused, run, text_of

I = al.Tensor((64,), al.i32)
LANE = np.arange(64, dtype=np.int32)


def test_a_nested_mode_by_one_integer_runs_first_leaf_fastest():
    def k(out: al.Tensor((8,), al.i32), x: al.Tensor(((2, 4),), ((4, 1),), al.i32)):
        t = al.thread_id(0)
        out[t] = x[t]

    out = np.zeros(8, np.int32)
    run(k, out, LANE[:8].copy(), block=(8, 1, 1))
    assert out.tolist() == [0, 4, 1, 5, 2, 6, 3, 7]


def test_a_nested_mode_leaf_by_leaf_by_tuple_and_by_constant():
    def k(out: I, x: al.Tensor((4, (2, 4)), al.i32)):
        t = al.thread_id(0)
        i, j, l = t // 8 % 4, t // 4 % 2, t % 4
        out[t] = x[i, j, l] + 100 * x[i, (j, l)] + 10000 * x[3, 5]

    x = LANE[:32].copy()
    # 5 = 1 + 2 * 2: leaf (1, 2), row-major offset 3 * 8 + 1 * 4 + 2
    assert lanes(k, x).tolist() == [101 * (t % 32) + 300000 for t in range(64)]
    assert "div" not in [line.split(" = ")[-1].split("(")[0] for line in text_of(k) if "%x, " in line]


def test_partial_indices_give_vectors_and_chains_one_load():
    def k(out: I, x: al.Tensor((4, 4, 4), al.i32)):
        row = x[1, 2]
        out[0] = row[3]
        out[1] = x[1][2][3]
        out[2] = x[3, 0][1]

    kernel = built(k)
    assert ops_of(kernel).count("load") == 3
    out = np.zeros(64, np.int32)
    run(k, out, np.arange(64, dtype=np.int32), block=(1, 1, 1))
    assert out[:3].tolist() == [27, 27, 49]


def test_stores_of_whole_rows_convert_and_broadcast():
    def k(out: al.Tensor((4, 4), al.i16), x: al.Tensor((4, 4), al.i32)):
        out[0] = x[1]
        out[1] = 7
        out[2] = al.full((2, 2), 3, al.i32)
        out[3] = x[0] + x[1]

    out = np.zeros((4, 4), np.int16)
    run(k, out, np.arange(16, dtype=np.int32).reshape(4, 4), block=(1, 1, 1))
    assert out.tolist() == [[4, 5, 6, 7], [7] * 4, [3] * 4, [4, 6, 8, 10]]


def test_strided_rest_reads_as_a_vector():
    def k(out: I, x: al.Tensor((4, 4), (1, 4), al.i32)):
        v = x[1]
        out[0] = v[2]

    out = np.zeros(64, np.int32)
    run(k, out, np.arange(16, dtype=np.int32), block=(1, 1, 1))
    assert out[0] == 9


def test_runtime_layouts_views_and_subviews():
    def k(p: al.Pointer(al.i32), q: al.Pointer(al.i32), m: al.u32, n: al.u32):
        a = al.make_tensor(p, al.i32, al.make_layout((m, n)))
        b = al.make_tensor(q, al.i32, al.make_layout((m, n), (1, m)))
        t = al.thread_id(0)
        if t < m:
            for j in al.range(n):
                b[t, j] = a[t, j]
            w = al.subview(a, (t, 1), (1, 2), (1, 2))
            w[0, 1] = -w[0, 0]

    x, y = np.arange(30, dtype=np.int32), np.zeros(30, np.int32)
    want = x.reshape(6, 5).copy()
    run(k, x, y, 6, 5)
    assert (y.reshape(5, 6).T == want).all()
    want[:, 3] = -want[:, 1]
    assert (x.reshape(6, 5) == want).all()


def test_tensors_with_runtime_extents_have_row_major_strides():
    def k(p: al.Pointer(al.i32), m: al.u32, n: al.u32):
        a = al.make_tensor(p, al.Tensor((m, n), al.i32))
        t = al.thread_id(0)
        if t < m:
            for j in al.range(a.shape[1]):
                a[t, j] = t

    x = np.zeros(12, np.int32)
    run(k, x, 3, 4)
    assert (x.reshape(3, 4) == np.arange(3)[:, None]).all()


def test_a_row_with_a_runtime_extent_is_read_through_its_name():
    def k(out: I, p: al.Pointer(al.i32), n: al.u32):
        def put(part, value):
            part[1] = value

        a = al.make_tensor(p, al.i32, al.make_layout((4, n), (n, 1)))
        row = a[2]
        put(a[2], 50)
        window = al.subview(row, (3,), (2,))
        window[1] = 7
        out[al.thread_id(0)] = row[1] + a[2][0]

    x = np.arange(20, dtype=np.int32)
    out, x = both(k, np.zeros(64, np.int32), x, 5, threads=64)
    assert set(out) == {60} and x[11] == 50 and x[14] == 7


def test_a_name_for_a_row_with_a_runtime_extent_is_not_stored_through():
    """With static extents the name would be a copy: the same text must not write through it."""

    def item(p: al.Pointer(al.i32), n: al.u32):
        row = al.make_tensor(p, al.i32, al.make_layout((4, n), (n, 1)))[2]
        row[1] = 50  # <-

    def deeper(p: al.Pointer(al.i32), n: al.u32):
        plane = al.make_tensor(p, al.i32, al.make_layout((4, n, 2)))[2]
        plane[1][0] = 50  # <-

    def added(p: al.Pointer(al.i32), n: al.u32):
        a = al.make_tensor(p, al.i32, al.make_layout((4, n)))
        first, second = a[0], a[1]
        second[1] += first[1]  # <-

    def handed_on(p: al.Pointer(al.i32), n: al.u32):
        def put(part):
            part[0] = 1  # <-

        row = al.make_tensor(p, al.i32, al.make_layout((4, n)))[2]
        put(row)

    refused(item, "T049", "(?,)", "al.subview", marked="row[1]")
    refused(deeper, "T049", "(2,)", marked="plane[1][0]")
    refused(added, "T049")
    refused(handed_on, "T049")


def test_default_strides_and_steps_do_not_wrap():
    """70000 x 70000 elements are more than 32 bits count; only what the products are is looked at, nothing lies
    there."""

    def k(out: al.Tensor((4,), al.i64), p: al.Pointer(al.u8), m: al.u32):
        whole = al.make_tensor(p, al.u8, al.make_layout((2, m, m)))
        out[0] = whole.strides[0]
        out[1] = al.Tensor((2, m, m, 4), al.u8).strides[0]
        out[2] = al.subview(whole, (0, 0, 0), (1, 1, 1), (1, m, 1)).strides[1]
        out[3] = al.make_layout((2, m)).strides[0]

    (out, _) = both(k, np.zeros(4, np.int64), np.zeros(1, np.uint8), 70000)
    assert out.tolist() == [70000**2, 4 * 70000**2, 70000**2, 70000]


def test_extents_and_strides_given_keep_their_type():
    def k(out: I, p: al.Pointer(al.i32), m: al.u32, s: al.u32):
        a = al.make_tensor(p, al.i32, al.make_layout((4, m), (m, s)))
        b = al.make_tensor(p, al.i32, al.make_layout((4, m)))
        out[al.thread_id(0)] = a[1, 1] + b[1, 1]

    lines = text_of(k)
    assert not any("convert" in line or "mul" in line for line in lines)


def test_views_of_shared_memory_and_names_of_allocations():
    def k(out: I):
        t = al.thread_id(0)
        words = al.make_shared((64,), al.u32, 64)
        halves = al.view(words, al.Tensor((64, 2), al.u16))
        words[t] = t * 65537
        al.syncthreads()
        out[t] = halves[63 - t, 1]

    assert any("'name': 'words', 'align': 64" in line for line in text_of(k))
    assert lanes(k).tolist() == [63 - t for t in range(64)]


def test_pointers_are_indexed_as_they_are():
    def k(p: al.Pointer(al.i32)):
        t = al.thread_id(0)
        p[t] = p[t] + 1

    x = LANE.copy()
    run(k, x)
    assert (x == LANE + 1).all()


def test_attributes():
    def k(out: I, x: al.Tensor((4, 8), al.f16)):
        assert x.shape == (4, 8) and x.strides == (8, 1) and x.dtype == al.f16 and x.ndim == 2
        assert len(x) == 4 and x.dtype.bits == 16
        v = x[0]
        assert v.shape == (8,) and v.dtype == al.f16
        out[0] = x.shape[1]

    built(k)


def test_constant_indices_are_checked():
    def over(out: al.Tensor((4, 8), al.i32)):
        out[1, 8] = 0  # <-

    def negative(out: al.Tensor((4, 8), al.i32)):
        out[-1, 0] = 0  # <-

    def many(out: al.Tensor((4, 8), al.i32)):
        out[1, 2, 3] = 0  # <-

    def fraction(out: al.Tensor((4, 8), al.i32)):
        out[1.5] = 0  # <-

    refused(over, "T041", "index 8", "extent 8", "axis 1", marked="out[1, 8]")
    refused(negative, "T041", "index -1")
    refused(many, "T042", "3 indices", "(4, 8)")
    refused(fraction, "T040", "1.5")


def test_shapes_of_stores():
    def wrong(out: al.Tensor((4, 8), al.i32)):
        out[0] = al.full((4,), 0, al.i32)  # <-

    def one(out: al.Tensor((4, 8), al.i32)):
        out[0, 0] = al.full((4,), 0, al.i32)  # <-

    def kind(out: al.Tensor((4,), al.i32), x: al.Tensor((4,), al.f32)):
        out[0] = x[0]  # <-

    def literal(out: al.Tensor((4,), al.i8)):
        out[0] = 200  # <-

    def dynamic(p: al.Pointer(al.i32), n: al.i32):
        a = al.make_tensor(p, al.i32, al.make_layout((n, n)))
        a[0] = 1  # <-

    def huge(x: al.Tensor((128, 128), al.f32), out: al.Tensor((4,), al.f32)):
        out[0] = x + 1  # <-

    refused(wrong, "T045", "(4,)", "(8,)")
    refused(one, "T045", "one element")
    refused(kind, "T020", "f32", "i32", "al.convert(value, al.i32)")
    refused(literal, "T021", "200", "i8")
    refused(dynamic, "T046")
    refused(huge, "T043", "16384")


def test_views_and_subviews_that_do_not_fit():
    def view(x: al.Tensor((4, 8), al.bf16)):
        al.view(x, al.Tensor((4, 8), al.i32))  # <-

    def sub(x: al.Tensor((4, 8), al.i32)):
        al.subview(x, (0, 6), (4, 3), (1, 1))  # <-

    def rank(x: al.Tensor((4, 8), al.i32)):
        al.subview(x, (0,), (4,), (1,))  # <-

    def what(x: al.Tensor((4, 8), al.i32)):
        al.view(x, al.i32)  # <-

    def kind(x: al.Tensor((4, 8), al.i32)):
        al.view(x, 5)  # <-

    refused(view, "T047", "128 bytes", "64", marked="al.view(x, al.Tensor((4, 8), al.i32))")
    refused(sub, "T041", "index 8", "axis 1")
    refused(rank, "T048", "1 offset and 1 size do")
    refused(what, "T035")
    refused(kind, "T034")


def test_layouts_that_make_no_sense():
    def extent(x: al.Tensor((4, 8), al.i32)):
        al.make_shared((4, 0), al.i32)  # <-

    def nesting(x: al.Tensor((4, 8), al.i32)):
        al.make_layout((4, (2, 4)), (8, 1))  # <-

    def runtime(x: al.Tensor((4, 8), al.i32), n: al.i32):
        al.make_shared((4, n), al.i32)  # <-

    def dtype(x: al.Tensor((4, 8), al.i32)):
        al.make_local((4,), 32)  # <-

    def align(x: al.Tensor((4, 8), al.i32)):
        al.make_shared((4,), al.i32, 24)  # <-

    def pointer(x: al.Tensor((4, 8), al.i32)):
        al.make_tensor(x, al.i32, al.make_layout((4,)))  # <-

    refused(extent, "T030", "0")
    refused(nesting, "T031", "(4, (2, 4))", "(8, 1)")
    refused(runtime, "T017", "al.make_shared")
    refused(dtype, "T032", "32")
    refused(align, "T033", "24")
    refused(pointer, "T022", "a pointer")


def test_annotations_outside_kernels():
    assert al.Tensor((4, 8), al.f32) == al.Tensor((4, 8), (8, 1), al.f32)
    assert al.Tensor(4, al.f32).shape == (4,)
    assert al.Tensor((4, (2, 3)), al.f32).strides == (6, (3, 1))
    assert hash(al.Pointer(al.f32)) == hash(al.Pointer(al.f32)) and al.Pointer(al.f32) != al.Pointer(al.f16)
    for args, code in (((4,), "T003"), (((4,), 5), "T032"), (((4, -2), al.f32), "T030"),
                       (((4, 2), (1,), al.f32), "T031")):
        with pytest.raises(AveError) as e:
            al.Tensor(*args)
        assert e.value.code == code


def test_nothing_to_index_and_nothing_to_unpack():
    def index(out: I):
        n = 3
        out[0] = n[0]  # <-

    def unpack(out: I):
        a, b = 5  # <-
        out[0] = a + b

    def count(out: I):
        a, b = (1, 2, 3)  # <-
        out[0] = a + b

    refused(index, "T029", "the constant 3", marked="n[0]")
    refused(unpack, "T019")
    refused(count, "T018", "3 values", "2 names")
