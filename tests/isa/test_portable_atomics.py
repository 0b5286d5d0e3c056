"""Atomic operations of `al`: one signature on every chip. NumPy goes through the lanes one after another and judges the
reference, the CPU, executed gfx942 and gfx950 code and executed PTX; ptxas assembles every form."""

from __future__ import annotations

import itertools
import subprocess

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from alarms.engines import engine, on
from avelang import arch, pipeline
from avelang.base.errors import AveError
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang.ir.types import VecType, dtype_of
from avelang.isa.portable.atomics import ORDERS, SCOPES, UPDATES
from tools import need

ENGINES = ["reference gfx942", "cpu gfx942", "gfx942-exec gfx942", "gfx950-exec gfx950", "ptx-exec sm_75",
    "ptx-exec sm_90a"]  # fmt: skip
THREADS, WORDS = 32, 5  # one wave of each chip: its lanes go in order
NUMPY = {"i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16}  # fmt: skip


def launch(kernel, where: str, *args, grid=2, threads=THREADS):
    place = engine(where)
    with on(place) as said:
        kernel[grid, threads](*args, target=place.chip, **place.options)
    assert not said.getvalue()


def kernel_of(dtype, names: tuple[str, ...], space: str, scope: str, order: str):
    """Each thread does all of `names`, each on a row of its own, at the word that `at` names; what it got goes to
    `old`."""
    d, n = getattr(al, dtype), len(names)

    @avelang.jit
    def updates(memory: al.Tensor((n, WORDS), d), at: al.Tensor((2 * THREADS,), al.i32),
            first: al.Tensor((n, 2 * THREADS), d), second: al.Tensor((n, 2 * THREADS), d),
            old: al.Tensor((n, 2 * THREADS), d)):
        t = al.thread_id(0)
        i = al.block_id(0) * THREADS + t
        words = al.make_shared((n, WORDS), d)
        if space == "shared":
            if t < WORDS:
                for k in range(n):
                    words[k, t] = memory[k, t]
            al.syncthreads()
        else:
            words = memory
        if at[i] >= 0:
            for k in range(n):
                if names[k] == "cas":
                    old[k, i] = al.atomic_cas(words, (k, at[i]), first[k, i], second[k, i], scope=scope, order=order)
                if names[k] == "add":
                    old[k, i] = al.atomic_add(words, (k, at[i]), first[k, i], scope=scope, order=order)
                if names[k] == "max":
                    old[k, i] = al.atomic_max(words, (k, at[i]), first[k, i], scope=scope, order=order)
                if names[k] == "min":
                    old[k, i] = al.atomic_min(words, (k, at[i]), first[k, i], scope=scope, order=order)
                if names[k] == "and":
                    old[k, i] = al.atomic_and(words, (k, at[i]), first[k, i], scope=scope, order=order)
                if names[k] == "or":
                    old[k, i] = al.atomic_or(words, (k, at[i]), first[k, i], scope=scope, order=order)
                if names[k] == "xor":
                    old[k, i] = al.atomic_xor(words, (k, at[i]), first[k, i], scope=scope, order=order)
                if names[k] == "exchange":
                    old[k, i] = al.atomic_exchange(words, (k, at[i]), first[k, i], scope=scope, order=order)
        al.syncthreads()
        if space == "shared" and t < WORDS:
            for k in range(n):
                memory[k, t] = words[k, t]

    return updates


def stepped(name: str, old, first, second):
    """What one lane writes, by Python's own operators on NumPy's scalars."""
    if name == "add":
        return old + first
    if name in ("max", "min"):
        if isinstance(old, np.floating) and (np.isnan(old) or np.isnan(first)):
            return first if np.isnan(old) else old
        return max(old, first) if name == "max" else min(old, first)
    return {"and": lambda: old & first, "or": lambda: old | first, "xor": lambda: old ^ first,
        "exchange": lambda: first, "cas": lambda: second if old == first else old}[name]()  # fmt: skip


def drawn(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    np_type = NUMPY[dtype]
    if dtype[0] in "iu":
        small = rng.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(np_type)
        return small * np_type((1 << np.dtype(np_type).itemsize * 8 - 3) + 1)  # all bits take part, and sums wrap
    return rng.integers(-6, 7, shape).astype(np_type)


ALL = tuple(UPDATES)
FLOATS = ("add", "max", "min", "exchange", "cas")
CASES = [("i32", ALL, "global", "device", "relaxed"), ("u32", ALL, "shared", "block", "acq_rel"),
    ("i64", ALL, "shared", "cluster", "release"), ("u64", ALL, "global", "system", "acquire"),
    ("f32", FLOATS, "global", "device", "acq_rel"), ("f32", FLOATS, "shared", "block", "relaxed"),
    ("f64", FLOATS, "shared", "system", "relaxed"), ("f16", FLOATS, "global", "device", "relaxed"),
    ("f16", FLOATS, "shared", "block", "acq_rel"), ("bf16", FLOATS, "global", "system", "acquire"),
    ("bf16", FLOATS, "shared", "cluster", "release")]  # fmt: skip


@pytest.mark.parametrize(("dtype", "names", "space", "scope", "order"), CASES, ids=lambda x: str(x)[:12])
def test_lanes_take_turns(dtype, names, space, scope, order):
    kernel = kernel_of(dtype, names, space, scope, order)
    for seed, where in enumerate(ENGINES):
        rng = np.random.default_rng(seed)
        memory, first, second = (drawn(rng, dtype, s) for s in ((len(names), WORDS), *[(len(names), 2 * THREADS)] * 2))
        first = np.where(rng.random(first.shape) < 0.5, first, np.resize(memory, first.shape))
        if dtype == "f32" and space == "global":
            first[1:3, 0::7], memory[1:3, 0] = np.nan, np.nan
        at = np.where(rng.random(2 * THREADS) < 0.7, rng.integers(0, WORDS, 2 * THREADS), -1).astype(np.int32)
        grid = 1 if space == "shared" else 2
        if grid == 2:  # blocks run at the same time: each has its own words, in one array
            at = np.where(at < 0, at, np.where(np.arange(2 * THREADS) < THREADS, at % 3, 3 + at % 2)).astype(np.int32)
        old = np.full((len(names), 2 * THREADS), 99, NUMPY[dtype])
        want, olds = memory.copy(), old.copy()
        with np.errstate(all="ignore"):
            for k, name in enumerate(names):
                for i in np.flatnonzero(at[: grid * THREADS] >= 0):
                    olds[k, i] = want[k, at[i]]
                    want[k, at[i]] = stepped(name, want[k, at[i]], first[k, i], second[k, i])
        launch(kernel, where, memory, at, first, second, old, grid=grid)
        np.testing.assert_array_equal(memory, want, err_msg=where)
        np.testing.assert_array_equal(old, olds, err_msg=where)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_pairs(dtype):
    d = getattr(al, dtype)

    @avelang.jit
    def pairs(x: al.Tensor((2, 8), d), at: al.Tensor((THREADS,), al.i32), v: al.Tensor((THREADS, 2), d),
            old: al.Tensor((THREADS, 2), d), swapped: al.Tensor((4,), d)):
        t = al.thread_id(0)
        s = al.make_shared((8,), d)
        if t < 8:
            s[t] = x[0, t]
        al.syncthreads()
        old[t] = al.atomic_add(x, (1, 2 * at[t]), v[t])
        al.atomic_add(s, 2 * at[t], v[t], scope="block", order="acq_rel")
        if t == 0:
            al.atomic_exchange(swapped, 2, v[5])
        al.syncthreads()
        if t < 8:
            x[0, t] = s[t]

    rng = np.random.default_rng(3)
    start, v = (rng.integers(-4, 5, s).astype(NUMPY[dtype]) for s in ((8,), (THREADS, 2)))
    at = rng.integers(0, 4, THREADS).astype(np.int32)
    want = start.astype(np.float64)
    for i in range(THREADS):
        want[2 * at[i] : 2 * at[i] + 2] += v[i].astype(np.float64)
    for where in ENGINES:
        x, old, swapped = np.stack([start, start]), np.zeros((THREADS, 2), NUMPY[dtype]), np.zeros(4, NUMPY[dtype])
        launch(pairs, where, x, at, v, old, swapped, grid=1)
        np.testing.assert_array_equal(x.astype(np.float64), np.stack([want, want]), err_msg=where)
        np.testing.assert_array_equal(swapped, np.concatenate([np.zeros(2), v[5].astype(np.float64)]))


@avelang.jit
def passed(data: al.Tensor((4, 32), al.f32), flag: al.Tensor((1,), al.u32), out: al.Tensor((32,), al.f32),
        FENCED: al.constexpr, CARELESS: al.constexpr):
    """Every block leaves a row; the last one to come adds them up."""
    t = al.thread_id(0)
    data[al.block_id(0), t] = al.convert(t + al.block_id(0), al.f32)
    al.syncthreads()
    last = al.make_shared((1,), al.u32)
    if t == 0:
        if FENCED:
            al.fence()
            last[0] = al.atomic_add(flag, 0, 1)
            al.fence()
        elif CARELESS:
            last[0] = al.atomic_add(flag, 0, 1)
        else:
            last[0] = al.atomic_add(flag, 0, 1, order="acq_rel")
    al.syncthreads()
    if last[0] == 3:
        out[t] = data[0, t] + data[1, t] + data[2, t] + data[3, t]


@pytest.mark.parametrize("where", ENGINES)
def test_what_is_released_is_acquired(where, monkeypatch):
    if not where.startswith("cpu"):
        monkeypatch.setenv("AVE_CHECK", "races,init")
    for fenced in (False, True):
        data, flag, out = np.full((4, 32), np.nan, np.float32), np.zeros(1, np.uint32), np.zeros(32, np.float32)
        launch(passed, where, data, flag, out, fenced, False, grid=4, threads=32)
        np.testing.assert_array_equal(out, 4 * np.arange(32) + 6)


@pytest.mark.parametrize("where", ["reference gfx942", "reference sm_80", "ptx-exec sm_80"])
def test_what_nobody_releases_is_a_race(where, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    data, flag, out = np.zeros((4, 32), np.float32), np.zeros(1, np.uint32), np.zeros(32, np.float32)
    with pytest.raises(AveError) as caught:
        launch(passed, where, data, flag, out, False, True, grid=4, threads=32)
    assert caught.value.code in ("X040", "X050", "X006")


def test_every_form_is_assembled(tmp_path):
    """Every type, operation, space, scope and order, in a few kernels a chip."""
    need("ptxas")
    forms = [(dtype_of(t), isinstance(t, VecType), name) for name, u in UPDATES.items() for t in u.types]
    ways = list(itertools.product(SCOPES, ORDERS))
    for chip in ("sm_75", "sm_80", "sm_90a", "sm_100a", "gfx90a", "gfx942", "gfx950"):
        for shared in (False, True):
            @avelang.jit
            def kernel(bytes_: al.Pointer(al.u64), out: al.Pointer(al.u64), FORMS: al.constexpr, WAYS: al.constexpr):
                s = al.make_shared((64,), al.u64)
                for k in range(len(FORMS)):
                    d, pair, name = FORMS[k]
                    scope, order = WAYS[k % len(WAYS)]
                    x = al.view(al.subview(s, (0,), (64,)) if shared else al.make_tensor(bytes_, al.u64,
                        al.make_layout((64,))), d, al.make_layout((64,)))  # fmt: skip
                    i = 2 * al.thread_id(0)
                    v = al.full((2,), 1, d) if pair else al.convert(al.thread_id(0), d)
                    if name == "add":
                        al.atomic_add(x, i, v, scope=scope, order=order)
                    if name == "max":
                        al.atomic_max(x, i, v, scope=scope, order=order)
                    if name == "exchange":
                        al.atomic_exchange(x, i, v, scope=scope, order=order)
                    if name == "cas":
                        al.atomic_cas(x, i, v, 3, scope=scope, order=order)
                    if name == "xor":
                        al.atomic_xor(x, i, v, scope=scope, order=order)
                al.fence(scope=WAYS[0][0])

            given = {"FORMS": tuple(forms), "WAYS": tuple(ways[7 * shared :] + ways[: 7 * shared])}
            made = pipeline.gpu(build(kernel.source, given, arch.chip(chip)), (8, 1, 1))
            device = simt_device.program(made, arch.chip(chip))
            text = simt_device.DeviceCompiler(arch.chip(chip)).assembly(device.text)
            if chip.startswith("sm_"):
                (tmp_path / "k.ptx").write_text(text)
                command = [need("ptxas"), f"-arch={chip}", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k")]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr
            else:
                assert ("ds_cmpst_rtn" if shared else "global_atomic_cmpswap") in text


@avelang.jit
def wrong(x: al.Tensor((4,), al.f32), h: al.Tensor((4,), al.f16), CASE: al.constexpr):
    if CASE == 0:
        al.atomic_xor(x, 0, 1.0)
    elif CASE == 1:
        al.atomic_add(x[0], 0, 1.0)
    elif CASE == 2:
        al.atomic_add(x, 4, 1.0)
    elif CASE == 3:
        al.atomic_add(x, 0, 1.0, scope="gpu")
    elif CASE == 4:
        al.atomic_add(x, 0, al.lane_id())
    elif CASE == 5:
        al.atomic_max(h, 0, al.full((2,), 1.0, al.f16))
    elif CASE == 6:
        al.atomic_add(h, 3, al.full((2,), 1.0, al.f16))
    elif CASE == 7:
        al.atomic_add(x, 0, al.full((2,), 1.0, al.f32))
    elif CASE == 8:
        al.atomic_add(al.full((2,), 1.0, al.f32), 0, 1.0)
    elif CASE == 9:
        al.atomic_add(x, al.lane_id() + 4, 1.0)
    elif CASE == 10:
        al.atomic_add(h, 1, al.full((2,), 1.0, al.f16))


@pytest.mark.parametrize(("case", "code", "said"), [(0, "T102", "i32, u32, i64, u64"), (1, "T022", "x, i, value"),
    (2, "T041", "4"), (3, "T101", '"block"'), (4, "T020", "al.convert"), (5, "T102", "a pair of f16"), (6, "T041", "4"),
    (7, "T045", "one element"), (8, "T022", "global or shared"), (9, "X001", "4"),
    (10, "X0", "no multiple of 4")])  # fmt: skip
def test_misuse_is_named(case, code, said):
    with pytest.raises(AveError) as caught:
        wrong[1, 8](np.zeros(4, np.float32), np.zeros(4, np.float16), case, backend="reference")
    assert caught.value.code.startswith(code) and said in str(caught.value)
