"""Parts that stand above, by name."""

from __future__ import annotations

import pytest

from avelang.base import late


def test_a_part_is_made_when_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(late, "_makers", {})
    made: list[str] = []
    late.give("part", lambda: made.append("made") or made)
    assert not made and late.get("part") == ["made"]
    with pytest.raises(KeyError, match="other"):
        late.get("other")


def test_the_package_gives_the_kernels_of_views():
    from avelang import elements

    assert late.get("elements") is elements
