"""Objects in notebooks: a picture where there is one, their text where there is none, and nothing of theirs that runs."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base import notebook
from avelang.ptx import Tile, kernel, ptx
from avelang.ptx.types import f32
from avelang.tile import Distribution, Swizzle, mma, pipeline, select, tile_accesses
from avelang.tile.plans import Gemm
from avelang.tile.show import parse_layout


@avelang.jit
def scale(x: al.Pointer(al.f32), n: al.i32, BLOCK: al.constexpr = 64):
    """Twice <b>x</b> & more."""
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    X[al.thread_id(0)] = X[al.thread_id(0)] * 2.0  # </div><script>alert(1)</script>


@kernel(in_specs=Tile(32, f32), out_specs=Tile(32, f32), grid=1, block=32, arch="sm_80")
def nothing(x, y):
    ptx.ret()


BLOCKED = Distribution.blocked((16, 64), al.f32, waves=1)


def ipython_shows(thing):
    """(HTML or None, text) as IPython's formatters take them: a method of the type, and None means the text."""
    method = getattr(type(thing), "_repr_html_", None)
    made = method(thing) if callable(method) else None
    return made, repr(thing)


@pytest.mark.parametrize("thing", [
    parse_layout("((2,4),3):((1,6),2)"), al.Tensor((2, 3), al.f32), BLOCKED, BLOCKED.encoding, mma("MFMA_F32_16x16x16_BF16", "gfx942").a,
    Swizzle(3, 4, 3), pipeline("double-buffer"), tile_accesses(BLOCKED, (128, 4), 4, target="gfx942"),
], ids=lambda t: type(t).__name__)  # fmt: skip
def test_pictures(thing):
    made, text = ipython_shows(thing)
    assert made is not None and "<script" not in made and text
    root = ET.fromstring(made)  # well-formed
    assert root.find(".//{http://www.w3.org/2000/svg}svg") is not None


def test_plans_and_kernels():
    made, _ = ipython_shows(select.choose(Gemm(512, 512, 512, al.bf16, "gfx942"))[0])
    assert "512 x 512 x 512" in made and "by the model" in made
    ET.fromstring(made)
    made, text = ipython_shows(scale)
    assert "Twice &lt;b&gt;x&lt;/b&gt; &amp; more." in made and "<script" not in made and "&lt;script&gt;" in made and "scale" in text
    assert "BLOCK" in made and "= 64" in made and "last launch" not in made
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a kernel whose key is lost would say so
        scale[1, 64](np.ones(64, np.float32), 64)
    assert "last launch" in ipython_shows(scale)[0]
    made, _ = ipython_shows(nothing)
    assert "PTX kernel nothing" in made and ".visible .entry nothing" in made


def test_what_cannot_be_drawn_is_text(monkeypatch):
    assert ipython_shows(parse_layout("(3000,3000):(3000,1)"))[0] is None  # too large
    assert notebook.html_of(object()) is None
    monkeypatch.setattr(notebook, "DRAWS", "avelang.none")
    assert ipython_shows(BLOCKED)[0] is None
