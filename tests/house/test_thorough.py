"""`tests/thorough.txt`: the cases that `./dev test` leaves to `./dev test --all`."""

from __future__ import annotations

import fnmatch
import pathlib
import re
import time
import types

import pytest

import conftest

TESTS = pathlib.Path(__file__).parents[1]
TABLE = (TESTS / "thorough.txt").read_text()


def test_each_line_names_a_test_that_is_there():
    lines = [line.split() for line in TABLE.splitlines() if line[0] != "#"]
    for name, count in lines:
        path, _, function = name.partition("::")
        assert re.fullmatch(r"\d+|1/\d+", count) and re.search(rf"^(async )?def {function}\(", (TESTS.parent / path).read_text(), re.M), name
    assert lines == sorted(lines, key=lambda x: x[0]) and len({n for n, _ in lines}) == len(lines)


def test_the_first_cases_are_kept():
    items = [types.SimpleNamespace(nodeid=f"tests/a.py::{x}") for x in ("one[1]", "one[2]", "two", "three[x[0]]", "one[3]")]
    out = conftest.rare(items, "# words\ntests/a.py::one 2\ntests/a.py::two 0\ntests/b.py::three 0\n")
    assert [x.nodeid[12:] for x in out] == ["two", "one[3]"]


def test_names_draw_a_part():
    items = [types.SimpleNamespace(nodeid=f"tests/a.py::one[{engine}-{i}]") for engine in ("cpu", "reference") for i in range(90)]
    kept = [x.nodeid for x in items if x not in conftest.rare(items, "tests/a.py::one 1/3\n")]
    assert 40 <= len(kept) <= 80 and min(sum(engine in name for name in kept) for engine in ("cpu", "reference")) >= 15


def test_no_folder_of_tests_is_left_out(request):
    """pytest goes into no folder whose name `norecursedirs` has; dist is one of those, where nothing is said."""
    left = request.config.getini("norecursedirs")
    parts = {part for file in TESTS.rglob("test_*.py") for part in file.relative_to(TESTS).parent.parts}
    assert "dist" in parts and not [part for part in parts if any(fnmatch.fnmatch(part, name) for name in left)]


def test_what_passed_elsewhere_runs_again_only_where_tools_change_it():
    items = [types.SimpleNamespace(nodeid=f"tests/{x}") for x in ("a.py::one", "a.py::two[1]", "b.py::one", "c.py::one")]
    texts = {"tests/a.py": "import toolshed\n", "tests/b.py": "import os\n    from tools import need\n", "tests/c.py": "from tools import find\n"}
    assert [x.nodeid for x in conftest.done(items, {x.nodeid for x in items} - {"tests/a.py::one"}, texts.__getitem__)] == ["tests/a.py::two[1]"]
    assert conftest.done(items, set(), texts.__getitem__) == []


def test_a_commit_draws_the_order_of_long_cases():
    items = [types.SimpleNamespace(nodeid=str(i)) for i in range(40)]
    long = {str(i) for i in range(0, 40, 2)}
    one, two = ([x.nodeid for x in conftest.drawn_order(items, long, commit)] for commit in ("a", "b"))
    assert one != two and set(one) == set(two) == {x.nodeid for x in items}
    assert one[:20] == two[:20] == [str(i) for i in range(1, 40, 2)]


def test_no_long_case_begins_when_the_time_is_over():
    def setup(name, end):
        stash = pytest.Stash()
        stash[conftest._LONG] = {"long"}, end
        conftest.pytest_runtest_setup(types.SimpleNamespace(nodeid=name, config=types.SimpleNamespace(stash=stash)))

    now = time.monotonic()
    setup("short", now - 1)
    setup("long", now + 1000)
    with pytest.raises(pytest.skip.Exception, match="the time for those is over"):
        setup("long", now - 1)
