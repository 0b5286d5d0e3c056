"""Tuning of kernels: a kernel with a space of choices comes in; the fastest choice that is right, in a table that can
be checked in, goes out. `avelang.tune` is the way in; this module has the parts (docs/tune.md)."""

from avelang.tuning.models import roofline
from avelang.tuning.provenance import device_name, device_of
from avelang.tuning.race import Clock, RaceResult, Standing, race
from avelang.tuning.space import Choice, Space
from avelang.tuning.tables import Row, Table, add, epoch, find, forget, merge, pin, pinned, read, write
from avelang.tuning.timers import DriverClock, FakeClock, TorchClock, WallClock
from avelang.tuning.tuned import Tuned, tune
from avelang.tuning.tuner import Settings, TuneResult, Verdict

__all__ = [
    "Choice", "Clock", "DriverClock", "FakeClock", "RaceResult", "Row", "Settings", "Space", "Standing", "Table",
    "TorchClock", "TuneResult", "Tuned", "Verdict", "WallClock", "add", "device_name", "device_of", "epoch", "find",
    "forget", "merge", "pin", "pinned", "race", "read", "roofline", "tune", "write",
]  # fmt: skip
