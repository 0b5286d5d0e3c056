"""A matrix product by tcgen05 as text of PTX, for tests: TMA brings A and B, one thread multiplies, four warps read
tensor memory. What comes out is tensor memory itself, (blocks, 128 lanes, columns) words."""

from __future__ import annotations

import dataclasses

import ml_dtypes
import numpy as np

from avelang.isa.nvptx import tcgen05 as t5
from avelang.sim.ptx import Program
from sim.ptx.texts import map_of, memory

NUMPY = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2, "s8": np.int8, "u8": np.uint8}  # fmt: skip
MAPS = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "e4m3": "u8", "e5m2": "u8", "s8": "i8", "u8": "u8", "raw": "u8"}
STEPS = 4  # instructions along K: a row of 128 bytes


@dataclasses.dataclass
class Case:
    """One product. `at`: where A is, "smem" or "tmem"; `shape` of tcgen05.ld; `version` of PTX; `cut`: pairs of text
    and what stands there instead."""

    kind: str
    m: int
    n: int
    a: str
    b: str
    d: str = "f32"
    group: int = 1
    at: str = "smem"
    ws: bool = False
    a_mn: bool = False
    b_mn: bool = False
    negate_a: bool = False
    size: str = ""  # of scale factors
    scale: str = "ue8m0"
    cut: tuple[tuple[str, str], ...] = ()
    twice: bool = False  # the product is added to itself

    @property
    def deep(self) -> int:
        """Elements along K."""
        return STEPS * t5.DEPTH[self.kind]

    @property
    def columns(self) -> int:
        """Of D in each block."""
        parts = {(128, 2, False): 2, (64, 1, True): 2, (32, 1, True): 4}.get((self.m, self.group, self.ws), 1)
        return self.n // parts

    @property
    def chunks(self) -> int:
        """Of four scale factors along K."""
        return {"1X": 1, "2X": 2, "4X": 4}[self.size]

    @property
    def descriptor(self) -> int:
        return t5.InstructionDescriptor(self.kind, self.m, self.n, self.a, self.b, self.d, self.negate_a, False, self.a_mn,
            self.b_mn, scale=self.scale).word()  # fmt: skip

    def load(self, name: str, rows: int, mn: bool) -> str:
        """TMA's instructions for an operand, the block's rows of it."""
        first, text = f"%{name}0", f"mul.lo.u32 %{name}0, %rank, {rows};\n"
        if not mn:
            return text + (f"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s{name}], "
                f"[%m{name}, {{0, {first}}}], [full];\n")  # fmt: skip
        for k in range(0, rows, 64):
            text += (f"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s{name}+{k * 128}], "
                f"[%m{name}, {{{first}, 0}}], [full]; add.u32 {first}, {first}, 64;\n")  # fmt: skip
        return text

    @property
    def factors(self) -> int:
        """Bytes of scale factors: for each chunk of 4, A's and B's."""
        return 1024 * self.chunks if self.size else 0

    @property
    def meet(self) -> str:
        return "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" if self.group == 2 else "bar.sync 0;"

    @property
    def allocated(self) -> int:
        if self.size or self.at == "tmem":
            return 512
        return max(32, 1 << (self.columns - 1).bit_length())

    @property
    def a_columns(self) -> int:
        """Of tensor memory that hold A."""
        return self.deep * max(t5.BITS[self.a], 8 if self.kind != "mxf4" else 4) // 32

    def text(self) -> str:
        text = (
            self.begun() + (self.held() if self.at == "tmem" else "") + self.brought() + self.multiplied() + self.read()
        )
        for old, new in self.cut:
            assert old in text, old
            text = text.replace(old, new)
        return text

    def begun(self) -> str:
        rows, cols, g = self.m // self.group, self.n // self.group, self.group
        nsf = self.factors
        return f"""
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128], .param .u64 out, .param .u64 araw,
    .param .u64 sf) .reqntid 128 {".explicitcluster .reqnctapercluster 2" if g == 2 else ""}
{{
.reg .pred %p, %q, %e, %lead; .reg .b16 %h; .reg .b32 %t, %w, %s, %tm, %ad, %dt, %rank, %a0, %b0, %at, %sa, %sb, %z;
.reg .b64 %ma, %mb, %da, %db, %o, %oo, %sd; .reg .b32 %x<64>;
.shared .align 1024 .b8 sa[{rows * 128}]; .shared .align 1024 .b8 sb[{cols * 128}]; .shared .align 128 .b8 ss[{max(16, nsf)}];
.shared .align 8 .b64 full; .shared .align 8 .b64 done; .shared .align 4 .b32 slot;
mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; mov.u32 %rank, %cluster_ctarank; mov.u32 %z, 0;
setp.ne.u32 %p, %t, 0; setp.ne.u32 %q, %w, 0;
@%p bra INIT;
mbarrier.init.shared.b64 [full], 1; mbarrier.init.shared.b64 [done], 1; fence.mbarrier_init.release.cluster;
INIT:
@%q bra ALLOC;
tcgen05.alloc.cta_group::{g}.sync.aligned.shared::cta.b32 [slot], {self.allocated};
tcgen05.relinquish_alloc_permit.cta_group::{g}.sync.aligned;
ALLOC:
tcgen05.fence::before_thread_sync; //first
{self.meet}
tcgen05.fence::after_thread_sync; //first
ld.shared.b32 %tm, [slot]; shl.b32 %ad, %w, 21; add.u32 %ad, %ad, %tm;
ld.param.u64 %sd, [sf];
"""

    def held(self) -> str:
        a_columns = self.a_columns
        text = f"""
ld.param.u64 %o, [araw]; mul.wide.u32 %oo, %rank, {128 * a_columns * 4}; add.u64 %o, %o, %oo;
mul.wide.u32 %oo, %t, {a_columns * 4}; add.u64 %o, %o, %oo; add.u32 %at, %ad, 256;
"""
        text += "".join(f"ld.global.b32 %x{k}, [%o+{4 * k}];\n" for k in range(a_columns))
        text += f"""
tcgen05.st.sync.aligned.32x32b.x{a_columns}.b32 [%at], {{{", ".join(f"%x{k}" for k in range(a_columns))}}};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; //operand
{self.meet}
tcgen05.fence::after_thread_sync; //operand
add.u32 %at, %tm, 256;
"""
        return text

    def brought(self) -> str:
        rows, cols, g, nsf = self.m // self.group, self.n // self.group, self.group, self.factors
        tx = (0 if self.at == "tmem" else rows * 128) + cols * 128 + nsf
        text = f"""
@%p bra LOADED;
mbarrier.arrive.expect_tx.shared.b64 _, [full], {tx};
mov.u64 %ma, ma; cvta.param.u64 %ma, %ma; mov.u64 %mb, mb; cvta.param.u64 %mb, %mb;
{self.load("a", rows, self.a_mn) if self.at == "smem" else ""}
{self.load("b", cols, self.b_mn)}
"""
        if self.size:
            text += (f"mul.wide.u32 %oo, %rank, {nsf}; add.u64 %sd, %sd, %oo;\n"
                f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ss], [%sd], {nsf}, [full];\n")  # fmt: skip
        text += "LOADED: W1: mbarrier.try_wait.parity.shared.b64 %e, [full], 0; @!%e bra W1;\n"
        if g == 2:
            text += "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        return text

    def multiplied(self) -> str:
        g, nsf = self.group, self.factors
        mma = f"tcgen05.mma{'.ws' * self.ws}.cta_group::{g}.kind::{self.kind}"
        mma += f".block_scale.scale_vec::{self.size}" if self.size else ""
        steps = {False: 2, True: 2 * 1024 // 16 if self.kind == "f16" else 1024 // 16}
        a_steps, b_steps, a_columns = steps[self.a_mn], steps[self.b_mn], self.a_columns
        a_desc = t5.smem_descriptor(0, 8192 if self.a_mn else 16, 1024)
        b_desc = t5.smem_descriptor(0, 8192 if self.b_mn else 16, 1024)
        text = f"""
setp.ne.u32 %lead, %rank, 0; or.pred %lead, %lead, %p; @%lead bra ISSUED;
mov.u32 %s, sa; shr.u32 %s, %s, 4; cvt.u64.u32 %da, %s; or.b64 %da, %da, {a_desc};
mov.u32 %s, sb; shr.u32 %s, %s, 4; cvt.u64.u32 %db, %s; or.b64 %db, %db, {b_desc};
"""
        if self.size:
            text += (f"mov.u32 %s, ss; shr.u32 %s, %s, 4; cvt.u64.u32 %sd, %s; or.b64 %sd, %sd, {t5.smem_descriptor(0, 16, 128, 0)};\n"
                f"add.u32 %sa, %tm, 384;\n")  # fmt: skip
            for k in range(nsf // 512):
                text += (
                    f"tcgen05.cp.cta_group::{g}.32x128b.warpx4 [%sa], %sd; add.u32 %sa, %sa, 4; add.u64 %sd, %sd, 32;\n"
                )
            text += "add.u32 %sa, %tm, 384; add.u32 %sb, %tm, 388;\n"
        first = "%at" if self.at == "tmem" else "%da"
        for turn in range(1 + self.twice):
            for k in range(STEPS):
                ids = 0
                if self.size:
                    byte = k * self.chunks % 4
                    ids = byte << 4 | byte << 29
                    if k and byte == 0:
                        text += "add.u32 %sa, %sa, 8; add.u32 %sb, %sb, 8;\n"
                factors = ", [%sa], [%sb]" if self.size else ""
                text += (f"setp.ne.u32 %e, {'%z' if not (k or turn) else '%tm'}, {'%z' if not (k or turn) else 77777};\n"
                    f"mov.u32 %dt, {self.descriptor | ids}; {mma} [%tm], {'[%at]' if first == '%at' else '%da'}, %db, %dt{factors}, %e;\n")  # fmt: skip
                if k < STEPS - 1:
                    text += f"add.s64 %da, %da, {a_steps}; add.s64 %db, %db, {b_steps}; add.u32 %at, %at, {a_columns // STEPS};\n"
            if self.twice:
                back = STEPS - 1
                text += (f"sub.s64 %da, %da, {a_steps * back}; sub.s64 %db, %db, {b_steps * back}; "
                    f"sub.u32 %at, %at, {a_columns // STEPS * back};\n")  # fmt: skip
        commit = ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [done], %h;"
            if g == 2 else "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];")  # fmt: skip
        text += f"mov.u16 %h, 3; {commit}\n"
        return text

    def read(self) -> str:
        g = self.group
        text = f"""
ISSUED: W2: mbarrier.try_wait.parity.shared.b64 %e, [done], 0; @!%e bra W2;
tcgen05.fence::after_thread_sync; //product
ld.param.u64 %o, [out]; mad.lo.u32 %s, %rank, 128, %t; mul.wide.u32 %oo, %s, {self.columns * 4}; add.u64 %o, %o, %oo;
"""
        c, x = 0, 0
        while (c := c + x) < self.columns:
            x = 1 << min(32, self.columns - c).bit_length() - 1
            text += (f"tcgen05.ld.sync.aligned.32x32b.x{x}.b32 {{{', '.join(f'%x{k}' for k in range(x))}}}, [%ad];\n"
                f"tcgen05.wait::ld.sync.aligned; add.u32 %ad, %ad, {x};\n")  # fmt: skip
            text += "".join(f"st.global.b32 [%o+{4 * (c + k)}], %x{k};\n" for k in range(x))
        text += f"""
tcgen05.fence::before_thread_sync; //last
{self.meet}
tcgen05.fence::after_thread_sync; //last
@%q bra END;
tcgen05.dealloc.cta_group::{g}.sync.aligned.b32 %tm, {self.allocated};
END: ret;
}}
"""
        return text

    def run(self, a: np.ndarray, b: np.ndarray, araw: np.ndarray | None = None, sf: np.ndarray | None = None,
            **more: object) -> np.ndarray:  # fmt: skip
        """Words uint32 (blocks, 128, columns). A and B as TMA takes them: K-major (m, bytes or elements), MN-major (k,
        m); `araw`: A for tensor memory, words (blocks, 128, columns); `sf`: bytes of scale factors a block."""
        out = np.zeros((self.group, 128, self.columns), np.uint32)
        raw = np.zeros(16, np.uint32) if araw is None else np.ascontiguousarray(araw)
        factors = np.zeros(16, np.uint8) if sf is None else np.ascontiguousarray(sf)
        rows, cols = self.m // self.group, self.n // self.group
        dtype = [MAPS.get(x if self.kind not in ("mxf4", "mxf4nvf4") else "raw", "u8") for x in (self.a, self.b)]
        boxes = [((64 if self.kind == "f16" else 32), 128 // x.itemsize) if mn else (count, 128 // x.itemsize)
            for x, mn, count in ((a, self.a_mn, rows), (b, self.b_mn, cols))]  # fmt: skip
        maps = [map_of(x, box, t, swizzle=128) for x, box, t in zip((a, b), boxes, dtype, strict=True)]
        Program(self.text()).launch(
            [*maps, out.ctypes.data, raw.ctypes.data, factors.ctypes.data],
            (self.group, 1, 1),
            (128, 1, 1),
            memory=memory(a, b, out, raw, factors),
            cluster=(self.group, 1, 1),
            **more,
        )  # type: ignore[arg-type]
        return out

    def matrix(self, words: np.ndarray) -> np.ndarray:
        """D (m, n) of tensor memory, by the manual's figures in words."""
        kind = {"f16": np.float16, "f32": np.float32, "s32": np.int32}[self.d]
        x = words.astype(np.uint16).view(np.float16) if self.d == "f16" else words.view(kind)
        if (self.m, self.group) == (256, 2):
            return x.reshape(256, -1)
        if (self.m, self.group) == (128, 2):
            return np.concatenate([np.concatenate([y[:64], y[64:]], axis=1) for y in x])
        if self.ws and self.m < 128:
            return np.concatenate(np.split(x[0], 128 // self.m), axis=1)
        if self.m == 64:
            return np.concatenate([x[0][32 * w : 32 * w + 16] for w in range(4)])
        return x[0]
