"""The PTX module of a drawn program: what stands before and behind its statements."""

from __future__ import annotations

import re

from fuzz import scene_steps
from fuzz.scene_steps import COPIES, COUNTS, EXCHANGE, LOCAL, MATRICES, OWN, OWN_BYTES, SHARED, Memory
from fuzz.scenes import POOL, THREADS, Block, slots

WORDS = SHARED // 4 // THREADS


def module(body: Block, memory: Memory, chip: str = "sm_90a") -> str:
    lines = body.text()
    counters = "".join(f".reg .b32 {c}; " for c in sorted({x for line in lines for x in re.findall(r"%c\d+\b", line)}))
    counters += "".join(f".reg .pred {q}; " for q in sorted({x for line in lines for x in re.findall(r"%q\d+\b", line)}))
    registers = "\n".join(f".reg .{t} {', '.join(f'%{c}_{k}' for k in range(n))};" for c, (n, t, _) in POOL.items())
    constants = ", ".join(str(int(v)) for v in memory.constants)
    threads = memory.blocks * THREADS
    return f""".version 8.6
.target {chip}
.address_size 64
.const .align 16 .b32 constants[{len(memory.constants)}] = {{{constants}}};
{scene_steps.FUNCTIONS}
.visible .entry programs(.param .u64 source, .param .u64 destination, .param .u64 own, .param .u64 counts, .param .u64 table, .param .u64 fill, .param .u64 dump, .param .u64 frags)
{{
.shared .align 128 .b8 box[{SHARED}];
.local .align 16 .b8 here[{LOCAL}];
{registers}
{counters}
.reg .b32 %tidx, %lane, %warp, %cta, %gt, %exc, %cnts, %mine, %cop, %mat, %loc, %w, %n, %m<4>; .reg .b64 %ctab, %src, %dst, %own, %cntg, %tab, %gsh, %gloc, %at, %to, %frag; .reg .pred %more;
mov.u32 %tidx, %tid.x; and.b32 %lane, %tidx, 31; shr.u32 %warp, %tidx, 5; mov.u32 %cta, %ctaid.x; mad.lo.u32 %gt, %cta, {THREADS}, %tidx;
ld.param.u64 %src, [source]; ld.param.u64 %dst, [destination]; ld.param.u64 %own, [own]; ld.param.u64 %cntg, [counts]; ld.param.u64 %tab, [table]; ld.param.u64 %frag, [frags];
mad.wide.u32 %src, %gt, 8, %src; mad.wide.u32 %dst, %gt, 8, %dst; mad.wide.u32 %own, %gt, {OWN_BYTES}, %own;
mov.u32 %exc, box; add.u32 %cnts, %exc, {COUNTS}; add.u32 %cop, %exc, {COPIES}; add.u32 %mine, %exc, {OWN}; mad.lo.u32 %mine, %tidx, 8, %mine;
add.u32 %mat, %exc, {MATRICES}; mad.lo.u32 %mat, %warp, 512, %mat; mov.u32 %loc, here; mov.u64 %ctab, constants;
cvt.u64.u32 %at, %mine; cvta.shared.u64 %gsh, %at; cvt.u64.u32 %at, %loc; cvta.local.u64 %gloc, %at;
{_filled()}
{_loads(threads)}
{chr(10).join(lines)}
{_stores(threads)}
bar.sync 0;
ld.param.u64 %to, [dump]; mad.lo.u32 %n, %cta, {SHARED}, 0; cvt.u64.u32 %at, %n; add.u64 %to, %to, %at;
{_copy("ld.shared.u32 %w, [%n];", "st.global.u32 [%to], %w;", "mad.lo.u32 %n, %tidx, 4, %exc; mad.wide.u32 %to, %tidx, 4, %to;", "add.u32 %n, %n, 256; add.u64 %to, %to, 256;")}
ret;
}}
"""


assert EXCHANGE == 0


def _copy(load: str, store: str, begin: str, step: str) -> str:
    return begin + "\n" + "\n".join(f"{load} {store} {step}" for _ in range(WORDS))


def _filled() -> str:
    """Shared memory as `fill` has it, local memory zero."""
    zeros = " ".join(f"st.local.v2.b64 [%loc+{k}], {{%at, %at}};" for k in range(0, LOCAL, 16))
    copy = _copy("ld.global.u32 %w, [%to];", "st.shared.u32 [%n], %w;", "mad.lo.u32 %n, %tidx, 4, %exc; mad.wide.u32 %to, %tidx, 4, %to;", "add.u32 %n, %n, 256; add.u64 %to, %to, 256;")
    return f"ld.param.u64 %to, [fill];\n{copy}\nmov.u64 %at, 0; {zeros}\nbar.sync 0;"


def _loads(threads: int) -> str:
    out = []
    for k, (name, c) in enumerate(slots()):
        at = f"[%src+{8 * k * threads}]"
        out.append(f"ld.global.b32 %w, {at}; setp.ne.b32 {name}, %w, 0;" if c == "p" else f"ld.global.{POOL[c][1]} {name}, {at};")
    return "\n".join(out)


def _stores(threads: int) -> str:
    out = []
    for k, (name, c) in enumerate(slots()):
        at = f"[%dst+{8 * k * threads}]"
        out.append(f"selp.b32 %w, 1, 0, {name}; st.global.b32 {at}, %w;" if c == "p" else f"st.global.{POOL[c][1]} {at}, {name};")
    return "\n".join(out)
