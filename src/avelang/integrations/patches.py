"""Changes to a model that can be taken back: `Patch`."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any


class Patch:
    """The changes to a model. `replaced`: how many modules of each part compute by Ave; `kept`: the reason for each
    part that does not. `undo()` takes them back; so does the end of `with patch(model):`."""

    def __init__(self, model: Any):
        self.model = model
        self.replaced: dict[str, int] = {}
        self.kept: dict[str, str] = {}
        self._undo: list[Callable[[], None]] = []

    def undo(self) -> None:
        """Makes the model what it was before. A second time does nothing."""
        while self._undo:
            self._undo.pop()()

    def forward(self, part: str, module: Any, function: Callable[..., Any]) -> None:
        """Replaces the forward of one module."""
        before = module.__dict__.get("forward")
        module.forward = types.MethodType(function, module)
        self.replaced[part] = self.replaced.get(part, 0) + 1

        def back() -> None:
            if before is None:
                module.__dict__.pop("forward", None)
            else:
                module.forward = before

        self._undo.append(back)

    def later(self, part: str, count: int, undo: Callable[[], None]) -> None:
        """Notes a change, and what takes it back."""
        self.replaced[part] = self.replaced.get(part, 0) + count
        self._undo.append(undo)

    def undoing(self, undo: Callable[[], None]) -> None:
        """Notes what takes back something that belongs to another change."""
        self._undo.append(undo)

    def adopt(self, other: Patch) -> None:
        """Takes over another patch of the model, which is undone with this one."""
        self.replaced.update(other.replaced)
        self.kept.update(other.kept)
        self._undo.append(other.undo)

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *_: Any) -> None:
        self.undo()

    def __str__(self) -> str:
        done = [f"{part}: {n} by Ave" for part, n in self.replaced.items()]
        return "\n".join([*done, *(f"{part}: kept, {why}" for part, why in self.kept.items())])

    def __repr__(self) -> str:
        return f"<patch of {type(self.model).__name__}: {', '.join(self.replaced) or 'nothing'}>"


def ours(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a forward as one of Ave's."""
    function._of_avelang = True  # type: ignore[attr-defined]
    return function
