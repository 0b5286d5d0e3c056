"""`docs/developing.md` says what a change costs: these make each one in a copy of the sources, and use it on every
engine."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

from house.change_costs import CHANGES, COMMON, NVIDIA_ROWS, Change

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(changes: tuple[Change, ...], folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """The checks of some changes, in one process, on a copy of the sources that has them all."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for change in changes:
        change.make(folder / "src")
    script = folder / "check.py"
    script.write_text(COMMON + "".join(change.check for change in changes))
    path = os.pathsep.join(map(str, (folder / "src", ROOT / "tests", ROOT)))
    env = {**os.environ, "PYTHONPATH": path, "AVE_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, cwd=folder)


def test_each_change_is_made_in_the_places_that_the_page_names(tmp_path):
    page = (ROOT / "docs" / "developing.md").read_text()
    for change in (*CHANGES, *NVIDIA_ROWS):
        for file, _, _ in change.edits:
            assert f"`src/{file}`" in page or f"`src/{pathlib.PurePosixPath(file).parent}/" in page, (change.name, file)
    done = run(CHANGES, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]


def test_ptx_text_is_as_good_as_a_name_of_llvm(tmp_path):
    done = run((NVIDIA_ROWS[1],), tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]


def test_without_the_change_its_check_fails(tmp_path):
    """The negative control."""
    done = run((dataclasses.replace(CHANGES[0], edits=()),), tmp_path)
    assert done.returncode == 1 and "fmed3" in done.stderr
