"""`ave doctor` and `ave cache`: what they say is what is there."""

from __future__ import annotations

import json
import pathlib
import platform
import shutil

import numpy
import pytest
from tests.runtime import cuda, rocm

from avelang.cli import probes
from avelang.runtime import ptxas


def test_says_what_is_here(ave):
    result = ave("doctor")
    assert result.exit_code == 0, result.output
    for fact in (platform.python_version(), numpy.__version__, "LLVM", "22.", f"{probes.cores()} for this process",
                 "What runs here"):
        assert fact in result.output


def test_wrong_llvm_is_an_error(ave, monkeypatch):
    import llvmlite.binding as llvm

    monkeypatch.setattr(llvm, "llvm_version_info", (15, 0, 7))
    result = ave("doctor")
    assert result.exit_code == 1 and "Ave does not work here: LLVM" in result.output


def test_missing_things_come_with_a_way_to_get_them(ave, monkeypatch):
    monkeypatch.setattr(probes, "version", lambda package: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(ptxas, "find", lambda: None)
    monkeypatch.setenv("AVE_LLD", "/nowhere/ld.lld")
    monkeypatch.setenv("AVE_LLVM", "/nowhere")
    missing = [f for f in probes.findings() if f.state == "missing"]
    assert {"torch", "jax", "ml_dtypes", "ptxas", "ld.lld", "libLLVM", "llvm-mca",
            "readers"} <= {f.name for f in missing}
    output = ave("doctor").output
    assert "pip install torch" in output and "nvidia-cuda-nvcc" in output
    assert (
        "apt-get install lld-22" in output
        and "pip install pyelftools msgpack" in output
        and "AVE_LLD=/nowhere/ld.lld, which cannot be run" in output
    )
    assert all(f.gives and f.get for f in missing)


def test_the_assembler_of_ptx(ave, monkeypatch, tmp_path):
    monkeypatch.setattr(ptxas, "find", lambda: ptxas.Assembler("/some/ptxas", (13, 0, 88)))
    assert "/some/ptxas: ptxas 13.0.88" in ave("doctor").output
    monkeypatch.undo()
    monkeypatch.setenv("AVE_PTXAS", str(tmp_path / "none"))
    ptxas._found.cache_clear()
    output = " ".join(ave("doctor").output.split())
    assert "will not do: it does not run" in output and "ptxas 12.8 or newer" in output


def test_the_cuda_driver_and_its_devices(ave, monkeypatch):
    stub = cuda.Machine(monkeypatch)
    stub.lib.stub_arch(1, b"sm_61")
    output = " ".join(ave("doctor").output.split())
    assert "sm_90 (Stub Accelerator 0), sm_61 (Stub Accelerator 1), for which Ave makes no code; CUDA 13.0" in output
    assert "kernels on sm_90 (Stub Accelerator 0)" in output
    cuda.Machine(monkeypatch, count=0)
    output = " ".join(ave("doctor").output.split())
    assert "cuInit gave CUDA_ERROR_NO_DEVICE" in output and "no kernels on NVIDIA GPUs here" in output


def test_the_hip_runtime_and_its_devices(ave, monkeypatch):
    stub = rocm.Machine(monkeypatch)
    stub.lib.stub_arch(1, b"gfx1100")
    output = " ".join(ave("doctor").output.split())
    assert (
        "gfx942:sramecc+:xnack- (Stub Accelerator 0), gfx1100 (Stub Accelerator 1), for which Ave makes no code; HIP "
        "6.3.42134"
        in output
    )
    assert "kernels on gfx942:sramecc+:xnack-" in output
    rocm.Machine(monkeypatch, count=0)
    output = " ".join(ave("doctor").output.split())
    assert "hipGetDeviceCount gave hipErrorNoDevice" in output and "no kernels on AMD GPUs here" in output


def test_amd_gpus_are_read_from_the_topology(tmp_path, monkeypatch):
    for node, number in (("0", 0), ("1", 90402), ("2", 90010)):
        (tmp_path / node).mkdir()
        (tmp_path / node / "properties").write_text(f"simd_count 304\ngfx_target_version {number}\n")
    monkeypatch.setattr(probes.pathlib, "Path", lambda _: tmp_path)
    assert probes.amd_gpus() == ["gfx942", "gfx90a"]


@pytest.fixture
def cache_folder(tmp_path, monkeypatch) -> pathlib.Path:
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("AVE_NO_CACHE", raising=False)
    return tmp_path


def test_cache_info_and_clear(ave, cache_folder):
    from avelang.runtime import cache

    assert "entries  0, 0 bytes" in ave("cache", "info").output
    assert cache.store("a" * 64, {}, b"x" * 5000) and cache.store("b" * 64, {}, b"y" * 5000)
    output = ave("cache", "info").output
    assert str(cache_folder) in output and "entries  2, 9." in output or "entries  2, 10." in output
    assert "removed 2 entries" in ave("cache", "clear").output
    assert "entries  0, 0 bytes" in ave("cache", "info").output and cache.load("a" * 64) is None


SIZES = [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (5 << 20, "5.0 MiB"), (3 << 30, "3.0 GiB")]


def test_a_setting_that_is_none_is_said(ave, monkeypatch):
    monkeypatch.setenv("AVE_CACHE_SIZE", "1GB")
    done = ave("cache", "info", "--json")
    assert done.exit_code == 1 and json.loads(done.stdout)["error"]["code"] == "L034"
    done = ave("cache", "info")
    assert done.exit_code == 1 and done.stderr.startswith("error[L034] AVE_CACHE_SIZE: there is no '1GB'")


@pytest.mark.parametrize(("count", "text"), SIZES)
def test_sizes(count, text):
    from avelang.cli.cache import size_text

    assert size_text(count) == text


def test_facts_as_json(ave, monkeypatch):

    import llvmlite.binding as llvm

    monkeypatch.setattr(shutil, "which", lambda name: None)
    result = ave("doctor", "--json")
    facts = json.loads(result.output)
    assert result.exit_code == 0 and facts["works"] and facts["runs"]
    by_name = {f["name"]: f for f in facts["found"]}
    assert by_name["NumPy"]["state"] == "ok" and by_name["NumPy"]["text"] == numpy.__version__
    assert {"group", "name", "state", "text", "gives", "get"} == set(by_name["NumPy"])
    monkeypatch.setattr(llvm, "llvm_version_info", (15, 0, 7))
    result = ave("doctor", "--json")
    assert result.exit_code == 1 and not json.loads(result.output)["works"]
