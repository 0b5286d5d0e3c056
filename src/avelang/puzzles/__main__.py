"""`python -m avelang.puzzles N [FILE]`: the same as `ave puzzle`."""

from __future__ import annotations

import sys

from avelang.puzzles import PUZZLES, check_file, puzzle


def main(arguments: list[str]) -> int:
    """Prints the list, a statement with its skeleton, or a verdict. The exit status: 0 but for a wrong answer."""
    if not arguments:
        for p in PUZZLES:
            print(f"{p.number:2}  {p.title}")
        return 0
    task = puzzle(int(arguments[0]))
    if len(arguments) == 1:
        print(task.file)
        return 0
    verdict = check_file(task.number, arguments[1])
    print(("right: " if verdict.right else "wrong: ") + verdict.message)
    if verdict.hint:
        print("hint:", verdict.hint)
    return 0 if verdict.right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
