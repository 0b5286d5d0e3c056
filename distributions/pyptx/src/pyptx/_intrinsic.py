"""`@intrinsic`: a function whose instructions stand between two comments with its name in the text of a kernel."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from avelang.ptx.trace import opened
from pyptx._registers import Reg
from pyptx._trace import TraceContext

F = TypeVar("F", bound=Callable[..., Any])
_MOST = 40  # characters of an argument


def _shown(value: Any) -> str:
    text = value.name if isinstance(value, Reg) else repr(value)
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def intrinsic(fn: F) -> F:
    """Marks what a function writes: `// BEGIN name(arguments)` and `// END name` stand around its instructions. It
    nests; outside of a kernel it is the plain function."""

    @functools.wraps(fn)
    def marked(*args: Any, **kwargs: Any) -> Any:
        trace = opened()
        if not isinstance(trace, TraceContext):
            return fn(*args, **kwargs)
        said = ", ".join([*map(_shown, args), *(f"{k}={_shown(v)}" for k, v in kwargs.items())])
        trace.comment(f"BEGIN {fn.__name__}({said})")
        try:
            return fn(*args, **kwargs)
        finally:
            trace.comment(f"END {fn.__name__}")

    marked.__is_ptx_intrinsic__ = True  # type: ignore[attr-defined]
    return marked  # type: ignore[return-value]
