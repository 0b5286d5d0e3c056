"""The pipeline of Hopper's warpgroups: tiles of all shapes, clusters, rings of all lengths, results of all dtypes, on
the reference with races checked and on the CPU; what it cannot do."""

import pytest

import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from tile.test_loops import check


def block(m, n, stages=2, cluster=(1, 1), together=8):
    return tile.Block(m, n, 64, pipeline="tma", stages=stages, cluster=cluster, together=together)


# Block; m, n, k; dtypes of A and B, and of C.
CASES = {
    "two consumers": (block(128, 64), (130, 72, 136), "bf16", "bf16"),
    "three consumers": (block(192, 64), (200, 64, 72), "f16", "f16"),
    "four consumers": (block(256, 32), (256, 40, 64), "bf16", "f32"),
    "columns of any number": (block(64, 96), (64, 200, 72), "f16", "f32"),
    "three pieces of a row": (block(64, 192), (70, 200, 64), "bf16", "bf16"),
    "a ring of three": (block(64, 64, 3), (64, 64, 5 * 64 - 8), "bf16", "bf16"),
    "a ring of four": (block(64, 64, 4), (64, 72, 200), "f16", "f32"),
    "K shorter than a step": (block(64, 64, 4), (190, 136, 8), "bf16", "bf16"),
    "rows together": (block(64, 64, together=2), (64 * 5, 136, 64), "bf16", "bf16"),
    "a cluster along rows": (block(64, 64, 2, (2, 1)), (250, 72, 136), "bf16", "bf16"),
    "a cluster along columns": (block(64, 64, 2, (1, 2)), (70, 200, 136), "f16", "f32"),
    "a cluster both ways": (block(64, 64, 2, (2, 2)), (70, 72, 72), "bf16", "bf16"),
    "a cluster beyond C": (block(64, 64, 3, (2, 1)), (8, 8, 8), "bf16", "f32"),
}


@pytest.mark.parametrize("name", CASES)
def test_products(name, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    T, shape, dtype, out = CASES[name]
    check(T, "sm_90a", "reference", shape, dtype, out)


@pytest.mark.parametrize("name", ["two consumers", "a cluster both ways"])
def test_products_on_the_cpu(name):
    T, shape, dtype, out = CASES[name]
    check(T, "sm_90a", "cpu", shape, dtype, out)


@pytest.mark.parametrize(("n", "out", "unit"), [(96, al.bf16, 64), (32, al.f16, 64), (136, al.f32, 32)])
def test_columns_that_would_not_be_stored(n, out, unit):
    """C goes out 128 bytes of each row at a time."""
    with pytest.raises(AveError, match=f"n = {n} must be a multiple of {unit}") as e:
        block(64, n).operands(al.bf16, out)  # this line
    assert e.value.code == "T307" and e.value.span.text().endswith("# this line")
