"""Operations of several ranks inside of `jax.shard_map`, where the devices of one process are the ranks."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax")
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("ranks", "parts"), [(4, ["collectives", "several", "absent"]), (3, ["products"]), (2, ["sizes"]), (3, ["experts"]), (4, ["ring"])])
def test_devices_of_a_mesh_are_ranks(ranks, parts):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "XLA_FLAGS": f"--xla_force_host_platform_device_count={ranks}", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, str(ROOT / "tests" / "dist" / "jax_axis.py"), *parts], env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and all(f"{p} is right" in done.stdout for p in parts), done.stdout + done.stderr
