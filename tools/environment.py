"""A bare Python 3.11+ comes in; a virtual environment with Ave installed in it goes out. Standard library only;
idempotent.

    python3 tools/environment.py            # what Ave needs
    python3 tools/environment.py --extra test   # and what its tests need

It needs neither pip nor ensurepip (Debian keeps both in packages of their own): where they are missing, a pinned pip
wheel is fetched from the package index and checked by its SHA-256."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYPTX = ROOT / "distributions" / "pyptx"
VENV = ROOT / ".venv"
STAMP = VENV / "ave-stamp.json"
PIP = ("pip-25.0.1-py3-none-any.whl", "c46efd13b6aa8279f33f2864459c8ce587ea6a1a59ee20de055868d8f7688f7f")
INDEX = "https://pypi.org/simple"
TORCH_CPU = "https://download.pytorch.org/whl/cpu"


def fail(text: str) -> None:
    sys.exit(f"\nerror: {text}")


def say(text: str) -> None:
    print(text, flush=True)


def wanted(extras: list[str]) -> dict[str, object]:
    """What the environment is made from; a change of any of it makes it anew or brings it up to date."""
    text = b"".join((folder / "pyproject.toml").read_bytes() for folder in (ROOT, PYPTX))
    return {"python": sys.version.split()[0], "pyproject": hashlib.sha256(text).hexdigest(), "extras": sorted(extras),
            "root": str(ROOT)}


def stamped() -> dict[str, object]:
    try:
        return json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}


def up_to_date(want: dict[str, object]) -> bool:
    have = stamped()
    extras = have.get("extras")
    same = all(have.get(key) == want[key] for key in ("python", "pyproject", "root"))
    enough = isinstance(extras, list) and set(want["extras"]) <= set(extras)  # type: ignore[call-overload]
    return same and enough and (VENV / "bin" / "ave").exists()


def fetch(url: str, timeout: float = 60) -> bytes:
    """The bytes at `url`. A machine without CA certificates is served too: what is used of it is checked by a hash in
    this file."""
    request = urllib.request.Request(url, headers={"Accept": "text/html, */*", "User-Agent": "ave-environment"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read()
    except urllib.error.URLError as err:
        if not isinstance(err.reason, ssl.SSLError):
            raise
        with urllib.request.urlopen(request, timeout=timeout, context=ssl._create_unverified_context()) as answer:
            return answer.read()


def pip_wheel(folder: str) -> str:
    """Fetches the pinned pip wheel from the index that pip would use (PIP_INDEX_URL or PyPI) into `folder`."""
    name, digest = PIP
    page = os.environ.get("PIP_INDEX_URL", INDEX).rstrip("/") + "/pip/"
    try:
        links = re.findall(r'href="([^"]+)"', fetch(page).decode())
        link = next((x for x in links if urllib.parse.urlparse(x).path.endswith("/" + name)), None)
        if link is None:
            fail(f"{page} has no {name}")
        data = fetch(urllib.parse.urljoin(page, link))
    except OSError as err:
        fail(
            f"cannot fetch pip from {page}: {err}\nGive this machine a way to a package index, or: apt-get install "
            f"python3-venv"
        )
    if hashlib.sha256(data).hexdigest() != digest:
        fail(f"{name} from {page} is not the file that was expected (SHA-256 differs); nothing of it was run")
    path = os.path.join(folder, name)
    pathlib.Path(path).write_bytes(data)
    return path


def usable(want: dict[str, object]) -> bool:
    """Whether `.venv` is of this Python, made for this folder (scripts in it hold absolute paths), and has a pip that
    runs."""
    python = VENV / "bin" / "python"
    probe = "import sys, pip; print(sys.version.split()[0], sys.prefix)"
    if not python.exists():
        return False
    out = subprocess.run([str(python), "-c", probe], capture_output=True, text=True).stdout
    return out.split() == [want["python"], str(VENV)] and stamped().get("root", want["root"]) == want["root"]


def make_venv() -> None:
    """`.venv` with pip in it."""
    if importlib.util.find_spec("venv") is None:
        fail("this Python has no `venv` module: apt-get install python3, or point PYTHON=... at a complete one")
    if VENV.exists():
        shutil.rmtree(VENV)
    say(f"[1/2] virtual environment in {VENV.name}/, Python {sys.version.split()[0]}")
    if importlib.util.find_spec("ensurepip") is not None:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        return
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(VENV)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        wheel = pip_wheel(folder)
        subprocess.run([str(VENV / "bin" / "python"), f"{wheel}/pip", "install", "--quiet", "--no-index", wheel],
                       check=True)


def torch_index() -> list[str]:
    """An index with CPU builds of torch, where it answers: PyPI's own Linux build brings gigabytes of CUDA."""
    try:
        fetch(TORCH_CPU + "/torch/", timeout=5)
    except OSError:
        return []
    return ["--extra-index-url", TORCH_CPU]


def install(extras: list[str]) -> None:
    target = str(ROOT) + (f"[{','.join(extras)}]" if extras else "")
    index = torch_index() if "test" in extras else []
    what = "Ave and what it needs" + (
        f", with the extras {', '.join(extras)} (some minutes: torch and JAX are large)" if extras else ""
    )
    say(f"[2/2] installing {what}")
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    quiet = [] if sys.stdout.isatty() else ["--progress-bar", "off"]
    done = subprocess.run([*pip, *quiet, *index, "--editable", target, "--editable", str(PYPTX)], cwd=ROOT)
    if done.returncode:
        fail("pip could not install the packages above; run the same command again once the cause is gone")


def main() -> None:
    parser = argparse.ArgumentParser(description="Sets up .venv with Ave in it.")
    parser.add_argument("--extra", action="append", default=[],
                        help="an extra of pyproject.toml, such as `test`; may be given again")
    options = parser.parse_args()
    if sys.version_info < (3, 11):  # the Python that starts this is whatever the machine has
        fail(
            f"Ave needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}; choose another: make "
            f"PYTHON=python3.11"
        )
    want = wanted(options.extra)
    if up_to_date(want):
        return
    start = time.perf_counter()
    if not usable(want):
        make_venv()
    had = stamped().get("extras")
    extras = sorted({*options.extra, *map(str, had if isinstance(had, list) else [])})
    STAMP.unlink(missing_ok=True)
    install(extras)
    STAMP.write_text(json.dumps({**want, "extras": extras}))
    say(f"ready after {time.perf_counter() - start:.0f} s\n")


if __name__ == "__main__":
    main()
