"""Rows of `al.nvvm` against the table of PTX instructions: each text of each row is in it, for exactly the chips that
have the row."""

import pytest

from avelang.arch import NVIDIA
from avelang.isa.nvptx.wgmma import FORMS as PRODUCTS
from avelang.nvptx import nodes as n
from avelang.nvptx.forms import Form
from avelang.nvptx.lint import WARNINGS, lint
from avelang.nvptx.parse import parse, parse_body
from avelang.nvptx.readings import entry_of, readings
from isa.nvptx_rows import FIRST, NAMED, NVVM, WRITTEN, module, texts

LACKING = {"U206", "U207"}  # the chip, or the PTX version, does not have it


def wrong(text: str) -> dict[int, set[str]]:
    """The codes of what is wrong, by line."""
    found: dict[int, set[str]] = {}
    for e in lint(text):
        if e.code not in WARNINGS:
            assert e.span is not None
            found.setdefault(e.span.line, set()).add(e.code)
    return found


def test_the_rows_are_all_here():
    without = {row.name for row in NVVM} - {row.name for row in (*WRITTEN, *NAMED)}
    assert without == {"nvvm.wgmma_descriptor", "nvvm.tcgen05_descriptor"}  # their expansions are arithmetic
    assert len(WRITTEN) > 120 and len(NAMED) == 59 and len(PRODUCTS) > 10


@pytest.mark.parametrize("row", WRITTEN, ids=lambda r: r.name)
def test_needs_are_those_of_the_forms(row):
    written = list(texts(row))
    lines = set(range(FIRST, FIRST + len(written)))
    for chip in NVIDIA:
        found = wrong(module(chip, written))
        if chip.has(row):
            assert not found, (chip.name, written[min(found) - FIRST], found)
        else:
            assert set(found) == lines and set().union(*found.values()) <= LACKING, (chip.name, found)


@pytest.mark.parametrize("row", NAMED, ids=lambda r: r.name)
def test_needs_of_rows_by_llvms_name(row):
    """What LLVM makes of them (`test_nvptx_llvm.py`) is `row.ptx`."""
    entry = entry_of(tuple(row.ptx.split(".")))
    assert entry is not None and entry.name == row.ptx.partition(".")[0]
    for chip in NVIDIA:
        f = next(f for f in entry.forms if _reads(f, row.ptx))
        version = divmod(chip.ptx, 10)
        assert chip.has(row) == (f.needs.met_by(chip.name) and f.needs.ptx <= version), chip.name


def _reads(f: Form, name: str) -> bool:
    return any(g is f for g, _ in readings(tuple(name.split(".")))[0])


@pytest.mark.parametrize("row", NVVM, ids=lambda r: r.name)
def test_effects_cover_those_of_the_entries(row):
    """A row writes, reads, or holds together its warp's lanes where one of its instructions does."""
    if row in WRITTEN:
        found = [x for _, text in texts(row) for x in n.instructions(parse_body(text))]
    else:
        found = parse_body(f"{row.ptx};") if row.ptx else []
    for x in found:
        entry = entry_of(x.parts)
        assert entry is not None, x.name
        if entry.has("write"):
            assert "write" in row.effects, x.name
        if entry.has("read"):
            assert "read" in row.effects, x.name
        if entry.has("aligned") or "aligned" in x.parts:
            assert "convergent" in row.effects, x.name
        if entry.has("commit", "wait", "barrier", "fence"):
            assert row.effects & {"sync", "write"}, x.name


def test_a_wrong_need_is_noticed():
    row = next(r for r in WRITTEN if r.name == "nvvm.fence_proxy_async")
    sm_80 = next(c for c in NVIDIA if c.name == "sm_80")
    assert wrong(module(sm_80, list(texts(row)))) == {FIRST: {"U206"}}
    broken = [("", "fence.proxy.asynchronous;")]
    assert wrong(module(sm_80, broken)) == {FIRST: {"S203"}}
    assert parse(module(sm_80, broken)).functions()
