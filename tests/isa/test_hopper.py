"""The asynchronous rows of Ampere and Hopper: kernels on the reference and on the CPU against NumPy, every row's PTX through ptxas, and the errors of
what the hardware would hang on, trap on, or answer with garbage."""

import itertools
import pathlib
import subprocess

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import arch, pipeline
from avelang.base.errors import AveError
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from avelang.ir.types import VecType
from avelang.ir.verify import verify
from avelang.isa import ROWS
from avelang.isa.nvptx import wgmma
from avelang.isa.nvptx.swizzle import swizzled
from avelang.sim import reference
from isa import cluster_kernels
from isa.hopper_kernels import Trial, trials
from isa.row_kernels import least_chip, row_kernel
from isa.wgmma_kernels import Trial as Product
from isa.wgmma_kernels import arguments, sizes
from isa.wgmma_kernels import trials as products
from tools import need

TRIALS = {t.name + ("" if t.name.startswith("tma_load") else f"_{i}"): t for i, t in enumerate([*trials(), *cluster_kernels.trials()])}
PRODUCTS = {t.name: t for t in products()}
NEW = [r for r in ROWS.values() if r.namespace == "nvvm" and not r.mma and "matrix_m8n8" not in r.name]
ONE = (1, 1, 1)


def launched(trial: Trial, backend: str) -> list:
    args = [np.copy(a) if isinstance(a, np.ndarray) else a for a in trial.args]
    options = {} if trial.cluster == ONE else {"cluster": trial.cluster}
    trial.kernel[lambda: (trial.grid, trial.block)](*args, backend=backend, target=trial.chip, **options)
    return args


def same(got: list, want: list) -> None:
    for g, w in zip(got, want, strict=True):
        if isinstance(w, np.ndarray):
            np.testing.assert_array_equal(np.ascontiguousarray(g).view(np.uint8), np.ascontiguousarray(w).view(np.uint8))


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("name", TRIALS)
def test_a_kernel_computes_what_numpy_does(name: str, backend: str):
    trial = TRIALS[name]
    same(launched(trial, backend), trial.want)


def covering(names):
    """Of products by name, those in which two properties meet that have not met in one before: machine code takes longer to make than the rest."""
    met: set[tuple[str, str]] = set()
    for name in names:
        found = set(itertools.combinations([*name.split("_")[1:], "end"], 2))
        if not found <= met:
            yield name
        met |= found


@pytest.mark.parametrize(("name", "backend"), [*((n, "reference") for n in PRODUCTS), *((n, "cpu") for n in covering(PRODUCTS))])
def test_wgmma_is_numpys_product(name: str, backend: str):
    kernel, args, want = arguments(PRODUCTS[name])
    args = [np.copy(a) for a in args]
    kernel[lambda: (1, 128)](*args, backend=backend, target="sm_90a")
    np.testing.assert_array_equal(args[2].astype(np.float64), want)


@pytest.mark.parametrize("name", ["mbarrier_roles", "warp_specialized_gemm", "cluster_rounds", "cluster_mailbox", "multicast_gemm"])
@pytest.mark.parametrize("order", ["reverse", "random"])
def test_the_order_of_turns_does_not_matter(name: str, order):
    trial = next(t for t in TRIALS.values() if t.name == name)
    args = [np.copy(a) if isinstance(a, np.ndarray) else a for a in trial.args]
    grid = (1, 1, 1) if name == "warp_specialized_gemm" else trial.grid
    kernel = build(trial.kernel.source, {}, arch.chip(trial.chip))
    kernel.attrs["cluster"] = trial.cluster
    reference.run(kernel, args, grid, trial.block, order=order, seed=1)
    if grid == trial.grid:
        same(args, trial.want)
    else:
        np.testing.assert_array_equal(args[2][:128, :64], trial.want[2][:128, :64])


# -- PTX -------------------------------------------------------------------------------------------------------------------------------------


def assembled(kernel: Kernel, chip: str, block: tuple[int, int, int], folder: pathlib.Path) -> tuple[str, str]:
    """(PTX, what ptxas says of it)"""
    program = simt_device.program(pipeline.gpu(kernel, block), arch.chip(chip))
    text = simt_device.DeviceCompiler(arch.chip(chip)).assembly(program.text)
    (folder / "k.ptx").write_text(text)
    command = [need("ptxas"), f"-arch={chip}", "-v", str(folder / "k.ptx"), "-o", str(folder / "k.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return text, done.stderr


@pytest.mark.parametrize("row", NEW, ids=lambda r: r.name)
def test_ptxas_takes_every_row(row, tmp_path):
    chip = least_chip(row)
    kernel = row_kernel(row, chip)
    verify(kernel, "tensors")
    text, _ = assembled(kernel, chip, (128, 1, 1), tmp_path)
    assert row.ptx is None or text.count(row.ptx) == 1


def test_ptxas_refuses_a_wrong_text(tmp_path):
    """The negative control: a row whose chip is too old for its text."""
    row = ROWS["nvvm.cp_async_bulk_load"]
    with pytest.raises(AssertionError, match="sm_90"):
        assembled(row_kernel(row, "sm_80"), "sm_80", (32, 1, 1), tmp_path)


@pytest.mark.parametrize("n", [8, 256])
@pytest.mark.parametrize("form", wgmma.FORMS, ids=lambda f: f.name)
def test_ptxas_takes_wgmma_of_any_n(form, n, tmp_path):
    kernel = row_kernel(ROWS[f"nvvm.{form.name}"], "sm_90a", {"c": VecType(form.d, n // 2)})
    text, said = assembled(kernel, "sm_90a", (128, 1, 1), tmp_path)
    assert f"m64n{n}k{form.k}." in text and "spill" not in said.replace("0 bytes spill stores, 0 bytes spill loads", "")


def test_the_gemm_keeps_its_registers_and_its_pipeline(tmp_path):
    """No spills, setmaxnreg heeded, wgmma not serialized: ptxas says so where one fails."""
    trial = next(t for t in TRIALS.values() if t.name == "warp_specialized_gemm")
    _, said = assembled(build(trial.kernel.source, {}, arch.chip("sm_90a")), "sm_90a", trial.block, tmp_path)
    assert "0 bytes spill stores" in said and "Potential Performance Loss" not in said and "Used 168 registers" in said


# -- maps ------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", wgmma.FORMS, ids=lambda f: f.name)
def test_fragments_are_partitions(form):
    for fragment in (wgmma.a_fragment(form), wgmma.d_fragment(64)):
        _, row, col = fragment.index
        assert sorted((row * fragment.shape[2] + col).ravel()) == list(range(64 * fragment.shape[2]))


def test_fragments_are_the_published_ones():
    """CuTe's layouts of wgmma's D, in the table of `tensor-layouts`."""
    nv = pytest.importorskip("tensor_layouts.atoms_nv")
    for n in (8, 64, 256):
        atom = getattr(nv, f"SM90_64x{n}x16_F32F16F16_SS")
        _, row, col = wgmma.d_fragment(n).index
        for lane in range(128):
            for slot in range(n // 2):
                assert atom.c_layout(lane, slot) == row[lane, slot] + 64 * col[lane, slot]


@pytest.mark.parametrize("pattern", [0, 32, 64, 128])
def test_a_swizzle_permutes_its_pattern(pattern):
    at = np.arange(1024)
    out = swizzled(at, pattern)
    assert sorted(out) == list(at) and (out // 128 == at // 128).all() and (out % 16 == at % 16).all()
    assert np.array_equal(swizzled(out, pattern), at) and len(set((out ^ at).tolist())) == max(1, pattern // 16)


def test_all_n_are_there():
    assert {t.n for t in sizes() if t.a == "bf16"} == set(range(8, 257, 8))
    assert isinstance(sizes()[0], Product)


# -- errors ----------------------------------------------------------------------------------------------------------------------------------


def fails(kernel, *args, block=32, grid=1, **options) -> AveError:
    with pytest.raises(AveError) as e:
        kernel[lambda: (grid, block)](*args, backend=options.pop("backend", "reference"), **options)
    return e.value


@avelang.jit
def unwaited(A: al.Tensor((32, 4), al.i32), B: al.Tensor((32, 4), al.i32), what: al.constexpr):
    t = al.thread_id(0)
    s = al.make_shared((32, 4), al.i32, 16)
    al.nvvm.cp_async_x16(s[t], A[t], 17 if what == "size" else 16)
    al.nvvm.cp_async_commit_group()
    if what == "write":
        s[t, 0] = 1
    B[t] = s[t]


def test_reading_before_the_wait_names_it():
    a = np.zeros((32, 4), np.int32)
    e = fails(unwaited, a, a.copy(), "read")
    assert e.code == "X010" and "cp_async_x16` in line" in e.message and "cp_async_wait_group" in str(e)
    e = fails(unwaited, a, a.copy(), "write")
    assert e.code == "X010" and "a store" in e.message
    e = fails(unwaited, a, a.copy(), "size")
    assert e.code == "X012" and "more than 16 bytes" in e.message


@avelang.jit
def on_an_mbarrier(B: al.Tensor((32,), al.i32), what: al.constexpr):
    bar = al.make_shared((2,), al.u64)
    t = al.thread_id(0)
    if what != "none" and t == 0:
        al.nvvm.mbarrier_init(bar, 0 if what == "count" else 2 if what == "stuck" else 1)
    al.syncthreads()
    if what == "many":
        al.nvvm.mbarrier_arrive_expect_tx(bar, 16)
    elif what == "tx":
        al.nvvm.mbarrier_expect_tx(bar, 1 << 20)
    else:
        al.nvvm.mbarrier_wait(bar, 0)
    B[t] = 1


@pytest.mark.parametrize(("what", "code", "words"), [
    ("none", "X012", "no mbarrier at address"), ("count", "X012", "0 arrivals"), ("many", "X012", "waits for 0 of 1"),
    ("tx", "X012", "limit is 1048575"), ("stuck", "X011", "wave 0 of block (0, 0, 0) at a `nvvm.mbarrier_wait` in line"),
])  # fmt: skip
def test_misuse_of_an_mbarrier(what, code, words):
    e = fails(on_an_mbarrier, np.zeros(32, np.int32), what)
    assert e.code == code and words in e.message


def test_waves_that_wait_for_ever_end_on_the_cpu_too():
    assert fails(on_an_mbarrier, np.zeros(32, np.int32), "stuck", backend="cpu").code == "L028"


@avelang.jit
def disagreeing(B: al.Tensor((64,), al.i32), one: al.constexpr, number: al.u32):
    if al.thread_id(0) < 32:
        al.nvvm.barrier_sync(number, 64)
    else:
        al.nvvm.barrier_sync(number, one)
    B[al.thread_id(0)] = 1


def test_named_barriers_want_one_count_and_a_number():
    out = np.zeros(64, np.int32)
    assert "with 96 threads here, and with 64" in fails(disagreeing, out, 96, 1, block=64).message
    assert "there is no barrier 16" in fails(disagreeing, out, 64, 16, block=64).message


@avelang.jit
def stores(A: al.TensorMap(al.f32, 2, (8, 32)), at: al.i32, what: al.constexpr):
    tile = al.make_shared((8, 32), al.f32, 128)
    t = al.thread_id(0)
    for i in range(8):
        tile[i, t] = 0.0
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.tma_store_2d(A, 0, at, tile)
        al.nvvm.cp_async_bulk_commit_group()
        if what == "write":
            tile[0, 0] = 1.0
        if what != "leave":
            al.nvvm.cp_async_bulk_wait_group(0)


def test_stores_that_nobody_waits_for():
    a = np.zeros((16, 64), np.float32)
    e = fails(stores, a, 0, "leave")
    assert e.code == "X012" and "nothing has waited" in e.message and "tma_store_2d" in e.message
    e = fails(stores, a, 0, "write")
    assert e.code == "X010" and "still reads" in e.message and "wait_group_read" in str(e)
    assert "multiple of 16 bytes" in fails(stores, a, 3, "").message
    assert "only loads may begin before" in fails(stores, a, -4, "").message
    torn = fails(stores, a[:, :62], 0, "").message
    assert "its rows of 248 bytes end inside of 16 bytes" in torn and "up to 256" in torn


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_arrays_that_the_copy_engine_cannot_take(backend):
    for bad, words in (
        (np.zeros((16, 63), np.float32), "multiples of 16 bytes"), (np.zeros(16, np.float32), "1 dimensions, the map 2"),
        (np.zeros((32, 16), np.float32).T, "must be contiguous"), (np.zeros((16, 65), np.float32)[:, 1:], "multiple"),
    ):  # fmt: skip
        e = fails(stores, bad, 0, "", backend=backend)
        assert e.code == "L027" and words in e.message and "TensorMap(f32, 2, (8, 32))" in e.message


@pytest.mark.parametrize(("args", "words"), [
    ((al.f32, 2, (8,)), "as many extents"), ((al.f32, 1, (300,)), "1 to 256"), ((al.f32, 1, (3,)), "multiple of 16"),
    ((al.f32, 1, (64,), 128), "no longer than the swizzle"), ((al.u1, 1, (16,)), "no maps of u1"), ((al.f32, 1, (8,), 16), "`swizzle` is"),
    ((al.i32, 1, (8,), 0, 0, "nan"), "for floats of 16 bits"), ((al.i32, 1, (8,), 0, 16), "`interleave` is 0"), ((al.f32, 6, (4,) * 6), "1 to 5"),
])  # fmt: skip
def test_annotations_say_what_is_wrong(args, words):
    with pytest.raises(AveError) as e:
        al.TensorMap(*args)
    assert e.value.code == "T036" and words in e.value.message


def test_a_tensor_map_needs_a_dtype_and_is_itself():
    with pytest.raises(AveError) as e:
        al.TensorMap("f32", 1, (8,))
    assert e.value.code == "T032"
    assert al.TensorMap(al.f32, 1, (8,)) == al.TensorMap(al.f32, 1, 8) != al.TensorMap(al.f32, 1, (8,), 32)
    assert repr(al.TensorMap(al.f32, 1, (8,), 32, fill="nan")) == "TensorMap(f32, 1, (8,), swizzle=32, fill='nan')"


@avelang.jit
def three(A: al.TensorMap(al.f32, 3, (1, 8, 32))):
    al.nvvm.tma_prefetch_2d(A, 0, 0)


def test_coordinates_are_counted():
    e = fails(three, np.zeros((2, 8, 32), np.float32))
    assert e.code == "T022" and "a map of 3 dimensions" in e.message


@avelang.jit
def half_a_group(C: al.Tensor((64, 4), al.f32), what: al.constexpr):
    s = al.make_shared((4096,), al.bf16, 1024)
    t = al.thread_id(0)
    for i in range(64):
        s[64 * i + t] = 0.0
    al.syncthreads()
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.full((4,), 0.0, al.f32)
    if what == "lanes":
        d = d + al.convert(t, al.u64)
    acc = al.nvvm.wgmma_bf16_f32(d, d, acc)
    C[t] = al.nvvm.wgmma_wait_acc(acc, 0)


def test_wgmma_needs_four_warps_that_agree():
    c = np.zeros((64, 4), np.float32)
    assert "needs the four warps 0 to 3" in fails(half_a_group, c, "", block=64).message
    assert "must be the same in all lanes" in fails(half_a_group, c, "lanes", block=64).message


@avelang.jit
def parted(C: al.Tensor((128, 4), al.f32)):
    s = al.make_shared((4096,), al.bf16, 1024)
    t = al.thread_id(0)
    for i in range(32):
        s[128 * i + t] = 0.0
    al.syncthreads()
    d = al.nvvm.wgmma_descriptor(s)
    acc = al.full((4,), 0.0, al.f32)
    if t < 96:
        acc = al.nvvm.wgmma_bf16_f32(d, d, acc)
    C[t] = acc


def test_a_warp_that_does_not_come_is_named():
    e = fails(parted, np.zeros((128, 4), np.float32), block=128)
    assert e.code == "X011" and "wgmma_bf16_f32" in e.message and "wave 3" not in e.message


@avelang.jit
def ranks(B: al.Tensor((32,), al.i32)):
    s = al.make_shared((32,), al.i32, 16)
    s[al.thread_id(0)] = 1
    B[al.thread_id(0)] = al.nvvm.ld_cluster_x1(s, 2)


def test_ranks_and_grids_of_clusters():
    out = np.zeros(32, np.int32)
    assert "rank 2 in a cluster of 2 blocks" in fails(ranks, out, grid=(2, 1, 1), cluster=(2, 1, 1)).message
    kernel = build(ranks.source, {}, arch.chip("sm_90"))
    kernel.attrs["cluster"] = (2, 1, 1)
    with pytest.raises(AveError) as e:
        reference.run(kernel, [out], (3, 1, 1), (32, 1, 1))
    assert e.value.code == "X009" and "clusters of (2, 1, 1)" in e.value.message
