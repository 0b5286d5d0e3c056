"""Seeded bugs between ranks: the reference finds each, in at most three orders, at its line and rank; their twins bring no report in any of them."""

import pytest

from checks import page
from checks.in_ranks import CASES, found


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_found_and_not_in_the_twin(case):
    case.run(False)
    e = found(case)
    assert e is not None and e.code in case.codes, e
    assert e.span is not None and e.span.file == case.kernel.source.file
    assert "rank " in e.message, e.message
    cells = page.read(page.FILE.read_text())["ranks"][case.name.replace("_", " ")]
    assert e.code in cells.values(), "./dev checks"


def test_the_table_has_fifteen_and_more():
    assert len({c.name for c in CASES}) == len(CASES) >= 15
