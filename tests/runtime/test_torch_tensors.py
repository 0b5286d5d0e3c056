"""torch's tensors read in memory: what is read is held against what torch says of each, and the host code against the slow path for tensors of every
kind, with and without it."""

import random

import numpy as np
import pytest
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime import torch_tensors

torch = pytest.importorskip("torch")
AT = ((1,), (64,))
EXCHANGE = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool]


@pytest.fixture
def machine(monkeypatch):
    return cuda.Machine(monkeypatch)


@pytest.fixture
def gpus(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


@pytest.fixture(params=["read", "asked"])
def how(request, monkeypatch):
    """Tensors are read in memory, or torch's own function is asked."""
    if request.param == "asked":
        monkeypatch.setattr(torch_tensors, "layout", lambda: None)
    return request.param


@avelang.jit
def plain(x: al.Pointer(al.f32), t: al.Tensor((4, 6), al.f32), n: al.u32):
    pass


@avelang.jit
def padded(t: al.Tensor((4, 6), (8, 1), al.f32), n: al.u32):
    pass


def fresh(kernel):
    return avelang.jit(kernel.source.fn)


def hot(kernel):
    return kernel._launcher._stub.latest() is not None


def random_tensor(rng):
    rank, dtype = rng.randrange(6), rng.choice(DTYPES)
    x = torch.zeros([rng.randrange(1, 9) for _ in range(rank)], dtype=dtype)
    for _ in range(rng.randrange(4)):
        if x.dim() and rng.random() < 0.5:
            d = rng.randrange(x.dim())
            x = x.narrow(d, rng.randrange(x.shape[d]), 1) if rng.random() < 0.3 else x.transpose(d, 0)
        elif x.dim():
            d = rng.randrange(x.dim())
            x = x[(slice(None),) * d + (slice(rng.randrange(x.shape[d]), None, rng.randrange(1, 3)),)]
        elif x.dim() < 5:
            x = x.unsqueeze(0).expand(3, *x.shape)
    return x


def test_what_is_read_is_what_torch_says():
    at, rng, likenesses = torch_tensors.layout(), random.Random(1), {}
    assert at is not None, "the tensors of this torch have other fields: the host code asks torch's own function, which is slower"
    for _ in range(500):
        x = random_tensor(rng)
        found = torch_tensors.read(at, x, x.element_size())
        assert (found.address, found.shape, found.strides) == (x.data_ptr(), tuple(x.shape), x.stride())
        likenesses.setdefault(x.dtype, set()).add(bytes(found.likeness))
    # One for each dtype, and no two the same.
    assert len(likenesses) == len(DTYPES) and all(len(kinds) == 1 for kinds in likenesses.values())
    assert len(set.union(*likenesses.values())) == len(DTYPES)
    assert torch_tensors.read(at, torch.zeros(1, 1, 1, 1, 1, 1), 4) is None and torch_tensors.read(at, torch.zeros(3, 0), 4) is None


def test_defaults_of_torch_do_not_matter():
    torch.set_default_device("meta")
    torch.set_default_dtype(torch.float64)
    try:
        with torch.inference_mode():
            assert torch_tensors.layout.__wrapped__() == torch_tensors.layout()
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)


def test_a_checkpoint_does_not_count_what_is_asked_of_torch():
    """The first call of a process may be under hooks of saved tensors, or where there must be none."""
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        (torch.ones(2, requires_grad=True) * torch.ones(2)).sum()
        count = len(kept)
        assert count and torch_tensors.layout.__wrapped__() == torch_tensors.layout() is not None
    with torch.autograd.graph.disable_saved_tensors_hooks("none here"):
        assert torch_tensors.layout.__wrapped__() == torch_tensors.layout()
    assert len(kept) == count


def unlike():
    x = torch.zeros(64)
    with torch.inference_mode():
        inferred = torch.zeros(64)
    return {
        "another dtype": x.view(torch.int32), "another device": x.to("meta"), "negated": torch._neg_view(x), "copied when written": torch._lazy_clone(x),
        "without autograd": inferred, "sparse": x.to_sparse(), "a parameter": torch.nn.Parameter(x), "memory of NumPy's": torch.from_numpy(np.zeros(64, np.float32)),
    }  # fmt: skip


@pytest.mark.parametrize("name", unlike())
def test_tensors_that_are_not_alike(name):
    at = torch_tensors.layout()
    known = bytes(torch_tensors.read(at, torch.zeros(8), 4).likeness)
    assert torch_tensors.read(at, torch.ones(9), 4).likeness.keys
    found = torch_tensors.read(at, unlike()[name], 4) if name != "sparse" else None
    assert found is None or bytes(found.likeness) != known


def test_a_torch_that_is_otherwise(monkeypatch):
    """Where anything is not as it was found, there is no layout."""
    at = torch_tensors.layout()
    right = torch_tensors._found(torch)
    assert right == at and torch_tensors._holds(torch, right)
    assert all(place % 8 == 0 and 0 < place < 256 for place in (*right[:10], right.bytes)) and len(set(right[1:8])) == 7
    for field in ("offset", "sizes", "data", "meta", "keys"):
        wrong = right._replace(**{field: getattr(right, "numel" if field != "data" else "deleter")})
        assert not torch_tensors._holds(torch, wrong), field
    assert torch_tensors._gradients_hold(torch, right)
    assert not torch_tensors._gradients_hold(torch, right._replace(counter=right.storage))
    assert not torch_tensors._gradients_hold(torch, right._replace(requires=0))
    monkeypatch.setattr(torch_tensors, "_found", lambda torch: right._replace(offset=right.numel))
    assert torch_tensors.layout.__wrapped__() is None
    monkeypatch.setattr(torch_tensors, "_found", lambda torch: torch.no_such_thing)
    assert torch_tensors.layout.__wrapped__() is None


def test_torchs_function_is_not_called(machine, gpus, how):
    kernel = fresh(plain)
    x, t = gpus.make(np.zeros(7, np.float32)), gpus.make(np.zeros((4, 6), np.float32))
    for n in range(2):
        kernel[AT](x, t, n)
    before = gpus.lib.rocm_reads()
    for n in range(5):
        kernel[AT](x, t, n)
        assert hot(kernel) and machine.values() == [x.data_ptr(), t.data_ptr(), n]
    assert gpus.lib.rocm_reads() - before == (0 if how == "read" else 10)


def kinds(gpus):
    """Tensors for a Pointer(f32); some fit."""
    make, x = gpus.make, torch.zeros(4096)
    z = torch.zeros((8, 8), dtype=torch.complex64)
    with torch.inference_mode():
        inferred = torch.zeros(64)
    out = [
        x, x[4:], x[8:9], x[1:], x.view(2, 4, 8, 8, 8), x.view(2, 4, 8, 8, 2, 4), x[0], x[4], x[:0], x[12:12], x[::2], x.view(64, 64).T, x.view(1, 4096)[:, ::2],
        x.as_strided((1, 5), (3, 1)), x.as_strided((5, 1), (1, 9)), x.as_strided((2, 2), (0, 1)), x.double(), x.int(), x.half(), inferred,
        torch._neg_view(x), z.conj().imag, z[:1, :1].conj().imag, z.imag, torch._lazy_clone(x), x.clone().requires_grad_(), x.clone().requires_grad_() * 2,
        x.expand(1, 4096), torch.zeros(3).set_(x.untyped_storage(), 8, (16,)),
    ]  # fmt: skip
    return [make(k) for k in out]


def test_every_kind_of_tensor_gives_the_same_as_the_slow_path(machine, gpus, how):
    kernel, slow, padding, slower = fresh(plain), fresh(plain), fresh(padded), fresh(padded)
    x, t = gpus.make(np.zeros(7, np.float32)), gpus.make(np.zeros((4, 6), np.float32))
    wide = gpus.make(torch.zeros(4, 8)[:, :6])
    for n in range(2):
        kernel[AT](x, t, n)
        padding[AT](wide, n)
    assert hot(kernel) and (hot(padding) or how == "asked")
    served = 0
    for k in kinds(gpus):
        if k._is_view() and torch_tensors._keys(torch, k) & (torch_tensors._lazy(torch)) and how == "asked":
            continue  # torch's function says nothing of them: see below
        for call, other, args in ((kernel, slow, (k, t, 5)), (padding, slower, (k, 5))):
            found = []
            for run in (call[AT], call[AT], lambda *args, other=other: other._launcher._slow(AT, *args)):
                try:
                    run(*args)
                    found.append(machine.values())
                    served += hot(call)
                except AveError as e:
                    found.append(str(e).split("\n  called from")[0])  # the launch's place
            assert found[0] == found[1] == found[2], (k.shape, k.stride(), found)
    assert served >= 16
    kernel[AT](x, t, 1)
    assert hot(kernel)


def test_changes_to_a_tensor_are_seen(machine, gpus, how):
    kernel, x, t = fresh(plain), gpus.make(torch.zeros(64)), gpus.make(np.zeros((4, 6), np.float32))
    other = gpus.make(torch.ones(128))
    for n in range(2):
        kernel[AT](x, t, n)
    base = torch.Tensor.data_ptr(x)
    x.resize_(32)
    kernel[AT](x, t, 1)
    assert hot(kernel) and machine.values()[0] == base
    x.set_(other.untyped_storage(), 16, (8,))
    kernel[AT](x, t, 2)
    assert hot(kernel) and machine.values()[0] == other.data_ptr() + 64
    x.set_(other.untyped_storage(), 16, (8,), (2,))
    with pytest.raises(AveError) as e:
        kernel[AT](x, t, 3)
    assert e.value.code == "L014"
    t.t_()
    x.set_(other.untyped_storage(), 16, (8,), (1,))
    with pytest.raises(AveError) as e:
        kernel[AT](x, t, 3)
    assert e.value.code == "L013"


@pytest.mark.skipif(not EXCHANGE, reason="this torch has no exchange API")
def test_tensors_on_the_cpu(how):
    @avelang.jit
    def add(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
        i = al.thread_id(0)
        a = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
        b = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
        if i < n:
            b[i] = a[i] + b[i]

    x, y = torch.arange(60.0), torch.zeros(60)
    for turn in range(1, 5):
        add[AT](x, y, 60)
        assert torch.equal(y, turn * x) and hot(add) == (turn > 1)
    # Memory that is shared until it is written is written as a copy.
    lazy = torch._lazy_clone(y)
    add[AT](x, lazy, 60)
    assert torch.equal(y, 4 * x) and torch.equal(lazy, 5 * x)
