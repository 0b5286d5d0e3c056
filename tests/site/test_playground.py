"""The playground: kernels are checked with Python's standard library alone, and run with NumPy beside it; in Pyodide too."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYODIDE = ROOT / "build" / "pyodide" / "node_modules" / "pyodide"
NOT_THERE = ("llvmlite", "ml_dtypes", "platformdirs", "click", "rich")
PROGRAM = """import numpy as np
import avelang
import avelang.language as al

N = 100


@avelang.jit
def axpy(a: al.f32, x: al.Tensor((N,), al.f32), y: al.Tensor((N,), al.f32), BLOCK: al.constexpr = 64):
    i = al.block_id(0) * BLOCK + al.thread_id(0)
    if i < N:
        y[i] = a * x[i] + y[i]


@avelang.jit
def wrong(x: al.Tensor((4,), al.f32)):
    x[0] = al.thread_id(0)


x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
axpy[2, 64](2.0, x, y)
print(y[:4])
axpy[lambda: (1, 1)](2.0, x, y, BLOCK=1, backend="cpu")
"""
RACE = """import numpy as np
import avelang
import avelang.language as al


@avelang.jit
def turn(x: al.Tensor((al.dynamic,), al.f32)):
    s = al.make_shared((128,), al.f32)
    t = al.thread_id(0)
    s[t] = x[t]
    x[t] = s[127 - t]


turn[1, 128](np.zeros(128, np.float32))
"""
ASK = """
import json, sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in %r:
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Missing())
sys.path[:0] = [%r, %r]
import browser

print(json.dumps([browser.%s(text) for text in json.load(sys.stdin)]))
"""


def ask(what: str, missing: tuple[str, ...], *texts: str) -> list[str]:
    """Answers of the playground's Python, in a process that does not find some packages."""
    code = ASK % (missing, str(ROOT / "tools" / "avesite"), str(ROOT / "src"), what)
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(texts), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kernels_are_checked_with_the_standard_library_alone():
    right, unfinished, none, undefined = ask("check", (*NOT_THERE, "numpy"), PROGRAM, "x = (", "x = 1", "import avelang\n@avelang.jit\ndef k(x: al.f32): pass\n")
    assert "kernel @axpy" in right and "'file': 'program.py'" in right
    assert "[T020]" in right and "program.py:17 in wrong" in right and "hint: say al.convert" in right
    assert "SyntaxError" in unfinished and "program.py" in unfinished and "no kernel" in none and "NameError" in undefined


def test_programs_run_in_the_reference():
    printed, race, crash = ask("run", NOT_THERE, PROGRAM, RACE, "print(1)\nprint(1 / 0)\n")
    assert printed == "[1. 3. 5. 7.]\n"
    assert "[X003]" in race and "program.py:11 in turn" in race and "syncthreads() must stand between" in race
    assert crash.startswith("1\n") and 'File "program.py", line 2' in crash and "ZeroDivisionError" in crash


def test_the_archive_is_whole(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from avesite import playground

    pyodide, site = tmp_path / "pyodide", tmp_path / "site"
    pyodide.mkdir()
    for name in (*playground.CORE, "numpy-0-none-any.whl"):
        (pyodide / name).write_text(name)
    playground.write(pyodide, site)
    names = {p.name for p in (site / "playground").iterdir()}
    assert names == {*playground.CORE, "numpy-0-none-any.whl", "ave.zip", "worker.mjs", "there.json"}
    with zipfile.ZipFile(site / "playground" / "ave.zip") as z:
        z.extractall(tmp_path / "ave")
    code = "import browser; assert 'kernel @axpy' in browser.check(open('/dev/stdin').read())"
    env = {"PYTHONPATH": str(tmp_path / "ave"), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code], input=PROGRAM, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


NODE = """
import { loadPyodide } from "%s/pyodide.mjs";
import { readFileSync } from "node:fs";
import { start } from "%s/playground/worker.mjs";
const ave = await start(await loadPyodide(), new Uint8Array(readFileSync("%s/playground/ave.zip")));
console.log(ave.about);
console.log(ave.answer("check", readFileSync(0, "utf8")));
"""


@pytest.mark.skipif(not PYODIDE.exists(), reason="Pyodide is not here: ./dev site --playground brings it from npm")
def test_kernels_are_checked_in_pyodide(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from avesite import playground

    playground.write(PYODIDE, tmp_path)
    (tmp_path / "try.mjs").write_text(NODE % (PYODIDE, tmp_path, tmp_path))
    done = subprocess.run([node, str(tmp_path / "try.mjs")], input=PROGRAM, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Ave 0.1") and "kernel @axpy" in done.stdout and "[T020]" in done.stdout
