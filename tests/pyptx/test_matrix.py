"""Matrix instructions and descriptors, of warps, of warpgroups, of tensor memory: what is written, and that ptxas takes
it."""

from __future__ import annotations

import pytest
from tests.pyptx.emitted import assemble, lines

from avelang.base.errors import AveError
from pyptx import kernel, ptx, reg, smem
from pyptx.spec import PtxValidationError, validate_instruction, validate_or_raise
from pyptx.types import b16, b32, b64, bf16, e4m3, f16, f32, pred, s8, s32, tf32, u32, u64


def test_warps():
    def body():
        a, b, c = reg.array(b32, 4), reg.array(b32, 2), reg.array(f32, 4)
        tile = smem.alloc(bf16, (16, 16))
        at = reg.scalar(u32)
        ptx.ldmatrix(dst=[a[0], a[1], a[2], a[3]], src=ptx.addr(at), layout="m8n8.x4", trans=True)
        ptx.ldmatrix(dst=b, src=at, layout="x2")
        ptx.mma.sync(shape=(16, 8, 16), dtype_d=f32, dtype_a=bf16, dtype_b=bf16, dtype_c=f32, d=c, a=a, b=b, c=c)
        ptx.stmatrix(smem=tile, regs=b, layout="x2.trans")
        ptx.stmatrix_x4_trans_f32_bf16(frag=reg.array(f32, 16), smem_base=at, lane=at, row_stride=64)

    found = lines(body)
    assert found[:4] == [
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r4];",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%rarr0_0, %rarr0_1}, [%r4];",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, "
        "{%rarr0_0, %rarr0_1}, {%f0, %f1, %f2, %f3};",
        "stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [smem_0], {%rarr0_0, %rarr0_1};",
    ] or "rarr" in found[0]  # fmt: skip
    assert sum("stmatrix" in x for x in found) == 3 and sum("cvt.rn.bf16.f32" in x for x in found) == 16
    with pytest.raises(ValueError, match="a_layout"):
        lines(lambda: ptx.mma.sync(shape=(16, 8, 16), dtype_d=f32, dtype_a=f16, dtype_b=f16, dtype_c=f32, d=[], a=[],
                                   b=[], c=[], a_layout="diagonal"))  # fmt: skip
    with pytest.raises(ValueError, match="multiple of 8"):
        lines(lambda: ptx.stmatrix_x4_trans_f32_bf16(frag=reg.array(f32, 9), smem_base=0, lane=0, row_stride=8))


@kernel(arch="sm_90a")
def products():
    a, b = smem.wgmma_tile(bf16, (64, 64)), smem.wgmma_tile(bf16, (64, 256), "MN")
    d, p, tid = reg.wgmma_frag(m=64, n=256, dtype=f32), reg.scalar(pred), reg.scalar(u32)
    wide = ptx.wgmma.auto_descriptor(smem.base("smem_0"), dtype=bf16, shape=(64, 64), major="K")
    ptx.wgmma.masked_descriptor(tid, byte_offset=1024)
    common = {"shape": (64, 256, 16), "dtype_d": f32, "dtype_a": bf16, "dtype_b": bf16}
    ptx.wgmma.fence()
    ptx.wgmma.mma_async(**common, d=d, a=a, b=b[0], trans_b=1, a_k_offset=32)
    ptx.wgmma.mma_async(**common, d=d.hw_order(reverse=True), a=wide, b=wide, scale_d=(tid != 0), scale_a=-1)
    ptx.wgmma.mma_async(**common, d=d, a=reg.array(b32, 4), b=wide, scale_d=p, trans_b=1)
    narrow = {"shape": (64, 8, 32), "d": reg.array(f32, 4), "a": wide, "b": wide, "scale_d": 1}
    ptx.wgmma.mma_async(**narrow, dtype_d=f32, dtype_a=e4m3, dtype_b=e4m3)
    ptx.wgmma.mma_async(**{**narrow, "d": reg.array(s32, 4)}, dtype_d=s32, dtype_a=s8, dtype_b=s8)
    ptx.wgmma.mma_async(**{**narrow, "shape": (64, 8, 8)}, dtype_d=f32, dtype_a=tf32, dtype_b=tf32)
    ptx.wgmma.commit_group()
    ptx.wgmma.wait_group(0)


def test_warpgroups():
    found = [x.strip() for x in products.ptx().split("\n")]
    every = [x for x in found if x.startswith("wgmma.mma_async")]
    assert [len(x.rpartition("}")[2].split(",")) for x in every] == [8, 8, 6, 6, 4, 6]  # behind the last braces
    assert every[0].endswith(", %p1, 1, 1, 0, 1;") and "{%f127, %f126," in every[1]
    assert "and.b64 %rd0, %rd0, 16383;" in found or "and.b64 %rd1, %rd1, 16383;" in found
    assert (ptx.wgmma.SWIZZLE_128B, ptx.wgmma.MASKED_DESC_B128) == (1, 0x4000004000010000)
    assemble(products)


def wrong_product(**changed):
    d = reg.array(f32, changed.pop("registers", 4))
    desc = reg.scalar(u64)
    options = {"shape": (64, 8, 16), "dtype_d": f32, "dtype_a": bf16, "dtype_b": bf16, "d": d, "a": desc, "b": desc}
    ptx.wgmma.mma_async(**{**options, **changed})


@pytest.mark.parametrize(
    "changed", [{"shape": (64, 7, 16)}, {"shape": (32, 8, 16)}, {"dtype_a": f16}, {"registers": 5},
                {"shape": (64, 8, 32), "dtype_a": e4m3, "dtype_b": e4m3, "trans_b": 1}])  # fmt: skip
def test_products_that_there_are_not(changed):
    with pytest.raises(PtxValidationError) as e:
        lines(lambda: wrong_product(**changed))
    assert e.value.issues and e.value.user_frame[0] == __file__ and "wgmma" in str(e.value)


def test_validation():
    assert validate_instruction("add.u32 %r0, %r1, 1;") == []
    with pytest.raises(PtxValidationError):
        validate_or_raise("add.u17 %r0, %r1, 1")


def test_descriptors_are_checked():
    for wrong in (lambda: ptx.wgmma.make_descriptor(0, leading_byte_offset=16, stride_byte_offset=0, swizzle=4),
                  lambda: ptx.wgmma.make_descriptor(0, leading_byte_offset=16, stride_byte_offset=0, base_offset=8),
                  lambda: ptx.tcgen05.descriptor(0, stride_bytes=24), lambda: ptx.tcgen05.descriptor(0, stride_bytes=1024, swizzle="16B"),
                  lambda: ptx.tcgen05.make_instr_desc_f16bf16_f32(m=96), lambda: ptx.tcgen05.make_instr_desc_f16bf16_f32(n=12),
                  lambda: ptx.tcgen05.make_instr_desc_f16bf16_f32(a_major="M"), lambda: ptx.tcgen05.make_instr_desc_f16bf16_f32(scale_a=0)):  # fmt: skip
        with pytest.raises(ValueError, match="T241"):
            lines(wrong)


def test_instruction_descriptors():
    made = ptx.tcgen05.make_instr_desc_f16bf16_f32
    assert made() == 0x08400490
    assert made(m=64, n=8, ab_dtype="f16", a_major="MN", b_major="MN", scale_a=-1, scale_b=-1, saturate=True) == (
        1 << 3 | 1 << 4 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 17 | 4 << 24
    )


@kernel(arch="sm_100a")
def blackwell():
    t = ptx.tcgen05
    slot, bar, _ = smem.alloc(b32, 1), smem.mbarrier(1), smem.alloc(bf16, (128, 64), swizzle="128B")
    base = smem.base("smem_1")
    t.alloc(slot, 256)
    t.relinquish_alloc_permit()
    ptx.bar.sync(0)
    taddr = smem.load(b32, ptx.addr(slot))
    a = t.masked_descriptor(base)
    b = t.descriptor(base, byte_offset=64, stride_bytes=1024)
    idesc = t.make_instr_desc_f16bf16_f32(m=128, n=64)
    p, mask = reg.scalar(pred), reg.scalar(b16)
    t.mma(taddr, a, b, idesc, pred=p)
    t.mma(taddr + 64, a, b, reg.scalar(b32), kind="tf32", enable_input_d=True)
    t.mma(taddr, taddr, b, idesc, a_is_tmem=True, pred_operand=True, enable_input_d=False, collector_a="fill")
    t.mma(taddr, a, b, idesc, sparse=True, sparse_metadata=taddr, scale_d=p)
    t.commit(bar[0])
    t.commit(bar[0], multicast_mask=mask)
    t.commit(bar[0], space="cta")
    t.fence_before_thread_sync()
    t.fence_after_thread_sync()
    d = reg.array(b32, 32)
    t.ld(d, taddr, shape="32x32b", count=32)
    t.ld(d, taddr, shape="16x256b", count=8, pack=True)
    t.wait_ld()
    t.st(taddr, d, shape="16x128b", count=16)
    t.wait_st()
    t.cp(taddr, a)
    t.shift(taddr)
    t.dealloc(taddr, 256)
    ptx.ret()


def test_tensor_memory():
    found = [x.strip() for x in blackwell.ptx().split("\n")]
    assert found[:2] == [".version 8.8", ".target sm_100a"]
    every = [x for x in found if x.startswith(("tcgen05.mma", "@%p0 tcgen05.mma"))]
    assert every[0].startswith("@%p0 tcgen05.mma.cta_group::1.kind::f16 [") and every[0].count("{") == 1
    assert ".collector::a::fill" in every[2] and every[3].startswith("tcgen05.mma.sp.") and "{" not in every[3]
    assert "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem_0], 256;" in found
    assert any(x.startswith("tcgen05.ld.sync.aligned.16x256b.x8.pack::16b.b32 {") for x in found)
    assert ptx.tcgen05.BLACKWELL_MASKED_DESC_B128 == 0x4000404000010000
    assemble(blackwell)


def test_enable_input_d():
    def body(**options):
        return lambda: ptx.tcgen05.mma(reg.scalar(b32), reg.scalar(b64), reg.scalar(b64), reg.scalar(b32), **options)

    def enabled(**options):
        found = lines(body(**options), arch="sm_100a")
        return next(x for x in found if x.startswith("mov.u32")).split(", ")[1]

    assert [enabled(), enabled(enable_input_d=True), enabled(enable_input_d=False)] == ["0;", "1;", "0;"]
    assert (
        enabled(pred_operand=True, enable_input_d=False) == "1;" and enabled(scale_d=False, enable_input_d=True) == "0;"
    )
    with pytest.raises(AveError, match="kind"):
        lines(body(kind="f32"), arch="sm_100a")


def test_an_old_version_has_no_mask():
    def body():
        ptx.tcgen05.mma(reg.scalar(b32), reg.scalar(b64), reg.scalar(b64), reg.scalar(b32))

    assert "{" not in lines(body, arch="sm_100a", version=(8, 7))[-1] and "{" in lines(body, arch="sm_100a")[-1]
