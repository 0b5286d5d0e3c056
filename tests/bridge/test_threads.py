"""First calls by several threads at once, and calls while others change what the host code knows: in a process of their own, as what goes wrong ends it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

BEGIN = """
import sys, threading, numpy as np, torch
import avelang, avelang.language as al
from avelang import ops
sys.setswitchinterval(1e-6)  # threads change between any two lines
torch.set_num_threads(1)
wrong = []
start = threading.Barrier(8)

def held(number):
    start.wait()
    try:
        work(number)
    except BaseException as e:
        wrong.append(e)
"""
END = """
threads = [threading.Thread(target=held, args=(i,)) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
if wrong:
    raise wrong[0]
print("right")
"""
CALLS = """
x = torch.randn(6, 16)
def work(number):
    for i in range(6):
        assert torch.allclose(ops.softmax(x), x.softmax(-1), atol=1e-6)
"""
# More shapes than an operation's plans are looked up by at first, some of them at once, and gradients between.
SHAPES = """
def work(number):
    draw = np.random.default_rng(number)
    for i in range(30):
        x = torch.randn(int(draw.integers(1, 5)), 16, requires_grad=i % 5 == 0)
        y = ops.softmax(x)
        assert torch.allclose(y, x.softmax(-1), atol=1e-6)
        if i % 5 == 0:
            assert torch.allclose(torch.autograd.grad(y.sum(), x)[0], torch.zeros_like(x), atol=1e-6)
        if i % 7 == number % 7:
            ops.softmax.relaunched.table and ops.softmax.relaunched.forget()
"""
# Twenty specializations by dtype and constant, of which the host code knows sixteen.
KERNEL = """
kernel = '''
import avelang, avelang.language as al

@avelang.jit
def scale(x: al.Pointer(al.f32), n: al.i32, factor: al.constexpr):
    i = al.thread_id(0)
    if i < n:
        x[i] = x[i] * factor
'''
import importlib.util, pathlib, tempfile
path = pathlib.Path(tempfile.mkdtemp()) / "scaling.py"
path.write_text(kernel)
spec = importlib.util.spec_from_file_location("scaling", path)
scaling = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scaling)

def work(number):
    for i in range(60):
        factor = (i * 7 + number) % 20
        x = torch.ones(5) if i % 2 else np.ones(5, np.float32)
        scaling.scale[(1,), (8,)](x, 5, factor)
        assert bool((x == factor).all()), (factor, x)
"""


@pytest.mark.parametrize("work", [CALLS, SHAPES, KERNEL], ids=["calls", "shapes", "kernel"])
def test_eight_threads(work):
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", BEGIN + work + END], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "right\n", done.stderr[-3000:]
