"""The generated pages of the documentation: rows and catalogue come in, `{path: Markdown}` goes out. `./dev docs`
writes them."""

from __future__ import annotations

import inspect
import pathlib
import re
import string

import click

from avelang.arch import CHIPS
from avelang.base import engines, knobs
from avelang.base.catalogue import CATALOGUE
from avelang.base.errors import CLASSES
from avelang.cli import rows
from avelang.cli.llms import llms
from avelang.cli.main import main
from avelang.cli.puzzle import page as puzzles
from avelang.isa import ROWS
from avelang.isa.row import Row

INDEX = pathlib.Path(__file__).parents[3] / "docs" / "index.md"  # the pages are made in a checkout
MADE = "<!-- Made by `./dev docs`; change the rows or the catalogue instead. -->\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def row_text(row: Row) -> str:
    """Entry of an intrinsic, in Markdown: signature, parameters, fragment maps, chips and source of its row."""
    short = row.name.partition(".")[2]
    lines = [f"### `{short}`", "", f"`{rows.signature(row)}` → `{rows.result_text(row)}`", "", row.doc, ""]
    if row.params:
        lines += ["| parameter | type | |", "| --- | --- | --- |"]
        for p in row.params:
            doc = "; ".join(x for x in (p.doc, "also as packed words of the same bits" if p.packed else "") if x)
            lines.append(f"| `{p.name}` | {_cell(rows.type_text(p))} | {_cell(doc)} |")
        lines.append("")
    for operand, shape, fragment in rows.fragments(row):
        f = rows.formula(fragment)
        where = f"row = `{f.row}`, column = `{f.col}`" if f else "see `ave intrinsics`"
        block = f"block = `{f.block}`, " if f and fragment.shape[0] > 1 else ""
        lines.append(f"- {operand} ({shape}, {fragment.slots} elements a lane): {block}{where}")
    if row.mma:
        lines.append("")
    names = ", ".join(f"`{a}`" for a in row.aliases)
    facts = {"Also named": names, "Chips": rows.chips(row), "Effects": rows.effects(row), "Source": row.source}
    lines.append("  \n".join(f"{key}: {value}" for key, value in facts.items() if value))
    return "\n".join(lines) + "\n"


def intrinsics() -> str:
    """docs/reference/intrinsics.md"""
    text = f"# Intrinsics\n\n{MADE}\n"
    text += (
        "Each is one row in `src/avelang/isa`. In the maps of fragments, `slot` counts the elements that a lane "
        "holds;\n"
    )
    text += "`//` and `%` are Python's.\n"
    for namespace in sorted({r.namespace for r in ROWS.values()}):
        mine = sorted((r for r in ROWS.values() if r.namespace == namespace), key=lambda r: r.name)
        text += f"\n## `{rows.space(namespace)}`: {len(mine)} intrinsics\n\n" + "\n".join(map(row_text, mine))
    return text


def _fields(template: str) -> str:
    """The template with its fields in angle brackets."""
    text = ""
    for literal, field, spec, _ in string.Formatter().parse(template):
        text += literal + (f"‹{field}›" if field is not None else "")
        if spec and spec.startswith("n "):
            one, _, several = spec[2:].partition("/")
            text += f" {several or one + 's'}"
    return text


def _words(text: str) -> str:
    """Words as Markdown: what stands between backticks is code, no other mark is one."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(p if p.startswith("`") else re.sub(r"([*\[\]_<])", r"\\\1", p) for p in parts)


def _code(code: str) -> str:
    """An error's entry: its code as a heading, so that links and a search for the code lead to it; message; hint."""
    found = CATALOGUE[code]
    message, hint = (_words(_fields(x)) for x in (found.message, found.hint))
    return f"### {code}\n\n{message}\n" + (f"\nHint: {hint}\n" if hint else "")


def errors() -> str:
    """docs/reference/errors.md"""
    text = f"# Errors\n\n{MADE}\nWhat stands in ‹angle brackets› is filled in where the error is raised.\n"
    for letter, cls in CLASSES.items():
        codes = sorted(c for c in CATALOGUE if c[0] == letter)
        if codes:
            text += f"\n## {letter}: `{cls.__name__}`\n\n{cls.__doc__}\n\n" + "\n".join(map(_code, codes))
    return text


def settings() -> str:
    """docs/reference/settings.md: the environment variables, from the docstrings of `base/knobs.py`."""
    text = (
        f"# Settings\n\n{MADE}\nEnvironment variables; a flag is on when it is set to anything but `0`, `no`, "
        f"`off` or `false`.\n\n"
    )
    for knob in vars(knobs).values():
        doc = inspect.getdoc(knob) or ""
        variable, colon, words = doc.partition(": ")
        if inspect.isfunction(knob) and variable.startswith("AVE_") and colon:
            text += f"- `{variable}`: {' '.join(words.split())}\n"
    return text


def checkers() -> str:
    """docs/reference/engines.md: what each engine finds under each word of AVE_CHECK."""
    text = f"# Which engine checks what\n\n{MADE}\n"
    text += (
        "Words of `AVE_CHECK` and of `ave run --check`. What is asked for by name, and cannot be checked where a "
        "kernel is launched, is an\n"
    )
    text += (
        "error (X045). Of `all` an engine does what it can, and says once on standard error what it leaves out. "
        "Without `--on`,\n"
    )
    text += (
        "`ave run --check` takes an engine that can do what is asked: for `all` the reference, for `waits` "
        "gfx942-exec, or gfx950-exec or the\n"
    )
    text += (
        "reference where a launch is for another chip. `ptxas` is about the code of NVIDIA GPUs: where none runs, "
        "`all` leaves nothing out\nwithout it.\n\n"
    )
    text += "| word | |\n| --- | --- |\n" + "".join(f"| `{w}` | {_cell(words)} |\n"
                                                    for w, words in engines.WORDS.items())
    for engine, found in engines.TABLE.items():
        text += f"\n## {engine}\n\n| word | what it finds |\n| --- | --- |\n"
        text += "".join(f"| `{w}` | {_cell(found.get(w, 'nothing: an error'))} |\n" for w in knobs.CHECKS)
    return text


def _command(command: click.Command, path: str) -> str:
    context = click.Context(command, info_name=path)
    text = f"## `{path}`\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        text += "".join("\n" + _command(command.commands[name], f"{path} {name}") for name in sorted(command.commands))
    return text


def command_line(group: click.Command) -> str:
    """docs/reference/cli.md: what `--help` says of each command."""
    return f"# The command line\n\n{MADE}\n" + _command(group, "ave")


def chips() -> str:
    """docs/reference/chips.md: the chips that code is made for."""
    text = (
        f"# Chips\n\n{MADE}\nCode is made for these chips (`target=`, `ave compile --target`). What runs without one, "
        "and what was tried on a card,\nis told in [limitations](../limitations.md). `avelang.chip(name)` gives all "
        "that is known of a chip, with its sources.\n\n"
        "| chip | vendor | lanes of a wave | shared memory of a block | threads of a block | intrinsics |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
    )
    for c in CHIPS.values():
        count = sum(c.has(r) for r in ROWS.values())
        text += f"| `{c.name}` | {c.vendor} | {c.wave} | {c.lds_bytes // 1024} KiB | {c.max_threads} | {count} |\n"
    features = "".join(f"- `{c.name}`: {', '.join(sorted(c.features))}.\n" for c in CHIPS.values())
    return f"{text}\nFeatures, any one of which an intrinsic may need:\n\n{features}"


def pages() -> dict[str, str]:
    """All generated pages, by their path in the repository."""
    made = {"intrinsics": intrinsics(), "errors": errors(), "settings": settings(), "cli": command_line(main),
            "engines": checkers(), "chips": chips()}
    reference = {f"docs/reference/{name}.md": text for name, text in made.items()}
    return {"docs/puzzles/index.md": puzzles(), "docs/llms.txt": llms(INDEX), **reference}
