"""The named pipelines of a GEMM's loop over K: a name comes in; the chips that have it, its buffers in shared memory
and the order of its stages go out."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
from avelang.arch import chip as chip_of
from avelang.base.notebook import DrawnInNotebooks
from avelang.base.places import wrong
from avelang.base.takes import takes
from avelang.frontend.source import Jitted
from avelang.frontend.structs import Pure

# Stages of one tile of K, in their order, and the unit that does the work of each.
STAGES: dict[str, str] = {
    "global": "memory",  # global memory into registers
    "async": "memory",  # global memory into shared memory, without registers
    "store": "shared",  # registers into shared memory
    "read": "shared",  # shared memory into registers
    "mma": "matrix",
}


@avelang.constant
@dataclasses.dataclass(frozen=True)
class Pipeline(DrawnInNotebooks):
    """One way to overlap. `stages`: of a tile of K, names of `STAGES`; `ahead`: how many tiles before its product the
    first stage of a tile begins; `buffers`: tiles of A and B in shared memory at once; `groups`: of waves that take
    turns; `promoted`: which operands pass through shared memory; `needs`: features of which a chip has one, or a
    vendor. `held`: how many times a `Block`'s k of A and B is in shared memory, 0 for as often as its ring has stages;
    `deep`: of how many fragments that k must be, 0 for any number; `apart`: whether buffers are one fragment deep, and
    each fragment of k has its barrier; `ring`: whether from sm_80 on A and B go through a ring of cp.async instead.
    Of a pipeline of one's own (`register_pipeline`): `loop`, a jit function (G, A, B, k, stages) that gives the tile of
    C, and `policy`, a compile-time function (G, chip's name) that gives the block's product to use, or None."""

    name: str
    stages: tuple[str, ...]
    ahead: int
    buffers: int
    about: str
    groups: int = 1
    promoted: tuple[int, ...] = (0, 1)
    needs: tuple[str, ...] = ()
    held: int = 1
    deep: int = 0
    apart: bool = False
    ring: bool = False
    loop: Any = None
    policy: Any = None

    def barriers(self, fragments: int) -> int:
        """Barriers of a block in one step of a `Block`'s k, which is so many fragments deep."""
        if self.apart:
            return fragments
        return 0 if self.name == "tma" else 2 if self.buffers == 1 or self.groups == 2 else 1

    def missing(self, target: str) -> str:
        """Reason why a chip does not have it; empty where it does."""
        chip = chip_of(target)
        if not self.needs or chip.vendor in self.needs or chip.features & set(self.needs):
            return ""
        return f"{target} has none of {', '.join(self.needs)}"


# fmt: off
REGISTERS, ASYNC = ("global", "store", "read", "mma"), ("async", "read", "mma")
PIPELINES: dict[str, Pipeline] = {
    p.name: p
    for p in (
        Pipeline("single", REGISTERS, 0, 1, "one buffer, nothing overlaps within a wave"),
        Pipeline("prefetch", REGISTERS, 1, 1, "the next tile comes into registers during the products"),
        Pipeline("double-buffer", REGISTERS, 3, 2, "the next tile goes into the other buffer during the products",
                 deep=2, apart=True),
        Pipeline("ping-pong", REGISTERS, 2, 2, "two groups of waves: one computes while the other copies", groups=2,
                 held=2),
        Pipeline("preshuffled", REGISTERS, 3, 2, "B lies in global memory as its fragments do, and skips shared memory "
                 "(not on NVIDIA, from sm_80 on: there a ring)", promoted=(0,), deep=2, apart=True, ring=True),
        Pipeline("streamed", REGISTERS, 3, 2, "for few rows: B goes straight into registers from where it lies, a tile "
                 "ahead; A by two buffers (on NVIDIA, from sm_80 on, both by a ring)", promoted=(0,), held=2,
                 ring=True),
        Pipeline("direct-to-lds", ASYNC, 2, 2, "buffer loads write LDS, into buffers one fragment deep", needs=("amd",),
                 held=0, apart=True),
        Pipeline("cp-async", ASYNC, 3, 4, "copies of 16 bytes into shared memory, three of four tiles in flight",
                 needs=("sm_80",), held=0),
        Pipeline("tma", ("async", "mma"), 3, 4, "TMA fills shared memory, a warp of its own asks it; wgmma reads "
                 "there, on sm_100a tcgen05, with sums in tensor memory", groups=2, needs=("sm_90a", "sm_100a"),
                 held=0),
    )
}
# fmt: on


BUILT_IN = tuple(PIPELINES)


@takes("T301")
def register_pipeline(
    name: str, loop: Any, *, about: str = "", stages: tuple[str, ...] = REGISTERS, ahead: int = 0, buffers: int = 1,
    policy: Any = None, needs: tuple[str, ...] = (), held: int = 1, deep: int = 0
) -> Pipeline:
    """Makes `loop` a pipeline that a `Block` chooses by name: a function marked `@avelang.jit`, called with the block's
    product G (a `BlockGemm`), windows of A and B at the tile's first step, the extent of K, and the block's `stages`;
    it gives the tile of C, in `G.c`. `policy`: a function marked `@avelang.constant`, (G, chip's name) -> G, which
    changes the product before distributions are made of it. The rest describes it, as of `Pipeline`: for pictures, and
    for checks (`needs`, `deep`). A name of one's own may be given anew: blocks made from then on have the new one.
    Raises T301 for a name that Ave has, for a `loop` or `policy` that is not marked, and for unknown stages."""
    if not isinstance(name, str) or not name or name in BUILT_IN:
        raise wrong("T301", what="the name of a pipeline of one's own",
                    want=f"a text, and none of {', '.join(BUILT_IN)}", got=repr(name))
    if not isinstance(loop, Jitted):
        raise wrong("T301", what="the loop of a pipeline", want="a function marked @avelang.jit: (G, A, B, k, stages)",
                    got=repr(loop))
    if policy is not None and not isinstance(policy, Pure):
        raise wrong("T301", what="the policy of a pipeline",
                    want="a function marked @avelang.constant: (G, chip's name)", got=repr(policy))
    if not stages or any(s not in STAGES for s in stages):
        raise wrong("T301", what="the stages of a pipeline", want=f"some of {', '.join(STAGES)}", got=repr(stages))
    found = Pipeline(name, tuple(stages), ahead, buffers, about, needs=tuple(needs), held=held, deep=deep, loop=loop,
                     policy=policy)
    PIPELINES[name] = found
    return found


@takes("T301")
def pipeline(name: str) -> Pipeline:
    """The pipeline of that name. Raises T301 with the names that there are."""
    if name not in PIPELINES:
        raise wrong("T301", what="a pipeline", want=f"one of {', '.join(PIPELINES)}", got=repr(name))
    return PIPELINES[name]


def in_tensor_memory(target: str) -> bool:
    """True for a chip on which the pipeline "tma" multiplies by tcgen05, with sums in tensor memory."""
    return "sm_100a" in chip_of(target).features


@dataclasses.dataclass(frozen=True, slots=True)
class StageSpan:
    """One stage of one tile of K on a timeline: in which slot of time it starts, and how many it takes."""

    tile: int
    stage: str
    group: int
    start: int
    length: int = 1


def timeline(p: Pipeline, tiles: int) -> list[StageSpan]:
    """The stages of `tiles` tiles of K, for each group of waves, in slots of time of equal length.

    The stages of a tile follow one another, and so do tiles in each stage. The first stage of a tile begins no sooner
    than the product of the tile `ahead` before it (with 0: than the end of the last product). A buffer is written when
    what it held has been read. Where groups take turns, one product runs at a time."""
    turns = p.groups if p.name == "ping-pong" else 1
    frees = "read" if "read" in p.stages else "mma"
    start: dict[tuple[int, int, str], int] = {}
    pipe = 0  # the first slot in which the matrix pipe is free
    for t in range(tiles):
        for g in range(turns):
            at = 0
            for s in p.stages:
                least = [at]
                if t:
                    least.append(start[g, t - 1, s] + 1)
                if s == p.stages[0] and t:
                    least += (
                        [start[g, t - 1, "mma"] + 1]
                        if p.ahead == 0
                        else [start[g, t - p.ahead, "mma"]]
                        if t >= p.ahead
                        else []
                    )
                if s in ("store", "async") and t >= p.buffers:
                    least.append(start[g, t - p.buffers, frees] + 1)
                if s == "mma":
                    least.append(pipe)
                at = start[g, t, s] = max(least)
                pipe = at + 1 if s == "mma" else pipe
                at += 1
    return [StageSpan(t, s, g, at) for (g, t, s), at in start.items()]
