"""Seeded bugs in PTX: `<<right||wrong>>` are the places where the bug and its twin differ."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from avelang.nvptx.lint import WARNINGS, lint
from avelang.sim.ptx import Program
from checks.seeds import Column, Seed
from sim.ptx.texts import kernel, map_of, memory
from sim.ptx.watched import BAR, ID, OWN


@dataclasses.dataclass(frozen=True)
class Text:
    """A body, the lengths of its arrays (u32), and the launch. `mapped`: the first parameter is a tensor map of (8, 32) elements in boxes of (8, 8)."""

    body: str
    shapes: tuple[int, ...] = (64,)
    kind: str = ""
    block: int = 64
    grid: int = 1
    chip: str = "sm_90a"
    mapped: bool = False


_WAIT = "W: mbarrier.try_wait.parity.shared.b64 %q1, [%r8], {}; @!%q1 bra W;"
_MADE = OWN + BAR + "@%q5 bra MADE; mbarrier.init.shared.b64 [%r8], {}; MADE: bar.sync 0;"
_END = "ld.shared.u32 %r6, [%r4]; add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r6; ret;"
_BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2{}], [%p0], {}, [%r8];"
_TENSOR = """cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2{}], [%d9, {{0, 0}}], [%r8];"""
_MAPPED = """.shared .align 128 .b32 box[128]; .shared .align 8 .b64 bar; mov.u32 %r0, %tid.x; mov.u32 %r2, box; mov.u32 %r8, bar; setp.ne.u32 %q5, %r0, 0;
    mov.b64 %d9, p0; cvta.param.u64 %d9, %d9; mad.lo.u32 %r3, %r0, 4, %r2; @%q5 bra MADE; mbarrier.init.shared.b64 [%r8], 1; MADE: bar.sync 0; @%q5 bra W;
    mbarrier.arrive.expect_tx.shared.b64 %d5, [%r8], {}; """ + _TENSOR + """ W: mbarrier.try_wait.parity.shared.b64 %q1, [%r8], {}; @!%q1 bra W;
    ld.shared.u32 %r6, [%r3]; mul.wide.u32 %d0, %r0, 4; add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r6; ret;"""

TEXTS: dict[str, Text] = {
    "a shuffle outside of its own mask": Text(ID + "shfl.sync.idx.b32 %r5, %r0, 0, 31, <<-1||65535>>; st.global.u32 [%d1], %r5; ret;", kind="shuffle"),
    "a vote outside of its own mask": Text(ID + "setp.lt.u32 %q1, %r0, 9; vote.sync.ballot.b32 %r5, %q1, <<-1||65535>>; st.global.u32 [%d1], %r5; ret;",
                                           kind="shuffle"),
    "a load that is not coherent of what was stored": Text(ID + """st.global.u32 [%d1], %r0; bar.sync 0; ld.global<<||.nc>>.u32 %r5, [%d1]; add.u64 %d2, %d0, %p1;
        st.global.u32 [%d2], %r5; ret;""", (64, 64), "race in global memory"),
    "one word past an array": Text(ID + "ld.global.u32 %r1, [%d1<<||+4>>]; add.u64 %d2, %d0, %p1; st.global.u32 [%d2], %r1; ret;", (64, 64)),
    "an index that is not widened": Text(ID + """sub.u32 %r5, %r0, <<0||1>>; mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d2, %p0; ld.global.u32 %r6, [%d2];
        add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r6; ret;""", (64, 64)),
    "more threads than words, without a guard": Text(ID + "setp.ge.u32 %q1, %r0, <<48||64>>; @%q1 ret; st.global.u32 [%d1], %r0; ret;", (48,)),
    "a vector at a word's address": Text(ID + "mul.wide.u32 %d2, %r0, <<16||4>>; add.u64 %d2, %d2, %p0; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d2]; "
        "add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r5; ret;", (256, 64), "misaligned"),
    "a pair of words at an odd one in shared memory": Text(OWN + "st.shared.u32 [%r3], %r0; st.shared.u32 [%r3+256], %r0; bar.sync 0; and.b32 %r5, %r0, <<-2||-1>>; "
        "mad.lo.u32 %r7, %r5, 4, %r2; ld.shared.v2.u32 {%r6, %r9}, [%r7]; st.global.u32 [%d1], %r9; ret;", kind="misaligned"),
    "shared memory that was not declared": Text(OWN + "st.shared.u32 [%r3+<<1792||2048>>], %r0; ret;"),
    "a copy of 16 bytes to 4-byte places": Text(OWN + """mul.wide.u32 %d2, %r0, 16; add.u64 %d2, %d2, %p0; mad.lo.u32 %r7, %r0, <<16||4>>, %r2;
        cp.async.cg.shared.global [%r7], [%d2], 16; cp.async.wait_all; bar.sync 0; ld.shared.u32 %r6, [%r7]; add.u64 %d3, %d0, %p1;
        st.global.u32 [%d3], %r6; ret;""", (256, 64), "misaligned"),
    "waits for one group too few": Text(OWN + """add.u32 %r7, %r3, 256; cp.async.ca.shared.global [%r3], [%d1], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%r7], [%d1], 4; cp.async.commit_group; cp.async.wait_group <<0||1>>; bar.sync 0; ld.shared.u32 %r6, [%r4+256];
        add.u64 %d3, %d0, %p1; st.global.u32 [%d3], %r6; ret;""", (64, 64)),
    "copies that are in no group": Text(OWN + """cp.async.ca.shared.global [%r3], [%d1], 4; <<cp.async.commit_group;||>> cp.async.wait_group 0; bar.sync 0;
        """ + _END, (64, 64)),
    "a stage loaded again while others read": Text(OWN + """cp.async.ca.shared.global [%r3], [%d1], 4; cp.async.wait_all; bar.sync 0;
        ld.shared.u32 %r6, [%r4]; <<bar.sync 0;||>> cp.async.ca.shared.global [%r3], [%d1], 4; cp.async.wait_all; add.u64 %d3, %d0, %p1;
        st.global.u32 [%d3], %r6; ret;""", (64, 64), "reused too early"),
    "an mbarrier of too many arrivals": Text(_MADE.format("<<64||65>>") + "st.shared.u32 [%r3], %r0; mbarrier.arrive.shared.b64 %d5, [%r8]; "
        + _WAIT.format(0) + "ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; ret;", kind="never ends"),
    "an mbarrier of too few arrivals": Text(_MADE.format("<<64||32>>") + "st.shared.u32 [%r3], %r0; mbarrier.arrive.shared.b64 %d5, [%r8]; "
        + _WAIT.format(0) + "ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; ret;", kind="wrong count"),
    "the wrong phase of an mbarrier": Text(_MADE.format(64) + "st.shared.u32 [%r3], %r0; mbarrier.arrive.shared.b64 %d5, [%r8]; "
        + _WAIT.format("<<0||1>>") + "ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; ret;", kind="wrong phase"),
    "an mbarrier that nothing made": Text(OWN + BAR + "@%q5 bra MADE; <<mbarrier.init.shared.b64 [%r8], 64;||>> MADE: bar.sync 0; "
        "mbarrier.arrive.shared.b64 %d5, [%r8]; st.global.u32 [%d1], %r0; ret;", kind="nothing wrote it"),
    "more bytes expected than come": Text(_MADE.format(1) + "@%q5 bra W; mbarrier.arrive.expect_tx.shared.b64 %d5, [%r8], <<256||320>>; "
        + _BULK.format("", 256) + _WAIT.format(0) + _END, (64, 64), "wrong count"),
    "fewer bytes expected than come": Text(_MADE.format(1) + "@%q5 bra W; mbarrier.arrive.expect_tx.shared.b64 %d5, [%r8], <<256||128>>; "
        + _BULK.format("", 256) + _WAIT.format(0) + _END, (64, 64), "wrong count"),
    "a bulk copy to a word's address": Text(_MADE.format(1) + "@%q5 bra W; mbarrier.arrive.expect_tx.shared.b64 %d5, [%r8], 256; "
        + _BULK.format("<<||+4>>", 256) + _WAIT.format(0) + _END, (64, 64), "misaligned"),
    "a bulk copy past its array": Text(_MADE.format(1) + "@%q5 bra W; mbarrier.arrive.expect_tx.shared.b64 %d5, [%r8], <<256||512>>; "
        + _BULK.format("", "<<256||512>>") + _WAIT.format(0) + _END, (64, 64)),
    "a tensor copy of fewer bytes than expected": Text(_MAPPED.format("<<256||512>>", "", 0), (256, 64), "wrong count", mapped=True),
    "a tensor copy to an address that is not 128-byte": Text(_MAPPED.format(256, "<<||+16>>", 0), (256, 64), "misaligned", mapped=True),
    "a tensor copy whose other phase is waited for": Text(_MAPPED.format(256, "", "<<0||1>>"), (256, 64), "wrong phase", mapped=True),
    "a barrier for more threads than there are": Text(OWN + "st.shared.u32 [%r3], %r0; bar.sync 1, <<64||96>>; ret;", kind="never ends"),
    "a barrier behind a branch of warps": Text(OWN + "setp.ge.u32 %q1, %r0, 32; <<||@%q1 bra END;>> bar.sync 0; END: st.global.u32 [%d1], %r0; ret;"),
    "a barrier behind a branch of lanes": Text(OWN + "and.b32 %r5, %r0, 1; setp.ne.u32 %q1, %r5, 0; <<||@%q1 bra END;>> bar.sync 0; "
        "END: st.global.u32 [%d1], %r0; ret;"),
    "arrives at another barrier": Text(OWN + """setp.ge.u32 %q1, %r0, 32; @%q1 bra READS; st.shared.u32 [%r3], %r0; bar.arrive <<1||2>>, 64; bra END;
        READS: bar.sync 1, 64; ld.shared.u32 %r6, [%r4]; st.global.u32 [%d1], %r6; END: ret;""", kind="never ends"),
    "all lanes to one word": Text(ID + "st.global.u32 [<<%d1||%p0>>], %r0; ret;", block=32),
    "lanes of a warp that went apart": Text(OWN + """xor.b32 %r5, %r0, 1; mad.lo.u32 %r4, %r5, 4, %r2; and.b32 %r6, %r0, 1; setp.ne.u32 %q1, %r6, 0;
        mov.u32 %r9, 0; @%q1 bra ODD; st.shared.u32 [%r3], 7; bra MEET; ODD: <<mov.u32 %r9, 1;||ld.shared.u32 %r9, [%r4];>>
        MEET: bar.warp.sync -1; <<@%q1 ld.shared.u32 %r9, [%r4];||>> st.global.u32 [%d1], %r9; ret;""", block=32),
    "a shuffle that some lanes do not come to": Text(ID + """mov.u32 %r7, 0; setp.ge.u32 %q1, %r0, 16; @%q1 bra OFF;
        shfl.sync.bfly.b32 %r7, %r0, <<8||16>>, 0x1f, 0xffff; OFF: st.global.u32 [%d1], %r7; ret;""", block=32),
    "counted by load and store": Text(ID + """setp.ne.u32 %q2, %r0, 0; @%q2 ret;
        <<atom.global.add.u32 %r5, [%p0], 1;||ld.global.u32 %r5, [%p0]; add.u32 %r5, %r5, 1; st.global.u32 [%p0], %r5;>> ret;""", (1,), grid=4),
    "an atomic of its block only": Text(ID + "setp.ne.u32 %q2, %r0, 0; @%q2 ret; atom.relaxed.<<gpu||cta>>.global.add.u32 %r5, [%p0], 1; ret;", (1,), grid=4),
    "blocks whose parts overlap": Text(ID + "mad.lo.u32 %r5, %r1, <<64||60>>, %r0; mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d2, %p0; "
        "st.global.u32 [%d2], %r5; ret;", (128,), grid=2),
    "a label that is not there": Text(ID + "setp.ge.u32 %q1, %r0, 32; @%q1 bra <<END||DONE>>; st.global.u32 [%d1], %r0; END: ret;", kind="not valid PTX"),
    "a barrier that hardware does not have": Text(ID + "bar.sync <<7||77>>; ret;", kind="not valid PTX"),
    "a register of another type": Text(ID + "add.f32 %f1, <<%f2||%d2>>, %f3; ret;", kind="not valid PTX"),
    "more shared memory than a block has": Text(ID + ".shared .b8 large[<<30000||300000>>]; ret;", kind="not valid PTX"),
    "one label twice": Text(ID + "setp.ge.u32 %q1, %r0, 32; @%q1 bra END; st.global.u32 [%d1], %r0; <<LAST||END>>: mov.u32 %r5, 0; END: ret;", kind="not valid PTX"),
    "an array as if it were the parameter": Text(ID + "ld.<<global||param>>.u32 %r5, [<<%p0||p9>>]; ret;", kind="not valid PTX"),
    "an instruction of a newer chip": Text(ID + "<<bar.sync 0;||fence.proxy.async;>> ret;", kind="not valid PTX", chip="sm_80"),
}  # fmt: skip


def _chosen(body: str, bug: bool) -> str:
    return re.sub(r"<<(.*?)\|\|(.*?)>>", lambda m: m[2] if bug else m[1], body, flags=re.S)


def _runner(t: Text):
    def run(column: Column, bug: bool) -> str | None:
        engine, word = column
        if engine not in ("text", "ptx-exec"):
            return None
        text = kernel(_chosen(t.body, bug), len(t.shapes), t.chip, directives="map" if t.mapped else "")
        if engine == "text":
            return next((e.code for e in lint(text) if e.code not in WARNINGS), "")
        arrays = [np.zeros(n, np.uint32) for n in t.shapes]
        first = [map_of(arrays[0].reshape(8, -1), (8, 8), "u32")] if t.mapped else [arrays[0].ctypes.data]
        Program(text).launch([*first, *(a.ctypes.data for a in arrays[1:])], (t.grid, 1, 1), (t.block, 1, 1), memory=memory(*arrays),
                             check=(word,) if word else ())  # fmt: skip
        return ""

    return run


def seeds() -> list[Seed]:
    return [Seed(name, "ptx", _runner(t), t.kind) for name, t in TEXTS.items()]
