"""What a kernel takes on an NVIDIA GPU, as a table: `ave report` and `ave compile --emit report` for chips named
sm_."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from avelang.runtime.resources import Resources

NOTE = "Static: what ptxas says of the code. Nothing was run, and none of this is a time on a GPU."


@contextlib.contextmanager
def shown_warnings() -> Iterator[None]:
    """Warnings of the compiler as errors look: the place, the line, the words."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    for w in seen:
        click.secho("warning: ", fg="yellow", bold=True, nl=False, err=True)
        click.echo(str(w.message), err=True)
        from avelang.base.spans import Span

        span = Span(w.filename, w.lineno)
        click.echo(f"  --> {span.where()}", err=True)
        if span.text():
            click.echo(f"  {w.lineno} | {span.text()}", err=True)


def as_json(r: Resources, at: Mapping[str, Any] = {}) -> str:
    """The resources as JSON, with the note on what they leave out; `at`: the block and who says it."""
    return json.dumps({**dataclasses.asdict(r), **at, "note": NOTE}, indent=2)


def text(r: Resources, at: Mapping[str, Any] = {}) -> str:
    """The table, and the remarks below it; `at`: the block and who says it."""
    from avelang.inspection.figures import nvidia_facts

    facts = [(x.name, x.value, x.remark) for x in nvidia_facts(r)]
    wide = [max(len(row[i]) for row in facts) for i in (0, 1)]
    blocks = f", blocks of {at['block']} ({at['block_from']})" if at else ""
    lines = [f"{r.kernel} on {r.chip}{blocks}", ""]
    lines += [f"{name:<{wide[0]}}  {value:<{wide[1]}}  {remark}".rstrip() for name, value, remark in facts]
    for m in r.remarks:
        lines += ["", f"{m.number}: {m.text}", *([f"  --> {m.file}:{m.line}"] if m.file else [])]
    return "\n".join([*lines, "", NOTE, ""])
