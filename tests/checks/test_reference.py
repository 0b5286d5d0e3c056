"""The reference finds every seeded bug of the table, and says nothing of the correct twins."""


import pytest

from avelang.base import knobs
from avelang.base.errors import AveError
from checks import page
from checks.table import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_found_and_not_in_the_twin(case, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "all")
    launch = case.kernel[case.grid, case.block]
    launch(*case.args(), BUG=False, backend="reference", **dict(case.options))
    with pytest.raises(AveError) as e:
        launch(*case.args(), BUG=True, backend="reference", **dict(case.options))
    assert e.value.code in case.codes
    cells = page.read(page.FILE.read_text())["al"][case.name.replace("_", " ")]
    assert e.value.code in {code for (engine, _), code in cells.items() if engine in ("text", "reference")}, "./dev checks"
    assert e.value.span is not None and e.value.span.file == case.kernel.source.file


def test_the_table_has_each_kernel_once():
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) >= 50 and knobs.CHECKS
