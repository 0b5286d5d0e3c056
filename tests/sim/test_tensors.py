"""Layouts, views, subviews, vectors and addresses against NumPy's strides; what goes wrong is named."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import ExecutionError
from avelang.sim.reference import run
from sim.kernels import kernel

POINTERS = "%a: ptr<f32, global>, %o: ptr<f32, global>"


def test_strides_and_partial_coordinates():
    # 24 threads read row (i, j) of a (4, 6, 5) tensor with a transposed layout.
    k = kernel("%a: tensor<f32, (4, 6, 5):(5, 20, 1), global>, %o: tensor<f32, (24, 5):(5, 1), global>", """
    %t = thread_id {"dim": 0} : u32
    %six = const {"value": 6} : u32
    %i = div(%t, %six) : u32
    %j = rem(%t, %six) : u32
    %v = load(%a, %i, %j) : vec<5 x f32>
    store(%v, %o, %t)
    """)  # fmt: skip
    a = np.arange(120, dtype=np.float32)
    out = np.zeros((24, 5), np.float32)
    run(k, [a, out], 1, 24)
    assert (out == a.reshape(6, 4, 5).transpose(1, 0, 2).reshape(24, 5)).all()


def test_remaining_leaves_run_row_major_whatever_their_strides():
    k = kernel("%a: tensor<i16, (3, 2, 4):(1, 12, 3), global>, %o: tensor<i16, (3, 8):(8, 1), global>", """
    %t = thread_id {"dim": 0} : u32
    %v = load(%a, %t) : vec<8 x i16>
    store(%v, %o, %t)
    %w = add(%v, %v) : vec<8 x i16>
    store(%w, %a, %t)
    """)  # fmt: skip
    a = np.arange(24, dtype=np.int16)
    view = np.lib.stride_tricks.as_strided(a, (3, 2, 4), (2, 24, 6))
    before, out = view.copy(), np.zeros((3, 8), np.int16)
    run(k, [a, out], 1, 3)
    assert (out == before.reshape(3, 8)).all() and (view == 2 * before).all()


def test_runtime_layouts_views_and_subviews():
    k = kernel("%a: ptr<bf16, global>, %o: ptr<i32, global>, %m: u32, %n: u32", """
    %A = make_tensor(%a, %m, %n, %n) : tensor<bf16, (?, ?):(?, 1), global>
    %one = const {"value": 1} : u32
    %two = const {"value": 2} : u32
    %S = subview(%A, %one, %two, %m, %n) : tensor<bf16, (?, 2):(?, 1), global>
    %W = view(%S, %one) : tensor<i32, (?):(1), global>
    %V = view(%A, %n) : tensor<bf16, (3, 4):(?, 2), global>
    %t = thread_id {"dim": 0} : u32
    %O = make_tensor(%o) : tensor<i32, (2):(1), global>
    %z = const {"value": 0} : i32
    %w = load(%W, %z) : i32
    %first = const {"value": 0} : u8
    store(%w, %O, %first)
    %P = make_tensor(%o) : tensor<bf16, (2, 2):(1, 1), global>
    %all = load(%V) : vec<12 x bf16>
    %x = extract(%all) {"index": 7} : bf16
    store(%x, %P, %one, %one)
    """)  # fmt: skip
    a = (np.arange(48) / 4).astype(ml_dtypes.bfloat16).reshape(6, 8)
    out = np.zeros(2, np.int32)
    run(k, [a, out, 6, 8], 1, 1)
    bits = a.view(np.uint16).tolist()
    assert out.view(np.uint16)[:3].tolist() == [bits[1][2], bits[1][3], bits[1][6]]


def test_vectors_with_runtime_strides():
    k = kernel("%a: ptr<f32, global>, %o: tensor<f32, (3, 4):(4, 1), global>, %s: i64", """
    %t = thread_id {"dim": 0} : u32
    %A = make_tensor(%a, %s) : tensor<f32, (3, 4):(1, ?), global>
    %v = load(%A, %t) : vec<4 x f32>
    store(%v, %o, %t)
    """)  # fmt: skip
    a, out = np.arange(30, dtype=np.float32), np.zeros((3, 4), np.float32)
    run(k, [a, out, 7], 1, 3)
    assert (out == np.arange(3)[:, None] + 7 * np.arange(4)).all()


ADDRESSES = """
%t = thread_id {"dim": 0} : u32
%i = convert(%t) : i64
%eight = const {"value": 8} : i64
%o8 = mul(%i, %eight) : i64
%S = alloc {"name": "s", "align": 16} : tensor<u16, (64, 4):(4, 1), shared>
%s = base(%S) : ptr<u16, shared>
%L = alloc {"name": "l"} : tensor<f32, (2):(1), local>
%l = base(%L) : ptr<f32, local>
%x = ld(%a, %o8) {"align": 8} : vec<2 x f32>
st(%x, %l, %zero) {"align": 8}
%h = ld(%l, %four) {"align": 4} : f32
%q = bitcast(%x) : vec<4 x u16>
st(%q, %s, %o8) {"align": 8}
barrier
%at = xor(%o8, %eight) : i64
%sp = ptr_add(%s, %at) : ptr<u16, shared>
%other = ld(%sp, %zero) {"align": 8} : vec<2 x f32>
%n = ptr_int(%o) : i64
%n8 = add(%n, %o8) : i64
%p = int_ptr(%n8) : ptr<f32, global>
%r = insert(%other, %h) {"index": 0} : vec<2 x f32>
st(%r, %p, %zero) {"align": 8}
"""


def test_address_phase():
    k = kernel(POINTERS, "%zero = const {'value': 0} : i64\n%four = const {'value': 4} : i64" + ADDRESSES, phase="addresses")
    a = np.random.default_rng(0).random((64, 2)).astype(np.float32)
    out = np.zeros_like(a)
    run(k, [a, out], 1, 64)
    assert (out[:, 0] == a[:, 1]).all() and (out[:, 1] == a[np.arange(64) ^ 1, 1]).all()


def test_misaligned_and_overlapping_stores():
    # Each thread writes four bytes at an odd offset; where they overlap, the highest lane wins.
    k = kernel("%o: ptr<u8, global>", """
    %t = thread_id {"dim": 0} : u32
    %i = convert(%t) : i64
    %one = const {"value": 1} : i64
    %at = add(%i, %one) : i64
    %b = convert(%t) : u8
    %v = vec(%b, %b, %b, %b) : vec<4 x u8>
    st(%v, %o, %at) {"align": 1}
    """, phase="addresses")  # fmt: skip
    out = np.full(70, 255, np.uint8)
    run(k, [out], 1, 64)
    assert out.tolist() == [255, *range(64), 63, 63, 63, 255, 255]


def test_conditions_in_memory():
    k = kernel("%a: ptr<u1, global>, %o: ptr<u1, global>", """
    %t = thread_id {"dim": 0} : u32
    %A = make_tensor(%a) : tensor<u1, (8):(1), global>
    %O = make_tensor(%o) : tensor<u1, (8):(1), global>
    %c = load(%A, %t) : u1
    %n = not(%c) : u1
    store(%n, %O, %t)
    """)  # fmt: skip
    a = np.array([0, 1, 0, 0, 2, 255, 0, 1], np.uint8)  # any bit of the byte counts
    out = np.zeros(8, bool)
    run(k, [a, out], 1, 8)
    assert out.view(np.uint8).tolist() == [1, 0, 1, 1, 0, 0, 1, 0]


# -- what goes wrong -------------------------------------------------------------------------------------------------------------------


def failing(k, args, grid=1, block=64, **options) -> ExecutionError:
    with pytest.raises(ExecutionError) as e:
        run(k, args, grid, block, **options)
    assert e.value.span is not None and e.value.span.line == 7
    return e.value


GUARD = """
%t = thread_id {"dim": 0} : u32
%lo = const {"value": 3} : u32
%c = cmp(%t, %lo) {"pred": "ge"} : u1
%i = sub(%t, %OFF) : u32
if(%c) { ^():
  BODY @7:2:7:9
  yield
} { ^():
  yield
}
"""


def guarded(params: str, body: str, off: int, before: str = ""):
    """Threads from 3 on execute `body`, whose span is line 7, with %i = thread - off."""
    return kernel(params, f"%OFF = const {{'value': {off}}} : u32\n{before}" + GUARD.replace("BODY", body))


def test_index_outside_the_extents():
    k = guarded("%a: tensor<f32, (8, 8):(8, 1), global>", "%v = load(%a, %i, %t) : f32", 4)
    a = np.zeros(1000, np.float32)
    e = failing(k, [a], (2, 3), 8)
    assert e.code == "X001"
    for part in (
        "kernel `k`",
        "load of `a`",
        f"index ({2**32 - 1}, 3)",
        "extents (8, 8)",
        "block (0, 0, 0), thread (3, 0, 0), lane 3 of wave 0",
    ):
        assert part in e.message
    k = guarded("%a: tensor<f32, (8, 8):(8, 1), global>", "store(%f, %a, %t, %i)", 0, "%f = const {'value': 0.0} : f32\n")
    e = failing(k, [a], 1, 40)
    assert e.code == "X001" and "store of `a` at index (8, 8)" in e.message and "lane 8 of" in e.message and not a.any()


def test_index_names_the_thread_of_a_block_in_three_dimensions():
    k = kernel("%a: tensor<f32, (4):(1), global>", """
    %x = thread_id {"dim": 0} : u32
    %y = thread_id {"dim": 1} : u32
    %z = thread_id {"dim": 2} : u32
    %xy = add(%x, %y) : u32
    %s = add(%xy, %z) : u32
    %v = load(%a, %s) : f32 @7:0:7:1
    """, wave=32)  # fmt: skip
    e = failing(k, [np.zeros(99, np.float32)], (1, 5, 1), (2, 3, 8))
    # x + y + z == 4 is first reached by thread (1, 2, 1), the 11th
    assert "index (4,)" in e.message and "thread (1, 2, 1), lane 11 of wave 0" in e.message and "block (0, 0, 0)" in e.message


def test_runtime_extents_are_checked():
    before = "%A = make_tensor(%a, %n) {'name': 'A'} : tensor<f32, (?):(1), global>\n"
    k = guarded("%a: ptr<f32, global>, %n: u32", "%v = load(%A, %i) : f32", 0, before)
    run(k, [np.zeros(64, np.float32), 64], 1, 64)
    e = failing(k, [np.zeros(64, np.float32), 10], 1, 64)
    assert e.code == "X001" and "`A` at index (10,) is outside its extents (10,)" in e.message


def test_subview_has_its_own_extents():
    before = "%S = subview(%a, %OFF) {'name': 'part'} : tensor<f32, (4):(1), global>\n"
    k = guarded("%a: tensor<f32, (64):(1), global>", "%v = load(%S, %i) : f32", 0, before)
    e = failing(k, [np.zeros(64, np.float32)])
    assert "`part` at index (4,) is outside its extents (4,)" in e.message


def test_layout_that_reaches_past_the_array():
    before = "%A = make_tensor(%a) : tensor<f32, (64, 4):(4, 1), global>\n"
    k = guarded("%a: ptr<f32, global>", "%v = load(%A, %i) : vec<4 x f32>", 0, before)
    run(k, [np.zeros(256, np.float32)], 1, 64)
    e = failing(k, [np.zeros(42, np.float32)])
    assert e.code == "X002"
    # Row 10 has two of its four elements.
    assert "load of `A` at index (10, 2)" in e.message and "nearest is `a`, 168 bytes" in e.message and "lane 10 of wave 0" in e.message


def test_raw_address_outside_everything():
    before = "%n = const {'value': 4096} : i64\n%p = int_ptr(%n) : ptr<f32, global>\n%z = const {'value': 0} : i64\n"
    k = guarded("%a: ptr<f32, global>", "%v = ld(%p, %z) {'align': 4} : f32", 0, before)
    e = failing(k, [np.zeros(4, np.float32)])
    assert e.code == "X002" and "address 0x1000" in e.message and "nearest is `a`" in e.message
    e = failing(guarded("", "%v = ld(%p, %z) {'align': 4} : f32", 0, before), [])
    assert e.code == "X002" and "nearest" not in e.message


def test_unwritten_shared_memory():
    before = """%S = alloc {'name': 'tile'} : tensor<f32, (8, 8):(8, 1), shared>
    %z = const {'value': 0} : u32
    %f = const {'value': 1.0} : f32
    %tt = thread_id {"dim": 0} : u32
    %five = const {"value": 5} : u32
    %early = cmp(%tt, %five) {"pred": "lt"} : u1
    if(%early) { ^():
      store(%f, %S, %tt, %tt)
      yield
    } { ^():
      yield
    }
    """
    k = guarded("%a: ptr<f32, global>", "%v = load(%S, %i, %t) : f32", 0, before)
    e = failing(k, [np.zeros(1, np.float32)], 1, 8)
    assert (
        e.code == "X003"
        and "shared memory that nothing wrote: `tile` at index (5, 5), byte 180" in e.message
        and "thread (5, 0, 0)" in e.message
    )
    k = guarded("%a: ptr<f32, global>", "%v = load(%S, %i) : vec<8 x f32>", 3, before)
    e = failing(k, [np.zeros(1, np.float32)], 1, 8)
    assert "index (0, 1), byte 4" in e.message and "lane 3" in e.message


def test_unwritten_shared_memory_that_may_be_read():
    """It is NaN, whatever stands beside it."""
    before = "%S = alloc {'name': 'tile', 'undefined': True} : tensor<f32, (8, 8):(8, 1), shared>\n"
    before += "%O = alloc {'name': 'other'} : tensor<f32, (8, 8):(8, 1), shared>\n%tt = thread_id {'dim': 0} : u32\n"
    before += "%f = const {'value': 1.0} : f32\nstore(%f, %S, %tt, %tt)\n"
    out = np.zeros(8, np.float32)
    k = guarded("%a: ptr<f32, global>", "%v = load(%S, %t, %i) : f32\n%o = make_tensor(%a) : tensor<f32, (8):(1), global>\n"
                "store(%v, %o, %t)", 2, before)  # fmt: skip
    run(k, [out], 1, 8)
    assert np.isnan(out[3:]).all() and not out[:3].any()
    k = guarded("%a: ptr<f32, global>", "%v = load(%O, %t, %i) : f32", 2, before)
    assert "`other`" in failing(k, [out], 1, 8).message


def test_unwritten_local_memory():
    before = "%L = alloc {'name': 'regs'} : tensor<i16, (64):(1), local>\n%k = const {'value': 7} : i16\n%tt = thread_id {'dim': 0} : u32\n"
    before += "store(%k, %L, %tt)\n"
    k = guarded("", "%v = load(%L, %t) : i16", 0, before)
    run(k, [], 1, 64)
    k = guarded("", "%v = load(%L, %i) : i16", 1, before)  # the neighbor's element: written by the neighbor into its own memory only
    e = failing(k, [])
    assert e.code == "X003" and "local memory that nothing wrote: `regs` at index (2,)" in e.message and "lane 3" in e.message


def test_local_memory_is_new_in_each_trip():
    k = kernel("", """
    %z = const {"value": 0} : u32
    %o = const {"value": 1} : u32
    %two = const {"value": 2} : u32
    for(%z, %two, %o) { ^(%i: u32):
      %L = alloc {"name": "l"} : tensor<u32, (1):(1), local>
      %first = cmp(%i, %z) {"pred": "eq"} : u1
      if(%first) { ^():
        store(%i, %L, %z)
        yield
      } { ^():
        yield
      }
      %v = load(%L, %z) : u32 @7:0:7:1
      yield
    }
    """)  # fmt: skip
    assert failing(k, []).code == "X003"


def test_read_only_argument():
    k = guarded("%a: tensor<f32, (64):(1), global>", "store(%f, %a, %i)", 0, "%f = const {'value': 0.0} : f32\n")
    a = np.ones(64, np.float32)
    a.flags.writeable = False
    e = failing(k, [a])
    assert e.code == "X004" and "`a`" in e.message and (a == 1).all()


def test_shared_overrun_does_not_reach_the_neighbor():
    before = """%S = alloc {'name': 's'} : tensor<u32, (8):(1), shared>
    %T = alloc {'name': 't'} : tensor<u32, (8):(1), shared>
    %V = view(%S) {'name': 'wide'} : tensor<u32, (64):(1), shared>
    """
    k = guarded("", "store(%t, %V, %i)", 0, before)
    e = failing(k, [])
    assert e.code == "X002" and "store of `wide` at index (8,)" in e.message and "nearest is `s`, 32 bytes" in e.message


def test_register_index():
    k = guarded("", "%v = extract(%w, %i) : f32", 0, "%w = const {'value': 0.0} : vec<4 x f32>\n")
    e = failing(k, [])
    assert e.code == "X005" and "index 4 of a register vector of 4" in e.message
    k = guarded(
        "", "%v = insert(%w, %f, %i) : vec<4 x f32>", 0, "%w = const {'value': 0.0} : vec<4 x f32>\n%f = const {'value': 0.0} : f32\n"
    )
    assert failing(k, []).code == "X005"
