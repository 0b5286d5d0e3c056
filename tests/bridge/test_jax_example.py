"""The example that trains a model in JAX: on one device, and split over two of the CPU, as the same model without Ave."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("devices", [1, 2])
def test_training_agrees(devices):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, str(ROOT / "examples" / "with_jax" / "train.py"), "--steps", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and lines[-1] == "they agree" and (f"split over {devices} devices" in lines[0]) == (devices > 1), done.stdout
