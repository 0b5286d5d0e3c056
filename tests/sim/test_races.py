"""The race detector: what two waves may and may not do to shared memory between barriers."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.base.errors import ExecutionError
from avelang.sim.reference import run
from sim.kernels import kernel


def exchange(barriers: tuple[bool, bool], index: str):
    """Thread t writes element t, reads element `index` (an expression of t), and writes element t again."""
    first, second = ("barrier" if b else "" for b in barriers)
    return kernel("%o: tensor<u32, (64):(1), global>", f"""
    %t = thread_id {{"dim": 0}} : u32
    %k = const {{"value": 32}} : u32
    %z = const {{"value": 0}} : u32
    %S = alloc {{"name": "s"}} : tensor<u32, (64):(1), shared>
    store(%t, %S, %t) @11:0:11:1
    {first}
    %i = {index}(%t, %k) : u32
    %v = load(%S, %i) : u32 @12:0:12:1
    store(%v, %o, %t)
    {second}
    store(%v, %S, %t) @13:0:13:1
    """, wave=32)  # fmt: skip


def test_barriers_order_accesses():
    out = np.zeros(64, np.uint32)
    run(exchange((True, True), "xor"), [out], 1, 64, races=True)
    assert (out == np.arange(64) ^ 32).all()


def test_a_wave_may_touch_its_own_memory():
    run(exchange((False, False), "rem"), [np.zeros(64, np.uint32)], 1, 32, races=True)


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_write_after_a_read_by_another_wave(order):
    k = exchange((True, False), "xor")
    with pytest.raises(ExecutionError) as e:
        run(k, [np.zeros(64, np.uint32)], 1, 64, races=True, order=order)
    assert e.value.code == "X006"
    for part in ("`s`", "line 12", "line 13", "wave"):
        assert part in e.value.message
    run(k, [np.zeros(64, np.uint32)], 1, 64)  # not looked for unless asked


def test_read_after_a_write_by_another_wave():
    with pytest.raises(ExecutionError) as e:
        run(exchange((False, True), "rem"), [np.zeros(64, np.uint32)], 1, 64, races=True)
    assert e.value.code == "X006" and "line 12" in e.value.message and "line 11" in e.value.message and "index (" in e.value.message


def test_many_readers_are_no_race():
    k = kernel("", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 31} : u32
    %S = alloc {"name": "s"} : tensor<u32, (64):(1), shared>
    store(%t, %S, %t)
    barrier
    %i = and(%t, %k) : u32
    %v = load(%S, %i) : u32
    barrier
    store(%v, %S, %t)
    """, wave=32)  # fmt: skip
    run(k, [], 1, 64, races=True)


def test_write_by_the_last_of_several_readers():
    k = kernel("", """
    %t = thread_id {"dim": 0} : u32
    %k = const {"value": 32} : u32
    %S = alloc {"name": "s"} : tensor<u32, (64):(1), shared>
    store(%t, %S, %t)
    barrier
    %i = rem(%t, %k) : u32
    %v = load(%S, %i) : u32
    %c = cmp(%t, %k) {"pred": "ge"} : u1
    if(%c) { ^():
      store(%v, %S, %i)
      yield
    } { ^():
      yield
    }
    """, wave=32)  # fmt: skip
    with pytest.raises(ExecutionError) as e:
        run(k, [], 1, 64, races=True)
    assert e.value.code == "X006"
