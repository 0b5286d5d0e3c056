"""Launches come in; the specializations that they need go out, for a bundle."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from avelang.base import knobs
from avelang.frontend.source import FunctionSource, Jitted
from avelang.runtime.bundle import CPU, Specialization
from avelang.runtime.interception import CheckedLaunch, intercepting


class Recording:
    """The specializations of the launches so far, in `found`. With a `chip` other than "cpu", launches are for that
    chip and are not run: outputs stay as they are."""

    def __init__(self, chip: str | None):
        self.chip = chip
        self.found: list[Specialization] = []

    def intercept(self, launch: CheckedLaunch) -> bool:
        """Notes a launch; returns whether it is to run."""
        source, call = launch.launcher.source, launch.call
        chip = self.chip or launch.backend.bundled(call)
        if chip:
            if chip != CPU:
                call.params.narrow(call.bound)
            kept = {n: v for n, v in call.bound.options.items() if n not in ("backend", "stream")}
            if chip != CPU:
                kept.pop("target", None)
            spec = Specialization(_Source(source), call.at.block, dict(call.bound.constexprs), kept, (chip,))
            if not any(_alike(spec, other) for other in self.found):
                self.found.append(spec)
        return self.chip in (None, CPU)


class _Source(Jitted):
    """A kernel of which the source is all that is needed."""

    def __init__(self, source: FunctionSource):
        self.source = source


def _alike(a: Specialization, b: Specialization) -> bool:
    from avelang.runtime.keys import freeze

    def key(s: Specialization) -> tuple[object, ...]:
        values = tuple((n, freeze(v)) for n, v in (*s.constexprs.items(), *s.options.items()))
        return id(s.kernel.source), s.extents, s.chips, values

    return key(a) == key(b)


@contextlib.contextmanager
def recording(chip: str | None = None) -> Iterator[Recording]:
    """Notes the launches within. `chip`: as of `Recording`; None notes them for where they run."""
    found = Recording(chip)
    target = knobs.with_target(chip) if chip and chip != CPU else contextlib.nullcontext()
    with intercepting(found, everywhere=True), target:
        yield found
