"""`ave doctor`: what this machine has, what Ave can do with it, what is missing and how to get it."""

from __future__ import annotations

import dataclasses

import click

from avelang.cli.console import json_option, show_json

MARKS = {"ok": ("✓", "green"), "missing": ("-", "yellow"), "bad": ("✗", "red")}


@click.command()
@json_option("The same as one JSON object.")
def doctor(as_json: bool) -> None:
    """Say what this machine can run, what is missing, and how to get it.

    Ends with status 1 when Ave cannot work here. The object of --json has `version`, `works`, `runs` (lines) and
    `found`: group, name, state ("ok", "missing" or "bad"), text, gives and get of each thing that was looked for.
    """
    from rich.markup import escape

    from avelang.base.version import VERSION
    from avelang.cli.cache import size_text
    from avelang.cli.console import out
    from avelang.cli.probes import Probe, findings
    from avelang.runtime.cache import info

    stored = info()
    text = f"{stored.path}: {stored.entries} entries, {size_text(stored.bytes)}"
    state = "ok"
    if stored.trouble:
        state, text = "missing", f"{text}; not used: {stored.trouble}"
    rows = [
        *findings(),
        Probe("Cache", "on disk", state, text, "kernels compiled once for all processes", "remove the reason above"),
    ]
    trouble = [f.name for f in rows if f.state == "bad"]
    if as_json:
        found = [dataclasses.asdict(f) for f in rows]
        facts = {"version": VERSION, "works": not trouble, "runs": _abilities(), "found": found}
        show_json(facts)
        raise SystemExit(1 if trouble else 0)
    console = out()
    console.print(f"[bold]Ave {VERSION}[/bold]")
    group = ""
    for f in rows:
        if f.group != group:
            group = f.group
            console.print(f"\n[bold]{group}[/bold]")
        mark, color = MARKS[f.state]
        console.print(f"  [{color}]{mark}[/{color}] {f.name:<10} {escape(f.text)}")
        if f.state != "ok" and f.gives:
            console.print(f"      would give: {escape(f.gives)}\n      get it:     {escape(f.get)}")
    console.print("\n[bold]What runs here[/bold]")
    for line in _abilities():
        console.print("  " + escape(line))
    if trouble:
        console.print(f"\n[red]Ave does not work here: {', '.join(trouble)}[/red]")
        raise SystemExit(1)


def _abilities() -> list[str]:
    from avelang.arch import CHIPS
    from avelang.cli.probes import cores, gpu_abilities

    chips = ", ".join(CHIPS)
    return [
        f"kernels on this CPU, compiled by LLVM, on {cores()} cores; waves and intrinsics of {chips}",
        'the reference executor (NumPy), with checks of bounds and of uninitialized memory: backend="reference"',
        *gpu_abilities(),
    ]
