"""The catalogue of errors: one coded template each, with its hint. Each code is triggered by a test in tests/errors/."""

from __future__ import annotations

from typing import NamedTuple


class Template(NamedTuple):
    message: str
    hint: str = ""


CATALOGUE: dict[str, Template] = {
    # S: syntax that the language does not have.
    "S001": Template("{what} is not part of the language", "{instead}"),
    # V: the compiler's own faults.
    "V001": Template("{op}: {why}", "this is a fault of Ave, not of your kernel: please report it with the kernel's text"),
    "V002": Template("IR text, line {line}: {why}"),
}
