"""Tables: they read back, are changed in one step, merge to one result whatever the order, and are pinned."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang import tuning
from avelang.base.errors import AveError
from avelang.tuning import tables
from avelang.tuning.tables import Row, Table

numbers = st.integers(1, 40).map(float)
rows = st.builds(
    Row, kernel=st.sampled_from(["a.k", "b.k"]), device=st.sampled_from(["sm_90a NVIDIA H200", "cpu x2"]),
    key=st.sampled_from(["m=1", "m=2 n=3"]), choice=st.sampled_from(["block=64", 'block=128 kind="x"', "tile=[1,[2]]"]),
    us=numbers, next_us=numbers, next=st.sampled_from(["-", "block=1"]), when=st.sampled_from(["2026-01-01T00:00:00Z", "-"]),
    rejected=st.integers(0, 9), driver=st.sampled_from(["580.1", "a | b\nc", ""]),
)  # fmt: skip
drawn = st.lists(rows, max_size=6).map(Table)


@pytest.fixture
def place(tmp_path, monkeypatch):
    file = tmp_path / "tuned.txt"
    monkeypatch.setenv("AVE_TUNED", str(file))
    monkeypatch.setattr(tables, "own", lambda: tmp_path / "own" / "tuned.txt")
    tables.forget()
    yield file
    tables.pin(None)


@given(drawn)
def test_a_table_reads_back(table):
    back = tables.parse(table.text, "t")
    assert [r.place for r in back] == [r.place for r in table] and [r.choice for r in back] == [r.choice for r in table]
    assert back.text == table.text and back.digest == table.digest
    assert tables.parse(back.text, "t") == back
    assert len(table.text.splitlines()) == 2 + len(table), "a row is a line"


@given(drawn, drawn, drawn, st.sampled_from(tables.PREFER))
@settings(max_examples=80)
def test_merging_is_one_order(a, b, c, prefer):
    merged = lambda *several: tables.merge(several, prefer)[0]  # noqa: E731
    want = merged(a, b, c)
    for order in itertools.permutations((a, b, c)):
        assert merged(*order) == want
    assert merged(merged(a, b), c) == want == merged(a, merged(b, c)) and merged(a, a) == a
    assert set(want.rows) == {*a.rows, *b.rows, *c.rows}
    for row in want:
        rivals = [t.rows[row.place] for t in (a, b, c) if row.place in t.rows]
        assert row in rivals
        if prefer == "faster":
            assert row.us == min(r.us for r in rivals)
        else:
            assert row.when == max(r.when for r in rivals)


def test_conflicts_are_told():
    one, two = Row("k", "d", "1", "a=1", 5.0, when="2026-01-01"), Row("k", "d", "1", "a=2", 4.0, when="2025-01-01")
    assert tables.merge([Table([one]), Table([two])])[1] == [(one, two)]
    assert tables.merge([Table([one]), Table([two])], "faster")[1] == [(two, one)]
    assert tables.merge([Table([one]), Table([one])])[1] == []


def test_looking_up(place, tmp_path):
    assert tuning.find("k", "d", "1") is None
    tables.record(place, [Row("k", "d", "bf16 1 2", "a=1 t=[1,2]", 3.0)])
    assert tuning.find("k", "d", ("bf16", 1, 2)) == {"a": 1, "t": (1, 2)} == tuning.find("k", "d", "bf16 1 2")
    assert tuning.find("k", "d", ("bf16", 1, 3)) is None and tuning.find("k", "e", "bf16 1 2") is None
    with pytest.raises(TypeError):
        tuning.find("k", "d", "bf16 1 2")["a"] = 2
    # The user's own comes behind AVE_TUNED, and what a package adds behind both.
    tables.record(tables.own(), [Row("k", "d", "bf16 1 2", "a=9", 3.0), Row("k", "d", "2", "a=5", 1.0)])
    tables.write(tmp_path / "more.txt", Table([Row("k", "d", "2", "a=6", 1.0), Row("k", "d", "3", "a=7", 1.0)]))
    tuning.add(tmp_path / "more.txt")
    try:
        found = [tuning.find("k", "d", key)["a"] for key in ("bf16 1 2", "2", "3")]
    finally:
        tables._ADDED.remove(str(tmp_path / "more.txt"))
    assert found == [1, 5, 7]


def test_pinning(place, tmp_path):
    tables.record(place, [Row("k", "d", "1", "a=1", 3.0)])
    other = tmp_path / "pinned.txt"
    tables.write(other, Table([Row("k", "d", "1", "a=2", 3.0)], pinned=True))
    tuning.pin(other)
    assert tuning.find("k", "d", "1")["a"] == 2 and tuning.pinned() == str(other)
    with pytest.raises(AveError, match="D041"):
        tables.default()
    with pytest.raises(AveError, match="D041"):
        tables.record(other, [Row("k", "d", "1", "a=3", 3.0)])
    assert tables.read(other).rows["k", "d", "1"].choice == "a=2"
    tuning.pin(None)
    assert tuning.find("k", "d", "1")["a"] == 1
    # A table that says that it is pinned is the last that is looked into, and must be as it was.
    place.write_text(other.read_text())
    tables.record(tables.own(), [Row("k", "d", "2", "a=5", 1.0)])
    assert tuning.find("k", "d", "2") is None and tuning.find("k", "d", "1")["a"] == 2
    other.write_text(other.read_text().replace("a=2", "a=4"))
    with pytest.raises(AveError, match="D041"):
        tuning.pin(other)
    with pytest.raises(AveError, match="D040"):
        tuning.pin(tmp_path / "none.txt")


@pytest.mark.parametrize("text, line", [
    ("hello\n", 1), ("# Ave's tuned choices, format 2: \n", 1), (tables.HEAD + "\nk | d | 1\n", 2),
    (tables.HEAD + "\n" + Row("k", "d", "1", "a=1", 1.0).text.replace("a=1", "rubbish") + "\n", 2),
    (tables.HEAD + "\n" + (Row("k", "d", "1", "a=1", 1.0).text + "\n") * 2, 3),
    (tables.HEAD + "\n" + Row("k", "d", "1", "a=1", 1.0).text.replace(" 1 ", " x ") + "\n", 2),
])  # fmt: skip
def test_what_is_no_table(place, text, line):
    place.write_text(text)
    with pytest.raises(AveError) as e:
        tuning.find("k", "d", "1")
    assert e.value.code == "D040" and f"{place}, line {line}" in e.value.message


def test_a_table_of_other_bytes(place):
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(AveError, match="D040"):
        tables.read(place)


def test_tuners_write_side_by_side(place):
    def put(i):
        for j in range(5):
            tables.record(place, [Row("k", f"d{i}", str(j), f"a={i}", 1.0)])

    threads = [threading.Thread(target=put, args=(i,)) for i in range(4)]
    code = f"from avelang.tuning.tables import *\nfor j in range(5): record({str(place)!r}, [Row('p', 'd', str(j), 'a=1', 1.0)])"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], env=env) as other:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert other.returncode == 0 and len(tables.read(place)) == 25
    assert sorted(x.name for x in place.parent.iterdir() if "lock" not in x.name) == ["tuned.txt"]
