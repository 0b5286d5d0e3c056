"""The catalogue of errors: one coded template each, with its hint. Each code is triggered by a test in tests/errors/."""

from __future__ import annotations

from typing import NamedTuple


class Template(NamedTuple):
    message: str
    hint: str = ""


CATALOGUE: dict[str, Template] = {
    # S: syntax that the language does not have.
    "S001": Template("{what} is not part of the language", "{instead}"),
    # U1: intrinsics and chips.
    "U101": Template("there is no chip {name!r}", "Ave knows {known}"),
    "U102": Template("no one chip has all of these intrinsics: {names}", "split the kernel, or give target= and use what that chip has"),
    "U103": Template("{name}: {what} is not available on this chip", "{instead}"),
    # V: the compiler's own faults.
    "V001": Template("{op}: {why}", "this is a fault of Ave, not of your kernel: please report it with the kernel's text"),
    "V002": Template("IR text, line {line}: {why}"),
}
