"""A judge of kernels: a candidate, a reference and a drawer of inputs come in; whether the candidate compiles, is right
on what is drawn, races, reads what nothing wrote, leaves its arrays, and how fast it is, go out.

def draw(rng):                                        # inputs by name, and room for outputs
    n = int(rng.integers(1, 3000))
    return {"x": rng.standard_normal(n, np.float32), "y": np.empty(n, np.float32)}

verdict = avelang.judge(candidate, lambda x: x * 2, draw, outputs=("y",))
print(verdict)                                        # and verdict.as_dict() for programs"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import math
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.base.places import argument_error
from avelang.bridge.overlaps import shared
from avelang.tuning import trial_arrays
from avelang.tuning.race import race
from avelang.tuning.timers import clock_for

Draw = Callable[[np.random.Generator], Mapping[str, Any]]
COMPILING = "STUV"  # first letters of codes of a kernel that does not compile
CODES = {"X001": "out of bounds", "X002": "out of bounds", "X004": "out of bounds", "X005": "out of bounds",
         "X003": "uninitialized", "X010": "race", "X006": "race", "X040": "race", "X041": "race", "X042": "race",
         "X043": "race", "X014": "race", "X011": "hang"}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Fault:
    """One thing that is wrong. `kind`: "compile", "launch", "wrong", "unwritten", "input changed", "returns an input",
    "no kernel", "out of bounds", "uninitialized", "race", "hang", "error" or "reference"; `text` says it; `case` are
    the shapes that were drawn; `seed` draws them again; `error` is `AveError.as_dict()` where there was one."""

    kind: str
    text: str
    case: str = ""
    seed: int | None = None
    error: dict[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" + (f" ({self.case}; seed {self.seed})" if self.case else "")


@dataclasses.dataclass(frozen=True)
class Speed:
    """Medians of seconds of candidate and baseline, run turn by turn on the same drawn inputs, and who held the clock.
    `speedup` is baseline / candidate; `decided`: the order is no accident of the clock (risk 5 %)."""

    candidate: float
    baseline: float
    speedup: float
    rounds: int
    decided: bool
    clock: str
    case: str


@dataclasses.dataclass(frozen=True)
class Judgment:
    """A verdict. `compiled`; `correct` of `tried` drawn cases were right; `checked` cases ran on the reference executor
    under `checks`; `faults`: what is wrong, the first of each kind and case; `speed`: None where something is wrong, or
    where it was not asked for; `kernels` that ran; `seed`: of the whole."""

    compiled: bool
    correct: int
    tried: int
    checked: int
    checks: tuple[str, ...]
    faults: tuple[Fault, ...]
    kernels: tuple[str, ...]
    speed: Speed | None
    seed: int

    @property
    def passed(self) -> bool:
        """True where nothing is wrong."""
        return not self.faults

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain values for JSON, with `passed`."""
        return {"passed": self.passed, **dataclasses.asdict(self)}

    def __str__(self) -> str:
        lines = [f"{'passed' if self.passed else 'FAILED'}: {self.correct} of {self.tried} drawn cases right, "
                 f"{self.checked} checked for {', '.join(self.checks) or 'nothing'} (seed {self.seed})"]  # fmt: skip
        lines += [f"  {fault}" for fault in self.faults]
        if self.speed is not None:
            s = self.speed
            lines.append(f"  {s.candidate * 1e6:.1f} us; the baseline {s.baseline * 1e6:.1f} us: {s.speedup:.2f} times "
                         f"as fast ({s.clock}, {s.rounds} rounds, {s.case})")  # fmt: skip
        return "\n".join(lines)


class _Case:
    """One drawn call: the arguments, in arrays that stay the same when they are drawn anew."""

    def __init__(self, task: _Task, seed: int):
        self.task, self.seed = task, seed
        given = task.draw(np.random.default_rng(seed))
        if not isinstance(given, Mapping) or not given:
            raise argument_error("draw(rng) must give the arguments by name, as a dict")
        if missing := [name for name in (*task.outputs, *task.inout) if name not in given]:
            raise argument_error(f"draw(rng) gives no argument {missing[0]!r}, which outputs or inout names")
        self.given = dict(given)
        self.inputs = {n: x for n, x in self.given.items() if n not in task.outputs}
        self.args = {n: trial_arrays.copy(x) if trial_arrays.is_array(x) else x for n, x in self.given.items()}
        self.want = task.wanted(self)

    @property
    def words(self) -> str:
        """The shapes and numbers, in words."""
        said = [f"{n} {tuple(x.shape)}" if trial_arrays.is_array(x) else f"{n}={x!r}" for n, x in self.given.items()]
        return ", ".join(said)

    @property
    def size(self) -> int:
        """Elements of all arrays."""
        return sum(math.prod(x.shape) for x in self.given.values() if trial_arrays.is_array(x))

    def fill(self, byte: int) -> None:
        """Puts the inputs back, and poison into the outputs."""
        for name, x in self.args.items():
            if name in self.task.outputs:
                trial_arrays.poison(x, byte)
            elif trial_arrays.is_array(x):
                trial_arrays.assign(x, self.given[name])


@dataclasses.dataclass
class _Task:
    """The question: what is judged, by what, on what."""

    candidate: Callable[..., Any]
    reference: Callable[..., Any]
    draw: Draw
    outputs: tuple[str, ...]
    inout: tuple[str, ...]
    tolerance: float | None
    faults: list[Fault] = dataclasses.field(default_factory=list)

    def wanted(self, case: _Case) -> list[Any]:
        """What the reference gives for the inputs of a case, computed on copies: results, outputs first."""
        lent = {n: trial_arrays.copy(x) if trial_arrays.is_array(x) else x for n, x in case.inputs.items()}
        made = self.reference(**lent)
        found = list(made) if isinstance(made, (tuple, list)) else [made]
        names = (*self.outputs, *self.inout)
        found = [np.asarray(x) if isinstance(x, (int, float, np.generic)) else x for x in found if x is not None]
        if not found and self.inout:
            found = [lent[n] for n in self.inout]
        if not found or (names and len(found) != len(names)):
            wanted = f"the arrays of {', '.join(names)}" if names else "an array, or several"
            raise argument_error(f"the reference gives {len(found)} arrays: it must give {wanted}")
        return [trial_arrays.copy(x) if trial_arrays.is_array(x) else x for x in found]

    def call(self, case: _Case, byte: int) -> list[Any]:
        """The candidate's results, from poisoned outputs."""
        case.fill(byte)
        made = self.candidate(**case.args)
        for x in case.args.values():
            if trial_arrays.is_array(x):
                trial_arrays.synchronize(x)
        names = (*self.outputs, *self.inout)
        if names:
            return [case.args[n] for n in names]
        found = list(made) if isinstance(made, (tuple, list)) else [made]
        return [x for x in found if trial_arrays.is_array(x)]

    def note(self, kind: str, text: str, case: _Case, error: AveError | None = None) -> bool:
        """Takes a fault down, once for a kind and case; gives False, what the case then is."""
        if all((f.kind, f.case) != (kind, case.words) for f in self.faults):
            self.faults.append(Fault(kind, text, case.words, case.seed, error.as_dict() if error is not None else None))
        return False

    def right(self, case: _Case, byte: int) -> bool:
        """Runs a case and holds the results against what is wanted; what is wrong is noted."""
        try:
            got = self.call(case, byte)
        except AveError as exc:
            kind = "compile" if exc.code[:1] in tuple(COMPILING) else CODES.get(exc.code, "launch")
            return self.note(kind, f"[{exc.code}] {exc.message}", case, exc)
        except Exception as exc:  # whatever the candidate raises
            return self.note("error", f"{type(exc).__name__}: {exc}", case)
        if len(got) != len(case.want):
            return self.note("wrong", f"it gives {len(got)} arrays, and {len(case.want)} are wanted", case)
        ok = all(self._same(x, want, case) for x, want in zip(got, case.want, strict=True))
        return self._untouched(case, got) and ok

    def _same(self, got: Any, want: Any, case: _Case) -> bool:
        if tuple(got.shape) != tuple(want.shape):
            return self.note("wrong", f"a result has shape {tuple(got.shape)}, and {tuple(want.shape)} is wanted", case)
        most = self.tolerance if self.tolerance is not None else trial_arrays.tolerance(got)
        off = trial_arrays.difference(got, want)
        if off <= most:
            return True
        if math.isfinite(off):
            return self.note("wrong", f"off by {off:.3g} of the root mean square, {most:g} is allowed", case)
        return self.note("unwritten", "NaN or infinity where there is none: computed so, or never written", case)

    def _untouched(self, case: _Case, got: list[Any]) -> bool:
        """Whether inputs are what they were, and results are no inputs."""
        ok = True
        for name, x in case.args.items():
            if name in self.outputs or name in self.inout or not trial_arrays.is_array(x):
                continue
            if not _equal(x, case.given[name]):
                ok = self.note("input changed", f"the input {name} is not what it was", case)
            if any(_shares(x, y) for y in got):
                ok = self.note("returns an input", f"a result is the memory of the input {name}", case)
        return ok


def _equal(x: Any, y: Any) -> bool:
    if trial_arrays.library(x) == "torch":
        return bool(((x == y) | (x.ne(x) & y.ne(y))).all())
    return np.asarray(x).tobytes() == np.asarray(y).tobytes() if isinstance(x, np.ndarray) else bool((x == y).all())


def _shares(x: Any, y: Any) -> bool:
    kind = trial_arrays.library(x)
    return kind == trial_arrays.library(y) and kind in ("numpy", "torch") and shared(y, (x,))


def judge(
    candidate: Callable[..., Any], reference: Callable[..., Any], draw: Draw, *, outputs: Sequence[str] = (),
    inout: Sequence[str] = (), shapes: int = 8, small: Draw | None = None, checks: Sequence[str] = ("bounds", "init",
    "races"), checked: int = 2, tolerance: float | None = None, baseline: Callable[..., Any] | None = None,
    speed: bool = True, seconds: float = 2.0, seed: int | None = None, kernel: bool = True,
) -> Judgment:  # fmt: skip
    """Judges a function that launches kernels by what it does on drawn inputs.

    `candidate(**arguments)` fills the arguments that `outputs` names, changes those of `inout`, or returns arrays.
    `reference(**inputs)` gets copies without `outputs` and returns what is right, in float64 if it likes: NumPy or
    torch. `draw(rng)` gives the arguments of one case by name: arrays (of NumPy or torch, on the CPU or a GPU) and
    numbers, of other shapes each time. `small(rng)`: cases for the reference executor, which is slow; the smallest of
    what `draw` gives if left out.

    Each of `shapes` cases is called from poisoned outputs, then once more with other poison, then with other numbers in
    the same arrays. Results must be within `tolerance` (`avelang.testing.tolerance` of their dtype) of the root mean
    square of what is wanted; inputs must stay, and be no results. `checked` cases run on the reference executor under
    `checks` (words of AVE_CHECK). With `kernel`, a candidate that launches no
    jit function is refused (kernels of `avelang.ptx` are not seen: `kernel=False`). Then, where all is
    right and `speed`, candidate and `baseline` (default: the reference) run turn by turn for about `seconds`, and the
    results are looked at again.

    `seed`: drawn if left out, so that nobody knows the inputs beforehand; the verdict has it. This is no sandbox: the
    candidate runs in this process. Raises L066 for a draw or a reference that give no arrays."""
    chosen = secrets.randbits(31) if seed is None else seed
    task = _Task(candidate, reference, draw, _names(outputs), _names(inout), tolerance)
    rng = np.random.default_rng(chosen)
    cases = [_Case(task, int(s)) for s in rng.integers(0, 1 << 31, max(1, shapes))]
    correct, compiled = 0, True
    with _kernels() as launched:  # filled when it is left
        for case in cases:
            good = _repeated(task, case, rng)
            correct += good
            if any(f.kind == "compile" for f in task.faults):
                compiled = False
                break
    if compiled and kernel and not launched:
        task.faults.append(Fault("no kernel", "the candidate launched no kernel of Ave"))
    count = 0
    if compiled and checks:
        count = _checked(task, small, cases, tuple(checks), checked, rng)
    timed = None
    if speed and not task.faults:
        timed = _timed(task, max(cases, key=lambda c: c.size), baseline or reference, baseline is None, seconds, rng)
    return Judgment(compiled, correct, len(cases), count, tuple(checks), tuple(task.faults), tuple(sorted(launched)),
                    timed if not task.faults else None, chosen)  # fmt: skip


def _names(given: Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _repeated(task: _Task, case: _Case, rng: np.random.Generator) -> bool:
    """A case with two kinds of poison, and once more with other numbers in the same arrays: what remembers a result by
    where it lies is found."""
    if not (task.right(case, trial_arrays.POISON) and task.right(case, 0xFF - trial_arrays.POISON)):
        return False
    _refresh(task, case, rng)
    return task.right(case, trial_arrays.POISON)


def _refresh(task: _Task, case: _Case, rng: np.random.Generator) -> None:
    """Other numbers for a case of the same shapes: floats of each input in another order, with other signs where there
    were both, so that they keep what `draw` promised of them."""
    for name, x in case.inputs.items():
        if isinstance(x, np.ndarray) and trial_arrays.is_float(x) and x.size > 1:
            flat = x.reshape(-1)[rng.permutation(x.size)].reshape(x.shape)
            wide = flat.astype(np.float64)
            signs = rng.choice([-1.0, 1.0], x.shape) if (wide < 0).any() and (wide > 0).any() else 1.0
            case.given[name] = case.inputs[name] = (wide * signs).astype(x.dtype)
        elif trial_arrays.is_array(x) and trial_arrays.is_float(x) and math.prod(x.shape) > 1:
            turned = getattr(x, "flip")(0) if hasattr(x, "flip") else x[::-1]  # noqa: B009 - torch has no steps below 0
            case.given[name] = case.inputs[name] = turned
    case.want = task.wanted(case)


@contextlib.contextmanager
def _kernels() -> Iterator[set[str]]:
    """The names of the jit functions that are launched within."""
    from avelang.runtime.launch import LAUNCHERS

    known = {launcher: launcher.mark() for launcher in LAUNCHERS}
    found: set[str] = set()
    yield found
    found |= {launcher.source.name for launcher in list(LAUNCHERS) if launcher.ran_since(known.get(launcher))}


def _checked(task: _Task, small: Draw | None, cases: Sequence[_Case], checks: tuple[str, ...], count: int,
             rng: np.random.Generator) -> int:  # fmt: skip
    """Runs small cases on the reference executor, and notes what it says."""
    if small is not None:
        drawn = dataclasses.replace(task, draw=small)
        tried = [_Case(drawn, int(s)) for s in rng.integers(0, 1 << 31, count)]
    else:
        tried = sorted(cases, key=lambda c: c.size)[:count]
    for case in tried:
        case.task = task
        if any(trial_arrays.is_array(x) and trial_arrays.device(x) != "cpu" for x in case.args.values()):
            return 0  # arrays of a GPU run there
        with knobs.running_on("reference", *checks):
            task.right(case, trial_arrays.POISON)
    return len(tried)


def _timed(task: _Task, case: _Case, baseline: Callable[..., Any], plain: bool, seconds: float,
           rng: np.random.Generator) -> Speed | None:  # fmt: skip
    """Candidate and baseline turn by turn, on inputs that change, and the candidate's results looked at afterwards."""
    _refresh(task, case, rng)
    case.fill(trial_arrays.POISON)
    lent = {n: x for n, x in case.args.items() if not (plain and n in task.outputs)}
    takes = {"candidate": lambda: task.candidate(**case.args), "baseline": lambda: baseline(**lent)}
    arrays = [x for x in case.args.values() if trial_arrays.is_array(x)]
    place = trial_arrays.device(arrays[0]) if arrays else "cpu"
    clock = clock_for(place, any(trial_arrays.library(x) == "torch" for x in arrays))
    for call in takes.values():
        call()
    found = race(takes, clock, until=time.monotonic() + seconds)
    _refresh(task, case, rng)
    task.right(case, trial_arrays.POISON)  # a candidate that was right before may not be so when it is timed
    ours, theirs = found.standings["candidate"].median, found.standings["baseline"].median
    return Speed(ours, theirs, theirs / ours if ours else math.inf, found.rounds, found.decided, clock.name, case.words)


def of_names(names: Mapping[str, Any], candidate: Any = None, **options: Any) -> Judgment:
    """Judges what the names of a file say: `candidate`, `reference`, `draw`, and `outputs`, `inout`, `small`, `checks`,
    `tolerance`, `baseline` where they are there. `options` go before. Raises L066 for what is missing."""
    missing = [n for n in ("reference", "draw") if not callable(names.get(n))]
    candidate = candidate if candidate is not None else names.get("candidate")
    if missing or not callable(candidate):
        raise argument_error(f"the file has no function {missing[0] if missing else 'candidate'!r}")
    known = inspect.signature(judge).parameters
    found = {n: names[n] for n in ("outputs", "inout", "small", "checks", "tolerance", "baseline", "kernel")
             if n in known and n in names}  # fmt: skip
    return judge(candidate, names["reference"], names["draw"], **{**found, **options})
