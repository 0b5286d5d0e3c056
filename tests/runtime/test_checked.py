"""AVE_CHECK=bounds: kernels that go out of bounds, by every way to touch memory; the reference says what must be said, NumPy what is right."""

import re

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

ENGINES = ("cpu", "gfx942-exec")


@avelang.jit
def flat(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = X[i + shift] + 1.0


@avelang.jit
def pointer(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    if i < n:
        y[i + shift] = x[i] + 1.0


@avelang.jit
def shared(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    stage = al.make_shared((64,), al.f32)
    stage[i] = x[i]
    al.syncthreads()
    y[i] = stage[i + shift] + 1.0


@avelang.jit
def registers(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    kept = al.make_local((4,), al.f32)
    for j in range(4):
        kept[j] = x[i]
    kept[3 + shift] = x[i]
    y[i] = kept[0] + 1.0


@avelang.jit
def elements(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    kept = al.full((4,), 1.0, al.f32)
    y[i] = x[i] + kept[3 * (i // 32) + shift]


@avelang.jit
def vectors(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    X = al.make_tensor(x, al.f32, al.make_layout((64, 4), (4, 1)))
    Y = al.make_tensor(y, al.f32, al.make_layout((64, 4), (4, 1)))
    if i < n // 4:
        Y[i] = X[i + shift] + al.full((4,), 1.0, al.f32)


@avelang.jit
def columns(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    X = al.make_tensor(x, al.f32, al.make_layout((n // 4, 4), (1, n // 4)))
    if i < n // 4:
        row = X[i + shift]
        for j in range(4):
            y[i * 4 + j] = row[j] + 1.0


@avelang.jit
def windows(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    part = al.subview(X, (i * 4 + shift,), (4,), (1,))
    if i < n // 4:
        for j in range(4):
            y[i * 4 + j] = part[j] + 1.0


@avelang.jit
def counted(x: al.Pointer(al.u32), y: al.Pointer(al.u32), n: al.i32, shift: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    if i < n:
        al.amdgpu.atomic_add((i + shift) * 4, x[i], y, 1)


KERNELS = (flat, pointer, shared, registers, elements, vectors, columns, windows, counted)


def outcome(kernel, backend, n, size, shift):
    """What became of a launch: the arrays, or the code and the words, addresses left out."""
    kind = np.uint32 if kernel is counted else np.float32
    x, y = np.arange(size, dtype=kind), np.zeros(size + 64, kind)
    before = y.copy()
    try:
        kernel[(1, 1, 1), (64, 1, 1)](x, y[32 : 32 + size], n, shift, backend=backend)
    except AveError as e:
        guard = np.concatenate([y[:32], y[32 + size :]])
        assert np.array_equal(guard, np.concatenate([before[:32], before[32 + size :]])), "an access out of bounds was made"
        return e.code, re.sub(r"0x[0-9a-f]+|lane \d+ of wave \d+|block .*?thread \(\d+|index \(-?\d+", "#", e.message), e.span and e.span.line
    return "", y.tobytes(), None


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.source.name)
@pytest.mark.parametrize(("n", "size", "shift"), [(64, 64, 0), (64, 64, 1), (64, 64, -1), (64, 60, 0)])
def test_an_access_out_of_bounds_is_what_the_reference_says(kernel, n, size, shift, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "bounds")
    wanted = outcome(kernel, "reference", n, size, shift)
    if size == n and shift == 0:
        assert wanted[0] == ""
    for backend in ENGINES:
        assert outcome(kernel, backend, n, size, shift) == wanted, backend


def test_the_error_names_line_tensor_index_block_and_thread(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "bounds")
    x = np.zeros(100, np.float32)
    for backend in ("reference", *ENGINES):
        with pytest.raises(AveError, match=r"load of `X` at index \(100,\) is outside its extents \(100,\) \(block \(1, 0, 0\), thread \(35, ") as e:
            flat[(2, 1, 1), (64, 1, 1)](x, np.zeros(100, np.float32), 100, 1, backend=backend)
        assert e.value.code == "X001" and e.value.span is not None and "Y[i] = X[i + shift] + 1.0" in e.value.span.text()


def test_the_knob_counts_for_launches_that_were_made_before_it(monkeypatch):
    x, y = np.zeros(64, np.float32), np.zeros(128, np.float32)
    monkeypatch.delenv("AVE_CHECK", raising=False)
    for _ in range(3):
        pointer[1, 64](x, y[:64], 64, 8)
    monkeypatch.setenv("AVE_CHECK", "bounds")
    with pytest.raises(AveError, match="X002"):
        pointer[1, 64](x, y[:64], 64, 8)
    monkeypatch.delenv("AVE_CHECK")
    pointer[1, 64](x, y[:64], 64, 8)


def test_a_register_index_out_of_range_does_no_harm_without_the_check(monkeypatch):
    monkeypatch.delenv("AVE_CHECK", raising=False)
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    for shift in (1, -4, 1 << 20, -(1 << 31), (1 << 31) - 4):
        registers[1, 64](x, y, 64, shift, backend="cpu")
        elements[1, 64](x, y, 64, shift, backend="cpu")


@pytest.mark.parametrize("n", range(3))
def test_drawn_layouts_are_what_numpy_and_the_reference_say(n, monkeypatch):
    """Extents, strides (negative ones too), offsets and sizes of arrays as they come; an access is right exactly where NumPy finds it inside."""
    rng = np.random.default_rng(n)
    for _ in range(12):
        size, rows, cols = (int(rng.integers(1, 40)), int(rng.integers(0, 9)), int(rng.integers(0, 9)))
        step, one, start = int(rng.integers(-6, 12)), int(rng.integers(-2, 4)), int(rng.integers(-8, 30))
        r, c = int(rng.integers(-2, 10)), int(rng.integers(-2, 10))
        at = start + r * step + c * one
        inside = 0 <= r < rows and 0 <= c < cols
        code = "X001" if not inside else "" if 0 <= at < size else "X002"
        monkeypatch.setenv("AVE_CHECK", "bounds")
        for backend in ("reference", *ENGINES):
            x = np.arange(size, dtype=np.float32)
            try:
                corner[1, 64](x, rows, cols, step, one, start, r, c, backend=backend)
                found, x[at] = "", x[at] - 1000.0 if code == "" else x[at]
            except AveError as e:
                found = e.code
            assert (found, x.tolist()) == (code, list(range(size))), (backend, size, rows, cols, step, one, start, r, c)


@avelang.jit
def corner(x: al.Pointer(al.f32), rows: al.i32, cols: al.i32, step: al.i32, one: al.i32, start: al.i32, r: al.i32, c: al.i32):
    X = al.make_tensor(x, al.f32, al.make_layout((1 << 20,), (1,)))
    part = al.subview(X, (start,), (1,), (1,))
    Y = al.view(part, al.f32, al.make_layout((rows, cols), (step, one)))
    if al.thread_id(0) == 37:
        Y[r, c] = Y[r, c] + 1000.0


@avelang.jit
def ranged(x: al.Pointer(al.i32), steps: al.i32, start: al.i32, length: al.i32):
    X = al.make_tensor(x, al.i32, al.make_layout((1 << 20,), (1,)))
    zero = al.convert(0, al.i32)
    for i in al.range(steps):
        buffer = al.amdgpu.make_rsrc(al.subview(X, (start + i,), (4,), (1,)), al.convert(length * 4, al.u32))
        if al.thread_id(0) == 37:
            al.amdgpu.raw_buffer_store_x4(al.full((4,), 7, al.i32), buffer, zero, zero, 0)
    last = al.amdgpu.make_rsrc(al.subview(X, (start + steps,), (4,), (1,)), al.convert(length * 4, al.u32))
    if al.thread_id(0) == 37:
        al.amdgpu.raw_buffer_store_x4(al.full((4,), 7, al.i32), last, zero, zero, 0)


@pytest.mark.parametrize("steps", range(2))
def test_words_out_of_a_resource_s_range_are_not_touched(steps, monkeypatch):
    """A resource of no range may begin outside of all arrays, as those of rows past the end of a matrix do; of others the words inside count."""
    monkeypatch.setenv("AVE_CHECK", "bounds")
    size = 9
    for start, length in ((0, 4), (5, 4), (6, 3), (6, 9), (7, 2), (8, 0), (40, 0), (1000, 0), (-3, 0), (8, 1), (40, 1), (-1, 2)):
        firsts = range(start, start + steps + 1)
        right = length == 0 or all(0 <= first and first + min(4, length) <= size for first in firsts)
        want = [7 if right and any(first <= i < first + min(4, length) for first in firsts) else i for i in range(size)]
        for backend in ("reference", "cpu", "gfx942-exec", "gfx950-exec"):
            x = np.arange(size, dtype=np.int32)
            try:
                ranged[1, 64](x, steps, start, length, backend=backend)
                found = (True, x.tolist())
            except AveError as e:
                assert e.code == "X002", e
                found = (False, want)
            assert found == (right, want), (backend, start, length)


def straight(size):
    """A kernel that loads elements of so many bytes straight into shared memory: of `length` bytes from element `start`, into row `row` of two."""
    each = 4 if size == 12 else max(1, size // 4)  # words of a lane's place

    @avelang.jit
    def kernel(x: al.Pointer(al.i32), start: al.i32, length: al.i32, row: al.i32, more: al.i32):  # type: ignore
        X = al.make_tensor(x, al.i32, al.make_layout((1 << 20,), (1,)))
        box = al.make_shared((2, 64 * each), al.i32, 16)
        buffer = al.amdgpu.make_rsrc(al.subview(X, (start,), (1,), (1,)), al.convert(length, al.u32))
        t = al.convert(al.thread_id(0), al.i32)
        al.amdgpu.raw_buffer_load_x1_lds(buffer, box[row], size, t * size + more, 0, 0, 0)
        al.amdgpu.s_waitcnt(0, 7, 15)
        al.syncthreads()

    return kernel


@pytest.mark.parametrize(("size", "engines"), [(4, ("reference", "cpu", "gfx942-exec")), (1, ("cpu", "gfx942-exec")), (16, ("gfx950-exec",)), (12, ("gfx950-exec",))])
def test_loads_straight_into_shared_memory(size, engines, monkeypatch):
    """Bytes of the array and of the place in shared memory: what is out of the resource's range is not touched."""
    monkeypatch.setenv("AVE_CHECK", "bounds")
    kernel, full = straight(size), 64 * size
    for backend in engines:
        for start, length, row, more, code in (
            (0, full, 0, 0, ""), (0, full, 1, 0, ""), (0, full, 0, 40, ""), (0, full + 4, 0, 4, "X002"), (1, full, 0, 0, "X002"), (50, 0, 1, 0, ""),
            (0, full, 2, 0, "X00"), (0, 0, 3, 0, "X00"),
        ):  # fmt: skip
            x = np.zeros(full // 4, np.int32)
            try:
                kernel[1, 64](x, start, length, row, more, backend=backend)
                found = ""
            except AveError as e:
                found = e.code
            assert found[: len(code)] == code and bool(found) == bool(code), (backend, start, length, row, more, found)


@avelang.jit
def named(bounds: al.Pointer(al.f32), record: al.Pointer(al.f32), flag: al.i32):
    i = al.convert(al.thread_id(0), al.i32)
    record[i + flag] = bounds[i] + 1.0


def test_parameters_may_have_any_name(monkeypatch):
    """The parameter that a checked kernel gets has a name of its own."""
    monkeypatch.setenv("AVE_CHECK", "bounds")
    for backend in ENGINES:
        x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        named[1, 64](x, y, 0, backend=backend)
        assert np.array_equal(y, x + 1), backend
        with pytest.raises(AveError, match="store of `record` at index"):
            named[1, 64](x, y, 1, backend=backend)
