"""The harness of the benchmarks, by clocks that the tests move: turns, bursts, rounds that do not count, checks, bars,
options and files."""

from __future__ import annotations

import argparse
import ast
import json
import pathlib
import types

import pytest
from benchmarks import harness

SCRIPTS = sorted(f for f in pathlib.Path(harness.__file__).parent.glob("*.py") if f.name != "harness.py")


class FakeClock:
    """A clock that stands still; `take` moves it."""

    def __init__(self) -> None:
        self.now, self.log = 0, []

    def __call__(self) -> int:
        return self.now

    def call(self, name: str, ticks: int):
        """A contender that takes so many ticks."""

        def run(count: int = 1) -> None:
            self.log.append(name)
            self.now += ticks * count

        return run


def test_contenders_take_turns_and_pauses_do_not_count():
    clock = FakeClock()

    def sleep(seconds):
        clock.now += 1000

    times = harness.interleaved({"a": clock.call("a", 3), "b": clock.call("b", 5)}, rounds=2, calls=2, clock=clock,
                                sleep=sleep)
    assert times == {"a": [3] * 4, "b": [5] * 4} and "".join(clock.log) == "aaabbbaaabbb"
    assert harness.medians({"a": [1.0, 9.0, 2.0]}) == {"a": 2.0}


def test_turns_leave_the_first_round_out_and_do_not_time_checks():
    clock, told = FakeClock(), []

    def before(name):
        clock.now += 100
        told.append(f"poison {name}")

    def after(name):
        clock.now += 100
        told.append(f"check {name}")

    calls = {name: clock.call(name, ticks) for name, ticks in (("a", 2), ("b", 7))}
    assert harness.in_turns(calls, 3, before, after, clock) == {"a": [2] * 3, "b": [7] * 3}
    assert told[:4] == ["poison a", "check a", "poison b", "check b"] and len(told) == 2 * 2 * 4


def test_bursts_are_behind_an_idle_device():
    clock, waits = FakeClock(), []

    def wait():
        clock.now += 50
        waits.append(clock.now)

    times = harness.bursts({"a": clock.call("a", 4), "b": clock.call("b", 6)}, burst=10, rounds=2, wait=wait, warm=1,
                           clock=clock)
    assert times == {"a": [4.0] * 2, "b": [6.0] * 2} and len(waits) == 2 * 3 + 1
    many = []
    harness.repeated(lambda: many.append(1))(7)
    assert len(many) == 7


class FakeTorch:
    """torch's events over a clock; everything between two of them takes what the calls say, and flushes take 1000."""

    def __init__(self) -> None:
        self.clock, self.filled = FakeClock(), []
        made = types.SimpleNamespace(zero_=self.clock.call("write", 1000))
        self.zeros = lambda *shape, device: made
        self.sum = lambda x, dim, out: self.clock.call("read", 1000)()
        self.cuda = types.SimpleNamespace(
            synchronize=lambda: None, _sleep=lambda cycles: self.clock.call("pause", 500)(),
            Event=lambda enable_timing: FakeEvent(self.clock),
        )  # fmt: skip


class FakeEvent:
    """The time at which it was recorded."""

    def __init__(self, clock: FakeClock):
        self.clock, self.at = clock, 0

    def record(self) -> None:
        self.at = self.clock()

    def elapsed_time(self, end: FakeEvent) -> float:
        return (end.at - self.at) / 1e3  # milliseconds


@pytest.mark.parametrize(("clean", "fill"), [(False, "write"), (True, "read")])
def test_device_time_is_without_flushes_and_pauses(clean, fill):
    torch = FakeTorch()
    calls = {"a": torch.clock.call("a", 3), "b": torch.clock.call("b", 8)}
    times = harness.GpuClock(clean, torch).interleaved(calls, rounds=11, warm=2, batch=4)
    assert {name: [round(t, 9) for t in got] for name, got in times.items()} == {"a": [3.0] * 11, "b": [8.0] * 11}
    timed = torch.clock.log[4:]  # behind the warm calls
    assert len(timed) == 3 * 2 * 11
    assert all(timed[i] == "pause" and timed[i + 1] == fill for i in range(0, len(timed), 3))


def test_a_wrong_result_stops_the_run(monkeypatch):
    monkeypatch.setattr(harness.importlib, "import_module", lambda name: FakeTorch())
    calls, errors = {"right": lambda: None, "wrong": lambda: None}, {"right": 0.001, "wrong": float("nan")}
    with pytest.raises(AssertionError, match="wrong"):
        harness.errors_of(calls, errors.__getitem__)
    assert harness.errors_of(calls, lambda name: 0.0) == {"right": 0.0, "wrong": 0.0}


def test_a_process_is_timed_and_its_numbers_are_read():
    seconds, said, cpu = harness.fresh_process("import os; print(1.5, os.environ['X'])", X="2")
    assert said == [1.5, 2.0] and seconds > 0 and cpu >= 0


def part(name, file, default=True, value=1.0):
    bars = [harness.Bar("speed", value, 2, "M/s", least=True), harness.Bar("time", value, 2, "s")]
    return harness.Part(name, file, lambda args: {"value": args.rounds}, lambda r: f"shown {r['value']}",
                        default=default, bars=lambda r: bars)


def test_parts_options_and_files(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("OUT", str(tmp_path))
    parts = part("one", "first"), part("two", lambda args: f"second_{args.size}"), part("tune", "third", default=False)
    harness.main("Doc.", *parts, rounds=5, more={"--size": {"type": int, "default": 8}}, argv=["--rounds", "3"])
    found = {f.name: json.loads(f.read_text()) for f in tmp_path.iterdir()}
    assert set(found) == {"first.json",
            "second_8.json"} and found["first.json"]["value"] == 3 and found["first.json"]["benchmark"] == "first"
    assert {"date", "machine"} <= set(found["first.json"]) and "llvmlite" in found["first.json"]["machine"]["versions"]
    out = capsys.readouterr().out
    assert "shown 3" in out and f"saved {tmp_path / 'first.json'}" in out
    harness.main("Doc.", *parts, rounds=5, more={"--size": {"type": int, "default": 8}}, argv=["--only", "tune"])
    assert json.loads((tmp_path / "third.json").read_text())["value"] == 5
    with pytest.raises(SystemExit):
        harness.main("Doc.", *parts, rounds=5, argv=["--only", "three"])


def test_a_record_that_is_not_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("OUT", str(tmp_path))
    harness.main(
        "Doc.",
        harness.Part("a", "a", lambda args: {"figures": []}, keep=lambda record: bool(record["figures"])),
        argv=[],
    )
    assert list(tmp_path.iterdir()) == []


def test_bars_hold_or_are_broken():
    text = harness.bar_table(
        [harness.Bar("speed", 1.0, 2, "M/s", least=True), harness.Bar("time", 1.0, 2, "s")]
    ).splitlines()
    assert (
        text[1].split() == "speed 1 M/s at least 2 M/s BROKEN".split()
        and text[2].split() == "time 1 s at most 2 s".split()
    )


def test_every_script_uses_what_the_harness_has():
    """A script that runs on a GPU machine only is not run here: its imports from the harness are looked up, and that it
    declares parts."""
    declared = 0
    for file in SCRIPTS:
        tree = ast.parse(file.read_text())
        names = [
            a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "harness" for a in n.names
        ]
        assert [name for name in names if not hasattr(harness, name)] == [], file.name
        declared += "Part" in names
    assert declared >= 20


def test_options_are_those_of_the_parts():
    parser = harness.options("Doc.", [part("static", "a"), part("timed", "b")], 40, True,
                             {"--target": {"default": "gfx942"}})
    assert parser.parse_args(["--only", "timed", "--page"]) == argparse.Namespace(rounds=40, only="timed", page=True,
            target="gfx942")


def test_numbers_that_a_benchmark_cannot_take_are_refused_ahead(capsys):
    parser = harness.options("Doc.", [], 5, False, {"--size": {"type": harness.whole(32)}})
    assert parser.parse_args(["--size", "64", "--rounds", "1"]) == argparse.Namespace(rounds=1, size=64)
    for flag, given, said in (("--size", "129", "a multiple of 32, not '129'"), ("--size", "0", "not '0'"),
                              ("--rounds", "-1", "a whole number from 1 on, not '-1'")):
        with pytest.raises(SystemExit):
            parser.parse_args([f"{flag}={given}"])
        assert said in capsys.readouterr().err


def test_what_is_measured_on_a_gpu_says_so_where_there_is_none(monkeypatch):
    none = types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda: False))
    monkeypatch.setattr(harness.importlib, "import_module", lambda name: none)
    with pytest.raises(SystemExit, match="measured on a GPU, and torch sees none"):
        harness.main("doc", harness.Part("part", "file", measure=lambda args: {}, show=lambda r: "", gpu=True), argv=[])
