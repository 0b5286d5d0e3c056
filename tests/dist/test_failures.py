"""Ranks that die, that never come, that disagree; communicators beside one another; and what a copy engine is told."""

import glob
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest

from avelang.dist import World
from avelang.dist.copies import EngineQueue
from avelang.dist.group import SHARED_FILES

PROGRAM = pathlib.Path(__file__).with_name("gloo_failures.py")
ROOT = PROGRAM.parents[2]


def test_processes_of_which_one_is_killed(tmp_path):
    pytest.importorskip("torch")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GLOO_SOCKET_IFNAME": "lo"}
    before, start = set(glob.glob(f"{SHARED_FILES}/avelang-ranks-*")), time.monotonic()
    args = [[sys.executable, str(PROGRAM), str(r), "3", str(tmp_path / "store")] for r in range(3)]
    running = [subprocess.Popen(a, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for a in args]
    said = [p.communicate(timeout=100) for p in running]
    assert [p.returncode for p in running] == [0, 0, -9], said
    assert time.monotonic() - start < 150
    for out, _ in said:
        lines = dict(line.split(" ", 1) for line in out.splitlines())
        assert lines["bytes"].startswith("L081") and "`bytes`" in lines["bytes"]
        for what in ("shape", "dtype"):
            assert lines[what].startswith("L081") and f"`{what}` is" in lines[what]
        assert lines["option"].startswith("L081") and "`shots` is" in lines["option"]
        assert lines["goes"] == "on True"
    for out, _ in said[:2]:
        lines = dict(line.split(" ", 1) for line in out.splitlines())
        for what in ("died", "again"):
            assert lines[what].startswith("L080") and "for rank 2" in lines[what], lines
    assert set(glob.glob(f"{SHARED_FILES}/avelang-ranks-*")) <= before


def test_a_copy_that_waits_for_a_rank_that_does_not_come_ends():
    def program(m):
        words = m.empty(8, np.uint32)
        if m.rank:
            return None
        with pytest.raises(Exception, match="for rank 1: its signal is 0, epoch 3"), m.copying(lambda q: q.wait(m.own(words), 1, 3, 1)):
            pass

    World(2, limit=0.3, bytes=1 << 14).run(program)


class Driver:
    """A driver that keeps what it is told."""

    def __init__(self):
        self.said = []

    def extra(self, symbol, args):
        def called(doing, *values):
            assert len(values) == len(args)
            self.said.append((symbol, *values))

        return called


class Tensor:
    """As much of torch's as is asked for."""

    def __init__(self, address, count=0):
        self.address, self.count = address, count

    def data_ptr(self):
        return self.address

    def numel(self):
        return self.count

    def element_size(self):
        return 2


class Stream:
    def __init__(self, cuda_stream):
        self.cuda_stream = cuda_stream


def test_what_the_driver_is_told():
    """By CUDA's driver API: cuStreamWaitValue32(stream, address, value, GEQ), cuMemcpyDtoDAsync(to, from, bytes, stream), cuStreamWriteValue32(..., 0); waits of a
    rank that does not come are ended from another stream."""
    driver = Driver()
    queue = EngineQueue(driver, Stream(7), Stream(9))
    queue.wait(Tensor(4096), 2, 2**32 + 5, 2)
    queue.copy(Tensor(8192), Tensor(12288, 64))
    queue.signal(Tensor(4096), 3, 6)
    queue.release()
    assert driver.said == [
        ("cuStreamWaitValue32_v2", 7, 4104, 5, 0), ("cuMemcpyDtoDAsync_v2", 8192, 12288, 128, 7),
        ("cuStreamWriteValue32_v2", 7, 4108, 6, 0), ("cuStreamWriteValue32_v2", 9, 4104, 5, 0),
    ]  # fmt: skip
