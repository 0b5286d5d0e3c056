"""PTX that nvcc and Triton have written (`tests/nvptx/samples`), executed; results against NumPy and plain Python."""

import numpy as np
import pytest

from avelang.nvptx.nodes import PtxModule
from avelang.nvptx.parse import parse
from avelang.sim.ptx import Program
from nvptx.texts import SAMPLES, text_of
from sim.ptx.texts import memory

CHIPS = ("sm_80", "sm_90a")
Three = tuple[int, int, int]


def run(name: str, chip: str, args: list, grid: Three, block: Three, shared: int = 0) -> None:
    module: PtxModule = parse(text_of(f"{name}.{chip}.ptx.gz"))
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    values = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
    Program(module).launch(values, grid, block, shared, memory=memory(*arrays))


@pytest.mark.parametrize("chip", CHIPS)
def test_triton_add(chip):
    rng = np.random.default_rng(0)
    x, y, out = (rng.standard_normal(3000).astype(np.float32) for _ in range(3))
    run("triton_add", chip, [x, y, out, 2900, 0, 0], (3, 1, 1), (128, 1, 1))
    assert (out[:2900] == x[:2900] + y[:2900]).all() and (out[2900:] != x[2900:] + y[2900:]).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_triton_softmax(chip):
    x = np.random.default_rng(1).standard_normal((5, 2000)).astype(np.float32)
    out = np.zeros_like(x)
    run("triton_softmax", chip, [x, out, 2000, 1900, 0, 0], (5, 1, 1), (256, 1, 1), 4096)
    e = np.exp(x[:, :1900].astype(np.float64))
    np.testing.assert_allclose(out[:, :1900], e / e.sum(1, keepdims=True), rtol=1e-5)
    assert not out[:, 1900:].any()


@pytest.mark.parametrize("chip", CHIPS)
def test_triton_matmul(chip):
    """cp.async in stages, ldmatrix and mma.sync on sm_80; wgmma on sm_90a. K does not fill the last tile."""
    m, n, k = 256, 128, 96
    rng = np.random.default_rng(2)
    a, b = rng.integers(-4, 5, (m, k)).astype(np.float16), rng.integers(-4, 5, (k, n)).astype(np.float16)
    c = np.zeros((m, n), np.float16)
    run("triton_matmul", chip, [a, b, c, m, n, k, k, n, n, 0, 0], (2, 1, 1), (128, 1, 1), 128 * 1024)
    assert (c.astype(np.float32) == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_triton_histogram(chip, capsys):
    x, out = np.random.default_rng(3).integers(0, 9, 1000).astype(np.int32), np.zeros(16, np.int32)
    run("triton_histogram", chip, [x, out, 1000, 0, 0], (4, 1, 1), (128, 1, 1), 4096)
    assert (out[1:] == np.bincount(x, minlength=16)[1:]).all() and (x == 0).sum() <= out[0] <= (x == 0).sum() + 1
    assert "old" in capsys.readouterr().out


@pytest.mark.parametrize("chip", CHIPS)
def test_nvcc_copies(chip):
    n = 3
    source, out = np.arange(n * 128 * 4, dtype=np.float32).reshape(n * 128, 4), np.zeros((n * 128, 4), np.float32)
    run("copies", chip, [source, out, n], (1, 1, 1), (128, 1, 1))
    # later ones are beyond n: filled with zeros
    stages = [source[:128], *(np.zeros((128, 4), np.float32) for _ in range(1, n))]
    for k in range(1, n):
        assert (out[128 * (k - 1) : 128 * k] == stages[k - 1][np.arange(128) ^ 1]).all()


def _interpreted(words: list[int], t: int) -> int:
    """What `local.cu` computes, in plain Python, with C's integers."""
    stack, doubles, top, acc = [0] * 32, (1.0, 2.0, 3.0, -4.5), 0, 0

    def wrap(v: int) -> int:
        return (v + (1 << 31)) % (1 << 32) - (1 << 31)

    for word in words:
        what, rest = word & 15, word >> 4
        if what == 0:
            stack[top & 31], top = rest, top + 1
        elif what == 1:
            top -= 1
            acc = wrap(acc + stack[top & 31])
        elif what == 7:
            acc = wrap(acc + int(doubles[rest & 3]))
        elif what == 8:
            if acc < 0:
                return wrap(acc + stack[t & 31])
            acc = int(np.sqrt(np.float32(acc)))
        elif what in (6, 11):
            by = rest | 1 if what == 6 else 1000
            q = abs(acc) // abs(by) * (-1 if (acc < 0) != (by < 0) else 1)
            acc = wrap(q if what == 6 else acc - q * by)
        else:
            acc = wrap({2: acc * 3, 3: acc ^ stack[rest & 31], 4: -acc, 5: acc << (rest & 7), 9: acc
                + (word & 0xFFFFFFFF).bit_count(), 10: max(acc, word)}.get(what, acc + word))  # fmt: skip
        if acc == 0x7FFFFFFF:
            break
    acc = {-100: 1, 5: 2, 70000: 3}.get(acc, acc)
    return wrap(acc + stack[t & 31])


@pytest.mark.parametrize("chip", CHIPS)
def test_nvcc_local(chip):
    """Every slot of the stack is written before it may be read: the first 32 words push."""
    rng, n = np.random.default_rng(5), 96
    words = rng.integers(-(1 << 20), 1 << 20, (n, 32)).astype(np.int32)
    words[:32] &= ~15
    out = np.zeros(32, np.int32)
    run("local", chip, [words, out, n], (1, 1, 1), (32, 1, 1))
    assert out.tolist() == [_interpreted(words[:, t].tolist(), t) for t in range(32)]


@pytest.mark.parametrize("name", [p.name for p in SAMPLES if not p.name.startswith("calls")])
def test_every_sample_is_translated(name):
    """What is not executed in them: a SIMD instruction, matrices in fragments that the ISA leaves open, and an
    approximate reciprocal of f64."""
    module = parse(text_of(name))
    for f in module.functions():
        if f.kind == "entry" and f.body is not None:
            program = Program(module, f.name)
            left = {program.code.instructions[k].entry.opcode for k in program.unknown}
            assert left <= {"vabsdiff4", "wmma", "rcp"}, left
