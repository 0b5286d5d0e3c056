"""Shapes shared among machines: against a Ray that is made up, with machines that are lost, and on a local cluster of
the real one, where it is installed."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
import types

import pytest
from tests.tuning.kernels import room

from avelang.base.errors import AveError
from avelang.tuning import cluster, tables
from avelang.tuning.tuner import Settings

PROGRAM = pathlib.Path(__file__).with_name("program.py")
RAY = importlib.util.find_spec("ray") is not None
SHAPES = [{"n": n} for n in (4, 5, 6, 7)]


class FakeRay:
    """As much of Ray as is used: actors and tasks run here, at once, when they are waited for. `lost`: calls of actors,
    by number, that never come back."""

    def __init__(self, gpus=0, lost=(), nodes=3, starts=True):
        self.gpus, self.lost, self.count, self.starts = gpus, set(lost), nodes, starts
        self.actors, self.options, self.calls, self.killed, self.began, self.tasks = [], [], 0, 0, None, 0
        self.most = 0

    def is_initialized(self):
        return False

    def init(self, **options):
        if not self.starts:
            raise ConnectionError("nobody there\nat all")
        self.began = options

    def shutdown(self):
        self.began = None

    def cluster_resources(self):
        return {"CPU": 4.0, **({"GPU": float(self.gpus)} if self.gpus else {})}

    def nodes(self):
        return [{"Alive": True}] * self.count + [{"Alive": False}]

    def remote(self, **options):
        def made(thing):
            if not isinstance(thing, type):
                def task(*args):
                    self.tasks += 1
                    return lambda: thing(*args)

                return types.SimpleNamespace(remote=task)
            return types.SimpleNamespace(remote=lambda *args: self.actor(thing, options, args))

        return made

    def actor(self, kind, options, args):
        self.options.append(options)
        it = kind(*args, self)
        actor = types.SimpleNamespace(busy=0)

        def call(*given):
            self.calls += 1
            number = self.calls
            actor.busy += 1
            self.most = max(self.most, sum(a.busy for a in self.actors))
            assert actor.busy == 1, "an actor tunes one shape at a time"

            def run():
                actor.busy -= 1
                if number in self.lost:
                    raise ConnectionError("the machine is gone")
                return it.tune(*given)

            return run

        actor.tune = types.SimpleNamespace(remote=call)
        self.actors.append(actor)
        return actor

    def wait(self, futures, num_returns):
        return [futures[-1]], futures[:-1]

    def get(self, future, timeout=None):
        return future()

    def kill(self, actor):
        self.killed += 1


@pytest.fixture
def place(tmp_path, monkeypatch):
    file = tmp_path / "tuned.txt"
    monkeypatch.setenv("AVE_TUNED", str(file))
    tables.forget()
    return file


@pytest.mark.parametrize("gpus, count", [(2, 2), (0, 3), (9, 4)])
def test_shapes_are_shared(place, gpus, count):
    ray, told = FakeRay(gpus), []
    found = cluster.tune_cluster(f"{PROGRAM}:plus", SHAPES, Settings(seconds=60), "auto", told.append, ray)
    assert [t.shape for t in found] == SHAPES and len(told) == 4 and ray.began is None
    assert all(t.result.row.values == {"how": "fast"} and len(t.result.rejected) == 1 for t in found)
    assert len(ray.actors) == ray.most == count
    assert all(o == ({"num_gpus": 1, "num_cpus": 0} if gpus else {"num_cpus": 0, "scheduling_strategy": "SPREAD"}) for o in ray.options)
    assert len(tables.read(place)) == 4
    # What the table knows is not measured again, on any machine.
    again = cluster.tune_cluster(f"{PROGRAM}:plus", SHAPES, Settings(seconds=60, force=False), "auto", ray=FakeRay(1))
    assert all(next(iter(t.result.verdicts.values())).status == "known" for t in again)


def test_kernels_are_compiled_apart(place, monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "tests.tuning.kernels")  # another test may have compiled its kernel in this process
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "cache"))
    ray = FakeRay()
    (done,) = cluster.tune_cluster("tests.tuning.kernels:double", [{"n": 501}], Settings(seconds=60), "auto", ray=ray)
    assert ray.tasks == 6 and done.result.row.values["block"] and room(3)
    # A task that fails is compiled where it is needed.
    with cluster.RayWorkers(types.SimpleNamespace(remote=FakeRay().remote, get=lambda *a, **k: 1 / 0)) as workers:
        seen = []
        workers.submit(1, seen.append)
        assert workers.wait(10) and seen[0].failed.code == "D042"


def test_machines_that_are_lost(place):
    ray = FakeRay(2, lost={1, 3})
    found = cluster.tune_cluster(f"{PROGRAM}:plus", SHAPES, Settings(seconds=60), "auto", ray=ray)
    assert all(t.result is not None for t in found) and ray.killed == 2 and len(ray.actors) == 4
    ray = FakeRay(1, lost={1, 2})
    (done,) = cluster.tune_cluster(f"{PROGRAM}:plus", SHAPES[:1], Settings(seconds=60), "auto", ray=ray)
    assert done.result is None and done.error.code == "D043" and "gone" in done.error.message


def test_errors_of_a_shape_come_back(place):
    found = cluster.tune_cluster(f"{PROGRAM}:plus", [{"n": 13}, {"n": 4}], Settings(seconds=60), "auto", ray=FakeRay(1))
    assert found[0].error.code == "L071" and "unlucky" in found[0].error.message and found[1].result is not None


def test_a_file_travels_as_text(place, tmp_path):
    actor = cluster.TunerActor(str(tmp_path / "elsewhere" / "program.py") + ":plus", PROGRAM.read_text(), tables.Table().text, FakeRay())
    assert actor.tuned.name == "program.plus"


def test_a_cluster_that_does_not_start(place):
    with pytest.raises(AveError) as e:
        cluster.tune_cluster(f"{PROGRAM}:plus", SHAPES, Settings(), "10.0.0.1:6379", ray=FakeRay(starts=False))
    assert e.value.code == "D043" and "nobody there" in e.value.message and "at all" not in e.value.message


@pytest.mark.skipif(not RAY, reason="ray is not installed (pip install ray)")
def test_a_local_cluster(place, tmp_path, monkeypatch):
    """Real actors and tasks, a file, and an actor that dies."""
    monkeypatch.chdir(tmp_path)
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
             runtime_env={"env_vars": {"PYTHONPATH": cluster.python_path(), "AVE_CACHE_DIR": str(tmp_path / "cache")}})
    try:
        shapes = [{"n": 4}, {"n": 14}, {"n": 13}]
        found = cluster.tune_cluster(f"{PROGRAM}:plus", shapes, Settings(seconds=100))
        assert [t.result is not None for t in found] == [True, True, False], found
        assert found[0].result.row.values == {"how": "fast"} and found[2].error.code == "L071"
        (done,) = cluster.tune_cluster("tests.tuning.kernels:double", [{"n": 1000}], Settings(seconds=100))
        assert done.result is not None and done.result.row.tried == "6/6", done.error
    finally:
        ray.shutdown()
    assert len(tables.read(place)) == 3
