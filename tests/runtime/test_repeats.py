"""Tables of calls that compiled code repeats, and dry runs."""

import threading

import pytest

import avelang
import avelang.language as al
from avelang.bridge.relaunched import CALLS, relaunched
from avelang.runtime import repeats
from avelang.runtime.native import native
from avelang.runtime.repeats import Unready, dry, in_dry_run

torch = pytest.importorskip("torch")


@avelang.jit
def fill(y: al.Pointer(al.f32), n: al.i32, value: al.f32):
    i = al.thread_id(0)
    if i < n:
        al.make_tensor(y, al.f32, al.make_layout((n,)))[i] = value


def function():
    """A new function, whose calls nobody has made."""

    def filled(x, value):
        out = torch.empty_like(x)
        fill[1, 64](out, x.shape[0], value)
        return out

    return relaunched(filled)


def settle(short, lengths):
    for n in lengths:
        for _ in range(CALLS + 2):
            short(torch.ones(64)[:n], float(n))


def test_many_kinds_are_known_at_once():
    short, lengths = function(), range(1, 61)
    x = torch.ones(64)
    for n in lengths:
        for _ in range(CALLS + 2):
            short(x[:n], float(n))
    before = short.relaunched.served
    for n in lengths:
        assert torch.equal(short(x[:n], float(n)), torch.full((n,), float(n)))
    assert short.relaunched.served >= before + 50  # new memory of the CPU has one of two places


def test_no_more_are_known_than_fit(monkeypatch):
    monkeypatch.setattr(repeats, "MOST", 8)
    short = function()
    settle(short, range(1, 30))
    table = short.relaunched.table
    assert 0 < table._count <= 8
    table.forget()
    before = short.relaunched.served
    assert torch.equal(short(torch.ones(3), 2.0), torch.full((3,), 2.0)) and short.relaunched.served == before


def test_a_dry_run_tells_of_launches_of_its_thread():
    y, other = torch.zeros(4), torch.zeros(4)
    fill[1, 64](y, 4, 1.0)
    with dry() as found:
        assert in_dry_run()
        fill[1, 64](y, 4, 2.0)
        thread = threading.Thread(target=lambda: fill[1, 64](other, 4, 3.0))
        thread.start()
        thread.join()
    assert not in_dry_run()
    assert torch.equal(y, torch.ones(4)) and torch.equal(other, torch.full((4,), 3.0))
    (launched,) = found
    ((i, x, written),) = repeats.arrays_of(launched)
    assert (i, written) == (0, True) and x is y and launched.blocks == (1, 1, 1) and launched.slots[0] == y.data_ptr()


def test_a_dry_run_refuses_what_the_host_code_does_not_know():
    y = torch.zeros(4)
    with pytest.raises(Unready), dry():
        fill[1, 32](y, 4, 1.0)
    fill[1, 32](y, 4, 1.0)
    with dry(), pytest.raises(RuntimeError, match="dry run"):
        native().run(0, None, None)
    fill[1, 32](y, 4, 5.0)
    assert torch.equal(y, torch.full((4,), 5.0))
