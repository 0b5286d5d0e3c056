"""cp.async, mbarriers, TMA and fences write the instructions that they name; ptxas takes all of them."""

from __future__ import annotations

import pytest
from tests import tools

from avelang.base.errors import AveError
from avelang.ptx import Tile, kernel, machine_code, ptx, reg, smem
from avelang.ptx.types import b16, b64, bf16, f32, u32, u64

WRITTEN = """
cp.async.cg.shared.global [smem], [%ud0], 16
cp.async.ca.shared.global [smem], [%ud0+8], 8
cp.async.ca.shared.global [smem], [%ud0], 16, %u0
cp.async.commit_group
cp.async.wait_group 1
cp.async.wait_all
cp.async.mbarrier.arrive.noinc.shared::cta.b64 [mbar]
mbarrier.init.shared::cta.b64 [mbar+8], 1
mbarrier.arrive.shared::cta.b64 _, [mbar]
mbarrier.arrive.shared::cta.b64 _, [mbar], 2
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mbar], 128
mbarrier.arrive.expect_tx.shared::cta.b64 _, [mbar], 128
mbarrier.test_wait.parity.shared::cta.b64 %p0, [mbar], 0
$wait_0:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [mbar], %u0
@!%p1 bra $wait_0
mapa.shared::cluster.u32 %u1, mbar, 1
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%u1]
mbarrier.inval.shared::cta.b64 [mbar]
mov.b64 %rd1, k_A_map
cvta.param.u64 %rd1, %rd1
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%rd1, {%u0, 8}], [mbar]
mov.b64 %rd2, k_A_map
cvta.param.u64 %rd2, %rd2
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint \
[smem], [%rd2, {0, 0}], [mbar], %rs0, %rd0
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [smem]
cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {0, 0}], [smem]
prefetch.tensormap [%rd1]
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%ud0], 64, [mbar]
cp.async.bulk.global.shared::cta.bulk_group [%ud0], [smem], 64
cp.async.bulk.commit_group
cp.async.bulk.wait_group.read 0
cp.async.bulk.wait_group 1
fence.proxy.async.shared::cta
fence.proxy.async
fence.mbarrier_init.release.cluster
fence.acq_rel.gpu
"""


@kernel(in_specs=Tile(64, 64, bf16, box=(8, 64), swizzle=128), grid=1, block=128, arch="sm_90a")
def k(A):
    tile, bar = smem.alloc(bf16, (8, 64), swizzle=128), smem.barriers(2)
    pointer, i, mask, policy = reg.scalar(u64), reg.scalar(u32), reg.scalar(b16), reg.scalar(b64)
    ptx.cp_async(tile, pointer)
    ptx.cp_async(tile, ptx.addr(pointer, 8), 8)
    ptx.cp_async(tile, pointer, 16, src_size=i, l1=True)
    ptx.cp_async.commit_group()
    ptx.cp_async.wait_group(1)
    ptx.cp_async.wait_all()
    ptx.cp_async.mbarrier_arrive(bar)
    ptx.mbarrier.init(bar[1], 1)
    ptx.mbarrier.arrive(bar)
    ptx.mbarrier.arrive(bar, 2)
    ptx.mbarrier.expect_tx(bar, 128)
    ptx.mbarrier.arrive_expect_tx(bar, 128)
    ptx.mbarrier.test_wait(bar, 0)
    ptx.mbarrier.wait(bar, i)
    ptx.mbarrier.arrive_cluster(ptx.cluster.mapa(bar, 1))
    ptx.mbarrier.inval(bar)
    descriptor = ptx.tma.map(A)
    ptx.tma.load_2d(tile, descriptor, (8, i), bar)
    ptx.tma.load(tile, A, (0, 0), bar, mask=mask, policy=policy)
    ptx.tma.store_2d(descriptor, (0, 0), tile)
    ptx.tma.reduce_add(descriptor, (0, 0), tile)
    ptx.tma.prefetch_map(descriptor)
    ptx.tma.load_bytes(tile, pointer, 64, bar)
    ptx.tma.store_bytes(pointer, tile, 64)
    ptx.tma.commit_group()
    ptx.tma.wait_group(0, read=True)
    ptx.tma.wait_group(1)
    ptx.fence.proxy_async()
    ptx.fence.proxy_async("")
    ptx.fence.mbarrier_init()
    ptx.fence.acq_rel()


def test_each_call_writes_what_it_names():
    body = k.ptx().partition("\n{\n")[2].rpartition("}")[0]
    assert [
        x.strip().rstrip(";") for x in body.splitlines() if not x.strip().startswith((".reg", ".shared"))
    ] == WRITTEN.strip().splitlines()
    assert ".param .align 64 .b8 k_A_map[128]" in k.ptx()


def test_ptxas_takes_all_of_it():
    tools.need("ptxas")
    assert machine_code.assembled(k.traced((), None))[0][:4] == b"\x7fELF"


@pytest.mark.parametrize(("code", "wrong"), [
    ("T222", lambda A, B: ptx.tma.map(B)),
    ("T101", lambda A, B: ptx.tma.load(smem.alloc(bf16, (8, 64)), A, (0,), smem.barriers())),
    ("T101", lambda A, B: ptx.tma.load_2d(smem.alloc(bf16, (8, 64)), A, (0, 0, 0), smem.barriers())),
    ("T101", lambda A, B: ptx.tma.load_1d(smem.alloc(bf16, (8, 64)), A, (0, 0), smem.barriers())),
    ("T101", lambda A, B: ptx.tma.load_2d(smem.alloc(bf16, (4, 64)), A, (0, 0), smem.barriers())),
    ("T101", lambda A, B: ptx.tma.store_2d(A, (0, 0), smem.alloc(bf16, (8, 64), swizzle=128))),
    ("T101", lambda A, B: ptx.tma.reduce_add(A, (0, 0), smem.alloc(bf16, (8, 64), swizzle=128))),
])  # fmt: skip
def test_refusals(code, wrong):
    @kernel(in_specs=(Tile(64, 64, bf16, box=(8, 64)), Tile(4, f32)), grid=1, block=32, arch="sm_90")
    def bad(A, B):
        wrong(A, B)

    with pytest.raises(AveError) as caught:
        bad.ptx()
    assert caught.value.code == code and caught.value.span.file == __file__
