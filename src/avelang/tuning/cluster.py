"""A tuned function by name and many shapes come in; they are shared among the GPUs of a Ray cluster, and their rows go
out, into one table.

One actor has a GPU (without GPUs: one a machine) and tunes a shape at a time; kernels are compiled by tasks apart from
it, on whatever cores the cluster has. The actors get the table as it is, so that what it knows is not measured again;
the program that began all writes it, row by row. An actor that is lost costs its shape a second try."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import importlib
import os
import pathlib
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import avelang.tuning.tables as tables
import avelang.tuning.worker as worker
from avelang.base.errors import AveError, error
from avelang.base.places import here
from avelang.tuning.shapes import Tuning, load, tune_shape
from avelang.tuning.space import Choice
from avelang.tuning.tuner import Settings, TuneResult, Verdict
from avelang.tuning.workers import SECONDS, Outcome

GET = "pip install ray; on one machine with one GPU, leave --ray out"
TRIES = 2
_FIELDS = ("seconds", "within", "risk", "rounds", "spills", "seed", "force", "slack")


def need_ray() -> Any:
    """Ray. Raises D043 where it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError as e:
        raise error("D043", here(), why=f"it cannot be imported ({e})", instead=GET) from None


class RayWorkers:
    """Compilation by tasks of a cluster, with the methods of `CompileWorkers`."""

    def __init__(self, ray: Any, seconds: float = SECONDS):
        self._ray, self._seconds = ray, seconds
        self._task = ray.remote(num_cpus=1, max_retries=0)(_answer)
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> RayWorkers:
        return self

    def __exit__(self, *what: object) -> None:
        pass

    def submit(self, job: Any, done: Callable[[Outcome], None]) -> None:
        """Has a job compiled somewhere; `done` is called with what became of it, on another thread."""

        def wait() -> None:
            try:
                kind, found = worker.unpacked(self._ray.get(self._task.remote(worker.packed(job)),
                                                            timeout=self._seconds))
                done(Outcome(found, None) if kind == "made" else Outcome(None, found))
            except Exception as e:  # a machine that is gone, a time that is over, what cannot be pickled
                done(Outcome(None, error("D042", why=f"{type(e).__name__}: {e}".splitlines()[0])))

        self._threads.append(threading.Thread(target=wait, daemon=True))
        self._threads[-1].start()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until all jobs are answered, or so long; returns whether they are."""
        end = None if seconds is None else time.monotonic() + seconds
        for thread in self._threads:
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)


def _answer(job: bytes) -> bytes:
    return worker.packed(worker.answer(worker.unpacked(job)))


class TunerActor:
    """A tuner that has a GPU to itself. `target`: FILE.py:NAME or MODULE:NAME; `text`: the file's, for machines that
    do not have it; `table`: the text of the table as it is."""

    def __init__(self, target: str, text: str, table: str, ray: Any = None):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="ave-tune-"))
        place, _, name = target.rpartition(":")
        if text and not pathlib.Path(place).is_file():
            place = str(self._folder / pathlib.Path(place).name)
            pathlib.Path(place).write_text(text, encoding="utf-8")
        self.tuned = load(f"{place}:{name}")
        self.table = self._folder / "tuned.txt"
        self.table.write_text(table, encoding="utf-8")
        self._ray = ray if ray is not None else need_ray()

    def tune(self, shape: Mapping[str, Any], settings: Mapping[str, Any], apart: bool) -> dict[str, Any]:
        """Tunes a shape: the row, the verdicts and the seconds, or the error's code and words."""
        chosen = Settings(table=str(self.table), progress=False, workers=None if apart else 0,
                          compilers=RayWorkers(self._ray) if apart else None, **settings)
        done = tune_shape(self.tuned, shape, chosen)
        if done.result is None:
            assert done.error is not None
            return {"code": done.error.code, "message": done.error.message, "hint": done.error.hint}
        r = done.result
        return {"row": dataclasses.asdict(r.row), "seconds": r.seconds,
                "verdicts": {text: tuple(v) for text, v in r.verdicts.items()}}  # fmt: skip


def tune_cluster(target: str, shapes: Sequence[Mapping[str, Any]], settings: Settings, address: str = "local",
                 told: Callable[[Tuning], object] = lambda done: None, ray: Any = None) -> list[Tuning]:  # fmt: skip
    """Tunes shapes by all GPUs of a Ray cluster; results in the order of the shapes.

    `target`: FILE.py:NAME or MODULE:NAME, which each machine must be able to run. `address`: of the cluster, "auto" for
    the one that runs here, "local" for a new one of this machine, which ends with this call. `told` hears of each shape
    as it is done. Raises D043 without Ray or where it does not start, D041 for a pinned table."""
    ray = need_ray() if ray is None else ray
    file = settings.file
    table = tables.read(file).text if file is not None else tables.Table().text
    place = target.rpartition(":")[0]
    text = pathlib.Path(place).read_text(encoding="utf-8") if place.endswith(".py") else ""
    ours = not ray.is_initialized()
    if ours:
        _begin(ray, address)
    try:
        gpus = int(ray.cluster_resources().get("GPU", 0))
        count = gpus or sum(bool(node.get("Alive", True)) for node in ray.nodes())
        options = {"num_gpus": 1, "num_cpus": 0} if gpus else {"num_cpus": 0, "scheduling_strategy": "SPREAD"}
        actors = _Actors(ray, ray.remote(**options)(TunerActor), (target, text, table), max(1, min(count, len(shapes))))
        return _Session(ray, actors, shapes, settings, file, told).run()
    finally:
        if ours:
            ray.shutdown()


def python_path() -> str:
    """The folders from which this process imports, as an environment variable says them."""
    return os.pathsep.join(dict.fromkeys(folder or os.getcwd() for folder in sys.path))


def _begin(ray: Any, address: str) -> None:
    options: dict[str, Any] = {"runtime_env": {"env_vars": {"PYTHONPATH": python_path()}}, "log_to_driver": False,
                               "logging_level": "ERROR"}
    options |= {"include_dashboard": False} if address == "local" else {"address": address}
    try:
        ray.init(**options)
    except Exception as e:
        raise error("D043", here(), why=f"it does not start: {e}".splitlines()[0],
                    instead="`ray status` says what is running; --ray local starts one of this machine") from None


class _Actors:
    """The actors that are idle, and new ones for those that are lost."""

    def __init__(self, ray: Any, kind: Any, given: tuple[Any, ...], count: int):
        self._ray, self._kind, self._given = ray, kind, given
        self.idle = [kind.remote(*given) for _ in range(count)]

    def lost(self, actor: Any) -> None:
        """Starts another."""
        with contextlib.suppress(Exception):
            self._ray.kill(actor)
        self.idle.append(self._kind.remote(*self._given))


class _Session:
    """The shapes that wait, those under way, and what is done."""

    def __init__(self, ray: Any, actors: _Actors, shapes: Sequence[Mapping[str, Any]], settings: Settings,
                 file: str | None, told: Callable[[Tuning], object]):  # fmt: skip
        self.ray, self.actors, self.settings, self.file, self.told = ray, actors, settings, file, told
        self.shapes = [dict(shape) for shape in shapes]
        self.waiting = collections.deque(range(len(shapes)))
        self.tries = [0] * len(shapes)
        self.under_way: dict[Any, tuple[int, Any]] = {}
        self.done: dict[int, Tuning] = {}
        self.end = time.monotonic() + settings.seconds

    def run(self) -> list[Tuning]:
        """Goes on until each shape is done."""
        while self.waiting or self.under_way:
            while self.waiting and self.actors.idle:
                self._start(self.waiting.popleft(), self.actors.idle.pop())
            ready, _ = self.ray.wait(list(self.under_way), num_returns=1)
            for future in ready:
                self._finish(future, *self.under_way.pop(future))
        return [self.done[i] for i in range(len(self.shapes))]

    def _start(self, i: int, actor: Any) -> None:
        self.tries[i] += 1
        lanes = max(1, len(self.under_way) + len(self.actors.idle) + 1)
        rounds = -(-(len(self.waiting) + 1) // lanes)
        chosen = {name: getattr(self.settings, name) for name in _FIELDS}
        chosen["seconds"] = max(1.0, (self.end - time.monotonic()) / rounds)
        self.under_way[actor.tune.remote(self.shapes[i], chosen, self.settings.workers != 0)] = i, actor

    def _finish(self, future: Any, i: int, actor: Any) -> None:
        try:
            found = self.ray.get(future)
        except Exception as e:  # the actor or its machine is gone, or the file does not run there
            self.actors.lost(actor)
            if self.tries[i] < TRIES:
                self.waiting.append(i)
                return
            why = f"the actor that tuned {self.shapes[i]} was lost: {type(e).__name__}: {e}".splitlines()
            found = {"code": "D043", "message": why[0], "hint": ""}
        else:
            self.actors.idle.append(actor)
        self.done[i] = self._tuning(i, found)
        self.told(self.done[i])

    def _tuning(self, i: int, found: dict[str, Any]) -> Tuning:
        if "code" in found:
            e = AveError(found["message"])
            e.code, e.message, e.hint = found["code"], found["message"], found["hint"]
            return Tuning(self.shapes[i], None, e)
        row = tables.Row(**found["row"])
        verdicts = {text: Verdict(*v) for text, v in found["verdicts"].items()}
        if self.file is not None:
            tables.record(self.file, [row])
        return Tuning(self.shapes[i], TuneResult(Choice(row.values), row, verdicts, None, found["seconds"]), None)
