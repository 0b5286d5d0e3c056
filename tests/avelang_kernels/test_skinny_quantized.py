"""Products of few rows with quantized weights: numbers against float64 on the dequantized weights, on the CPU, in the
reference and by executed PTX; the same bits in every run; registers by ptxas."""

from __future__ import annotations

import random
import re
import subprocess
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from alarms.engines import Engine, on
from avelang import arch, pipeline
from avelang.base import engines
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang_kernels.matmul.skinny_quantized import (
    THREADS,
    QuantizedConfig,
    _described,
    _Weights,
    form_of,
    kernel_of,
    pack_int4,
    quantized_config,
    skinny_quantized,
)
from tools import need

BF16, F16, F32, FP8 = ml_dtypes.bfloat16, np.float16, np.float32, ml_dtypes.float8_e4m3fn


def spread(s: np.ndarray, n: int, k: int, high: int, wide: int) -> np.ndarray:
    """Scales or zero points for each weight, in float64: each is of `high` rows and `wide` columns."""
    return np.repeat(np.repeat(s.astype(np.float64), high, 0), wide, 1)[:n, :k]


def int4(m: int, n: int, k: int, group: int, dtype: type, zeros: bool, scale: type | None = None) -> tuple:
    """(a, packed, scales, zeros, float64 weights)."""
    rng = np.random.default_rng((m, n, k, group))
    q, a = rng.integers(0, 16, (n, k)), rng.standard_normal((m, k)).astype(dtype)
    count = -(-k // group)
    s = (rng.random((n, count)) * 0.1 - 0.03).astype(scale or dtype)
    z = rng.integers(0, 16, (n, count)).astype(np.uint8) if zeros else None
    less = 8 if z is None else spread(z, n, k, 1, group)
    return a, pack_int4(q), s, z, (q - less) * spread(s, n, k, 1, group)


def fp8(m: int, n: int, k: int, kind: str, dtype: type, scale: type = F32) -> tuple:
    """The same of fp8; `kind`: tensor, row, group or block."""
    rng = np.random.default_rng((m, n, k))
    w, a = rng.standard_normal((n, k)).astype(FP8), rng.standard_normal((m, k)).astype(dtype)
    high, wide = {"tensor": (n, k), "row": (1, k), "group": (1, 128), "block": (128, 128)}[kind]
    s = (rng.random((-(-n // high), -(-k // wide))) - 0.2).astype(scale)
    return a, w, s, None, w.astype(np.float64) * spread(s, n, k, high, wide)


def right(a: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Every element, relative to the sum of the terms' sizes."""
    x = a.astype(np.float64)
    want, terms = x @ weights.T, np.abs(x) @ np.abs(weights).T
    unit = {np.dtype(BF16): 2.0**-8, np.dtype(F16): 2.0**-11}.get(out.dtype, 0)
    error = np.abs(out.astype(np.float64) - want)
    assert (error <= 3e-6 * terms + unit * np.abs(want) + 1e-7).all(), error.max()


def check(case: tuple, out: type = F32, **options: Any) -> None:
    """Into NaN, twice: the bits are the same."""
    a, w, s, z, dense = case
    first, second = (np.full((len(a), len(dense)), np.nan, out) for _ in range(2))
    assert skinny_quantized(a, w, s, z, first, **options) is first
    right(a, dense, first)
    skinny_quantized(a, w, s, z, second, **options)
    np.testing.assert_array_equal(first.view(np.uint8), second.view(np.uint8))


CASES = {
    "int4, groups of 32": (int4, (3, 130, 288, 32, BF16, False)),
    "int4, groups of 64, zeros": (int4, (13, 140, 1056, 64, F16, True)),
    "int4, groups of 128, zeros, scales of f32": (int4, (1, 67, 2080, 128, BF16, True, F32)),
    "int4, a scale a row": (int4, (8, 40, 512, 512, F16, False)),
    "fp8, one scale": (fp8, (1, 150, 1536, "tensor", BF16)),
    "fp8, a scale a row": (fp8, (5, 150, 272, "row", F16, F16)),
    "fp8, groups": (fp8, (16, 33, 400, "group", BF16, BF16)),
    "fp8, blocks": (fp8, (20, 300, 700 // 16 * 16, "block", BF16)),
}


@pytest.mark.parametrize("name", CASES)
def test_on_the_cpu(name):
    made, args = CASES[name]
    check(made(*args))


def drawn(count: int) -> list[tuple]:
    """Shapes, groups and dtypes by lot; few configurations, since each is compiled."""
    rng, found = random.Random(14), []
    for _ in range(count):
        m, n, dtype = rng.randint(1, 16), rng.randint(1, 300), rng.choice((BF16, F16))
        if rng.random() < 0.5:
            group, k = rng.choice((32, 64, 128)), 32 * rng.randint(1, 30)
            found.append((int4, (m, n, k, group, dtype, rng.random() < 0.5)))
        else:
            kind = rng.choice(("tensor", "row", "group", "block"))
            found.append((fp8, (m, n, 16 * rng.randint(1, 40), kind, dtype)))
    return found


@pytest.mark.parametrize("case", drawn(8), ids=lambda c: f"{c[0].__name__} {c[1][:4]}")
def test_drawn(case):
    made, args = case
    check(made(*args), random.Random(str(args)).choice((BF16, F16, F32)))


def test_many_rows_and_a_scale_of_rank_0():
    a, w, s, _, dense = fp8(37, 140, 256, "tensor", F16)
    right(a, dense, skinny_quantized(a, w, s.reshape(()), dtype=F32))


@pytest.mark.parametrize(
    "case", [(int4, (3, 20, 288, 64, F16, True)), (fp8, (9, 20, 400, "group", BF16, BF16))], ids=["int4", "fp8"]
)
def test_in_the_reference(case, monkeypatch):
    """Every access within bounds and written before it is read; no two waves race."""
    monkeypatch.setenv("AVE_CHECK", "races,ir")
    a, w, s, z, dense = case[0](*case[1])
    out = np.full((len(a), len(dense)), np.nan, F32)
    right(a, dense, skinny_quantized(a, w, s, z, out, backend="reference"))


def test_pack():
    q = np.arange(16).reshape(2, 8)
    want = np.array([[0x10, 0x32, 0x54, 0x76], [0x98, 0xBA, 0xDC, 0xFE]], np.uint8)
    np.testing.assert_array_equal(pack_int4(q), want)
    torch = pytest.importorskip("torch")
    assert (pack_int4(torch.from_numpy(q)).numpy() == want).all()
    assert pack_int4(torch.from_numpy(q)).dtype == torch.uint8


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    a, w, s, z, dense = int4(3, 40, 256, 64, F16, True)
    out = skinny_quantized(*map(torch.from_numpy, (a, w, s, z)))
    assert out.dtype == torch.float16
    right(a, dense, out.numpy())
    a, w, s, _, dense = fp8(3, 40, 256, "row", F16)
    given = torch.from_numpy(w.view(np.uint8)).view(torch.float8_e4m3fn)
    right(a, dense, skinny_quantized(torch.from_numpy(a), given, torch.from_numpy(s)).numpy())


def test_what_does_not_fit_is_refused():
    a, w, s, z, _ = int4(3, 40, 256, 64, F16, True)
    assert z is not None
    for args, words in (
        ((a, w.astype(np.int32), s), "weights are int32"), ((a[:, :128], w, s), "rows of 64"),
        ((np.repeat(a, 22, 0), w, s), "1 to 64"), ((a, w, s[:, :3]), "scales are (40, 3)"),
        ((a, w, s, z[:, :2]), "zeros are uint8"), ((a, w, s.astype(np.float64)), "scales are float64"),
        ((a[:, :8], w[:, :4], s[:, :1]), "fill up with zeros to a multiple of 32"),
        ((a, w, s, z, np.zeros((3, 41), F16)), "out is (3, 41)"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(words)):
            skinny_quantized(*args)
    with pytest.raises(ValueError, match="7 columns"):
        pack_int4(np.zeros((2, 7), np.uint8))


# -- machine code ------------------------------------------------------------------------------------------------------


def text_of(config: QuantizedConfig, dtype: Any, chip: str) -> tuple[str, int]:
    """PTX of a kernel, and its bytes of dynamic shared memory."""
    kernel = build(kernel_of(dtype, dtype, dtype, config).source, {}, arch.chip(chip))
    program = simt_device.program(pipeline.gpu(kernel, (THREADS, 1, 1)), arch.chip(chip))
    return simt_device.DeviceCompiler(arch.chip(chip)).assembly(program.text), program.dynamic_bytes


@pytest.mark.parametrize(("m", "bits", "group", "each", "zeros", "chip"), [
    (8, 4, 128, 1, False, "sm_90a"), (16, 4, 32, 1, True, "sm_90a"), (64, 4, 64, 1, True, "sm_90a"),
    (8, 8, 0, 1, False, "sm_90a"), (64, 8, 128, 128, False, "sm_90a"), (32, 4, 128, 1, False, "sm_80"),
])  # fmt: skip
def test_registers_and_shared_memory(m, bits, group, each, zeros, chip, tmp_path):
    """No spills, and blocks that fit: two of them with up to 16 rows of A."""
    lds = arch.chip(chip).lds_bytes
    config = quantized_config(m, _Weights(8192, 8192, bits, group, each), zeros, 132, lds)
    text, dynamic = text_of(config, al.bf16, chip)
    assert dynamic + 1024 <= lds // (2 if m <= 16 else 1) and config.stages > 2
    (tmp_path / "k.ptx").write_text(text)
    command = [need("ptxas"), f"-arch={chip}", "-v", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k.cubin")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "0 bytes spill stores" in said
    if m <= 16:
        assert int(re.findall(r"Used (\d+) registers", said)[0]) <= 128
    F = form_of(config)
    assert text.count("mma.sync") == F.step // 16 * F.eights * F.tiles
    assert ("e4m3x2" in text) == (bits == 8)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(
    "case", [(int4, (3, 20, 2080, 32, BF16, True)), (fp8, (5, 20, 1040, "row", F16))], ids=["int4", "fp8"]
)
def test_executed_ptx(case, target, monkeypatch):
    """The compiled code, with checks of races and of what nothing wrote."""
    made, args = case
    a, w, s, z, dense = made(*args)
    out = np.full((len(a), len(dense)), np.nan, F32)
    monkeypatch.setenv("AVE_CHECK", "all")
    config = quantized_config(len(a), _described(a, w, s, z), z is not None, 2, arch.chip(target).lds_bytes)
    with on(Engine(engines.PTX, target)) as said:
        skinny_quantized(a, w, s, z, out, target=target, config=config)
    assert "X0" not in said.getvalue()
    right(a, dense, out)
