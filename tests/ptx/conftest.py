"""Every test of this level has a cache folder of its own, and no knob set from outside."""

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    for name in ("AVE_BACKEND", "AVE_NO_CACHE", "AVE_TRACEBACK", "AVE_DUMP", "AVE_CHECK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "cache"))
