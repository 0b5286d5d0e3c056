"""Calls like one before that go to their launches in compiled code: what they make is what Python makes of the same
arrays, and what Python must see it sees. Each case has a control: the plain call before it is repeated."""

import gc
import threading
import weakref

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import ops, tuning
from avelang.base.errors import ArgumentError, AveError
from avelang.bridge import Array, op
from avelang.bridge.relaunched import CALLS, Relaunched, relaunched

torch = pytest.importorskip("torch")
SHIFT = 3.0
LAST = 63  # the last bits of addresses at which torch's memory on the CPU differs


@avelang.jit
def scale(x: al.Pointer(al.f32), w: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32, factor: al.f32):
    i, T = al.thread_id(0), al.Tensor((n,), al.f32)
    if i < n:
        out = al.make_tensor(y, T)
        out[i] = al.make_tensor(x, T)[i] * factor + al.make_tensor(w, T)[i] + SHIFT


def shapes(x, w):
    if x.shape != w.shape:
        raise avelang.argument_error(f"w is {w.shape}: it must be {x.shape}")
    return Array(x.shape, x.dtype)


def build(**options):
    """A new operation, whose calls nobody has made."""

    @op(shapes, namespace="tests_relaunched", launches_only=True, **options)
    def scaled(x, w, out, *, factor: float = 1.0, invariant: bool | None = None):
        scale[1, 64](x, w, out, x.shape[0], factor)

    @scaled.backward
    def _(grads, inputs, outputs, *, factor):
        return grads[0] * factor, grads[0]

    return scaled


def at(place, n=48, **more):
    """A tensor whose address has these last bits."""
    raw = torch.empty(n + 64, **more)
    skip = (place - raw.data_ptr() % 128) % 128 // raw.element_size()
    return raw[skip : skip + n].normal_()


def plain(place=64, n=48):
    return at(place, n), at(place, n)


def want(x, w, factor=1.0):
    return x * factor + w + SHIFT


@pytest.fixture
def scaled():
    """An operation whose plain call is repeated."""
    made = build()
    x, w = plain()
    for _ in range(CALLS + 2):
        made(x, w)
    assert repeats(made, x, w)
    return made


class Other(torch.Tensor):
    """A class of a user's."""


def served(operation):
    return operation._short.served


def repeats(operation, *args, **named):
    """Whether a call is repeated by compiled code; its result is checked."""
    before = served(operation)
    got = operation(*args, **named)
    assert torch.allclose(got, want(*args, factor=named.get("factor", 1.0)))
    return served(operation) > before


def settle(operation, *args, **named):
    for _ in range(CALLS + 2):
        operation(*args, **named)


def test_a_call_of_its_kind_is_repeated_with_other_memory(scaled):
    for _ in range(5):
        assert repeats(scaled, *plain())


def test_arguments_may_be_one_tensor_or_parts_of_one():
    scaled, x = build(), at(0)
    settle(scaled, x, x)
    assert repeats(scaled, x, x) and repeats(scaled, *plain(0))
    whole = at(0, 256)
    one, two = whole[64:112], whole[128:176]
    assert repeats(scaled, one, two) and repeats(scaled, two, one)


@pytest.mark.parametrize(
    "other",
    [
        lambda: plain(n=47), lambda: plain(place=68), lambda: tuple(x.double().float()[::2] for x in plain(n=96)),
        lambda: (torch.nn.Parameter(plain()[0], requires_grad=False), plain()[1]),
        lambda: tuple(x.as_subclass(Other) for x in plain()),
    ],
    ids=["length", "alignment", "strides", "parameter", "subclass"],
)  # fmt: skip
def test_other_tensors_are_another_kind(scaled, other):
    args = other()
    if args[0].stride() != (1,):
        with pytest.raises(AveError):
            scaled(*args)
        return
    assert not repeats(scaled, *args)
    assert repeats(scaled, *plain())  # the control


@pytest.mark.parametrize("value", [2.0, 1.5, -0.0])
def test_options_are_part_of_the_kind(scaled, value):
    x, w = plain()
    assert not repeats(scaled, x, w, factor=value)
    for _ in range(CALLS + 2):
        scaled(x, w, factor=value)
    assert repeats(scaled, x, w, factor=value) and repeats(scaled, x, w)


def test_numbers_that_are_equal_are_not_alike():
    seen = []

    def host(x, flag):
        seen.append(flag)
        return ops.softmax(x)

    short, x = Relaunched(host), at(0).view(6, 8)
    for flag in (1, True, 1.0, (1, True), (True, 1)):
        keys = [short.ask(x, flag), short.ask(x, flag)]
        assert keys[0] is None or isinstance(keys[1], bytes)
    keys = {short.ask(x, flag) for flag in (1, True, 1.0, 0.0, -0.0, "a", None, (1,), (True,), ((1,),), torch.float32)}
    assert len(keys) == 11 and all(isinstance(k, bytes) for k in keys)
    for flag in ([1], {}, np.zeros(3), object(), 1 << 80, (x,), ((((1,),),),)):
        assert short.ask(x, flag) is None


def test_a_gradient_that_is_wanted_is_made(scaled):
    x, w = plain()
    y = x.clone().as_strided((48,), (1,)).requires_grad_() if x.data_ptr() % 128 == 64 else x
    x.requires_grad_()
    made = scaled(x, w, factor=1.0)
    made.sum().backward()
    assert torch.equal(x.grad, torch.ones(48)) and y is not None
    before = served(scaled)
    scaled(x, w)
    assert served(scaled) == before
    with torch.no_grad():
        assert not scaled(x, w).requires_grad
        assert served(scaled) == before + 1  # as soon as none is recorded


def test_inference_mode_makes_tensors_of_its_own(scaled):
    x, w = plain()
    with torch.inference_mode():
        made = scaled(x, w)
    assert made.is_inference() and not scaled(x, w).is_inference()


def test_modes_see_the_call(scaled):
    from torch._subclasses import FakeTensorMode
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    names = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    class Counting(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    x, w = plain()
    with Watching():
        assert not repeats(scaled, x, w)
    assert any("tests_relaunched" in name for name in names)
    with Counting():
        before = served(scaled)
        scaled(x, w)
        assert served(scaled) == before
    with FakeTensorMode() as fake:
        made = scaled(fake.from_tensor(x), fake.from_tensor(w))
    assert type(made).__name__ == "FakeTensor" and repeats(scaled, x, w)


def test_transformations_see_the_call(scaled):
    x, w = plain()
    rows = torch.stack([x, x + 1])
    before = served(scaled)
    assert torch.allclose(torch.func.vmap(lambda r: scaled(r, w))(rows), torch.stack([want(r, w) for r in rows]))
    inner = []
    torch.func.vmap(lambda r: (inner.append(scaled(x, w)), r)[1])(rows)  # of tensors that are not mapped
    assert torch.allclose(torch.func.grad(lambda a: scaled(a, w).sum())(x), torch.ones(48))
    assert served(scaled) == before
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones(48))
        with pytest.raises(AveError, match="L069"):
            scaled(dual, w)
        scaled(x, w)
    assert served(scaled) == before and repeats(scaled, x, w)


def test_autocast_is_seen():
    scaled, (x, w) = build(autocast="float32"), plain()
    settle(scaled, x, w)
    assert repeats(scaled, x, w)
    before = served(scaled)
    with torch.autocast("cpu", torch.bfloat16):
        assert scaled(x.bfloat16(), w).dtype == torch.float32
        scaled(x, w)
    assert served(scaled) == before and repeats(scaled, x, w)


def test_invariance_and_tuned_choices_are_part_of_the_kind(scaled):
    x, w = plain()
    with ops.invariant():
        assert not repeats(scaled, x, w)
        with ops.invariant(False):
            assert repeats(scaled, x, w)
        settle(scaled, x, w)
        assert repeats(scaled, x, w)
    assert repeats(scaled, x, w)
    tuning.forget()
    assert not repeats(scaled, x, w)


def test_a_graph_has_the_operator(scaled):
    x, w = plain()
    before = served(scaled)
    for fn in (lambda x, w: scaled(x, w) * 2, lambda x, w: ops.rms_norm(scaled(x, w), w)):
        made = torch.compile(fn, fullgraph=True, backend="aot_eager")(x, w)
        count = served(scaled)
        assert torch.allclose(made, fn(x, w)) and count == before
        before = served(scaled)
    assert before  # the plain calls were repeated


def test_out_is_written_by_python(scaled):
    x, w = plain()
    out, before = torch.empty(48), served(scaled)
    for _ in range(CALLS + 3):
        assert scaled(x, w, out=out) is out
    assert torch.allclose(out, want(x, w)) and served(scaled) == before


def test_a_storage_that_was_made_smaller_is_refused(scaled):
    raw = at(0, 96)
    x, w = raw[16:64], plain()[1]
    assert x.data_ptr() % 128 == 64
    assert repeats(scaled, x, w)
    raw.untyped_storage().resize_(0)
    before = served(scaled)
    with pytest.raises(AveError):
        scaled(x, w)
    assert served(scaled) == before


def test_a_global_that_is_bound_anew_is_seen(scaled, monkeypatch):
    x, w = plain()
    monkeypatch.setitem(globals(), "SHIFT", 5.0)
    assert not repeats(scaled, x, w)
    settle(scaled, x, w)
    assert repeats(scaled, x, w)


def test_the_environment_is_seen(scaled, monkeypatch):
    x, w = plain()
    monkeypatch.setenv("AVE_BACKEND", "reference")
    assert not repeats(scaled, x, w)
    monkeypatch.delenv("AVE_BACKEND")
    settle(scaled, x, w)
    assert repeats(scaled, x, w)


def test_errors_are_those_of_python(scaled):
    with pytest.raises(ArgumentError, match="`scaled`: w is"):
        scaled(plain()[0], torch.zeros(3))
    with pytest.raises(ArgumentError, match="`scaled`: w is missing"):
        scaled(plain()[0])


# -- functions that do something else ---


def keeps_its_python(fn, *args):
    """Calls a function several times; how often its Python ran."""
    calls = []

    def counting(*given):
        calls.append(len(given))
        return fn(*given)

    short = relaunched(counting)
    made = [short(*args) for _ in range(CALLS + 4)]
    assert short.relaunched.served == 0
    return made, len(calls)


def launched(x):
    out = torch.empty_like(x)
    scale[1, 64](x, x, out, x.shape[0], 1.0)
    return out


def test_a_function_of_launches_alone_needs_no_python():
    calls, x = [], at(0)

    def fn(x):
        calls.append(1)
        return launched(x)

    short = relaunched(fn)
    for _ in range(CALLS + 8):
        assert torch.allclose(short(x), want(x, x))
    assert len(calls) < CALLS + 8 and short.relaunched.served


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: launched(x.clone()), lambda x: launched(x) + 0, lambda x: (launched(x), x)[1],
        lambda x: launched(x)[1:], lambda x: launched(x)[::47], lambda x: (lambda y: (y, y))(launched(x)), lambda x: (launched(x), None),
        lambda x: launched(x * (1 + float(x[0]) * 0)), lambda x: launched(x.cos_()), lambda x: torch.empty_like(x),
        lambda x: launched(torch.from_numpy(x.numpy())),
    ],
    ids=["copy", "sum", "argument", "part", "ends", "twice", "none", "item", "in place", "no launch", "numpy"],
)  # fmt: skip
def test_what_else_a_function_does_it_goes_on_doing(fn):
    made, calls = keeps_its_python(fn, at(0))
    assert calls >= len(made)


def test_a_dry_run_launches_nothing():
    counter = at(0).zero_()

    def bump(x):
        scale[1, 64](x, torch.zeros(48), x, 48, 1.0)
        return launched(x)

    made, calls = keeps_its_python(bump, counter)
    assert torch.equal(counter, torch.full((48,), SHIFT * len(made))) and calls >= len(made)


def test_two_launches_and_memory_between_them():
    def fn(x, w):
        between, out = torch.empty(48), torch.empty(48)
        scale[1, 64](x, w, between, 48, 1.0)
        scale[1, 64](between, w, out, 48, 2.0)
        return out, between

    short = relaunched(fn)
    for _ in range(CALLS + 6):
        x, w = plain(0)
        out, between = short(x, w)
        assert torch.allclose(between, want(x, w)) and torch.allclose(out, want(between, w, 2.0))
    assert short.relaunched.served

    short = relaunched(lambda x, w: fn(x, w)[0])
    for _ in range(CALLS + 6):
        x, w = plain(0)
        assert torch.allclose(short(x, w), want(want(x, w), w, 2.0))
    assert short.relaunched.served


def test_a_result_by_columns_lies_as_it_did():
    def fn(x):
        return launched(x).view(6, 8).T

    short, x = relaunched(fn), at(0)
    for _ in range(CALLS + 6):
        made = short(x)
        assert made.shape == (8, 6) and made.stride() == (1, 8) and torch.allclose(made, want(x, x).view(6, 8).T)
    assert short.relaunched.served


def test_memory_that_is_kept_binds_a_call_to_its_thread():
    room = torch.zeros(48)

    def fn(x):
        out = torch.empty(48)
        scale[1, 64](x, room, out, 48, 1.0)
        return out

    short, x = relaunched(fn), at(0)
    for _ in range(CALLS + 6):
        short(x)
    before, found = short.relaunched.served, []
    assert before
    thread = threading.Thread(target=lambda: found.append((short(x), short.relaunched.served)))
    thread.start()
    thread.join()
    assert found[0][1] == before and torch.allclose(found[0][0], x + SHIFT)
    for _ in range(4):
        short(x)
    assert short.relaunched.served > before


def test_calls_of_another_thread_are_kept_beside():
    """Memory between launches is kept for a thread: each has its own, and neither makes the other forget."""

    def fn(x):
        between, out = torch.empty(48), torch.empty(48)
        scale[1, 64](x, x, between, 48, 1.0)
        scale[1, 64](between, x, out, 48, 2.0)
        return out

    short, counts = relaunched(fn), []

    def work():
        x = at(0)
        for _ in range(CALLS + 6):
            assert torch.allclose(short(x), want(want(x, x), x, 2.0))
        counts.append(short.relaunched.served)

    work()
    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    work()
    assert len(counts) == 4 and counts[0] > 0
    assert counts[3] - counts[2] >= CALLS + 3  # nothing was forgotten


MAP = al.TensorMap(al.f32, 2, (8, 32))


@avelang.jit
def added(A: MAP, B: MAP, C: MAP):
    """The sum of two boxes."""
    t = al.thread_id(0)
    a, b = al.make_shared((8, 32), al.f32, 128), al.make_shared((8, 32), al.f32, 128)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
        al.nvvm.mbarrier_arrive_expect_tx(bar, 2048)
        al.nvvm.tma_load_2d(a, A, 0, 0, bar)
        al.nvvm.tma_load_2d(b, B, 0, 0, bar)
    al.syncthreads()
    al.nvvm.mbarrier_wait(bar, 0)
    for i in range(4):
        a[2 * i + t // 32, t % 32] = a[2 * i + t // 32, t % 32] + b[2 * i + t // 32, t % 32]
    al.nvvm.fence_proxy_async_shared()
    al.syncthreads()
    if t == 0:
        al.nvvm.tma_store_2d(C, 0, 0, a)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


def test_tensor_maps_of_arguments_of_new_memory_and_of_kept():
    """A map is known by its address, which the allocator of the CPU may give to calls by Python alone: one round in
    thirty is without a repeated call, and ten in a row are not."""
    assert any(served_with_tensor_maps() for _ in range(10))


def served_with_tensor_maps() -> int:
    """How many of 60 calls were repeated; all are right."""
    room = torch.randn(8, 32)

    def fn(x):
        out = torch.empty(8, 32)
        added[1, 64](x, room, out)
        return out

    short, several = relaunched(fn), [at(0, 256).view(8, 32) for _ in range(3)]
    for i in range(60):
        x = several[i % 3]
        assert torch.equal(short(x), x + room)
    return short.relaunched.served


def test_nothing_is_held_that_a_call_made(scaled):
    x, w = plain()
    made = [weakref.ref(scaled(x, w)) for _ in range(4)]
    of_x = weakref.ref(x)
    del x, w
    gc.collect()
    assert all(ref() is None for ref in made) and of_x() is None


def test_threads_may_call_while_calls_are_forgotten(scaled):
    x, w = plain()
    wrong = []

    def work():
        for _ in range(300):
            if not torch.allclose(scaled(x, w), want(x, w)):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for _ in range(50):
        scaled._short.forget()
    for t in threads:
        t.join()
    assert not wrong
