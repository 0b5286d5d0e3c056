"""A unit's name comes in; its LLVM IR goes out, as `./dev native` has made it of C."""

from __future__ import annotations

import functools
import pathlib

FOLDER = pathlib.Path(__file__).parent


@functools.cache
def text(name: str) -> str:
    """The IR of a unit, a file in this folder without its ".ll"."""
    return (FOLDER / f"{name}.ll").read_text(encoding="utf-8")
