"""Files of users: those of packages, those that end the process, what they print beside JSON, and what they raise."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

HELPER = "import avelang\nimport avelang.language as al\n\n\n@avelang.jit\ndef shifted(v: al.f32):\n    return v + 3\n"
KERNEL = """import sys
import numpy as np
import avelang
import avelang.language as al
{imported}


@avelang.jit
def kernel(x: al.Pointer[al.f32]):
    al.printf("of the kernel\\n")
    x[al.thread_id(0)] = shifted(x[al.thread_id(0)])


def main():
    x = np.ones(2, np.float32)
    kernel[1, 2](x)
    print("of Python", x)
    import subprocess
    subprocess.run(["echo", "of a process"])


if __name__ == "__main__":
    sys.exit(main())
"""


def process(*args: object, folder: os.PathLike[str]) -> subprocess.CompletedProcess[str]:
    """`ave` as its script starts it: the folder of the call is on no path of modules."""
    start = "import sys; sys.path.pop(0); from avelang.cli.main import main; main()"
    command = [sys.executable, "-c", start, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)


@pytest.fixture
def package(tmp_path):
    """A package with a package, whose kernel is in one module and its helper in another."""
    inner = tmp_path / "rows" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").write_text("")
    (inner.parent / "helper.py").write_text(HELPER)
    (inner / "kernels.py").write_text(KERNEL.format(imported="from ..helper import shifted"))
    return tmp_path


@pytest.mark.parametrize("what", ["rows/inner/kernels.py:kernel", "rows.inner.kernels:kernel"])
def test_a_kernel_of_a_package_has_two_names(package, what):
    done = process("compile", what, "--json", folder=package)
    assert done.returncode == 0, done.stderr
    assert "printf" in json.loads(done.stdout)["text"]
    done = process("compile", what.replace("kernels", "nothing"), folder=package)
    assert done.returncode == 2 and "there is no file" in done.stderr


def test_a_program_of_a_package_runs_and_json_is_alone(package):
    done = process("run", "--json", "rows/inner/kernels.py", folder=package)
    assert json.loads(done.stdout)["ok"] is True
    for words in ("of the kernel", "of Python [4. 4.]", "of a process"):
        assert words in done.stderr


def test_a_program_may_end_itself(tmp_path):
    file = tmp_path / "ends.py"
    file.write_text(HELPER + KERNEL.format(imported=""))
    made = tmp_path / "made.bundle"
    assert process("build", "--record", file, "-o", made, folder=tmp_path).returncode == 0 and made.exists()
    assert process("trace", file, folder=tmp_path).returncode == 0 and (tmp_path / "trace.json").exists()
    file.write_text(file.read_text().replace("sys.exit(main())", "sys.exit(4)"))
    done = process("trace", file, folder=tmp_path)
    assert done.returncode == 1 and "ends with status 4" in done.stderr


@pytest.mark.parametrize("command", ["compile", "report", "inspect", "tune"])
def test_a_file_that_ends_before_its_names_are_there(ave, tmp_path, command):
    file = tmp_path / "ends.py"
    file.write_text("import sys\nprint('words')\nsys.exit(0)\n")
    done = ave(command, f"{file}:kernel", "--json")
    assert done.exit_code == 1
    assert "ends the process (status 0)" in json.loads(done.stdout)["error"]["message"]
    assert "__main__" in json.loads(done.stdout)["error"]["hint"]


def test_a_text_that_python_cannot_read_has_its_place(ave, tmp_path):
    file = tmp_path / "half.py"
    file.write_text("import avelang\n\nx = (1,\n")
    error = json.loads(ave("run", "--json", file).stdout)["error"]
    assert (error["kind"], error["file"], error["line"], error["column"]) == ("SyntaxError", str(file), 3, 5)


def test_what_a_program_raises_shows_no_line_of_the_command(ave, tmp_path):
    file = tmp_path / "raises.py"
    file.write_text("def f():\n    raise ValueError('mine')\n\n\nf()\n")
    for command in (("show", "races"), ("trace",), ("inspect",), ("build", "--record", "-o", tmp_path / "b")):
        done = ave(*command, file)
        assert done.exit_code == 1 and "ValueError: mine" in done.stderr
        assert "avelang/cli" not in done.stderr and "runpy" not in done.stderr
