"""`ave build`: one kernel, a list, a recorded program."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from avelang.cli.main import main
from avelang.runtime import bundle

KERNEL = """
import avelang, avelang.language as al

@avelang.jit
def fill(x: al.Pointer(al.f32), V: al.constexpr = 1):
    x[al.thread_id(0)] = V
"""
LAUNCH = """
import sys
import numpy as np
import kernels
x = np.zeros(64, np.float32)
kernels.fill[1, 64](x, int(sys.argv[1]))
print("ran", x[0])
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(bundle, "_loaded", [])
    (tmp_path / "kernels.py").write_text(KERNEL)
    (tmp_path / "launch.py").write_text(LAUNCH)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    yield tmp_path
    sys.modules.pop("kernels", None)


def ave(*args, status=0):
    done = CliRunner().invoke(main, ["build", *args])
    assert done.exit_code == status, done.output
    return done.output


def records(path="k.bundle"):
    return [(r["kernel"], r["chip"], r["what"]) for r in bundle.Bundle(str(path)).records]


def test_one_kernel_for_two_chips(folder):
    said = ave("kernels.py:fill", "--chip", "cpu", "--chip", "gfx942", "--block", "32,2", "-D", "V=3", "--option", "num_warps=1", "-o", "k.bundle")
    what = "blocks of 32 x 2 x 1 threads, V=3, num_warps=1"
    assert records() == [("kernels.py:fill", "cpu", what), ("kernels.py:fill", "gfx942", what)]
    assert f"fill for gfx942: {what}" in said and "k.bundle: 2 kernels" in said


def test_a_list(folder):
    (folder / "list.py").write_text("import avelang\nfrom kernels import fill\n"
                                    "SPECIALIZATIONS = [avelang.specialization(fill, 64), avelang.specialization(fill, 64, {'V': 2}, chips=['gfx942'])]\n")
    ave("list.py", "-o", "k.bundle")
    assert [r[1:] for r in records()] == [("cpu", "blocks of 64 x 1 x 1 threads, V=1"), ("gfx942", "blocks of 64 x 1 x 1 threads, V=2")]


def test_a_function_of_the_chip(folder):
    (folder / "list.py").write_text("import avelang\nfrom kernels import fill\n"
                                    "def specializations(chip):\n    return [avelang.specialization(fill, 128 if chip == 'gfx942' else 64)]\n")
    ave("list.py", "--chip", "cpu", "--chip", "gfx942", "-o", "k.bundle", "--quiet")
    assert [r[1:] for r in records()] == [("cpu", "blocks of 64 x 1 x 1 threads, V=1"), ("gfx942", "blocks of 128 x 1 x 1 threads, V=1")]


def test_a_recorded_program_runs_on_the_cpu_alone(folder):
    said = ave("--record", "--chip", "cpu", "--chip", "gfx942", "-o", "k.bundle", "launch.py", "7")
    assert "ran 7.0" in said and "ran 0.0" in said
    assert [r[1:] for r in records()] == [("cpu", "blocks of 64 x 1 x 1 threads, V=7"), ("gfx942", "blocks of 64 x 1 x 1 threads, V=7")]


def test_the_command_makes_it_again_and_the_bundle_runs(folder):
    command = [sys.executable, "-m", "avelang.cli.main", "build", "--record", "-o", "k.bundle", "launch.py", "7"]
    subprocess.run(command, check=True, capture_output=True)
    assert bundle.Bundle("k.bundle").command == "ave build --record -o k.bundle launch.py 7"
    import os

    env = {**os.environ, "AVE_BUNDLE": "k.bundle", "AVE_STRICT": "1", "AVE_CACHE_DIR": str(folder / "other")}
    done = subprocess.run([sys.executable, "launch.py", "7"], env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "ran 7.0\n", done.stderr
    done = subprocess.run([sys.executable, "launch.py", "8"], env=env, capture_output=True, text=True, check=False)
    assert "L067" in done.stderr and "-D V=8" in done.stderr and done.returncode


@pytest.mark.parametrize(("args", "status", "said"), [
    (("kernels.py",), 2, "neither a list SPECIALIZATIONS"),
    (("kernels.py:nothing",), 2, "no @avelang.jit function `nothing`"),
    (("kernels.py:fill", "-D", "W=1"), 1, "L007"),
    (("kernels.py:fill", "--chip", "gfx1"), 2, "U101"),
    (("kernels.py:fill", "--option", "stream=1"), 2, "stream=1"),
    (("--record", "kernels.py"), 1, "no kernel was launched"),
])  # fmt: skip
def test_what_cannot_be_built(folder, args, status, said):
    assert said in ave(*args, "-o", "k.bundle", status=status)
    assert not (folder / "k.bundle").exists()
