"""docs/checks.md is what the engines say: each bug is found where the page says so first, its twin is not; and the page has each seed. The whole matrix
is run by `./dev checks`."""

import pytest

from checks import page
from checks.everything import seeds
from checks.page import shown
from checks.seeds import COLUMNS, LEVELS, cell

TABLE = page.read(page.FILE.read_text())
# The quick ones first: what is told before a launch, PTX, the reference; executed AMD code last.
ORDER = sorted(COLUMNS, key=lambda c: ("text", "reference", "ptx-exec", "cpu", "gfx942-exec", "gfx950-exec").index(c[0]))


def test_the_page_has_each_seed_once():
    assert {level: [shown(s) for s in seeds() if s.level == level] for level in LEVELS} == {level: list(rows) for level, rows in TABLE.items()}
    assert sum(len(rows) for rows in TABLE.values()) == len(seeds()) >= 80


# Bugs of threads run on the reference in test_reference, those of ranks in test_ranks, and those in AMD assembly in the executor's own tests: here every fourth and every sixth.
STEPS = {"al": 4, "asm": 6, "ranks": 9}
SLICE = [s for level in LEVELS for s in [s for s in seeds() if s.level == level][:: STEPS.get(level, 1)]]


@pytest.mark.parametrize("seed", SLICE, ids=lambda s: f"{s.level}: {s.name}")
def test_found_and_not_in_the_twin(seed):
    cells = TABLE[seed.level][shown(seed)]
    found = [c for c in ORDER if cells.get(c) not in (None, "", "stops", "error")]
    column = next((c for c in found if seed.level == "al" and c[0] == "ptx-exec"), found[0])
    assert cell(seed, column, True) == cells[column], column
    assert cell(seed, column, False) in ("", None), column
    # Where a bug is told before a launch, the twin is still to run somewhere.
    if column[0] == "text":
        assert any(cell(seed, other, False) == "" for other in (("ptx-exec", ""), ("reference", "")))


def test_every_bug_is_found_and_known_alarms_are_named():
    for level, rows in TABLE.items():
        for name, cells in rows.items():
            assert any(c not in (None, "", "stops", "error") for c in cells.values()), (level, name)
    text = page.FILE.read_text()
    assert text.endswith(page.known()) and text.startswith(page.HEAD.format(count=len(seeds()), levels=len(LEVELS)))
    assert {(level, name) for level, name, _ in page.KNOWN} <= {(s.level, s.name) for s in seeds()}
