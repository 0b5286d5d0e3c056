"""The table of tuned tiles that the package brings: it is whole, each of its tiles can be run, and calls and `ave
explain` find them."""

from __future__ import annotations

import ast
import importlib
import json
import pathlib
import re

import numpy as np
import pytest

from avelang import tuning
from avelang_kernels.matmul import tuned_tiles
from avelang_kernels.matmul.choice import Question, description, plan_of
from avelang_kernels.matmul.hopper_rule import choose_tile, times, times_of
from avelang_kernels.matmul.hopper_tiles import STEP, STREAM, GemmTile, clusters, resident

ROOT = pathlib.Path(__file__).parents[2]
ROWS = list(tuning.read(tuned_tiles.TABLE))
H200 = "sm_90a NVIDIA H200"


def shape_of(row: tuning.Row) -> tuple[int, int, int]:
    found = re.fullmatch(r"bf16 (\d+) (\d+) (\d+)", row.key)
    assert found, row.key
    return tuple(map(int, found.groups()))  # type: ignore[return-value]


def plan(m: int, n: int, k: int, device: str = H200, **more: bool):
    arrays = [description(*shape, "bfloat16") for shape in ((m, k), (n, k), (m, n))]
    return plan_of(*arrays, Question("sm_90a", 132, device, **more))


@pytest.fixture
def tables(monkeypatch, tmp_path):
    """No tables but those of packages."""
    monkeypatch.delenv("AVE_TUNED", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    tuning.forget()
    yield
    tuning.forget()


def test_each_row_says_where_it_comes_from():
    assert len(ROWS) > 60
    for row in ROWS:
        assert (row.kernel, row.device) == (tuned_tiles.TUNED, H200)
        assert row.us > 0 and "torch" in row.versions and row.driver != "-" and row.when != "-", row.text
        assert row.judge == "reference", row.text


def test_each_tile_can_be_run():
    for row in ROWS:
        (m, n, k), tile = shape_of(row), GemmTile(*row.values["tile"])
        assert not tile.fault(2), row.text
        steps = -(-k // STEP)
        assert tile.cluster_k <= steps
        if tile.split not in (1, STREAM):
            assert tile.cluster_k * int(tile.split) <= steps
            assert clusters(m, n, tile) * int(tile.split) <= resident(tile.cluster)


def test_the_table_has_the_shapes_of_the_script():
    """Each row is of a shape of `benchmarks/tune_hopper_gemm.py`, and of more than the kernel for few rows takes."""
    text = (ROOT / "benchmarks" / "tune_hopper_gemm.py").read_text()
    names = {n.targets[0].id: n.value for n in ast.parse(text).body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)}
    weights = {nk for some in ast.literal_eval(names["WEIGHTS"]).values() for nk in some}
    rows = ast.literal_eval(names["ROWS"])
    for m, n, k in map(shape_of, ROWS):
        assert m > 64 and (m == n == k or (n, k) in weights and m in rows or m == 4864), (m, n, k)


def test_calls_find_them(tables):
    for row in ROWS[::7]:
        m, n, k = shape_of(row)
        found = plan(m, n, k)
        assert (found.kernel, found.by, found.choice) == ("hopper_gemm", "tuned", GemmTile(*row.values["tile"]))
        assert plan(m, n, k, invariant=True).by == "invariant"
        assert plan(m, n, k, "sm_90a NVIDIA H100").choice == choose_tile(m, n, k)
        assert plan(m + 8, n, k).by == "rule"


def test_tables_of_the_user_come_first(tables, tmp_path, monkeypatch):
    row, mine, own = ROWS[0], GemmTile(64, 64, 3), tmp_path / "own.txt"
    tuning.write(own, tuning.Table([tuning.Row(row.kernel, row.device, row.key, f"tile={json.dumps(mine).replace(' ', '')}", 1.0)]))
    monkeypatch.setenv("AVE_TUNED", str(own))
    tuning.forget()
    assert plan(*shape_of(row)).choice == mine


def test_the_choice_is_near_the_models(tables):
    """A tuned tile is none that the model gives twice its best: a row of another shape, or of another kernel, is."""
    for row in ROWS:
        tile = GemmTile(*row.values["tile"])
        said = float(times_of((tile._replace(split=2) if tile.split not in (1, STREAM) else tile,), *shape_of(row))[1][0])
        assert said <= 1.5 * float(np.min(times(*shape_of(row))[1])), row.text


def test_direct_calls_ask_the_table(tables, monkeypatch):
    """`hopper_gemm.gemm` of tensors on a GPU takes the table's tile: by a tensor that says it is there."""
    gemm = importlib.import_module("avelang_kernels.matmul.hopper_gemm")
    row = next(row for row in ROWS if shape_of(row)[0] == 128)
    m, n, k = shape_of(row)
    torch = pytest.importorskip("torch")

    class OnGpu(torch.Tensor):
        is_cuda = True

    asked: list[object] = []
    monkeypatch.setattr(gemm, "device_name", lambda x: H200)
    monkeypatch.setattr(gemm, "multiprocessors", lambda x: 132)
    monkeypatch.setattr(gemm, "launch", lambda product, a, b, result, to, tile, *rest: asked.append(tile))
    a, b, out = (torch.zeros(s, dtype=torch.bfloat16).as_subclass(OnGpu) for s in ((m, k), (n, k), (m, n)))
    gemm.gemm(a, b, out)
    gemm.gemm(a, b, out, blocks=132)
    gemm.gemm(a, b, out, GemmTile(64, 64, 3))
    assert asked == [GemmTile(*row.values["tile"]), choose_tile(m, n, k), GemmTile(64, 64, 3)]
