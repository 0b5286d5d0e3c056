"""Launches on a GPU, against drivers that check what is handed to them and run nothing (hip_stub.c, cuda_stub.c): what they are given is held against
the arguments, what they refuse against the errors."""

import ctypes
import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.runtime import cuda, rocm
from tests.runtime.references import growth

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime import compile
from avelang.runtime.arrays import describe

pytest.importorskip("torch")
MACHINES = {"rocm": rocm.Machine, "cuda": cuda.Machine}


@pytest.fixture(params=MACHINES)
def machine(request, monkeypatch):
    return MACHINES[request.param](monkeypatch)


@pytest.fixture
def torch(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


@avelang.jit
def axpy(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, BLOCK: al.constexpr = 64):
    i = al.block_id(0) * BLOCK + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = Y[i] + X[i]


@avelang.jit
def mixed(
    p: al.Pointer(al.f32), a: al.i8, b: al.u8, c: al.i64, d: al.u64, e: al.f32, f: al.f64, g: al.u1, h: al.f16, t: al.Tensor((4, 6), al.i32)
):  # fmt: skip
    pass


AT = ((3,), (64,))


def fresh(kernel):
    return avelang.jit(kernel.source.fn)


def hot(kernel):
    return kernel._launcher._stub.latest() is not None


def pair(torch, index=0, n=192):
    return torch.make(np.zeros(n, np.float32), index), torch.make(np.zeros(n, np.float32), index)


def refused(code, call):
    with pytest.raises(AveError) as e:
        call()
    assert e.value.code == code, str(e.value)
    return str(e.value)


# -- what the driver is handed -----------------------------------------------------------------------------------------------------


def test_the_driver_gets_grid_block_arguments_and_stream(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x7000)
    for n, how in ((192, "compiled"), (191, "hot"), (190, "hot")):
        kernel[lambda: ((3, 2, 5), (64,))](x, y, n)
        last = machine.last
        assert (last.kernel, list(last.grid), list(last.block), last.shared, last.device) == (b"axpy", [3, 2, 5], [64, 1, 1], 0, 0)
        assert (machine.values(), last.stream) == ([x.data_ptr(), y.data_ptr(), n], 0x7000)
        assert kernel.last.how == how
    assert hot(kernel) and machine.launches == 3


VALUES = {
    1: [(-128, 0x80), (127, 0x7F), (-1, 0xFF)],
    2: [(255, 255), (0, 0)],
    3: [(-(2**63), 2**63), (5, 5)],
    4: [(2**64 - 1, 2**64 - 1)],
    5: [(0.1, 0x3DCCCCCD), (float("inf"), 0x7F800000), (-0.0, 0x80000000)],
    6: [(0.1, 0x3FB999999999999A)],
    7: [(True, 1), (False, 0)],
    8: [(1.5, 0x3E00), (-2.0, 0xC000)],
}


def test_each_type_of_scalar_arrives_as_the_code_object_wants_it(machine, torch):
    kernel = fresh(mixed)
    x, t = torch.make(np.zeros(7, np.float32)), torch.make(np.zeros((4, 6), np.int32))
    good = [x, 1, 2, 3, 4, 5.0, 6.0, True, 0.5, t]
    sizes = [8, 1, 1, 8, 8, 4, 8, 1, 2, 8]
    for which, values in VALUES.items():
        for value, bits in values:
            for _ in range(2):
                args = [*good[:which], value, *good[which + 1 :]]
                kernel[AT](*args)
                assert list(machine.last.sizes[:10]) == sizes
                assert machine.values()[which] == bits, (which, value)
                assert (machine.values()[0], machine.values()[9]) == (x.data_ptr(), t.data_ptr())
    # f16 is rounded in Python: such a kernel never reaches the host code, and is right all the same.
    assert not hot(kernel)


def test_the_host_code_and_the_slow_path_hand_over_the_same(machine, torch):
    kernel, plain = fresh(axpy), fresh(axpy)
    tensors = [*pair(torch), torch.make(np.zeros((8, 24), np.float32)), torch.make(np.zeros(0, np.float32))]
    odd = torch.make(np.zeros(200, np.float32))[1:65]
    cases = [(x, y, n) for x, y in itertools.product([*tensors, odd], repeat=2) for n in (0, 2**32 - 1)]
    cases += [(tensors[0], np.zeros(3, np.float32), 1), (tensors[0].double(), tensors[1], 1), (tensors[0], tensors[1], -1)]
    for args in cases:
        found = []
        for run in (kernel[AT], kernel[AT], lambda *args: plain._launcher._slow(AT, *args)):
            try:
                run(*args)
                found.append((machine.values(), machine.last.stream))
            except AveError as e:
                found.append(str(e).split("\n  called from")[0])  # the launch's place
        assert found[0] == found[1] == found[2], args
    assert kernel._launcher._stub._entries


def test_names_defaults_and_constants(machine, torch):
    @avelang.jit
    def k(x: al.Pointer(al.f32), n: al.i32, B: al.constexpr, m: al.i32 = 5):
        pass

    x, _ = pair(torch)
    for _ in range(3):
        k[AT](x, 1, 64)
        assert machine.values()[1:] == [1, 5]
        k[AT](x=x, m=7, B=32, n=2)
        assert machine.values() == [x.data_ptr(), 2, 7]
        assert machine.last.stream == 0
    assert hot(k) and len(k._launcher._programs) == 2


def test_a_grid_without_blocks_is_checked_and_not_launched(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    kernel[AT](x, y, 1)
    for grid in ((0,), (3, 0), (3, 1, 0)):
        for _ in range(2):
            kernel[(grid, (64,))](x, y, 1)
    assert machine.launches == 1
    refused("L012", lambda: kernel[((0,), (64,))](x.double(), y, 1))


def test_limits_of_the_grid(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    most = (2**32 - 1) // 64 if machine.kind == "rocm" else 2**31 - 1
    for _ in range(2):
        kernel[((most,), (64,))](x, y, 1)
        assert machine.last.grid[0] == most
        text = refused("L004", lambda: kernel[((most + 1,), (64,))](x, y, 1))
        assert f"{most} blocks along x at most" in text and ("32 bits" in text) == (machine.kind == "rocm")
        refused("L004", lambda: kernel[((1, 65536), (64,))](x, y, 1))
    refused("L003", lambda: kernel[((1,), (2048,))](x, y, 1))


def test_options_reach_the_code(machine, torch, capfd, monkeypatch):
    monkeypatch.setenv("AVE_DUMP", "llvm")
    kernel, (x, y) = fresh(axpy), pair(torch)
    kernel[AT](x, y, 1)
    first = capfd.readouterr().err
    assert ('"amdgpu-flat-work-group-size"="64,64"' if machine.kind == "rocm" else '"nvvm.reqntid"="64,1,1"') in first
    for _ in range(2):
        kernel[AT](x, y, 1, num_warps=4, waves_per_eu=2)
    text = capfd.readouterr().err
    assert machine.kind == "cuda" or ('"amdgpu-flat-work-group-size"="64,256"' in text and '"amdgpu-waves-per-eu"="2"' in text)
    assert len(kernel._launcher._programs) == 2
    for bad in (0, 9, 2.0, True):
        assert "an int from 1 to 8" in refused("L009", lambda bad=bad: kernel[AT](x, y, 1, waves_per_eu=bad))


# -- streams -----------------------------------------------------------------------------------------------------------------------


def test_torchs_current_stream_is_followed(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    for stream in (0, 0x10, 0x20, 0x10, 0):
        torch.stream(0, stream)
        kernel[AT](x, y, 1)
        assert machine.last.stream == stream
    assert hot(kernel)


def test_a_stream_that_the_launch_names(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x10)
    machine.lib.stub_stream(0xABC0, 0)
    machine.lib.stub_stream(2**63 + 64, 0)
    holder = torch.torch.cuda.current_stream(0)
    for _ in range(3):
        for stream, want in ((0xABC0, 0xABC0), (2**63 + 64, 2**63 + 64), (0, 0), (holder, 0x10), (None, 0x10)):
            kernel[AT](x, y, 1, stream=stream)
            assert machine.last.stream == want, stream
    assert hot(kernel) and len(kernel._launcher._programs) == 1
    for bad in (-1, "x", 1.5, True, 2**64):
        assert "takes a stream" in refused("L009", lambda bad=bad: kernel[AT](x, y, 1, stream=bad))


def test_a_stream_that_cannot_be_asked_in_c_is_asked_in_python(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x10)
    kernel[AT](x, y, 1)
    kernel[AT](x, y, 1)
    assert hot(kernel)
    torch.lib.rocm_break(1)
    kernel[AT](x, y, 2)
    assert not hot(kernel) and (machine.values()[2], machine.last.stream) == (2, 0x10)
    other = fresh(axpy)
    for _ in range(3):
        other[AT](x, y, 3)
        assert not hot(other) and machine.last.stream == 0x10


def test_torchs_c_function_is_not_believed_where_it_disagrees(machine, torch, monkeypatch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x10)
    machine.lib.stub_stream(0x55, 0)
    monkeypatch.setattr(torch.torch.cuda, "current_stream", lambda device: type("Stream", (), {"cuda_stream": 0x55}))
    for _ in range(3):
        kernel[AT](x, y, 1)
        assert machine.last.stream == 0x55 and not hot(kernel)


def test_a_stream_of_another_device_is_refused_with_a_reason(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    machine.lib.stub_stream(0x99, 1)
    text = refused("L032", lambda: kernel[AT](x, y, 1, stream=0x99))
    assert machine.words(400) in text and "stream 0x99" in text and "streams belong to devices" in text


def test_nothing_but_the_launch_happens_while_a_stream_is_captured(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    machine.lib.stub_capture(1)
    kernel[AT](x, y, 1)
    calls = machine.calls()
    # The first launch loads the module in relaxed mode; the mode is put back.
    assert calls.count(machine.symbol("capture")) in (2, 4) and machine.symbol("load") in calls
    for _ in range(3):
        kernel[AT](x, y, 1)
    assert hot(kernel)
    assert {c.split()[0] for c in machine.calls()} <= {machine.symbol("launch"), machine.symbol("get")}
    assert machine.launches == 4


# -- devices -----------------------------------------------------------------------------------------------------------------------


def test_several_devices(machine, torch):
    kernel = fresh(axpy)
    near, far = pair(torch, 0), pair(torch, 1)
    torch.stream(0, 0x100)
    torch.stream(1, 0x200)
    hows = []
    for _ in range(3):
        for index, (x, y) in ((0, near), (1, far)):
            kernel[AT](x, y, 1)
            assert (machine.last.device, machine.last.stream, machine.values()[0]) == (index, 0x100 << index, x.data_ptr())
            hows.append(kernel.last.how)
    # The same code, loaded on each: the second device finds it in the cache on disk.
    assert hows == ["compiled", "disk", "hot", "hot", "hot", "hot"] and hot(kernel)
    calls = machine.calls()
    assert calls.count(machine.symbol("load")) == 2
    switch = machine.symbol("set")
    assert calls[-3:] == [f"{switch} 1", f"{machine.symbol('launch')} axpy", f"{switch} 0"]
    text = refused("L017", lambda: kernel[AT](near[0], far[1], 1))
    assert f"x on {machine.kind}:0, y on {machine.kind}:1" in text
    refused("L017", lambda: kernel[AT](np.zeros(4, np.float32), near[1], 1))


def test_a_module_is_loaded_once_for_each_device(machine, torch):
    x, y = pair(torch)
    for _ in range(3):
        fresh(axpy)[AT](x, y, 1)
    assert machine.calls().count(machine.symbol("load")) == 1


def test_devices_of_different_chips(machine, torch):
    machine.lib.stub_arch(1, machine.OTHER.encode())
    kernel = fresh(axpy)
    for index in (0, 1, 0, 1):
        kernel[AT](*pair(torch, index), 1)
    assert [launch.how for launch in kernel.prepared] == ["compiled", "compiled"]
    assert {p.meta["chip"] for p in kernel._launcher._programs.values()} == set(machine.CHIPS)


def test_memory_of_the_cpu_that_gpus_reach(machine, torch):
    kernel, (_, y) = fresh(axpy), pair(torch)
    pinned = rocm.Producer(np.zeros(192, np.float32), kind=11 if machine.kind == "rocm" else 3)
    machine.own(pinned.array, rocm.PINNED)
    for _ in range(2):
        kernel[AT](pinned, y, 1)
        assert machine.values()[0] == pinned.array.ctypes.data
    refused("L017", lambda: kernel[AT](rocm.Producer(np.zeros(192, np.float32), kind=1), y, 1))
    # Pinned memory alone is the CPU's.
    before = machine.launches
    kernel[AT](pinned, pinned, 5)
    assert machine.launches == before


def test_cpu_arrays_need_no_driver(monkeypatch):
    monkeypatch.setenv("AVE_HIP", "/nowhere/libamdhip64.so")
    monkeypatch.setenv("AVE_CUDA", "/nowhere/libcuda.so.1")
    kernel, x, y = fresh(axpy), np.ones(64, np.float32), np.ones(64, np.float32)
    kernel[((1,), (64,))](x, y, 64, target="gfx942", stream=None, waves_per_eu=1)
    assert (y == 2).all()


def test_target_and_backend_must_agree_with_the_device(machine, torch, monkeypatch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    kernel[AT](x, y, 1)
    kernel[AT](x, y, 1, target=machine.CHIPS[0])
    assert len(kernel._launcher._programs) == 1
    assert f"which is a {machine.CHIPS[0]}" in refused("L022", lambda: kernel[AT](x, y, 1, target=machine.ALIEN))
    assert f"on {machine.kind}:0" in refused("L023", lambda: kernel[AT](x, y, 1, backend="reference"))
    # The variable says where arrays on the CPU run.
    monkeypatch.setenv("AVE_BACKEND", "reference")
    kernel[AT](x, y, 9)
    assert machine.values()[2] == 9
    monkeypatch.setenv("AVE_TARGET", machine.ALIEN)
    refused("L022", lambda: kernel[AT](x, y, 1))


# -- what goes wrong ---------------------------------------------------------------------------------------------------------------


def test_a_refused_launch_names_kernel_and_arguments(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x30)
    for served in (False, True, True):
        machine.fail("launch", 701)
        text = refused("L032", lambda: kernel[AT](x, y, 17))
        for part in (f"`axpy` was not launched on {machine.kind}:0", f"{machine.symbol('launch')} gave {machine.words(701)}",
                     "grid (3, 1, 1), block (64, 1, 1), stream 0x30", f"x=torch.float32[192] at {x.data_ptr():#x}", "n=17", "smaller block"):  # fmt: skip
            assert part in text
        # Nobody else finds the error that has been reported.
        assert machine.last_error() == 0
        assert hot(kernel) == served
        kernel[AT](x, y, 1)


def test_other_calls_that_fail(machine, torch):
    kernel, (x, y), (far, away) = fresh(axpy), pair(torch), pair(torch, 1)
    machine.fail("load", 209)
    text = refused("D035", lambda: kernel[AT](x, y, 1))
    assert f"`axpy` cannot be loaded on {machine.kind}:0: {machine.symbol('load')} gave {machine.words(209)}" in text
    machine.fail("function", 500)
    refused("D035", lambda: kernel[AT](x, y, 1))
    for _ in range(2):
        kernel[AT](x, y, 1)
        kernel[AT](far, away, 1)
    machine.fail("set", 101)
    assert f"{machine.symbol('set')} gave {machine.words(101)}" in refused("L032", lambda: kernel[AT](far, away, 1))
    machine.fail("get", 3)
    assert f"{machine.symbol('get')} gave {machine.words(3)}" in refused("L032", lambda: kernel[AT](x, y, 1))
    kernel[AT](far, away, 1)
    assert hot(kernel)


def test_a_kernel_that_faults_is_named_where_launches_are_checked(machine, torch, monkeypatch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    monkeypatch.setenv("AVE_CHECK", "launch")
    torch.stream(0, 0x40)
    for _ in range(3):
        kernel[AT](x, y, 1)
        calls = [c for c in machine.calls() if c.split()[0] in (machine.symbol("launch"), machine.symbol("wait"))]
        assert calls == [f"{machine.symbol('launch')} axpy", f"{machine.symbol('wait')} 0x40"]
    stray = torch.torch.zeros(192).as_subclass(type(x))
    text = refused("L033", lambda: kernel[AT](stray, y, 6))
    assert f"`axpy` failed while it ran on {machine.kind}:0: {machine.symbol('wait')} gave {machine.words(700)}" in text
    assert f"x=torch.float32[192] at {stray.data_ptr():#x}, y=" in text and "n=6" in text


def test_a_traceback_shows_the_users_frames(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    kernel[AT](x, y, 1)
    machine.fail("launch", 701)
    with pytest.raises(AveError) as e:
        kernel[AT](x, y, 1)
    assert [entry.path.name for entry in e.traceback] == ["test_gpu.py"]


def test_references_are_balanced(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    geometry = ((1,), (64,))

    def launch():
        kernel[geometry](x, y, 300)
        kernel[lambda: geometry](x, y, 300, stream=0)
        machine.fail("launch", 701)
        try:
            kernel[geometry](x, y, 300)
        except AveError:
            pass

    for _ in range(20):
        launch()
    watched = [None, geometry, x, y, kernel, *(keep[4].refused for _, _, keep in kernel._launcher._stub._entries)]
    assert (grown := growth(launch, watched, 200)) < 100, grown


# -- printing ----------------------------------------------------------------------------------------------------------------------


@avelang.jit
def talks(x: al.Pointer(al.f32), n: al.i32):
    al.printf("%d of %f\n", n, 1.5)


def test_what_a_kernel_prints_is_fetched_and_written(machine, torch, capsys):
    kernel, (x, _) = fresh(talks), pair(torch, 1)
    # Two records of the first printf as they would stand in the buffer: block 1 before block 0, wave 0, lane 3; values 7 and 1.5 (f64).
    double = np.array([1.5]).view(np.uint32).tolist()
    form = describe_words(kernel, machine, x)
    records = [record for block in (1, 0) for record in ([1, 0, block, 0, 0, 0, 3, 7, *(double if form == 8 else [0x3FC00000])])]
    words = np.array([len(records), 0, *records], np.uint32)
    for _ in range(2):
        machine.lib.stub_write(ctypes.c_void_p(words.ctypes.data), len(words))
        kernel[AT](x, 7)
        assert capsys.readouterr().out == "7 of 1.500000\n" * 2
        assert (machine.last.device, machine.values()[1]) == (1, 7) and not hot(kernel)
    calls = [c.split()[0] for c in machine.calls()]
    assert calls.count(machine.symbol("allocate")) == calls.count(machine.symbol("free")) == 3
    steps = [machine.symbol(role) for role in ("allocate", "to", "launch", "wait", "from", "free")]
    assert [c for c in calls if c in steps][-6:] == steps and calls[-1] == machine.symbol("set")
    machine.fail("allocate", 2)
    assert f"for what it prints: {machine.symbol('allocate')} gave {machine.words(2)}" in refused("D035", lambda: kernel[AT](x, 7))
    machine.lib.stub_capture(1)
    # A graph would outlive the memory that is lent.
    assert "under capture" in refused("D035", lambda: kernel[AT](x, 7)) and machine.launches == 3


def describe_words(kernel, machine, x):
    """Bytes of the second value of `talks`, as the code that was made for it says."""
    kernel[AT](x, 7)
    (program,) = kernel._launcher._programs.values()
    ((form, dtypes),) = program.meta["prints"]
    assert form == "%d of %f\n" and dtypes[0] == "i32"
    return 8 if dtypes[1] == "f64" else 4


# -- the process -------------------------------------------------------------------------------------------------------------------


def test_code_objects_come_from_the_cache_on_disk(machine, torch, monkeypatch):
    x, y = pair(torch)
    fresh(axpy)[AT](x, y, 1)
    again = fresh(axpy)
    monkeypatch.setattr(compile, "device_object", lambda *args: pytest.fail("compiled again"))
    again[AT](x, y, 1)
    assert again.last.how == "disk"
    monkeypatch.undo()


def test_threads(machine, torch):
    kernel, tensors = fresh(axpy), [pair(torch) for _ in range(4)]
    kernel[AT](*tensors[0], 1)
    machine.lib.stub_quiet(1)  # its log is written by one thread only
    errors = []

    def run(x, y):
        try:
            for n in range(200):
                kernel[AT](x, y, n)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=run, args=t) for t in tensors]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and machine.launches == 801


START = """
import os, sys, numpy as np, pytest
import avelang, avelang.language as al
from avelang.base.errors import AveError
from tests.runtime import cuda, rocm
@avelang.jit
def k(x: al.Pointer(al.f32), n: al.i32):
    pass
patch = pytest.MonkeyPatch()
machine = {machine}(patch)
AT = ((1,), (64,))
"""
# The child would use a driver that is its parent's: it is told so where the host code would have served it.
FORKED = """
torch = rocm.Torch(patch, machine)
x = torch.make(np.zeros(64, np.float32))
for n in range(2):
    k[AT](x, n)
child = os.fork()
if child == 0:
    code = "launched"
    try:
        k[AT](x, 2)
    except AveError as e:
        code = e.code
    os._exit(0 if code == "D036" else 1)
assert os.waitpid(child, 0)[1] == 0
k[AT](x, 3)
assert k._launcher._stub.latest() is not None and machine.values()[1] == 3
"""
WITHOUT_TORCH = """
x = rocm.Producer(machine.own(np.zeros(64, np.float32)), machine.dlpack)
for n in range(3):
    k[AT](x, n)
assert machine.values() == [x.array.ctypes.data, 2], machine.values()
assert "torch" not in sys.modules
"""


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize("text", [FORKED, WITHOUT_TORCH], ids=["a fork", "no torch"])
def test_a_process_of_its_own(text, kind, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(START.replace("{machine}", f"{kind}.Machine") + text)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    subprocess.run([sys.executable, str(script)], check=True, env=env, timeout=60)


def test_arrays_on_the_gpu_are_described_in_full(machine, torch):
    x = torch.make(np.zeros((4, 6), np.float32), 1)[:, ::2]
    found = describe(x)
    assert (found.device, found.address, found.shape, found.strides, found.dtype.name) == (f"{machine.kind}:1", x.data_ptr(), (4, 3), (24, 8), "f32")
