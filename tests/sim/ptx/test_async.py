"""Copies that run beside the warps, mbarriers, TMA, wgmma: what they do, and misuses that are reported."""

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.texts import filled, kernel, map_of, run

COPY = """
mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 16; add.u64 %d1, %d0, %p0; add.u64 %d2, %d0, %p1; .shared .align 16 .b8 box[512];
mov.u32 %r1, box; cvt.u32.u64 %r2, %d0; add.u32 %r1, %r1, %r2;
cp.async.cg.shared.global [%r1], [%d1], 16; {first}
{wait}
ld.shared.v4.u32 {{%r4, %r5, %r6, %r7}}, [%r1]; st.global.v4.u32 [%d2], {{%r4, %r5, %r6, %r7}}; ret;
"""


def copied(first: str, wait: str) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    run(kernel(COPY.format(first=first, wait=wait), 2, "sm_80"), a, b)
    return a, b


@pytest.mark.parametrize("wait", ["cp.async.commit_group; cp.async.wait_group 0;", "cp.async.wait_all;"])
def test_copies_are_there_behind_a_wait(wait):
    a, b = copied("", wait)
    assert (a == b).all()


WAITS = {
    "nothing waits": ("", ""),
    "one group too few": ("cp.async.commit_group; cp.async.commit_group;", "cp.async.wait_group 2;"),
    "not committed": ("", "cp.async.wait_group 0;"),
    "written meanwhile": ("", "st.shared.u32 [%r1], %r0; cp.async.wait_all;"),
}  # fmt: skip


@pytest.mark.parametrize("case", WAITS)
def test_bytes_on_which_a_copy_arrives(case):
    with pytest.raises(AveError, match=r"\[X033\].*shared memory, and `cp.async.cg.shared.global .*` \(line \d+\) runs, which still arrives there") as caught:
        copied(*WAITS[case])
    assert caught.value.code == "X033" and "wait_group" in str(caught.value)


def test_zero_fill_and_sources_that_are_ignored():
    a, b = np.arange(1, 129, dtype=np.uint32), np.zeros(128, np.uint32)
    text = COPY.format(first="", wait="cp.async.wait_all;").replace("[%d1], 16;", "[%d1], 16, %r9;")
    run(kernel(".reg .b32 x; mov.u32 x, %tid.x; and.b32 %r9, x, 15;" + text, 2, "sm_80"), a, b)
    want = a.view(np.uint8).reshape(32, 16).copy()
    want[np.arange(16) >= (np.arange(32) % 16)[:, None]] = 0
    assert (b.view(np.uint8).reshape(32, 16) == want).all()


OUTSIDE = {"the source": ("[%d1], 16;", "[%d1+4096], 16;",
    r"touches 16 bytes at address 0x\w+, outside of all memory that was given; the nearest is `array"),
    "the destination": ("[%r1], [%d1], 16;", "[%r1+4096], [%d1], 16;",
    r"at address 0x1000 of shared memory, which has 512 bytes")}  # fmt: skip


@pytest.mark.parametrize("case", OUTSIDE)
def test_copies_outside_of_memory(case):
    old, new, said = OUTSIDE[case]
    with pytest.raises(AveError, match=rf"\[X032\].*`cp.async.cg.*{said}") as caught:
        run(kernel(COPY.replace(old, new).format(first="", wait="cp.async.wait_all;"), 2, "sm_80"),
            np.zeros(128, np.uint32), np.zeros(128, np.uint32))
    assert caught.value.code == "X032"


# -- mbarriers, bulk copies --------------------------------------------------------------------------------------------

BULK = """
.shared .align 128 .b8 box[512]; .shared .align 8 .b64 bar; mov.u32 %r0, %tid.x; mov.u32 %r1, box; mov.u32 %r2, bar;
setp.ne.u32 %q1, %r0, 0; @%q1 bra ON;
mbarrier.init.shared.b64 [%r2], 1; fence.proxy.async; {expect}
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%p0], 512, [%r2];
ON: bar.sync 0;
{wait}
mul.lo.u32 %r3, %r0, 4; add.u32 %r3, %r3, %r1; ld.shared.u32 %r4, [%r3];
mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %p1; st.global.u32 [%d0], %r4; ret;
"""
WAIT = "LOOP{0}: mbarrier.try_wait.parity.shared.b64 %q2, [%r2], {0}; @!%q2 bra LOOP{0};"


def bulk(expect: str = "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;", wait: str = WAIT.format(0)) -> np.ndarray:
    a, b = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    run(kernel(BULK.format(expect=expect, wait=wait), 2), a, b, block=(128, 1, 1))
    return (a == b).all()


def test_bulk_copies_are_there_when_the_phase_has_ended():
    assert bulk()
    assert bulk(wait="mov.u64 %d9, 0; L: mbarrier.test_wait.parity.shared.b64 %q2, [%r2], 0; @!%q2 bra L;")


def test_a_read_before_the_phase_has_ended():
    with pytest.raises(AveError, match=r"\[X033\].*`ld.shared.u32.*`cp.async.bulk.*which still arrives there"):
        bulk(wait="")


@pytest.mark.parametrize(
    ("expect", "wait"),
    [
        ("mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;", WAIT.format(0)),  # more bytes than come
        ("mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;", WAIT.format(0) + WAIT.format(1)),  # a phase that nobody begins
        ("mbarrier.expect_tx.relaxed.cta.shared.b64 [%r2], 512;", WAIT.format(0)),  # nobody arrives
    ],
)
def test_phases_that_never_end(expect, wait):
    with pytest.raises(AveError,
            match=r"\[X034\].*warp 0 of block \(0, 0, 0\) at line \d+ \(`mbarrier.try_wait.*; warp 3"):
        bulk(expect, wait)


def test_a_phase_that_is_waited_for_twice():
    again = "AGAIN: mbarrier.try_wait.parity.shared.b64 %q2, [%r2], 0; @!%q2 bra AGAIN;"
    with pytest.raises(AveError, match=r"\[X033\].*has waited for this phase of the mbarrier before") as caught:
        bulk(wait=WAIT.format(0) + again)
    assert "parity" in str(caught.value)
    # A test may be made again.
    assert bulk(wait=WAIT.format(0) + again.replace("try_wait", "test_wait"))


def test_misuses_of_mbarriers():
    with pytest.raises(AveError, match=r"\[X035\].*there is no mbarrier at 0x0"):
        filled(".shared .b64 bar; mbarrier.arrive.shared.b64 %d1, [bar]; ret;")
    with pytest.raises(AveError, match=r"\[X035\].*1 arrivals on an mbarrier whose phase waits for 0 of 2 more|phase"):
        filled(".shared .b64 bar; mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %d1, [bar], 3; ret;")


def test_states_of_phases():
    got = filled("""
        .shared .align 8 .b64 bar; setp.eq.u32 %q1, %r0, 0; @%q1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;
        mbarrier.arrive.shared.b64 %d1, [bar]; W: mbarrier.test_wait.shared.b64 %q2, [bar], %d1; @!%q2 bra W;
        mbarrier.pending_count.b64 %r3, %d1; st.global.u32 [%d0], %r3; ret;""")
    assert got.tolist() == list(range(32, 0, -1))


STORE = """
.shared .align 128 .b8 box[512]; mov.u32 %r0, %tid.x; mov.u32 %r1, box; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1;
st.shared.u32 [%r2], %r0; {fence} bar.sync 0; setp.ne.u32 %q1, %r0, 0; @%q1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r1], 512; cp.async.bulk.commit_group; {wait}
OUT: bar.sync 0; {after} ret;
"""


def stored(fence: str = "fence.proxy.async;", wait: str = "cp.async.bulk.wait_group.read 0;",
        after: str = "st.shared.u32 [%r2], 7;") -> np.ndarray:
    out = np.zeros(128, np.uint32)
    run(kernel(STORE.format(fence=fence, wait=wait, after=after)), out, block=(128, 1, 1))
    return out


def test_stores_by_the_copy_engine():
    assert (stored() == np.arange(128)).all()
    with pytest.raises(AveError, match=r"\[X033\].*ordinary stores have written, and no fence.proxy.async"):
        stored(fence="")
    with pytest.raises(AveError, match=r"\[X033\].*`st.shared.u32.*`cp.async.bulk.global.*which still reads there"):
        stored(wait="")
    with pytest.raises(AveError, match=r"\[X032\].*touches 512 bytes.*which is read-only"):
        out = np.zeros(128, np.uint32)
        out.flags.writeable = False
        run(kernel(STORE.format(fence="fence.proxy.async;", wait="cp.async.bulk.wait_group 0;", after="")), out,
            block=(128, 1, 1))


def test_boxes_of_tensor_maps():
    """A box beyond the edge, swizzled; and where it goes wrong."""
    a, out = np.arange(24 * 40, dtype=np.float32).reshape(24, 40), np.zeros((8, 32), np.float32)
    body = """
        .shared .align 1024 .b8 box[1024]; .shared .align 8 .b64 bar; mov.u32 %r0, %tid.x; mov.u32 %r2, bar; mov.u32 %r1, box; mov.b64 %d9, p0;
        setp.ne.u32 %q1, %r0, 0; @%q1 bra ON; mbarrier.init.shared.b64 [%r2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;
        cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d9, {36, 20}], [%r2];
        ON: bar.sync 0; L: mbarrier.try_wait.parity.shared.b64 %q2, [%r2], 0; @!%q2 bra L;
        mov.u32 %r5, 0; ROW: shl.b32 %r6, %r5, 7; shl.b32 %r7, %r0, 2; or.b32 %r6, %r6, %r7; add.u32 %r7, %r6, %r1; ld.shared.u32 %r8, [%r7];
        cvt.u64.u32 %d1, %r6; add.u64 %d1, %d1, %p1; st.global.u32 [%d1], %r8; add.u32 %r5, %r5, 1; setp.lt.u32 %q3, %r5, 8; @%q3 bra ROW; ret;"""
    text = kernel(body, 2, directives="map")
    run(text, map_of(a, (8, 32), "f32", swizzle=128), out, also=(a,))
    want = np.zeros((8, 32), np.float32)
    want[:4, :4] = a[20:, 36:]
    pieces = want.reshape(8, 8, 4)
    assert (out.reshape(8, 8, 4) == np.stack([pieces[r][np.arange(8) ^ r] for r in range(8)])).all()
    with pytest.raises(AveError, match=r"\[X035\].*multiple of 16 bytes"):
        run(text.replace("{36, 20}", "{35, 20}"), map_of(a, (8, 32), "f32"), out, also=(a,))
    with pytest.raises(AveError, match=r"\[X035\].*there is no tensor map"):
        run(text, bytes(128), out, also=(a,))


# -- wgmma -------------------------------------------------------------------------------------------------------------

PRODUCT = """
.shared .align 1024 .b8 tile[3072]; mov.u32 %r0, %tid.x; mov.u32 %r1, tile; .reg .b32 i; mov.u32 i, %r0;
FILL: mul.wide.u32 %d1, i, 2; add.u64 %d2, %d1, %p0; ld.global.b16 %h1, [%d2]; cvt.u32.u64 %r2, %d1; add.u32 %r2, %r2, %r1; st.shared.b16 [%r2], %h1;
add.u32 i, i, 128; setp.lt.u32 %q1, i, 1152; @%q1 bra FILL;
{fence} bar.sync 0;
cvt.u64.u32 %d3, %r1; shr.u64 %d3, %d3, 4; or.b64 %d4, %d3, {desc}; add.u64 %d5, %d4, 128;
wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %d4, %d5, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned; {early} wgmma.wait_group.sync.aligned 0;
mul.wide.u32 %d6, %r0, 16; add.u64 %d6, %d6, %p1; st.global.v4.f32 [%d6], {{%f0, %f1, %f2, %f3}}; ret;
"""
# no swizzle: 8 rows of 16 bytes are 128 bytes, the next ones along K 128 further on, along M 256
DESC = 8 << 16 | 16 << 32


def product(fence: str = "fence.proxy.async;", early: str = "") -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    a, b = rng.integers(-4, 5, (64, 16)).astype(np.float16), rng.integers(-4, 5, (8, 16)).astype(np.float16)
    cores = [x.reshape(-1, 8, 2, 8).transpose(0, 2, 1, 3).ravel() for x in (a, b)]
    out = np.zeros((128, 4), np.float32)
    run(kernel(PRODUCT.format(fence=fence, early=early, desc=DESC), 2), np.concatenate(cores), out, block=(128, 1, 1))
    want = a.astype(np.float32) @ b.astype(np.float32).T
    lane, slot = np.meshgrid(np.arange(128), np.arange(4), indexing="ij")
    return out, want[16 * (lane // 32) + lane % 32 // 4 + 8 * (slot // 2), 2 * (lane % 4) + slot % 2]


def test_a_product_of_a_warpgroup():
    got, want = product()
    assert (got == want).all()
    with pytest.raises(AveError, match=r"\[X033\].*`wgmma.mma_async.*no fence.proxy.async"):
        product(fence="")
    with pytest.raises(AveError, match=r"\[X033\].*`st.shared.b16.*`wgmma.mma_async.*which still reads there"):
        product(early="st.shared.b16 [%r1], %h1;")


@pytest.mark.parametrize("touch", ["add.f32 %f5, %f2, %f2;", "mov.f32 %f3, 0f00000000;", "@!%q1 st.global.f32 [%p1], %f0;"])
def test_accumulators_before_the_product_is_there(touch):
    """Read, written, or read under a guard (%q1 is false here)."""
    opcode = touch.removeprefix("@!%q1 ").split()[0]
    with pytest.raises(AveError, match=rf"\[X033\].*`.*{opcode}.*touches a register of the accumulator of `wgmma.mma_async.*still runs") as caught:
        product(early=touch)
    assert caught.value.code == "X033" and "wgmma.wait_group" in str(caught.value)


def test_accumulators_that_may_be_touched():
    """Where a guard keeps all lanes from it, and behind the wait; a second product on the same accumulator needs
    none."""
    more = ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d4, %d5, %q2, 1, 1, 0, 0; "
        "wgmma.commit_group.sync.aligned;")
    got, want = product(early="@%q1 add.f32 %f0, %f1, %f2; setp.eq.u32 %q2, 0, 0;" + more
        + "wgmma.wait_group.sync.aligned 0; add.f32 %f1, %f1, %f1;")
    assert (got == 2 * want * np.array([1, 2, 1, 1])).all()
    with pytest.raises(AveError, match=r"\[X033\].*`add.f32.*accumulator"):
        product(early="setp.eq.u32 %q2, 0, 0;" + more + "wgmma.wait_group.sync.aligned 1; add.f32 %f1, %f1, %f1;")


def test_matrices_are_turned_on_the_way():
    a = np.arange(64, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(8, 8)
    out = np.zeros((3, 32, 2), ml_dtypes.bfloat16)
    run(kernel("""
        .shared .align 16 .b8 m[128]; mov.u32 %r0, %tid.x; mov.u32 %r1, m; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; ld.global.u32 %r2, [%d1];
        cvt.u32.u64 %r3, %d0; add.u32 %r3, %r3, %r1; st.shared.u32 [%r3], %r2; bar.sync 0; and.b32 %r4, %r0, 7; shl.b32 %r4, %r4, 4; add.u32 %r4, %r4, %r1;
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4]; ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r6}, [%r4];
        movmatrix.sync.aligned.m8n8.trans.b16 %r7, %r5; add.u64 %d2, %d0, %p1;
        st.global.u32 [%d2], %r5; st.global.u32 [%d2+128], %r6; st.global.u32 [%d2+256], %r7; ret;""", 2), a, out)
    assert (out[0].reshape(8, 8) == a).all() and (out[1].reshape(8, 8) == a.T).all() and (out[2].reshape(8,
        8) == a.T).all()


def test_shared_memory_of_the_cluster():
    out = np.zeros((4, 32), np.uint32)
    run(kernel("""
        .shared .b32 box[32]; mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, box; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;
        mad.lo.u32 %r4, %r1, 100, %r0; st.shared.u32 [%r2], %r4; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        add.u32 %r5, %r1, 1; and.b32 %r5, %r5, 3; mapa.shared::cluster.u32 %r6, %r2, %r5; ld.shared::cluster.u32 %r7, [%r6];
        getctarank.shared::cluster.u32 %r8, %r6; mad.lo.u32 %r7, %r8, 1000, %r7; atom.shared::cluster.add.u32 %r9, [%r6], 1;
        shl.b32 %r10, %r1, 5; add.u32 %r10, %r10, %r0; mul.wide.u32 %d0, %r10, 4; add.u64 %d0, %d0, %p0;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ld.shared.u32 %r11, [%r2]; sub.u32 %r11, %r11, %r4; mad.lo.u32 %r7, %r11, 10000, %r7;
        st.global.u32 [%d0], %r7; ret;"""), out, grid=(4, 1, 1), cluster=(4, 1, 1))
    rank = (np.arange(4)[:, None] + 1) % 4
    assert (out == 10000 + 1000 * rank + 100 * rank + np.arange(32)).all()
