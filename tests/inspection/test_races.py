"""Reports of races: who touched what, when, from what the reference and the executors say."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError, error
from avelang.inspection.races import CODES, race_report, race_reports

PROGRAM = """
import sys
import numpy as np
import avelang
import avelang.language as al

@avelang.jit
def shared(p: al.Pointer(al.f32), q: al.Pointer(al.f32)):
    X = al.make_tensor(p, al.f32, al.make_layout((128,), (1,)))
    Y = al.make_tensor(q, al.f32, al.make_layout((128,), (1,)))
    S = al.make_shared((128,), al.f32)
    i = al.thread_id(0)
    S[i] = 0.0
    al.syncthreads()
    S[i] = X[i]
    Y[i] = S[127 - i]

@avelang.jit
def world(p: al.Pointer(al.f32)):
    X = al.make_tensor(p, al.f32, al.make_layout((64,), (1,)))
    X[al.thread_id(0)] = al.convert(al.block_id(0), al.f32)

@avelang.jit
def fine(p: al.Pointer(al.f32)):
    X = al.make_tensor(p, al.f32, al.make_layout((64,), (1,)))
    X[al.thread_id(0)] = 1.0

def run(which):
    x, y = np.zeros(128, np.float32), np.zeros(128, np.float32)
    {"shared": lambda: shared[1, 128](x, y), "world": lambda: world[2, 64](x), "fine": lambda: fine[1, 64](x)}[which]()

if __name__ == "__main__":
    run(*sys.argv[1:])
"""


@pytest.mark.parametrize("engine", ["reference", "gfx942-exec"])
def test_a_program(ave, tmp_path, monkeypatch, engine):
    for name in ("AVE_BACKEND", "AVE_CHECK"):
        monkeypatch.setenv(name, "")  # and put back behind the test: the command sets them
    file = tmp_path / "p.py"
    file.write_text(PROGRAM)
    result = ave("show", "races", file, "shared", "--on", engine, "--json", "-o", tmp_path / "r.svg")
    assert result.exit_code == 1, result.stdout + result.stderr
    [found] = json.loads(result.stdout)
    assert found["kernel"] == "shared" and found["code"] in ("X006", "X025")
    assert {found["first"]["line"], found["second"]["line"]} == {15, 16}  # the store and the load, whoever came first
    assert "wave" in found["first"]["who"] and "wave" in found["second"]["who"]
    picture = (tmp_path / "r.svg").read_text()
    assert "S[i] = X[i]" in picture and "Y[i] = S[127 - i]" in picture and ET.fromstring(picture) is not None
    result = ave("show", "races", f"{file}:run", "'world'", "--on", engine)
    assert result.exit_code == 1 and "[X040] race in `world`: global memory" in result.stdout, result.stdout + result.stderr
    assert result.stdout.count("p.py:21 | X[al.thread_id(0)]") == 2 and "lane 0" in result.stdout
    result = ave("show", "races", file, "fine", "--on", engine)
    assert result.exit_code == 0 and "no race was found" in result.stdout


@avelang.jit
def neighbors(x: al.Pointer(al.i32), SHARED: al.constexpr):
    t = al.thread_id(0)
    X = al.make_tensor(x, al.i32, al.make_layout((32,), (1,)))
    s = al.make_shared((32,), al.i32) if SHARED else X
    s[t] = t
    X[t] = s[t ^ 1]


@pytest.mark.parametrize(("shared", "code", "kind"), [(True, "X006", "shared memory"), (False, "X040", "global memory")])
def test_two_lanes_of_a_wave(monkeypatch, shared, code, kind):
    monkeypatch.setenv("AVE_CHECK", "races")
    with pytest.raises(AveError) as e:
        neighbors[1, 32](np.zeros(32, np.int32), shared, target="sm_80", backend="reference")
    made = race_report(e.value)
    assert made is not None and (made.code, made.kind, made.first.who) == (code, f"{kind}, two lanes of a wave", "another lane of its wave")
    assert made.first.text == "s[t] = t" and made.second.text == "X[t] = s[t ^ 1]" and "lane 0 of wave 0" in made.second.who
    assert "fence" in made.hint and "no fence" in made.why and ET.fromstring(made.svg()) is not None


def test_every_code_has_a_picture():
    words = {"kernel": "k<b>", "what": "a load in line 3", "where": "block (0, 0, 0), lane 1", "place": "`p`, byte 0", "other": "a store in line 2 by wave 1",
             "tensor": "S", "index": "", "byte": 4, "text": "ds_read_b32 v1, v2", "does": "reads", "address": 12, "did": "wrote in x: no barrier",
             "lane": "wave 0, lane 2", "who": "a running copy", "wait": "nvvm.x", "space": "shared", "memory": "shared memory", "instead": "fence",
             "whose": "another wave"}  # fmt: skip
    for code in CODES:
        made = race_report(error(code, **words), times=3)
        assert made is not None and made.first.who and made.second.who and "3 times" in made.text()
        ET.fromstring(made.svg())
        assert "<b>" not in made._repr_html_()
    assert race_report(error("X027", kernel="k", what="w", why="y")) is None and race_reports([error("X027", kernel="k", what="w", why="y"), 3]) == []


