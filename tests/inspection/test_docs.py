"""The commands of docs/inspect.md do what the page says."""

from __future__ import annotations

import json
import re
import shlex

from docs.pages import ROOT, programs

PAGE = ROOT / "docs" / "inspect.md"


def test_the_pages_commands(ave, tmp_path, monkeypatch):
    for name in ("AVE_BACKEND", "AVE_CHECK"):
        monkeypatch.setenv(name, "")  # and put back behind the test
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    (tmp_path / "gemv.py").write_text("".join(b.code for b in programs(text)["gemv.py"]))
    commands = [line.strip() for line in text.splitlines() if line.startswith("    ave ")]
    assert len(commands) >= 10
    for command in commands:
        _, *words = shlex.split(command, comments=True)
        result = ave(*words)
        assert result.exit_code == 0, (command, result.stdout, result.stderr)
        if words[0] == "inspect" and "--json" not in words:
            file = re.match(r"(\S+\.html): ", result.stdout)
            assert file and (tmp_path / file[1]).stat().st_size > 20_000, (command, result.stdout)
        elif words[0] == "inspect":
            found = json.loads(result.stdout)
            # Rows of A lie n elements apart, which the kernel alone does not say; S is read by all lanes at once.
            assert found["kernel"] == "gemv" and {r["factor"] for r in found["accesses"]["rows"] if r["space"] == "shared"} == {1.0}
        elif words[0] == "trace":
            assert "gemv; " in result.stdout, (command, result.stdout)
        else:
            assert "no race was found" in result.stdout
