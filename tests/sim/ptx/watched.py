"""Bodies of PTX kernels, each right as it stands, with marks on what may be left out: `{{...}}` is a line without which
there is a race or the like.

`CASES`: name, body, arrays, launch, and by mark the codes of which one must be reported without it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator

import numpy as np

Three = tuple[int, int, int]


@dataclasses.dataclass(frozen=True)
class Case:
    """A kernel: `body` for `texts.kernel`, shapes of its arrays (u32), the launch, and the codes that each of its marks
    brings."""

    body: str
    shapes: tuple[int, ...]
    grid: Three = (1, 1, 1)
    block: Three = (64, 1, 1)
    cluster: Three | None = None
    codes: tuple[str, ...] = ("X050",)
    chip: str = "sm_90a"

    def texts(self) -> Iterator[tuple[str, str]]:
        """(what is left out, or "", the body)."""
        marks = re.findall(r"\{\{(.*?)\}\}", self.body, re.S)
        yield "", re.sub(r"\{\{(.*?)\}\}", r"\1", self.body, flags=re.S)
        for k in range(len(marks)):
            seen = iter(range(len(marks)))
            pick: Callable[[re.Match[str]], str] = lambda m, k=k, seen=seen: "" if next(seen) == k else m[1]  # noqa: E731
            yield marks[k], re.sub(r"\{\{(.*?)\}\}", pick, self.body, flags=re.S)

    def arrays(self) -> list[np.ndarray]:
        return [np.zeros(n, np.uint32) for n in self.shapes]


ID = ("mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; .shared .align 16 "
    ".b32 box[512];\n")
# %d1: the thread's word of array 0; %r3: its word of shared memory, %r4: that of the thread with the other parity of
# its warp.
OWN = ID + "mov.u32 %r2, box; mad.lo.u32 %r3, %r0, 4, %r2; xor.b32 %r5, %r0, 32; mad.lo.u32 %r4, %r5, 4, %r2;\n"
SPIN = "{l}: {load} %r9, [%p1]; setp.lt.u32 %q1, %r9, {n}; @%q1 bra {l};"
BAR = ".shared .align 8 .b64 bar; mov.u32 %r8, bar; setp.ne.u32 %q5, %r0, 0;\n"

CASES: dict[str, Case] = {
    "exchange": Case(OWN + "st.shared.u32 [%r3], %r0; {{bar.sync 0;}} ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; ret;", (64,)),
    "exchange twice": Case(OWN + """st.shared.u32 [%r3], %r0; {{bar.sync 0;}} ld.shared.u32 %r6, [%r4]; {{barrier.sync 0;}}
        st.shared.u32 [%r3], %r6; {{bar.sync 0;}} ld.shared.u32 %r7, [%r4]; st.global.u32 [%d1], %r7; ret;""", (64,)),
    "named barriers": Case(OWN + """setp.ge.u32 %q1, %r0, 32; @%q1 bra READS; st.shared.u32 [%r3], %r0; bar.arrive 1, 64; bra END;
        READS: {{bar.sync 1, 64;}} ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; END: ret;""", (64,)),
    "global in a block": Case(ID + """st.global.u32 [%d1], %r0; {{bar.sync 0;}} xor.b32 %r5, %r0, 32; mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d2, %p0;
        ld.global.u32 %r6, [%d2]; add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r6; ret;""", (64, 64), codes=("X040",)),
    "a flag between blocks": Case(ID + """setp.ne.u32 %q2, %r1, 0; @%q2 bra READS; st.global.u32 [%p0], 5; {{fence.acq_rel.gpu;}}
        st.relaxed.gpu.global.u32 [%p1], 1; ret; READS: """ + SPIN.format(l="S", load="ld.relaxed.gpu.global.u32", n=1)
        + "{{fence.acq_rel.gpu;}} ld.global.u32 %r6, [%p0]; st.global.u32 [%p2], %r6; ret;",
        (1, 1, 1), grid=(2, 1, 1), block=(1, 1, 1), codes=("X040",)),
    "release and acquire": Case(ID + """setp.ne.u32 %q2, %r1, 0; @%q2 bra READS; st.global.u32 [%p0], 5;
        st.release.gpu.global.u32 [%p1], 1; ret; READS: """ + SPIN.format(l="S", load="ld.acquire.gpu.global.u32", n=1)
        + "ld.global.u32 %r6, [%p0]; st.global.u32 [%p2], %r6; ret;", (1, 1, 1), grid=(2, 1, 1), block=(1, 1, 1), codes=("X040",)),
    "a barrier of the grid": Case(ID + """mad.lo.u32 %r2, %r1, 64, %r0; mul.wide.u32 %d2, %r2, 4; add.u64 %d2, %d2, %p0; st.global.u32 [%d2], %r2;
        {{bar.sync 0;}} setp.ne.u32 %q2, %r0, 0; @%q2 bra MEET; {{membar.gl;}} atom.global.add.u32 %r8, [%p1], 1;
        """ + SPIN.format(l="S", load="ld.volatile.global.u32", n=3) + """{{membar.gl;}} MEET: {{bar.sync 0;}} add.u32 %r2, %r2, 64;
        rem.u32 %r2, %r2, 192; mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d3, %p0; ld.global.u32 %r6, [%d3]; add.u64 %d4, %d3, 0;
        sub.u64 %d4, %d4, %p0; add.u64 %d4, %d4, %p2; st.global.u32 [%d4], %r6; ret;""", (192, 1, 192), grid=(3, 1, 1), codes=("X040",)),
    "the last block": Case(ID + """.shared .b32 last; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, %p0; setp.ne.u32 %q2, %r0, 0; @%q2 bra MEET;
        st.global.u32 [%d2], %r1; {{fence.acq_rel.gpu;}} atom.relaxed.gpu.global.inc.u32 %r8, [%p1], 2; {{fence.acq_rel.gpu;}}
        st.shared.u32 [last], %r8; MEET: {{bar.sync 0;}} ld.shared.u32 %r8, [last]; setp.ne.u32 %q3, %r8, 2; @%q3 ret;
        setp.gt.u32 %q4, %r0, 2; @%q4 ret; add.u64 %d3, %d0, %p0; ld.global.u32 %r6, [%d3]; add.u64 %d4, %d0, %p2; st.global.u32 [%d4], %r6; ret;""",
        (3, 1, 3), grid=(3, 1, 1), codes=("X040", "X050")),
    "a lock": Case(ID + """and.b32 %r5, %r0, 31; setp.ne.u32 %q2, %r5, 0; @%q2 ret; S: atom.relaxed.gpu.global.cas.b32 %r6, [%p1], 0, 1;
        setp.ne.u32 %q1, %r6, 0; @%q1 bra S; {{fence.acq_rel.gpu;}} ld.global.u32 %r7, [%p0]; add.u32 %r7, %r7, 1; st.global.u32 [%p0], %r7;
        {{fence.acq_rel.gpu;}} atom.relaxed.gpu.global.exch.b32 %r6, [%p1], 0; ret;""", (1, 1), grid=(3, 1, 1), codes=("X040",)),
    "copies": Case(OWN + """cvt.u64.u32 %d2, %r3; cp.async.ca.shared.global [%r3], [%d1], 4; cp.async.commit_group; {{cp.async.wait_group 0;}}
        {{bar.sync 0;}} ld.shared.u32 %r6, [%r4]; add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r6; ret;""", (64, 64), codes=("X033", "X050")),
    "an mbarrier": Case(OWN + BAR + """@%q5 bra MADE; mbarrier.init.shared.b64 [%r8], 64; MADE: {{bar.sync 0;}} st.shared.u32 [%r3], %r0;
        mbarrier.arrive.shared.b64 %d5, [%r8]; W: {{mbarrier.try_wait.shared.b64 %q1, [%r8], %d5; @!%q1 bra W;}}
        ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; ret;""", (64,), codes=("X050", "X035")),
    "a bulk copy": Case(OWN + BAR + """@%q5 bra MADE; mbarrier.init.shared.b64 [%r8], 1; MADE: {{bar.sync 0;}} @%q5 bra W;
        mbarrier.arrive.expect_tx.shared.b64 %d5, [%r8], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%p0], 256, [%r8];
        W: {{mbarrier.try_wait.parity.shared.b64 %q1, [%r8], 0; @!%q1 bra W;}} ld.shared.u32 %r6, [%r4]; add.u64 %d3, %d0, %p1;
        st.global.u32 [%d3], %r6; ret;""", (64, 64), codes=("X050", "X033", "X035")),
    "a bulk store": Case(OWN + """st.shared.u32 [%r3], %r0; {{fence.proxy.async.shared::cta;}} {{bar.sync 0;}} setp.ne.u32 %q5, %r0, 0; @%q5 bra END;
        cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r2], 256; cp.async.bulk.commit_group; {{cp.async.bulk.wait_group.read 0;}}
        END: {{bar.sync 0;}} st.shared.u32 [%r3], 9; ret;""", (64,), codes=("X050", "X033")),
    "a cluster": Case(OWN + """mov.u32 %r5, %cluster_ctarank; st.shared.u32 [%r3], %r5; {{barrier.cluster.arrive.aligned;}} {{barrier.cluster.wait.aligned;}}
        xor.b32 %r6, %r5, 1; mapa.shared::cluster.u32 %r7, %r3, %r6; ld.shared::cluster.u32 %r6, [%r7]; mad.lo.u32 %r9, %r5, 64, %r0;
        mul.wide.u32 %d2, %r9, 4; add.u64 %d2, %d2, %p0; st.global.u32 [%d2], %r6; barrier.cluster.arrive.aligned; {{barrier.cluster.wait.aligned;}} ret;
        """, (128,), grid=(2, 1, 1), cluster=(2, 1, 1), codes=("X050", "X035", "X034")),
}  # fmt: skip
