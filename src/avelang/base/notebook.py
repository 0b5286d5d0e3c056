"""Objects that draw themselves in notebooks: IPython and Jupyter ask `_repr_html_`, and show the text where it gives
None.

What draws lies above all that is drawn (`inspection.notebook`), so it is found by its name, when a notebook asks."""

from __future__ import annotations

import importlib

DRAWS = "avelang.inspection.notebook"


def html_of(thing: object) -> str | None:
    """HTML of an object; None where it has no picture, so that its text is shown."""
    try:
        return importlib.import_module(DRAWS).html_of(thing)
    except Exception:  # a notebook shows what it is given: a picture that fails must not hide the object
        return None


class DrawnInNotebooks:
    """A mixin for what has a picture."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_of(self)
