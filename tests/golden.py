"""Golden files: text that a test produced comes in and is held against the committed file of that name in tests/golden/.

`AVE_ACCEPT_GOLDEN=1` (`./dev golden --accept`) writes the files instead.
"""

from __future__ import annotations

import difflib
import os
import pathlib

FOLDER = pathlib.Path(__file__).parent / "golden"


def accepting() -> bool:
    return os.environ.get("AVE_ACCEPT_GOLDEN", "") not in ("", "0")


def check(name: str, text: str, folder: pathlib.Path = FOLDER) -> None:
    """Fails with a diff when `text` is not what `tests/golden/<name>` holds. `name` may have folders and carries its own suffix."""
    file = folder / name
    text = text if text.endswith("\n") else text + "\n"
    if accepting():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return
    if not file.exists():
        raise AssertionError(f"no golden file {name}: look at the text below, then ./dev golden --accept\n{text}")
    want = file.read_text()
    if want != text:
        diff = "".join(difflib.unified_diff(want.splitlines(True), text.splitlines(True), f"golden/{name}", "now"))
        raise AssertionError(f"{name} differs (./dev golden --accept takes the new text)\n{diff}")
