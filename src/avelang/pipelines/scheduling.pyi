"""Made by `./dev stubs` from src/avelang/pipelines/scheduling.py."""

from typing import Any

import avelang

VALU: Any
MFMA: Any
VMEM_READ: Any
DS_READ: Any
DS_WRITE: Any
@avelang.jit
def sched_group(kind: Any, count: Any) -> None:
    """The next `count` instructions of a kind stand together."""
@avelang.jit
def sched_interleave(kind: Any, count: Any, products: Any, group: Any = ...) -> None:
    """`count` groups of `group` instructions of a kind, each followed by so many matrix instructions."""
def spread(products: Any, *groups: Any) -> Any:
    """Hints, as of `sched_interleave`, that spread groups of instructions, (kind, count) each, evenly over so many
    matrix instructions: in bursts they would fill the queues of LDS and memory, and waves that come from a barrier
    together would all wait."""
@avelang.jit
def sched_barrier() -> None:
    """No instruction moves across."""
@avelang.jit
def setprio(priority: Any) -> None:
    """Priority of the wave among those of its SIMD, 0 to 3."""
