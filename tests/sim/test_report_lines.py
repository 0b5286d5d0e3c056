"""Lines and hints in reports of the reference: a line that a message names is one of the file that its arrow shows, or comes with its file."""

from __future__ import annotations

import importlib.util
import linecache
import re

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError

F32 = al.Pointer[al.f32]


@pytest.fixture(autouse=True)
def _watched(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")


def failure(kernel, *args, grid=1, block=64, target="gfx942") -> AveError:
    with pytest.raises(AveError) as e:
        kernel[grid, block](*args, backend="reference", target=target)
    return e.value


def lines_of(e: AveError) -> list[int]:
    """The lines that the message names without a file."""
    return [int(n) for n in re.findall(r"in line (\d+)", e.message)]


@avelang.jit
def half_a_wave_sums(x: F32):
    if al.thread_id(0) < 32:
        x[0] = tile.sum(tile.load(x, tile.arange(64)))  # here


@avelang.jit
def tiles_and_a_number(x: F32, r: al.u32):
    s = al.make_shared((64,), al.f32)
    t = tile.arange(64)
    tile.store(s, t, 0.0)  # there
    s[r] = 3.0  # here
    tile.store(x, t, tile.load(s, t))


CASES = [(half_a_wave_sums, (), "X043"), (tiles_and_a_number, (3,), "X006")]


@pytest.mark.parametrize("kernel, more, code", CASES, ids=lambda k: k.source.name if hasattr(k, "source") else "")
def test_lines_are_those_of_the_users_file(kernel, more, code):
    e = failure(kernel, np.ones(64, np.float32), *more)
    assert e.code == code
    named = lines_of(e)
    assert named and all(re.search("# t?here", linecache.getline(__file__, n)) for n in named), e.message
    assert (e.as_dict()["file"], e.as_dict()["line"]) == (__file__, named[0])


def test_a_line_of_another_file_of_the_users_has_its_name(tmp_path):
    file = tmp_path / "helpers_of_mine.py"
    file.write_text("import avelang\n\n\n@avelang.jit\ndef first(x, i, v):\n    x[i] = v\n")
    spec = importlib.util.spec_from_file_location("helpers_of_mine", file)
    helpers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(helpers)

    @avelang.jit
    def k(x: F32, r: al.u32):
        t = al.thread_id(0)
        helpers.first(x, t, 1.0)
        x[127 - t] = 2.0  # here

    e = failure(k, np.zeros(128, np.float32), 3, block=128)
    assert e.code == "X040" and e.as_dict()["file"] == str(file) and lines_of(e) == [6], e.message
    (line,) = re.findall(r"in test_report_lines.py:(\d+)", e.message)
    assert "# here" in linecache.getline(__file__, int(line))


@avelang.jit
def a_number_of_all(x: F32, r: al.u32):
    x[r] = 3.0


@avelang.jit
def a_shared_number_of_all(x: F32, r: al.u32):
    s = al.make_shared((64,), al.f32)
    s[r] = 3.0
    al.syncthreads()
    x[al.thread_id(0)] = s[r]


@avelang.jit
def neighbors_overlap(x: F32, r: al.u32):
    """One store of other places by each thread: no number that one thread should store."""
    x[al.thread_id(0) % 64 + r] = 3.0


@avelang.jit
def one_of_each_wave(x: F32, r: al.u32):
    if al.lane_id() == 0:
        x[r] = 3.0


@avelang.jit
def as_the_hint_says(x: F32, r: al.u32):
    tile.store(x, r, 3.0)
    if al.thread_id(0) == 0:
        x[r + 1] = 3.0


def test_a_number_that_every_thread_stores_is_told_of():
    x = np.zeros(128, np.float32)
    for kernel, code in ((a_number_of_all, "X040"), (a_shared_number_of_all, "X006")):
        e = failure(kernel, x, 3, block=128)
        assert e.code == code and "tile.store(x, index, value) stores a number once" in e.hint, str(e)
    for kernel, grid, block in ((neighbors_overlap, 1, 128), (one_of_each_wave, 1, 128), (a_number_of_all, 2, 1)):
        e = failure(kernel, x, 3, grid=grid, block=block)
        assert e.code == "X040" and "tile.store" not in e.hint, str(e)
    as_the_hint_says[1, 128](x, 3, backend="reference")
    assert (x[3:5] == 3).all()
