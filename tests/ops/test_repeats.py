"""Operations whose calls are repeated without the host function: what a repeated call makes is bit by bit what the host
function makes of the same arrays, and only calls that are alike are repeated."""

import importlib

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


# By name: module and operation that has the repeats, arrays, and a call with `out`.
CASES = {
    "rms_norm": ("norm", "rms_norm_rows", lambda: (normal(6, 64), normal(64)), ops.rms_norm),
    "rms_norm, no weight": ("norm", "rms_norm_rows", lambda: (normal(3, 2, 64, dtype=BF16),), ops.rms_norm),
    "layer_norm": ("norm", "layer_norm", lambda: (normal(6, 64), normal(64), normal(64)), ops.layer_norm),
    "softmax": ("softmax", "softmax_rows", lambda: (normal(5, 48),), ops.softmax),
    "softmax to bf16": ("softmax", "softmax_rows", lambda: (normal(5, 48),), lambda x, out=None: ops.softmax(x, dtype=BF16, out=out)),
    "swiglu": ("swiglu", "gated_pair", lambda: (normal(5, 48), normal(5, 48)), ops.swiglu),
    "cross_entropy": ("loss", "cross_entropy_rows", lambda: (normal(7, 40), classes(7, 40)), ops.cross_entropy),
    "cross_entropy, summed": ("loss", "cross_entropy_rows", lambda: (normal(2, 7, 40, dtype=BF16), classes(14, 40).view(2, 7)),
                              lambda x, t, out=None: ops.cross_entropy(x, t, reduction="sum", label_smoothing=0.1, z_loss=0.01, out=out)),
    "matmul": ("matmul", "matrices", lambda: (normal(70, 64, dtype=BF16), normal(64, 72, dtype=BF16)),
               lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "matmul, few rows": ("matmul", "matrices", lambda: (normal(4, 128, dtype=BF16), normal(256, 128, dtype=BF16).T),
                         lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "linear of a batch": ("matmul", "matrices", lambda: (normal(2, 40, 64, dtype=BF16), normal(72, 64, dtype=BF16), normal(72)),
                          lambda x, w, b, out=None: ops.linear(x, w, b, activation="silu", target=HOPPER, out=out)),
    "attention": ("attention", "scaled_attention", lambda: tuple(normal(1, 2, 256, 64, dtype=BF16) for _ in range(3)),
                  lambda q, k, v, out=None: ops.attention(q, k, v, is_causal=True, target=HOPPER, out=out)),
    "attention, few queries": ("attention", "scaled_attention", lambda: tuple(normal(1, 2, n, 64, dtype=BF16) for n in (16, 96, 96)),
                               lambda q, k, v, out=None: ops.attention(q, k, v, target=HOPPER, out=out)),
    "matmul, odd rows": ("matmul", "matrices", lambda: (normal(70, 77, dtype=BF16), normal(77, 91, dtype=BF16)),
                         lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "matmul, odd rows of b": ("matmul", "matrices", lambda: (normal(72, 70, dtype=BF16).T, normal(88, 77, dtype=BF16).T[:72]),
                              lambda a, b, out=None: ops.matmul(a, b, target=HOPPER, out=out)),
    "linear, odd rows": ("matmul", "matrices", lambda: (normal(70, 77, dtype=BF16), normal(91, 77, dtype=BF16), normal(91)),
                         lambda x, w, b, out=None: ops.linear(x, w, b, target=HOPPER, out=out)),
    "attention in pages": ("attention", "scaled_attention", lambda: (normal(2, 4, 1, 64, dtype=BF16), *(normal(8, 16, 2, 64, dtype=BF16) for _ in "kv"), PAGES, i32(40, 17)),
                           lambda q, k, v, t, n, out=None: ops.attention(q, k, v, block_table=t, cache_lengths=n, enable_gqa=True, target=HOPPER, out=out)),
    "attention in pages, sinks": ("attention", "scaled_attention", lambda: (normal(2, 4, 3, 64, dtype=BF16), *(normal(8, 16, 2, 64, dtype=BF16) for _ in "kv"), PAGES, i32(40, 17), normal(4)),
                                  lambda q, k, v, t, n, s, out=None: ops.attention(q, k, v, block_table=t, cache_lengths=n, sinks=s, enable_gqa=True, is_causal=True, target=HOPPER, out=out)),
    "attention of packed sequences": ("attention", "scaled_attention", lambda: (*(normal(40, 2, 32, dtype=BF16) for _ in "qkv"), i32(0, 13, 40)),
                                      lambda q, k, v, c, out=None: ops.attention(q, k, v, cu_seqlens_q=c, cu_seqlens_k=c, window=(9, 3), target="sm_80", out=out)),
    "attention of f32": ("attention", "scaled_attention", lambda: tuple(normal(1, 2, 17, 32) for _ in "qkv"),
                         lambda q, k, v, out=None: ops.attention(q, k, v, softcap=3.0, target="sm_80", out=out)),
    "attention, heads behind rows": ("attention", "scaled_attention", lambda: tuple(normal(1, 17, 2, 32) for _ in "qkv"),
                                     lambda q, k, v, out=None: ops.attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), out=out)),
}  # fmt: skip


@pytest.fixture
def counted(monkeypatch):
    """`start(side)`: counts what is repeated from then on."""
    count = [0]

    def start(side):
        for key, kept in list(side.ready.items()):
            if kept:

                def run(*arrays, of=kept[-1]):
                    count[0] += 1
                    of(*arrays)

                monkeypatch.setitem(side.ready, key, (*kept[:-1], run))
        return count

    return start


def side_of(module, name):
    return getattr(importlib.import_module(f"avelang.ops.{module}"), name).torch_side()


@pytest.mark.parametrize("case", CASES)
def test_a_repeated_call_makes_what_the_host_function_makes(case, counted):
    module, name, arrays, call = CASES[case]
    torch.manual_seed(3)
    side = side_of(module, name)
    side.ready.clear()
    for _ in range(6):  # memory of torch's on the CPU begins at multiples of 64 bytes: each array at one of two places
        call(*arrays())
    count = counted(side)
    for _ in range(12):
        given = arrays()
        got = call(*given)
        want = call(*given, out=torch.full_like(got, float("nan")))
        assert torch.equal(got, want)
    assert count[0] >= 1


def test_calls_that_are_not_alike_are_not_repeated(counted):
    side = side_of("norm", "rms_norm_rows")
    side.ready.clear()
    x, w = torch.randn(4, 64), torch.randn(64)
    for _ in range(3):
        ops.rms_norm(x, w)
    count = counted(side)
    ops.rms_norm(x, w)
    assert count[0] == 1  # the control
    apart, odd = torch.randn(4, 70)[:, :64], torch.randn(4 * 64 + 1)[1:].view(4, 64)
    for y in (apart, odd, x.half(), x[:3], torch.randn(64, 4).T):
        want = torch.nn.functional.rms_norm(y.float(), y.shape[-1:], w[: y.shape[-1]], 1e-6)
        before = count[0]
        assert torch.allclose(ops.rms_norm(y, w[: y.shape[-1]]).float(), want, atol=2e-2)
        assert count[0] == before
    ops.rms_norm(x, w, eps=1e-3)
    ops.rms_norm(x.clone().requires_grad_(), w).sum().backward()
    with torch.autocast("cpu", torch.bfloat16):
        ops.rms_norm(x, w)
    assert count[0] == 1
    with pytest.raises(ArgumentError):
        ops.rms_norm(x, w[:5])
    assert torch.equal(ops.rms_norm(x, w), ops.rms_norm(x, w, out=torch.empty_like(x)))
    assert count[0] == 2


def test_a_matrix_product_asks_for_invariance_and_for_gradients(counted):
    side = side_of("matmul", "matrices")
    a, b = normal(70, 64, dtype=BF16), normal(64, 72, dtype=BF16)
    side.ready.clear()
    for _ in range(4):
        ops.matmul(a, b, target=HOPPER)
    count = counted(side)
    ops.matmul(a, b, target=HOPPER)
    assert count[0] == 1
    with ops.invariant():
        ops.matmul(a, b, target=HOPPER)
    made = ops.matmul(a.clone().requires_grad_(), b, target=HOPPER)
    assert made.requires_grad and count[0] == 1
    with torch.no_grad():
        assert not ops.matmul(a.clone().requires_grad_(), b, target=HOPPER).requires_grad
    with pytest.raises(ArgumentError, match="K is"):
        ops.matmul(a[:, :8], b, target=HOPPER)


def test_products_with_copies_have_their_own_values(counted, monkeypatch):
    """Where a product keeps room for a stream and a thread, as on a GPU: later products have their own values."""
    from avelang_kernels.matmul import choice

    side = side_of("matmul", "matrices")
    monkeypatch.setattr(choice, "place_of_room", lambda x: (0, 0))
    side.ready.clear()
    whole = torch.empty(16384, dtype=BF16)
    a, b = whole[:5390].view(70, 77), whole[8192 : 8192 + 7007].view(77, 91)
    for turn in range(8):
        torch.manual_seed(turn)
        whole.normal_()
        got = ops.matmul(a, b, target=HOPPER).double()
        want = a.double() @ b.double()
        assert (got - want).abs().max() < 0.01 * want.abs().max()
        if turn == 3:
            count = counted(side)
    assert count[0] >= 1
