"""No false report: some of the programs that `./dev alarms` runs, on the engines that see most of them."""

from __future__ import annotations

import pytest

from alarms.engines import engine
from alarms.everything import report
from alarms.kernels import ALONE, PROGRAMS

# Small ones, with what each has that the others have not.
SOME = (
    # blocks that arrive at one another's mbarriers
    ("hopper_gemm (64, 64, 2, 1, 2, 8, 1, 1, False, False, 1) 1 [1, 1, 8]", "ptx-exec sm_90a"),
    ("hopper_skinny (64, 2, 2, 0, 4, 1, False) [2, 64, 200]", "ptx-exec sm_90a"),  # st.async
    ("moe add_up 7 bfloat16", "gfx950-exec gfx950"),
    ("moe add_up two groups", "ptx-exec sm_80"),  # a vector load past the end of an array
    ("tutorial_gemm tiled gfx942", "gfx942-exec gfx942"),
    ("tile_gemm single (1, 1) (40, 72, 40)", "reference sm_80"),
    ("hopper_decode 3 90 40", "reference sm_90a"),  # parts of sequences that blocks add up
    ("tile_grouped depth (20, 33, 37)", "reference gfx942"),  # groups along K
    ("routing", "reference gfx90a"),
)


@pytest.mark.parametrize(("name", "where"), SOME, ids=[f"{n.partition(' ')[0]}-{w}" for n, w in SOME])
def test_nothing_is_reported(name, where, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "all")
    assert report(name, engine(where)) == ""


def test_a_bug_is_reported(monkeypatch):
    """What the sweep would say of one."""
    import numpy as np

    import avelang
    import avelang.language as al
    from alarms import everything, kernels

    @avelang.jit
    def racing(x: al.Pointer(al.i32)):  # type: ignore
        al.make_tensor(x, al.i32, al.make_layout((1,)))[0] = al.convert(al.block_id(0) + al.thread_id(0), al.i32)

    monkeypatch.setenv("AVE_CHECK", "all")
    monkeypatch.setitem(PROGRAMS, "racing", kernels.Work(lambda **o: racing[2, 64](np.zeros(1, np.int32), **o), "gfx942 sm_80"))
    for where in everything.cases("racing"):
        if where is not None and where.backend != "cpu":
            assert report("racing", where).startswith("[X04"), where


def test_the_table_has_all_kernels():
    """A module of the package whose kernels nothing runs here is an error."""
    import pathlib

    import avelang_kernels

    folder = pathlib.Path(next(iter(avelang_kernels.__path__)))
    # Kernels of several ranks run on the reference, with its checks, in tests/ops/test_dist.py and tests/dist; those of hopper_grouped and
    # hopper_batched as PTX, and those of hopper_cross_entropy, hopper_masks and hopper_norm_backward on the reference, with checks of races, in
    # their own tests.
    others = {"__init__", "activations", "collectives", "exchange", "experts", "fused", "hopper_batched", "hopper_cross_entropy", "hopper_norm_backward", "quick", "ring_attention", "rooms", "tuned_tiles", "aligned_rows", "arrays", "choice", "hopper_arrays", "hopper_attention_memory", "hopper_attention_work", "hopper_epilogues", "hopper_few", "hopper_grouped", "hopper_masks", "hopper_rule", "hopper_tiles", "hopper_types", "launches", "linear", "lines", "mi300_places", "mi300_rule", "mi300_tiles", "norm_backward", "padded", "problem", "ptx_common", "ptx_rows", "row_plans", "storage", "table", "tile_attention_rows", "tile_attention_views",
              "workspaces"}  # fmt: skip
    modules = {p.stem for p in folder.rglob("*.py")} - others
    names = {name.split()[0].replace("grouped_gemm", "tile_grouped_gemm").replace("moe", "tile_moe") for name in PROGRAMS}
    assert not {m for m in modules if not any(m.startswith(n) or n.startswith(m) for n in names)}, names
    assert any(w.chips == ALONE for w in PROGRAMS.values())
