"""The checker of the puzzles accepts right answers, and names the mistake in wrong ones."""

from __future__ import annotations

import pathlib
import textwrap

import numpy as np
import pytest
from tests.puzzles.answers import RIGHT, WRONG

from avelang.base.errors import AveError
from avelang.puzzles import PUZZLES, check, check_file, puzzle
from avelang.puzzles.__main__ import main


def write(folder: pathlib.Path, number: int, body: str) -> pathlib.Path:
    file = folder / f"puzzle{number}.py"
    kept = [line for line in puzzle(number).file.splitlines() if not line.strip().startswith("# Yours")]
    file.write_text("\n".join(kept) + "\n" + textwrap.indent(body, "    "))
    return file


@pytest.mark.parametrize("number", RIGHT)
def test_right(number: int, tmp_path: pathlib.Path):
    file = write(tmp_path, number, RIGHT[number])
    for seed in (17, 3):
        verdict = check_file(number, file, seed)
        assert verdict.right and verdict.cases >= 2 and not verdict.hint, verdict


@pytest.mark.parametrize(("number", "old", "new", "words"), WRONG, ids=range(len(WRONG)))
def test_wrong(number: int, old: str, new: str, words: str, tmp_path: pathlib.Path):
    assert RIGHT[number].count(old) >= 1, old
    verdict = check_file(number, write(tmp_path, number, RIGHT[number].replace(old, new)))
    assert verdict.right == (words is None) and (words or "") in verdict.hint, verdict


def test_each_puzzle_can_be_read(capsys: pytest.CaptureFixture[str]):
    assert [p.number for p in PUZZLES] == list(range(1, 11)) == list(RIGHT)
    for p in PUZZLES:
        compile(p.file, p.name, "exec")
        assert p.name in p.skeleton and len({type(c.want) for c in p.cases(np.random.default_rng(0))}) == 1
        assert max(map(len, p.file.splitlines())) <= 130
    assert main([]) == 0 and len(capsys.readouterr().out.splitlines()) == 10
    assert main(["3"]) == 0 and "def outer_add" in capsys.readouterr().out


def test_what_is_no_answer(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(AveError, match="L066"):
        puzzle(11)
    file = tmp_path / "empty.py"
    file.write_text("def add_one(x): pass\n")
    assert "@avelang.jit" in check_file(1, file).hint
    assert "must be called `saxpy`" in check_file(2, file).hint
    assert main(["1", str(file)]) == 1 and "hint: Put" in capsys.readouterr().out
    two = write(tmp_path, 1, RIGHT[1])
    two.write_text(two.read_text().replace("y: al.Pointer[al.f32], ", ""))
    assert "as they are in the skeleton: x, y, n" in check_file(1, two).hint
    skeleton = tmp_path / "skeleton.py"
    skeleton.write_text(puzzle(1).file + "    pass\n")
    assert "Nothing arrived" in check_file(1, skeleton).hint
    assert check(1, print).hint
