"""One inspected kernel: its listings, what it takes, and what is said of its main loop, as values. `build` makes it."""

from __future__ import annotations

import dataclasses
from typing import Any

from avelang.inspection.listings import Listing


@dataclasses.dataclass(frozen=True, slots=True)
class Fact:
    """A figure of a kernel. `name`, `value` and `remark` are words; `warning` marks one that costs speed."""

    name: str
    value: str
    remark: str = ""
    warning: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Inspection:
    """A kernel to look at. `title`: what it is; `subtitle`: chip, block, values; `sources`: the lines of each Python
    file that has a part in it, the kernel's own first; `listings`: its stages, in their order; `facts`: registers,
    spills, memory, occupancy; `sections`: further pictures and tables, by name, as values for JSON; `missing`: what
    could not be found out, and why; `notes`: what figures are."""

    title: str
    subtitle: str
    kernel: str
    target: str
    file: str
    line: int
    sources: dict[str, tuple[str, ...]]
    listings: tuple[Listing, ...]
    facts: tuple[Fact, ...]
    sections: dict[str, Any] = dataclasses.field(default_factory=dict)
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def places(self) -> dict[int, tuple[tuple[str, int, int], ...]]:
        """The places of each op, by its number, innermost first."""
        found: dict[int, tuple[tuple[str, int, int], ...]] = {}
        for listing in self.listings:
            if listing.numbered:
                found.update({line.op: line.places for line in listing.lines if line.places})
        return found

    def as_dict(self) -> dict[str, Any]:
        """Values for JSON: each line of a listing with its text, the number of its op, and places in the source."""
        of_op = self.places()
        return {
            "kernel": self.kernel, "target": self.target, "title": self.title, "subtitle": self.subtitle,
            "file": self.file, "line": self.line,
            "facts": [dataclasses.asdict(x) for x in self.facts],
            "listings": [
                {"key": x.key, "title": x.title, "lines": [
                    {"text": line.text, "op": line.op if x.numbered else 0,
                     "places": [[file, row] for file, row, _ in line.places or
                                (of_op.get(line.op, ()) if x.numbered else ())]} for line in x.lines]}
                for x in self.listings
            ],
            **self.sections, "missing": list(self.missing), "notes": list(self.notes),
        }  # fmt: skip
