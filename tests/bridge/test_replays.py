"""Calls by XLA that are made again without their host function, on a stub of the driver (tests/runtime/cuda_stub.c): what is launched then is what the host
function launches on the same memory."""

from __future__ import annotations

import random

import ml_dtypes  # noqa: F401  (names of dtypes)
import numpy as np
import pytest
from tests.bridge.stub_memory import StubMemory, machine_with

import avelang
import avelang.language as al
from avelang import ops
from avelang.base.errors import AveError
from avelang.bridge import replays
from avelang.bridge.registry import OPERATIONS
from avelang.runtime import launch_log, streams

pytest.importorskip("torch")  # the stub's module wants it
STREAM = 0x3330
FACTOR = 2


@avelang.jit
def scaled(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, more: al.u64):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f32, al.make_layout((n,), (1,))) for p in (x, y))
    if i < n:
        Y[i] = X[i] * FACTOR + al.convert(more, al.f32)


@pytest.fixture(scope="module")
def driver():
    """One for all tests: kernels stay loaded."""
    with machine_with(STREAM) as made:
        yield made


class Calls(StubMemory):
    """Calls of a host function on memory of the stub's GPU."""

    def __init__(self, machine, host, *shapes, dtype="float32"):
        super().__init__(machine, host, STREAM, dtype)
        self.shapes, self.text = shapes, f"call {random.random()}"

    def __call__(self, buffers=None):
        """Makes a call; returns the arguments of its last launch, with the words of tensor maps."""
        given = self.buffers(self.shapes) if buffers is None else buffers
        with streams.entered(STREAM):
            replays.call(self.text, given, STREAM, self, None, lambda room: self.run(given, room))
        return self.last()


def test_a_call_like_two_before_is_its_launches(driver):
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, 7), (200,), (200,))
    for _ in range(6):
        buffers = calls.buffers(calls.shapes)
        assert calls(buffers)[2] == [buffers[0].address, buffers[1].address, 200, 7]
    assert calls.served == 3  # it is compiled, and noted twice
    other = Calls(driver, calls.host, (100,), (200,))
    other.text = calls.text
    other()
    assert other.served == 1  # another shape


def test_new_memory_moves(driver):
    def host(x, y):
        first, second = (np.empty(x.shape, x.dtype, like=x) for _ in range(2))
        scaled[4, 64](x, first, 200, 0)
        scaled[4, 64](first, second, 200, 0)
        scaled[4, 64](second[8:], y, 192, 0)

    calls = Calls(driver, host, (200,), (200,))
    for _ in range(5):
        buffers = calls.buffers(calls.shapes)
        before = len(calls.kept)
        inside = calls(buffers)[2]
    assert calls.served == 3 and len(calls.kept) == before + 1  # of XLA's memory one piece, for both
    start = calls.kept[-1].ctypes.data
    assert start <= inside[0] < start + 4096 + 2048 and (inside[0] - 32) % 128 == 0 and inside[1:] == [buffers[1].address, 192, 0]


@pytest.mark.parametrize(("name", "shapes"), [("matrices", ((256, 512), (512, 384), (256, 384))), ("matrices", ((72, 1000), (1000, 136), (72, 136)))])
def test_tensor_maps_are_those_of_the_memory(driver, name, shapes):
    assert ops.matmul
    operation = OPERATIONS[f"avelang::{name}"]
    calls = Calls(driver, lambda a, b, y: operation.host(a, b, None, y), *shapes, dtype="bfloat16")
    for _ in range(3):
        calls()
    buffers = calls.buffers(calls.shapes)
    again = calls(buffers)
    assert calls.served == 3
    plain = calls.plainly(buffers)
    assert again[:2] == plain[:2] and again[3] == plain[3]
    moved = [i for i, (one, two) in enumerate(zip(again[2], plain[2])) if one != two]
    assert all(again[3] != [[0] * 16] * 16 for _ in moved)  # words of maps lie elsewhere each time


def test_an_array_that_comes_twice(driver):
    calls = Calls(driver, lambda x, y, z: scaled[4, 64](y, z, 200, 0), *((200,),) * 3)
    for _ in range(5):
        x, _, z = calls.buffers(calls.shapes)
        assert calls([x, x, z])[2][:2] == [x.address, z.address]
    assert calls.served == 3
    x, y, z = calls.buffers(calls.shapes)
    assert calls([x, y, z])[2][:2] == [y.address, z.address] and calls.served == 4


def test_what_differs_from_call_to_call_is_never_repeated(driver):
    count = iter(range(100))
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, next(count)), (200,), (200,))
    for i in range(12):
        assert calls()[2][3] == i
    assert calls.served == 12


def test_an_address_as_a_number_is_never_repeated(driver):
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, x.address + 8), (200,), (200,))
    same = calls.buffers(calls.shapes)  # at first, as XLA's often are
    for i in range(8):
        buffers = same if i < 4 else calls.buffers(calls.shapes)
        assert calls(buffers)[2][3] == buffers[0].address + 8


def test_a_launch_without_a_note_is_never_left_out(driver):
    """As those of the instruction level, which go another way to the driver."""
    other = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, 0), (200,), (200,))
    with launch_log.noting() as log:
        other()
    (noted,) = log.done

    def host(x, y):
        scaled[4, 64](x, y, 200, 0)
        noted.program.run(noted.call.at, noted.call.bound, noted.call.names, STREAM)

    calls = Calls(driver, host, (200,), (200,))
    for i in range(8):
        before = driver.launches
        calls()
        assert driver.launches == before + 2 and calls.served == i + 1


def test_a_users_kernel_that_reads_another_value_now(driver):
    global FACTOR
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, 0), (200,), (200,))
    try:
        for _ in range(5):
            calls()
        assert calls.served == 3
        FACTOR = 5
        calls()
        assert calls.served == 4
    finally:
        FACTOR = 2


def test_checks_see_each_launch(driver, monkeypatch):
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, 0), (200,), (200,))
    for _ in range(5):
        calls()
    monkeypatch.setenv("AVE_CHECK", "launch")
    calls()
    assert calls.served == 4
    monkeypatch.delenv("AVE_CHECK")
    calls()
    assert calls.served == 4


def test_a_launch_that_the_driver_refuses(driver):
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, 0), (200,), (200,))
    for _ in range(4):
        calls()
    driver.fail("launch", 701)
    with pytest.raises(AveError) as e:
        calls()
    assert e.value.code == "L032" and calls.served == 3
    calls()  # the next one is well


def test_nothing_is_known_of_calls_without_a_launch(driver):
    calls = Calls(driver, lambda x, y: None, (200,), (200,))
    with streams.entered(STREAM):
        for _ in range(6):
            given = calls.buffers(calls.shapes)
            replays.call(calls.text, given, STREAM, calls, None, lambda room: setattr(calls, "served", calls.served + 1))
    assert calls.served == 6


def test_other_last_bits_of_an_address_are_another_call(driver):
    calls = Calls(driver, lambda x, y: scaled[4, 64](x, y, 200, 0), (200,), (200,))
    for _ in range(4):
        calls()
    x, y = calls.buffers(calls.shapes)
    calls([x._replace(address=x.address + 64), y])
    assert calls.served == 4
