"""Calls of `ops.matmul` like one before: what they depend on is looked up, and nothing else is done before the launch.
What the lookup finds is held against what the first call has launched, and results against NumPy's in float64."""

import random
import sys
from typing import Any

import numpy as np
import pytest
from tests.runtime import programs

import avelang.ops.matmul  # noqa: F401
from avelang import ops
from avelang.base.errors import AveError
from avelang.runtime import compile
from avelang.runtime.cpu_backend import Cpu
from avelang.runtime.launch import Launcher
from avelang_kernels.matmul import aligned_rows, choice, hopper_gemm, hopper_skinny

torch = pytest.importorskip("torch")
module = sys.modules["avelang.ops.matmul"]
HOPPER = "sm_90a"


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    """Tables that no other test has filled."""
    monkeypatch.setattr(choice, "_LAUNCHES", {})
    monkeypatch.setattr(module, "_CHECKED", {})


@pytest.fixture
def slow(monkeypatch):
    """The launches by the slow path, of programs that do nothing. As on a GPU, the host code launches clusters too, and
    a copy is where that of the call before was."""
    found, path, words, rooms = [], Launcher._slow, Cpu.host_words, {}

    def counted(launcher, provider, /, *args, **kwargs):
        found.append(launcher.source.name)
        path(launcher, provider, *args, **kwargs)

    def without_clusters(cpu, call, program):
        options = call.bound.options
        cluster = options.pop("cluster", None)
        given = words(cpu, call, program)
        if cluster is not None:
            options["cluster"] = cluster
        return given

    def room(like, rows, cols, dtype, slot):
        kind = getattr(torch, dtype) if isinstance(dtype, str) else dtype
        key = rows, cols, like.dtype if kind is None else kind, slot
        return rooms.setdefault(key, torch.empty(rows, cols, dtype=key[2]))

    for where in (aligned_rows, hopper_gemm, choice):
        monkeypatch.setattr(where, "room_for", room)
    payload = programs.payload(programs.HEAD + "  ret i64 0\n}\n")
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    monkeypatch.setattr(compile, "cpu_object", lambda *_: (payload, {"entry": "ave_run", "scratch_bytes": 0}))
    monkeypatch.setattr(Launcher, "_slow", counted)
    monkeypatch.setattr(Cpu, "host_words", without_clusters)
    kept = hopper_gemm.build, aligned_rows.build, aligned_rows.build_back, hopper_skinny.kernel_of
    for cached in kept:
        cached.cache_clear()
    yield found
    for cached in kept:
        cached.cache_clear()


def zeros(r, rows, cols, dtype, apart=None):
    """A matrix by rows or by columns, whose lines are so many elements longer."""
    more = r.choice((0, 0, 3, 8)) if apart is None else apart
    if r.random() < 0.5:
        return torch.zeros(rows, cols + more, dtype=dtype)[:, :cols]
    return torch.zeros(cols, rows + more, dtype=dtype)[:, :rows].T


@pytest.mark.parametrize(
    "shape", [(20, 855, 879), (200, 855, 880), (200, 856, 880), (4, 128, 256), (1, 77, 5)], ids=str
)
def test_a_second_call_takes_no_slow_launch(slow, shape):
    m, k, n = shape
    for dtype, ends in ((torch.bfloat16, {}), (torch.float16, {"activation": "silu"})):
        a, b = torch.zeros(m, k, dtype=dtype), torch.zeros(n, k, dtype=dtype).T
        ends = {**ends, "bias": torch.zeros(n, dtype=dtype)} if ends else {}
        out = torch.empty(m, n, dtype=dtype)
        ops.matmul(a, b, out=out, target=HOPPER, **ends)
        assert slow
        for _ in range(2):  # the first by a launch that was kept asks for the same kernels
            slow.clear()
            ops.matmul(a, b, out=out, target=HOPPER, **ends)
            assert not slow


def test_what_is_kept_is_what_was_launched(slow, monkeypatch):
    """Of drawn shapes, strides, dtypes and ends: the launch that is kept is the one that the first call has made."""
    r, seen, real = random.Random(5), [], hopper_gemm.prepared
    monkeypatch.setattr(hopper_gemm, "prepared", lambda *args, **more: seen.append((args, more)) or real(*args, **more))
    monkeypatch.setattr(hopper_gemm, "build", lambda *args: _Kernel(args))
    ran = []
    monkeypatch.setattr(_Kernel, "ran", ran)
    kept = 0
    for _ in range(60):
        m, n, k = (r.choice((1, r.randint(2, 64), r.randint(65, 900), 8 * r.randint(9, 200))) for _ in range(3))
        dtype = r.choice((torch.bfloat16, torch.float16))
        a, b = zeros(r, m, k, dtype), zeros(r, k, n, dtype)
        ends: Any = {"activation": r.choice((None, "relu"))}
        if r.random() < 0.5:
            ends["bias"] = torch.zeros(n, dtype=r.choice((dtype, torch.float32)))
        out = torch.zeros(m, n, dtype=r.choice((dtype, torch.float32)))
        seen.clear()
        ran.clear()
        for _ in range(2):
            ops.matmul(a, b, out=out, target=HOPPER, **ends)
        if seen:
            kept += 1
            first, second = seen  # no third: the second call has looked it up
            assert first == second
            assert len(ran) == 2 and ran[0] == ran[1]
    assert kept > 30


class _Kernel:
    """A kernel that notes its launches, arrays by shape and strides."""

    ran: list = []

    def __init__(self, args):
        self.args = args

    def __getitem__(self, at):
        def launch(*arrays, **options):
            told = [(tuple(x.shape), x.stride(), x.dtype) if hasattr(x, "shape") else x for x in arrays]
            bias = options.pop("bias_of", None)
            self.ran.append((self.args, at, told, None if bias is None else bias.data_ptr(), options))

        return launch


@pytest.mark.parametrize("shape", [(20, 37, 19), (24, 64, 40)], ids=str)
def test_results_of_calls_alike(shape):
    """Same shapes, other values: each call computes with its own."""
    m, k, n = shape
    a, w, bias = (torch.zeros(*shape, dtype=torch.bfloat16) for shape in ((m, k), (n, k), (n,)))
    for turn in range(4):
        torch.manual_seed(turn)
        for x in (a, w, bias):
            x.copy_(torch.randn(x.shape))
        got = ops.linear(a, w, bias, activation="relu", target=HOPPER)
        want = np.maximum(a.double().numpy() @ w.double().numpy().T + bias.double().numpy(), 0)
        assert np.abs(got.double().numpy() - want).max() < 0.05 * np.abs(want).max() / 4
    # Results begin at multiples of 64 bytes, and at those of 128 a call is another one.
    assert len(module._CHECKED) == 1 <= len(choice._LAUNCHES) <= 2


def test_errors_are_said_after_good_calls_too(slow):
    a, b, bias = torch.zeros(8, 16), torch.zeros(16, 24), torch.zeros(24)
    cases = [
        ((a, b[:8]), {}, "K is 16 in a and 8 in b"), ((a, b.half()), {}, "both must be of bf16"),
        ((a, b), {"activation": "tanh"}, "activation is 'tanh'"), ((a, b), {"activation": ["relu"]}, "activation is"),
        ((a, b), {"bias": bias[:8]}, "bias is"), ((a.int(), b.int()), {}, "both must be of bf16"),
        ((a, b), {"out": torch.zeros(8, 8)}, "out is"), ((None, b), {}, "a is of builtins.NoneType"),
    ]  # fmt: skip
    for _ in range(2):
        for given in ({}, {"bias": bias}, {"activation": "relu", "bias": bias}):
            ops.matmul(
                a.bfloat16(),
                b.bfloat16(),
                target=HOPPER,
                **{k: v.bfloat16() if k == "bias" else v for k, v in given.items()},
            )
        for args, options, words in cases:
            with pytest.raises(AveError, match="L066") as e:
                ops.matmul(*args, target=HOPPER, **options)
            assert words in str(e.value)


def test_a_loss_is_launched_by_the_fast_path(monkeypatch):
    x, target = torch.randn(16, 32, requires_grad=True), torch.zeros(16, dtype=torch.long)

    def step():
        x.grad = None
        loss = ops.cross_entropy(x, target)
        loss.backward()
        return float(loss.detach()), x.grad

    for _ in range(2):
        want, grad = step()
    slow, launch = [], Launcher._launch
    monkeypatch.setattr(Launcher, "_launch", lambda self, *a: slow.append(self.source.name) or launch(self, *a))
    again, other = step()
    assert again == want and torch.equal(grad, other) and slow == []
