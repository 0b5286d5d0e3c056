"""A tuner that is killed goes on where it was: what is finished is in the table, what was wrong is not tried again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import avelang
from avelang.tuning import tables
from avelang.tuning.journal import Journal

PROGRAM = """
import sys, time
import numpy as np
import avelang
from avelang.tuning import FakeClock
from tests.tuning.kernels import HOWS, factors

calls = []

def slow(x, out, how):
    print(how, flush=True)
    factors(x, out, how)
    if how == "also" and "stay" in sys.argv and calls.append(how) is None and len(calls) == 2:
        time.sleep(120)
    if how == "also" and "end" in sys.argv:
        import os; os._exit(3)

x, out = np.ones(9, np.float32), np.ones(9, np.float32)
for n in (8, 9):
    done = avelang.tune(slow, {"how": ("right", "off", "nan", "also", "part")}, x[:n], out[:n], outputs="out", name="slow",
                        reference=lambda x: 2 * x, progress=False, force=False, clock=FakeClock(lambda call: len(call.choice.how)))
    print("done", n, done.choice.how, sorted(v.status for v in done.verdicts.values()), flush=True)
"""


def start(place, *args):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, os.getcwd()]), "AVE_TUNED": str(place)}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *args], env=env, stdout=subprocess.PIPE, text=True)


def test_a_killed_tuner_goes_on(tmp_path):
    place = tmp_path / "tuned.txt"
    with start(place, "stay") as process:
        seen = []
        for line in process.stdout:
            seen.append(line.strip())
            if seen.count("also") == 2:  # the first is looked at for kernels to compile
                time.sleep(0.3)
                process.send_signal(signal.SIGKILL)
    assert seen[-4:] == ["right", "off", "nan", "also"] and process.returncode == -signal.SIGKILL
    journal = place.with_name("tuned.txt.journal")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [(x["choice"].split('"')[1], x["status"]) for x in lines if x["status"] in ("wrong", "failed")] == [("off", "wrong"), ("nan", "wrong")]
    # A kill may cut a line off.
    with open(journal, "a") as out:
        out.write('{"problem": "x", "cho')
    with start(place) as process:
        text = process.stdout.read()
    first, second = text.split("done 8")
    assert "off" not in first.split() and "nan" not in first.split() and "also" in first.split(), "known to be wrong"
    assert "off" in second.split() and text.count("done") == 2
    assert len(tables.read(place)) == 2 and not journal.exists()
    with start(place) as process:
        assert process.stdout.read().split("\n")[:2] == ["done 8 also ['known']", "done 9 also ['known']"]


def test_what_ends_the_process_twice_is_left_out(tmp_path):
    place = tmp_path / "tuned.txt"
    for _ in range(2):
        with start(place, "end") as process:
            assert "also" in process.stdout.read().split()
        assert process.returncode == 3
    with start(place, "end") as process:
        text = process.stdout.read()
    assert "done 8 right ['failed'," in text, text


def test_notes(tmp_path):
    file = tmp_path / "t.txt"
    one, two = Journal(file, "p"), Journal(file, "q")
    one.note("a=1", "wrong", "off")
    two.note("a=1", "good")
    one.note("a=1", "running")
    assert Journal(file, "p").known == {"a=1": ("running", "")} and Journal(file, "q").known == {"a=1": ("good", "")}
    one.close()
    assert Journal(file, "p").known == {} and Journal(file, "q").known
    two.close()
    assert not (tmp_path / "t.txt.journal").exists()
    without = Journal(None, "p")
    without.note("a=1", "wrong")
    without.close()
    assert without.known and [x.name for x in tmp_path.iterdir()] == [".t.txt.journal.lock"]


def test_an_interrupt_is_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("AVE_TUNED", str(tmp_path / "t.txt"))

    def way(x, n):
        if n == 2:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        avelang.tune(way, {"n": (1, 2)}, np.ones(3, np.float32), reference=lambda x: x, progress=False)
    assert not (tmp_path / "t.txt").exists()
