"""All seeds of all levels, and what `./dev checks` does."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Sequence

from checks import in_ranks, level_al, level_asm, level_ptx, page, table
from checks.matrix import Cells, matrix
from checks.seeds import COLUMNS, Seed


@functools.cache
def seeds() -> list[Seed]:
    """In the order of the page."""
    return level_al.seeds(table.CASES, "al") + level_al.seeds(table.TILES, "tile") + in_ranks.seeds() + level_asm.seeds() + level_ptx.seeds()


def _kept(asked: Sequence[str]) -> dict[str, Cells]:
    """What the page has of seeds that are not asked for: of their bugs, and nothing of their twins."""
    table = page.read(page.FILE.read_text()) if asked and page.FILE.exists() else {}
    found: dict[str, Cells] = {}
    for seed in seeds():
        cells = table.get(seed.level, {}).get(page.shown(seed))
        name = f"{seed.level}: {page.shown(seed)}"
        if cells is not None and not any(word in name for word in asked):
            found[f"{seed.level}: {seed.name}"] = {column: (cells.get(column), None) for column in COLUMNS}
    return found


def renew(asked: Sequence[str] = (), told: Callable[[str], object] = print) -> list[str]:
    """Runs everything, or only what is new and seeds of `asked`, parts of their names ("asm: ", "mbarrier"), and writes the page. What is wrong with
    it: bugs that nobody finds, and twins that somebody reports."""
    found, kept = _kept(asked), os.environ.get("AVE_CACHE_DIR")
    todo = [s for s in seeds() if f"{s.level}: {s.name}" not in found]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AVE_CACHE_DIR"] = folder
        new = matrix(todo, told)
        os.environ.pop("AVE_CACHE_DIR")
        if kept is not None:
            os.environ["AVE_CACHE_DIR"] = kept
    found |= new
    wrong = [f"{name}: nobody finds it" for name, cells in new.items() if not page.finding(cells)]
    wrong += [f"{name}: its twin brings {code} on {' '.join(column)}" for name, cells in new.items()
              for column, code in page.false(cells) if (*name.split(": ", 1), column[0]) not in page.KNOWN]  # fmt: skip
    page.FILE.write_text(page.page(seeds(), found))
    return wrong
