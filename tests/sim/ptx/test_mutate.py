"""Barriers, waits and fences of PTX that nvcc and Triton have written are left out one by one: the checker notices, or
there is a reason."""

import numpy as np
import pytest

from avelang.nvptx.parse import parse
from avelang.sim.ptx import Program, mutate
from avelang.sim.ptx.program import Ran
from nvptx.texts import text_of
from sim.ptx.texts import kernel, memory


def judged(program: Program, arrays: list[np.ndarray], numbers: list[int], want: np.ndarray,
        **launch) -> list[mutate.MutantVerdict]:
    def right(p: Program) -> tuple[Ran, bool]:
        own = [a.copy() for a in arrays]
        ran = p.launch([a.ctypes.data for a in own] + numbers, memory=memory(*own), check=("all",), report="collect",
            **launch)
        return ran, np.allclose(own[-1], want, rtol=1e-5)

    ran, fine = right(program)
    assert fine and not ran.reports, [e.message for e in ran.reports]
    return [mutate.judge(program, p, right) for p in mutate.points(program)]


@pytest.mark.parametrize("chip", ["sm_80", "sm_90a"])
def test_softmax(chip):
    x = np.random.default_rng(1).standard_normal((2, 600)).astype(np.float32)
    e = np.exp(x[:, :500].astype(np.float64))
    want = np.pad(e / e.sum(1, keepdims=True), ((0, 0), (0, 100)))
    program = Program(parse(text_of(f"triton_softmax.{chip}.ptx.gz")))
    found = judged(program, [x, np.zeros_like(x)], [600, 500, 0, 0], want, grid=(2, 1, 1), block=(256, 1, 1),
        shared_bytes=4096)
    assert [v.by for v in found] == ["checker"] * 3 and all("[X050]" in v.why for v in found)


def test_copies():
    """Each warp reads what its own lanes have copied: the barriers are redundant, the wait is not."""
    source, out = np.arange(3 * 128 * 4, dtype=np.float32).reshape(-1, 4), np.zeros((3 * 128, 4), np.float32)
    want = np.zeros_like(out)
    want[:128] = source[:128][np.arange(128) ^ 1] * 0
    program = Program(parse(text_of("copies.sm_80.ptx.gz")))
    program.launch([source.ctypes.data, out.ctypes.data, 3], (1, 1, 1), (128, 1, 1), memory=memory(source, out))
    found = judged(program, [source, np.zeros_like(out)], [3], out, grid=(1, 1, 1), block=(128, 1, 1))
    seen = [(v.point.what, v.by) for v in found if v.executed]
    assert seen == [("wait", "checker"), ("barrier", ""), ("barrier", ""), ("wait", "")]
    assert len(found) == 16 and all(v.why.startswith("redundant: ") for v in found if v.executed and not v.by)


def test_a_barrier_of_warps():
    """A lock of lanes of one warp; and what is never executed says so."""
    body = """mov.u32 %r0, %laneid; .shared .b32 box[32]; mov.u32 %r2, box; mad.lo.u32 %r3, %r0, 4, %r2; st.shared.u32 [%r3], %r0; bar.warp.sync -1;
        xor.b32 %r4, %r0, 1; mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r5, [%r4]; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %p0;
        st.global.u32 [%d0], %r5; setp.gt.u32 %q1, %r0, 99; @!%q1 ret; bar.sync 0; ret;"""
    want = np.arange(32, dtype=np.uint32) ^ 1
    found = judged(Program(kernel(body)), [np.zeros(32, np.uint32)], [], want, grid=(1, 1, 1), block=(32, 1, 1))
    assert [(v.by, v.executed) for v in found] == [("", True),
        ("", False)] and found[1].why == "not executed in this launch"
