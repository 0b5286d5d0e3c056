"""`ave tune`: shapes in words, tables, and what is said of what cannot be."""

from __future__ import annotations

import json
import pathlib
import random

import pytest

from avelang.base.errors import AveError
from avelang.tuning import tables
from avelang.tuning.shapes import parse_shape, parse_shapes
from avelang.tuning.tables import Row, Table
from avelang_kernels.matmul.tuned_tiles import TABLE

PROGRAM = pathlib.Path(__file__).parents[1] / "tuning" / "program.py"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("AVE_TUNED", str(tmp_path / "tuned.txt"))
    monkeypatch.setattr(tables, "own", lambda: tmp_path / "own.txt")
    monkeypatch.chdir(tmp_path)
    tables.forget()
    return tmp_path / "tuned.txt"


def test_a_file(ave, place):
    done = ave("tune", f"{PROGRAM}:plus", "--minutes", 1)
    lines = done.stdout.splitlines()
    assert done.exit_code == 0 and lines[-1] == f"table {place}", done.output
    assert lines[0].startswith('n=4: how="fast", ') and "times as fast as" in lines[0]
    assert lines[1].startswith('  wrong: how="wrong": off by')
    assert [row.kernel for row in tables.read(place)] == ["program.plus"] * 2
    again = ave("tune", f"{PROGRAM}:plus", "--shapes", "n=4", "--json")
    (record,) = json.loads(again.stdout)
    assert record["choice"] == {"how": "fast"} and record["verdicts"]['how="fast"']["status"] == "known"
    assert "known" in ave("tune", f"{PROGRAM}:plus", "--shapes", "n=4").stdout
    (record,) = json.loads(ave("tune", f"{PROGRAM}:plus", "--shapes", "n=4", "--json", "--again").stdout)
    assert record["verdicts"]['how="wrong"']["status"] == "wrong" and record["row"]["key"] == "n=4"


def test_a_shape_that_cannot_be_does_not_keep_others(ave, place):
    done = ave("tune", f"{PROGRAM}:plus", "--shapes", "n=13; n=6", "--table", place.with_name("other.txt"))
    assert done.exit_code == 1 and "n=13: [L071]" in done.stdout and 'n=6: how="fast"' in done.stdout
    assert len(tables.read(place.with_name("other.txt"))) == 1 and not place.exists()


FAILING = """import numpy as np
import avelang


@avelang.tune({"v": (1, 2)}, inputs=lambda n: (np.ones(n, np.float32),), reference=lambda x: print("words") or x / len(x[1:]))
def halved(x, v):
    return x / len(x[1:])
"""


def test_what_a_users_function_raises_keeps_no_other_shape(ave, place):
    file = place.with_name("failing.py")
    file.write_text(FAILING)
    done = ave("tune", f"{file}:halved", "--shapes", "n=many; n=5", "--workers", 0)
    assert done.exit_code == 1 and "n=many: [L073]" in done.stdout and "TypeError" in done.stdout and "(failing.py:5)" in done.stdout
    assert "n=5: v=" in done.stdout
    made = ave("tune", f"{file}:halved", "--shapes", "n=many; n=6", "--workers", 0, "--json")
    assert [sorted(x)[0] for x in json.loads(made.stdout)] == ["error", "choice"] and "words" in made.stderr


def test_a_table_that_cannot_be_written(ave, place):
    done = ave("tune", f"{PROGRAM}:plus", "--shapes", "n=4", "--table", "/proc/nowhere/t.txt", "--workers", 0)
    assert done.exit_code == 1 and "[D052]" in done.stdout
    tables.write(place, Table([Row("k", "d", "1", "a=1", 1.0)]))
    done = ave("tune", "merge", place, "-o", "/proc/nowhere/t.txt")
    assert done.exit_code == 1 and "[D052]" in done.stderr and "click" not in done.stderr


@pytest.mark.parametrize("target, words", [
    ("tests.tuning.nothing:x", "no module tests.tuning.nothing"), ("no_such.module:x", "no module"),
    (f"{PROGRAM}:untuned", "it has double, plus"), ("nothing", "FILE.py:NAME"), ("no.py:x", "no file"), (f"{PROGRAM}:Holder.x", "no tuned"),
])  # fmt: skip
def test_what_is_not_tuned(ave, place, target, words):
    done = ave("tune", target, "--shapes", "n=4")
    assert done.exit_code == 1 and "[L073]" in done.stderr and words in done.stderr


def test_modules_and_members(ave, place):
    assert ave("tune", f"{PROGRAM}:Holder.kernel", "--shapes", "n=77", "--workers", 0).exit_code == 0
    assert ave("tune", "tests.tuning.kernels:double", "--shapes", "n=77").stdout.startswith("n=77: block=")
    assert ave("tune", "tests.tuning.kernels:double", "--shapes", "n").exit_code == 1
    nothing = ave("tune", "avelang_kernels.norm:double", "--shapes", "n=1")
    assert nothing.exit_code == 1 and "[L073]" in nothing.stderr


def test_without_ray(ave, place, monkeypatch):
    import importlib

    found = importlib.import_module

    def no_ray(name, *rest):
        if name == "ray":
            raise ImportError("No module named 'ray'")
        return found(name, *rest)

    monkeypatch.setattr(importlib, "import_module", no_ray)
    done = ave("tune", f"{PROGRAM}:plus", "--ray", "auto")
    assert done.exit_code == 1 and "[D043]" in done.stderr and "pip install ray" in done.stderr


def test_shapes_in_words():
    rng = random.Random(0)
    assert parse_shape("m=1,n=2 k=0.5 how=abc t=true", rng) == {"m": 1, "n": 2, "k": 0.5, "how": "abc", "t": True}
    drawn = parse_shapes(["m=16..16384:8 n=1..3; n=7"], 40, 3)
    assert drawn == parse_shapes(["m=16..16384:8 n=1..3; n=7"], 40, 3) and drawn[-1] == {"n": 7}
    assert all(16 <= s["m"] <= 16384 and s["m"] % 8 == 0 and 1 <= s["n"] <= 3 for s in drawn[:-1])
    small = sum(s["m"] < 512 for s in drawn[:-1])
    assert 8 < small < 32, "logarithms are uniform: half are below the middle"
    for bad in ("m", "m=", "=1", "m=1 m=2", "m=5..4", "m=9..10:8", "m n=1", "a b"):
        with pytest.raises(AveError, match="L070"):
            parse_shape(bad, rng)


def test_tables_are_listed_shown_merged_and_pinned(ave, place, tmp_path):
    one, two = tmp_path / "1.txt", tmp_path / "2.txt"
    tables.write(one, Table([Row("k", "sm_90a", "m=1", "a=1", 3.0, next_us=4.0, when="2026-01-01"), Row("k", "gfx942", "m=1", "a=1", 9.0)]))
    tables.write(two, Table([Row("k", "sm_90a", "m=1", "a=2", 2.0, when="2025-01-01"), Row("l", "sm_90a", "m=[1]", "a=5", 1.0)]))
    listed = ave("tune", "list", one, two)
    assert listed.exit_code == 0 and "4 rows of 2 tables" in listed.stdout and "m=[1]" in listed.stdout
    assert len(json.loads(ave("tune", "list", one, two, "--kernel", "k", "--device", "sm", "--json").stdout)) == 2
    shown = ave("tune", "show", one, "--device", "gfx")
    assert "choice    a=1" in shown.stdout and "sm_90a" not in shown.stdout
    assert ave("tune", "show", one, "--key", "none").exit_code == 1
    merged = ave("tune", "merge", one, two)
    assert tables.parse(merged.stdout, "") == tables.merge([tables.read(one), tables.read(two)])[0]
    assert "a=1 (3 us, 2026-01-01) stays, a=2 (2 us, 2025-01-01) goes" in merged.stderr
    assert ave("tune", "merge", two, one, "--prefer", "faster", "-o", place).stdout == ""
    assert tables.read(place).rows["k", "sm_90a", "m=1"].choice == "a=2" and len(tables.read(place)) == 3
    assert "3 rows of 1 table\n" in ave("tune", "list", "--key", "m=").stdout
    brought = json.loads(ave("tune", "list", "--json", "--kernel", "hopper_gemm").stdout)
    assert len(brought) == len(tables.read(TABLE)), "the package's own table is listed, too"
    pinned = ave("tune", "pin", place, "-o", tmp_path / "pin.txt", "--device", "sm_90a")
    assert pinned.exit_code == 0 and "pinned 2 rows" in pinned.stdout and tables.read(tmp_path / "pin.txt").pinned
    assert ave("tune", "pin", place, "--device", "sm").exit_code == 2
    assert ave("tune", "pin", place).exit_code == 0 and tables.read(place).pinned
    refused = ave("tune", f"{PROGRAM}:plus", "--shapes", "n=4")
    assert refused.exit_code == 1 and "D041" in refused.output
    assert ave("tune", "pin", place, "--off").exit_code == 0 and not tables.read(place).pinned
    one.write_text("rubbish\n")
    broken = ave("tune", "list", one)
    assert broken.exit_code == 1 and "[D040]" in broken.stderr


def test_help(ave):
    text = ave("tune", "--help").stdout
    assert all(word in text for word in ("run", "list", "show", "merge", "pin"))
    assert "--shapes" in ave("tune", "run", "--help").stdout
