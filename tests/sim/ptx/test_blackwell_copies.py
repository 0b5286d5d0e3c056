"""Cluster launch control, and TMA's gathers and scatters of four rows."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from sim.ptx.texts import kernel, map_of, memory, run

STEAL = """
.shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar; .reg .b128 %w; .reg .b32 %x, %y, %z, %u, %n, %ph; mov.u32 %r0, %tid.x;
setp.ne.u32 %q0, %r0, 0; @!%q0 mbarrier.init.shared.b64 [bar], 1; fence.proxy.async; bar.sync 0;
mov.u32 %x, %ctaid.x; mov.u32 %ph, 0; mov.u32 %n, %ctaid.x; add.u32 %n, %n, 1;
AGAIN: mul.wide.u32 %d0, %x, 4; add.u64 %d1, %d0, %p0; @!%q0 atom.global.add.u32 %r1, [%d1], %n;
bar.sync 0;
@%q0 bra ASKED; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
ASKED: W: mbarrier.try_wait.parity.shared.b64 %q2, [bar], %ph; @!%q2 bra W; xor.b32 %ph, %ph, 1;
ld.shared.b128 %w, [answer]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q3, %w; @!%q3 bra END;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x, %y, %z, %u}, %w;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %x, %w; fence.proxy.async; bra AGAIN;
END: ret;
"""


def test_one_block_does_the_work_of_all():
    """Each tile is worked on once, whoever does it; the first block takes the others' as long as they have not begun."""
    out = np.zeros(9, np.uint32)
    run(kernel(STEAL, 1, "sm_100a"), out, grid=(9, 1, 1))
    assert (out != 0).all() and out[0] == 1 and (out == 1).sum() > 1


ROWS = """
.shared .align 1024 .b8 box[512]; .shared .align 8 .b64 bar; mov.u32 %r0, %tid.x; setp.ne.u32 %q0, %r0, 0; @%q0 bra IN;
mbarrier.init.shared.b64 [bar], 1; fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [box], [%d10, {0, 5, 1, 9, 2}], [bar];
IN: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 %q2, [bar], 0; @!%q2 bra W; @%q0 bra END;
cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d11, {0, 7, 3, 0, 6}], [box];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END: ret;
"""


@pytest.mark.parametrize("swizzle", [0, 128])
def test_four_rows(swizzle):
    """Rows 5, 1, 9 (which is none: zeros) and 2 come in, and go to 7, 3, 0 and 6."""
    a, b = np.arange(8 * 32, dtype=np.float32).reshape(8, 32) + 1, np.full((8, 32), -1, np.float32)
    text = f"""
.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128])
{{
.reg .pred %q<4>; .reg .b32 %r<4>; .reg .b64 %d<20>; mov.u64 %d10, ma; cvta.param.u64 %d10, %d10; mov.u64 %d11, mb; cvta.param.u64 %d11, %d11;
{ROWS}
}}
"""
    maps = [map_of(x, (1, 32), "f32", swizzle=swizzle) for x in (a, b)]
    Program(text).launch(maps, (1, 1, 1), (32, 1, 1), memory=memory(a, b))
    want = np.full((8, 32), -1, np.float32)
    want[7], want[3], want[0], want[6] = a[5], a[1], 0, a[2]
    assert (b == want).all()
    maps = [map_of(x, (2, 32), "f32") for x in (a, b)]
    with pytest.raises(AveError, match="whose box is one row"):
        Program(text).launch(maps, (1, 1, 1), (32, 1, 1), memory=memory(a, b))
