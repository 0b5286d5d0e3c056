"""`ave intrinsics [NAME]`: a list of all intrinsics, or the reference page of one; both come from the rows."""

from __future__ import annotations

from typing import Any

import click

from avelang.cli.compile import Chip
from avelang.cli.console import USAGE, fail, json_option, show_json


@click.command()
@click.argument("name", required=False)
@click.option("--chip", type=Chip(), metavar="TEXT", help="Only the intrinsics that this chip has.")
@json_option("Print a JSON list: name, signature, result, doc, parameters, chips, effects, source, ...")
def intrinsics(name: str | None, chip: str | None, as_json: bool) -> None:
    """List the intrinsics, or show the reference page of NAME.

    NAME is with or without its namespace: amdgpu.rcp, al.amdgpu.rcp or rcp. A part of a name lists what contains it.
    """
    from avelang.isa import PUBLIC
    from avelang.runtime.compile import chip_of

    found = _find(name, set(PUBLIC)) if name else []
    if len(found) == 1 and not as_json:
        _page(found[0])
        return
    wanted = chip_of(chip)
    has = wanted.has if wanted is not None else lambda row: True
    if name and not found:
        near = _near(name, set(PUBLIC))
        fail(f"there is no intrinsic `{name}`",
             f"did you mean {' or '.join(near)}?" if near else "`ave intrinsics` lists all of them", USAGE)
    names = [full for full in (found or sorted(PUBLIC)) if has(PUBLIC[full])]
    if as_json:
        show_json([_record(full) for full in names])
    else:
        _list(names)


def _record(name: str) -> dict[str, Any]:
    """One intrinsic for JSON: what its reference page has. `fragments`: the operands of a matrix instruction, with the
    (row, column) that each lane holds in each slot as a formula where there is one."""
    from avelang.cli import rows
    from avelang.isa import PUBLIC

    row = PUBLIC[name]
    held = []
    for operand, shape, fragment in rows.fragments(row):
        f = rows.formula(fragment)
        held.append({"operand": operand, "shape": shape, "lanes": fragment.lanes, "slots": fragment.slots,
                     "row": f.row if f else None, "column": f.col if f else None})  # fmt: skip
    return {"name": f"al.{name}", "signature": rows.signature(row, name.partition(".")[2]),
            "result": rows.result_text(row), "doc": row.doc,
            "parameters": [{"name": p.name, "type": rows.type_text(p), "doc": p.doc} for p in row.params],
            "aliases": [f"al.{row.namespace}.{a}" for a in row.aliases], "chips": rows.chips(row),
            "effects": rows.effects(row), "source": row.source, "fragments": held}  # fmt: skip


def _find(name: str, names: set[str]) -> list[str]:
    """The public names that `name` stands for: itself, itself in some namespace, or all that contain it."""
    if name in names:
        return [name]
    name = name.removeprefix("al.")
    if name in names:
        return [name]
    exact = sorted(full for full in names if full.partition(".")[2] == name)
    return exact or sorted(full for full in names if name in full)


def _near(name: str, names: set[str]) -> list[str]:
    import difflib

    short = name.rpartition(".")[2]
    by_short = {full.partition(".")[2]: full for full in names}
    return [by_short[x] for x in difflib.get_close_matches(short, by_short, n=3, cutoff=0.6)]


def _list(names: list[str]) -> None:
    from rich.table import Table

    from avelang.cli import rows
    from avelang.cli.console import out
    from avelang.isa import PUBLIC

    console = out()
    for namespace in sorted({n.partition(".")[0] for n in names}):
        mine = [n for n in names if n.startswith(namespace + ".")]
        title = f"{rows.space(namespace)}: {len(mine)} names"
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for head in ("name", "chips", "what it does"):
            table.add_column(head, no_wrap=head == "name", overflow="fold")
        for n in mine:
            row = PUBLIC[n]
            alias = "" if n == row.name else f" (another name of {row.name.partition('.')[2]})"
            table.add_row(n.partition(".")[2], rows.chips(row), row.doc.partition(". ")[0].rstrip(".") + alias)
        console.print(table)
        console.print()


def _page(name: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    from avelang.cli import rows
    from avelang.cli.console import out
    from avelang.isa import PUBLIC

    row, console = PUBLIC[name], out()
    console.print(
        f"[bold]{escape(rows.signature(row, name.partition('.')[2]))}[/bold] -> {escape(rows.result_text(row))}\n"
    )
    console.print(escape(row.doc) + "\n")
    if row.params:
        table = Table("parameter", "type", "", box=None, pad_edge=False)
        for p in row.params:
            words = "also as packed words of the same bits" if p.packed else ""
            table.add_row(p.name, escape(rows.type_text(p)), escape("; ".join(x for x in (p.doc, words) if x)))
        console.print(table)
        console.print()
    others = [
        n.partition(".")[2] for n in (row.name, *(f"{row.namespace}.{alias}" for alias in row.aliases)) if n != name
    ]
    facts = {"also named": ", ".join(others), "chips": rows.chips(row), "effects": rows.effects(row),
             "source": row.source}
    for key, value in facts.items():
        if value:
            console.print(f"{key}: {escape(value)}")
    for operand, shape, fragment in rows.fragments(row):
        _fragment(operand, shape, fragment)


def _fragment(operand: str, shape: str, fragment) -> None:
    """The formula of a fragment map where there is one, and a few lanes of it as (row, column)."""
    from rich.table import Table

    from avelang.cli import rows
    from avelang.cli.console import out

    console, f = out(), rows.formula(fragment)
    console.print(f"\n{operand}: {shape}, {fragment.slots} elements in each of {fragment.lanes} lanes")
    if f is not None:
        block = f"block = {f.block}; " if fragment.shape[0] > 1 else ""
        console.print(f"  {block}row = {f.row}; column = {f.col}")
    slots = sorted({*range(min(fragment.slots, 5)), fragment.slots - 1})
    table = Table("lane", *(f"slot {s}" for s in slots), box=None, pad_edge=False, padding=(0, 1))
    block, row, col = fragment.index
    for lane in sorted({0, 1, 2, fragment.lanes // 4, fragment.lanes // 2, fragment.lanes - 1}):
        which = [f"{block[lane, s]}:" if fragment.shape[0] > 1 else "" for s in slots]
        table.add_row(str(lane), *(f"{w}{row[lane, s]},{col[lane, s]}" for w, s in zip(which, slots, strict=True)))
    console.print(table)
