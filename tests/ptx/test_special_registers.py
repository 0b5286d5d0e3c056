"""Special registers go by the manual's names."""

from __future__ import annotations

import pytest
from tests.ptx.programs import lines, made

from avelang.base.errors import AveError
from avelang.nvptx.special_registers import SPECIAL
from avelang.ptx import ptx, reg
from avelang.ptx.types import BY_PTX


def test_every_special_register_can_be_read():
    def body():
        for name, found in SPECIAL.items():
            one = getattr(ptx.special, name[1:])
            if found.type != "pred":
                reg.from_(one.x() if found.vector else one())

    read = [line.rpartition(", ")[2] for line in lines(body, "sm_90")]
    assert read == [f"{name}.x" if s.vector else name for name, s in SPECIAL.items() if s.type != "pred"]
    assert all(s.type in BY_PTX for s in SPECIAL.values())


def test_a_predicate_among_them():
    def body():
        reg.pred(ptx.special.is_explicit_cluster())

    assert lines(body, "sm_90") == ["mov.pred %p0, %is_explicit_cluster"]


@pytest.mark.parametrize("wrong", [lambda: ptx.special.tod(), lambda: ptx.special.tid(), lambda: ptx.special.tid.q()])
def test_unknown_ones_are_refused(wrong):
    with pytest.raises(AveError) as caught:
        made(wrong).ptx()
    assert caught.value.code == "T009"
