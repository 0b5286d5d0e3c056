"""A page in a headless browser: Debian's chromium, or Chrome where that is installed; tests that need one are skipped without."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def dump(page, place="", size="1600,900"):
    """The document behind the page's scripts, as HTML."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no browser; install it with: apt-get install chromium")
    command = [found, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={size}", "--dump-dom"]
    done = subprocess.run([*command, f"{page.as_uri()}#{place}"], capture_output=True, text=True, timeout=120, check=False)
    assert 'data-ready="1"' in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def rows(text):
    """(class, text without marks) of each row of code that is drawn."""
    body = text[: text.index('<script type="application/json"')]
    found = re.findall(r'<div class="row ([^"]*)"[^>]*>.*?<span class="t">(.*?)</span></div>', body)
    return [(kind.split(), re.sub(r"<[^>]*>", "", shown)) for kind, shown in found]
