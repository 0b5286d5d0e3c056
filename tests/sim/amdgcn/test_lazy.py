"""Code that is made block by block: only what runs, the same as all at once, and kept for the next process."""

import numpy as np
import pytest

from avelang import executor
from avelang.base.errors import AveError
from avelang.sim.amdgcn.lazy import BASE, Store
from sim.amdgcn.programs import assemble, start

# Lanes add up 1 to s4, by a loop; s5 chooses a part that is not there for some.
BODY = """
	v_mov_b32 v1, 0
	s_cmp_eq_u32 s5, 0
	s_cbranch_scc1 loop
	v_screen_partition_4se_b32 v1, v1
loop:
	v_add_u32 v1, s4, v1
	ds_write_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v2
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 loop
"""
INPUTS = {"s4": 10, "s5": 0, "v2": 4 * np.arange(64, dtype=np.uint32)}


class Shelf:
    """A store in memory."""

    def __init__(self):
        self.held: dict = {}
        self.saved = 0
        self.store = Store(lambda parts: self.held.get(repr(parts)), self.save)

    def save(self, parts, meta, payload):
        self.held[repr(parts)] = meta, payload
        self.saved += 1


@pytest.mark.parametrize("check", [False, True])
def test_only_what_runs_is_made(check):
    machine = assemble(BODY, lds=256, lazy=True, check=check)
    assert not machine.lazy._objects
    assert (start(machine, INPUTS, groups=3, threads=2)["v1"] == 55).all()
    blocks = [name for name in machine.lazy._objects if name != BASE]
    assert len(blocks) == 4 and not machine.ready.unknown  # the start, the loop's two halves, the end
    with pytest.raises(AveError, match=r"\[X021\].*v_screen_partition_4se_b32"):
        start(machine, {**INPUTS, "s5": 1})
    assert len(machine.lazy._objects) == 6


def test_kept():
    shelf = Shelf()
    first = assemble(BODY, lds=256, lazy=True, store=shelf.store)
    start(first, INPUTS)
    again = assemble(BODY, lds=256, lazy=True, store=shelf.store)
    assert (start(again, INPUTS)["v1"] == 55).all() and shelf.saved == 1 and again.lazy._work is None
    with pytest.raises(AveError, match="X021"):  # a block that is not on the shelf, which uses what is
        start(again, {**INPUTS, "s5": 1})
    start(again, INPUTS)
    assert shelf.saved == 2
    with pytest.raises(AveError, match=r"\[X021\].*v_screen_partition_4se_b32.*not modeled"):
        start(assemble(BODY, lds=256, lazy=True, store=shelf.store), {**INPUTS, "s5": 1})
    for other in ({"check": True}, {"profile": True}, {"mutable": True, "check": True}):
        start(assemble(BODY, lds=256, lazy=True, store=shelf.store, **other), INPUTS)
    start(
        assemble(BODY.replace("s_sub_u32 s4, s4, 1", "s_sub_u32 s4, s4, 2"), lds=256, lazy=True, store=shelf.store),
        INPUTS,
    )
    assert len(shelf.held) == 5


def test_a_fault_of_the_translator_is_raised(monkeypatch):
    from avelang.sim.amdgcn.program import Translating

    machine = assemble(BODY, lds=256, lazy=True)
    monkeypatch.setattr(Translating, "block", lambda self, n: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        start(machine, INPUTS)


def test_loading_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("AVE_NO_CACHE", raising=False)
    from sim.amdgcn.programs import HEAD

    text = HEAD.format(chip="gfx942", lds=256, directives="") + "v_mov_b32 v1, 1\ns_endpgm\n"
    executor.load(text)[1, 64]()
    second = executor.load(text)
    second[1, 64]()
    assert second.machine.lazy is not None and second.machine.lazy._work is None
