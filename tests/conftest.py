"""What all tests share: a cache of their own, and torch and JAX that may be missing on a laptop but never in CI."""

from __future__ import annotations

import collections
import gc
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any

import pytest

# One folder for all that a run of the tests leaves on disk, whichever process leaves it; the process that made it removes it. Set before avelang is
# imported anywhere: tests neither read nor fill the user's cache.
_FOLDER = None
if "AVE_TEST_FOLDER" not in os.environ:
    _FOLDER = tempfile.mkdtemp(prefix="ave-tests-")
    os.environ.update({"AVE_TEST_FOLDER": _FOLDER, "TMPDIR": _FOLDER, "AVE_CACHE_DIR": os.path.join(_FOLDER, "cache")})
    os.environ.update({"AVE_TUNED": os.path.join(_FOLDER, "tuned.txt"), "XDG_DATA_HOME": os.path.join(_FOLDER, "data")})
    tempfile.tempdir = _FOLDER
# Processes that tests start find the package whether or not it is installed.
_ROOT = pathlib.Path(__file__).parents[1]
_SOURCES = [str(_ROOT / "src"), str(_ROOT / "distributions" / "pyptx" / "src")]
os.environ["PYTHONPATH"] = os.pathsep.join([*_SOURCES, *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("JAX_PLATFORMS", "cpu")


# A job in the background ignores Ctrl-C, and so would every process that it starts: the tests of Ctrl-C mean one that does not.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What collecting makes stays to the end: nothing of it is worth looking through for garbage, then or later.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 10, 10)  # a compiler makes many objects, few of them in cycles


# The names of the cases that take long, and when none of them begins any more.
_LONG = pytest.StashKey[tuple[set[str], float]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the cases that tests/thorough.txt leaves out")
    parser.addoption("--rest", action="store_true", help="leave out what passed on the bare machine, of this commit")
    parser.addoption("--minutes", type=float, help="begin no case that tests/thorough.txt leaves out when so many are over; the commit draws their order")


def rare(items: list[pytest.Item], table: str) -> list[pytest.Item]:
    """The cases that a table leaves out of the quick run: of each of its tests all but the first so many, or all but a part that names draw."""
    lines = (line.split() for line in table.splitlines() if line and line[0] != "#")
    kept, seen, out = dict(lines), collections.Counter[str](), []
    for item in items:
        name = item.nodeid.partition("[")[0]
        count, _, part = kept.get(name, "").partition("/")
        if part and int(hashlib.sha256(item.nodeid.encode()).hexdigest(), 16) % int(part) >= int(count):
            out.append(item)
        if count and not part:
            seen[name] += 1
            if seen[name] > int(count):
                out.append(item)
    return out


def done(items: list[pytest.Item], passed: set[str], text: Callable[[str], str]) -> list[pytest.Item]:
    """The cases that passed elsewhere and would do nothing else here: those of files that have to do with none of the tools that are missing there."""
    files = {item.nodeid.partition("::")[0] for item in items}
    alike = {f for f in files if not re.search(r"^\s*(from|import) tools\b|shutil\.which|hsaco", text(f), re.M)}
    return [item for item in items if item.nodeid in passed and item.nodeid.partition("::")[0] in alike]


def drawn_order(items: list[pytest.Item], long: set[str], commit: str) -> list[pytest.Item]:
    """The cases in their order, those that take long behind the others, in one that a commit draws: where time is short, other ones run each time."""
    last = sorted((x for x in items if x.nodeid in long), key=lambda x: hashlib.sha256((commit + x.nodeid).encode()).digest())
    return [*(x for x in items if x.nodeid not in long), *last]


def _head() -> str:
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=_ROOT, capture_output=True, text=True, check=False).stdout.strip()


def _passed_on_the_bare_machine() -> set[str]:
    """Names that tools/bare_machine left for this commit; none where it did not run."""
    left = _ROOT / ".pytest_cache" / "v" / "ave" / f"bare-{_head()}"
    return set(json.loads(left.read_text())) if left.is_file() else set()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    out, long = set[pytest.Item](), rare(items, (_ROOT / "tests" / "thorough.txt").read_text())
    if config.getoption("--quick"):
        out |= set(long)
    if config.getoption("--rest"):
        out |= set(done(items, _passed_on_the_bare_machine(), lambda f: (_ROOT / f).read_text()))
    if out:
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]
    if config.getoption("--minutes") is not None:
        names = {item.nodeid for item in long}
        items[:] = drawn_order(items, names, _head())
        config.stash[_LONG] = names, time.monotonic() + 60 * config.getoption("--minutes")


def pytest_runtest_setup(item: pytest.Item) -> None:
    names, end = item.config.stash.get(_LONG, (set[str](), 0.0))
    if item.nodeid in names and time.monotonic() > end:
        pytest.skip("a case that takes long, and the time for those is over: `./dev test --all` runs it")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Leaves the names of what passed in pytest's cache."""
    if config.cache is not None:
        stats = terminalreporter.stats
        wrong = {r.nodeid for kind in ("failed", "error") for r in stats.get(kind, ())}
        config.cache.set("ave/passed", sorted({r.nodeid for r in stats.get("passed", ())} - wrong))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "golden: compares with files in tests/golden/")
    if os.environ.get("CI") == "true":
        missing = [name for name in ("torch", "jax", "tensor_layouts", "ml_dtypes") if importlib.util.find_spec(name) is None]
        if missing:
            raise pytest.UsageError(f"CI runs every test, so these must be installed: {', '.join(missing)}")


def _settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("AVE_") or name == "NO_COLOR"}


@pytest.fixture(autouse=True)
def settings_as_before():
    """A command that a test calls in this process leaves no setting to the next test."""
    before = _settings()
    yield
    for name in _settings().keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _FOLDER:  # made by this process, which ends after the workers that it started
        shutil.rmtree(_FOLDER, ignore_errors=True)


def pytest_report_header() -> str:
    have = [name for name in ("torch", "jax") if importlib.util.find_spec(name) is not None]
    lack = [name for name in ("torch", "jax") if name not in have]
    return "arguments tested with: NumPy" + "".join(f", {x}" for x in have) + "".join(f"; no {x}: its tests are skipped" for x in lack)
