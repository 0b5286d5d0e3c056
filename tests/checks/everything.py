"""All seeds of all levels, and what `./dev checks` does."""

from __future__ import annotations

import functools
import os
import tempfile

from checks import level_al, level_ptx, page, table
from checks.matrix import matrix
from checks.seeds import Seed


@functools.cache
def seeds() -> list[Seed]:
    """In the order of the page."""
    return level_al.seeds(table.CASES, "al") + level_al.seeds(table.TILES, "tile") + level_ptx.seeds()


def renew() -> list[str]:
    """Runs everything and writes the page. What is wrong with it: bugs that nobody finds, and twins that somebody reports."""
    kept = os.environ.get("AVE_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AVE_CACHE_DIR"] = folder
        found = matrix(seeds())
        os.environ.pop("AVE_CACHE_DIR")
        if kept is not None:
            os.environ["AVE_CACHE_DIR"] = kept
    wrong = [f"{name}: nobody finds it" for name, cells in found.items() if not page.finding(cells)]
    wrong += [f"{name}: its twin brings {code} on {' '.join(column)}" for name, cells in found.items()
              for column, code in page.false(cells) if (*name.split(": ", 1), column[0]) not in page.KNOWN]  # fmt: skip
    page.FILE.write_text(page.page(seeds(), found))
    return wrong
