"""A debugging session: it watches the reference executor, stops it at breakpoints, watched elements and steps, and
says where each wave is. Who talks to the user (`terminal.py`, `adapter.py`) is called at each stop, and says how to go
on."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from avelang.base.errors import OWN, SHIPPED
from avelang.base.spans import Span
from avelang.debugger.looking import Functions, PointerView, Spot, TensorView, Unset, brief, plain, read
from avelang.frontend.scopes import Recorder, Scope
from avelang.ir.core import Op
from avelang.ir.types import DType
from avelang.sim.address_space import AccessFault
from avelang.sim.fault_reports import report
from avelang.sim.reference_program import ReferenceProgram
from avelang.sim.wave import ReferenceWave

MODES = ("continue", "step", "next", "finish", "wave", "block", "lane")


@dataclasses.dataclass
class Breakpoint:
    """A place where waves stop, `line` of `file` or the first statement of `function`; `condition`: an expression that
    must hold in a lane."""

    number: int
    file: str = ""
    line: int = 0
    function: str = ""
    condition: str = ""
    once: bool = False
    hits: int = 0
    trouble: str = ""  # the condition's exception, told once

    def __str__(self) -> str:
        place = self.function or f"{os.path.basename(self.file)}:{self.line}"
        return f"breakpoint {self.number} at {place}{f' if {self.condition}' if self.condition else ''}"


@dataclasses.dataclass
class Watch:
    """An element of memory, which stops the executor when it changes."""

    number: int
    text: str
    spot: Spot
    space: str
    address: int
    dtype: DType
    value: Any


@dataclasses.dataclass
class Stop:
    """A place at which the executor has stopped, and why: before a statement, or at a fault (`op`)."""

    why: str  # "breakpoint", "step", "watch", "exception", "pause", "entry"
    text: str
    p: ReferenceProgram
    wave: ReferenceWave
    scope: Scope
    lane: int


Ask = Callable[[Stop], str]


@dataclasses.dataclass
class _Went:
    """What is known of a wave: the statement it is at, by statement the last op that it has done (`seen`) and the one
    at which it began, its program, and of each `for` in which it is the first op of a trip."""

    scope: Scope | None = None
    seen: dict[Scope, int] = dataclasses.field(default_factory=dict)
    begun: dict[Scope, int] = dataclasses.field(default_factory=dict)
    p: ReferenceProgram | None = None
    trips: dict[Scope, int | None] = dataclasses.field(default_factory=dict)


class Session:
    """One debugged run. `ask` is called at each stop and gives one of `MODES`, or "detach"."""

    def __init__(self, recorder: Recorder, ask: Ask, stop_first: bool = False):
        self.recorder, self.ask = recorder, ask
        self.breakpoints: list[Breakpoint] = []
        self.watches: list[Watch] = []
        self.mode = "step" if stop_first else "continue"
        self.own = False  # whether Ave's own device functions are stepped into
        self.paused = self.detached = False
        self.went: dict[ReferenceWave, _Went] = {}
        self._base: ReferenceWave | None = None  # where the last step began: its wave,
        self._depth, self._lane = 0, 0
        self._entry = stop_first
        self.stopped = 0  # how often it has
        self._lines: dict[tuple[int, ReferenceProgram], int] = {}
        self._count = 0
        self._wrote: tuple[Scope, ReferenceWave] | None = None  # whose op ran last

    # -- what the executor tells ----------------------------------------------------------------------------------

    def before(self, p: ReferenceProgram, wave: ReferenceWave, op: Op, number: int) -> None:
        """An op is about to run."""
        if self.detached:
            return
        scope = self._visible(self.recorder.of.get(op))
        if scope is None:
            return
        self._watched(p, wave, scope)
        went = self.went.setdefault(wave, _Went())
        self._trips(p, wave, went, op, scope, number)
        fresh = []
        for at in reversed(scope.chain()):
            # The innermost statement runs again where its ops do; one that calls, where the op at which it began does:
            # a loop in what it calls is not its own.
            past = went.begun.get(at, number)
            if number <= (max(past, went.seen.get(at, 0)) if at is scope else past):
                went.begun[at] = number
                fresh.append(at)
        went.seen[scope], went.p = number, p
        self._wrote = scope, wave
        for at in fresh:
            past = went.scope
            went.scope = at
            # Who comes back from what it called does not enter.
            calls = [(x.function, x.caller) for x in past.chain()] if past is not None else []
            self._statement(p, wave, at, (at.function, at.caller) not in calls)
        went.scope = scope
        if not fresh and self.mode == "finish" and wave is self._base and scope.depth < self._depth:
            self._stop(
                Stop("step", "", p, wave, scope, self._lane if wave.mask.active[self._lane] else wave.mask.first)
            )

    def _trips(self, p: ReferenceProgram, wave: ReferenceWave, went: _Went, op: Op, scope: Scope, number: int) -> None:
        """The line of a `for` is come to at each trip behind the first: ops of the body alone run again, so it is known
        by the first of them. Names are those at the beginning of the body: the counter is that of the new trip."""
        if op.name == "for":
            went.trips[scope] = None  # it begins: its first trip is the stop before the loop
            return
        for at in reversed(scope.chain()):
            loop = at.inside
            while loop is not None:
                if loop in went.trips:
                    first = went.trips[loop]
                    if first is None:
                        went.trips[loop] = number
                    elif number <= first:
                        self._statement(p, wave, dataclasses.replace(at, span=loop.span), False)
                loop = loop.inside

    def fault(self, p: ReferenceProgram, wave: ReferenceWave, op: Op, fault: AccessFault) -> None:
        """An op has met a fault: a last stop, at which everything can be looked at."""
        scope = self._visible(self.recorder.of.get(op))
        if not self.detached and scope is not None:
            self._stop(Stop("exception", str(report(p, wave, fault, op)), p, wave, scope, fault.lane))

    def ended(self, wave: ReferenceWave) -> None:
        """A wave has run to its end: a step that began in it goes on in whichever wave is next."""
        went = self.went.pop(wave, None)
        if went is not None and went.p is not None and went.scope is not None:
            self._watched(went.p, wave, went.scope)
        if wave is self._base:
            self._base = None

    def _visible(self, scope: Scope | None) -> Scope | None:
        """The innermost statement that is not one of Ave's own files."""
        while scope is not None and not self.own and scope.caller is not None and scope.span.file.startswith(
                (OWN, *SHIPPED)):  # fmt: skip
            scope = scope.caller
        return scope

    # -- where to stop --------------------------------------------------------------------------------------------

    def _statement(self, p: ReferenceProgram, wave: ReferenceWave, scope: Scope, entered: bool) -> None:
        lane = wave.mask.first
        if self.paused or self._entry:
            why, self.paused, self._entry = ("entry" if self._entry else "pause"), False, False
            self._stop(Stop(why, "", p, wave, scope, lane))
            return
        for point in self.breakpoints:
            hit = self._hit(point, p, wave, scope, entered)
            if hit is not None:
                point.hits += 1
                if point.once:
                    self.breakpoints.remove(point)
                self._stop(Stop("breakpoint", str(point), p, wave, scope, hit))
                return
        if self._stepped(wave, scope):
            self._stop(Stop("step", "", p, wave, scope, self._lane if wave.mask.active[self._lane] else lane))

    def _stepped(self, wave: ReferenceWave, scope: Scope) -> bool:
        same = self._base is None or wave is self._base
        if self.mode == "wave":
            return wave is not self._base
        if self.mode == "block":
            return self._base is None or wave.block is not self._base.block
        if self.mode == "lane":
            return same and bool(wave.mask.active[self._lane])
        depth = {"step": 1 << 30, "next": self._depth, "finish": self._depth - 1}.get(self.mode, -1)
        return same and (scope.depth <= depth or (self._base is None and depth >= 0))

    def _hit(self, point: Breakpoint, p: ReferenceProgram, wave: ReferenceWave, scope: Scope,
             entered: bool) -> int | None:  # fmt: skip
        """The lane in which a breakpoint is met; None where it is not."""
        if point.function:
            if not entered or scope.function.rpartition(".")[2] != point.function:
                return None
        elif not same_file(scope.span.file, point.file) or scope.span.line != self._line(point, p):
            return None
        if not point.condition:
            return wave.mask.first
        for lane in np.nonzero(wave.mask.active)[0].tolist():
            try:
                if evaluate(point.condition, names(Spot(p, wave, lane), scope)):
                    return lane
            except Exception as exc:  # whatever the user's expression raises
                point.trouble = point.trouble or f"{type(exc).__name__}: {exc}"
        return None

    def _line(self, point: Breakpoint, p: ReferenceProgram) -> int:
        """The line at which a breakpoint stops: the next one of its function where its own does nothing when the kernel
        runs (a comment, a value that is known beforehand)."""
        key = (point.number, p)
        if key not in self._lines:
            at = {s.span.line: s.function for op in p.stepped if (found := self.recorder.of.get(op)) is not None
                  for s in found.chain() if same_file(s.span.file, point.file)}  # fmt: skip
            before = max((n for n in at if n <= point.line), default=None)
            after = min((n for n in at if n >= point.line), default=None)
            moved = before is not None and after is not None and at[before] == at[after]
            self._lines[key] = after if moved and after is not None else point.line
        return self._lines[key]

    def _watched(self, p: ReferenceProgram, wave: ReferenceWave, scope: Scope) -> None:
        """Stops where a watched element is not what it was: the op before this one has changed it."""
        for watch in self.watches:
            value = read(watch.spot, watch.space, np.array([watch.address]), watch.dtype)[0]
            if value.tobytes() != watch.value.tobytes():
                old, watch.value = watch.value, value.copy()
                at, by = self._wrote or (scope, wave)
                text = (f"{watch.text}: {brief(old.item())} -> {brief(value.item())}, by {at.span.where()}, wave "
                        f"{by.shape.index} of block {by.block.index}")  # fmt: skip
                self._stop(Stop("watch", text, p, wave, scope, wave.mask.first))

    def stop_at_entry(self, wanted: bool) -> None:
        """Has the first statement of the first kernel stop, or not."""
        self._entry = wanted

    def _stop(self, stop: Stop) -> None:
        self.stopped += 1
        self.mode = self.ask(stop)
        if self.mode == "detach":
            self.detached = True
            return
        self._base, self._depth = stop.wave, stop.scope.depth
        self._lane = stop.lane

    # -- what users ask -------------------------------------------------------------------------------------------

    def add(self, file: str = "", line: int = 0, function: str = "", condition: str = "",
            once: bool = False) -> Breakpoint:  # fmt: skip
        """A new breakpoint. Raises SyntaxError for a condition that is no expression, ValueError for a function that is
        no name."""
        if not line and not all(part.isidentifier() for part in function.split(".")):
            raise ValueError(f"{function!r} is none of LINE, FILE:LINE and FUNCTION")
        if condition:
            compile(condition, "<condition>", "eval")
        self._count += 1
        self.breakpoints.append(Breakpoint(self._count, file, line, function, condition, once))
        return self.breakpoints[-1]

    def watch(self, text: str, stop: Stop) -> Watch:
        """Watches an element, such as `y[3]`. Raises what the expression raises, ValueError for what is no element."""
        base, bracket, rest = text.strip().rpartition("[")
        known = names(Spot(stop.p, stop.wave, stop.lane), stop.scope)
        tensor = evaluate(base, known) if bracket else None
        if not isinstance(tensor, (TensorView, PointerView)):
            raise ValueError(f"{text!r} is no element of a tensor, such as y[3]")
        index = evaluate(f"({rest.rstrip()[:-1]},)", known)
        tensor[index]
        self._count += 1
        at = tensor.place(index)
        found = read(tensor.spot, tensor.type.space, np.array([at]), tensor.type.dtype)[0].copy()
        self.watches.append(Watch(self._count, text.strip(), tensor.spot, tensor.type.space, at, tensor.type.dtype,
                                  found))  # fmt: skip
        return self.watches[-1]

    def remove(self, number: int) -> bool:
        """Takes a breakpoint or a watch away; says whether there was one."""
        before = len(self.breakpoints) + len(self.watches)
        self.breakpoints = [b for b in self.breakpoints if b.number != number]
        self.watches = [w for w in self.watches if w.number != number]
        return before > len(self.breakpoints) + len(self.watches)

    def frames(self, stop: Stop) -> list[Scope]:
        """The statement and those that called it, without Ave's own files."""
        return [s for s in stop.scope.chain() if self._visible(s) is s]


def same_file(a: str, b: str) -> bool:
    """True where two names mean one file; a bare name means any folder."""
    return os.path.basename(a) == b if os.sep not in b else os.path.realpath(a) == os.path.realpath(b)


def names(spot: Spot, scope: Scope) -> dict[str, Any]:
    """The names of an expression at a stop: the names of the function, in one lane, and `thread`, `block`, `lane`,
    `wave`."""
    out: dict[str, Any] = {
        "thread": tuple(int(t[spot.lane]) for t in spot.wave.shape.threads), "block": spot.wave.block.index,
        "lane": spot.lane, "wave": spot.wave.shape.index,
    }  # fmt: skip
    for name, held in scope.names.items():
        value = spot.shown(held)
        if not isinstance(value, Unset):
            out[name] = value
    return out


SAFE = {f.__name__: f for f in (abs, all, any, bool, bin, float, hex, int, len, max, min, range, round, sum, tuple)}


FUNCTIONS = {name: Functions(name) for name in ("al", "tile")}


def evaluate(text: str, known: dict[str, Any]) -> Any:
    """The value of an expression over these names, `np`, and functions of `tile` and `al`. Raises what it raises."""
    if not text.strip():
        raise ValueError("an expression is missing, such as a name")
    given = {"__builtins__": SAFE, "np": np, **FUNCTIONS}
    return plain(eval(compile(text.strip(), "<debugger>", "eval"), given, known))


def place(span: Span) -> str:
    """File and line, the file's folder left out."""
    return f"{os.path.basename(span.file)}:{span.line}"


def lanes_of(wave: ReferenceWave) -> str:
    """The active lanes, as ranges: "0-3,8"."""
    on = np.nonzero(wave.mask.active)[0].tolist()
    runs: list[list[int]] = []
    for n in on:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
