"""Collections of cyclic garbage are rarer during a compilation, and as before after it."""

import gc
import threading

import pytest

from avelang.base.garbage import ROOM, rarer_collections


@pytest.fixture(autouse=True)
def thresholds():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_nested_and_in_threads():
    inside = threading.Event()
    out = threading.Event()

    def other():
        with rarer_collections():
            inside.set()
            out.wait()

    thread = threading.Thread(target=other)
    with rarer_collections(), rarer_collections():
        thread.start()
        inside.wait()
        assert gc.get_threshold() == (ROOM, 10, 10)
    assert gc.get_threshold() == (ROOM, 10, 10)
    out.set()
    thread.join()
    assert gc.get_threshold() == (700, 10, 10)


def test_an_exception_restores_them():
    with pytest.raises(ZeroDivisionError), rarer_collections():
        1 / 0  # noqa: B018
    assert gc.get_threshold() == (700, 10, 10)


def test_what_the_user_says_stands():
    gc.set_threshold(0)
    with rarer_collections():
        assert gc.get_threshold()[0] == 0
    gc.set_threshold(700, 10, 10)
    with rarer_collections():
        gc.set_threshold(5, 6, 7)
    assert gc.get_threshold() == (5, 6, 7)
