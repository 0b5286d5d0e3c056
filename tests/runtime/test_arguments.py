"""Arguments: each kind of array is found where it lies; each misfit is refused with its own code, saying what was wanted and what came."""

import ctypes
import struct

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.frontend.signature import EMPTY, ParamSpec
from avelang.ir import dtypes as t
from avelang.ir.dtypes import BY_NAME, SCALARS
from avelang.runtime.arguments import Parameters, layouts
from avelang.runtime.arrays import describe, dlpack_dtype, dlpack_triples


def pointer(d, name="x"):
    return ParamSpec(name, "pointer", d)


def tensor(shape, strides, d, name="x"):
    return ParamSpec(name, "tensor", d, shape, strides)


def scalar(d, name="x", default=EMPTY):
    return ParamSpec(name, "scalar", d, default=default)


def bind(spec, *args, **kwargs):
    specs = spec if isinstance(spec, list) else [spec]
    return Parameters("k", specs).bind(args, kwargs)


def refused(code, spec, *args, **kwargs):
    with pytest.raises(AveError) as e:
        bind(spec, *args, **kwargs)
    assert e.value.code == code, str(e.value)
    assert "`k`" in e.value.message
    return str(e.value)


# -- arrays ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", SCALARS, ids=str)
def test_numpy_arrays_of_every_dtype(d):
    a = np.zeros((3, 4), d.np)
    found = describe(a)
    assert (found.address, found.dtype, found.shape, found.strides, found.device) == (a.ctypes.data, d, (3, 4), a.strides, "cpu")
    assert bind(pointer(d), a).slots == [a.ctypes.data]


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    names = {"bfloat16": t.bf16, "float32": t.f32, "float16": t.f16, "int32": t.i32, "bool": t.u1, "uint8": t.u8}
    names["float8_e4m3fnuz"] = t.f8e4m3fnuz
    for name, d in names.items():
        x = torch.zeros((4, 6), dtype=getattr(torch, name))
        found = describe(x)
        assert (found.address, found.dtype, found.shape, found.strides) == (x.data_ptr(), d, (4, 6), (6 * d.bytes, d.bytes))
        assert bind(pointer(d), x).slots == [x.data_ptr()]
    x = torch.zeros((4, 6))
    assert bind(tensor((6, 4), (1, 6), t.f32), x.T).slots == [x.data_ptr()]
    assert bind(pointer(t.f32), x[2:]).slots == [x.data_ptr() + 48]
    with torch.no_grad():
        assert bind(pointer(t.f32), torch.nn.Parameter(x)).slots == [x.data_ptr()]


def test_torch_tensors_whose_memory_is_not_what_they_say():
    torch = pytest.importorskip("torch")
    lazy = torch.zeros(4, dtype=torch.complex64).conj().imag
    assert lazy.is_neg()
    assert "resolve_neg" in refused("L011", tensor((4,), (2,), t.f32), lazy)
    assert "sparse" in refused("L011", pointer(t.f32), torch.eye(3).to_sparse())
    assert "meta" in refused("L016", pointer(t.f32), torch.zeros(3, device="meta"))
    assert "complex64" in refused("L012", pointer(t.f32), torch.zeros(3, dtype=torch.complex64))


def test_jax_arrays():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    for d in (t.f32, t.bf16, t.i32, t.u8, t.u1, t.f8e4m3fn, t.f8e5m2):
        x = jnp.ones((2, 5), d.np)
        found = describe(x)
        assert (found.address, found.dtype, found.shape) == (x.unsafe_buffer_pointer(), d, (2, 5))
        assert bind(pointer(d), x).slots == [x.unsafe_buffer_pointer()]
        assert found.numpy().tobytes() == np.asarray(x).tobytes()

    def traced(x):
        refused("L011", pointer(t.f32), x)
        return x

    jax.jit(traced)(jnp.ones(3))


class Dlpack:
    """A producer of its own: an array's memory through a hand-made DLPack capsule, old or versioned, on a device of choice."""

    def __init__(self, array, device=(1, 0), old=False, strides=True):
        self.array, self.device, self.old, self.asked = array, device, old, 0
        n = array.ndim
        dims = struct.pack(f"{2 * n}q", *array.shape, *(s // array.itemsize for s in array.strides))
        code, bits = dlpack_triples(t.from_numpy(array.dtype))[0]
        self.dims = ctypes.create_string_buffer(dims, len(dims) or 1)
        at = ctypes.addressof(self.dims)
        # DLTensor: data, device, rank, dtype, shape, strides, byte offset; the data pointer is 8 before the start, the offset 8.
        body = struct.pack("QiiiBBHQQQ", array.ctypes.data - 8, *device, n, code, bits, 1, at, at + 8 * n if strides else 0, 8)
        head = b"" if old else struct.pack("IIQQQ", 1, 0, 0, 0, 0)
        self.memory = ctypes.create_string_buffer(head + body + bytes(16))

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kwargs):
        self.asked += 1
        if self.old and kwargs:
            raise TypeError("unexpected keyword")
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        # ctypes would free the name: it must live as long as the capsule.
        self.name = ctypes.create_string_buffer(b"dltensor" if self.old else b"dltensor_versioned")
        return new(ctypes.addressof(self.memory), ctypes.cast(self.name, ctypes.c_char_p), None)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("strides", [False, True])
def test_any_producer_of_dlpack(old, strides):
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    producer = Dlpack(a, old=old, strides=strides)
    found = describe(producer)
    assert (found.address, found.dtype, found.shape, found.strides) == (a.ctypes.data, t.f32, (3, 4), (16, 4))
    assert bind(pointer(t.f32), producer).slots == [a.ctypes.data]


def test_dlpack_dtypes():
    # dlpack.h, DLDataTypeCode: kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLBool 6, kDLFloat8_e4m3fn 10, e4m3fnuz 11, e5m2 12,
    # e5m2fnuz 13
    known = {(0, 8): t.i8, (1, 64): t.u64, (2, 16): t.f16, (4, 16): t.bf16, (6, 8): t.u1, (10, 8): t.f8e4m3fn, (13, 8): t.f8e5m2fnuz}
    assert {k: dlpack_dtype(*k) for k in known} == known
    assert dlpack_dtype(5, 64) is None  # complex
    assert dlpack_dtype(2, 32, 4) is None
    assert dlpack_dtype(2, 128) is None
    for d in SCALARS:
        assert [dlpack_dtype(*triple) for triple in dlpack_triples(d)] == [d]


def test_the_array_interface():
    class Holder:
        def __init__(self, array):
            self.__array_interface__ = array.__array_interface__

    a = np.arange(24, dtype=np.int16).reshape(4, 6)
    assert bind(pointer(t.i16), Holder(a)).slots == [a.ctypes.data]
    assert bind(tensor((4, 3), (6, 2), t.i16), Holder(a[:, ::2])).slots == [a.ctypes.data]
    refused("L014", pointer(t.i16), Holder(a[:, ::2]))


def test_arrays_on_a_gpu_are_recognized_and_refused():
    class Cuda:
        __cuda_array_interface__ = {"typestr": "<f4", "shape": (3,), "data": (0, False), "version": 3}

    assert "do not run on cuda, and no driver here knows whose memory it is" in refused("L016", pointer(t.f32), Cuda())
    producer = Dlpack(np.zeros(3, np.float32), device=(14, 0))
    assert "kernels do not run on oneapi:0" in refused("L016", pointer(t.f32), producer)
    assert producer.asked == 0
    text = refused("L017", [pointer(t.f32, "a"), pointer(t.f32, "b")], np.zeros(3, np.float32), Cuda())
    assert "a on cpu, b on cuda" in text
    pinned = Dlpack(np.zeros(3, np.float32), device=(3, 0))
    assert bind(pointer(t.f32), pinned).slots == [pinned.array.ctypes.data]


def test_what_is_no_array():
    cases = [(None, "got None"), (3, "3 (int)"), ([1, 2], "list"), (b"xx", "bytes"), (np.float32(1), "float32"), (np.ndarray, "type")]
    for value, words in cases:
        text = refused("L010", pointer(t.f32), value)
        assert words in text
        assert "Pointer(f32)" in text


# -- dtype, shape, strides, alignment ----------------------------------------------------------------------------------------------


def test_integers_serve_for_the_other_sign():
    for bits in (8, 16, 32, 64):
        i, u = BY_NAME[f"i{bits}"], BY_NAME[f"u{bits}"]
        for have in (i, u):
            for needed in (i, u):
                a = np.zeros(4, have.np)
                assert bind(pointer(needed), a).slots == [a.ctypes.data]
    refused("L012", pointer(t.u32), np.zeros(4, np.int64))
    for have in (np.bool_, np.uint8):
        assert bind(pointer(t.u1), np.zeros(4, have))
    refused("L012", pointer(t.u1), np.zeros(4, np.int8))


@pytest.mark.parametrize("have", [np.float64, np.float16, np.int32, ml_dtypes.bfloat16, np.complex64, ">f4", "S4"])
def test_a_wrong_dtype(have):
    text = refused("L012", pointer(t.f32), np.zeros(4, have))
    assert "is not f32" in text
    assert str(np.dtype(have)) in text


def test_a_wrong_shape():
    spec = tensor((128, 64), (64, 1), t.f32)
    for shape in [(64, 128), (128,), (128, 64, 1), (0, 64), ()]:
        text = refused("L013", spec, np.zeros(shape, np.float32))
        assert "Tensor((128, 64), (64, 1), f32)" in text
        assert str(shape) in text


def test_strides():
    spec = tensor((4, 6), (6, 1), t.f32)
    big = np.zeros((8, 12), np.float32)
    assert bind(spec, np.zeros((4, 6), np.float32))
    assert "(12, 1)" in refused("L014", spec, big[:4, :6])
    assert "(-6, 1)" in refused("L014", spec, np.zeros((4, 6), np.float32)[::-1])
    refused("L014", spec, np.zeros((6, 4), np.float32).T)
    assert bind(tensor((4, 6), (12, 1), t.f32), big[:4, :6]).slots == [big.ctypes.data]
    # The stride of an extent of 1 does not matter.
    assert bind(tensor((1, 6), (999, 1), t.f32), big[:1, :6])
    # Bytes that are no multiple of the element.
    packed = np.zeros(4, [("a", np.float32), ("b", np.int8)])["a"]
    refused("L014", tensor((4,), (1,), t.f32), packed)


def test_a_pointer_takes_what_is_contiguous():
    a = np.zeros((4, 6), np.float32)
    assert bind(pointer(t.f32), a[1:3]).slots == [a.ctypes.data + 24]
    assert bind(pointer(t.f32), np.zeros((1, 4, 1), np.float32)[::-1])
    for bad in (a.T, a[:, ::2], a[:, :3], np.broadcast_to(np.float32(1), (4,))):
        assert "contiguous" in refused("L014", pointer(t.f32), bad)


def test_empty_and_rank_0_arrays():
    for a in (np.zeros(0, np.float32), np.zeros((3, 0), np.float32)[:, ::2], np.zeros((), np.float32)):
        assert bind(pointer(t.f32), a).slots == [a.ctypes.data]


def test_alignment():
    raw = np.zeros(33, np.uint8)
    shift = (-raw.ctypes.data + 1) % 4 or 1
    odd = raw[shift : shift + 16].view(np.float32) if (raw.ctypes.data + shift) % 4 else raw[shift + 1 : shift + 17].view(np.float32)
    text = refused("L015", pointer(t.f32), odd)
    assert "no multiple of 4" in text


def test_nested_modes():
    nested = tensor((4, (2, 4)), (8, (4, 1)), t.f32)
    assert layouts(nested) == [((4, 2, 4), (8, 4, 1)), ((4, 8), (8, 1))]
    for shape in [(4, 2, 4), (4, 8)]:
        a = np.zeros(shape, np.float32)
        assert bind(nested, a).slots == [a.ctypes.data]
    refused("L013", nested, np.zeros((8, 4), np.float32))
    refused("L014", nested, np.zeros((8, 8), np.float32)[::2])
    # A layout with gaps has no row-major twin.
    assert layouts(tensor(((2, 4), 2), ((16, 2), 1), t.f32)) == [((2, 4, 2), (16, 2, 1))]


# -- scalars -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [d for d in SCALARS if d.is_int], ids=str)
def test_integer_ranges(d):
    for value in {d.min, d.max, 0, 1}:
        for v in (value, d.np.type(value), np.array(value, d.np)):
            assert bind(scalar(d), v).slots == [value % 2**64]
    for value in (d.min - 1, d.max + 1, 10**30):
        assert f"{d.min} .. {d.max}" in refused("L019", scalar(d), value)
    assert bind(scalar(d), True).slots == [1]


def test_floats_for_integers_are_refused():
    for value in (1.0, np.float32(1), np.array(1.0)):
        assert "int(...)" in refused("L018", scalar(t.i32), value)


@pytest.mark.parametrize("value", [None, "3", 3j, [3], np.zeros(1), np.zeros((1, 1), np.int32), np.complex64(1), object()])
def test_what_is_no_number(value):
    for d in (t.i32, t.f32, t.u1):
        refused("L018", scalar(d), value)


@pytest.mark.parametrize("d", [d for d in SCALARS if d.is_float], ids=str)
def test_float_bits(d):
    for value in (0.0, 1.0, -1.5, 2, True, np.float32(0.25), np.array(0.5)):
        expected = np.array(float(value)).astype(d.np).tobytes()
        assert struct.pack("<Q", bind(scalar(d), value).slots[0])[: d.bytes] == expected
    assert struct.unpack("<Q", struct.pack("<d", -0.0))[0] == bind(scalar(t.f64), -0.0).slots[0]


def test_float_ranges():
    for d, most in ((t.f32, 3.4e38), (t.f16, 65504.0), (t.bf16, 3.3e38), (t.f8e5m2, 57344.0)):
        assert bind(scalar(d), most)
        refused("L019", scalar(d), most * 4)
        refused("L019", scalar(d), -most * 4)
    refused("L019", scalar(t.f64), 10**400)
    assert bind(scalar(t.f32), float("inf")).slots == [0x7F800000]
    assert bind(scalar(t.f32), float("nan")).slots[0] & 0x7F800000 == 0x7F800000


def test_conditions():
    for value, bit in ((True, 1), (False, 0), (1, 1), (np.True_, 1), (np.array(False), 0)):
        assert bind(scalar(t.u1), value).slots == [bit]
    refused("L019", scalar(t.u1), 2)
    refused("L018", scalar(t.u1), 1.0)


def test_rank_0_tensors_are_numbers():
    torch = pytest.importorskip("torch")
    assert bind(scalar(t.i32), torch.tensor(7)).slots == [7]
    assert bind(scalar(t.f64), torch.tensor(0.5)).slots == [struct.unpack("<Q", struct.pack("<d", 0.5))[0]]
    refused("L018", scalar(t.i32), torch.tensor([7]))
    refused("L018", scalar(t.i32), torch.tensor(7.0))
    refused("L018", scalar(t.i32), torch.tensor(7, device="meta"))


# -- which argument goes where -----------------------------------------------------------------------------------------------------


SPECS = [scalar(t.i32, "n"), scalar(t.i32, "m", 5), ParamSpec("B", "constexpr", default=8), ParamSpec("C", "constexpr")]


def test_names_positions_and_defaults():
    for args, kwargs in [((1, 2, 3, 4), {}), ((1,), {"C": 4, "m": 2, "B": 3}), ((), {"n": 1, "m": 2, "B": 3, "C": 4})]:
        bound = bind(SPECS, *args, **kwargs)
        assert (bound.slots, bound.constexprs, bound.options) == ([1, 2], {"B": 3, "C": 4}, {})
    bound = bind(SPECS, 1, C=4, num_warps=8, target="gfx942", backend="cpu")
    assert (bound.slots, bound.constexprs) == ([1, 5], {"B": 8, "C": 4})
    assert bound.options == {"num_warps": 8, "target": "gfx942", "backend": "cpu"}


def test_wrong_calls():
    assert "n, m, B, C" in refused("L005", SPECS, 1, 2, 3, 4, 5)
    assert "n, C" in refused("L006", SPECS)
    assert "did you mean num_warps" in refused("L007", SPECS, 1, 2, 3, 4, num_warp=4)
    assert "; stages are those of a tile.Block" in refused("L007", SPECS, 1, 2, 3, 4, num_stages=3)
    assert "'n'" in refused("L008", SPECS, 1, n=1, C=2)
    for option in ({"num_warps": 0}, {"num_warps": 2.0}, {"num_warps": True}, {"backend": "gpu"}, {"target": 942}):
        refused("L009", SPECS, 1, C=2, **option)


def test_constexprs():
    for value in ([1], {}, np.zeros(3)):
        refused("L020", [ParamSpec("B", "constexpr")], value)
    bound = bind([ParamSpec("B", "constexpr")], np.int64(3))
    assert type(bound.constexprs["B"]) is int
