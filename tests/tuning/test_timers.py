"""Clocks: the host's, torch's events (of a module of that interface), and the driver's own, on a stub of the drivers."""

from __future__ import annotations

import time
import types

import pytest
from tests.runtime import cuda, rocm

from avelang.base.errors import AveError
from avelang.tuning import provenance
from avelang.tuning import timers as clocks


def test_the_hosts_clock():
    fast, slow = clocks.WallClock().seconds([lambda: None, lambda: time.sleep(0.02)])
    assert 0 <= fast < 0.02 <= slow < 2
    assert isinstance(clocks.clock_for("cpu", True), clocks.WallClock)


class Torch:
    """As much of torch as the clock asks for; its device's time is a count of what is put on the stream."""

    def __init__(self):
        self.now, self.log = 0.0, []
        log = self.log

        class Event:
            def __init__(event, enable_timing):
                assert enable_timing

            def record(event):
                event.at = self.now
                log.append("record")

            def elapsed_time(event, end):
                assert "synchronize" in log[-1:], "events are read when the device is idle"
                return (end.at - event.at) * 1e3

        class Device:
            def __init__(device, index):
                log.append(f"device {index}")

            __enter__ = __exit__ = lambda *a: None

        self.float32 = "f32"
        self.cuda = types.SimpleNamespace(Event=Event, device=Device, _sleep=lambda cycles: log.append("sleep"),
                                          synchronize=lambda: log.append("synchronize"))

    def empty(self, count, device, dtype):
        self.log.append(f"empty {count * 4} {device}")
        return types.SimpleNamespace(zero_=lambda: self.spend(7.0, "flush"))

    def spend(self, seconds, words):
        self.now += seconds
        self.log.append(words)


def test_torchs_events():
    torch = Torch()
    clock = clocks.TorchClock(3, torch)
    calls = [lambda i=i: torch.spend(float(i), "call") for i in range(clocks.BATCH + 2)]
    assert clock.seconds(calls) == list(map(float, range(clocks.BATCH + 2))), "flushes are not in it"
    assert torch.log[:6] == [f"empty {clocks.FLUSH_BYTES} cuda:3", "device 3", "sleep", "flush", "record", "call"]
    assert torch.log.count("synchronize") == 2


@pytest.mark.parametrize("machine", [cuda.Machine, rocm.Machine], ids=["cuda", "rocm"])
def test_the_drivers_events(machine, monkeypatch):
    m = machine(monkeypatch)
    device = m.driver.device(0)
    assert provenance.device_name.__wrapped__(device.name).startswith(device.chip.name)
    assert provenance.driver(device.name) and provenance.clocks(device.name)
    clock = clocks.DriverClock(device)
    m.calls()
    ran = []
    found = clock.seconds([lambda: ran.append(1), lambda: ran.append(2)])
    assert ran == [1, 2] and found == [0.001, 0.001]  # the stub's events are a millisecond apart
    seen = [line.split()[0] for line in m.calls()]
    create, record, wait, elapsed, destroy, fill = clocks.DriverClock.SYMBOLS[m.kind]
    events = [x for x in seen if x in clocks.DriverClock.SYMBOLS[m.kind]]
    assert events == [create] * 4 + [fill, record, record] * 2 + [wait] + [elapsed] * 2 + [destroy] * 4
    m.fail(record, 719)
    with pytest.raises(AveError) as e:
        clock.seconds([lambda: None])
    assert e.value.code == "D035" and record in e.value.message
    assert m.calls()[-1].split()[0] != create, "events and memory are given back"


def test_a_driver_without_events(monkeypatch):
    m = cuda.Machine(monkeypatch)
    device = m.driver.device(0)
    monkeypatch.setitem(clocks.DriverClock.SYMBOLS, "cuda", ("cuNoSuchThing",) * 6)
    with pytest.raises(AveError, match="cuNoSuchThing") as e:
        clocks.DriverClock(device)
    assert e.value.code == "D031"
