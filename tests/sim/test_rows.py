"""The rows of `avelang.isa` under the reference: each runs and gives what it says; memory rows see the same memory as ordinary accesses."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import ExecutionError
from avelang.ir.types import dtype_of
from avelang.isa import ROWS
from avelang.sim.reference import features, run
from isa.row_kernels import needs_company
from sim.kernels import kernel

CONSTANTS = {"size": 4}  # of the parameters whose range does not say which values are good


def one_op(row) -> tuple[str, int]:
    """The text of a kernel's body that executes a row once, with ones as operands; and its wave."""
    wave = 64 if row.namespace == "amdgpu" else 32
    body, operands, attrs, seen = [], [], {}, {}
    for p in row.params:
        if p.is_const:
            attrs[p.name] = CONSTANTS.get(p.name, p.range[0] if p.range else 0)
            continue
        t = seen.get(p.type) if isinstance(p.type, str) else p.type
        t = t[0] if isinstance(t, tuple) else t
        if p.type == "tensor":
            space = p.spaces[-1]
            operands.append(f"%{space}")
        else:
            seen[p.name] = t
            value = 0 if p.name in ("rsrc", "byte_offset", "soffset") else 1
            body.append(f"%_{p.name} = const {{'value': {float(value) if dtype_of(t).is_float else value}}} : {t}")
            operands.append(f"%_{p.name}")
    result = seen[row.result] if isinstance(row.result, str) else row.result
    head = "" if result is None else "%r = "
    args = f"({', '.join(operands)})" if operands else ""
    body.append(f"{head}{row.name}{args} {attrs if attrs else ''}".rstrip() + ("" if result is None else f" : {result}"))
    return "\n".join(body), wave


SHARED = """
%shared = alloc {"name": "s", "align": 16} : tensor<i32, (64, 16):(16, 1), shared>
%t = thread_id {"dim": 0} : u32
%init = const {"value": 3} : vec<16 x i32>
store(%init, %shared, %t)
"""


@pytest.mark.parametrize("name", [n for n, r in ROWS.items() if not needs_company(r)])
def test_every_row_runs(name):
    body, wave = one_op(ROWS[name])
    k = kernel("%global: tensor<i32, (1024):(1), global>", SHARED + body, wave)
    run(k, [np.zeros(1024, np.int32)], 1, wave)  # the executor refuses a result of another shape or dtype


def test_features_come_from_the_chip_or_from_the_rows():
    body, wave = one_op(ROWS["amdgpu.cvt_pk_fp8_f32"])
    k = kernel("", body, wave)
    assert "fp8-fnuz" in features(k)  # gfx942 is what most people have
    k.attrs["chip"] = "gfx950"
    assert "fp8-ocp" in features(k)
    assert features(kernel("", "")) == frozenset()


BUFFER = """
%k = const {"value": 16} : i32
%t = thread_id {"dim": 0} : u32
%ti = convert(%t) : i32
%v = mul(%ti, %k) : i32
%soff = const {"value": 4} : i32
%ra = amdgpu.make_rsrc(%a, %n) {"flags": 159744} : vec<4 x i32>
%ro = amdgpu.make_rsrc(%o, %n) {"flags": 159744} : vec<4 x i32>
%x = amdgpu.raw_buffer_load_x4(%ra, %v, %soff) {"aux": 0} : vec<4 x i32>
amdgpu.raw_buffer_store_x4(%x, %ro, %v, %soff) {"aux": 0}
"""


def test_buffer_resources_see_the_arguments():
    k = kernel("%a: tensor<i32, (300):(1), global>, %o: tensor<i32, (300):(1), global>, %n: u32", BUFFER)
    a, out = np.arange(300, dtype=np.int32), np.full(300, -1, np.int32)
    run(k, [a, out, 4 * 203], 1, 64)  # the range ends within a lane's four dwords
    assert out[1:203].tolist() == a[1:203].tolist() and out[0] == -1 and (out[203:] == -1).all()
    with pytest.raises(ExecutionError) as e:  # a range that promises more than there is
        run(k, [a[:200], out, 4 * 203], 1, 64)
    assert e.value.code == "X002" and "raw_buffer_load_x4" in e.value.message and "`a`" in e.value.message


MFMA = """
%t = thread_id {"dim": 0} : u32
%k32 = const {"value": 32} : u32
%k4 = const {"value": 4} : u32
%lane = rem(%t, %k32) : u32
%group = div(%t, %k32) : u32
%k = mul(%group, %k4) : u32
%A = view(%a) : tensor<bf16, (32, 2, 4):(8, 4, 1), global>
%B = view(%b) : tensor<bf16, (32, 2, 4):(8, 4, 1), global>
%fa = load(%A, %lane, %group) : vec<4 x bf16>
%fb = load(%B, %lane, %group) : vec<4 x bf16>
%zero = const {"value": 0.0} : vec<16 x f32>
%d = amdgpu.ROW(%fa, %fb, %zero) ATTRS : vec<16 x f32>
%D = view(%o) : tensor<f32, (32, 2, 4, 4):(1, 128, 256, 32), global>
store(%d, %D, %lane, %group)
"""


def test_mfma_against_a_matrix_product():
    # D[i][j]: j = lane % 32, i = 8 * (r / 4) + 4 * (lane / 32) + r % 4, as AMD's matrix calculator says; A is M x K, B is N x K in memory.
    row = next(r for r in ROWS.values() if "mfma_32x32x8_bf16_f32" in (r.name.split(".")[1], *r.aliases))
    attrs = {p.name: 0 for p in row.params if p.is_const}
    text = MFMA.replace("amdgpu.ROW", row.name).replace("ATTRS", str(attrs) if attrs else "")
    k = kernel(
        "%a: tensor<bf16, (32, 8):(8, 1), global>, %b: tensor<bf16, (32, 8):(8, 1), global>, %o: tensor<f32, (32, 32):(32, 1), global>",
        text,
    )
    r = np.random.default_rng(0)
    a, b = r.standard_normal((2, 32, 8)).astype(ml_dtypes.bfloat16)
    out = np.zeros((32, 32), np.float32)
    run(k, [a, b, out], 1, 64)
    np.testing.assert_allclose(out, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-5, atol=1e-5)


def test_atomics_add_up_and_are_no_race():
    row = ROWS["amdgpu.atomic_add"]
    assert isinstance(row.params[3].range, tuple)
    k = kernel("%o: tensor<i32, (2):(1), global>", """
    %S = alloc {"name": "s"} : tensor<i32, (2):(1), shared>
    %t = thread_id {"dim": 0} : u32
    %z = const {"value": 0} : i32
    %zu = const {"value": 0} : u32
    %first = cmp(%t, %zu) {"pred": "eq"} : u1
    if(%first) { ^():
      store(%z, %S, %zu)
      yield
    } { ^():
      yield
    }
    barrier
    %v = convert(%t) : i32
    %old = amdgpu.atomic_add(%z, %v, %S) {"scope": 0} : i32
    %g = amdgpu.atomic_add(%z, %v, %o) {"scope": 1} : i32
    barrier
    if(%first) { ^():
      %sum = load(%S, %zu) : i32
      %one = const {"value": 1} : u32
      store(%sum, %o, %one)
      yield
    } { ^():
      yield
    }
    """)  # fmt: skip
    out = np.zeros(2, np.int32)
    run(k, [out], 1, 200, races=True)
    assert out.tolist() == [199 * 100] * 2
