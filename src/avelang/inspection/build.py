"""A subject comes in; its `Inspection` goes out: stages, what it takes, what is said of its main loop."""

from __future__ import annotations

import dataclasses
import linecache
from typing import TYPE_CHECKING, Any

from avelang.base.errors import AveError
from avelang.inspection import figures, performance, stages
from avelang.inspection.inspected import Inspection
from avelang.inspection.subject import LaunchFacts, PtxSubject, Subject
from avelang.runtime import progress
from avelang.runtime.compile import chip_of

if TYPE_CHECKING:
    from avelang.inspection.stages import Stages

NO_CLOCKS = "the main loop's timeline: Ave has no model of an SM's clocks; `ave trace` shows an executed run, in order"
MOST_WORDS = 100  # of a compile-time value in the page's head
NOTE = "Nothing was run, and no figure is a time on a GPU: registers and memory are what compiler or assembler say."


def inspected(subject: Subject | PtxSubject) -> Inspection:
    """Everything that can be said of a kernel without running it. Raises what compiling it raises."""
    with progress.shown(subject.name, "its page", subject.target or ""):
        return _inspected(subject)


def _inspected(subject: Subject | PtxSubject) -> Inspection:
    if isinstance(subject, PtxSubject):
        definition = subject.kernel.definition
        made = stages.of_ptx(subject)
        file, line = definition.span.file, definition.span.line
        values: dict[str, Any] = dict(zip(definition.symbols, subject.sizes, strict=True))
    else:
        made = stages.of_jit(subject)
        file, line, values = subject.source.file, subject.source.tree.lineno, subject.constexprs
    made.listings = [x for x in made.listings if x.lines]
    found = Inspection(
        f"{subject.name} on {made.chip}", _subtitle(subject, made, file, line, values), subject.name, made.chip, file,
        line, _sources(made, file), tuple(made.listings), (), {}, tuple(made.missing), (NOTE,),
    )  # fmt: skip
    of_op = found.places()

    def where(_: str, op: int) -> str:
        chain = of_op.get(op, ())
        own = next((x for x in chain if x[0] == file), chain[0] if chain else None)
        return f"line {own[1]}" if own else f"op {op}"

    launch = subject.launch if isinstance(subject, Subject) else None
    more, missing = _sections(made, launch)
    return dataclasses.replace(
        found, facts=tuple(figures.facts(made, where)), sections=more, missing=(*made.missing, *missing)
    )


def _sections(made: Stages, launch: LaunchFacts | None) -> tuple[dict[str, Any], list[str]]:
    """The models' sections, and what they cannot say."""
    try:
        found = performance.sections(made, launch)
    except AveError as e:  # an instruction that a model does not know
        return {}, [f"roofline and timeline: {e.message}"]
    chip = chip_of(made.chip)
    missing = []
    if chip is not None and chip.vendor == "nvidia":
        missing.append(NO_CLOCKS)
    return found, missing


def _subtitle(subject: Subject | PtxSubject, made: Stages, file: str, line: int, values: dict[str, Any]) -> str:
    parts = [f"{file}:{line}", f"block {' x '.join(map(str, made.block))}"]
    for name, value in values.items():
        text = repr(value)
        parts.append(f"{name} = {text if len(text) <= MOST_WORDS else text[:MOST_WORDS] + ' ...'}")
    if isinstance(subject, Subject):
        parts += [f"{name} = {value}" for name, value in subject.options.items()]
        if subject.launch is not None:
            parts.insert(2, f"grid {' x '.join(map(str, subject.launch.grid))}")
    return ", ".join(parts)


def _sources(made: Stages, own: str) -> dict[str, tuple[str, ...]]:
    """The files that have a part in the kernel, its own first, the others by how many lines come from them."""
    counts: dict[str, int] = {}
    for listing in made.listings:
        for line in listing.lines:
            for file, _, _ in line.places:
                counts[file] = counts.get(file, 0) + 1
    names = [own, *sorted((f for f in counts if f != own), key=lambda f: -counts[f])]
    return {
        name: lines
        for name in names
        if (lines := tuple(x.rstrip("\n") for x in linecache.getlines(name))) or name == own
    }
