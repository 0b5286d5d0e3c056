"""Programs that must run as they are: the tutorial's three GEMM kernels, on the CPU, under the reference, and as executed machine code; a GEMM in PTX, on JAX
and torch."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
ENGINES = {
    "cpu": {},
    "reference": {"AVE_BACKEND": "reference"},
    "executed gfx942 code, waits verified": {"AVE_BACKEND": "gfx942-exec", "AVE_CHECK": "waits"},
}


@pytest.mark.parametrize("engine", ENGINES)
def test_tutorial(engine):
    env = {**os.environ, "AVE_ACCEPT_DEVICE": "cpu", **ENGINES[engine]}
    done = subprocess.run([sys.executable, FOLDER / "ave_tutorial_3.py"], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["gemm_mfma_128_bf16_mfma", "ok", "gemm_runtime_shape", "ok", "gemm_runtime_shape_guarded_loads", "ok"]


def test_pyptx_gemm():
    pytest.importorskip("jax")
    pytest.importorskip("torch")
    env = {**os.environ, "AVE_ACCEPT_DEVICE": "cpu"}
    done = subprocess.run([sys.executable, FOLDER / "pyptx_ampere_gemm.py"], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [line.split("]")[0] for line in done.stdout.splitlines()] == ["[JAX  OK  ", "[TorchOK  "] * 5
