"""The command line as a whole: exit codes, --json and its errors, --no-color, completion, new projects, and the block
that a kernel says itself."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from avelang.cli import console
from avelang.cli.console import EXIT_CODES
from avelang.cli.main import main

ROOT = pathlib.Path(__file__).parents[2]
WRONG = "import avelang\nimport avelang.language as al\n\n@avelang.jit\ndef k(x: al.Pointer(al.f32)):\n    x[0] = y\n"


def commands(command: click.Command = main, path: tuple[str, ...] = ()):
    for name, below in sorted(getattr(command, "commands", {}).items()):
        yield (*path, name), below
        yield from commands(below, (*path, name))


@pytest.mark.parametrize("path", [path for path, _ in commands()], ids=" ".join)
def test_every_command_takes_help_and_no_color_and_refuses_the_unknown(ave, path):
    shown = ave(*path, "--help")
    assert shown.exit_code == 0 and "--no-color" in shown.stdout
    assert ave(*path, "--no-such-option").exit_code == (0 if path == ("never",) else 2)


TABLE = [
    (0, "compile {file}:axpy -D BLOCK=64"),
    (0, "intrinsics rcp"),
    (0, "completion fish"),
    (1, "compile {wrong}:k"),
    (1, "compile {file}:axpy"),
    (1, "ptx lint {wrong}"),
    (2, "compile {file}:nothing"),
    (2, "compile nothing.py:axpy"),
    (2, "compile {file}:axpy --target gfx1"),
    (2, "run nothing.py"),
    (2, "run --target gfx1 {file}"),
    (2, "report nothing.s"),
    (2, "report {file}"),
    (2, "show encoding nothing.py:x"),
    (2, "intrinsics nothing_like_it"),
    (2, "intrinsics --chip gfx1"),
    (2, "ptx lint nothing.ptx"),
    (2, "new {folder}"),
    (2, "new 1"),
]


@pytest.mark.parametrize(("status", "line"), TABLE, ids=[line for _, line in TABLE])
def test_exit_codes(ave, axpy, tmp_path, status, line):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    done = ave(*line.format(file=axpy, wrong=wrong, folder=tmp_path).split())
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output


def test_exit_codes_are_documented():
    text = (ROOT / "docs/command_line.md").read_text()
    for status in EXIT_CODES:
        assert f"| {status} |" in text


def test_json_of_an_error_has_the_line_and_the_words(ave, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    done = ave("compile", f"{file}:k", "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 1 and done.stderr == "" and found["ok"] is False
    e = found["error"]
    assert (e["code"], e["file"], e["line"], e["column"], e["function"]) == ("T001", str(file), 6, 12, "k")
    assert e["text"] == "x[0] = y" and "'y'" in e["message"] and e["kind"] == "AveTypeError"


def test_json_of_an_error_says_what_was_expected_and_what_came(ave, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WRONG.replace("x[0] = y", "al.fma(1.0, 2.0)"))
    e = json.loads(ave("compile", f"{file}:k", "--json").stdout)["error"]
    assert e["expected"] and e["came"] == "2" and e["expected"] in e["message"]


def schema_faults(value, schema, at="error"):
    """What of a value a schema of docs/command_line.md does not allow; the words of JSON Schema that stand there."""
    kinds = {"string": str, "integer": int, "null": type(None), "object": dict, "array": list, "boolean": bool}
    allowed = schema.get("type", [])
    allowed = [allowed] if isinstance(allowed, str) else allowed
    if allowed and not any(type(value) is kinds[k] for k in allowed):
        return [f"{at} is {value!r}, no {allowed}"]
    if isinstance(value, dict):
        names = schema.get("properties", {})
        bad = [f"{at} lacks {n}" for n in schema.get("required", []) if n not in value]
        if schema.get("additionalProperties") is False:
            bad += [f"{at} has {n}" for n in value if n not in names]
        return bad + [x for n in value if n in names for x in schema_faults(value[n], names[n], f"{at}.{n}")]
    if isinstance(value, list):
        return [x for i, v in enumerate(value) for x in schema_faults(v, schema.get("items", {}), f"{at}[{i}]")]
    return []


def test_errors_keep_to_the_documented_schema(ave, axpy, tmp_path):
    text = (ROOT / "docs/command_line.md").read_text()
    schema = json.loads(text.split("```json schema\n")[1].split("```")[0])
    file, fails = tmp_path / "wrong.py", tmp_path / "fails.py"
    file.write_text(WRONG)
    fails.write_text("def f():\n    return 1 / 0\n\n\nf()\n")
    for args in ([f"{file}:k"], ["nothing.py:k"], [f"{axpy}:axpy"], ["--nothing"]):
        found = json.loads(ave("compile", "--json", *args).stdout)
        assert schema_faults(found, schema) == []
    found = json.loads(ave("run", "--json", fails).stdout)
    assert schema_faults(found, schema) == [] and found["error"]["line"] == 2
    assert schema_faults({"ok": 1, "error": {}}, schema)


def test_json_of_a_run(ave, axpy):
    done = ave("run", "--json", "--on", "reference", axpy)
    found = json.loads(done.stdout)
    assert done.exit_code == 0 and found["ok"] and "y[999] = 1999.0" in done.stderr
    assert [(k["kernel"], k["backend"]) for k in found["kernels"] if k["file"] == str(axpy)] == [("axpy", "reference")]


def test_json_of_a_program_that_ends_itself(ave, tmp_path):
    file = tmp_path / "ends.py"
    file.write_text("raise SystemExit(3)\n")
    done = ave("run", "--json", file)
    assert done.exit_code == 3 and json.loads(done.stdout)["status"] == 3


@pytest.mark.parametrize("line", ["intrinsics mfma_16x16x16", "cache info", "tune list", "explain mmas --target sm_80", "intrinsics --chip sm_80 cp"])
def test_json_of_results(ave, line):
    done = ave(*line.split(), "--json")
    assert done.exit_code == 0 and json.loads(done.stdout) is not None, done.output


def test_json_of_one_intrinsic(ave):
    (found,) = json.loads(ave("intrinsics", "amdgpu.mfma_16x16x16_bf16_f32", "--json").stdout)
    assert found["name"] == "al.amdgpu.mfma_16x16x16_bf16_f32" and "gfx942" in found["chips"]
    assert {f["operand"] for f in found["fragments"]} >= {"A", "B"}


@pytest.mark.parametrize("args", [[], ["--no-color"], ["compile", "--no-color"], ["NO_COLOR"]], ids=str)
def test_no_color(monkeypatch, args):
    """Where the terminal has colors there are some, and none with --no-color, before or behind the command, or
    NO_COLOR."""
    monkeypatch.setenv("NO_COLOR", "1" if args == ["NO_COLOR"] else "")
    line = args if "compile" in args else [*(a for a in args if a != "NO_COLOR"), "compile"]
    done = CliRunner().invoke(main, [*line, "nothing.py:k"], color=True)
    assert done.exit_code == 2 and ("\x1b[" in done.stderr) == (not args), done.stderr
    if args:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        assert console.out().color_system is None


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once(ave, tmp_path, monkeypatch, shell):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    first = ave("completion", "install")
    assert first.exit_code == 0 and first.output.startswith("wrote ")
    before = {f: f.read_text() for f in tmp_path.rglob("*") if f.is_file()}
    assert any("_AVE_COMPLETE" in text for text in before.values())
    again = ave("completion", "install", shell)
    assert again.exit_code == 0 and again.output.startswith("as it was ") and "wrote" not in again.output
    assert before == {f: f.read_text() for f in tmp_path.rglob("*") if f.is_file()}


def test_completion_of_an_unknown_shell(ave, monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = ave("completion", "install")
    assert done.exit_code == 2 and "zsh" in done.stderr


def test_bash_completes(tmp_path, ave):
    """The script in a real bash, which asks a real `ave`."""
    (tmp_path / "ave").write_text(f'#!/bin/sh\nexec {sys.executable} -m avelang.cli.main "$@"\n')
    (tmp_path / "ave").chmod(0o755)
    (tmp_path / "script").write_text(ave("completion", "bash").stdout)
    text = (
        f"PATH={tmp_path}:$PATH; source {tmp_path}/script; COMP_WORDS=(ave comp); COMP_CWORD=1; "
        '_ave_completion ave; echo "${COMPREPLY[@]}"; COMP_WORDS=(ave compile --target sm_9); COMP_CWORD=3; '
        '_ave_completion ave; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=60)
    first, second = done.stdout.splitlines()
    assert {"compile", "completion"} <= set(first.split()) and "sm_90a" in second.split(), done.stderr


def test_a_new_project_runs_as_it_is(ave, tmp_path):
    done = ave("new", tmp_path / "my-kernels")
    assert done.exit_code == 0, done.output
    made = sorted(p.name for p in (tmp_path / "my-kernels").iterdir())
    assert made == ["README.md", "bench_my_kernels.py", "my_kernels.py", "test_my_kernels.py"]
    for program in ("test_my_kernels.py", "bench_my_kernels.py 1000"):
        ran = subprocess.run([sys.executable, *program.split()], cwd=tmp_path / "my-kernels", capture_output=True,
                             text=True)
        assert ran.returncode == 0, ran.stderr
        assert ("all tests passed" if program.startswith("test") else "GB/s") in ran.stdout
    assert ave("new", tmp_path / "my-kernels").exit_code == 2


def test_what_comes_next_can_be_pasted_into_a_shell(ave, tmp_path):
    folder = tmp_path / "two words"
    assert f"next: cd '{folder}' && python test_two_words.py" in ave("new", folder).output


def test_an_output_that_is_full_or_closed_is_no_fault_of_the_program(monkeypatch):
    done = subprocess.run(f"{sys.executable} -m avelang show layout '(4,8)' > /dev/full", shell=True, text=True,
                          stderr=subprocess.PIPE)  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "error: cannot write the output: No space left on device\n")
    monkeypatch.setattr(sys, "stdout", None)
    console.out().print("nobody hears it")


BLOCKS = """
import avelang
import avelang.language as al

T = 32

@avelang.jit
def says(x: al.Pointer(al.f32)):
    al.expect_threads(192, True)
    x[al.thread_id(0)] = 1.0

@avelang.jit
def launched(x: al.Pointer(al.f32)):
    x[al.thread_id(0)] = 1.0

@avelang.jit
def twice(x: al.Pointer(al.f32)):
    x[al.thread_id(0)] = 1.0

def go(x, n):
    launched[lambda: ((n, 1, 1), (T * 4, 2, 1))](x)
    twice[n, 64](x)
    twice[n, n](x)
"""


@pytest.mark.parametrize(
    ("name", "block", "by"),
    [("says", [192, 1, 1], "expects"), ("launched", [128, 2, 1], "file"), ("twice", [64, 1, 1], "64")],
)
def test_the_block_comes_from_the_kernel(ave, tmp_path, name, block, by):
    file = tmp_path / "blocks.py"
    file.write_text(BLOCKS)
    found = json.loads(ave("report", f"{file}:{name}", "--json").stdout)
    assert found["block"] == block and by in found["block_from"]
    if name == "says":
        assert "blocks of (192, 1, 1)" in ave("report", f"{file}:{name}").stdout
        made = json.loads(ave("compile", f"{file}:{name}", "--json", "--emit", "llvm").stdout)
        assert made["ok"] and made["block"] == block and "ave_run" in made["text"]
        given = json.loads(ave("report", f"{file}:{name}", "--json", "--block", "192").stdout)
        assert given["block_from"] == "--block"
