"""Shared memory, mbarriers, copies, fences, clusters: what is written, that ptxas takes all of it."""

from __future__ import annotations

import pytest
from tests.pyptx.emitted import assemble, lines, text_of

from avelang.base.errors import AveError
from pyptx import Tile, kernel, ptx, reg, smem
from pyptx.kernel import TensorSpec, TmaDescriptorHandle
from pyptx.smem import MbarrierArray, SharedAlloc, apply_swizzle
from pyptx.specs import Layout
from pyptx.types import b16, b32, b64, bf16, f32, pred, u32, u64


def test_static_allocations():
    def body():
        a = smem.alloc(f32, (4, 8))
        b = smem.alloc(bf16, 64, swizzle="128B", name="tile")
        bars = smem.mbarrier(2)
        assert isinstance(a, SharedAlloc) and isinstance(bars, MbarrierArray)
        assert (a.name, b.name, bars.name, b.swizzle, a.byte_offset) == ("smem_0", "tile", "mbar_0", "128B", 0)
        assert (bars[1].byte_offset, bars[1].idx, bars[1].array) == (8, 1, bars)
        r = reg.scalar(u32)
        ptx.inst.mov.b32(r, a.name)
        ptx.inst.mov.b32(r, b)
        ptx.mbarrier.init(bars[0], 1)
        ptx.mbarrier.inval(bars[1])
        smem.store(f32, ptx.addr(a, 16), smem.load(f32, a))
        with pytest.raises(IndexError):
            bars[2]

    text = text_of(body)
    for said in (".shared .align 128 .b8 smem_0[128];", ".shared .align 1024 .b8 tile[128];",
                 ".shared .align 8 .b64 mbar_0[2];", "mov.b32 %r0, smem_0;", "mbarrier.init.shared::cta.b64 [mbar_0], 1;",
                 "mbarrier.inval.shared.b64 [mbar_0+8];", "ld.shared.f32 %f0, [smem_0];",
                 "st.shared.f32 [smem_0+16], %f0;"):  # fmt: skip
        assert said in text, said


def big(count):
    @kernel(arch="sm_90a")
    def big_one():
        smem.alloc(f32, 100)
        a = smem.alloc(f32, (count, 32))
        bar = smem.mbarrier(1)
        r = reg.scalar(u32)
        ptx.inst.mov.b32(r, a.name)
        ptx.mbarrier.init(bar[0], 1)
        a[1, r] = a[0, 1]
        smem.load(f32, ptx.addr(a[1], 4))
        ptx.ret()

    return big_one


def test_over_48_kib_all_is_dynamic():
    k = big(384)
    assert "dyn_smem" not in big(300).ptx()
    text = k.ptx()
    assert "smem_0" not in text.replace("dyn_smem", "") and "mbar_0" not in text
    for said in (".extern .shared .align 1024 .b8 dyn_smem[];", "mov.b32 %r0, dyn_smem+512;",
                 "add.s32 %r1, %r1, 49664;", "mbarrier.init.shared::cta.b64 [%r1], 1;", "ld.shared.f32 %f0, [dyn_smem+516];",
                 "ld.shared.f32 %f1, [dyn_smem+644];"):  # fmt: skip
        assert said in text, said
    assert k._last_trace_smem == 49672 and big(300)._last_trace_smem == 0
    assemble(k)


def test_smem_over_48_kib_makes_small_allocations_dynamic():
    @kernel(arch="sm_90a", smem=65536)
    def small():
        smem.store(f32, smem.alloc(f32, 4), reg.scalar(f32, 1.0))

    assert "[dyn_smem]" in small.ptx() and ".extern .shared" in small.ptx()
    assemble(small)


def test_an_extern_array_by_hand():
    @kernel(arch="sm_90a", smem=131072, extern_smem=True)
    def by_hand():
        base = smem.base()
        bar = smem.mbarrier(1)
        ptx.mbarrier.init(bar[0], 1)
        smem.store(f32, ptx.addr(base + 1024, 4), reg.scalar(f32, 1.0))

    text = by_hand.ptx()
    assert ".extern .shared .align 1024 .b8 global_smem[];" in text and "mov.u32 %r0, global_smem;" in text
    assert "[mbar_0]" in text
    assemble(by_hand)


def test_swizzled_offsets():
    def body():
        x = reg.scalar(u32)
        assert apply_swizzle(x, None) is x
        apply_swizzle(x, "64B")

    assert lines(body) == ["and.b32 %r1, %r0, 384;", "shr.u32 %r1, %r1, 3;", "xor.b32 %r2, %r0, %r1;"]
    with pytest.raises(ValueError):
        lines(lambda: apply_swizzle(reg.scalar(u32), "48B"))


def test_mbarriers():
    def body():
        bar = smem.mbarrier(1)[0]
        p = reg.scalar(pred)
        assert ptx.mbarrier.arrive(bar).dtype == b64
        ptx.mbarrier.arrive_expect_tx(bar, 512, pred=p)
        ptx.mbarrier.expect_tx(bar, 512)
        ptx.mbarrier.wait(bar, 0)
        assert ptx.mbarrier.try_wait(reg.scalar(u32), 1).dtype == pred

    assert lines(body) == [
        "mbarrier.arrive.shared.b64 %rd0, [mbar_0];",
        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [mbar_0], 512;",
        "mbarrier.expect_tx.shared.b64 [mbar_0], 512;", "$_mbar_wait_0:",
        "mbarrier.try_wait.parity.shared.b64 %p1, [mbar_0], 0;", "@!%p1 bra $_mbar_wait_0;",
        "mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 1;",
    ]  # fmt: skip


def test_rings_of_barriers():
    def body():
        base, stage = reg.scalar(u32), reg.scalar(u32)
        ring = ptx.mbarrier.array(base, 64, 3)
        ring.init_all(2)
        slot = ring.at(stage)
        slot.wait(0)
        slot.arrive()
        ring[1].arrive_remote(1)
        assert ring[2].byte_offset == 80 and len(ring) == 3
        with pytest.raises(IndexError):
            ring[3]

    found = lines(body)
    assert found[:3] == [f"mbarrier.init.shared::cta.b64 [%r0+{64 + 8 * i}], 2;" for i in range(3)]
    assert found[3:6] == ["shl.b32 %r2, %r1, 3;", "add.u32 %r2, %r2, 64;", "add.u32 %r3, %r0, %r2;"]
    assert found[-7:] == [
        "mbarrier.arrive.shared.b64 %rd0, [%r3];", "add.u32 %r4, %r0, 72;", "{",
        "mapa.shared::cluster.u32 remAddr32, %r4, 1;", "mbarrier.arrive.shared::cluster.b64 _, [remAddr32], 1;", "}",
    ][-7:] or "{" in found  # fmt: skip


COORDS = {1: (0,), 2: (0, 8), 3: (0, 8, 1), 4: (0, 8, 1, 0), 5: (0, 8, 1, 0, 0)}


def copies(arch):
    """A kernel with every copy, fence and cluster call."""

    @kernel(in_specs=(Tile(64, 64, bf16, Layout.TMA_128B),), arch=arch, cluster=(2, 1, 1))
    def every(x):
        desc = x.tma_desc()
        assert x.tma_desc() is desc
        tile, bar, p = smem.alloc(bf16, (64, 64), swizzle="128B"), smem.mbarrier(1), reg.scalar(pred)
        mask = reg.scalar(b16, init=3)
        bulk = ptx.cp.async_.bulk
        for rank, coord in COORDS.items():
            call = getattr(bulk, f"tensor_{rank}d")
            call(dst=tile, src=desc, coord=coord, mbar=bar[0], multicast_mask=mask if rank == 2 else None, pred=p)
            call.store(dst=desc, src=tile[0], coord=coord)
            getattr(bulk.tensor, f"tile_{rank}d")(tile, desc, coord, mbar=bar[0])
            getattr(bulk.tensor, f"store_{rank}d")(desc, tile, coord)
            if rank > 2:
                getattr(bulk.tensor, f"im2col_{rank}d")(tile, desc, coord, mbar=bar[0])
        bulk.commit_group()
        bulk.wait_group(0, read=True)
        row, col = reg.scalar(u32), reg.scalar(u32)
        ptx.tma.load_3d(tile, desc, row, col, bar[0])
        ptx.tma.load_3d_multicast(tile, desc, row=0, col=64, mbar=bar[0], mask=mask, issuer=0)
        ptx.tma.store_3d(desc, tile, coords=(0, row, 1), pred=p)
        ptx.fence.proxy_async()
        ptx.fence.proxy_async_shared_cta()
        ptx.fence.mbarrier_init()
        ptx.fence.proxy_async_generic_acquire_shared_cluster()
        ptx.cluster.sync(aligned=True)
        ptx.cluster.arrive_multicast(ptx.cluster.map_shared_u32(bar[0], 1), 0b11)
        ptx.cluster.arrive_remote(bar[0], 1, pred=p)
        (px,) = ptx.global_ptrs(x)
        ptx.cp.async_.cg(ptx.addr(row), ptx.addr(px), 16)
        ptx.cp.async_.ca(row, px, 4)
        ptx.cp.async_.commit_group()
        ptx.cp.async_.wait_group(1)
        ptx.cp.async_.wait_all()
        ptx.setmaxnreg_dec(40)
        ptx.setmaxnreg_inc(232)
        ptx.named_barrier(3, count=128).sync(pred=p)
        ptx.elect_sync(reg.scalar(u32), p, -1)
        if arch == "sm_100a":
            rows = (0, 1, 2, 3, 4)
            bulk.tensor.gather4_2d(tile, desc, rows, mbar=bar[0])
            bulk.tensor.scatter4_2d(desc, tile, rows)
            bulk.tensor_2d(dst=tile, src=desc, coord=(0, 0), mbar=bar[0], cta_group=2)
            bulk.tensor_3d.shared_cta_global_tile(dst=tile, src=desc, coord=(0, 0, 0), mbar=bar[0], cta_group=2)
        ptx.ret()

    return every


@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
def test_copies_assemble(arch):
    k = copies(arch)
    text = k.ptx()
    assert text.count("ld.param.u64") == 2 and ".param .u64 x_tma_desc\n" in text
    first = text.partition("{\n")[2].split("\n")
    assert (
        next(x.strip() for x in first if ".reg" not in x and ".shared" not in x) == "ld.param.u64 %rd0, [x_tma_desc];"
    )
    for said in (
        "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[smem_0], [%rd0, {0, 8}], [mbar_0], %rs0;",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd0, {0, 8}], [smem_0];",
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem_0], [%rd0, {0, %r0, ",
    ):
        assert said in text, said
    assemble(k)


def test_a_map_outside_of_a_kernel():
    found = TensorSpec("A").tma_desc()
    assert isinstance(found, TmaDescriptorHandle) and found.name == "A_tma_desc" and found.tensor.name == "A"


REFUSED = {
    "coordinates missing": (ValueError, lambda d, b: ptx.cp.async_.bulk.tensor_2d(dst=d, src=d, mbar=b)),
    "coordinates": (ValueError, lambda d, b: ptx.cp.async_.bulk.tensor_2d(dst=d, src=d, coord=(1,), mbar=b)),
    "a group": (ValueError, lambda d, b: ptx.cp.async_.bulk.tensor_1d(dst=d, src=d, coord=(1,), mbar=b, cta_group=3)),
    "no barrier": (ValueError, lambda d, b: ptx.cp.async_.bulk.tensor_1d(dst=d, src=d, coord=(1,))),
    "no column": (TypeError, lambda d, b: ptx.tma.load_3d(d, d, 0, mbar=b)),
    "two guards": (ValueError, lambda d, b: ptx.tma.load_3d_multicast(d, d, 0, 0, b, d, issuer=0, pred=b)),
    "a mask": (TypeError, lambda d, b: ptx.cluster.arrive_multicast(b, d)),
    "a stored number": (TypeError, lambda d, b: smem.store(f32, d, 1.0)),
    "a stored element": (TypeError, lambda d, b: smem.alloc(f32, (2, 2)).__setitem__((0, 0), 1.0)),
    "an element of a vector": (TypeError, lambda d, b: smem.alloc(f32, 4)[0, 0]),
    "a major": (ValueError, lambda d, b: smem.wgmma_tile(bf16, (64, 64), "N")),
    "a tile": (ValueError, lambda d, b: smem.wgmma_tile(bf16, (64, 24))),
    "a swizzle": (ValueError, lambda d, b: smem.alloc(f32, 4, swizzle="48B")),
    "a copy of 5 bytes": (AveError, lambda d, b: ptx.cp.async_.ca(b, d, 5)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    kind, wrong = REFUSED[what]
    with pytest.raises(kind) as e:
        lines(lambda: wrong(reg.scalar(u64), reg.scalar(b32)))
    assert isinstance(e.value, AveError) and e.value.span is not None and e.value.span.file == __file__
