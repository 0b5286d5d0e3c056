"""The site, built once for all tests of this folder, and served where a browser looks at it."""

from __future__ import annotations

import fcntl
import functools
import http.server
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = os.environ.get("CI", "") == "true"


def _missing(name: str, words: str) -> None:
    """Skips, but not in CI, where everything must be there."""
    if CI:
        pytest.fail(words)
    pytest.skip(words)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> pathlib.Path:
    """The folder of the built site. Processes of one run share it."""
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        _missing("mkdocs", "Material for MkDocs is missing: pip install '.[docs]'")
    base = tmp_path_factory.getbasetemp()
    base = base if worker_id == "master" else base.parent
    folder = base / "site"
    with open(base / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / "site.log").exists():
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
            env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
            (base / "site.log").write_text(f"{done.returncode}\n{done.stdout}{done.stderr}")
    log = (base / "site.log").read_text()
    assert log.startswith("0\n"), log
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_args: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def address(site: pathlib.Path) -> Iterator[str]:
    """Where the site is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium without a window; for one file, as asyncio takes the event loop of playwright for a running one while it lives."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        _missing("chromium", "no chromium: apt-get install chromium")
    if importlib.util.find_spec("playwright") is None:
        _missing("playwright", "no playwright: pip install playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        running = p.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()
