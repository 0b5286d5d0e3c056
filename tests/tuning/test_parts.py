"""The tuner's smaller parts: the roofline, the progress bar, where a measurement was made, and how dear a lookup is."""

from __future__ import annotations

import io
import re

import pytest
from tests.tuning.kernels import double, room

from avelang import tuning
from avelang.arch import product
from avelang.base.errors import AveError
from avelang.tuning import provenance, tables
from avelang.tuning.progress import Bar, Progress, progress


def test_the_roofline_is_of_bytes_or_of_work():
    sku = product("sm_90a")
    assert tuning.roofline("sm_90a", sku.memory) == 1.0
    work = sku.count * sku.pipes * sku.clock
    assert tuning.roofline("sm_90a", 0, clocks=work) == pytest.approx(1.0)
    assert tuning.roofline("sm_90a", sku.memory / 2, clocks=work, busy=0.5) == pytest.approx(2.0)
    with pytest.raises(AveError, match="U101"):
        tuning.roofline("sm_9000", 1.0)


def test_a_bar_says_what_is_done(monkeypatch, tmp_path):
    from rich.console import Console

    written = io.StringIO()
    monkeypatch.setattr("rich.console.Console", lambda **k: Console(file=written, force_terminal=True, width=160))
    double.tune(*room(1000), progress=True, table=False, clock=tuning.FakeClock(lambda c: c.choice.block))
    said = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written.getvalue())
    assert all(f"double n=1000: {part}" in said for part in ("compiling", "checking", "racing")), said
    assert isinstance(progress(None, "x"), Progress) and not isinstance(progress(None, "x"), Bar)


def test_where_it_was_measured(monkeypatch):
    device = tuning.device_name("cpu")
    assert device.startswith("cpu ") and re.search(r" x\d+$", device) and tuning.device_of("cpu") == device
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", provenance.now())
    assert "llvm" in provenance.versions("cpu") and provenance.clocks("cpu") == "-"


def test_a_warm_lookup_is_one_look_into_a_dict(monkeypatch, tmp_path):
    """No file is read, no text made, once a key was found: what is called is counted, not timed."""
    monkeypatch.setenv("AVE_TUNED", str(tmp_path / "t.txt"))
    tables.record(tmp_path / "t.txt", [tables.Row("k", "d", "bf16 1 2", "a=1", 1.0)])
    key = ("bf16", 1, 2)
    first = tuning.find("k", "d", key)
    nothing = tuning.find("k", "d", "other")
    monkeypatch.setattr(tables, "row", None)
    assert tuning.find("k", "d", key) is first and tuning.find("k", "d", "other") is nothing is None


def test_a_call_looks_once(monkeypatch):
    x, y, n = room(64)
    double(x, y, n)
    monkeypatch.setattr(type(double), "_first", None)
    monkeypatch.setattr(type(double), "bind", None)
    x[...] = 3
    double(x, y, n)
    assert (y == 6).all()
