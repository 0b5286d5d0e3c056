"""One rule: what `ave explain matmul` says of drawn products is what `ops.matmul` launches, tuned tiles included."""

from __future__ import annotations

import json
import random

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner

from avelang import ops, tuning
from avelang.cli.main import main
from avelang_kernels.matmul import choice, hopper_gemm, hopper_skinny, mi300_gemm, tile_gemm, tile_skinny, tuned_tiles
from avelang_kernels.matmul.aligned_rows import align_rows
from avelang_kernels.matmul.choice import Question, description, plan_of, usual_device
from avelang_kernels.matmul.hopper_rule import choose_tile
from avelang_kernels.matmul.hopper_tiles import GemmTile

bf16 = ml_dtypes.bfloat16
NAMES = {"bf16": bf16, "f16": np.float16, "f32": np.float32}


def explained(*args: object) -> dict[str, str]:
    """The lines of the command."""
    found = CliRunner().invoke(main, ["explain", "matmul", *map(str, args)])
    assert found.exit_code == 0, found.output
    return dict(line.split(": ", 1) for line in found.output.splitlines() if ": " in line)


@pytest.fixture
def launched(monkeypatch):
    """What is launched, instead of launching it: the kernel's name and its choice."""
    seen = []

    def note(kernel, chosen):
        seen.append((f"avelang_kernels.matmul.{kernel}", str(chosen)))

    monkeypatch.setattr(hopper_gemm, "launch", lambda p, a, b, c, to, tile, *more: note("hopper_gemm", tile))
    for module in (hopper_gemm, choice):
        monkeypatch.setattr(module, "split_f32", lambda a, b, **o: tuple(
            np.zeros((x.shape[0], 3 * -(-x.shape[1] // 8) * 8), bf16) for x in (a, b)))  # fmt: skip
    monkeypatch.setattr(choice, "skinny_launch", lambda a, b, c, plan, **o: note("hopper_skinny", plan))
    monkeypatch.setattr(tile_skinny, "launch", lambda a, b, c, block, parts, chip, **o: note("tile_skinny", (block, parts)))
    monkeypatch.setattr(tile_gemm, "gemm", lambda a, b, c, block, chip, units, **o: note("tile_gemm", (block, 1)))
    monkeypatch.setattr(tile_gemm.tile_split_gemm, "launch", lambda a, b, c, block, parts, *m, **o: note("tile_gemm", (block, parts)))
    monkeypatch.setattr(choice, "align_rows", lambda *xs, **o: tuple(np.zeros((x.shape[0], -(-x.shape[1] // 64) * 64), x.dtype)[
        :, : x.shape[1]] if choice._columns(x) is False else np.zeros((x.shape[1], -(-x.shape[0] // 64) * 64), x.dtype)[
        :, : x.shape[0]].T for x in xs))  # fmt: skip
    places = []
    real = mi300_gemm.blocks_of
    monkeypatch.setattr(mi300_gemm, "blocks_of", lambda place, m, n: places.append(place) or real(place, m, n))
    monkeypatch.setattr(mi300_gemm, "build", lambda *a: {}.get)

    class Launch(dict):
        def __getitem__(self, at):
            return lambda *a, **o: note("mi300_gemm", places[-1])

    monkeypatch.setattr(mi300_gemm, "build", lambda *a: Launch())
    return seen


def drawn(r: random.Random, chip: str) -> tuple[list[object], dict]:
    """Arguments of the command, and of `ops.matmul`."""
    m, n, k = (r.choice((1, r.randint(2, 24), r.randint(25, 200), r.randint(200, 2000))) for _ in range(3))
    dtype, order = r.choice(("bf16", "f16", "bf16", "f32") if chip != "sm_75" else ("f16",)), r.choice(("NN", "NT", "TN", "TT"))
    args: list[object] = [m, n, k, "--chip", chip, "--dtype", dtype, "--order", order]
    arrays = []
    for name, side, rows, cols in (("--lda", order[0], m, k), ("--ldb", order[1], k, n)):
        line, lines = (rows, cols) if side == "T" else (cols, rows)
        apart = line + r.choice((0, 0, 8, 3))
        args += [name, apart]
        whole = np.zeros((lines, apart), NAMES[dtype])[:, :line]
        arrays.append(whole.T if side == "T" else whole)
    more = {}
    if r.random() < 0.3:
        args.append("--bias")
        more["bias"] = np.zeros(n, np.float32)
    if r.random() < 0.3:
        args.append("--invariant")
        more["invariant"] = True
    if r.random() < 0.3:
        args += ["--out", "f32"]
        more["out"] = np.zeros((m, n), np.float32)
    return args, {"a": arrays[0], "b": arrays[1], **more}


@pytest.mark.parametrize("chip", ["sm_90a", "gfx942", "gfx90a", "sm_75", "sm_80", "sm_100a", "cpu"])
def test_what_is_explained_is_what_runs(chip, launched):
    r = random.Random()
    for _ in range(25):
        args, given = drawn(r, chip)
        said = explained(*args)
        launched.clear()
        with np.errstate(all="ignore"):  # of outputs that nothing wrote
            ops.matmul(given.pop("a"), given.pop("b"), target=None if chip == "cpu" else chip, **given)
        assert launched == [(said["kernel"], said["choice"])], args


def test_wrappers_have_the_plan_of_the_rule(launched):
    """Kernels that are called by themselves choose as `ops.matmul` does."""
    a, b = np.zeros((700, 512), bf16), np.zeros((900, 512), bf16)
    said = [explained(700, 900, 512, "--order", "NT", "--chip", c)["choice"] for c in ("sm_90a", "gfx942")]
    hopper_gemm.gemm(a, b)
    mi300_gemm.gemm(a, b, np.zeros((700, 900), bf16), target="gfx942")
    assert [chosen for _, chosen in launched] == said


def test_a_tuned_tile_comes_first(launched, tmp_path):
    tile = GemmTile(64, 64, 3)
    row = tuning.Row(tuned_tiles.TUNED, usual_device("sm_90a"), "bf16 512 512 512", f"tile={json.dumps(tile).replace(' ', '')}", 1.0)
    table = tmp_path / "tuned.txt"
    try:
        tuning.write(table, tuning.Table([row]))
        tuning.pin(table)
        said = explained(512, 512, 512, "--order", "NT")
    finally:
        tuning.pin(None)
    assert said["choice"] == str(tile) and said["chosen"].startswith("tuned"), said
    assert explained(512, 512, 512, "--order", "NT")["choice"] == str(choose_tile(512, 512, 512))
    assert explained(512, 512, 512, "--order", "NT", "--invariant")["chosen"].startswith("alike")


def test_an_invariant_plan_depends_on_n_and_k_alone():
    for chip, units in (("sm_90a", 132), ("gfx942", 304), ("gfx90a", 104)):
        plans = set()
        for m in (1, 3, 64, 65, 4096):
            arrays = [description(*shape, "bfloat16") for shape in ((m, 1024), (512, 1024), (m, 512))]
            plan = plan_of(*arrays, Question(chip, units, invariant=True))
            plans.add((plan.kernel, plan.choice._replace(group_m=1)))
        assert len(plans) == 1, plans


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_rows_are_aligned(backend):
    """Copies of drawn matrices with any strides: rows or columns 16 bytes apart or a multiple, zeros behind them."""
    rng = np.random.default_rng()
    for dtype in (bf16,) if backend == "reference" else (bf16, np.float32):
        x = rng.standard_normal((2 * int(rng.integers(1, 40)), 2 * int(rng.integers(1, 90)))).astype(dtype)
        for one, two in ((x, x.T), (x[::2, ::2], x[1:, :-1]), (x[:1], x[:, :1])):
            got = align_rows(one, two, target="sm_90a", backend=backend)
            for g, w in zip(got, (one, two), strict=True):
                np.testing.assert_array_equal(g, w)
                assert max(g.strides) % 16 == 0 and min(g.strides) == g.itemsize
                base = g.base if g.base is not None else g
                assert np.count_nonzero(base.astype(np.float32)) == np.count_nonzero(w.astype(np.float32))


def test_the_hopper_kernels_have_one_rule_for_few_rows():
    assert hopper_skinny.M_MOST == choice.M_MOST
