"""Trees of Python's text, made by several threads at once."""

import ast
import gc
import threading
import time

import pytest

from avelang.base import parsing

TEXT = "".join(f"def f{i}(a, b):\n    return [(a + {i}) * (b - [c for c in (a, (b, {{1: (2, 3)}}))])]\n" for i in range(20))


@pytest.fixture
def collecting():
    """The garbage collector runs often, and lets other threads in, as JAX's callback does."""
    was = gc.get_threshold()
    gc.callbacks.append(lambda phase, info: time.sleep(0))
    gc.set_threshold(50)
    yield
    gc.set_threshold(*was)
    gc.callbacks.pop()


def test_threads_parse_at_once(collecting):
    failed = []

    def run():
        try:
            for _ in range(20):
                assert ast.dump(parsing.parse(TEXT)) == want
                assert parsing.literal(" (1, [2, {'a': (3,)}])") == (1, [2, {"a": (3,)}])
        except BaseException as e:
            failed.append(e)

    want = ast.dump(parsing.parse(TEXT))
    threads = [threading.Thread(target=run) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def test_what_is_no_literal_is_refused():
    with pytest.raises(ValueError):
        parsing.literal("f(1)")
    with pytest.raises(SyntaxError):
        parsing.parse_expression("a b")
