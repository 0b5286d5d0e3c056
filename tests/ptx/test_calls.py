"""Calls: arguments are checked before anything runs, outputs are made like inputs; on the CPU the PTX is executed, on a
GPU (a stub of NVIDIA's driver, which records what it is told) it is launched by the shared launcher."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from tests import tools
from tests.ptx import programs
from tests.runtime import cuda, rocm

import avelang.ptx.calls
from avelang.base.errors import AveError
from avelang.ptx import Tile, kernel, ptx, reg, smem
from avelang.ptx.types import bf16, e4m3, f32, s32, u32

bf = np.dtype(ml_dtypes.bfloat16)


def refused(code, call) -> str:
    with pytest.raises(AveError) as caught:
        call()
    assert caught.value.code == code, str(caught.value)
    return str(caught.value)


# -- on the CPU --------------------------------------------------------------------------------------------------------


def test_a_call_makes_its_output():
    k, rng = programs.saxpy(), np.random.default_rng(1)
    for n in (1, 128, 300):
        x, y = rng.standard_normal((2, n)).astype(np.float32)
        out = k(x, y, 2.5)
        assert type(out) is np.ndarray and out.dtype == np.float32
        assert np.array_equal(out, (x.astype(np.float64) * 2.5 + y).astype(np.float32))


def test_races_are_found_or_collected(monkeypatch):
    """AVE_CHECK=races names the user's line; `collect` goes on behind it."""
    from avelang.ptx import collect

    @kernel(in_specs=(Tile("N", u32),), out_specs=(Tile("N", u32),), grid=(1, 1, 1), block=(64, 1, 1))
    def turned(x, y):
        px, py = ptx.global_ptrs(x, y)
        tile, tid = smem.alloc(u32, (1, 64)), reg.from_(ptx.special.tid.x())
        (value,) = reg.array(u32, 1)
        ptx.inst.ld.global_.u32(value, ptx.addr(px + tid * 4))
        ptx.inst.st.shared.u32(ptx.addr(tile.at(0, tid)), value)
        ptx.inst.ld.shared.u32(value, ptx.addr(tile.at(0, tid ^ 32)))
        ptx.inst.st.global_.u32(ptx.addr(py + tid * 4), value)
        ptx.ret()

    x = np.arange(64, dtype=np.uint32)
    turned(x)
    monkeypatch.setenv("AVE_CHECK", "races")
    assert "ptx.inst.ld.shared.u32(value" in refused("X050", lambda: turned(x))
    with collect() as found:
        out = turned(x)
    assert [e.code for e in found] == ["X050"] and found[0].span is not None and out.shape == (64,)


def test_a_tiled_gemm_in_shared_memory():
    rng = np.random.default_rng(2)
    a, b = (rng.standard_normal((n, 64)).astype(bf) for n in (32, 64))
    assert np.allclose(programs.tiled_gemm(stages=3)(a, b), a.astype(np.float32) @ b.astype(np.float32).T, atol=1e-3)


def test_several_outputs_and_out():
    @kernel(
        in_specs=(Tile("N", s32), u32),
        out_specs=(Tile("N", s32), Tile("N", u32)),
        grid=1,
        block=lambda N: N,
        arch="sm_80",
    )
    def both(x, n, double, index):
        px, p0, p1 = ptx.global_ptrs(x, double, index)
        i = reg.from_(ptx.special.tid.x())
        value = reg.scalar(s32)
        ptx.inst.ld.global_.s32(value, ptx.addr(px + i * 4))
        ptx.inst.st.global_.s32(ptx.addr(p0 + i * 4), value + value)
        ptx.inst.st.global_.u32(ptx.addr(p1 + i * 4), i + ptx.param(n))

    x = np.arange(-4, 4, dtype=np.int32)
    double, index = both(x, 7)
    assert (double.tolist(), index.tolist()) == ((2 * x).tolist(), list(range(7, 15)))
    mine = np.zeros(8, np.int32), np.zeros(8, np.uint32)
    given = both(x, 7, out=mine)
    assert given[0] is mine[0] and mine[0].tolist() == double.tolist()
    refused("L047", lambda: both(x, 7, out=mine[0]))
    mine[0].flags.writeable = False
    refused("L021", lambda: both(x, 7, out=mine))


def test_an_empty_grid_runs_nothing():
    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=lambda N: N, block=32, arch="sm_80")
    def k(x, out):
        pass

    assert k(np.zeros(0, np.float32)).shape == (0,)


def test_outputs_that_no_block_would_write_are_refused():
    k = kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=lambda N: N // 32, block=32, arch="sm_80")(
        nothing
    )
    refused("L002", lambda: k(np.zeros(16, np.float32)))


def test_without_a_grid_a_kernel_is_there_to_be_read():
    @kernel
    def bare():
        ptx.ret()

    assert ".visible .entry bare()\n" in bare.ptx() and "ret;" in bare.ptx()
    refused("L002", bare)


def nothing(x, out):
    pass


CALLS = {
    "L007": lambda k, x: k(x, x, 1.0, strem=3),
    "L010": lambda k, x: k(x, 3, 1.0),
    "L012": lambda k, x: k(x, x.astype(np.float64), 1.0),
    "L014": lambda k, x: k(np.zeros(16, np.float32)[::2], x, 1.0),
    "L018": lambda k, x: k(x, x, "a"),
    "L040": lambda k, x: k(x.reshape(2, 4), x, 1.0),
    "L041": lambda k, x: k(x, x[:3], 1.0),
    "L044": lambda k, x: k(x, x),
}


@pytest.mark.parametrize("code", CALLS)
def test_arguments_that_do_not_fit(code):
    k = programs.saxpy()
    text = refused(code, lambda: CALLS[code](k, np.zeros(8, np.float32)))
    assert "`saxpy`" in text
    if code == "L041":
        assert "N is 8 by dimension 0 of 'x', and 3 by dimension 0 of 'y'" in text
    if code == "L014":
        assert "contiguous" in text


# -- on a GPU ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def machine(monkeypatch):
    pytest.importorskip("torch")
    tools.command("gcc", "cc")
    return cuda.Machine(monkeypatch)


@pytest.fixture
def torch(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


def addresses(*tensors):
    return [t.data_ptr() for t in tensors]


def test_a_launch_on_a_gpu(machine, torch):
    k = programs.saxpy()
    x, y, out = (torch.make(np.zeros(300, np.float32)) for _ in range(3))
    torch.stream(0, 0x7000)
    slow = []
    avelang_slow = avelang.ptx.calls.Specialization._on_gpu
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            avelang.ptx.calls.Specialization, "_on_gpu", lambda self, *a: [slow.append(1), avelang_slow(self, *a)][1]
        )
        for _ in range(3):
            assert k(x, y, 2.5, out=out) is out
    assert len(slow) == 1, "from the second call on, host code launches"
    assert machine.launches == 3
    last = machine.last
    assert (list(last.grid), list(last.block), last.shared, last.stream) == ([3, 1, 1], [128, 1, 1], 0, 0x7000)
    assert machine.values() == [*addresses(x, y), int(np.float32(2.5).view(np.uint32)), *addresses(out)]
    k(x, y, 2.5, out=out, stream=0x9000 if machine.lib.stub_stream(0x9000, 0) is None else 0x9000)
    assert machine.last.stream == 0x9000


def test_tensor_maps_shared_memory_and_clusters(machine, torch):
    @kernel(
        in_specs=(Tile("M", 64, bf16, box=(8, 64), swizzle=128), u32), out_specs=Tile("M", 64, bf16),
        grid=lambda M: M // 8, block=128, cluster=2,
        arch="sm_90a", smem=100_000,
    )  # fmt: skip
    def k(A, n, D):
        ptx.tma.prefetch_map(A)

    import torch as library

    a, d = (torch.make(library.zeros((32, 64), dtype=library.bfloat16)) for _ in range(2))
    for _ in range(2):
        k(a, 7, out=d)
        last = machine.last
        assert (list(last.grid), last.shared, list(last.attributes[0])) == ([4, 1, 1], 100_000, [4, 2, 1, 1])
        values = machine.values()
        assert (values[0], values[2], values[3]) == (a.data_ptr(), 7, d.data_ptr())
    assert refused(
        "L027", lambda: k(torch.make(library.zeros(32 * 64 + 1, dtype=library.bfloat16)[1:].view(32, 64)), 7, out=d)
    )


def test_code_is_kept_on_disk_and_made_for_the_device(machine, torch):
    x, y, out = (torch.make(np.zeros(8, np.float32)) for _ in range(3))
    for _ in range(2):
        programs.saxpy()(x, y, 1.0, out=out)
    assert sum("cuLinkAddData" in call for call in machine.calls()) == 1, "the second process finds it on disk"

    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_100a")
    def other(x, out):
        pass

    text = refused("L046", lambda: other(x, out=out))
    assert "sm_100a" in text and "cuda:0" in text

    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32)
    def auto(x, out):
        pass

    auto(x, out=out)
    assert [chip for _, chip in auto._traced] == ["sm_90a"]


def test_arrays_of_another_vendor(monkeypatch):
    pytest.importorskip("torch")
    tools.command("gcc", "cc")
    machine = rocm.Machine(monkeypatch)
    x, y, out = (rocm.Torch(monkeypatch, machine).make(np.zeros(8, np.float32)) for _ in range(3))
    assert "rocm:0" in refused("L045", lambda: programs.saxpy()(x, y, 1.0, out=out))


def test_a_wide_access_wants_aligned_memory(machine, torch):
    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_80")
    def k(x, out):
        (p,) = ptx.global_ptrs(x)
        ptx.inst.ld.global_.v4.f32(reg.array(f32, 4), ptx.addr(p))

    whole = torch.make(np.zeros(16, np.float32))
    k(whole, out=torch.make(np.zeros(16, np.float32)))
    odd = torch.make(whole[1:5])
    assert "no multiple of 16" in refused("L015", lambda: k(odd, out=torch.make(np.zeros(4, np.float32))))


def test_what_the_driver_refuses_names_the_kernel(machine, torch):
    k = programs.saxpy()
    x, y, out = (torch.make(np.zeros(8, np.float32)) for _ in range(3))
    k(x, y, 1.0, out=out)
    for _ in range(2):
        machine.fail("launch", 1)
        assert "`saxpy` was not launched on cuda:0" in refused("L032", lambda: k(x, y, 1.0, out=out))


def test_fp8_arrays_are_taken():
    @kernel(in_specs=Tile("N", e4m3), out_specs=Tile("N", e4m3), grid=1, block=lambda N: N, arch="sm_89")
    def copy(x, out):
        px, po = ptx.global_ptrs(x, out)
        i = reg.from_(ptx.special.tid.x())
        byte = reg.scalar(u32)
        ptx.inst.ld.global_.u8(byte, ptx.addr(px + i))
        ptx.inst.st.global_.u8(ptx.addr(po + i), byte)

    x = np.arange(32).astype(ml_dtypes.float8_e4m3fn)
    assert np.array_equal(copy(x).view(np.uint8), x.view(np.uint8))


def test_a_hopper_gemm_with_tma_and_wgmma():
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal((128, 128)).astype(bf) for _ in range(2))
    assert np.allclose(programs.hopper_gemm()(a, b), a.astype(np.float32) @ b.astype(np.float32).T, atol=1e-3)


@kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_80")
def too_far(x, out):
    (px,) = ptx.global_ptrs(x)
    value = reg.scalar(f32)
    ptx.inst.ld.global_.f32(value, ptx.addr(px + reg.from_(ptx.special.tid.x()) * 8))  # here


@kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_80")
def too_soon(x, out):
    (px,) = ptx.global_ptrs(x)
    tile = smem.alloc(f32, 32)
    ptx.cp_async(tile, px)
    ptx.inst.ld.shared.f32(reg.scalar(f32), ptx.addr(tile))  # here


@pytest.mark.parametrize(("k", "code"), [(too_far, "X032"), (too_soon, "X033")])
def test_what_goes_wrong_while_it_runs_stands_at_the_users_line(k, code):
    with pytest.raises(AveError) as caught:
        k(np.zeros(32, np.float32))
    span = caught.value.span
    assert caught.value.code == code and span.file == __file__ and span.text().endswith("# here")
    line = next(i for i, x in enumerate(k.ptx(32).splitlines(), 1) if "ld." in x and "param" not in x)
    assert f"line {line}" in caught.value.message
