"""The CUDA driver is found, or its absence is explained; code is made for the device that is there; launches have what NVIDIA alone has."""

import ctypes
import threading
import warnings

import numpy as np
import pytest
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang.arch import CHIPS
from avelang.base.errors import AveError
from avelang.runtime import devices, gpu, ptxas
from avelang.runtime.arrays import describe
from avelang.runtime.cuda import Cuda

pytest.importorskip("torch")


@pytest.fixture
def machine(monkeypatch):
    return cuda.Machine(monkeypatch)


@pytest.fixture
def torch(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


@avelang.jit
def axpy(x: al.Pointer(al.f32), y: al.Pointer(al.f32), a: al.f32, n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = a * X[i] + Y[i]


@avelang.jit
def big(A: al.Tensor((64, 256), al.f32)):
    tile = al.make_shared((64, 256), al.f32)
    t = al.thread_id(0)
    tile[0, t] = A[0, t]
    al.syncthreads()
    A[1, t] = tile[0, 255 - t]


AT = ((4,), (64,))


def fresh(kernel):
    return avelang.jit(kernel.source.fn)


def pair(torch, index=0, n=256):
    return torch.make(np.zeros(n, np.float32), index), torch.make(np.zeros(n, np.float32), index)


def meta(kernel):
    (program,) = kernel._launcher._programs.values()
    return program.meta


def refused(code, call):
    with pytest.raises(AveError) as e:
        call()
    assert e.value.code == code, str(e.value)
    return str(e.value)


def test_a_kernel_is_prepared_without_a_launch(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    kernel._launcher.prepare(AT, (x, y, 2.0, 256), {})
    assert kernel.last is None and meta(kernel)["kernel"] == "axpy"
    kernel[AT](x, y, 2.0, 256)
    assert kernel.last.how == "hot"


# -- the library and its devices -----------------------------------------------------------------------------------------------------


def test_no_library(monkeypatch):
    monkeypatch.setenv("AVE_CUDA", "/nowhere/libcuda.so.1")
    text = refused("D030", lambda: Cuda().device(3))
    assert "arrays on cuda:3 need the CUDA driver, which cannot be loaded: there is no /nowhere/libcuda.so.1" in text and "--gpus all" in text
    monkeypatch.setenv("AVE_CUDA", "libm.so.6")
    assert "it has no cuInit" in refused("D031", lambda: Cuda().device(0))


def test_where_the_library_is_looked_for(monkeypatch):
    monkeypatch.delenv("AVE_CUDA", raising=False)
    assert list(Cuda().places())[-2:] == ["libcuda.so.1", "libcuda.so"]
    monkeypatch.setenv("AVE_CUDA", "/asked/for.so")
    assert list(Cuda().places()) == ["/asked/for.so"]


def test_versions_and_counts(monkeypatch):
    cuda.Machine(monkeypatch, version=11_080)
    text = refused("D031", lambda: devices.device("cuda:0"))
    assert "it is version 11.8" in text and "CUDA 12.0" in text
    machine = cuda.Machine(monkeypatch, count=0)
    text = refused("D032", lambda: devices.device("cuda:0"))
    assert f"cuInit gave {machine.words(100)}" in text
    cuda.Machine(monkeypatch, count=2)
    assert "CUDA_VISIBLE_DEVICES" in refused("D033", lambda: devices.device("cuda:2"))
    survey = devices.DRIVERS["cuda"].survey()
    assert survey == gpu.Survey(survey.path, "13.0", [(f"Stub Accelerator {i}", "sm_90", CHIPS["sm_90a"]) for i in range(2)])


FITTING = {
    "sm_90": ("sm_90a", "sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a"), "sm_86": ("sm_86", "sm_75 sm_80 sm_86"), "sm_87": ("sm_86", "sm_75 sm_80 sm_86"),
    "sm_75": ("sm_75", "sm_75"), "sm_100": ("sm_100a", "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100a"), "sm_120": ("sm_120a", "sm_75 sm_80 sm_86 sm_89 sm_90 sm_120a"),
    "sm_103": ("sm_103a", "sm_75 sm_80 sm_86 sm_89 sm_90 sm_103a"),
}  # fmt: skip


@pytest.mark.parametrize("architecture", FITTING)
def test_the_chip_is_the_newest_whose_code_runs(monkeypatch, architecture):
    cuda.Machine(monkeypatch, arch=architecture)
    device, (chip, targets) = devices.device("cuda:0"), FITTING[architecture]
    assert device.chip.name == chip and device.targets == frozenset(targets.split())


@pytest.mark.parametrize("architecture", ["sm_70", "sm_61"])
def test_a_chip_too_old(monkeypatch, architecture):
    cuda.Machine(monkeypatch, arch=architecture)
    assert f"cuda:0 is a {architecture} (Stub Accelerator 0)" in refused("D034", lambda: devices.device("cuda:0"))


def test_whose_memory(machine):
    mine = machine.own(np.zeros(16, np.float32), 1)
    assert machine.driver.found()
    assert (machine.driver.owner(mine.ctypes.data + 60), machine.driver.owner(mine.ctypes.data + 64)) == (1, None)

    class Holder:
        __cuda_array_interface__ = {**mine.__array_interface__, "version": 3}

    assert devices.locate(describe(Holder())) == "cuda:1"


# -- code --------------------------------------------------------------------------------------------------------------------------------


def test_code_is_made_for_the_device_and_the_target(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    for target in ("sm_80", "sm_90a", "sm_90"):
        for _ in range(2):
            kernel[AT](x, y, 2.0, 250, target=target)
    assert {p.meta["chip"] for p in kernel._launcher._programs.values()} == {"sm_80", "sm_90", "sm_90a"}
    assert "cuda:0, which is a sm_90a" in refused("L022", lambda: kernel[AT](x, y, 2.0, 250, target="sm_100a"))


def test_what_the_compiler_says_is_kept_and_spills_are_warned_of(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[AT](x, y, 2.0, 250)
    assert (meta(kernel)["registers"], meta(kernel)["spills"], meta(kernel)["stack"], meta(kernel)["assembler"]) == (42, [0, 0], 8, "driver 13.0")
    machine.lib.stub_spills(96, 112)
    kernel, other = fresh(axpy), fresh(axpy)
    with pytest.warns(RuntimeWarning, match="`axpy` spills .*sm_80, block .64, 1, 1.*: 42 registers .* 96 bytes are stored and 112 loaded") as seen:
        kernel[AT](x, y, 2.0, 250, target="sm_80")
    assert (seen[0].filename, seen[0].lineno) == (__file__, axpy.source.fn.__code__.co_firstlineno + 1)
    # Another process hears of it too: it is in the cache.
    with pytest.warns(RuntimeWarning, match="spills"):
        other[AT](x, y, 2.0, 250, target="sm_80")
    assert other.last.how == "disk"


def test_another_compiler_makes_other_code(machine, torch, monkeypatch):
    x, y = pair(torch)
    fresh(axpy)[AT](x, y, 2.0, 250)
    kernel = fresh(axpy)
    monkeypatch.setattr(Cuda, "_assembler", lambda self: ptxas.Assembler("/else/where", (13, 7, 1)))
    monkeypatch.setattr(ptxas, "assemble", lambda tool, text, *rest: (f"stub image\n{text}".encode(), {"registers": 7}))
    kernel[AT](x, y, 2.0, 250)
    assert kernel.last.how == "compiled" and meta(kernel)["assembler"] == "ptxas 13.7.1"


def test_a_refusal_of_the_compiler(machine, torch, monkeypatch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    machine.fail("link", 2)
    text = refused("D035", lambda: kernel[AT](x, y, 2.0, 250))
    assert f"compiling `axpy` for cuda:0: cuLinkCreate_v2 gave {machine.words(2)}" in text
    monkeypatch.setattr("avelang.runtime.compile.device_assembly", lambda *args: ("no PTX", {"entry": "axpy"}))
    text = refused("D038", lambda: kernel[AT](x, y, 2.0, 250))
    assert "the compiler of the CUDA driver 13.0 refuses the PTX of `axpy`: ptxas application ptx input, line 1; fatal" in text
    assert machine.calls()[-1].startswith("cuCtxSetCurrent") or "cuLinkDestroy" in machine.calls()


def test_a_cubin_of_ptxas(machine, torch, monkeypatch):
    """The stub reads the parameters out of the file that the real assembler makes."""
    monkeypatch.delenv("AVE_PTXAS")
    if ptxas.find() is None:
        pytest.skip(ptxas.GET)
    kernel, (x, y) = fresh(axpy), pair(torch)
    for _ in range(2):
        kernel[AT](x, y, 0.5, 250)
        assert machine.values() == [x.data_ptr(), y.data_ptr(), 0x3F000000, 250] and list(machine.last.sizes[:4]) == [8, 8, 4, 4]
    assert meta(kernel)["assembler"].startswith("ptxas ") and meta(kernel)["registers"] > 4


# -- launches ----------------------------------------------------------------------------------------------------------------------------


def test_much_shared_memory_is_asked_for(machine, torch):
    kernel, a = fresh(big), torch.make(np.zeros((64, 256), np.float32))
    for _ in range(3):
        kernel[(1,), (256,)](a)
        assert machine.last.shared == 65536
    assert [c for c in machine.calls() if c.startswith("cuFuncSetAttribute")] == ["cuFuncSetAttribute 8 65536"]


def test_clusters(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    for _ in range(3):
        kernel[AT](x, y, 1.0, 250, cluster=(2,))
        assert list(machine.last.attributes[0]) == [4, 2, 1, 1]
        assert list(machine.last.grid) == [4, 1, 1] and machine.values()[3] == 250
    kernel[AT](x, y, 1.0, 250)
    assert list(machine.last.attributes[0]) == [0, 0, 0, 0] and len(kernel._launcher._programs) == 2
    # Once by the slow path, once by the host code, whose launch the driver refuses.
    three, texts = kernel[((3,), (64,))], []
    for _ in range(2):
        texts.append(refused("L029", lambda: three(x, y, 1.0, 250, cluster=(2, 1))))
        for _ in range(2):
            kernel[AT](x, y, 1.0, 250, cluster=(2, 1))
        assert kernel._launcher._stub.latest() is not None
    assert texts[0] == texts[1]
    assert "cuFuncSetAttribute 14 1" not in machine.calls()
    kernel[((16,), (64,))](x, y, 1.0, 250, cluster=(16, 1, 1))
    assert "cuFuncSetAttribute 14 1" in machine.calls() and list(machine.last.attributes[0]) == [4, 16, 1, 1]
    for bad in (2, (0,), (2, 2, 2, 2), (17,), (4, 5), ("2",), (True,)):
        assert "of 16 blocks at most" in refused("L009", lambda bad=bad: kernel[AT](x, y, 1.0, 250, cluster=bad))
    assert "a GPU of sm_90 or newer" in refused("L009", lambda: kernel[AT](x, y, 1.0, 250, cluster=(2,), target="sm_80"))


@avelang.jit
def waiting(x: al.Pointer(al.f32), n: al.u32):
    al.nvvm.griddepcontrol_wait()
    al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))[al.thread_id(0)] = 1.0


def test_a_kernel_that_waits_for_the_one_before_may_begin_early(machine, torch):
    (x, _), kernel = pair(torch), fresh(waiting)
    for _ in range(3):  # by the slow path, and by host code
        kernel[((1,), (64,))](x, 250)
        assert list(machine.last.attributes[0])[:2] == [6, 1] and list(machine.last.attributes[1]) == [0] * 4
    kernel[((2,), (64,))](x, 250, cluster=(2,))
    assert sorted(list(a)[:2] for a in machine.last.attributes[:2]) == [[4, 2], [6, 1]]


def test_other_attributes_of_a_launch(machine):
    table = machine.driver.attributes({"launch": {"programmatic": 1, "cooperative": 1, "cluster": [1, 2, 4]}})
    assert [(a.id, *a.value[:3]) for a in table] == [(6, 1, 0, 0), (2, 1, 0, 0), (4, 1, 2, 4)] and ctypes.sizeof(table) == 3 * 72


def test_a_thread_without_a_context(monkeypatch):
    """With one GPU the driver is not asked for the thread's context: a launch that fails for want of one is made again in the right one."""
    machine = cuda.Machine(monkeypatch, count=1)
    torch = rocm.Torch(monkeypatch, machine)
    kernel, (x, y) = fresh(axpy), pair(torch)
    kernel[AT](x, y, 1.0, 250), kernel[AT](x, y, 1.0, 250)
    machine.calls()
    kernel[AT](x, y, 1.0, 250)
    assert machine.calls() == ["cuLaunchKernelEx axpy"]
    seen = []

    def work():
        machine.lib.stub_current(-1)
        kernel[AT](x, y, 1.0, 249)
        context = ctypes.c_void_p()
        machine.lib.cuCtxGetCurrent(ctypes.byref(context))
        seen.append(context.value)

    thread = threading.Thread(target=work)
    thread.start(), thread.join()
    calls = machine.calls()
    launch = "cuLaunchKernelEx axpy"
    assert calls == [launch, "cuCtxGetCurrent", "cuCtxSetCurrent 0", launch, "cuCtxSetCurrent -1", "cuCtxGetCurrent"]
    assert seen == [None] and machine.values()[3] == 249
    # A stream that is nobody's is refused as it is, once the context is known to be right.
    assert machine.words(400) in refused("L032", lambda: kernel[AT](x, y, 1.0, 250, stream=0x99))


def test_a_fault_is_reported_by_the_next_launch_with_the_launches_before(machine, torch):
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x70)
    for n in range(100, 106):
        kernel[AT](x, y, n / 4, n)
    stray = torch.torch.zeros(256).as_subclass(type(x))
    kernel[AT](stray, y, -1.5, 7)
    text = refused("L032", lambda: kernel[AT](x, y, 1.0, 250))
    assert machine.words(700) in text and "this process can use the GPU no more" in text
    said = text.partition("newest first: ")[2].split("; ")
    first = f"`axpy` with grid (4, 1, 1), stream 0x70, x={stray.data_ptr():#x}, y={y.data_ptr():#x}, a=-1.5, n=7"
    assert said[0] == first and len(said) == gpu.EARLIER and said[1].endswith("a=26.25, n=105")


def test_a_check_of_launches_leaves_a_capture_alone(machine, torch, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "launch")
    kernel, (x, y) = fresh(axpy), pair(torch)
    torch.stream(0, 0x70)
    machine.lib.stub_capture(1)
    kernel[AT](x, y, 1.0, 250)
    assert not [c for c in machine.calls() if c.startswith("cuStreamSynchronize")]
    machine.lib.stub_capture(0)
    kernel[AT](x, y, 1.0, 250)
    assert "cuStreamSynchronize 0x70" in machine.calls()


def test_streams_in_dlpacks_numbers(machine):
    x = rocm.Producer(machine.own(np.zeros(64, np.float32)), kind=2)
    managed = rocm.Producer(machine.own(np.zeros(64, np.float32)), kind=13)
    fresh(axpy)[AT](x, managed, 1.0, 64)
    # 0 means nothing there: 1 is the default stream.
    assert x.asked == managed.asked == [-1, 1]
    machine.lib.stub_stream(0x77, 0)
    fresh(axpy)[AT](x, managed, 1.0, 64, stream=0x77)
    assert x.asked[2:] == [-1, 0x77]
