"""Several ranks on one NVIDIA GPU, in one process: `OneDevice`. What a rank reads of its peers is other memory of the
same GPU; kernels, signals and waits are those of several GPUs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from avelang.base.places import argument_error
from avelang.dist.group import LIMIT, GpuMemory, MetMember
from avelang.dist.memory import ALIGNED, BYTES, CONTROL, numbered
from avelang.dist.world import Meeting, first, in_threads

MOST = 4  # ranks: their waiting blocks must all have room
BLOCKS = 8  # of a collective, of each rank


class OneDevice:
    """`ranks` ranks (1 to 4) on GPU `device`, each with `bytes` bytes of symmetric memory and a stream of its own.

    A kernel that waits for a rank holds its multiprocessors until that rank's kernel has run, so such kernels take no
    more than their share of them. `limit`: seconds after which waits end with L080. Raises L066."""

    def __init__(self, ranks: int, *, device: int = 0, bytes: int = BYTES, limit: float = LIMIT):
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_available() or not torch.version.cuda:
            raise argument_error("OneDevice needs an NVIDIA GPU, and torch imported")
        if not isinstance(ranks, int) or not 1 <= ranks <= MOST:
            raise argument_error(f"`ranks` is an int from 1 to {MOST}, got {ranks!r}")
        self.ranks, self.limit, self.torch, self.device = ranks, limit, torch, device
        size = -(-max(bytes, 4 * CONTROL) // ALIGNED) * ALIGNED
        heaps = [torch.zeros(size, dtype=torch.uint8, device=f"cuda:{device}") for _ in range(ranks)]
        self.members = [_Member(self, rank, heaps) for rank in range(ranks)]

    def run(self, program: Callable[..., Any], *args: Any, together: bool = True) -> list[Any]:
        """Runs `program(member, *args)` for each rank, in a thread and on a stream each, waits for the GPU, and gives
        what they return, by rank. Raises what a rank raises; the others' waits end then.

        Not `together`: the ranks launch one by one, and wait for the GPU before the next launch. So must a program run
        first: to load a kernel the driver may wait for one that runs, which may wait for the kernel to be loaded."""
        results: list[Any] = [None] * self.ranks
        failed: dict[int, BaseException] = {}
        meeting = Meeting(self)
        self.torch.cuda.synchronize(self.device)

        def run(rank: int) -> None:
            member = self.members[rank]
            member.meeting, member.together = meeting, together
            try:
                with self.torch.cuda.device(self.device), self.torch.cuda.stream(member.stream):
                    member.stream.query()  # a thread has no context before its first call of the runtime
                    results[rank] = program(member, *args)
                    member.stream.synchronize()
                    member.check()
            except BaseException as e:  # raised below, in the thread that asked
                failed[rank] = e
                self._end()
                meeting.barrier.abort()

        in_threads(run, range(self.ranks))
        self.torch.cuda.synchronize(self.device)
        for member in self.members:
            member._memory.give_up(0)
        if failed:
            raise first(failed)
        return results

    def _end(self) -> None:
        for member in self.members:
            member._memory.give_up()


class _Member(MetMember):
    """A rank of a `OneDevice`, in a thread of its own while `OneDevice.run` runs."""

    def __init__(self, whole: OneDevice, rank: int, heaps: list[Any]):
        self._torch, self.process_group, self.limit, self.device = whole.torch, None, whole.limit, whole.device
        self.rank, self.ranks, self.name = rank, whole.ranks, numbered(f"rank {rank} of one device,")
        self.BLOCKS = self.PIECE_BLOCKS = BLOCKS
        self.stream = whole.torch.cuda.Stream(whole.device)
        self._has(GpuMemory(whole.torch, heaps, rank))

    def share(self, units: int) -> int:
        """As many multiprocessors for each rank, and as many for kernels beside them."""
        return max(1, units // (self.ranks + 1))
