"""Tensor maps: what the CUDA driver is asked to encode is held against the array and the numbers of cuda.h, the tables of what was made against a
dict, and launches by the host code against the slow path, on a stub of the driver and on the CPU."""

import ctypes
import random
import threading

import numpy as np
import pytest
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.ir.types import MapType
from avelang.runtime import tensor_maps
from avelang.runtime.arrays import CPU, Array, describe

pytest.importorskip("torch")
AT = ((1,), (32,))


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    """Tables that no other test has filled."""
    monkeypatch.setattr(tensor_maps, "_tables", {})


@pytest.fixture
def machine(monkeypatch):
    return cuda.Machine(monkeypatch)


@pytest.fixture
def torch(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


def fresh(kernel):
    return avelang.jit(kernel.source.fn)


def hot(kernel):
    return kernel._launcher._stub.latest() is not None


def encodings(machine):
    return machine.calls().count("cuTensorMapEncodeTiled")


# -- what the driver is asked for ------------------------------------------------------------------------------------------------------

# cuda.h: CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion.
TYPES = {
    "u8": 0, "u16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "i8": 0, "i16": 1, "f8e4m3fn": 0,
    "f8e5m2": 0, "f8e4m3fnuz": 0, "f8e5m2fnuz": 0,
}  # fmt: skip
NO_SWIZZLE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128 = range(4)
L2_128, L2_256 = 2, 3


def asked(words):
    """The arguments that the stub of cuTensorMapEncodeTiled wrote into a map."""
    kind, rank, interleave, swizzle, promotion, fill = words[1].to_bytes(8, "little")[:6]
    box = np.array(words[11:14], np.uint64).view(np.uint32)[:rank].tolist()
    steps = words[14].to_bytes(8, "little")[:rank]
    return {
        "address": words[0], "type": kind, "extents": list(words[2 : 2 + rank]), "strides": list(words[7 : 6 + rank]), "box": box,
        "steps": list(steps), "interleave": interleave, "swizzle": swizzle, "promotion": promotion, "fill": fill,
    }  # fmt: skip


def encoded(machine, t, shape, strides, address=0x7F00_0000_1000):
    def call(name, *args):
        assert name == "cuTensorMapEncodeTiled"
        machine.driver.must("encoding", "encode", *args)

    machine.driver.open("cuda:0")
    wide = tensor_maps.encode(call, t, address, shape, strides)
    assert ctypes.addressof(wide) % 64 == 0 and wide.word == address
    return asked(list((ctypes.c_uint64 * 16).from_buffer(wide)))


CASES = [
    # dtype, extents and strides (bytes) of the array, box, swizzle, NaN; extents, strides, box as the driver wants them, swizzle, promotion
    ("f32", (1000,), (4,), (64,), 0, False, [1000], [], [64], NO_SWIZZLE, L2_256),
    ("f32", (1 << 32,), (4,), (60,), 0, False, [1 << 32], [], [60], NO_SWIZZLE, L2_128),
    ("bf16", (4096, 8192), (16384, 2), (128, 64), 128, False, [8192, 4096], [16384], [64, 128], SWIZZLE_128, L2_128),
    ("bf16", (33, 8), (48, 2), (256, 8), 32, True, [8, 33], [48], [8, 256], SWIZZLE_32, L2_128),
    ("f16", (5, 6, 32), (384 * 9, 384, 2), (1, 8, 32), 64, True, [32, 6, 5], [384, 3456], [32, 8, 1], SWIZZLE_64, L2_128),
    ("f8e4m3fn", (2, 3, 4, 64), (768, 256, 64, 1), (2, 1, 4, 64), 64, False, [64, 4, 3, 2], [64, 256, 768], [64, 4, 1, 2], SWIZZLE_64, L2_128),
    ("i32", (2, 3, 4, 5, 64), (15360, 5120, 1280, 256, 4), (1, 1, 2, 1, 64), 0, False, [64, 5, 4, 3, 2], [256, 1280, 5120, 15360],
     [64, 1, 2, 1, 1], NO_SWIZZLE, L2_256),
    # Strides that grow the other way round: an array whose dimensions were turned.
    ("f64", (4, 6, 32), (256, 1024, 8), (4, 1, 32), 0, True, [32, 6, 4], [1024, 256], [32, 1, 4], NO_SWIZZLE, L2_256),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]} {c[1]}")
def test_what_the_driver_is_asked(machine, case):
    dtype, shape, strides, box, swizzle, nan, extents, steps, driver_box, pattern, promotion = case
    t = MapType(getattr(al, dtype), box, swizzle, 0, nan)
    assert encoded(machine, t, shape, strides) == {
        "address": 0x7F00_0000_1000, "type": TYPES[dtype], "extents": extents, "strides": steps, "box": driver_box, "steps": [1] * len(shape),
        "interleave": 0, "swizzle": pattern, "promotion": promotion, "fill": int(nan),
    }  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_each_type_of_element_has_the_drivers_number(machine, dtype):
    d = getattr(al, dtype)
    found = encoded(machine, MapType(d, (16 // d.bytes,)), (1000,), (d.bytes,))
    assert (found["type"], found["box"], found["promotion"]) == (TYPES[dtype], [16 // d.bytes], L2_128)


def test_extents_of_one_need_no_legal_stride(machine):
    """NumPy and torch give a dimension of one element any stride; the driver wants a multiple of 16 bytes all the same."""
    t = MapType(al.f32, (1, 1, 8))
    for strides in ((4, 4, 4), (12, 0, 4), (1 << 41, -20, 4)):
        found = encoded(machine, t, (1, 1, 6), strides)
        assert (found["extents"], found["strides"]) == ([6, 1, 1], [32, 32])
    # A stride that counts stays what it is, and one between two that count need not be between them.
    assert encoded(machine, t, (9, 1, 6), (48, 4, 4))["strides"] == [32, 48]


# -- launches on a GPU -------------------------------------------------------------------------------------------------------------------


@avelang.jit
def two(A: al.TensorMap(al.f32, 2, (8, 32)), B: al.TensorMap(al.f32, 2, (8, 32), swizzle=128, fill="nan"), C: al.Pointer(al.f32), n: al.u32):
    al.nvvm.tma_prefetch_2d(A, 0, 0)
    al.nvvm.tma_prefetch_2d(B, 0, 0)


def arrays(torch, count, shape=(16, 64), index=0):
    return [torch.make(np.zeros(shape, np.float32), index) for _ in range(count)]


def check(machine, a, b, c, n):
    """What the last launch got is what the arrays are."""
    first, second = (asked(list(machine.last.wide[i])) for i in range(2))
    for found, x, pattern, fill in ((first, a, NO_SWIZZLE, 0), (second, b, SWIZZLE_128, 1)):
        want = (x.data_ptr(), [x.shape[1], x.shape[0]], [x.stride(0) * 4], [32, 8], pattern, fill)
        assert (found["address"], found["extents"], found["strides"], found["box"], found["swizzle"], found["fill"]) == want
    assert machine.values()[2:] == [c.data_ptr(), n] and list(machine.last.sizes[:4]) == [128, 128, 8, 4]


def test_a_second_launch_is_the_host_codes(machine, torch):
    kernel, (a, b, c) = fresh(two), arrays(torch, 3)
    for n in range(4):
        kernel[lambda: AT](a, b, c, n)
        check(machine, a, b, c, n)
        assert hot(kernel) == (n > 0) and encodings(machine) == (2 if n == 0 else 0)
    assert kernel.last.backend == "cuda:0" and kernel.last.how == "hot"
    # By other names it is another call, by the same arrays: nothing is encoded again.
    for n in range(2):
        kernel[AT](a, b, C=c, n=n)
        check(machine, a, b, c, n)
        assert hot(kernel) == (n > 0) and encodings(machine) == 0


def test_buffers_in_turn(machine, torch):
    kernel, several, (c,) = fresh(two), arrays(torch, 8), arrays(torch, 1)
    for turn in range(3):
        for i, a in enumerate(several):
            b = several[i - 3]
            kernel[AT](a, b, c, i)
            check(machine, a, b, c, i)
            assert hot(kernel) == (turn > 0)
        assert encodings(machine) == (0 if turn else 16)


def test_keys_that_differ_in_one_word(machine, torch):
    """One address with other strides or extents, other addresses with the same: each is encoded by itself, and found again."""
    kernel, (whole, c) = fresh(two), arrays(torch, 2, (64, 64))
    views = [
        whole, whole[::2], whole[:32], whole[:, :32], whole[:32, :32], whole.view(32, 128)[:, :32], whole.view(128, 32), whole[1:], whole[2:],
        whole[:, 4:], whole[:, 4:36], whole.as_strided((16, 64), (4, 1)), whole.as_strided((64, 16), (32, 1)), whole.as_strided((1, 64), (3, 1)),
    ]  # fmt: skip
    for turn in range(2):
        for x in views:
            kernel[AT](x, x, c, 7)
            if x.shape[0] > 1:
                check(machine, x, x, c, 7)
            assert hot(kernel) == (turn > 0), (turn, x.shape, x.stride())
    assert encodings(machine) == 2 * len(views)


def test_rows_of_any_length_that_are_only_read(machine, torch):
    """Rows that end inside of 16 bytes, a few bytes before the next, as those of a padded copy."""
    kernel, (whole, c) = fresh(two), arrays(torch, 2)
    for width in (62, 61, 33, 1):
        x = whole[:, :width]
        for n in range(3):
            kernel[AT](x, x, c, n)
            check(machine, x, x, c, n)
            assert hot(kernel) == (n > 0) and encodings(machine) == (0 if n else 2)


def test_memory_that_is_used_again(machine, torch):
    """What another array of the same shape leaves behind is as good for the one that takes its place."""
    kernel, (memory, c) = fresh(two), arrays(torch, 2)
    for n in range(3):
        x = torch.make(memory.as_subclass(torch.torch.Tensor).view(16, 64))
        kernel[AT](x, x, c, n)
        check(machine, x, x, c, n)
        assert hot(kernel) == (n > 0)


def test_more_arrays_than_the_table_holds(machine, torch, monkeypatch):
    monkeypatch.setattr(tensor_maps, "MOST_KEPT", 128)
    kernel, (whole, c) = fresh(two), arrays(torch, 2, (400, 64))
    views = [whole[i : i + 16] for i in range(300)]
    for turn in range(2):
        for i, x in enumerate(views):
            kernel[AT](x, whole, c, i)
            check(machine, x, whole, c, i)
            # The one before is in the table for sure.
            kernel[AT](x, whole, c, turn)
            check(machine, x, whole, c, turn)
            assert hot(kernel)
    (first, second) = tensor_maps._tables.values()
    assert first.maps.mask == 127 and sum(1 for _ in first.records()) == first.used <= 128 and second.used == 1
    assert 300 < encodings(machine) <= 602


def test_nothing_but_the_launch_under_capture(machine, torch):
    kernel, (a, b, c) = fresh(two), arrays(torch, 3)
    torch.stream(0, 0x70)
    machine.lib.stub_capture(1)
    for n in range(3):
        machine.calls()
        kernel[AT](a, b, c, n)
        check(machine, a, b, c, n)
    assert hot(kernel) and [call for call in machine.calls() if "Ctx" not in call] == ["cuLaunchKernelEx two"]
    kernel[AT](b, a, c, 3)
    check(machine, b, a, c, 3)


def test_devices_share_no_array(machine, torch):
    kernel = fresh(two)
    sets = [arrays(torch, 3, index=index) for index in (0, 1)]
    for turn in range(2):
        for index, (a, b, c) in enumerate(sets):
            kernel[AT](a, b, c, index)
            check(machine, a, b, c, index)
            assert machine.last.device == index and hot(kernel) == (turn > 0)


def test_a_thread_that_never_used_the_device_encodes_too(machine, torch):
    """torch's backward runs in such a thread."""
    kernel, (a, b, c) = fresh(two), arrays(torch, 3)
    seen = []

    def run():
        machine.lib.stub_current(-1)
        try:
            kernel[AT](a, b, c, 1)
        except AveError as e:
            seen.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not seen
    check(machine, a, b, c, 1)


def test_an_encoding_that_fails_is_an_error_and_not_kept(machine, torch):
    kernel, (a, b, c) = fresh(two), arrays(torch, 3)
    for _ in range(2):
        machine.fail("encode", 1)
        with pytest.raises(AveError) as e:
            kernel[AT](a, b, c, 1)
        assert e.value.code == "D035" and "encoding a tensor map by cuTensorMapEncodeTiled" in str(e.value) and machine.words(1) in str(e.value)
        assert not hot(kernel)
    kernel[AT](a, b, c, 1)
    check(machine, a, b, c, 1)


def test_a_report_names_the_arrays(machine, torch):
    """The driver's copy of a map says nothing to anybody: the array's address stands for it."""
    kernel, (a, b, c) = fresh(two), arrays(torch, 3)
    for n in range(3):
        kernel[AT](a, b, c, n)
    machine.fail("launch", 700)
    with pytest.raises(AveError) as e:
        kernel[AT](a, b, c, 3)
    said = str(e.value).partition("newest first: ")[2].split("; ")
    for n, text in zip((2, 1, 0), said, strict=False):
        assert f"A={a.data_ptr():#x}, B={b.data_ptr():#x}, C={c.data_ptr():#x}, n={n}" in text


@pytest.mark.parametrize("count", [16, 17])
def test_many_maps(machine, torch, count):
    """The host code has room for 16; the slow path takes the rest."""
    scope = {"al": al}
    params = ", ".join(f"m{i}: T" for i in range(count))
    scope["T"] = al.TensorMap(al.f32, 2, (8, 32))
    kernel = _kernel(f"def many({params}):\n    al.nvvm.tma_prefetch_2d(m0, 0, 0)\n", scope)
    several = arrays(torch, count)
    for _ in range(2):
        kernel[AT](*several)
        found = [asked(list(w))["address"] for w in machine.last.wide[:16]]
        assert found == [x.data_ptr() for x in several][count - 16 :] or count == 17
        assert machine.values() == [x.data_ptr() for x in several]
    assert hot(kernel) == (count == 16)


def _kernel(text, scope):
    import linecache

    name = f"<{hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return avelang.jit(next(v for k, v in scope.items() if callable(v) and k == "many"))


def test_threads(machine, torch, monkeypatch):
    """Threads launch with arrays of their own while others replace what the table has."""
    monkeypatch.setattr(tensor_maps, "MOST_KEPT", 64)
    kernel, (whole, c) = fresh(two), arrays(torch, 2, (400, 64))
    kernel[AT](whole, whole, c, 1)
    machine.lib.stub_quiet(1)
    errors = []

    def run(first):
        try:
            for turn in range(4):
                for i in range(first, 300, 4):
                    x = whole[i : i + 16]
                    kernel[AT](x, x, c, turn)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=run, args=(first,)) for first in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and machine.launches == 1 + 4 * 300
    machine.lib.stub_quiet(0)
    for i in range(0, 300, 37):
        x = whole[i : i + 16]
        kernel[AT](x, x, c, i)
        check(machine, x, x, c, i)


# -- errors ------------------------------------------------------------------------------------------------------------------------------


def wrong(torch):
    """(array, code, words) that do not fit `two`'s A."""
    make = torch.make
    plain = make(np.zeros((16, 64), np.float32))
    long = make(np.zeros(4096, np.float32))
    return [
        (plain.double(), "L012", "float64"), (plain.to(torch.torch.int32), "L012", "is not f32"), (plain[0], "L027", "it has 1 dimensions, the map 2"),
        (plain.view(4, 4, 64), "L027", "it has 3 dimensions, the map 2"), (long[4:1028].view(16, 64), None, ""),
        (long[1:1025].view(16, 64), "L027", "no multiple of 16 bytes"), (long[2:1026].view(16, 64), "L027", "no multiple of 16 bytes"),
        (long.as_strided((16, 64), (66, 1)), "L027", "a stride is 264 bytes"), (long.as_strided((16, 64), (0, 1)), "L027", "a stride is 0 bytes"),
        (long.as_strided((16, 30), (64, 2)), "L027", "must be contiguous; its stride is 8 bytes"), (plain.T, "L027", "must be contiguous"),
        (plain[:0], "L027", "an extent is 0"), (plain[:, :0], "L027", "an extent is 0"), (plain[:, :1].T, "L027", "must be contiguous"),
        (np.zeros((16, 64), np.float32), "L017", "are on different devices"), (torch.torch.zeros(16, 64), "L017", "are on different devices"),
        (make(np.zeros((16, 64), np.float32), 1), "L017", "are on different devices"), (None, "L010", "wants TensorMap(f32, 2, (8, 32))"),
    ]  # fmt: skip


def test_errors_are_the_same_for_the_host_code(machine, torch):
    """What the slow path refuses it refuses also behind the host code, in the same words, and the table is none the worse."""
    kernel, plain, (a, b, c) = fresh(two), fresh(two), arrays(torch, 3)
    for n in range(2):
        kernel[AT](a, b, c, n)
    assert hot(kernel)
    for x, code, words in wrong(torch):
        found = []
        for run in (kernel[AT], kernel[AT], lambda *args: plain._launcher._slow(AT, *args)):
            try:
                run(x, b, c, 5)
                found.append((None, asked(list(machine.last.wide[0]))))
            except AveError as e:
                found.append((e.code, str(e).split("\n  called from")[0]))  # where the launch stands, a launcher alone does not know
        assert found[0] == found[1] == found[2] and found[0][0] == code, found
        assert code is None or words in found[0][1], found[0][1]
        kernel[AT](a, b, c, 6)
        check(machine, a, b, c, 6)
        assert hot(kernel)


def test_lazily_negated_views_are_refused(machine, torch):
    """Their memory holds other values. They are never contiguous along the last dimension, so the host code does not see one."""
    kernel, (a, b, c) = fresh(two), arrays(torch, 3)
    for n in range(2):
        kernel[AT](a, b, c, n)
    z = torch.make(torch.torch.zeros((16, 64), dtype=torch.torch.complex64))
    for x in (z.conj().imag, z[:, :1].conj().imag, z[:1].conj().imag):
        for _ in range(2):
            with pytest.raises(AveError) as e:
                kernel[AT](torch.make(x), b, c, 1)
            assert e.value.code == "L011"


def test_a_box_that_is_too_large():
    for box in ((257, 32), (8, 512)):
        with pytest.raises(AveError) as e:
            al.TensorMap(al.f32, 2, box)
        assert e.value.code == "T036" and "1 to 256" in str(e.value)


# -- launches on the CPU -----------------------------------------------------------------------------------------------------------------


@avelang.jit
def copies(A: al.TensorMap(al.f32, 2, (8, 32)), B: al.TensorMap(al.f32, 2, (8, 32)), row: al.i32, col: al.i32):
    """A box of A at (row, col) goes to B's beginning."""
    t = al.thread_id(0)
    tile = al.make_shared((8, 32), al.f32, 128)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.mbarrier_arrive_expect_tx(bar, 1024)
        al.nvvm.tma_load_2d(tile, A, row, col, bar)
    al.syncthreads()
    al.nvvm.mbarrier_wait(bar, 0)
    if t == 0:
        al.nvvm.tma_store_2d(B, 0, 0, tile)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


def aligned(shape, dtype=np.float32):
    """A NumPy array that begins at a multiple of 16 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 16, np.uint8)
    start = -raw.ctypes.data % 16
    return raw[start : start + size].view(dtype).reshape(shape)


def test_arrays_on_the_cpu(torch):
    kernel, rng = fresh(copies), np.random.default_rng(4)
    sources = [aligned((12, 48)) for _ in range(3)]
    for x in sources:
        x[:] = rng.standard_normal(x.shape)
    wide = sources[0].reshape(6, 96)[:, :48]
    out = aligned((8, 32))
    for turn in range(2):
        for x in (*sources, wide, torch.torch.from_numpy(sources[1])):
            for row, col in ((0, 0), (-3, 40), (5, -7)):
                out[:] = -1
                kernel[AT](x, out, row, col)
                padded = np.zeros((40, 120), np.float32)
                padded[8 : 8 + len(x), 32 : 32 + x.shape[1]] = x
                np.testing.assert_array_equal(out, padded[8 + row : 16 + row, 32 + col : 64 + col])
            assert hot(kernel), turn


def test_what_may_be_read_may_not_be_stored_to(torch):
    """An array that is known as one to read, by a map of the same type, is refused each time as one to store to."""
    kernel, (x, out) = fresh(copies), (aligned((8, 64)) for _ in range(2))
    short = x[:, :62]
    for turn in range(3):
        kernel[AT](short, out, 0, turn)
        assert hot(kernel) == (turn > 0)
        with pytest.raises(AveError, match="end inside of 16 bytes") as e:
            kernel[AT](out, short, 0, 0)
        assert e.value.code == "L027"
        kernel[AT](short, out, 0, 0)


def test_tensors_of_torch_in_the_reference(torch):
    x, out = (torch.torch.from_numpy(aligned((16, 96))) for _ in range(2))
    x.copy_(torch.torch.arange(16 * 96).reshape(16, 96))
    copies[AT](x[::2, :64], out[:, :48], 1, 16, backend="reference")
    assert torch.torch.equal(out[:8, :32], torch.torch.nn.functional.pad(x[::2][1:, 16:48], (0, 0, 0, 1)))


def test_errors_on_the_cpu_are_the_same(torch):
    kernel, plain, a, b = fresh(copies), fresh(copies), aligned((16, 64)), aligned((16, 64))
    for _ in range(2):
        kernel[AT](a, b, 0, 0)
    assert hot(kernel)
    locked = aligned((16, 64))
    locked.flags.writeable = False
    flat = aligned((2048,))
    bad = [
        (a.astype(np.float64), b, "L012"), (a[0], b, "L027"), (a.T, b, "L027"), (flat[1:1025].reshape(16, 64), b, "L027"), (a[::-1], b, "L027"),
        (flat[:1056].reshape(16, 66)[:, :64], b, "L027"), (a[:0], b, "L027"), (a, locked, "L021"), (a.astype(">f4"), b, "L012"), (a, 3, "L010"),
        (a, np.asfortranarray(b), "L027"), (a.view(np.uint8), b, "L012"), (a, b[:, :62], "L027"),
    ]  # fmt: skip
    for x, y, code in bad:
        found = []
        for run in (kernel[AT], kernel[AT], lambda *args: plain._launcher._slow(AT, *args)):
            try:
                run(x, y, 0, 0)
                found.append((None, ""))
            except AveError as e:
                found.append((e.code, str(e).split("\n  called from")[0]))  # where the launch stands, a launcher alone does not know
        assert found[0] == found[1] == found[2] and found[0][0] == code, found
    kernel[AT](a, b, 0, 0)
    assert hot(kernel)
    # Of what is only read, rows may end anywhere, and memory may be protected.
    a[...] = 3.0
    a.flags.writeable = False
    kernel[AT](a[:, :62], b, 0, 0)
    assert (b[:8, :32] == 3.0).all()


# -- the table -----------------------------------------------------------------------------------------------------------------------------


def array(address, shape, strides):
    return Array("NumPy", address, al.f32, "float32", shape, strides, CPU, None)


def value(number):
    wide = tensor_maps._wide(number)
    ctypes.memmove(ctypes.addressof(wide), (number % 2**64).to_bytes(8, "little") * 16, 128)
    return wide


@pytest.mark.parametrize("rank", [1, 2, 5])
def test_a_table_beside_a_dict(monkeypatch, rank):
    """Keys close to one another, in any order: what the table gives was kept last for the same key; while it has room, it forgets nothing."""
    monkeypatch.setattr(tensor_maps, "MOST_KEPT", 512)
    rng, table, kept, lost = random.Random(rank), tensor_maps.MapTable(MapType(al.f32, (4,) * rank)), {}, 0
    for step in range(3000):
        shape = tuple(rng.choice((4, 64, 128, 2**32)) for _ in range(rank))
        strides = (*(16 * rng.randrange(1, 4) for _ in range(rank - 1)), 4)
        key = (0x7000_0000 + 256 * rng.randrange(200 if step > 1500 else 20), shape[:1] + (64,) * (rank - 1), strides)
        found = table.find(array(*key))
        if found is not None:
            assert bytes(found.value) == bytes(value(kept[key]).value) and found.word == key[0]
        else:
            lost += key in kept and len(kept) < 256
        if rng.random() < 0.5:
            kept[key] = step
            table.keep(array(*key), value(step))
            assert bytes(table.find(array(*key)).value) == bytes(value(step).value)
    # A search looks at eight records: among as many as half the memory it seldom finds all of them taken.
    assert lost <= 3 and len(kept) > (60 if rank == 1 else 512)
    assert sum(1 for _ in table.records()) == table.used <= table.maps.mask + 1 <= 512


def test_describe_gives_what_keys_are_made_of():
    x = aligned((4, 6, 16))[:, ::2]
    found = describe(x)
    assert (found.address, found.shape, found.strides) == (x.ctypes.data, (4, 3, 16), (384, 128, 4))
