"""`ave cache info` and `ave cache clear`: what the cache on disk holds, and how to empty it."""

from __future__ import annotations

import click

from avelang.cli.console import fail, json_option, show_json


@click.group()
def cache() -> None:
    """Show or empty the cache of compiled kernels."""


def size_text(count: int) -> str:
    """Bytes in words: `0 bytes`, `1.5 KiB`, `20.0 MiB`."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


@cache.command()
@json_option()
def info(as_json: bool) -> None:
    """Prints the cache's folder and size."""
    from avelang.runtime.cache import info as read

    found = read()
    if as_json:
        show_json({"folder": str(found.path), "entries": found.entries, "bytes": found.bytes, "limit": found.limit,
                   "trouble": found.trouble})  # fmt: skip
        return
    click.echo(f"folder   {found.path}")
    click.echo(
        f"entries  {found.entries}, {size_text(found.bytes)}" + (f" of {size_text(found.limit)}" if found.limit else "")
    )
    if found.trouble:
        click.secho(f"not used: {found.trouble}", fg="yellow")


@cache.command()
def clear() -> None:
    """Remove every entry."""
    from avelang.runtime.cache import clear as remove
    from avelang.runtime.cache import folder

    try:
        click.echo(f"removed {remove()} entries from {folder()}")
    except OSError as exc:
        fail(f"cannot empty {folder()}: {exc.strerror or exc}")
