"""Numbers and structs that native code and Python share. Made by `./dev native` of `cpu.h`."""

import ctypes

BARRIERS = 16
PATIENCE = 4096
STUCK = 2
HALTED = 3


class WaveBarrier(ctypes.Structure):
    """A barrier: threads that have come, how often it has opened."""

    __slots__ = ()
    _fields_ = [
        ("count", ctypes.c_uint32),
        ("opened", ctypes.c_uint32),
    ]


class WaitState(ctypes.Structure):
    """The counters at which waves of a block, or of a cluster, wait for one another. `turns`: given away in a row;
    `live`: waves that have not finished; `lanes`: threads of a wave; `home`: the state in which turns are counted,
    the cluster's or this one; `first`: bytes from this block's memory to that of rank 0."""

    __slots__ = ()
    _fields_ = [
        ("barriers", WaveBarrier * BARRIERS),
        ("turns", ctypes.c_uint32),
        ("live", ctypes.c_uint32),
        ("lanes", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("home", ctypes.c_void_p),
        ("first", ctypes.c_int64),
        ("rest", ctypes.c_int64 * 4),
    ]


class CoroutinePlan(ctypes.Structure):
    """The way in which `ave_run_coroutines` runs a kernel: blocks of a cluster (1, 1, 1 without), waves of a block,
    lanes of a wave; in the memory that is lent, bytes of a block, where in those its `WaitState` is, and where the
    cluster's is, which is the block's where there is no cluster; whether arrivals are counted."""

    __slots__ = ()
    _fields_ = [
        ("cluster", ctypes.c_uint32 * 3),
        ("waves", ctypes.c_uint32),
        ("lanes", ctypes.c_uint32),
        ("counted", ctypes.c_uint32),
        ("stride", ctypes.c_int64),
        ("state", ctypes.c_int64),
        ("whole", ctypes.c_int64),
    ]


class BoundsRecord(ctypes.Structure):
    """The report of a check (`ir.bounds_report`): 1 once a lane has begun to write; then the numbers."""

    __slots__ = ()
    _fields_ = [
        ("taken", ctypes.c_uint64),
        ("site", ctypes.c_uint64),
        ("block", ctypes.c_uint64 * 3),
        ("thread", ctypes.c_uint64),
        ("values", ctypes.c_uint64 * 0),
    ]
