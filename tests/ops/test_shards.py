"""Operations on DTensors: split in drawn ways over ranks of gloo, in processes."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("ranks", "seed", "count"), [(2, 1, 3), (2, 4, 24), (3, 2, 60), (4, 3, 30)])
def test_ranks_compute_what_one_does(ranks, seed, count, tmp_path):
    pytest.importorskip("torch")
    program = ROOT / "tests" / "ops" / "gloo_shards.py"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, str(program)]
    processes = [subprocess.Popen([*command, str(r), str(ranks), str(tmp_path / "store"), str(seed), str(count)], env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for r in range(ranks)]  # fmt: skip
    try:
        said = [p.communicate(timeout=1500)[0] for p in processes]
    finally:
        for p in processes:
            p.kill()
    assert [p.returncode for p in processes] == [0] * ranks and all("draws are right" in s for s in said), "\n".join(s[-3000:] for s in said)
