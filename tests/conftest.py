"""What all tests share: a cache of their own, and torch and JAX that may be missing on a laptop but never in CI."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import tempfile

import pytest

# Set before avelang is imported anywhere: tests neither read nor fill the user's cache.
_CACHE = None
if "AVE_CACHE_DIR" not in os.environ:
    _CACHE = os.environ["AVE_CACHE_DIR"] = tempfile.mkdtemp(prefix="ave-test-cache-")
# Processes that tests start find the package whether or not it is installed.
os.environ["PYTHONPATH"] = os.pathsep.join([str(pathlib.Path(__file__).parents[1] / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "golden: compares with files in tests/golden/")
    if os.environ.get("CI") == "true":
        missing = [name for name in ("torch", "jax", "tensor_layouts", "ml_dtypes") if importlib.util.find_spec(name) is None]
        if missing:
            raise pytest.UsageError(f"CI runs every test, so these must be installed: {', '.join(missing)}")


def pytest_unconfigure(config: pytest.Config) -> None:
    if _CACHE:  # made by this process, which ends after the workers that it started
        shutil.rmtree(_CACHE, ignore_errors=True)


def pytest_report_header() -> str:
    have = [name for name in ("torch", "jax") if importlib.util.find_spec(name) is not None]
    lack = [name for name in ("torch", "jax") if name not in have]
    return "arguments tested with: NumPy" + "".join(f", {x}" for x in have) + "".join(f"; no {x}: its tests are skipped" for x in lack)
