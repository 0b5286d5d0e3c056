"""Ten puzzles to learn from, which need no GPU: a number and a kernel come in; a verdict with a hint goes out.

ave puzzle 1 -o puzzle1.py      # the statement and a file to fill in
ave puzzle 1 puzzle1.py         # is it right?
"""

from __future__ import annotations

from avelang.puzzles.checker import check, check_file, check_names
from avelang.puzzles.puzzle import Case, Mistake, Puzzle, Verdict
from avelang.puzzles.tasks import PUZZLES, puzzle

__all__ = ["PUZZLES", "Case", "Mistake", "Puzzle", "Verdict", "check", "check_file", "check_names", "puzzle"]
