"""The journal of a tuner: what is known of contenders comes in, a line each; after a kill, what was known goes out.

The file stands beside the table, with `.journal` behind its name. A line is JSON; a line that a kill has cut off is
left out. What is finished is in the table, and out of the journal."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
from typing import Any

from avelang.tuning.tables import Place, locked, writing


class Journal:
    """The lines of one kernel, device, key, space and text of the kernel (`problem`): contenders by the text of their
    choice, each with what became of it."""

    def __init__(self, table: Place | None, problem: str):
        self.file = None if table is None else pathlib.Path(f"{os.fspath(table)}.journal")
        self.problem = problem
        self.known: dict[str, tuple[str, str]] = {}
        for line in self._lines():
            if line["problem"] == problem:
                self.known[line["choice"]] = line["status"], line["why"]
        # As it was when this process began.
        self.found = dict(self.known)

    def _lines(self) -> list[dict[str, Any]]:
        if self.file is None:
            return []
        try:
            text = self.file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        found = []
        for line in text.splitlines():
            with contextlib.suppress(ValueError):
                x = json.loads(line)
                if isinstance(x, dict) and {"problem", "choice", "status", "why"} <= x.keys():
                    found.append(x)
        return found

    def note(self, choice: str, status: str, why: str = "") -> None:
        """Writes what became of a contender: it is on disk when this returns."""
        self.known[choice] = status, why
        if self.file is None:
            return
        line = json.dumps({"problem": self.problem, "choice": choice, "status": status, "why": why[:2000]})
        with locked(self.file):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with writing(self.file), open(self.file, "a+b") as out:
                # A kill may have cut the last line off.
                cut = out.seek(0, os.SEEK_END) and (out.seek(-1, os.SEEK_END), out.read(1))[1] != b"\n"
                out.write((b"\n" if cut else b"") + line.encode() + b"\n")
                out.flush()
                os.fsync(out.fileno())

    def close(self) -> None:
        """Takes what stands here of this problem out: its row is in the table."""
        if self.file is None or not self.file.exists():
            return
        with locked(self.file):
            rest = [json.dumps(line) for line in self._lines() if line["problem"] != self.problem]
            if not rest:
                self.file.unlink(missing_ok=True)
                return
            temporary = self.file.with_name(f".{self.file.name}.new")
            temporary.write_text("\n".join(rest) + "\n", encoding="utf-8")
            os.replace(temporary, self.file)
