"""Register tensors: SSA vectors unless they are changed in place; aliases, copies, by-reference arguments."""

import numpy as np

import avelang
import avelang.language as al
from avelang.frontend.frame import BuildFacts
from avelang.frontend.storage import changed_names
from frontend.building import both, built, jit, lanes, ops_of, refused, run, source_of, text_of

I = al.Tensor((64,), al.i32)
Q = al.Tensor((64, 4), al.i32)
FOUR = np.arange(256, dtype=np.int32).reshape(64, 4)


def test_a_vector_that_is_not_changed_stays_in_ssa():
    def k(out: I, x: Q):
        t = al.thread_id(0)
        v = x[t] * 2
        w = al.view(v, al.Tensor((2, 2), al.i32))
        out[t] = w[1][0] + v[3]

    assert "alloc" not in ops_of(built(k))
    assert lanes(k, FOUR).tolist() == (2 * FOUR[:, 2] + 2 * FOUR[:, 3]).tolist()


def test_an_accumulator_is_carried_as_a_vector():
    def k(out: I, x: Q, n: al.i32):
        acc = al.full((4,), 0, al.i32)
        for i in al.range(n):
            acc = acc + x[i]
        out[al.thread_id(0)] = acc[0] + acc[3]

    text = text_of(k)
    assert any("for(" in line and "vec<4 x i32>" in line for line in text) and "alloc" not in ops_of(built(k))
    assert set(lanes(k, FOUR, 5)) == {FOUR[:5, [0, 3]].sum()}


def test_a_read_copies_and_a_store_into_the_copy_leaves_the_source():
    def k(out: I, x: Q):
        t = al.thread_id(0)
        row = x[t]
        row[2] = 99
        out[t] = row[2] * 1000 + x[t, 2]

    x = FOUR.copy()
    assert lanes(k, x).tolist() == (99000 + FOUR[:, 2]).tolist()
    assert (x == FOUR).all()


def test_names_bound_to_one_register_tensor_share_it():
    def k(out: I):
        a = al.full((4,), 7, al.i32)
        b = a
        b[1] = 5
        v = al.view(a, al.Tensor((2, 2), al.i32))
        v[1, 1] = 3
        out[al.thread_id(0)] = a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3]

    assert set(lanes(k)) == {7573}


def test_names_assigned_together_share_it():
    def k(out: I):
        a = b = al.full((2,), 1, al.i32)
        b[1] = 5
        out[al.thread_id(0)] = a[1]

    assert set(lanes(k)) == {5}


def test_rebinding_leaves_the_other_name():
    def k(out: I):
        a = al.full((2,), 1, al.i32)
        b = a
        a = a + 1
        a[0] = 9
        out[al.thread_id(0)] = a[0] * 1000 + a[1] * 100 + b[0] * 10 + b[1]

    assert set(lanes(k)) == {9211}


def test_a_changed_register_tensor_rebound_in_a_loop():
    def k(out: I, n: al.i32):
        a = al.full((2,), 1, al.i32)
        keep = a
        for i in al.range(n):
            a = a * 2
            a[0] = a[0] + i
        out[al.thread_id(0)] = a[0] * 1000 + a[1] * 10 + keep[0]

    # a[0]: 1 -> 2+0 -> 4+1 -> 10+2
    assert set(lanes(k, 3)) == {12081}


def test_a_changed_register_tensor_rebound_under_a_condition():
    def k(out: I):
        t = al.thread_id(0)
        a = al.full((2,), 1, al.i32)
        a[1] = 2
        if t > 31:
            a = al.full((2,), 5, al.i32)
        a[0] += 1
        out[t] = a[0] * 10 + a[1]

    assert lanes(k).tolist() == [22 if t < 32 else 65 for t in range(64)]


def test_a_view_in_another_order_of_registers():
    def k(out: I, x: Q):
        t = al.thread_id(0)
        v = x[t]
        turned = al.view(v, al.Tensor((2, 2), (1, 2), al.i32))
        out[t] = turned[0, 1] * 1000 + turned[1, 0]

    assert lanes(k, FOUR).tolist() == (FOUR[:, 2] * 1000 + FOUR[:, 1]).tolist()


def test_dynamic_element_and_row_of_a_vector():
    def k(out: I, x: Q, i: al.i32):
        t = al.thread_id(0)
        v = x[t]
        m = al.view(v, al.Tensor((2, 2), al.i32))
        row = m[i]
        out[t] = v[i + 1] * 1000 + row[1]

    assert lanes(k, FOUR, 1).tolist() == (FOUR[:, 2] * 1000 + FOUR[:, 3]).tolist()


def test_halves_of_packed_words():
    def k(out: al.Tensor((64, 2), al.u16), x: al.Tensor((64,), al.u32)):
        t = al.thread_id(0)
        pair = al.view(x[t], al.Tensor((2,), al.u16))
        out[t] = pair

    x = np.random.default_rng(0).integers(0, 2**32, 64, dtype=np.uint64).astype(np.uint32)
    out = np.zeros((64, 2), np.uint16)
    run(k, out, x)
    assert (out == x.view(np.uint16).reshape(64, 2)).all()


def test_by_reference():
    @jit
    def bump(v, by):
        v[0] = v[0] + by

    @jit
    def outer(v):
        bump(v, 10)
        return v[0]

    def k(out: I):
        a = al.full((2,), 1, al.i32)
        b = al.full((2,), 1, al.i32)
        bump(a, 5)
        r = outer(a)
        out[al.thread_id(0)] = a[0] * 100 + r + b[0] * 10000

    assert set(lanes(k)) == {11616}
    assert "a" in changed_names(source_of(k), source_of(k).tree, BuildFacts())
    assert "b" not in changed_names(source_of(k), source_of(k).tree, BuildFacts())


def test_a_nested_function_changes_what_it_captures():
    def k(out: I):
        a = al.full((2,), 1, al.i32)

        def put(i, x):
            a[i] = x

        put(1, 8)
        out[al.thread_id(0)] = a[0] * 10 + a[1]

    assert set(lanes(k)) == {18}


def test_tuples_of_register_tensors():
    @jit
    def two(x):
        return x + 1, x * 2

    def k(out: I, x: Q):
        t = al.thread_id(0)
        a, b = two(x[t])
        pair = two(x[t])
        pair[1][0] = 100
        out[t] = a[0] * 1000 + b[1] + pair[1][0] * 100000

    assert lanes(k, FOUR).tolist() == ((FOUR[:, 0] + 1) * 1000 + 2 * FOUR[:, 1] + 10_000_000).tolist()


def test_a_parameter_changed_by_a_function_that_cannot_be_told():
    @jit
    def zero(v):
        v[0] = 0

    @jit
    def apply(f, v):
        f(v)

    def k(out: I):
        a = al.full((2,), 7, al.i32)
        apply(zero, a)
        out[al.thread_id(0)] = a[0] * 10 + a[1]

    assert set(lanes(k)) == {7}


def test_subviews_of_registers_alias():
    def k(out: I):
        a = al.full((4,), 1, al.i32)
        s = al.subview(a, (2,), (2,), (1,))
        s[0] = 5
        out[al.thread_id(0)] = a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3]

    assert set(lanes(k)) == {1151}


def test_augmented_assignment_of_elements():
    def k(out: I):
        a = al.make_local((3,), al.i32)
        for i in range(3):
            a[i] = i
        a[1] += 5
        a[2] *= 4
        out[al.thread_id(0)] = a[0] * 100 + a[1] * 10 + a[2]

    assert set(lanes(k)) == {68}


def test_a_value_cannot_be_stored_into():
    def k(out: I):
        x = 3
        x[0] = 1  # <-
        out[0] = x

    refused(k, "T044", "the constant 3")


def test_vectors_of_other_shapes_do_not_mix():
    def k(out: I, x: Q):
        a = x[0] + al.full((3,), 1, al.i32)  # <-
        out[0] = a[0]

    refused(k, "T027", "(4,)", "(3,)", marked="x[0] + al.full((3,), 1, al.i32)")


def test_register_views_keep_their_bits():
    def k(out: I, x: Q):
        v = x[0]
        a = al.view(v, al.Tensor((3,), al.i32))  # <-
        out[0] = a[0]

    refused(k, "T047", "12 bytes")


@avelang.struct
class Source:
    scale: al.i32

    def load_into(self, values):
        self.fill(2, values)

    def fill(self, by, values):
        for i in range(4):
            values[i] = self.scale * by + i


def test_a_method_knows_what_its_objects_methods_store_into(monkeypatch):
    """So that the build need not find out, and begin again."""
    again, restart = [], BuildFacts.restart
    monkeypatch.setattr(BuildFacts, "restart", lambda known: again.append(known) or restart(known))

    @avelang.jit
    def kernel(y: al.Pointer(al.i32), n: al.i32):
        registers = al.make_local((4,), al.i32)
        Source(n).load_into(registers)
        for i in range(4):
            y[i] = registers[i]

    y = np.zeros(4, np.int32)
    kernel[1, 1](y, 5, backend="reference")
    assert y.tolist() == [10, 11, 12, 13] and not again


@avelang.struct
class Buffers:
    now: ...
    next: ...

    def turn(self):
        self.now, self.next = self.next, self.now


def test_register_tensors_trade_places_in_loops():
    def two(out: al.Tensor((4, 4), al.i32), n: al.i32):
        a, b = al.full((4,), 1, al.i32), al.full((4,), 0, al.i32)
        for _ in al.range(n):
            for i in range(4):
                b[i] = a[i] + a[(i + 1) % 4] + i
            a, b = b, a
        out[0], out[1] = a, b
        held = Buffers(al.full((4,), 2, al.i32), al.full((4,), 5, al.i32))
        k = n
        while k > 0:
            held.next[k % 4] = held.now[0] + k
            held.turn()
            k -= 1
        out[2], out[3] = held.now, held.next

    def three(out: al.Tensor((4, 4), al.i32), n: al.i32):
        ring = tuple(al.full((4,), i, al.i32) for i in range(3))
        for i in al.range(n):
            ring[0][i % 4] += 10
            ring = (ring[1], ring[2], ring[0])
            if i % 3 == 1:
                ring = (ring[1], ring[0], ring[2])
        out[0], out[1], out[2] = ring

    def want_two(n):
        a, b = [1] * 4, [0] * 4
        for _ in range(n):
            for i in range(4):
                b[i] = a[i] + a[(i + 1) % 4] + i
            a, b = b, a
        now, after = [2] * 4, [5] * 4
        for k in range(n, 0, -1):
            after[k % 4] = now[0] + k
            now, after = after, now
        return [a, b, now, after]

    def want_three(n):
        ring = [[i] * 4 for i in range(3)]
        for i in range(n):
            ring[0][i % 4] += 10
            ring = [ring[1], ring[2], ring[0]]
            if i % 3 == 1:
                ring = [ring[1], ring[0], ring[2]]
        return [*ring, [0] * 4]

    for n in (0, 1, 2, 5):
        assert both(two, np.zeros((4, 4), np.int32), n)[0].tolist() == want_two(n)
        assert both(three, np.zeros((4, 4), np.int32), n)[0].tolist() == want_three(n)
