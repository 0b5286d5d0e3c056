"""A debugger's place in the reference executor: who watches is told of each op before it runs, of faults, and of waves
that end. Without one nothing is wrapped, and nothing is slower."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from avelang.ir.core import Op
from avelang.sim.address_space import AccessFault

if TYPE_CHECKING:
    from avelang.sim.barriers import Waiting
    from avelang.sim.reference_program import Env, ReferenceProgram, Step, Waits
    from avelang.sim.wave import ReferenceWave


class Watcher(Protocol):
    """A debugger. It may keep the wave waiting as long as it likes: nothing else runs meanwhile."""

    def before(self, p: ReferenceProgram, wave: ReferenceWave, op: Op, number: int) -> None:
        """An op is about to run in a wave; `number` is its place in the program's text."""
        ...

    def fault(self, p: ReferenceProgram, wave: ReferenceWave, op: Op, fault: AccessFault) -> None:
        """An op has met a fault, which becomes an error next."""
        ...

    def ended(self, wave: ReferenceWave) -> None:
        """A wave has run to its end."""
        ...


_watchers: list[Watcher] = []


def watcher() -> Watcher | None:
    """The debugger; None where there is none."""
    return _watchers[-1] if _watchers else None


@contextlib.contextmanager
def watched_by(who: Watcher) -> Iterator[None]:
    """Has `who` told of all programs that are made within."""
    _watchers.append(who)
    try:
        yield
    finally:
        _watchers.remove(who)


def wrapped(who: Watcher, p: ReferenceProgram, op: Op, made: Step | Waits, number: int) -> Step | Waits:
    """The step of an op, of which `who` is told; `number`: its place in the text."""
    p.stepped.append(op)
    run: Any = getattr(made, "run", None)
    if run is not None:

        def waits(wave: ReferenceWave, env: Env) -> Waiting:
            who.before(p, wave, op, number)
            yield from run(wave, env)

        return type(made)(waits)  # type: ignore[call-arg]

    def step(wave: ReferenceWave, env: Env) -> None:
        who.before(p, wave, op, number)
        try:
            made(wave, env)  # type: ignore[operator]
        except AccessFault as fault:
            who.fault(p, wave, op, fault)
            raise

    return step
