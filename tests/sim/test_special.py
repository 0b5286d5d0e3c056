"""Ids, shuffles, printf and rows: against plain Python models."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.base.errors import ExecutionError, VerifyError
from avelang.ir.dtypes import f32, u32
from avelang.ir.types import VecType
from avelang.isa import row as rows
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.sim.reference import run
from sim.kernels import kernel, printed


@pytest.mark.parametrize("wave", [32, 64])
def test_ids(wave):
    names = [f"%{n}{d} = {n} {{'dim': {d}}} : u32" for n in ("block_id", "thread_id", "block_dim", "grid_dim") for d in (0, 1, 2)]
    where = """
    %zy = mul(%thread_id2, %block_dim1) : u32
    %zyy = add(%zy, %thread_id1) : u32
    %zyx = mul(%zyy, %block_dim0) : u32
    %t = add(%zyx, %thread_id0) : u32
    %bz = mul(%block_id2, %grid_dim1) : u32
    %bzy = add(%bz, %block_id1) : u32
    %bzx = mul(%bzy, %grid_dim0) : u32
    %b = add(%bzx, %block_id0) : u32
    %lane = lane_id : u32
    """
    shown = ["block_id0", "block_id1", "block_id2", "thread_id0", "thread_id1", "thread_id2", "lane"]
    stores = "".join(f"%k{i} = const {{'value': {i}}} : u32\nstore(%{v}, %o, %b, %t, %k{i})\n" for i, v in enumerate(shown))
    k = kernel("%o: tensor<u32, (24, 75, 7):(525, 7, 1), global>", "\n".join(names) + where + stores, wave)
    out = np.full((24, 75, 7), 9999, np.uint32)
    run(k, [out], (2, 3, 4), (5, 3, 5))
    b, t = np.meshgrid(np.arange(24), np.arange(75), indexing="ij")
    want = [b % 2, b // 2 % 3, b // 6, t % 5, t // 5 % 3, t // 15, t % wave]
    assert (out == np.stack(want, axis=-1)).all()


def shuffle_model(kind: str, lane: int, offset: int, width: int, wave: int) -> int:
    first = lane // width * width
    src = {"idx": offset, "up": lane - first - offset, "down": lane - first + offset, "xor": (lane - first) ^ offset}[kind]
    return first + src if 0 <= src < width and first + src < wave else lane


@pytest.mark.parametrize("wave, width", [(64, 64), (64, 16), (64, 1), (32, 32), (32, 4), (32, 64)])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_shuffle(kind, wave, width):
    k = kernel("%a: tensor<i32, (64, 2):(2, 1), global>, %d: tensor<i32, (64):(1), global>, %o: tensor<i32, (64, 2):(2, 1), global>", f"""
    %t = thread_id {{"dim": 0}} : u32
    %v = load(%a, %t) : vec<2 x i32>
    %off = load(%d, %t) : i32
    %r = shuffle(%v, %off) {{"kind": "{kind}", "width": {width}}} : vec<2 x i32>
    store(%r, %o, %t)
    """, wave)  # fmt: skip
    r = np.random.default_rng(width)
    a, d, out = r.integers(0, 1000, (64, 2)).astype(np.int32), r.integers(-2, width + 2, 64).astype(np.int32), np.zeros((64, 2), np.int32)
    run(k, [a, d, out], 1, 64)
    src = [t // wave * wave + shuffle_model(kind, t % wave, int(d[t]), width, wave) for t in range(64)]
    assert (out == a[src]).all()


def test_shuffle_from_an_inactive_lane_gives_what_it_holds():
    k = kernel("%o: tensor<u32, (64):(1), global>", """
    %t = thread_id {"dim": 0} : u32
    %one = const {"value": 1} : u32
    %odd = and(%t, %one) : u32
    %c = cmp(%odd, %one) {"pred": "eq"} : u1
    if(%c) { ^():
      %r = shuffle(%t, %one) {"kind": "xor", "width": 64} : u32
      store(%r, %o, %t)
      yield
    } { ^():
      yield
    }
    """)  # fmt: skip
    out = np.full(64, 77, np.uint32)
    run(k, [out], 1, 64)
    assert out.tolist() == [77 if t % 2 == 0 else t - 1 for t in range(64)]


# -- rows --------------------------------------------------------------------------------------------------------------------------------


def _gather(wave, table: TensorRef, index: np.ndarray, scale: int) -> np.ndarray:
    address = table.address + index.astype(np.uint64) * np.uint64(scale)
    return wave.read(table.space, address, 8, index < 6).view(np.float32)


def _scatter(wave, value: np.ndarray, to: TensorRef) -> None:
    data = np.ascontiguousarray(value).view(np.uint8).reshape(wave.lanes, -1)
    wave.write(to.space, to.address, data, np.ones(wave.lanes, bool))


@pytest.fixture
def fake_rows():
    from avelang.ir.core import OPS

    common = {"doc": "", "source": "", "needs": frozenset({"fake"})}
    index = (Param("table", "tensor", spaces=("global", "shared")), Param("index", u32), Param("scale", "const", range=(1, 64)))
    made = [
        Row("fake.gather", index, VecType(f32, 2), semantics=_gather, effects=frozenset({"read"}), **common),
        Row("fake.scatter", (Param("value", f32), Param("to", "tensor", spaces=("global", "shared", "local"))), None, semantics=_scatter,
            effects=frozenset({"write"}), **common),
        Row("fake.sum", (Param("a", (f32, u32)),), "a", semantics=lambda wave, a: np.full_like(a, a[wave.active].sum()), **common),
        Row("fake.wrong", (Param("a", f32),), f32, semantics=lambda wave, a: a.astype(np.float64), **common),
    ]  # fmt: skip
    for r in made:
        register(r)
    yield
    for r in made:
        del OPS[r.name], rows.ROWS[r.name], rows.PUBLIC[r.name]


ROWS_BODY = """
%t = thread_id {"dim": 0} : u32
%g = fake.gather(%a, %t) {"scale": 8} : vec<2 x f32>
%x = extract(%g) {"index": 0} : f32
%y = extract(%g) {"index": 1} : f32
%s = add(%x, %y) : f32
%all = fake.sum(%s) : f32
%S = alloc {"name": "s"} : tensor<f32, (2):(1), shared>
fake.scatter(%all, %S)
%zero = const {"value": 0} : i64
%s1 = base(%S) : ptr<f32, shared>
%back = ld(%s1, %zero) {"align": 4} : f32
%four = const {"value": 4} : i64
%i = convert(%t) : i64
%at = mul(%i, %four) : i64
st(%back, %o, %at) {"align": 4}
"""


@pytest.fixture
def no_chip(monkeypatch):
    from avelang.sim import reference

    monkeypatch.setattr(reference, "features", lambda kernel: frozenset({"fake"}))


def test_rows_get_places_constants_and_masks(fake_rows, no_chip):
    a, out = np.arange(12, dtype=np.float32), np.zeros(10, np.float32)
    for params in ("%a: ptr<f32, global>, %o: ptr<f32, global>", "%a: tensor<f32, (6, 2):(2, 1), global>, %o: ptr<f32, global>"):
        out[:] = 0
        run(kernel(params, ROWS_BODY), [a, out], 1, 10)  # lanes 6 to 9 read zeros, lanes past the block take no part
        assert out.tolist() == [66.0] * 10


def test_row_that_reads_out_of_bounds(fake_rows, no_chip):
    k = kernel("%a: ptr<f32, global>, %o: ptr<f32, global>", ROWS_BODY)
    with pytest.raises(ExecutionError) as e:
        run(k, [np.zeros(9, np.float32), np.zeros(10, np.float32)], 1, 10)
    assert e.value.code == "X002" and "`fake.gather`" in e.value.message and "lane 4" in e.value.message


def test_row_whose_meaning_gives_the_wrong_type(fake_rows, no_chip):
    k = kernel("", "%c = const {'value': 1.0} : f32\n%r = fake.wrong(%c) : f32")
    with pytest.raises(VerifyError) as e:
        run(k, [], 1, 64)
    assert "float64" in e.value.message and "float32 (64,)" in e.value.message


def test_printf_once_for_each_active_lane_in_order():
    k = kernel("%x: f32", """
    %t = thread_id {"dim": 0} : u32
    %three = const {"value": 3} : u32
    %c = cmp(%t, %three) {"pred": "lt"} : u1
    if(%c) { ^():
      printf(%t, %x) {"format": "t%d %.1f, "}
      yield
    } { ^():
      yield
    }
    %h = convert(%x) : bf16
    %last = const {"value": 69} : u32
    %d = cmp(%t, %last) {"pred": "ge"} : u1
    if(%d) { ^():
      printf(%t, %h) {"format": "%u=%g;"}
      printf {"format": "end (100%%)\\n"}
      yield
    } { ^():
      yield
    }
    """)  # fmt: skip
    assert printed(k, [np.float32(1.25)], 1, 70) == "t0 1.2, t1 1.2, t2 1.2, 69=1.25;end (100%)\n"
