"""The loop of `./dev fuzz`: seeds come in, programs are drawn and run on every engine, and what disagrees is made small and shown.

A child process runs a few programs at a time: code that crashes or hangs takes only that child along, and is a finding like others.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import importlib.util
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from typing import Any

CASES = pathlib.Path(__file__).parent / "cases"
CHUNK = 40  # programs of one child
PATIENCE = 300.0  # seconds without a word from it


@dataclasses.dataclass
class Tally:
    """What was run: programs, kernels, and runs by engine; findings as dicts."""

    programs: int = 0
    kernels: int = 0
    undefined: int = 0
    refused: int = 0
    runs: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    findings: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@functools.cache
def gpu() -> bool:
    """Whether torch finds an NVIDIA GPU; asked in another process, for one that has used CUDA cannot be forked."""
    if importlib.util.find_spec("torch") is None or not pathlib.Path("/dev/nvidiactl").exists():
        return False
    asked = "import torch; raise SystemExit(0 if torch.cuda.is_available() and torch.version.cuda else 1)"
    return subprocess.run([sys.executable, "-c", asked], capture_output=True, check=False).returncode == 0


def engines_for(seed: int) -> list[str]:
    """All of them; of two chips whose PTX differs little, one."""
    return ["reference", "cpu", "cpu32", "gfx942", "gfx950", "sm_90a" if seed % 2 else "sm_80", *(["gpu"] if gpu() else [])]


def one_al(seed: int) -> Iterator[dict[str, Any]]:
    """A program of the language: a line on what was run, then one for each finding."""
    from fuzz import drawn, engines, judge, trial

    program = drawn.draw(seed)
    # The levels that ship are 1; cpu32 goes through the others, and the executor's own code is not optimized but now and then.
    try:
        names = engines_for(seed)
        found = trial.trial(program, [n for n in names if n != "cpu32"], int(seed % 16 == 0), cpu=1)
        found += trial.trial(program, ["cpu32"], seed % 4)
    except judge.Undefined as e:
        yield {"seed": seed, "undefined": str(e)}
        return
    yield {"seed": seed, "programs": program.programs, "engines": names}
    seen: set[str] = set()
    for f in found:
        if f.what not in seen:  # engines that say the same have the same fault
            seen.add(f.what)
            small = f if f.engine == "gpu" and engines.lost() else trial.smallest(f, 45.0)
            yield {"seed": seed, "finding": str(small), "engine": f.engine, "case": trial.written(small.drawn, f"Seed {seed}, found on {f.engine}.")}
    if engines.lost():
        yield {"seed": seed, "lost": True}


def one_tile(seed: int) -> Iterator[dict[str, Any]]:
    """A kernel of the tile level against NumPy."""
    from fuzz import tiles

    ran, found = tiles.trial(seed)
    yield {"seed": seed, "programs": 1, "engines": ran}
    for engine, what, case in found:
        yield {"seed": seed, "finding": f"seed {seed} on {engine}: {what}", "engine": engine, "case": case}


def one_ptx(seed: int) -> Iterator[dict[str, Any]]:
    """A module of PTX: 16 programs of single instructions, or one whole program; ptxas takes it where there is one."""
    from fuzz import instructions

    count, found = instructions.trial(seed)
    yield {"seed": seed, "programs": count, "engines": ["ptx", *(["ptxas"] if instructions.assembler() else [])]}
    for what, case in found:
        yield {"seed": seed, "finding": f"seed {seed}: {what}", "engine": "ptx", "case": case}


def dead_al(seed: int) -> Iterator[dict[str, Any]]:
    """A program that ended the process that ran it: on which engine, and the smallest one that still does so. Each try has a process of its own."""
    from fuzz import drawn, trial

    program = drawn.draw(seed)
    for engine in engines_for(seed):
        level = seed % 4 if engine == "cpu32" else 1 if engine == "cpu" else int(seed % 16 == 0)
        said = trial.alone(program, engine, level)
        if said:
            small = trial.smallest(trial.Finding(program, engine, said, level), 60.0)
            yield {"seed": seed, "finding": str(small), "engine": engine, "case": trial.written(small.drawn, f"Seed {seed}: the process died on {engine}.")}
            return


def one_case(number: int) -> Iterator[dict[str, Any]]:
    """A case that is kept, on the GPU; the test suite runs them on the other engines."""
    from fuzz import trial

    file = sorted(CASES.glob("*.py"))[number]
    for f in trial.trial(trial.read(file.read_text()), ["gpu"]):
        yield {"seed": number, "finding": f"{file.name} on {f.engine}: {f.what}", "engine": f.engine, "case": ""}


LEVELS = {"cases": one_case, "al": one_al, "tile": one_tile, "ptx": one_ptx, "dead": dead_al}


# -- processes -----------------------------------------------------------------------------------------------------------------------------------


class Child:
    """A process that runs some programs: what it says comes by a pipe, a line of JSON for each thing that happens; what is printed to its standard error
    is kept for the case that it dies."""

    def __init__(self, level: str, seeds: range):
        self.level, self.seeds, self.at, self.rest, self.why = level, seeds, seeds[0], b"", ""
        self.errors = tempfile.TemporaryFile()
        self.pipe, outer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            os.dup2(self.errors.fileno(), 2)
            status = 1
            try:
                self.run(outer)
                status = 0
            except BaseException:
                os.write(2, traceback.format_exc().encode())
            finally:
                os._exit(status)
        os.close(outer)
        self.heard = time.monotonic()

    def run(self, outer: int) -> None:
        os.environ.setdefault("AVE_NO_CACHE", "1")  # what is launched on a GPU is launched once
        with os.fdopen(outer, "w") as file:
            for seed in self.seeds:
                print(json.dumps({"begins": seed}), file=file, flush=True)
                for said in LEVELS[self.level](seed):
                    print(json.dumps(said), file=file, flush=True)
                    if said.get("lost"):
                        return

    def says(self) -> list[dict[str, Any]] | None:
        """What it has said since; None behind the end."""
        self.heard = time.monotonic()
        piece = os.read(self.pipe, 1 << 16)
        *whole, self.rest = (self.rest + piece).split(b"\n")
        said = [json.loads(line) for line in whole]
        self.at = next((x["begins"] for x in reversed(said) if "begins" in x), self.at)
        return said if piece else None

    def stop(self, why: str) -> None:
        self.why = why
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> str:
        """Waits for its end. Why it ended otherwise than by itself, with the last lines of its standard error; "" where all is well."""
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        self.errors.seek(0)
        last = [line for line in self.errors.read()[-4000:].decode(errors="replace").splitlines() if line.strip()][-4:]
        self.errors.close()
        if not status and not self.why:
            return ""
        code = os.waitstatus_to_exitcode(status)
        return "\n".join([self.why or (f"signal {-code}" if code < 0 else f"status {code}"), *last])


class Loop:
    """Children side by side over disjoint seeds, until the time is over or enough is run."""

    def __init__(self, level: str, seed: int, minutes: float, count: int, show: Any, jobs: int):
        self.level, self.next, self.count, self.show, self.jobs = level, seed, count, show, max(1, jobs)
        self.until, self.tally = time.monotonic() + 60 * minutes, Tally()
        self.again: list[tuple[str, range]] = [("cases", range(len(list(CASES.glob("*.py")))))] if level == "al" and gpu() else []
        self.children: dict[int, Child] = {}

    def work(self) -> tuple[str, range] | None:
        """The next seeds; what was cut short, and programs that are to be made small, come first."""
        if self.again:
            return self.again.pop(0)
        size, under_way = CHUNK, sum(c.seeds.stop - c.at for c in self.children.values())
        if self.count:
            per = max(1, self.tally.programs // self.tally.kernels) if self.tally.kernels else 8  # programs of a kernel, so far
            size = min(size, -(-(self.count - self.tally.programs - per * under_way) // (per * self.jobs)))
        if size <= 0 or time.monotonic() > self.until:
            return None
        self.next += size
        return self.level, range(self.next - size, self.next)

    def run(self) -> Tally:
        while True:
            while len(self.children) < self.jobs and (found := self.work()):
                child = Child(*found)
                self.children[child.pipe] = child
            if not self.children:
                return self.tally
            ready, _, _ = select.select(list(self.children), [], [], 1.0)
            for pipe in ready:
                self.hear(self.children[pipe])
            for child in self.children.values():
                if time.monotonic() - child.heard > PATIENCE and not child.why:
                    child.stop(f"nothing for {PATIENCE:.0f} s")

    def hear(self, child: Child) -> None:
        said = child.says()
        for x in said or ():
            self.take(x)
        late = time.monotonic() > self.until and child.level != "dead"
        if said is not None:
            if late and any("begins" in x for x in said) and not child.why:
                child.stop("late")
            return
        del self.children[child.pipe]
        why = child.end()
        if why.startswith("late"):
            return
        if why and child.level == "dead":
            self.show(f"seed {child.at}: it was not made smaller: {why}")
        elif why:
            self.take({"seed": child.at, "finding": f"seed {child.at}: the process died: {why}", "engine": "none", "case": ""})
            if child.level == "al":
                self.again.append(("dead", range(child.at, child.at + 1)))
        if child.at + 1 < child.seeds.stop and not late:
            self.again.append((child.level, range(child.at + 1, child.seeds.stop)))

    def take(self, said: dict[str, Any]) -> None:
        """Counts one thing that a child has said."""
        tally = self.tally
        if "refused" in said:
            tally.refused += 1
        elif "undefined" in said:
            tally.undefined += 1
            self.show(f"seed {said['seed']} means nothing: {said['undefined']}")
        elif "finding" in said:
            tally.findings.append(said)
            self.show(said["finding"] if said["case"].startswith("{") else f"{said['finding']}\n{said['case']}")
        elif "programs" in said:
            tally.programs += said["programs"]
            tally.kernels += 1
            tally.runs.update(said["engines"])


def fuzz(level: str, seed: int, minutes: float, count: int = 0, show: Any = print, jobs: int = 1) -> Tally:
    """Runs programs from `seed` on until the time is over, or `count` programs are run, in `jobs` processes."""
    if level == "al" and not gpu():
        show("no NVIDIA GPU that torch knows of is here: nothing runs on one")
    return Loop(level, seed, minutes, count, show, jobs).run()


def keep(tally: Tally) -> None:
    """Writes each finding's case to `cases`."""
    for f in tally.findings:
        if f["case"]:
            name = f"seed_{f['seed']}_{f['engine'].replace(' ', '_')}"
            (CASES / f"{name}.{'json' if f['case'].startswith('{') else 'py'}").write_text(f["case"])
