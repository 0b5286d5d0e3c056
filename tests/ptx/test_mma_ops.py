"""Matrix instructions: every row of `al.nvvm` can be written, with as many registers as its fragments have, and ptxas
takes it."""

from __future__ import annotations

import pytest
from tests import tools
from tests.ptx.programs import lines, made

import avelang.isa.nvptx  # noqa: F401
from avelang.base.errors import AveError
from avelang.isa.nvptx.wgmma import FORMS, descriptor
from avelang.isa.row import ROWS
from avelang.ptx import machine_code, ptx, reg, smem, types
from avelang.ptx.types import b32, bf16, e4m3, f16, f32, f64, s8, u32, u64

ROW = [r for r in ROWS.values() if r.mma and r.namespace == "nvvm"]


def write(row):
    """A call of `ptx.mma.sync` for a row, its types read from the row's PTX."""
    shape, _, _, d, a, b, _ = row.ptx.removeprefix("mma.sync.aligned.").split(".")
    kinds = {x: getattr(types, x) for x in (d, a, b)}
    m, n, k = row.mma.m, row.mma.n, row.mma.k
    assert shape == f"m{m}n{n}k{k}"

    def registers(elements: int, kind: str):
        if kind in ("f32", "f64", "s32"):
            return reg.array(kinds[kind], elements // 32)
        return reg.array(b32, elements * kinds[kind].bits // 32 // 32)

    c = registers(m * n, d)
    ptx.mma.sync(
        shape=(m, n, k),
        dtype_a=kinds[a],
        dtype_b=kinds[b],
        dtype_d=kinds[d],
        d=c,
        a=registers(m * k, a),
        b=registers(k * n, b),
        c=c,
    )


def test_every_row_of_mma_is_written_and_assembled():
    tools.need("ptxas")
    assert {x for r in ROW for x in r.needs} == {"sm_75", "sm_80", "sm_89", "sm_90"}
    for arch in ("sm_75", "sm_80", "sm_89", "sm_90"):
        mine = [r for r in ROW if arch in r.needs]
        k = made(lambda mine=mine: [write(r) for r in mine] and None, arch)
        assert [x for r in mine for x in [r.ptx]] == [line.split(" ")[0] for line in _instructions(k.ptx())]
        assert machine_code.assembled(k.traced((), None))[0]


def _instructions(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith(("mma", "wgmma"))]


def test_the_acceptance_kernels_form():
    def body():
        acc, a, b = reg.array(f32, 4), reg.array(b32, 4), reg.array(b32, 2)
        ptx.mma.sync(
            shape=(16, 8, 16),
            dtype_d=f32,
            dtype_a=bf16,
            dtype_b=bf16,
            dtype_c=f32,
            d=acc,
            a=a,
            b=b,
            c=acc,
            a_layout="row",
            b_layout="col",
        )

    assert lines(body) == [
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}"
    ]


def test_ldmatrix_and_stmatrix():
    def body():
        tile = smem.alloc(f16, (8, 64))
        r = reg.array(b32, 4)
        for count in (1, 2, 4):
            for trans in (False, True):
                ptx.ldmatrix(r[:count], tile, trans=trans)
                ptx.stmatrix(tile.pointer(), r[:count], trans=trans)

    written = [line.partition(" ")[0] for line in lines(body, "sm_90") if "matrix" in line]
    assert written == [
        ROWS[f"nvvm.{op}_m8n8_x{n}_b16{t}"].ptx
        for n in (1, 2, 4)
        for t in ("", "_trans")
        for op in ("ldmatrix", "stmatrix")
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.name)
def test_every_form_of_wgmma_is_written(form):
    kinds = [getattr(types, x) for x in (form.a.ptx, form.b.ptx, "s32" if form.d.name == "i32" else form.d.name)]

    def body():
        d = reg.array(kinds[2] if kinds[2].bits == 32 else b32, 16 * kinds[2].bits // 32)
        a = reg.array(b32, 4) if form.registers else reg.scalar(u64)
        ptx.wgmma.mma_async(
            shape=(64, 32, form.k),
            dtype_a=kinds[0],
            dtype_b=kinds[1],
            dtype_d=kinds[2],
            d=d,
            a=a,
            b=reg.scalar(u64),
            scale_d=False,
        )

    (written,) = [line for line in lines(body, "sm_90a") if line.startswith("wgmma")]
    flags = 2 * form.signed + form.turns * (2 - form.registers)
    assert written.split(" ")[0] == f"wgmma.mma_async.sync.aligned.m64n32k{form.k}.{kinds[2]}.{form.a.ptx}.{form.b.ptx}"
    assert written.endswith("%p0" + ", 1" * (2 * form.signed) + ", 0" * (flags - 2 * form.signed))


def test_groups_and_descriptors_of_wgmma():
    def body():
        tile = smem.alloc(bf16, (64, 64), swizzle=128)
        ptx.wgmma.fence()
        ptx.wgmma.descriptor(tile)
        ptx.wgmma.descriptor(reg.scalar(u32), swizzle=0, leading=128, stride=256)
        ptx.wgmma.commit_group()
        ptx.wgmma.wait_group(1)

    written = lines(body, "sm_90a")
    constants = [int(line.rpartition(", ")[2]) for line in written if line.startswith("mov.u64")]
    assert constants == [descriptor(0, 16, 1024, 128), descriptor(0, 128, 256, 0)]
    assert [x for x in written if x.startswith("wgmma")] == [
        "wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned 1",
    ]  # fmt: skip


def sync(**options):
    given = {"shape": (16, 8, 16), "dtype_a": bf16, "d": 4, "a": 4, "b": 2, "c": 4, **options}
    for name, kind in (("d", f32), ("a", b32), ("b", b32), ("c", f32)):
        given[name] = reg.array(kind, given[name])
    ptx.mma.sync(**given)


def wgmma(**options):
    given = {"shape": (64, 32, 16), "dtype_a": bf16, "d": 16, **options}
    ptx.wgmma.mma_async(
        **{"a": reg.scalar(u64), "b": reg.scalar(u64), "scale_d": reg.pred(), **given, "d": reg.array(f32, given["d"])}
    )


@pytest.mark.parametrize(("wrong", "words"), [
    (lambda: sync(shape=(16, 8, 32)), "m16n8k16.row.col.f32.bf16.bf16.f32"),
    (lambda: sync(dtype_d=f16), "m16n8k16"),
    (lambda: sync(dtype_a=f64), "m8n8k4"),
    (lambda: sync(a=2), "4 registers"),
    (lambda: sync(a_layout="col"), "row.col"),
    (lambda: sync(dtype_a=u32), "as the type of A"),
    (lambda: ptx.ldmatrix(reg.array(b32, 3), smem.alloc(f16, 64)), "1, 2 or 4"),
    (lambda: wgmma(shape=(64, 36, 16)), "32"),
    (lambda: wgmma(shape=(128, 32, 16)), "(64, n, 16)"),
    (lambda: wgmma(d=8), "16 registers"),
    (lambda: wgmma(dtype_a=e4m3, shape=(64, 32, 32), trans_a=1), "trans_a"),
    (lambda: wgmma(dtype_a=f64), "f32.bf16.bf16"),
    (lambda: wgmma(dtype_a=s8), "s32.s8.s8"),
    (lambda: ptx.wgmma.descriptor(reg.scalar(u32), swizzle=16), "128"),
    (lambda: ptx.wgmma.descriptor(smem.alloc(bf16, (64, 64), swizzle=128), swizzle=64), "as the tile's is"),
])  # fmt: skip
def test_t101_what_there_is_not(wrong, words):
    with pytest.raises(AveError) as caught:
        made(wrong, "sm_90a").ptx()
    assert caught.value.code == "T101" and words in str(caught.value) and caught.value.span.file == __file__


def test_a_descriptor_has_the_pattern_of_its_tile():
    written = lines(lambda: [ptx.wgmma.descriptor(smem.alloc(bf16, (64, 32), swizzle=64))] and None, "sm_90a")
    assert [int(x.split()[-1]) for x in written if x.startswith("mov.u64")] == [descriptor(0, 16, 512, 64)]


def test_scale_d_is_a_predicate():
    with pytest.raises(AveError, match="T225"):
        made(lambda: wgmma(scale_d="yes"), "sm_90a").ptx()
