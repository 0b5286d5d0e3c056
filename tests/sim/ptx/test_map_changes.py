"""Tensor maps that a kernel changes before it copies by them, as grouped products do; maps that the copy engine does not
have."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.texts import kernel, map_of, run

# One warp takes the map in the parameter to shared memory, changes it there, hands it over to global memory (p1), and
# copies a box by it, whose bytes go to p2 as they lie. p3, p4, p5: numbers for the changes.
CHANGED = """
.shared .align 1024 .b8 box[{size}]; .shared .align 128 .b8 map[128]; .shared .align 8 .b64 bar;
mov.u32 %r0, %tid.x; setp.ne.u32 %q1, %r0, 0; mov.u32 %r1, map; mov.u32 %r2, bar; mov.u32 %r3, box;
mov.u64 %d1, p0; shl.b32 %r4, %r0, 2; cvt.u64.u32 %d2, %r4; add.u64 %d2, %d1, %d2; ld.param.u32 %r5, [%d2];
add.u32 %r4, %r4, %r1; st.shared.u32 [%r4], %r5; bar.warp.sync -1;
@%q1 bra CHANGED;
mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster;
cvt.u32.u64 %r10, %p4; cvt.u32.u64 %r11, %p5;
{changes}
CHANGED:
bar.warp.sync -1;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%p1], [%r1], 128;
fence.proxy.tensormap::generic.acquire.gpu [%p1], 128;
@%q1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {size};
cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%p1, {at}], [%r2];
WAIT:
mbarrier.try_wait.parity.shared.b64 %q2, [%r2], 0; @!%q2 bra WAIT;
NEXT:
add.u32 %r6, %r3, %r0; ld.shared.u8 %r7, [%r6]; cvt.u64.u32 %d3, %r0; add.u64 %d3, %d3, %p2; st.global.u8 [%d3], %r7;
add.u32 %r0, %r0, 32; setp.lt.u32 %q3, %r0, {size}; @%q3 bra NEXT;
ret;
"""
FIELD = "tensormap.replace.tile.{}.shared::cta.b1024.{} [%r1], {};"
ADDRESS = FIELD.format("global_address", "b64", "%p3")


def copied(changes: str, template: np.ndarray, box: tuple[int, ...], dtype: str, source: np.ndarray,
        numbers: tuple[int, int] = (0, 0), size: int = 0, rank: int = 0, **more: object) -> np.ndarray:  # fmt: skip
    size, rank = size or int(np.prod(box)) * template.itemsize, rank or len(box)
    text = CHANGED.format(size=size, changes=changes, rank=rank, at="{" + ", ".join(["0"] * rank) + "}")
    room, out = np.zeros(256, np.uint8), np.zeros(size, np.uint8)
    place = room[-room.ctypes.data % 128 :][:128]
    swizzle = more.pop("swizzle", 0)
    run(kernel(text, 6, directives="map"), map_of(template, box, dtype, swizzle=swizzle), place, out,
        source.ctypes.data, *numbers, also=(source, template), **more)  # fmt: skip
    return out


@pytest.mark.parametrize("check", [(), ("races", "init")])
def test_another_array_of_another_shape(check):
    """Address, both extents and the stride of rows, as a grouped product changes them for each of its members."""
    source = np.arange(6 * 24, dtype=np.uint16).reshape(6, 24)
    changes = ADDRESS + "".join(FIELD.format("global_dim", "b32", f"{k}, %r{11 - k}") for k in (0, 1))
    changes += "mul.lo.u32 %r12, %r11, 2; cvt.u64.u32 %d9, %r12;" + FIELD.format("global_stride", "b64", "0, %d9")
    got = copied(changes, np.zeros((64, 64), np.uint16), (8, 32), "u16", source, source.shape, check=check)
    want = np.zeros((8, 32), np.uint16)
    want[:6, :24] = source
    assert (got.view(np.uint16).reshape(8, 32) == want).all()


def test_box_type_rank_and_pattern():
    """A map of bytes in one dimension becomes one of two of f32 with a swizzle of 32 bytes; the rank is given less one,
    and dimensions are set before it has grown to them."""
    source = np.arange(16 * 8, dtype=np.float32).reshape(16, 8)
    numbers = [("global_dim", "b32", "0, 8"), ("box_dim", "b32", "0, 8"), ("global_dim", "b32", "1, 16"),
        ("box_dim", "b32", "1, 8"), ("rank", "b32", "1"), ("elemtype", "b32", "7"), ("element_stride", "b32", "0, 1"),
        ("swizzle_mode", "b32", "1"), ("interleave_layout", "b32", "0"), ("fill_mode", "b32", "1")]  # fmt: skip
    changes = ADDRESS + "mov.u64 %d9, 32;" + "".join(FIELD.format(*x) for x in numbers)
    changes += FIELD.format("global_stride", "b64", "0, %d9")
    got = copied(changes, np.zeros(64, np.uint8), (16,), "u8", source, size=256, rank=2).view(np.float32)
    # Bit 7 of a byte's place goes into bit 4: in the last four of eight rows the halves are exchanged.
    at = np.arange(16) ^ (np.arange(16) * 16 >> 7 & 1)
    assert (got.reshape(16, 4) == source[:8].reshape(16, 4)[at]).all()


WRONG = {
    "a stride of 24 bytes": ("X035", "no such tensor map: a stride is 24 bytes",
        ADDRESS + "mov.u64 %d9, 24;" + FIELD.format("global_stride", "b64", "0, %d9")),
    "a box wider than the pattern": ("X035", "no longer than the swizzle", FIELD.format("swizzle_mode", "b32", "1")),
    "a type that there is not": ("X031", "element type 8", FIELD.format("elemtype", "b32", "8")),
    "every second element": ("X031", "element number 2", FIELD.format("element_stride", "b32", "1, 2")),
    "six dimensions": ("X035", "0 to 4, not 5", FIELD.format("rank", "b32", "5")),
    "a fifth stride": ("X035", "strides of 4 dimensions", FIELD.format("global_stride", "b64", "4, 16")),
    "no map": ("X035", "no tensor map", "st.shared.u32 [%r1], 0;" + ADDRESS),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_refused(what):
    code, said, changes = WRONG[what]
    source = np.zeros((8, 64), np.uint16)
    with pytest.raises(AveError, match=rf"\[{code}\].*{said}"):
        copied(changes, source, (8, 64), "u16", source)


@pytest.mark.parametrize(("box", "more", "said"), [
    ((8, 128), {"swizzle": 128}, "no longer than the swizzle"), ((8, 64), {"swizzle": 48}, "`swizzle` is 0, 32, 64 or 128"),
    ((300, 8), {}, "extents from 1 to 256"), ((8, 4), {}, "multiple of 16"),
])  # fmt: skip
def test_a_map_of_the_host_that_the_driver_would_refuse(box, more, said):
    source = np.zeros((512, 128), np.uint16)
    with pytest.raises(AveError, match=rf"\[X035\].*the copy engine has no such tensor map: .*{said}"):
        copied("", source, box, "u16", source, size=1024, **more)
