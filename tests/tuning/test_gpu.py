"""Tuning on a GPU, against stubs of the drivers, which check what they are handed and run nothing: kernels are compiled
by workers for the device, loaded, launched and timed by events."""

from __future__ import annotations

import numpy as np
import pytest
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang import ptx as level
from avelang import tuning
from avelang.base.errors import AveError
from avelang.ptx import Tile, ptx, reg
from avelang.ptx.types import f32
from avelang.runtime import ahead, compile
from avelang.tuning import tables, trial, tuner
from avelang.tuning.timers import DriverClock, clock_for

torch = pytest.importorskip("torch")


def made():
    """A kernel of each test's own: programs stay loaded on the machine that they were loaded on."""

    @avelang.tune({"block": (64, 128), "per": (1, 2)}, launch=lambda n, block, per: ((-(-n // (block * per)),), (block,)), key=("n",), name="gpu.double")
    @avelang.jit
    def double(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, per: al.constexpr):
        for j in range(per):
            i = (al.block_id(0) * per + j) * al.block_dim(0) + al.thread_id(0)
            if i < n:
                al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))[i] = 2 * al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))[i]

    return double


@pytest.fixture(params=[cuda.Machine, rocm.Machine], ids=["cuda", "rocm"])
def machine(request, monkeypatch, tmp_path):
    m = request.param(monkeypatch)
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("AVE_TUNED", str(tmp_path / "tuned.txt"))
    if m.kind == "cuda":
        monkeypatch.delenv("AVE_PTXAS")
    monkeypatch.setattr(trial.Trial, "wrong", lambda self, choice: self.run(choice) and "")  # nothing runs on a stub
    monkeypatch.setattr(trial.Trial, "expect", lambda self, choice: setattr(self, "want", ()))
    # A tensor says that it is on a GPU; what makes copies of it does not know.
    monkeypatch.setattr(trial.arrays, "copy", lambda x: x)
    monkeypatch.setattr(trial.arrays, "random", lambda x, seed: None)
    monkeypatch.setattr(trial.arrays, "synchronize", lambda x: None)
    tables.forget()
    tuning.device_name.cache_clear()
    yield m
    tuning.device_name.cache_clear()


def tensors(m, monkeypatch):
    lib = rocm.Torch(monkeypatch, m)
    return [lib.make(np.zeros(1000, np.float32)) for _ in range(2)]


def no_ptxas():
    from avelang.runtime import ptxas

    return ptxas.find() is None


def test_a_kernel_on_a_gpu(machine, monkeypatch):
    (x, y), double = tensors(machine, monkeypatch), made()
    if machine.kind == "cuda" and no_ptxas():
        pytest.skip("no ptxas")
    for name in ("device_assembly", "device_object"):
        monkeypatch.setattr(compile, name, None)  # nothing is compiled in this process
    device = machine.driver.device(0)
    done = double.tune(x, y, 1000, progress=False, workers=2, clock=DriverClock(device))
    assert len(done.race.standings) == 4 and {v.status for v in done.verdicts.values()} <= {"won", "next", "behind"}
    assert done.row.device.startswith(("sm_90a Stub", "gfx942 ")) and done.row.clock.startswith("driver events")
    assert done.row.driver != "-" and done.race.decided and done.row.us == 1000.0
    assert double.choice(x, y, 1000) == done.choice and machine.launches > 20
    place = f"{machine.kind}:0"
    assert tuning.device_of(x) == tuning.device_name(place) == done.row.device
    assert isinstance(clock_for(place, False), DriverClock)


def test_a_fault_ends_the_tuner_and_is_remembered(machine, monkeypatch):
    """A contender after which the GPU is of no use: the process has to end, and the next one leaves it out."""
    (x, y), double = tensors(machine, monkeypatch), made()
    if machine.kind == "cuda" and no_ptxas():
        pytest.skip("no ptxas")

    def faults(self, choice):
        if choice == {"block": 64, "per": 2}:
            raise tuner.error("L033", kernel="double", device="gpu", grid=(), block=(), stream=0, arguments="", call="wait",
                              name="ILLEGAL_ADDRESS", status=700, text="bad")
        return self.run(choice) and ""

    monkeypatch.setattr(trial.Trial, "wrong", faults)
    clock = tuning.FakeClock(lambda call: call.choice.block * 1e-6, run=True)
    with pytest.raises(AveError) as e:
        double.tune(x, y, 1000, progress=False, workers=2, clock=clock)
    assert e.value.code == "L073", e.value
    assert "again" in e.value.hint and "block=64 per=2" in e.value.message
    done = double.tune(x, y, 1000, progress=False, workers=2, clock=clock)
    assert done.verdicts["block=64 per=2"].status == "failed" and done.choice == {"block": 64, "per": 1}


def test_kernels_of_the_instruction_level_are_assembled_ahead(monkeypatch, tmp_path):
    if no_ptxas():
        pytest.skip("no ptxas")
    m = cuda.Machine(monkeypatch)
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("AVE_PTXAS")
    (x, _) = tensors(m, monkeypatch)

    @level.kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=lambda N: N // 8, block=8, arch="sm_80")
    def copied(x, y, *, N):
        px, py = ptx.global_ptrs(x, y)
        v = reg.scalar(f32)
        ptx.inst.ld.global_.f32(v, ptx.addr(px))
        ptx.inst.st.global_.f32(ptx.addr(py), v)
        ptx.ret()

    with ahead.collected() as found:
        copied(x, out=x)
        copied(x, out=x)
    (one,) = found
    assert m.launches == 0 and one.job.entry == "copied" and one.meta is None
    payload, said = ahead.compiled(one.job)
    one.adopt(payload, said)
    assert one.meta["registers"] > 0
    with ahead.collected() as found:
        copied(x, out=x)
    assert found[0].job is None and found[0].meta["kernel"] == "copied"
    monkeypatch.setattr(type(m.driver), "machine_code", None)  # what was made ahead is what runs
    copied(x, out=x)
    assert m.launches == 1
