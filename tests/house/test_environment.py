"""Setting up: what `tools/environment.py` fetches is what it expects, it does nothing twice, and CI runs what a
newcomer runs."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pathlib

import pytest

import tools

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def environment(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("environment", ROOT / "tools" / "environment.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "stamp.json")
    return module


def serve(environment, monkeypatch, wheel: bytes) -> list[str]:
    """An index with one link, to a wheel with these bytes; returns the addresses that are asked for."""
    asked = []

    def fetch(url: str, timeout: float = 60) -> bytes:
        asked.append(url)
        return wheel if url.endswith(".whl") else f'<a href="../../files/{environment.PIP[0]}">pip</a>'.encode()

    monkeypatch.setattr(environment, "fetch", fetch)
    return asked


def test_pip_comes_from_the_index_and_is_checked(environment, monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/pypi/simple/")
    asked = serve(environment, monkeypatch, b"a wheel")
    monkeypatch.setattr(environment, "PIP", (environment.PIP[0], hashlib.sha256(b"a wheel").hexdigest()))
    path = pathlib.Path(environment.pip_wheel(str(tmp_path)))
    assert path.read_bytes() == b"a wheel" and path.name == environment.PIP[0]
    assert asked == ["https://index.example/pypi/simple/pip/", f"https://index.example/pypi/files/{environment.PIP[0]}"]


def test_another_wheel_is_refused(environment, monkeypatch, tmp_path):
    serve(environment, monkeypatch, b"something else")
    with pytest.raises(SystemExit, match="nothing of it was run"):
        environment.pip_wheel(str(tmp_path))
    assert list(tmp_path.glob("*.whl")) == []


def test_no_network_is_said_with_a_way_out(environment, monkeypatch, tmp_path):
    def fetch(url: str, timeout: float = 60) -> bytes:
        raise OSError("no route")

    monkeypatch.setattr(environment, "fetch", fetch)
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        environment.pip_wheel(str(tmp_path))
    assert environment.torch_index() == []


def test_up_to_date_means_the_same_python_project_place_and_extras(environment):
    want = environment.wanted([])
    assert not environment.up_to_date(want)
    (environment.VENV / "bin").mkdir(parents=True)
    (environment.VENV / "bin" / "ave").touch()
    environment.STAMP.write_text(json.dumps({**want, "extras": ["test"]}))
    assert environment.up_to_date(want) and environment.up_to_date(environment.wanted(["test"]))
    assert not environment.up_to_date(environment.wanted(["other"]))
    for key in ("python", "pyproject", "root"):
        environment.STAMP.write_text(json.dumps({**want, key: "another"}))
        assert not environment.up_to_date(want), key
    environment.STAMP.write_text("{damaged")
    assert not environment.up_to_date(want)


def test_ci_runs_the_second_command():
    script = (ROOT / ".ci" / "run").read_text()
    assert script.rstrip().endswith('\nmake test ALL="--rest --minutes 30"') and "set -euo pipefail" in script
    assert "make test" in (ROOT / "README.md").read_text()


def test_ci_runs_both_commands_on_a_bare_machine():
    assert (
        "\nbare\n" in (ROOT / ".ci" / "run").read_text()
        and "tools/bare_machine ||" in (ROOT / ".ci" / "run").read_text()
    )
    assert 'set -- "make" "make test"' in (ROOT / "tools" / "bare_machine").read_text()


def test_ci_installs_the_tools_that_tests_need():
    script = (ROOT / ".ci" / "run").read_text()
    assert all(f"missing+=({package}" in script for package in set(tools.PACKAGES.values()))
