"""Tiles, layouts, canonical layouts of matrix operands, tensor maps."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.ir.dtypes import from_numpy
from avelang.runtime.arrays import describe
from pyptx._arrays import accepts
from pyptx._run import tensor_map
from pyptx.specs import Layout, Tile, unify_envs
from pyptx.types import b16, b32, bf16, f16, f32, s32, tf32, u32
from pyptx.wgmma_layout import LayoutType, Major, layout_for_a, layout_for_b, pick_gmma_layout


def test_a_tile():
    x = Tile("M", bf16, 64, Layout.TMA_64B)
    assert x == Tile("M", 64, dtype=bf16, layout=Layout.TMA_64B) and hash(x) == hash(
        Tile("M", 64, bf16, Layout.TMA_64B)
    )
    assert (x.shape, x.rank, x.symbolic_dims, x.tma_rank, x.tma_padding) == (("M", 64), 2, ("M",), 2, False)
    assert x.resolve_shape({"M": 3}) == (3, 64) and x.extract_env((5, 64)) == {"M": 5}
    assert x.matches((9, 64), "bf16") and x.matches((9, 64), "bfloat16") and not x.matches((9, 64), "float32")
    assert not x.matches((9, 65), "bf16") and not x.matches((9,), "bf16")
    assert unify_envs([{"M": 1}, {"N": 2, "M": 1}]) == {"M": 1, "N": 2}


REFUSED = {
    "no type": (ValueError, "dtype", lambda: Tile(4, 4)),
    "two types": (ValueError, "two types", lambda: Tile(4, f32, dtype=bf16)),
    "no extents": (ValueError, "extents", lambda: Tile(f32)),
    "something else": (TypeError, "no type", lambda: Tile(4, f32, 1.5)),
    "another rank": (ValueError, "rank", lambda: Tile("M", f32).extract_env((2, 2))),
    "another extent": (ValueError, "dim 1", lambda: Tile("M", 8, f32).extract_env((2, 9))),
    "two sizes": (ValueError, "dim 1", lambda: Tile("M", "M", f32).extract_env((2, 9))),
    "a free symbol": (KeyError, "M", lambda: Tile("M", f32).resolve_shape({})),
    "a conflict": (ValueError, "conflicting", lambda: unify_envs([{"M": 1}, {"M": 2}])),
    "a row of 48 bytes": (ValueError, "16, 32, 64, 128", lambda: Tile.wgmma_a(64, 24, bf16)),
    "a layout of 48 bytes": (ValueError, "48 bytes", lambda: layout_for_a(dtype=bf16, m=64, k=24)),
    "seven rows": (ValueError, "7 rows", lambda: layout_for_a(dtype=bf16, m=7, k=64)),
    "no rows": (ValueError, "positive", lambda: layout_for_a(dtype=bf16, m=0, k=64)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    kind, said, wrong = REFUSED[what]
    with pytest.raises(kind, match=said) as e:
        wrong()
    assert "[T241]" in str(e.value)


def test_operands_of_wgmma():
    a = Tile.wgmma_a("M", "K", bf16, tile_m=128, tile_k=64)
    assert (a.shape, a.tma_box, a.layout) == (("M", "K"), (128, 64), Layout.TMA_128B)
    assert Tile.wgmma_a(64, 32, bf16).layout is Layout.TMA_64B and Tile.wgmma_a(64, 32, bf16).tma_box is None
    assert Tile.wgmma_b(64, 16, bf16).layout is Layout.TMA_32B and Tile.wgmma_b(64, "N", bf16).layout is Layout.ROW
    assert Tile.wgmma_b("K", "N", bf16, tile_k=64, tile_n=256).tma_box == (64, 256)


@pytest.mark.parametrize(
    "k, kind, offsets", [(8, "INTERLEAVE", (16, 128)), (16, "B32", (16, 256)), (32, "B64", (16, 512)),
                         (64, "B128", (16, 1024)), (128, "B128", (64 * 128, 1024))])  # fmt: skip
def test_layouts(k, kind, offsets):
    found = layout_for_a(dtype=bf16, m=64, k=k)
    assert found.layout_type is LayoutType[kind] and found.swizzle_code == LayoutType[kind]
    assert (found.leading_byte_offset, found.stride_byte_offset) == offsets
    turned = layout_for_b(dtype=bf16, k=64, n=k)
    assert (turned.leading_byte_offset, turned.stride_byte_offset) == (offsets[::-1] if k == 8 else offsets)
    assert turned == pick_gmma_layout(elem_bytes=2, m_or_n=k, k=64, major=Major.MN)
    assert found.smem_swizzle == (None if k == 8 else found.tma_swizzle)


def mapped(tile, array):
    return tensor_map("k", "x", tile, describe(array))


def test_tensor_maps():
    x = np.zeros((256, 128), np.float16)
    kind, shape, strides = mapped(Tile(256, 128, f16, Layout.TMA_128B), x)
    assert (kind.box, kind.swizzle, shape, strides) == ((128, 64), 128, (256, 128), (256, 2))
    kind, _, _ = mapped(Tile(256, 128, f16, tma_box=(64, 32), layout=Layout.TMA_64B), x)
    assert (kind.box, kind.swizzle) == ((64, 32), 64)
    kind, _, _ = mapped(Tile(256, 128, f16), x[:40, :].copy())
    assert kind.box == (40, 64)
    kind, shape, strides = mapped(Tile(256, 128, f16, Layout.TMA_128B, tma_box=(64, 128), tma_rank=3), x)
    assert (kind.box, kind.swizzle, shape, strides) == ((2, 64, 64), 128, (2, 256, 64), (128, 256, 2))
    kind, _, _ = mapped(Tile(256, 128, f16, tma_box=(64, 128), tma_rank=3, tma_padding=True), x)
    assert (kind.box, kind.swizzle) == ((2, 64, 72), 0)
    for wrong in (Tile(256, 128, f16, Layout.TMA_32B, tma_box=(64, 64)), Tile(256, 128, f16, tma_rank=3)):
        with pytest.raises(ValueError, match="T241"):
            mapped(wrong, x)


def test_dtypes_that_a_tile_takes():
    def takes(tile, *names):
        return [accepts(tile, from_numpy(np.dtype(n))) for n in names]

    assert takes(Tile(1, u32), "uint32", "int32", "float32", "int16") == [True, True, False, False]
    assert takes(Tile(1, s32), "uint32", "int32") == [True, True] and takes(Tile(1, f32), "float32", "int32") == [
        True,
        False,
    ]
    assert takes(Tile(1, b32), "float32", "uint32", "float16") == [True, True, False]
    assert takes(Tile(1, tf32), "float32") == [True] and takes(Tile(1, b16), "float16", "int8") == [True, False]
