"""The checks that a test asks for, as far as what runs it can do them."""

from __future__ import annotations

import pytest

from avelang.base import engines


def ask(monkeypatch: pytest.MonkeyPatch, backend: str | None, target: str, *words: str) -> None:
    """Sets AVE_CHECK to those of `words` that `backend` (None: what runs kernels for `target`) has for a kernel of that chip: another would be refused
    (X045). What the reference knows of `waits` it looks for unasked: asked by name it takes kernels with NVIDIA's copies and matrix products only."""
    engine = backend or (f"{target}-exec" if target in ("gfx942", "gfx950") else engines.CPU)
    have = [w for w in words if w not in engines.lacking(engine, words) and not (w == "waits" and engine == engines.REFERENCE)]
    if have:
        monkeypatch.setenv("AVE_CHECK", ",".join(have))
    else:
        monkeypatch.delenv("AVE_CHECK", raising=False)
