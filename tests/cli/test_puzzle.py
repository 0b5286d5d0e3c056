"""`ave puzzle`: the list, a file to begin with, verdicts and their status."""

from __future__ import annotations

import pathlib

from click.testing import CliRunner

from avelang.cli.puzzle import puzzle


def run(*args: str):
    return CliRunner().invoke(puzzle, args)


def test_from_the_list_to_a_right_answer(tmp_path: pathlib.Path):
    file = tmp_path / "one.py"
    assert " 7  Softmax of rows" in run().output
    assert "def add_one" in run("1").output
    assert run("1", "-o", str(file)).exit_code == 0 and file.exists()
    again = run("1", "-o", str(file))
    assert again.exit_code == 1 and "is there already" in again.output
    text = file.read_text()
    file.write_text(text + "    ys[i] = xs[i] + 1.0\n")
    wrong = run("1", str(file))
    assert (
        wrong.exit_code == 1 and "wrong: n = 1: [X001]" in wrong.output and "hint: An access is outside" in wrong.output
    )
    file.write_text(text + "    if i < n:\n        ys[i] = xs[i] + 1.0\n")
    right = run("1", str(file), "--seed", "4")
    assert right.exit_code == 0 and right.output.startswith("right: right in 4 cases")


def test_a_file_that_cannot_be_written():
    done = run("1", "-o", "/proc/nowhere/x.py")
    assert done.exit_code == 1 and "cannot write /proc/nowhere/x.py" in done.stderr


def test_what_is_asked_wrongly(tmp_path: pathlib.Path):
    assert run("11").exit_code == 1 and "no puzzle 11" in run("11").output
    assert run("1", str(tmp_path / "none.py")).exit_code == 2
    broken = tmp_path / "broken.py"
    broken.write_text("def add_one(:\n")
    assert run("1", str(broken)).exit_code == 1
