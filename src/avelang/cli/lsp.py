"""`ave lsp`: begins the language server (`cli/lsp_server.py`), or says what it lacks."""

from __future__ import annotations

import importlib.util

import click

from avelang.cli.console import fail


@click.command("lsp")
def lsp_command() -> None:
    """Serve editors by the language server protocol, over standard input and output.

    Errors of kernels as you type, types and documentation on hover, completion of intrinsics, definitions. Kernels are
    found by running the file in a process of its own, which is ended after ten seconds. Needs pygls (`pip install
    pygls`)."""
    if importlib.util.find_spec("pygls") is None:
        fail("the language server needs pygls", "pip install pygls")
    from avelang.cli.lsp_server import server

    server().start_io()
