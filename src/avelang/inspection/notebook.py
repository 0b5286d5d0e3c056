"""An object comes in; the HTML that a notebook shows for it goes out: pictures of layouts and tiles, tables of plans,
the signature and the code of kernels. Everything that is text is escaped; there are no scripts."""

from __future__ import annotations

import dataclasses
import html
import linecache
from collections.abc import Iterable, Sequence
from typing import Any

from avelang.frontend.source import Jitted
from avelang.ptx.kernel import PtxKernel
from avelang.tile import picture, show
from avelang.tile.banks import TileAccesses
from avelang.tile.plans import GemmPlan

_CELL = "text-align:left;padding:2px 12px 2px 0;border-bottom:1px solid #d9dde3"
_CODE = "font-family:monospace;white-space:pre;overflow:auto;max-height:30em;margin:4px 0"


def html_of(thing: object) -> str | None:
    """HTML of an object; None for one without a picture. Raises what its picture raises, such as T308 for a tile that
    is too large to draw."""
    if isinstance(thing, Jitted):
        return _jitted(thing)
    if isinstance(thing, PtxKernel):
        return _ptx(thing)
    if isinstance(thing, GemmPlan):
        return _plan(thing)
    if isinstance(thing, TileAccesses):
        return _pictures(thing, show.of_accesses(thing, "accesses of a wave"))
    return _pictures(thing, show.of(thing))


def _pictures(thing: object, found: Sequence[picture.Picture]) -> str:
    words = html.escape(repr(thing))
    title = words if len(words) < 200 else words[:200] + " ..."
    return f'<div><code>{title}</code><div style="overflow:auto;max-height:40em">{picture.svg(found)}</div></div>'


def _table(rows: Iterable[tuple[str, object]]) -> str:
    cells = (f'<tr><th style="{_CELL};font-weight:500;color:#6a7483">{html.escape(name)}</th>'
             f'<td style="{_CELL}">{html.escape(str(value))}</td></tr>' for name, value in rows)  # fmt: skip
    return f"<table>{''.join(cells)}</table>"


def _details(title: str, text: str) -> str:
    return (f"<details><summary>{html.escape(title)}</summary>"
            f'<div style="{_CODE}">{html.escape(text)}</div></details>')  # fmt: skip


def _jitted(kernel: Jitted) -> str:
    from avelang.frontend.signature import EMPTY, signature

    source = kernel.source
    rows: list[tuple[str, object]] = []
    for p in signature(source):
        said = " ".join(str(x) for x in (p.kind, p.dtype or "", p.shape or "") if x != "")
        rows.append((p.name, said if p.default is EMPTY else f"{said} = {p.default!r}"))
    last = getattr(kernel, "last", None)
    if last is not None:
        rows.append(("last launch", f"on {last.backend}, {last.how}, {last.run * 1e3:.3g} ms"))
    first = source.tree.lineno
    text = "".join(linecache.getlines(source.file)[first - 1 : source.tree.end_lineno])
    doc = (source.fn.__doc__ or "").strip().partition("\n\n")[0]
    head = f"<b>kernel {html.escape(source.name)}</b> <span>{html.escape(f'{source.file}:{first}')}</span>"
    return f"<div>{head}<p>{html.escape(doc)}</p>{_table(rows)}{_details('source', text)}</div>"


def _ptx(kernel: PtxKernel) -> str:
    d = kernel.definition
    rows = [(name, str(spec)) for name, spec in zip(d.names, d.specs, strict=True)]
    rows += [("grid", _shown(d.grid)), ("block", _shown(d.block)), ("arch", d.arch)]
    head = f"<b>PTX kernel {html.escape(d.name)}</b> <span>{html.escape(d.span.where())}</span>"
    text = "" if d.symbols else _details("PTX", kernel.ptx())
    return f"<div>{head}{_table(rows)}{text}</div>"


def _shown(value: Any) -> str:
    return "a function of sizes" if callable(value) else str(value)


def _plan(plan: GemmPlan) -> str:
    g = plan.gemm
    rows: list[tuple[str, object]] = [("product", f"{g.m} x {g.n} x {g.k}, {g.dtype}, {g.target}")]
    fields = [f.name for f in dataclasses.fields(plan) if f.name != "gemm"]
    rows += [(name, _short(getattr(plan, name))) for name in fields]
    for name in ("workgroups", "lds_bytes", "registers", "resident", "cycles"):
        rows.append((f"{name} (by the model)" if name == "cycles" else name, getattr(plan, name)))
    return f"<div><b>GemmPlan</b>{_table(rows)}</div>"


def _short(value: object) -> object:
    return getattr(value, "name", value)
