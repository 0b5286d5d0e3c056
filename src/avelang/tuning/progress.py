"""How far a tuner is comes in; a progress bar, or nothing, goes out."""

from __future__ import annotations

import sys
from typing import Any


class Progress:
    """Says nothing. `phase(words, total)` begins a part, `step(words)` is one thing done of it."""

    def phase(self, words: str, total: int) -> None:
        """Begins a part of so many steps."""

    def step(self, words: str = "") -> None:
        """Counts a step; `words` stand behind the bar."""

    def at(self, done: int, words: str = "") -> None:
        """Says how many steps are done."""

    def close(self) -> None:
        """Takes the bar away."""


class Bar(Progress):
    """A bar on standard error, by rich: what is tuned, the part, how far it is, seconds."""

    def __init__(self, title: str):
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Rich

        columns: list[Any] = [TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn(),
                              TimeElapsedColumn(), TextColumn("{task.fields[words]}")]
        self.title = title
        self._bar = Rich(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(title, total=1, words="")
        self._bar.start()

    def phase(self, words: str, total: int) -> None:
        """Begins a part of so many steps."""
        self._bar.reset(self._task, total=max(1, total), description=f"{self.title}: {words}", words="")

    def step(self, words: str = "") -> None:
        """Counts a step; `words` stand behind the bar."""
        self._bar.update(self._task, advance=1, words=words)

    def at(self, done: int, words: str = "") -> None:
        """Says how many steps are done."""
        self._bar.update(self._task, completed=done, words=words)

    def close(self) -> None:
        """Takes the bar away."""
        self._bar.stop()


def progress(wanted: bool | Progress | None, title: str) -> Progress:
    """A bar where it is wanted, or, for None, where standard error is a terminal."""
    if isinstance(wanted, Progress):
        return wanted
    shown = sys.stderr.isatty() if wanted is None else wanted
    return Bar(title) if shown else Progress()
