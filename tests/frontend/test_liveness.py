"""What is read behind a loop whose trips are left by `break` and `continue`, and what is not."""

import avelang.language as al
from frontend.building import lanes, refused

I = al.Tensor((64,), al.i32)


def test_a_name_first_set_behind_a_way_out_of_a_trip():
    def skipped(out: I):
        for i in al.range(6):
            if i % 5 == 0:
                continue
            last = i
        out[0] = last  # <-

    def left(out: I):
        for i in al.range(6):
            if i == 3:
                break
            last = i
        out[0] = last  # <-

    for k in (skipped, left):
        refused(k, "T015", "'last'", "`continue` or `break`", marked="last")


def test_a_name_first_set_before_the_way_out_of_a_trip():
    def k(out: I):
        for i in al.range(6):
            last = i * 2
            if i == 3:
                break
        out[al.thread_id(0)] = last

    assert set(lanes(k)) == {6}


def test_what_a_branch_replaces_is_what_the_other_takes_out_of_the_loop():
    def left(out: I, n: al.i32):
        v = 7
        for i in al.range(n):
            if i > 1:
                v = i * 10
            if i == 3:
                break
            else:
                v = 99
        out[al.thread_id(0)] = v

    def skipped(out: I, n: al.i32):
        v = 7
        for i in al.range(n):
            if i > 1:
                v = i * 10
            if i % 3 == 2:
                continue
            else:
                v = 99
        out[al.thread_id(0)] = v

    assert set(lanes(left, 6)) == {30} and set(lanes(left, 3)) == {99}
    assert set(lanes(skipped, 6)) == {50} and set(lanes(skipped, 5)) == {99}


def test_registers_of_a_trip_are_not_read_where_it_is_left_before_they_are_made():
    def k(out: I):
        t, total = al.thread_id(0), al.full((1,), 0, al.i32)
        for i in al.range(20):
            if i % 5 == 0:
                continue
            if i == 13:
                break
            mine = al.make_local((1,), al.i32)
            mine[0] = i
            total = total + mine
        out[t] = total[0]

    assert set(lanes(k)) == {sum(i for i in range(13) if i % 5)}
