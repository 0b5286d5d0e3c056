"""Matrix products, real and virtual: numerics against the dense product on the reference, the CPU and executed gfx942
code, adversarial inputs included; the tables of the published lowering; products that are wrong."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile import Mma, SubgroupLayout, check, lowerings, mma, mmas, virtual
from avelang.tile.products import named
from avelang.tile.verify import cases, compute, difference, probe

VDMFMA = mma("VDMFMA_F32_8x16x64x2_F16")
ONE_WAVE = [
    *(("gfx942", m) for m in mmas("gfx942")),
    *(
        ("gfx950", m) for m in mmas("gfx950") if m.name.startswith("VDMFMA") and m.unroll == 1
    ),  # the others are those of gfx942
    *(("sm_90a", m) for m in mmas("sm_90a") if m.virtual),
]


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx90a", "sm_80", "sm_90a"])
def test_products_of_some_dtypes_are_those_of_all(target):
    for dtypes in {m.dtypes for m in mmas(target)}:
        some = virtual.mmas_of(target, dtypes)
        assert [id(m) for m in some] == [id(m) for m in mmas(target) if m.dtypes == dtypes]


def test_the_published_product():
    m = VDMFMA
    assert m.layouts() == {
        "a": SubgroupLayout((1, 1), (8, 4), (2, 16), (1, 16)), "b": SubgroupLayout((1, 1), (4, 16), (16, 1), (16, 1)),
        "acc": SubgroupLayout((1, 1), (4, 16), (16, 1), (2, 1))
    }
    assert [x.elements for x in (m.a, m.b, m.acc)] == [8, 16, 2]
    assert m.natives == ("amdgpu.smfmac_f32_16x16x32_f16",) * 2 and m.unroll == 2
    assert virtual.pair_slots(4, 2) == (
        ((0, 1, 2, 3), (4, 5, 6, 7)), ((0, 1, 8, 9, 2, 3, 10, 11), (4, 5, 12, 13, 6, 7, 14, 15))
    )
    assert [lowerings.index_word(x, 4) for x in (lowerings.FIRST_TWO, lowerings.LAST_TWO)] == [0x44, 0xEE]


def test_half_the_matrix_cycles_of_the_padded_product():
    """On gfx942 both instructions hold the core for 16 clocks (the manual's 4 passes); the sparse one takes twice the
    K."""
    dense = mma("MFMA_F32_16x16x16_F16")
    assert dense.cycles("gfx942") == 16 and VDMFMA.cycles("gfx942") == 32
    assert VDMFMA.cycles("gfx942") / VDMFMA.k * 2 == dense.cycles("gfx942") / dense.k
    eight, wide = mma("VDMFMA_I32_8x16x128x2_I8"), mma("MFMA_I32_16x16x32_I8")
    assert eight.cycles("gfx942") / eight.k * 2 == wide.cycles("gfx942") / wide.k
    new, half = mma("VDMFMA_F32_8x16x64x1_BF16", "gfx950"), mma("MFMA_F32_16x16x32_BF16", "gfx950")
    assert new.cycles("gfx950") / new.k * 2 == half.cycles("gfx950") / half.k


@pytest.mark.parametrize(("chip", "m"), ONE_WAVE, ids=lambda x: x if isinstance(x, str) else x.name)
def test_products_on_the_reference(chip, m):
    done = check(m, chip, backend="reference")
    assert len(done) == (
        2 if not m.dtypes[2].is_float else 14 if "infinity in A" in done else 11 if "NaN in A" in done else 8
    )


def test_what_the_cases_are():
    names = [c.name for c in cases(VDMFMA)]
    assert {
        "cancellation", "denormals in A", "denormals in B", "negative zeros", "NaN in A", "NaN in B", "NaN in C",
        "infinity in A", "infinity in B", "infinity in C"
    } <= set(names)
    by = {c.name: c for c in cases(VDMFMA)}
    # 0 times NaN: a row of A is zero, and B has a NaN.
    assert (by["NaN in B"].a[0] == 0).all() and np.isnan(by["NaN in B"].b).any()
    assert np.signbit(by["negative zeros"].a).all() and np.signbit(by["negative zeros"].c).all()


EXECUTED = [m.name for m in mmas("gfx942") if m.virtual or m.name == "MFMA_F32_16x16x16_F16"]


@pytest.mark.parametrize("name", EXECUTED)
def test_products_in_executed_code_of_gfx942(name):
    """Every virtual one that the chip has, NaN, infinities, signed zeros, cancellation and denormals included."""
    check(mma(name), "gfx942", backend="gfx942-exec")


def test_denormals_are_what_they_are_called():
    by = {c.name: c for c in cases(VDMFMA)}
    assert 0 < np.abs(by["denormals in A"].a).max() < float(np.finfo(np.float16).smallest_normal)
    assert 0 < np.abs(by["denormals in B"].b).max() < float(np.finfo(np.float16).smallest_normal)


@pytest.mark.parametrize(
    ("name", "chip"),
    [
        ("VDMFMA_F32_8x16x64x2_F16", "gfx942"), ("VMFMA_F32_16x16x32_F16", "gfx942"),
        ("VMMA_SYNC_F32_8x16x16_F16", "sm_90a")
    ],
)
def test_products_on_the_cpu(name, chip):
    check(mma(name, chip), chip, backend="cpu")


def test_an_m_of_eight_on_nvidia_is_the_exchanged_product():
    m = mma("VMMA_SYNC_F32_8x16x16_F16", "sm_90a")
    base = mma("MMA_SYNC_F32_16x8x16_F16", "sm_90a")
    assert m.shape == (8, 16, 16) and m.natives == base.natives
    assert np.array_equal(m.a.index[0], base.b.index[1]) and np.array_equal(m.acc.index[0], base.acc.index[1])


@pytest.mark.parametrize(
    ("name", "moves"), [("VDMFMA_F32_8x16x64x2_BF16", "v_mov_b32"), ("VDMFMA_I32_8x16x128x2_I8", "v_perm_b32")]
)
def test_a_in_pairs_moves_no_register_of_b(name, moves):
    """In gfx942 code, three moves (of bytes: four) for each sparse instruction go away; the expansion stays outside of
    the chain."""
    chain, counts = 4, []
    for m in (mma(name), mma(name + "_PAIRED")):
        assert check(m, backend="gfx942-exec")
        text = compile_text(probe(m, chain), {}, (64, 1, 1), "gfx942", "asm")
        assert text.count("v_smfmac") == 2 * chain
        counts.append(text.count(moves))
    assert counts[0] - counts[1] >= 3 * 2 * chain and (moves != "v_perm_b32" or counts[1] == 0)


# -- a user's own ------------------------------------------------------------------------------------------------------


@avelang.jit
def four(a, b, acc):
    for i in range(4):
        left, right = al.make_local((4,), al.f16), al.make_local((4,), al.f16)
        for j in range(4):
            left[j], right[j] = a[4 * i + j], b[4 * i + j]
        acc = al.amdgpu.mfma_f32_16x16x16_f16(left, right, acc)
    return acc


def own(**changed) -> Mma:
    a = SubgroupLayout((1, 1), (16, 4), (1, 16), (1, 16))
    acc = SubgroupLayout((1, 1), (4, 16), (16, 1), (4, 1))
    parts = dict(shape=(16, 16, 64), dtypes=(al.f16, al.f16, al.f32), a=a, b=a.transposed, acc=acc, lower=four,
                 natives=("mfma_f32_16x16x16_f16",) * 4)
    return Mma("VMFMA_F32_16x16x64_F16", **{**parts, **changed})


def test_a_product_of_ones_own():
    m = own()
    assert m.virtual and m.unroll == 4 and m.lds_bytes == 2 * 16 * 64 * 2 and m.cycles("gfx942") == 64
    assert m.exists_on("gfx942") and not m.exists_on("sm_90a")
    assert len(check(m)) == 14 and check(m, backend="reference") == check(m, backend="cpu")


@avelang.jit
def crooked(a, b, acc):
    """One element of A is used twice, another never."""
    left = al.make_local((16,), al.f16)
    for j in range(16):
        left[j] = a[j] if j != 5 else a[4]
    return four(left, b, acc)


@avelang.jit
def from_zero(acc):
    out = al.full((4,), 0.0, al.f32)
    for i in range(2):
        out[2 * i] = acc[i]
    return out


# What is changed, the name of the case that finds it.
BROKEN = {
    "an element twice": (own(lower=crooked), "integers"),
    "another layout of A": (own(a=SubgroupLayout((4, 1), (4, 16), (1, 4), (1, 4))), "integers"),
    "partial sums that start from 0.0": (dataclasses.replace(VDMFMA, expand=from_zero), "negative zeros"),
    "no collapse": (dataclasses.replace(VDMFMA, lower=dataclasses.replace(VDMFMA).lower, collapse=from_zero), None),
    "lanes the wrong way round": (
        dataclasses.replace(
            VDMFMA,
            lower=lowerings.paired(al.amdgpu.smfmac_f32_16x16x32_f16, *(x[::-1] for x in virtual.pair_slots(4, 2))),
        ),
        "",
    ),
    "B not shuffled": (
        dataclasses.replace(
            VDMFMA,
            lower=lowerings.paired(al.amdgpu.smfmac_f32_16x16x32_f16, virtual.pair_slots(4, 2)[0],
                                   (tuple(range(8)), tuple(range(8, 16)))),
        ),
        "integers",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_check_finds_what_is_wrong(name):
    m, case = BROKEN[name]
    if case == "":  # the two instructions in the other order are the same product
        check(m, backend="reference")
        return
    if case is None:  # an accumulator of four numbers is no tile of two
        with pytest.raises(AveError):
            check(m, backend="reference")
        return
    with pytest.raises(AveError, match=f"{m.name}: {case}: ") as e:
        check(m, backend="reference")  # this line
    assert e.value.code == "T307" and e.value.span.text().strip().endswith("# this line")


def test_a_padded_product_with_multiplied_zeros_would_show_nan():
    """What "implied zero" means: a NaN in B at a place that a sparse row leaves out does not reach the sum. If zeros
    were multiplied there, every row would be NaN, and so in a dense product of the padded A; here the NaN's column is
    NaN by its own products alone, and the others are numbers."""
    case = next(c for c in cases(VDMFMA) if c.name == "NaN in B")
    got, want = compute(VDMFMA, case, kernel=probe(VDMFMA, 2), target="gfx942", backend="reference")
    columns = np.isnan(case.b).any(axis=0)
    assert (
        np.isnan(got[:, columns]).all()
        and not np.isnan(got[:, ~columns]).any()
        and difference(VDMFMA, case, got, want) == ""
    )


# -- errors ------------------------------------------------------------------------------------------------------------

WRONG = {
    "shape": (
        {"shape": (16, 16, 32)}, "T307", "`a` is a layout of (16, 64), and the shape (16, 16, 32) wants (16, 32)"
    ),
    "wave": (
        {"acc": SubgroupLayout((1, 1), (2, 16), (16, 1), (8, 1), 32)}, "T307",
        "`a` is spread over 1 waves of 64 lanes, not over one of 32"
    ),
    "layout": ({"b": (1, 2)}, "T301", "b must be a Distribution or a SubgroupLayout, not (1, 2)"),
    "function": ({"lower": lambda a, b, acc: acc}, "T301", "lower must be a function decorated with @avelang.jit"),
    "row": ({"natives": ("mfma_nothing",)}, "T301", "a row must be an intrinsic"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_products_fail_at_the_users_line(name):
    changed, code, words = WRONG[name]
    with pytest.raises(AveError) as e:
        own(**changed)
    assert e.value.code == code and words in e.value.message and e.value.span.text().strip().startswith("return Mma(")


def test_names():
    with pytest.raises(AveError, match="one of the chip's 41, such as VDMFMA_.*, not 'VDMFMA'"):
        mma("VDMFMA")
    assert named(mmas("gfx942"), "vdmfma_f32_8x16x64x2_f16") is VDMFMA and "smfmac_f32_16x16x32_f16" in repr(VDMFMA)


def test_products_of_a_warpgroup_read_shared_memory():
    m = mma("WGMMA_F32_64x128x16_BF16", "sm_90a")
    assert m.a is None and m.acc.waves == 4 and m.lds_bytes == (64 + 128) * 16 * 2 and m.layouts()["a"] is None
    with pytest.raises(AveError, match="its operands are in shared memory"):
        check(m, "sm_90a")


@avelang.jit
def as_a_user_writes_it(a: al.Tensor((64, 8), al.f16), b: al.Tensor((64, 16), al.f16), d: al.Tensor((64, 2), al.f32)):
    lane = al.thread_id(0)
    acc = VDMFMA.expand(al.full((VDMFMA.acc.elements,), 0.0, al.f32))
    acc = VDMFMA.lower(a[lane], b[lane], acc)
    d[lane] = VDMFMA.collapse(acc)


def test_a_description_in_a_kernel():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (8, 64)).astype(np.float16), rng.integers(-4, 5, (64, 16)).astype(np.float16)
    d = np.zeros((64, 2), np.float32)
    for backend in ("reference", "cpu"):
        as_a_user_writes_it[(1, 64)](np.ascontiguousarray(VDMFMA.a.gather(a)), np.ascontiguousarray(VDMFMA.b.gather(b)),
                                     d, backend=backend, target="gfx942")
        assert np.array_equal(VDMFMA.acc.scatter(d), a.astype(np.float32) @ b.astype(np.float32))
