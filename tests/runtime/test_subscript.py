"""`kernel[provider]` in host code: what it gives, what it keeps alive, and that it is the same launch."""

import gc
import sys
import weakref

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.jit import JitFunction
from avelang.runtime import stub, subscript


def count(x: al.Pointer(al.i32), n: al.i32, B: al.constexpr = 1):
    X = al.make_tensor(x, al.i32, al.make_layout((n,), (1,)))
    t = al.thread_id(0)
    if t < n:
        X[t] = X[t] + B


AT = ((1,), (64,))


@pytest.fixture
def kernel():
    found = avelang.jit(count)
    found[AT](np.zeros(64, np.int32), 64)
    return found


def test_the_class_stays_what_it_was(kernel):
    other = avelang.jit(count)
    assert type(kernel) is not type(other) and isinstance(kernel, JitFunction) and type(kernel).__name__ == "JitFunction"
    assert repr(kernel) == repr(other) and kernel.source.fn is count and kernel.__wrapped__ is count
    with pytest.raises(TypeError):
        iter(kernel)
    with pytest.raises(AveError, match="L001|launch"):
        kernel(1)
    # The second kernel takes the class of the first.
    other[AT](np.zeros(64, np.int32), 64)
    assert type(other) is type(kernel)


def test_calls_of_every_form(kernel):
    x = np.zeros(64, np.int32)
    kernel[AT](x, 64)
    kernel[lambda: AT](x, n=64)
    kernel[AT](n=64, x=x)
    kernel[AT](x, 64, B=7)
    bound = kernel[lambda: AT]
    bound(x, 64), bound(x, n=64), bound(*(x, 64))
    assert (x == 13).all()
    with pytest.raises(AveError) as e:
        bound(x)
    assert e.value.code == "L006"
    with pytest.raises(ZeroDivisionError):
        kernel[lambda: 1 // 0](x, 64)
    with pytest.raises(AveError) as e:
        kernel[3](x, 64)
    assert e.value.code == "L002"


def test_what_it_gives(kernel):
    provider = lambda: AT
    bound = kernel[provider]
    assert bound.provider is provider and bound.func is kernel._launcher.call and callable(bound)
    with pytest.raises((AttributeError, TypeError)):
        bound.provider = None
    assert not isinstance(bound, type) and type(bound).__name__ == "Bound"
    with pytest.raises(TypeError):
        type(bound)()
    del kernel._native
    with pytest.raises(TypeError):
        kernel[provider]


def test_references_are_balanced(kernel):
    provider, x = lambda: AT, np.zeros(64, np.int32)
    for _ in range(3):
        kernel[provider](x, 64)

    def counts():
        gc.collect()
        return [sys.getrefcount(o) for o in (provider, kernel._native, type(kernel[provider]), kernel)]

    before = counts()
    kept = [kernel[provider] for _ in range(50)]
    assert counts()[:3] == [n + 50 for n in before[:3]]
    del kept
    for _ in range(500):
        kernel[provider]
        kernel[provider](x, 64)
    assert counts() == before


def test_a_cycle_is_collected(kernel):
    class Provider:
        def __call__(self):
            return AT

    provider = Provider()
    provider.bound = kernel[provider]
    provider.bound(np.zeros(64, np.int32), 64)
    gone = weakref.ref(provider)
    del provider
    gc.collect()
    assert gone() is None


def test_a_kernel_that_is_gone():
    kernel = avelang.jit(count)
    x = np.zeros(64, np.int32)
    kernel[AT](x, 64)
    bound = kernel[AT]
    del kernel
    gc.collect()
    bound(x, 64)
    assert (x == 2).all()


def test_a_provider_that_launches(kernel):
    x = np.zeros(64, np.int32)

    def provider():
        kernel[AT](x, 64)
        return AT

    for _ in range(3):
        kernel[provider](x, 64)
    assert (x == 6).all()


def test_a_subclass_has_a_class_of_its_own():
    class Mine(JitFunction):
        pass

    mine = Mine(count)
    x = np.zeros(64, np.int32)
    for _ in range(2):
        mine[AT](x, 64)
    assert isinstance(mine, Mine) and (x == 2).all() and type(mine).__name__ == "Mine"


def test_what_is_no_builtin_is_left_alone(monkeypatch):
    kernel = avelang.jit(count)
    monkeypatch.setattr(stub, "_shared", lambda: None)
    x = np.zeros(64, np.int32)
    for _ in range(2):
        kernel[AT](x, 64)
    assert type(kernel) is JitFunction and (x == 2).all()
    monkeypatch.undo()
    monkeypatch.setattr(stub, "methods", set)
    other = avelang.jit(count)
    other[AT](x, 64)
    assert type(other) is JitFunction
    assert subscript.adopt(other, count) is None
