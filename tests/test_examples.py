"""The examples: each runs as a newcomer would run it, says that it agrees, and writes nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))  # tests/tile/test_from_triton.py runs the others


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path: Path):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines and all("agree" in line for line in lines), done.stdout
    assert not done.stderr


def test_there_are_examples():
    assert {p.stem for p in EXAMPLES} >= {"axpy", "gemm_ladder", "shuffle_reduction", "layouts"}
