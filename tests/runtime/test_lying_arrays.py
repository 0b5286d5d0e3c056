"""Arrays that are not what they say: null pointers, extents below zero, strides out of all memory. Each is L011, and nothing is touched; arrays without
elements need no memory."""

import ctypes

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime.arrays import Unreadable, describe


@avelang.jit
def fill(x: al.Pointer(al.f32), n: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    if i < n:
        x[i] = 1.0


class Liar:
    """An object with an array interface of CPU memory."""

    def __init__(self, **fields):
        self.memory = np.zeros(64, np.float32)
        said = {"version": 3, "typestr": "<f4", "shape": (64,), "data": (self.memory.ctypes.data, False), "strides": None}
        self.__array_interface__ = {**said, **fields}


LIES = {
    "null": {"data": (0, False)},
    "negative extent": {"shape": (-64,)},
    "one of two extents negative": {"shape": (-8, -8)},
    "more strides than extents": {"strides": (4, 4)},
    "stride beyond memory": {"shape": (2,), "strides": (1 << 63,)},
    "strides that overflow 64 bits": {"shape": (3, 1 << 40), "strides": (1 << 62, 1 << 30)},
    "huge": {"shape": (1 << 62, 4)},
    "huge by strides below zero": {"shape": (1 << 40,), "strides": (-(1 << 30),)},
    "address beyond memory": {"data": ((1 << 64) - 64, False)},
    "address below zero": {"data": (-4096, False)},
    "no address": {"data": None},
    "address of another kind": {"data": ("0x1000", False)},
    "extent of another kind": {"shape": (2.5,)},
    "mask": {"mask": np.ones(64, bool)},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_l011(lie):
    with pytest.raises(AveError) as e:
        fill[1, 64](Liar(**LIES[lie]), 64)
    assert e.value.code == "L011" and "x" in e.value.message


@pytest.mark.parametrize("seed", range(3))
def test_drawn_interfaces_are_taken_where_all_elements_have_an_address(seed):
    rng = np.random.default_rng(seed)
    numbers = [0, 1, 2, 3, -1, 1 << 20, 1 << 31, 1 << 40, 1 << 62, -(1 << 40)]
    for _ in range(200):
        rank = int(rng.integers(0, 4))
        shape = tuple(int(rng.choice(numbers)) for _ in range(rank))
        strides = tuple(int(rng.choice(numbers)) * 4 for _ in range(rank))
        address = int(rng.choice([0, 64, 1 << 30, (1 << 63) - 64]))
        liar = Liar(shape=shape, strides=strides, data=(address, False))
        empty = 0 in shape
        reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
        inside = address + sum(min(r, 0) for r in reach) >= 0 and address + sum(max(r, 0) for r in reach) + 4 <= 1 << 63
        good = min(shape, default=1) >= 0 and (empty or (address != 0 and inside))
        try:
            found = describe(liar)
        except Unreadable:
            found = None
        assert (found is not None) == good, (shape, strides, address)


def test_arrays_without_elements_need_no_memory():
    for _ in range(3):
        fill[1, 64](Liar(shape=(0,), data=(0, False)), 0)
        fill[1, 64](np.zeros(0, np.float32), 0)


def test_an_interface_that_says_read_only_is_not_written():
    with pytest.raises(AveError, match="L021"):
        fill[1, 64](Liar(data=(np.zeros(64, np.float32).ctypes.data, True)), 64)


class Capsule:
    """DLPack of CPU memory, by hand."""

    def __init__(self, data, shape, ndim=None):
        self.shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        self.words = (ctypes.c_byte * 128)()
        at = ctypes.addressof(self.words)
        ctypes.c_uint64.from_address(at).value = data
        ctypes.c_int32.from_address(at + 8).value = 1
        ctypes.c_int32.from_address(at + 16).value = len(shape) if ndim is None else ndim
        ctypes.c_uint32.from_address(at + 20).value = 2 | 32 << 8 | 1 << 16
        ctypes.c_uint64.from_address(at + 24).value = ctypes.addressof(self.shape)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.words), b"dltensor", None)


@pytest.mark.parametrize(("data", "shape", "ndim"), [(0, (64,), None), (1, (-4,), None), (1, (1 << 62, 8), None), (1, (4,), -1), (1, (4,), 1 << 30)])
def test_capsules_that_lie_are_l011(data, shape, ndim):
    memory = np.zeros(64, np.float32)
    with pytest.raises(AveError) as e:
        fill[1, 64](Capsule(memory.ctypes.data if data else 0, shape, ndim), 64)
    assert e.value.code == "L011"


def test_a_storage_that_was_made_smaller_is_l011_also_in_a_launch_like_one_before():
    torch = pytest.importorskip("torch")
    x = torch.zeros(64)
    for _ in range(4):
        fill[1, 64](x, 64)
    assert x.sum() == 64
    for size in (0, 4, 252):
        y = torch.zeros(64)
        fill[1, 64](y, 64)
        y.untyped_storage().resize_(size)
        with pytest.raises(AveError) as e:
            fill[1, 64](y, 64)
        assert e.value.code == "L011"
        z = torch.zeros(256)[100:164]
        fill[1, 64](z, 64)
        z.untyped_storage().resize_(4 * 163)
        with pytest.raises(AveError, match="L011"):
            fill[1, 64](z, 64)
    fill[1, 64](torch.zeros(0), 0)
    fill[1, 64](x, 64)
