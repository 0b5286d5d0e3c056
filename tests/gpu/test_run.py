"""The GPU suite's own judgment, without a GPU: what a sanitizer says is read, what goes over its time is ended, and one failure fails the suite."""

import sys

import pytest

from gpu import run
from gpu.run import Step, judged

CLEAN = "========= COMPUTE-SANITIZER\nok\n========= ERROR SUMMARY: 0 errors\n"
FOUND = (
    "========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n=========     at k+0x40\n========= ERROR SUMMARY: 3 errors\n"
)
RACES = "========= COMPUTE-SANITIZER\n========= Warning: Race reported between\n========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n"
NO_RACES = "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"


@pytest.mark.parametrize(
    ("sanitizer", "status", "text", "state", "said"),
    [
        ("clean", 0, CLEAN, "ok", "nothing found"),
        ("clean", 0, NO_RACES, "ok", "nothing found"),
        ("clean", 0, FOUND, "FAIL", "3 found: ========= Invalid __global__ write"),
        ("clean", 0, RACES, "FAIL", "1 found: ========= Warning: Race"),
        ("clean", 1, CLEAN, "FAIL", "status 1"),
        ("clean", 0, "Error: unsupported device\n", "FAIL", "has not said what it found; last: Error"),
        ("clean", None, CLEAN, "FAIL", "over its limit"),
        ("caught", 1, FOUND, "ok", "3 found, as it should"),
        ("caught", 0, CLEAN, "FAIL", "did not find"),
        ("", 0, "ok   a\n3 of 3 checks pass\n", "ok", "3 of 3"),
        ("", 1, "ok   a\nFAIL b  wrong\n2 of 3 checks pass\n", "FAIL", "FAIL b  wrong"),
    ],
)
def test_judgment(sanitizer, status, text, state, said):
    got = judged(Step("s", [], 1, sanitizer), status, text)
    assert got[0] == state and said in got[1]


def test_a_step_is_ended_at_its_limit_with_what_it_started(tmp_path):
    code = "import os, subprocess, sys, time\nprint(os.environ['OUT'], flush=True)\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    done = run.run(Step("slow", [sys.executable, "-c", code], 0.7), tmp_path)
    assert done.state == "FAIL" and done.seconds < 20 and str(tmp_path / "slow") in done.said
    assert run.run(Step("quick", [sys.executable, "-c", "print('well')"], 20), tmp_path).said == "well"
    assert "well" in (tmp_path / "quick" / "log.txt").read_text()


def test_every_kernel_goes_under_every_tool():
    names = [s.name for s in run.steps(["a", "b"], "/bin/compute-sanitizer")]
    assert len(set(names)) == len(names) and {f"{tool}_{k}" for tool in run.TOOLS for k in ("a", "b", "control")} <= set(names)
    assert {"cuda", "nvptx_1", "tile", "kernels_a", "kernels_b"} <= set(names)
    assert not any(s.sanitizer for s in run.steps(["a"], None))
    table = run.table([Step("a", [], 1, state="ok", said="well"), Step("longer", [], 1, state="FAIL", said="bad")])
    assert table.splitlines()[1].startswith("FAIL longer")
