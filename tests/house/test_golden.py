"""The helper for golden files: it compares, it refuses what differs or is missing, it accepts when told to."""

from __future__ import annotations

import pytest

import golden


def test_compares(tmp_path, monkeypatch):
    monkeypatch.delenv("AVE_ACCEPT_GOLDEN", raising=False)
    with pytest.raises(AssertionError, match="no golden file"):
        golden.check("a/b.ir", "one\n", tmp_path)
    monkeypatch.setenv("AVE_ACCEPT_GOLDEN", "1")
    golden.check("a/b.ir", "one", tmp_path)
    monkeypatch.setenv("AVE_ACCEPT_GOLDEN", "0")
    golden.check("a/b.ir", "one\n", tmp_path)
    with pytest.raises(AssertionError, match=r"(?s)-one.*\+two"):
        golden.check("a/b.ir", "two", tmp_path)
