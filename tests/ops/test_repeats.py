"""Operations whose calls compiled code repeats: what a repeated call makes is bit by bit what Python makes of the same
arrays, and only calls that are alike are repeated."""

import pytest

from avelang import ops
from avelang.base.errors import ArgumentError

torch = pytest.importorskip("torch")
HOPPER = "sm_90a"
BF16 = torch.bfloat16


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def classes(count, most):
    return torch.randint(most, (count,))


def i32(*values):
    return torch.tensor(values, dtype=torch.int32)


PAGES = i32(3, 1, 6, 0, 4, 2).view(2, 3)


# By name: the function, arrays, and a call with `out`. Launches of clusters, as of larger products, the host code
# leaves to Python on the CPU.
CASES = {
    "rms_norm": (ops.rms_norm, lambda: (normal(6, 64), normal(64)), ops.rms_norm),
    "rms_norm, no weight": (ops.rms_norm, lambda: (normal(3, 2, 64, dtype=BF16),), ops.rms_norm),
    "layer_norm": (ops.layer_norm, lambda: (normal(6, 64), normal(64), normal(64)), ops.layer_norm),
    "softmax": (ops.softmax, lambda: (normal(5, 48),), ops.softmax),
    "softmax to bf16": (ops.softmax, lambda: (normal(5, 48),), lambda x, out=None: ops.softmax(x, dtype=BF16, out=out)),
    "swiglu": (ops.swiglu, lambda: (normal(5, 48), normal(5, 48)), ops.swiglu),
    "cross_entropy": (ops.cross_entropy, lambda: (normal(7, 40), classes(7, 40)), ops.cross_entropy),
    "cross_entropy, summed": (ops.cross_entropy, lambda: (normal(2, 7, 40, dtype=BF16), classes(14, 40).view(2, 7)),
                              lambda x, t, out=None: ops.cross_entropy(x, t, reduction="sum", label_smoothing=0.1, z_loss=0.01, out=out)),
    "matmul": (ops.matmul, lambda: (normal(70, 64, dtype=BF16), normal(64, 72, dtype=BF16)),
               lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "matmul, few rows": (ops.matmul, lambda: (normal(4, 128, dtype=BF16), normal(256, 128, dtype=BF16).T),
                         lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "linear of a batch": (ops.matmul, lambda: (normal(2, 40, 64, dtype=BF16), normal(72, 64, dtype=BF16), normal(72)),
                          lambda x, w, b, out=None: ops.linear(x, w, b, activation="silu", target=HOPPER, out=out)),
    "attention": (ops.attention, lambda: tuple(normal(1, 2, 256, 64, dtype=BF16) for _ in range(3)),
                  lambda q, k, v, out=None: ops.attention(q, k, v, is_causal=True, target=HOPPER, out=out)),
    "attention, few queries": (ops.attention, lambda: tuple(normal(1, 2, n, 64, dtype=BF16) for n in (16, 96, 96)),
                               lambda q, k, v, out=None: ops.attention(q, k, v, target=HOPPER, out=out)),
    "matmul, odd rows": (ops.matmul, lambda: (normal(70, 77, dtype=BF16), normal(77, 91, dtype=BF16)),
                         lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "matmul, odd rows of b": (ops.matmul, lambda: (normal(72, 70, dtype=BF16).T, normal(88, 77, dtype=BF16).T[:72]),
                              lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "linear, odd rows": (ops.matmul, lambda: (normal(70, 77, dtype=BF16), normal(91, 77, dtype=BF16), normal(91)),
                         lambda x, w, b, out=None: ops.linear(x, w, b, target=HOPPER, out=out)),
    "attention in pages": (ops.attention, lambda: (normal(2, 4, 1, 64, dtype=BF16), *(normal(8, 16, 2, 64, dtype=BF16) for _ in "kv"), PAGES, i32(40, 17)),
                           lambda q, k, v, t, n, out=None: ops.attention(q, k, v, block_table=t, cache_lengths=n, enable_gqa=True, target=HOPPER, out=out)),
    "attention in pages, sinks": (ops.attention, lambda: (normal(2, 4, 3, 64, dtype=BF16), *(normal(8, 16, 2, 64, dtype=BF16) for _ in "kv"), PAGES, i32(40, 17), normal(4)),
                                  lambda q, k, v, t, n, s, out=None: ops.attention(q, k, v, block_table=t, cache_lengths=n, sinks=s, enable_gqa=True, is_causal=True, target=HOPPER, out=out)),
    "attention of packed sequences": (ops.attention, lambda: (*(normal(40, 2, 32, dtype=BF16) for _ in "qkv"), i32(0, 13, 40)),
                                      lambda q, k, v, c, out=None: ops.attention(q, k, v, cu_seqlens_q=c, cu_seqlens_k=c, window=(9, 3), target="sm_80", out=out)),
    "attention of f32": (ops.attention, lambda: tuple(normal(1, 2, 17, 32) for _ in "qkv"),
                         lambda q, k, v, out=None: ops.attention(q, k, v, softcap=3.0, target="sm_80", out=out)),
    "attention, heads behind rows": (ops.attention, lambda: tuple(normal(1, 17, 2, 32) for _ in "qkv"),
                                     lambda q, k, v, out=None: ops.attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), out=out)),
}  # fmt: skip


CLUSTERS = ("matmul", "linear of a batch", "matmul, odd rows", "matmul, odd rows of b", "linear, odd rows")


def served(function):
    """How many calls of a function compiled code has repeated, those of `linear` and `matmul` together."""
    several = (ops.matmul, ops.linear) if function is ops.matmul else (function,)
    return sum((f._short if hasattr(f, "_short") else f.relaunched).served for f in several)


@pytest.mark.parametrize("case", CASES)
def test_a_repeated_call_makes_what_python_makes(case):
    function, arrays, call = CASES[case]
    torch.manual_seed(3)
    before = served(function)
    for _ in range(24):  # memory of torch's on the CPU begins at multiples of 64 bytes: each array at one of two places
        given = arrays()
        got = call(*given)
        want = call(*given, out=torch.full_like(got, float("nan")))
        assert torch.equal(got, want)
    kept = arrays()
    for _ in range(6):
        assert torch.equal(call(*kept), call(*kept, out=torch.full_like(got, float("nan"))))
    assert served(function) > before or case in CLUSTERS


def test_calls_that_are_not_alike_are_not_repeated():
    x, w = torch.randn(4, 64), torch.randn(64)
    for _ in range(6):
        ops.rms_norm(x, w)
    start = served(ops.rms_norm)
    ops.rms_norm(x, w)
    assert served(ops.rms_norm) == start + 1  # the control
    apart, odd = torch.randn(4, 70)[:, :64], torch.randn(4 * 64 + 1)[1:].view(4, 64)
    for y in (apart, odd, x.half(), x[:3], torch.randn(64, 4).T):
        want = torch.nn.functional.rms_norm(y.float(), y.shape[-1:], w[: y.shape[-1]], 1e-6)
        assert torch.allclose(ops.rms_norm(y, w[: y.shape[-1]]).float(), want, atol=2e-2)
    ops.rms_norm(x, w, eps=1e-3)
    ops.rms_norm(x.clone().requires_grad_(), w).sum().backward()
    with torch.autocast("cpu", torch.bfloat16):
        ops.rms_norm(x, w)
    assert served(ops.rms_norm) == start + 1
    with pytest.raises(ArgumentError):
        ops.rms_norm(x, w[:5])
    assert torch.equal(ops.rms_norm(x, w), ops.rms_norm(x, w, out=torch.empty_like(x)))
    assert served(ops.rms_norm) == start + 2


def test_a_matrix_product_asks_for_invariance_and_for_gradients():
    a, b = normal(4, 128, dtype=BF16), normal(256, 128, dtype=BF16).T
    for _ in range(6):
        ops.matmul(a, b, target=HOPPER)
    start = served(ops.matmul)
    ops.matmul(a, b, target=HOPPER)
    assert served(ops.matmul) == start + 1  # the control
    with ops.invariant():
        ops.matmul(a, b, target=HOPPER)
    made = ops.matmul(a.clone().requires_grad_(), b, target=HOPPER)
    assert made.requires_grad and served(ops.matmul) == start + 1
    with torch.no_grad():
        assert not ops.matmul(a.clone().requires_grad_(), b, target=HOPPER).requires_grad
    with pytest.raises(ArgumentError, match="K is"):
        ops.matmul(a[:, :8], b, target=HOPPER)


def test_products_with_copies_have_their_own_values(monkeypatch):
    """Where a product keeps room for a stream and a thread, as on a GPU: later products have their own values."""
    from avelang_kernels import workspaces

    monkeypatch.setattr(workspaces, "place_of_room", lambda x: (0, 0))
    monkeypatch.setattr(workspaces, "_rooms", {})
    whole = torch.empty(16384, dtype=BF16)
    a, b = whole[:5390].view(70, 77), whole[8192 : 8192 + 7007].view(77, 91)
    for turn in range(8):
        torch.manual_seed(turn)
        whole.normal_()
        got = ops.matmul(a, b, target=HOPPER).double()
        want = a.double() @ b.double()
        assert (got - want).abs().max() < 0.01 * want.abs().max()
