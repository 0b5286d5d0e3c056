"""Atomic rows of NVIDIA's GPUs: lanes that name one word take turns and each gets what stood there before, on the
reference and on the CPU, in global and in shared memory; loads and stores that order others; the PTX of every type,
space and order through ptxas."""

import re
import subprocess

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import arch, pipeline
from avelang.base.errors import AveError
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang.ir.dtypes import BY_NAME
from avelang.ir.types import VecType, dtype_of
from avelang.isa.nvptx.atomics import ORDERS, UPDATES
from avelang.isa.row import ROWS
from tools import need

LANES, WORDS = 32, 5
EITHER = pytest.mark.parametrize("backend", ["reference", "cpu"])
KINDS = [(name, str(dtype_of(t)), t.n if isinstance(t, VecType) else 1) for name, u in UPDATES.items() for t in u.types]
# Python's own numbers, one lane after another: wrapped to the width afterwards.
PYTHON = {"add": lambda old, v: old + v, "add_bf16x2": lambda old, v: old + v, "exch": lambda old, v: v, "min": min,
    "max": max, "and": lambda old, v: old & v, "or": lambda old, v: old | v, "xor": lambda old, v: old ^ v,
    "inc": lambda old, v: 0 if old >= v else old + 1, "dec": lambda old, v: v if old == 0 or old > v else old - 1,
    "cas": lambda old, v, w: w if old == v else old}  # fmt: skip


def changing(name: str, dtype: str, n: int, space: str, order: int = 0):
    """A kernel in which each lane changes the word that `at` names, where `on` says so; memory goes through `space`."""
    update, d = getattr(al.nvvm, f"atomic_{name}"), BY_NAME[dtype]

    @avelang.jit
    def kernel(memory: al.Tensor((WORDS, n), d), at: al.Tensor((LANES,), al.u32), on: al.Tensor((LANES,), al.u32),
            first: al.Tensor((LANES, n), d), second: al.Tensor((LANES, n), d), old: al.Tensor((LANES, n), d)):
        t = al.thread_id(0)
        words = al.make_shared((WORDS, n), d, 16)
        if space == "shared":
            if t < WORDS:
                words[t] = memory[t]
            al.syncthreads()
        else:
            words = memory
        if on[t] != 0:
            value = first[t, 0] if n == 1 else first[t]
            other = second[t, 0] if n == 1 else second[t]
            got = update(words[at[t]], value, other, order) if name == "cas" else update(words[at[t]], value, order)
            if n == 1:
                old[t, 0] = got
            else:
                old[t] = got
        al.syncthreads()
        if space == "shared" and t < WORDS:
            memory[t] = words[t]

    return kernel


def numbers(rng: np.random.Generator, dtype: str, shape: tuple[int, int], name: str) -> np.ndarray:
    np_type = BY_NAME[dtype].np
    low = -6 if BY_NAME[dtype].is_signed else 0
    small = rng.integers(low, 7, shape).astype(np_type)
    if np.issubdtype(np_type, np.integer) and name not in ("inc", "dec", "cas"):
        small = small * np.array((1 << BY_NAME[dtype].bits - 4) + 3, np_type)  # all bits take part, sums wrap
    return small


@EITHER
@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize(("name", "dtype", "n"), KINDS)
def test_lanes_take_turns(name, dtype, n, space, backend):
    rng = np.random.default_rng(len(name) + n)
    memory = numbers(rng, dtype, (WORDS, n), name)
    first, second = numbers(rng, dtype, (LANES, n), name), numbers(rng, dtype, (LANES, n), name)
    at, on = rng.integers(0, WORDS, LANES).astype(np.uint32), (rng.random(LANES) < 0.8).astype(np.uint32)
    old = np.full((LANES, n), 99, memory.dtype)
    want, olds = memory.copy(), old.copy()
    for lane in np.flatnonzero(on):
        for e in range(n):
            olds[lane, e] = want[at[lane], e]
            args = (want[at[lane], e].item(), first[lane, e].item(),
                *([second[lane, e].item()] if name == "cas" else []))
            made = PYTHON[name](*args)
            want[at[lane], e] = (np.array(made & (1 << 64) - 1, np.uint64).astype(want.dtype) if isinstance(made, int)
                else made)
    changing(name, dtype, n, space)[lambda: (1, LANES)](memory, at, on, first, second, old, backend=backend)
    np.testing.assert_array_equal(memory, want)
    np.testing.assert_array_equal(old, olds)


@avelang.jit
def counted(counts: al.Tensor((4,), al.u32), last: al.Tensor((4,), al.u32), blocks: al.u32):
    """Each block adds itself to a counter that begins again by itself; the last one is known."""
    t = al.thread_id(0)
    if t < 4:
        if al.nvvm.atomic_inc(al.subview(counts, (t,), (1,), (1,)), blocks - 1, 3) == blocks - 1:
            al.nvvm.atomic_add(al.subview(last, (t,), (1,), (1,)), al.convert(1, al.u32))


@EITHER
def test_a_counter_of_blocks_resets_itself(backend):
    counts, last = np.zeros(4, np.uint32), np.zeros(4, np.uint32)
    for _ in range(3):
        counted[lambda: (7, 32)](counts, last, 7, backend=backend)
    assert not counts.any() and (last == 3).all()


@avelang.jit
def passed(data: al.Tensor((LANES,), al.i32), flags: al.Tensor((1,), al.u32), long: al.Tensor((1,), al.u64),
        out: al.Tensor((LANES,), al.i32)):
    """Block 0 leaves data and raises flags; block 1 waits for both and takes it."""
    t = al.thread_id(0)
    if al.block_id(0) == 0:
        data[t] = data[t] * 3
        al.syncthreads()
        if t == 0:
            al.nvvm.st_release(flags, al.convert(7, al.u32))
            al.nvvm.st_release(long, al.convert(1 << 40, al.u64))
    else:
        while al.nvvm.ld_acquire_u32(flags) != 7:
            pass
        while al.nvvm.ld_acquire_u64(long) != 1 << 40:
            pass
        out[t] = data[t]


@EITHER
def test_released_data_is_acquired(backend):
    data, out = np.arange(LANES, dtype=np.int32), np.zeros(LANES, np.int32)
    passed[lambda: (2, LANES)](data, np.zeros(1, np.uint32), np.zeros(1, np.uint64), out, backend=backend)
    np.testing.assert_array_equal(out, 3 * np.arange(LANES))


def assembled(kernel, folder, chip: str = "sm_90") -> str:
    program = simt_device.program(pipeline.gpu(build(kernel.source, {}, arch.chip(chip)), (LANES, 1, 1)),
        arch.chip(chip))
    text = simt_device.DeviceCompiler(arch.chip(chip)).assembly(program.text)
    (folder / "k.ptx").write_text(text)
    done = subprocess.run([need("ptxas"), f"-arch={chip}", str(folder / "k.ptx"), "-o", str(folder / "k.cubin")],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return text


@pytest.mark.parametrize(("name", "dtype", "n"), KINDS)
def test_ptxas_takes_every_type_space_and_order(name, dtype, n, tmp_path):
    for space, order in (("global", 0), ("shared", 3), ("global", 1), ("shared", 2)):
        text = assembled(changing(name, dtype, n, space, order), tmp_path)
        where = "shared::cta" if space == "shared" else "global"
        found = re.findall(rf"atom\.{ORDERS[order]}\.gpu\.{where}\.{name.partition('_')[0]}\.(\S+)", text)
        assert len(found) == 1
        assert found[0] == f"noftz.{dtype}x2" if n == 2 else re.sub("[a-z]", "", found[0]) == str(BY_NAME[dtype].bits)


def test_pairs_of_bf16_and_wrong_words_are_refused():
    assert not arch.chip("sm_80").has(ROWS["nvvm.atomic_add_bf16x2"]) and arch.chip("sm_80").has(
        ROWS["nvvm.atomic_add"])
    with pytest.raises(AveError, match="value") as e:
        build(changing("inc", "f32", 1, "global").source, {}, arch.chip("sm_90"))
    assert e.value.code.startswith("T")
