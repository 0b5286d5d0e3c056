"""Whole launches: barriers between waves, partial waves, aliasing arguments, scalars, the order of waves."""

from __future__ import annotations

import io

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import ExecutionError
from avelang.sim.reference import run
from sim.kernels import kernel, printed

REVERSE = """
%t = thread_id {"dim": 0} : u32
%b = block_id {"dim": 0} : u32
%S = alloc {"name": "s"} : tensor<f32, (200):(1), shared>
%x = load(%a, %b, %t) : f32
store(%x, %S, %t)
barrier
%n = block_dim {"dim": 0} : u32
%one = const {"value": 1} : u32
%last = sub(%n, %one) : u32
%i = sub(%last, %t) : u32
%y = load(%S, %i) : f32
store(%y, %o, %b, %t)
"""


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
@pytest.mark.parametrize("wave", [32, 64])
def test_barrier_between_waves(order, wave):
    k = kernel("%a: tensor<f32, (3, 200):(200, 1), global>, %o: tensor<f32, (3, 200):(200, 1), global>", REVERSE, wave)
    a = np.random.default_rng(0).random((3, 200)).astype(np.float32)
    out = np.zeros_like(a)
    run(k, [a, out], 3, 200, order=order, seed=5)
    assert (out == a[:, ::-1]).all()
    out[:] = 0
    run(k, [a, out], (3,), (150, 1, 1), order=order)
    assert (out[:, :150] == a[:, 149::-1]).all() and (out[:, 150:] == 0).all()


def test_shared_memory_without_a_barrier_is_unwritten():
    k = kernel("%a: tensor<f32, (3, 200):(200, 1), global>, %o: tensor<f32, (3, 200):(200, 1), global>", REVERSE.replace("barrier\n", ""))
    a = np.zeros((3, 200), np.float32)
    with pytest.raises(ExecutionError) as e:
        run(k, [a, a.copy()], 1, 200)
    assert e.value.code == "X003"


def test_shared_memory_does_not_survive_its_block():
    k = kernel("", """
    %b = block_id {"dim": 0} : u32
    %z = const {"value": 0} : u32
    %S = alloc {"name": "s"} : tensor<u32, (1):(1), shared>
    %first = cmp(%b, %z) {"pred": "eq"} : u1
    if(%first) { ^():
      store(%b, %S, %z)
      yield
    } { ^():
      yield
    }
    %v = load(%S, %z) : u32
    """)  # fmt: skip
    run(k, [], 1, 64)
    with pytest.raises(ExecutionError) as e:
        run(k, [], 2, 64)
    assert "block (1, 0, 0)" in e.value.message


def test_waves_that_finish_early_count_as_arrived():
    # Only waves below a number meet at each of the barriers; the tree sum is right whenever they wait for one another.
    k = kernel("%o: tensor<u32, (1):(1), global>", """
    %t = thread_id {"dim": 0} : u32
    %S = alloc {"name": "s"} : tensor<u32, (256):(1), shared>
    store(%t, %S, %t)
    %one = const {"value": 1} : u32
    %zero = const {"value": 0} : u32
    %half = const {"value": 128} : u32
    %w, %live = while(%half, %one) : u32, u32 { ^(%n: u32, %go: u32):
      %in = cmp(%t, %n) {"pred": "lt"} : u1
      %some = cmp(%n, %zero) {"pred": "gt"} : u1
      %both = and(%in, %some) : u1
      condition(%both, %n, %go)
    } { ^(%n1: u32, %go1: u32):
      barrier
      %i = add(%t, %n1) : u32
      %x = load(%S, %t) : u32
      %y = load(%S, %i) : u32
      %s = add(%x, %y) : u32
      store(%s, %S, %t)
      %h = shr(%n1, %one) : u32
      yield(%h, %go1)
    }
    %me = cmp(%t, %zero) {"pred": "eq"} : u1
    if(%me) { ^():
      %r = load(%S, %zero) : u32
      store(%r, %o, %zero)
      yield
    } { ^():
      yield
    }
    """, wave=32)  # fmt: skip
    for order in ("forward", "reverse", "random"):
        out = np.zeros(1, np.uint32)
        run(k, [out], 1, 256, order=order)
        assert out[0] == 255 * 128
    # Looked at closely: at last some lanes of a wave come to a barrier, and others, which have not returned, do not.
    with pytest.raises(ExecutionError) as e:
        run(k, [out], 1, 256, races=True)
    assert e.value.code == "X042" and "16 lanes (16 to 31)" in e.value.message


def test_barriers_in_both_branches_of_waves_that_differ():
    # Wave 0 waits in one branch, wave 1 in the other, as warp-specialized kernels do.
    k = kernel("%o: tensor<u32, (64):(1), global>", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 32} : u32
    %S = alloc {"name": "s"} : tensor<u32, (32):(1), shared>
    %c = cmp(%t, %k) {"pred": "lt"} : u1
    if(%c) { ^():
      store(%t, %S, %t)
      barrier
      yield
    } { ^():
      %i = sub(%t, %k) : u32
      barrier
      %v = load(%S, %i) : u32
      store(%v, %o, %t)
      yield
    }
    """, wave=32)  # fmt: skip
    out = np.zeros(64, np.uint32)
    run(k, [out], 1, 64, order="reverse", races=True)
    assert (out[32:] == np.arange(32)).all()


def test_order_of_waves():
    k = kernel("", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 31} : u32
    %l = and(%t, %k) : u32
    %z = const {"value": 0} : u32
    %c = cmp(%l, %z) {"pred": "eq"} : u1
    if(%c) { ^():
      printf(%t) {"format": "%d "}
      yield
    } { ^():
      yield
    }
    barrier
    if(%c) { ^():
      printf(%t) {"format": "%d "}
      yield
    } { ^():
      yield
    }
    """, wave=32)  # fmt: skip
    assert printed(k, [], 1, 96) == "0 32 64 0 32 64 "
    assert printed(k, [], 1, 96, order="reverse") == "64 32 0 64 32 0 "
    seen = {printed(k, [], 1, 96, order="random", seed=s) for s in range(8)}
    assert len(seen) > 2 and printed(k, [], 1, 96, order="random", seed=3) == printed(k, [], 1, 96, order="random", seed=3)


def test_arguments_that_share_memory():
    k = kernel("%a: tensor<i32, (8):(1), global>, %b: tensor<i32, (8):(1), global>", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 4} : u32
    %x = load(%a, %t) : i32
    %c = cmp(%t, %k) {"pred": "ge"} : u1
    %y = add(%x, %x) : i32
    store(%y, %b, %t)
    %z = load(%a, %t) : i32
    store(%z, %b, %t)
    """)  # fmt: skip
    whole = np.arange(12, dtype=np.int32)
    run(k, [whole[:8], whole[4:]], 1, 8)
    # b[0:4] is a[4:8]: the second load sees the doubled numbers there.
    assert whole.tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 2, 4, 6]


def test_scalar_arguments():
    types = {"i8": -3, "u16": 65535, "i64": -(2**62), "u64": 2**64 - 1, "f16": 1.5, "bf16": -2.0, "f64": 0.1, "u1": True}
    params = ", ".join(f"%s{t}: {t}, %o{t}: ptr<{t}, global>" for t in types)
    body = "%z = const {'value': 0} : i64\n" + "\n".join(f"st(%s{t}, %o{t}, %z) {{'align': 1}}" for t in types)
    from avelang.ir.dtypes import BY_NAME

    outs = {t: np.zeros(1, BY_NAME[t].np) for t in types}
    run(kernel(params, body), [x for t, v in types.items() for x in (v, outs[t])], 1, 1)
    assert {t: outs[t][0].item() for t in types} == types
    run(
        kernel("%s: bf16, %o: ptr<bf16, global>", "%z = const {'value': 0} : i64\nst(%s, %o, %z) {'align': 2}"),
        [ml_dtypes.bfloat16(3), outs["bf16"]],
        1,
        1,
    )
    assert outs["bf16"][0] == 3


def test_arrays_with_strides_and_words_of_another_type():
    k = kernel("%a: tensor<u32, (6):(1), global>", """
    %t = thread_id {"dim": 0} : u32
    store(%t, %a, %t)
    """)  # fmt: skip
    a = np.zeros((2, 3), np.int32, order="F")
    run(k, [a], 1, 6)
    assert a.T.ravel().tolist() == [0, 1, 2, 3, 4, 5]


def test_wrong_number_of_arguments():
    with pytest.raises(ExecutionError) as e:
        run(kernel("%n: u32", ""), [], 1, 1)
    assert e.value.code == "X007"


def test_a_specialized_kernel_refuses_another_block():
    k = kernel("", "")
    k.attrs["block"] = (32, 2, 1)
    run(k, [], 1, (32, 2))
    with pytest.raises(ExecutionError) as e:
        run(k, [], 1, 64)
    assert e.value.code == "X009" and "(32, 2, 1)" in e.value.message and "(64, 1, 1)" in e.value.message


def test_output_goes_to_the_process_by_default(capsys):
    run(kernel("", 'printf {"format": "hello\\n"}'), [], 2, 1)
    assert capsys.readouterr().out == "hello\nhello\n"
    out = io.StringIO()
    run(kernel("", 'printf {"format": "hello\\n"}'), [], 1, 2, out)
    assert out.getvalue() == "hello\nhello\n"


def test_no_warnings(recwarn):
    k = kernel("", """
    %z = const {"value": 0} : i32
    %m = const {"value": -2147483648} : i32
    %n = const {"value": -1} : i32
    %a = div(%m, %z) : i32
    %b = div(%m, %n) : i32
    %t = thread_id {"dim": 0} : u32
    %f = convert(%t) : f32
    %g = div(%f, %f) : f32
    %h = convert(%g) : u8
    %i = log(%f) : f32
    """)  # fmt: skip
    run(k, [], 1, 64)
    assert not recwarn.list
