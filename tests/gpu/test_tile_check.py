"""The check of the tile level on a GPU, without one: it lists its cases, leaves no pipeline out, and its parts run on the reference."""

from __future__ import annotations

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from gpu import tile_check  # noqa: E402


@pytest.fixture
def without_gpu(monkeypatch):
    monkeypatch.setattr(torch.Tensor, "cuda", lambda self: self)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(tile_check, "EXACT", True)
    monkeypatch.setattr(tile_check, "OPTIONS", {"backend": "reference"})


def test_cases_are_listed():
    names = subprocess.run([sys.executable, tile_check.__file__, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert names == list(tile_check.cases()) and len(names) > 150
    assert not tile_check.missing()
    for words in ("cluster 2x1", "cluster 1x2", "walk tma", "drawn fold", "preshuffled", "float32"):
        assert any(words in n for n in names), words


@pytest.mark.parametrize("name", ["drawn move 1", "drawn look 2", "control", "dot tf32", "dot bf16x3", "walk tma 64x64x64", "preshuffled 64x64x64: 1 8 8 bfloat16 float32"])
def test_cases_run(name, without_gpu, monkeypatch):
    if name == "control":
        monkeypatch.setattr(tile_check, "SHAPES", ((1, 8, 8),) * 3)
    assert tile_check.cases()[name](1) <= 1


def test_what_is_wrong_is_found(without_gpu, monkeypatch):
    """A launch whose numbers are not those that are wanted; a product whose C nobody wrote."""
    whole = tile_check.drawn.LAUNCHES["move"]

    def other(seed, wave):
        launch = whole(seed, wave)
        launch.want[0].reshape(-1)[0] += 1
        return launch

    monkeypatch.setitem(tile_check.drawn.LAUNCHES, "move", other)
    with pytest.raises(AssertionError, match="1 of [0-9]+ numbers are wrong"):
        tile_check.run_drawn("move", 1)
    monkeypatch.setattr("avelang_kernels.matmul.tile_gemm.gemm", lambda *args, **options: None)
    assert tile_check.run_product(tile_check.BLOCKS["single"][0], (8, 8, 8), tile_check.BF16, tile_check.F32, 1) == float("inf")
