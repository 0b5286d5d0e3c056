"""The loop of `./dev fuzz`: seeds come in, programs are drawn and run on every engine, and what disagrees is made small and shown.

A child process runs a few programs at a time: code that crashes or hangs takes only that child along, and is a finding like others.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import pathlib
import select
import signal
import sys
import time
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


def engines_for(seed: int) -> list[str]:
    """All of them; of two chips whose PTX differs little, one."""
    return ["reference", "cpu", "cpu32", "gfx942", "gfx950", "sm_90a" if seed % 2 else "sm_80"]


def one_al(seed: int) -> Iterator[dict[str, Any]]:
    """A program of the language: a line on what was run, then one for each finding."""
    from fuzz import drawn, judge, trial

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
            small = trial.smallest(f, 45.0)
            yield {"seed": seed, "finding": str(small), "engine": f.engine, "case": trial.written(small.drawn, f"Seed {seed}, found on {f.engine}.")}


def one_tile(seed: int) -> Iterator[dict[str, Any]]:
    """A kernel of the tile level against NumPy; what the level refuses is no program."""
    from avelang.base.errors import AveError
    from fuzz import tiles

    try:
        ran, found = tiles.trial(seed)
    except AveError as e:
        yield {"seed": seed, "refused": e.code}
        return
    yield {"seed": seed, "programs": 1, "engines": ran}
    for engine, what, text in found:
        yield {"seed": seed, "finding": f"seed {seed} on {engine}: {what}\n{text}", "engine": engine, "case": ""}


def one_ptx(seed: int) -> Iterator[dict[str, Any]]:
    """A module of 16 programs of PTX instructions, against exact integers and fractions; ptxas takes it where there is one."""
    from fuzz import instructions

    found = instructions.trial(seed)
    yield {"seed": seed, "programs": instructions.SECTIONS, "engines": ["ptx", *(["ptxas"] if instructions.assembler() else [])]}
    for what in found:
        yield {"seed": seed, "finding": f"seed {seed}: {what}", "engine": "ptx", "case": ""}


LEVELS = {"al": one_al, "tile": one_tile, "ptx": one_ptx}


def _child(level: str, seeds: range, out: int) -> None:
    """Runs programs, and writes a line of JSON for each thing that happens."""
    with os.fdopen(out, "w") as file:
        for seed in seeds:
            print(json.dumps({"begins": seed}), file=file, flush=True)
            for said in LEVELS[level](seed):
                print(json.dumps(said), file=file, flush=True)


def _lines(level: str, seeds: range, until: float) -> Iterator[dict[str, Any]]:
    """What a child says; `{"died": seed, "why": ...}` where it ends otherwise than by itself."""
    inner, outer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(inner)
        status = 1
        try:
            _child(level, seeds, outer)
            status = 0
        finally:
            os._exit(status)
    os.close(outer)
    at, why, rest = seeds[0], "", b""
    while True:
        ready, _, _ = select.select([inner], [], [], PATIENCE)
        piece = os.read(inner, 1 << 16) if ready else b""
        if not piece:
            why = "" if ready else f"nothing for {PATIENCE:.0f} s"
            break
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            said = json.loads(line)
            at = said.get("begins", at)
            yield said
            if "begins" in said and time.monotonic() > until:
                why = "late"
        if why:
            break
    os.close(inner)
    if why:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if why == "late":
        return
    if status or why:
        yield {"died": at, "why": why or f"status {status}"}


def fuzz(level: str, seed: int, minutes: float, count: int = 0, show: Any = print) -> Tally:
    """Runs programs from `seed` on until the time is over, or `count` programs are run."""
    tally, until, at = Tally(), time.monotonic() + 60 * minutes, seed
    while time.monotonic() < until and not (count and tally.programs >= count):
        end = at + CHUNK
        for said in _lines(level, range(at, end), until):
            if "died" in said:
                tally.findings.append({"seed": said["died"], "finding": f"seed {said['died']}: the process died ({said['why']})", "case": ""})
                show(tally.findings[-1]["finding"])
                end = said["died"] + 1
            elif "refused" in said:
                tally.refused += 1
            elif "undefined" in said:
                tally.undefined += 1
                show(f"seed {said['seed']} means nothing: {said['undefined']}")
            elif "finding" in said:
                tally.findings.append(said)
                show(f"{said['finding']}\n{said['case']}")
            elif "programs" in said:
                tally.programs += said["programs"]
                tally.kernels += 1
                tally.runs.update(said["engines"])
        at = end
    return tally


def keep(tally: Tally) -> None:
    """Writes each finding's case to `cases`."""
    for f in tally.findings:
        if f["case"]:
            (CASES / f"seed_{f['seed']}_{f['engine']}.py").write_text(f["case"])
