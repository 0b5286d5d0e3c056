"""Several ranks: symmetric memory, and launches that reach the memory of other ranks.

A `World` holds all ranks in this process, for programs that run with no GPU: on the CPU, a thread for each rank, or on
the reference, which permutes who comes when and finds races, missing fences and waits without an end. A `Group` is one
rank of many processes. Kernels say `al.peer`, `al.rank`, `al.signal`, `al.wait`; see docs/dist.md."""

from avelang.dist.group import Group, connect
from avelang.dist.memory import Symmetric
from avelang.dist.one_device import OneDevice
from avelang.dist.world import World

__all__ = ["Group", "OneDevice", "Symmetric", "World", "connect"]
