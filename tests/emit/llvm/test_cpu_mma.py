"""Every matrix instruction as native code against its row's meaning, bit for bit, for every row that there is."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.ir.dtypes import DType
from avelang.ir.text import parse_kernel
from avelang.ir.types import Type, VecType, dtype_of
from avelang.ir.verify import verify
from avelang.isa.row import ROWS, Row
from avelang.sim import reference
from emit.llvm.native import Native

ROWS_WITH_MMA = [r for r in ROWS.values() if r.mma is not None]


def first_type(t: object) -> Type:
    t = t[0] if isinstance(t, tuple) else t
    assert isinstance(t, (DType, VecType))
    return t


def program(row: Row, attrs: dict[str, int], times: int = 1) -> str:
    """Each lane loads its fragments, the instruction runs `times` times on one accumulator, and each lane stores its
    part of D."""
    assert row.mma is not None
    types = [first_type(p.type) for p in row.operands]
    out = types[2]
    names = [p.name for p in row.operands]
    lines = ['%t = thread_id {"dim": 0} : u32', "%t64 = convert(%t) : i64"]
    for n, t in zip(names, types, strict=True):
        size = dtype_of(t).bytes * (t.n if isinstance(t, VecType) else 1)
        lines += [
            f'%z{n} = const {{"value": {size}}} : i64',
            f"%o{n} = mul(%t64, %z{n}) : i64",
            f'%{n}0 = ld(%p{n}, %o{n}) {{"align": 1}} : {t}',
        ]
    for i in range(times):
        rest = ", ".join(f"%{n}0" for n in names[3:])
        lines.append(
            f"%c{i + 1} = {row.name}(%a0, %b0, %c{i}{', ' + rest if rest else ''}){f' {attrs!r}' if attrs else ''} : "
            f"{out}"
        )
    lines.append(f'st(%c{times}, %pd, %oc) {{"align": 1}}')
    params = ", ".join(
        [
            *(f"%p{n}: ptr<{dtype_of(t)}, global>" for n, t in zip(names, types, strict=True)),
            f"%pd: ptr<{dtype_of(out)}, global>",
        ]
    )
    return (
        f"kernel @k({params}) {{'wave': {row.mma.a.lanes}, 'block': ({row.mma.a.lanes}, 1, 1)}} {{\n"
        + "\n".join(lines)
        + "\n}\n"
    )


def operands(row: Row, seed: int) -> list[np.ndarray]:
    assert row.mma is not None
    rng = np.random.default_rng(seed)
    out = []
    for p in row.operands:
        t = first_type(p.type)
        d, n = dtype_of(t), row.mma.a.lanes * (t.n if isinstance(t, VecType) else 1)
        if d.is_int:
            low, high = (d.min, d.max) if p.name != "index" else (-(2**31), 2**31 - 1)
            out.append(rng.integers(low, high, n, dtype=np.int64, endpoint=True).astype(d.np))
        else:
            scale = 10.0 ** rng.integers(-2, 2, n)
            out.append((rng.standard_normal(n) * scale).astype(np.float32).astype(d.np))
    return out


def compare(row: Row, attrs: dict[str, int], times: int = 1) -> None:
    k = parse_kernel(program(row, attrs, times))
    verify(k, "addresses")
    args = operands(row, 1)
    got, want = np.zeros_like(args[2]), np.zeros_like(args[2])
    wave = k.attrs["wave"]
    Native(k).run([*args, got])
    reference.run(k, [*args, want], (1, 1, 1), (wave, 1, 1))
    word = f"u{want.itemsize}"
    np.testing.assert_array_equal(got.view(word), want.view(word))
    assert np.count_nonzero(want) > want.size // 2


def consts(row: Row) -> dict[str, int]:
    return {p.name: p.default or 0 for p in row.params if p.is_const}


@pytest.mark.parametrize("row", ROWS_WITH_MMA, ids=lambda r: r.name)
def test_every_row(row: Row):
    compare(row, consts(row))


@pytest.mark.parametrize("name", ["amdgpu.mfma_f32_32x32x8_bf16", "amdgpu.mfma_f32_16x16x16_f16"])
def test_a_chain_updates_the_accumulator_in_place(name: str):
    row = ROWS[name]
    compare(row, consts(row), times=3)


@pytest.mark.parametrize("blgp", range(8))
def test_lane_patterns_of_b(blgp: int):
    row = ROWS["amdgpu.mfma_f32_16x16x4_4b_f16"]
    compare(row, {"cbsz": blgp % 3, "abid": blgp % 2, "blgp": blgp})


@pytest.mark.parametrize("cbsz,abid", [(0, 1), (0, 3), (1, 2)])
def test_sets_of_index_bits(cbsz: int, abid: int):
    row = ROWS["amdgpu.smfmac_f32_16x16x32_bf16"]
    compare(row, {"cbsz": cbsz, "abid": abid})


def test_the_old_accumulator_stays_when_it_is_used_again():
    """C has a second use: the instruction must not write over it."""
    row = ROWS["amdgpu.mfma_f32_32x32x8_bf16"]
    text = program(row, consts(row), times=2).replace("st(%c2, %pd", "%e = add(%c2, %c1) : vec<16 x f32>\nst(%e, %pd")
    k = parse_kernel(text)
    args = operands(row, 2)
    got, want = np.zeros_like(args[2]), np.zeros_like(args[2])
    Native(k).run([*args, got])
    reference.run(k, [*args, want], (1, 1, 1), (64, 1, 1))
    np.testing.assert_array_equal(got, want)
