"""Timelines of pipelines: rules that any run must keep, looked at slot by slot, and how fast each is."""

from __future__ import annotations

import re

import pytest

import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile import PIPELINES, Block, pipeline
from avelang.tile.pipelines import STAGES, timeline
from avelang_kernels.matmul.tile_gemm import build

TILES = 12


@pytest.mark.parametrize("p", PIPELINES.values(), ids=lambda p: p.name)
def test_a_timeline_keeps_the_rules(p):
    spans = timeline(p, TILES)
    start = {(s.group, s.tile, s.stage): s.start for s in spans}
    groups = sorted({s.group for s in spans})
    assert len(spans) == len(start) == TILES * len(p.stages) * len(groups) and set(p.stages) <= set(STAGES)
    for g in groups:
        for slot in range(max(start.values()) + 1):
            for stage in p.stages:
                assert sum(start[g, t, stage] == slot for t in range(TILES)) <= 1, "one tile in a stage at a time"
            # A tile occupies a buffer from the slot in which it is written until it has been read.
            writes, reads = (
                next(s for s in p.stages if s in ("store", "async")),
                "read" if "read" in p.stages else "mma",
            )
            held = [t for t in range(TILES) if start[g, t, writes] <= slot <= start[g, t, reads]]
            assert len(held) <= p.buffers
        for t in range(TILES):
            order = [start[g, t, s] for s in p.stages]
            assert order == sorted(set(order)), "the stages of a tile follow one another"
            if p.ahead and t >= p.ahead:
                assert start[g, t, p.stages[0]] >= start[g, t - p.ahead, "mma"]
    products = [start[g, t, "mma"] for g in groups for t in range(TILES)]
    assert len(products) == len(set(products)), "one matrix pipe"


def test_how_far_the_products_are_apart():
    """In the steady state: all four stages one after another, the load hidden, everything hidden."""

    def apart(name: str) -> list[int]:
        at = sorted(s.start for s in timeline(pipeline(name), TILES) if s.stage == "mma")
        return sorted(set(b - a for a, b in zip(at[4:], at[5:], strict=False)))

    assert apart("single") == [4] and apart("prefetch") == [3]
    for name in ("double-buffer", "ping-pong", "preshuffled", "direct-to-lds", "cp-async", "tma"):
        assert apart(name) == [1], name


def test_ping_pong_asks_two_tiles_ahead():
    """As the loop does: during the product of a tile a group asks for the one after the next, and its next turn puts
    that into shared memory."""
    start = {(s.group, s.tile, s.stage): s.start for s in timeline(pipeline("ping-pong"), TILES)}
    for g in range(2):
        for t in range(2, TILES):
            assert start[g, t, "global"] >= start[g, t - 2, "mma"] and start[g, t, "store"] > start[g, t - 1, "store"]
    turns = sorted((at, g) for (g, _, stage), at in start.items() if stage == "mma")
    assert [g for _, g in turns] == [0, 1] * TILES


def test_which_chips_have_which():
    assert pipeline("tma").missing("sm_90a") == pipeline("tma").missing("sm_100a") == ""
    assert pipeline("tma").missing("sm_80") == "sm_80 has none of sm_90a, sm_100a"
    assert pipeline("cp-async").missing("sm_90a") == "" and pipeline("direct-to-lds").missing("gfx950") == ""
    assert pipeline("direct-to-lds").missing("sm_80") and not pipeline("single").missing("gfx90a")
    with pytest.raises(AveError, match="a pipeline must be one of single, ") as e:
        pipeline("triple")
    assert e.value.code == "T301"


@pytest.mark.parametrize(("name", "k"), [("double-buffer", 128), ("double-buffer", 32), ("preshuffled", 128)])
def test_pipelines_that_want_two_fragments(name, k):
    """K of a step by halves, one fragment each: the error says how long a fragment is."""
    assert Block(64, 64, 64, pipeline=name).on("gfx942", al.bf16).steps == pipeline(name).deep == 2
    with pytest.raises(AveError, match=f"wants k to be 2 fragments of (32|16), and it is {k}") as e:
        Block(64, 64, k, pipeline=name).on("gfx942", al.bf16)
    assert e.value.code == "T307"
    assert Block(64, 64, k, pipeline="prefetch").on("gfx942", al.bf16).k == k


@pytest.mark.parametrize("waves", [(1, 1), (3, 1)])
def test_turns_want_an_even_number_of_waves(waves):
    """One wave would be two groups of half a wave, which wait for one another for ever."""
    with pytest.raises(AveError, match="wants an even number of waves") as e:
        Block(96, 32, 32, waves, "ping-pong").on("sm_80", al.bf16)
    assert e.value.code == "T307"


LOOPS = [Block(64, 64, 64, pipeline=name) for name in ("single", "double-buffer", "ping-pong", "preshuffled")]
LOOPS += [
    Block(64, 64, 64, pipeline="direct-to-lds", stages=2), Block(64, 64, 128, pipeline="prefetch"),
    Block(64, 64, 32, (2, 2), "ping-pong")
]
LOOPS += [Block(16, 64, 128, (1, 2), "streamed")]


@pytest.mark.parametrize("block", LOOPS, ids=lambda b: f"{b.pipeline}-{b.k}-{b.stages}")
def test_barriers_are_those_of_the_code(block):
    """Of gfx942's main loop, for as many steps of K as its matrix instructions are."""
    G = block.on("gfx942", al.bf16)
    loop = compile_text(build(block, al.bf16, al.bf16), {}, (G.threads, 1, 1), "gfx942", "asm")
    loops = [body for _, body in re.findall(r"^(\.LBB\d+_\d+):(.*?)s_cbranch_\w+ \1$", loop, re.MULTILINE | re.DOTALL)]
    body = max(loops, key=lambda b: b.count("v_mfma"))
    products = G.count[0] * G.count[1] * G.k // G.mma.k * G.mma.unroll
    assert body.count("v_mfma") % products == 0
    assert body.count("s_barrier") == body.count("v_mfma") // products * pipeline(block.pipeline).barriers(G.steps) > 0
