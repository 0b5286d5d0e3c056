"""A tuned function and arguments come in; the fastest choice that is right goes out, and into a table.

The steps, in order: the space's choices; those that the model thinks well of; compiled ahead, several at a time; those
that spill registers are left out; each is run on poisoned outputs and held against the reference; the rest race."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import avelang.tuning.provenance as provenance
import avelang.tuning.tables as tables
from avelang.base.errors import AveError, error
from avelang.base.places import here
from avelang.base.takes import placed
from avelang.runtime import ahead
from avelang.tuning.journal import Journal
from avelang.tuning.progress import Progress, progress
from avelang.tuning.race import Clock, RaceResult, race
from avelang.tuning.space import Choice
from avelang.tuning.timers import clock_for
from avelang.tuning.trial import Trial, refuse
from avelang.tuning.workers import CompileWorkers, Outcome

if TYPE_CHECKING:
    from avelang.tuning.tuned import Tuned

GOOD = "good"
RUNNING = "running"
BUILD, COMPILE = 0.6, 0.75  # parts of the seconds after which no choice is begun, and none is waited for
FAULTS = ("L033", "D035")  # after these a GPU is of no use to its process


@dataclasses.dataclass(frozen=True)
class Settings:
    """The options of tuning. `table`: a file, None for the default one, False for none. `seconds`: for all of it; a
    race that is not decided then ends. `workers`: processes that compile (0: none, all is compiled here). `within`,
    `risk`, `rounds`: of the race. `spills`: bytes of registers that code may spill and reload; where all spill, none is
    left out for it. `clock`: another than that of the device. `seed`: of inputs and of the order. `progress`: a bar;
    None: on a terminal. `force`: measure although the table has a row of this kernel's text. `slack`: choices that the
    model gives over so many times its best are left out. `compilers`: what compiles, in the place of processes of this
    machine."""

    table: tables.Place | bool | None = None
    seconds: float = 600.0
    workers: int | None = None
    within: float = 0.01
    risk: float = 0.05
    rounds: int = 64
    spills: int = 0
    clock: Clock | None = None
    seed: int = 0
    progress: bool | Progress | None = None
    force: bool = True
    slack: float = 2.0
    compilers: Any = None

    def __post_init__(self) -> None:
        """Raises L066 for a value that the setting does not take."""
        whole = {"rounds": 1, "spills": 0, **({"workers": 0} if self.workers is not None else {})}
        for name, least in whole.items():
            if not isinstance(getattr(self, name), int) or getattr(self, name) < least:
                raise self._wrong(name, f"an int from {least} on")
        for name, low, high in (("seconds", 0, math.inf), ("slack", 0, math.inf), ("risk", 0, 1)):
            x = getattr(self, name)
            if not isinstance(x, (int, float)) or not low < x < high:
                raise self._wrong(name, f"a number over {low}" + (f" and below {high}" if high < math.inf else ""))
        if not isinstance(self.within, (int, float)) or not self.within >= 0:
            raise self._wrong("within", "a number from 0 on, such as 0.01")
        if not isinstance(self.seed, int):
            raise self._wrong("seed", "an int")
        if self.clock is not None and not (hasattr(self.clock, "name") and hasattr(self.clock, "seconds")):
            raise self._wrong("clock", "an object with a name and a method seconds(calls)")

    def _wrong(self, name: str, what: str) -> Exception:
        return error("L066", here(), function="tune", why=f"{name} must be {what}, not {getattr(self, name)!r}")

    @classmethod
    def names(cls) -> frozenset[str]:
        """Names of the settings, without the table's."""
        return frozenset(field.name for field in dataclasses.fields(cls)) - {"table"}

    @property
    def file(self) -> str | None:
        """The file of the table; None for none. Raises D041 where this process is pinned to a table."""
        if self.table is False:
            return None
        return tables.default() if self.table in (None, True) else os.fspath(self.table)  # type: ignore[arg-type]


class Verdict(NamedTuple):
    """The end of a choice: "won", "next", "behind", "wrong", "failed", "spills", "unlikely" (by the model), "late"
    (not compiled in time), or "known" (out of the table); `why`, and its median microseconds where it was timed."""

    status: str
    why: str = ""
    us: float | None = None


class TuneResult(NamedTuple):
    """The result of tuning one key: the `choice`, the `row` of the table, the `verdicts` by the text of each choice,
    the `race` (None where the table knew), and the seconds that all of it took."""

    choice: Choice
    row: tables.Row
    verdicts: Mapping[str, Verdict]
    race: RaceResult | None
    seconds: float

    @property
    def rejected(self) -> dict[str, Verdict]:
        """The choices that were wrong or that failed."""
        return {text: v for text, v in self.verdicts.items() if v.status in ("wrong", "failed")}


@placed
def tune_call(tuned: Tuned, args: Sequence[Any], kwargs: Mapping[str, Any], settings: Settings) -> TuneResult:
    """Tunes one call; see `Tuned.tune`."""
    session = Session(tuned, args, kwargs, settings)
    try:
        return session.result()
    finally:
        session.progress.close()


class Session:
    """The tuning of one call."""

    def __init__(self, tuned: Tuned, args: Sequence[Any], kwargs: Mapping[str, Any], settings: Settings):
        self.tuned, self.settings, self.start = tuned, settings, time.monotonic()
        self.file = settings.file
        named = tuned.bind(args, kwargs)
        self.choices = tuned.space.choices(named)
        if not self.choices:
            raise refuse(tuned, "its constraints let no choice through for these arguments")
        self.key, self.place = tuned.key_of(named), tuned.device_of(named)
        self.device = provenance.device_name(self.place)
        self.verdicts: dict[str, Verdict] = {}
        self.progress = progress(settings.progress, f"{tuned.name} {self.key}")
        self.args, self.kwargs, self.named = args, kwargs, named

    def result(self) -> TuneResult:
        """All steps."""
        known = self._known()
        if known is not None:
            return known
        self.journal = Journal(self.file, self._problem())
        self.trial = Trial(self.tuned, self.args, self.kwargs, self.settings.seed)
        left = self._compiled(self._modeled(self._unfailed(self.choices)))
        left = self._right(self._unspilled(left))
        done = self._race(left)
        row = self._row(done)
        if self.file is not None:
            tables.record(self.file, [row])
        self.journal.close()
        return TuneResult(done.winner, row, self.verdicts, done, time.monotonic() - self.start)

    # -- what is known ---

    def _known(self) -> TuneResult | None:
        """The row of the table, where it is of this text of the kernel and one need not measure again."""
        if self.settings.force or self.file is None:
            return None
        row = tables.read(self.file).rows.get((self.tuned.name, self.device, self.key))
        choice = self.tuned.space.admits(row.choice, self.named) if row is not None else None
        if row is None or choice is None or row.source != self.tuned.digest:
            return None
        return TuneResult(choice, row, {row.choice: Verdict("known", "", row.us)}, None, time.monotonic() - self.start)

    def _problem(self) -> str:
        space = hashlib.sha256("\n".join(c.text for c in self.choices).encode()).hexdigest()[:12]
        return f"{self.tuned.name} | {self.device} | {self.key} | {self.tuned.digest} | {space}"

    def _unfailed(self, choices: list[Choice]) -> list[Choice]:
        """Without those of which the journal of a tuner that was killed says that they are wrong, or that they end the
        process."""
        left = []
        for choice in choices:
            status, why = self.journal.known.get(choice.text, ("", ""))
            if status in ("wrong", "failed", "spills"):
                self.verdicts[choice.text] = Verdict(status, why)
            elif status == RUNNING and why == "again":
                self._out(choice, "failed", "the process ended twice while it ran")
            else:
                left.append(choice)
        return left

    def _out(self, choice: Choice, status: str, why: str) -> None:
        self.verdicts[choice.text] = Verdict(status, why)
        if status in ("wrong", "failed", "spills"):
            self.journal.note(choice.text, status, why)

    # -- before anything runs ---

    def _modeled(self, choices: list[Choice]) -> list[Choice]:
        """Those that the model thinks best of, the best first; the default always stays."""
        if "model" not in self.tuned.roles:
            most = max(1, self.tuned.most)
            if len(choices) <= most:
                return choices
            kept = random.Random(self.settings.seed).sample(range(len(choices)), most)
            default = self.tuned.default(self.named).text
            for i, choice in enumerate(choices):
                if i not in kept and choice.text != default:
                    self._out(choice, "unlikely", f"{most} of {len(choices)} were drawn: there is no model")
            return [c for c in choices if c.text not in self.verdicts]
        times = {c.text: self.tuned.modeled(c, self.named) for c in choices}
        ranked = sorted(choices, key=lambda c: times[c.text])
        best = times[ranked[0].text]
        default = self.tuned.default(self.named).text
        left = []
        for i, choice in enumerate(ranked):
            t = times[choice.text]
            fits = i < self.tuned.most and t < float("inf") and (best <= 0 or t <= best * self.settings.slack)
            if fits or choice.text == default:
                left.append(choice)
            else:
                self._out(choice, "unlikely", f"the model says {t:.4g}, its best {best:.4g}")
        return left

    def _compiled(self, choices: list[Choice]) -> list[tuple[Choice, list[ahead.Pending]]]:
        """Those that compile, each with its launches; the compilation of each choice's kernels is left to workers."""
        found: dict[str, tuple[Choice, list[ahead.Pending]]] = {}
        failed: dict[str, str] = {}
        self.progress.phase("compiling", len(choices))
        count = self.settings.workers
        with self.settings.compilers or CompileWorkers(count) as workers:
            seen: dict[int, Any] = {}
            for choice in choices:
                if found and self._spent() > BUILD:
                    self._out(choice, "late", "not built in time")
                    continue
                pending, why = self._collected(choice)
                if why:
                    failed[choice.text] = why
                    continue
                found[choice.text] = choice, pending
                for p in pending if count != 0 else ():
                    self._submit(workers, p, choice, failed, seen)
                self.progress.step(choice.text)
            workers.wait(max(1.0, (COMPILE - self._spent()) * self.settings.seconds))
        for text, why in failed.items():
            self._out(next(c for c in choices if c.text == text), "failed", why)
        left = []
        for text, (choice, pending) in found.items():
            if text in failed:
                continue
            if count != 0 and any(p.job is not None and p.meta is None for p in pending):
                self._out(choice, "late", "not compiled in time")
            else:
                left.append((choice, pending))
        if not left:
            raise refuse(self.tuned, f"none can be compiled: {self._reasons()}")
        return left

    def _spent(self) -> float:
        """The part of the seconds that is gone."""
        return (time.monotonic() - self.start) / self.settings.seconds

    def _submit(self, workers: Any, p: ahead.Pending, choice: Choice, failed: dict[str, str],
                seen: dict[int, Any]) -> None:  # fmt: skip
        if p.job is None or id(p) in seen:
            return
        seen[id(p)] = p

        def done(outcome: Outcome) -> None:
            if outcome.made is not None:
                p.adopt(*outcome.made)
            elif getattr(outcome.failed, "code", "") in ("D020", "D042"):
                p.job = None  # it is compiled here, when it first runs
            else:
                failed[choice.text] = _said(outcome.failed)

        workers.submit(p.job, done)

    def _collected(self, choice: Choice) -> tuple[list[ahead.Pending], str]:
        """The launches of a choice, not run, and why there can be none."""
        self._begins(choice)
        with ahead.collected() as pending:
            try:
                self.trial.run(choice)
            except AveError as e:
                return pending, _said(e)
            except Exception:  # a function that looks at results that are not there yet
                pass
        self.journal.note(choice.text, GOOD)
        for p in pending:
            if self.tuned.kernel is not None and p.launcher is self.tuned.kernel._launcher:
                self.trial.writes(p.writes)
        return pending, ""

    def _unspilled(self, choices: list[tuple[Choice, list[ahead.Pending]]]) -> list[Choice]:
        """Without those whose code spills registers, as long as another does not."""
        spilled = {c.text: max((spilled_bytes(p.meta or {}) for p in pending), default=0) for c, pending in choices}
        most = self.settings.spills
        if all(bytes_ > most for bytes_ in spilled.values()):
            return [c for c, _ in choices]
        left = []
        for choice, _ in choices:
            if spilled[choice.text] > most:
                self._out(choice, "spills", f"{spilled[choice.text]} bytes of registers are stored and loaded")
            else:
                left.append(choice)
        return left

    # -- what runs ---

    def _right(self, choices: list[Choice]) -> list[Choice]:
        """Those whose results are right."""
        self.progress.phase("checking", len(choices))
        default = self.tuned.default(self.named).text
        ordered = sorted(choices, key=lambda c: c.text != default)
        left = []
        for choice in ordered:
            why, status = self._tried(choice)
            if why:
                self._out(choice, status, why)
            else:
                left.append(choice)
            self.progress.step(choice.text)
        if not left:
            hint = "is an output read as well? name it in inout=" if "NaN" in self._reasons() else ""
            raise refuse(self.tuned, f"none is right: {self._reasons()}", hint)
        return left

    def _begins(self, choice: Choice) -> None:
        """Notes that a choice runs: the process may end by it, once and once again."""
        again = self.journal.found.get(choice.text, ("", ""))[0] == RUNNING
        self.journal.note(choice.text, RUNNING, "again" if again else "")

    def _tried(self, choice: Choice) -> tuple[str, str]:
        """Why a choice is no contender, and the word for it."""
        self._begins(choice)
        try:
            if self.trial.want is None:
                self.trial.expect(choice)
            why = self.trial.wrong(choice)
        except AveError as e:
            if e.code in ("L073", "L072"):
                raise
            if e.code in FAULTS and self.place != "cpu":
                self._out(choice, "failed", _said(e))
                hint = "start it again: the journal knows this choice, and leaves it out"
                why = f"{choice.text} has faulted, and the process can use {self.place} no more: {_said(e)}"
                raise error("L073", self.tuned.span, hint, name=self.tuned.name, why=why) from None
            return _said(e), "failed"
        except Exception as e:
            if self.trial.want is None and "reference" in self.tuned.roles:
                raise
            return f"{type(e).__name__}: {e}", "failed"
        self.journal.note(choice.text, GOOD)
        return why, "wrong"

    def _race(self, choices: list[Choice]) -> RaceResult:
        contenders = {choice.text: self._call(choice) for choice in choices}
        by_text = {choice.text: choice for choice in choices}
        s = self.settings
        self.progress.phase("racing", s.rounds)
        clock = s.clock if s.clock is not None else clock_for(self.place, self.trial.torch)
        self.clock = clock.name
        done = race(contenders, clock, within=s.within, risk=s.risk, most=s.rounds, until=self.start + s.seconds,
                    rng=random.Random(s.seed), told=lambda n, left: self.progress.at(n, f"{left} left"))
        for text, standing in done.standings.items():
            status = "won" if text == done.winner else "next" if text == done.runner_up else "behind"
            self.verdicts[text] = Verdict(status, standing.dropped, standing.median * 1e6)
        standings = {by_text[text].text: x for text, x in done.standings.items()}
        return done._replace(winner=by_text[done.winner], standings=standings,
                             runner_up=by_text[done.runner_up] if done.runner_up is not None else None)

    def _call(self, choice: Choice) -> Any:
        """The call that is timed: as a user's, with the geometry known."""
        tuned, trial = self.tuned, self.trial
        at = tuned.at(choice, trial.named) if tuned.kernel is not None else None
        args, kwargs = tuple(trial.named.values()), trial.options
        return Contender(tuned, choice, at, args, kwargs)

    # -- what is kept ---

    def _row(self, done: RaceResult) -> tables.Row:
        best = done.standings[done.winner.text]
        second = done.standings[done.runner_up.text] if done.runner_up is not None else None
        return tables.Row(
            self.tuned.name, self.device, self.key, done.winner.text, us=best.median * 1e6, spread=best.spread * 100,
            next=done.runner_up.text if done.runner_up is not None else "-",
            next_us=second.median * 1e6 if second is not None else 0.0,
            tried=f"{len(done.standings)}/{len(self.choices)}",
            rejected=sum(v.status in ("wrong", "failed") for v in self.verdicts.values()),
            rounds=f"{done.rounds}{'' if done.decided else '?'}", judge=self.trial.judge, clock=self.clock,
            source=self.tuned.digest, driver=provenance.driver(self.place), clocks=provenance.clocks(self.place),
            versions=provenance.versions(self.place), when=provenance.now(),
        )  # fmt: skip

    def _reasons(self) -> str:
        found = dict.fromkeys(v.why for v in self.verdicts.values() if v.status not in ("unlikely",))
        return "; ".join(list(found)[:3]) or "nothing was left to try"


class Contender:
    """A call with a choice, ready to be timed. `choice` tells clocks of tests which it is."""

    __slots__ = ("args", "at", "choice", "kwargs", "tuned")

    def __init__(self, tuned: Tuned, choice: Choice, at: Any, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.tuned, self.choice, self.at, self.args, self.kwargs = tuned, choice, at, args, kwargs

    def __call__(self) -> Any:
        return self.tuned._run(self.choice, self.at, self.args, self.kwargs)


def spilled_bytes(meta: Mapping[str, Any]) -> int:
    """Bytes that code stores and loads around registers, by what is known of it."""
    return sum(meta.get("spills", ())) + 4 * int(meta.get("vgpr_spills", 0))


def _said(e: Any) -> str:
    if isinstance(e, AveError):
        at = f" ({e.span.where()})" if e.span is not None else ""
        return f"[{e.code}] {e.message}{at}"
    return f"{type(e).__name__}: {e}"
