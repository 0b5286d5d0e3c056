"""Instructions that are almost right: the table takes none that ptxas refuses, and refuses few that it takes.
`python tests/nvptx/near_misses.py` draws more of them and prints each."""

from __future__ import annotations

from nvptx.assembler import need_ptxas
from nvptx.near_misses import compared, drawn


def test_draws_are_the_same_again():
    assert list(drawn(20, 4)) == list(drawn(20, 4)) != list(drawn(20, 5))


def test_the_table_and_ptxas_agree():
    need_ptxas()
    loose, strict, taken = compared(300, 4)
    assert taken > 20 and len(loose) <= 1 and len(strict) <= 6, (loose, strict)
