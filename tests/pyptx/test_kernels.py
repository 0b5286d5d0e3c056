"""Kernels as a whole: what the decorator takes, what is shown, calls from NumPy, torch and JAX, what is refused."""

from __future__ import annotations

import importlib
import inspect

import ml_dtypes
import numpy as np
import pytest
from tests.pyptx.emitted import assemble, instructions, text_of
from tests.runtime import cuda

import pyptx
from avelang.base.errors import AveError
from pyptx import Layout, Tile, differentiable_kernel, kernel, ptx, reg, smem
from pyptx._trace import get_ctx, trace_scope
from pyptx.jax_support import CubinRegistry, get_cubin_registry
from pyptx.kernel import Kernel, TensorSpec
from pyptx.types import b32, bf16, f32, pred, u32

jax, torch = (pytest.importorskip(name) for name in ("jax", "torch"))


def adder(grid=None, **options):
    """x + scale * y, elementwise."""

    @kernel(in_specs=(Tile("N", f32), Tile("N", f32)), out_specs=(Tile("N", f32),), block=(32, 1, 1),
            grid=grid or (lambda N: -(-N // 32)), arch=options.pop("arch", "sm_80"), **options)  # fmt: skip
    def add(x, y, out, *, scale=1.0, N=None):
        px, py, po = ptx.global_ptrs(x, y, out)
        at = reg.from_(ptx.special.ctaid.x(), u32) * 32 + reg.from_(ptx.special.tid.x(), u32)
        with ptx.if_(at < N):
            a, b = reg.scalar(f32), reg.scalar(f32)
            offset = at << 2
            ptx.ld(f32, a, px + offset)
            ptx.ld(f32, b, py + offset)
            ptx.inst.fma.rn.f32(a, b, scale, a)
            ptx.st(f32, po + offset, a)
        ptx.ret()

    return add


def test_the_package():
    for name in (
        "specs",
        "smem",
        "reg",
        "kernel",
        "ptx",
        "wgmma_layout",
        "cache",
        "jax_support",
        "torch_support",
        "spec",
    ):
        assert inspect.ismodule(importlib.import_module(f"pyptx.{name}"))
    assert pyptx.kernel is kernel and pyptx.__version__ == "0.1.1" and inspect.ismodule(pyptx.smem)
    with pytest.raises(ImportError):
        importlib.import_module("pyptx.examples")


def test_what_a_kernel_shows():
    k = adder(grid=(4, 1, 1), cluster=(1, 1, 1), reqntid=(32, 1, 1))
    assert isinstance(k, Kernel) and repr(k) == "Kernel(add, arch='sm_80')" and k.__name__ == "add"
    assert (k.arch, k.block, k.smem, k.template_params) == ("sm_80", (32, 1, 1), 0, {"scale": 1.0, "N": None})
    assert k.in_specs == k._in_specs and k._resolve_grid({}) == (4, 1, 1)
    text = k.ptx(N=7)
    assert text.startswith(".version 8.5\n.target sm_80\n.address_size 64\n\n.visible .entry add(\n\t.param .u64 x,\n")
    assert ".reqntid 32, 1, 1\n{\n\t.reg .pred %p<1>;\n" in text and "$_else_0:\n" in text
    assert k.module(N=7) is k.module(N=7) and k.module(N=8) is not k.module(N=7) and k.ptx(N=7) == k.ptx(N=7)
    assert instructions(k.module(N=7))[-1].opcode == "ret"
    assert ".visible .entry made_" in text_of(lambda: ptx.ret()) and "()" in text_of(lambda: ptx.ret())


def test_versions_and_directives():
    def version(arch, body=lambda: ptx.ret(), **options):
        return text_of(body, arch, **options).split("\n")[0]

    assert [version(a) for a in ("sm_80", "sm_90a", "sm_100a", "sm_120a")] == [
        ".version 8.5", ".version 8.5", ".version 8.8", ".version 8.7",
    ]  # fmt: skip
    assert version("sm_100a", version=(8, 7)) == ".version 8.7" and version("sm_90a", version=None) == ".version 8.5"
    assert version("sm_90a", ptx.fence.proxy_async_generic_acquire_shared_cluster) == ".version 8.6"
    with pytest.raises(AveError, match="U207"):
        version("sm_90a", ptx.fence.proxy_async_generic_acquire_shared_cluster, version=(8, 5))
    with pytest.raises(AveError, match="U206"):
        version("sm_80", ptx.fence.proxy_async)
    found = text_of(lambda: ptx.ret(), raw_directives=[(".maxntid", (384, 1, 1)), ("explicitcluster", ()),
                                                      ("reqnctapercluster", (2, 1, 1))], reqntid=(3, 1, 1))  # fmt: skip
    assert "\n.maxntid 384, 1, 1\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{" in found and "reqntid" not in found


def test_grids():
    assert adder(grid=lambda N: N)._resolve_grid({"N": 3}) == (3, 1, 1)
    assert adder(grid=lambda n: (n, 2))._resolve_grid({"N": 3}) == (3, 2, 1)
    assert kernel(lambda_like).grid is None and kernel(lambda_like)._resolve_grid({}) == (1, 1, 1)


def lambda_like():
    ptx.ret()


def test_calls_of_numpy():
    k = adder()
    x, y = (np.arange(n, n + 40, dtype=np.float32) for n in (0, 3))
    assert (k(x, y) == x + y).all() and (k(x, y, scale=2.0) == x + 2 * y).all()
    assert (k(x[::2], y[::2]) == (x + y)[::2]).all() and len(k._cubin_handles) == 3
    assert k(x[:0], y[:0]).shape == (0,)
    assert (k(x, y, "ignored") == x + y).all()


def test_calls_of_torch():
    k = adder()
    x = torch.arange(40, dtype=torch.float32)
    assert torch.equal(k(x, x), 2 * x) and torch.equal(k(x[::2], x[::2]), 2 * x[::2])
    compiled = torch.compile(lambda a: k(a, a, scale=3.0) + 1, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x), 4 * x + 1)


def test_gradients():
    forward, backward = adder(), adder()
    f = differentiable_kernel(forward, lambda x, y, g: (backward(g, g), None), num_grad_inputs=1)
    assert f.forward_kernel is forward and f.__name__ == "differentiable_add"
    x, y = torch.arange(8.0, requires_grad=True), torch.ones(8)
    f(x, y).sum().backward()
    assert torch.equal(x.grad, torch.full((8,), 2.0))


def test_calls_of_jax():
    k, x = adder(), jax.numpy.arange(40.0)
    assert (k(x, x) == 2 * x).all() and isinstance(k(x, x), jax.Array)
    traced = jax.jit(lambda a: k(a, a) * 2)
    assert (traced(x) == 4 * x).all()
    text = traced.lower(x).as_text()
    assert "pyptx_launch" in text and "cubin_handle" in text
    with pytest.raises(TypeError, match="T241"):
        jax.jit(lambda a: k(a, a))(jax.numpy.arange(4))


def test_the_registry():
    registry = CubinRegistry()
    assert registry.register("text", "k", smem_bytes=4) == 1 and len(registry) == 1
    assert registry.get(1).kernel_name == "k" and registry.get(9) is None and get_cubin_registry() is not registry
    registry.clear()
    assert len(registry) == 0


REFUSED = {
    "an unknown keyword": (TypeError, "no template parameter blocks", lambda k, x: k(x, x, blocks=3)),
    "an unknown keyword of ptx": (TypeError, "scale, N", lambda k, x: k.ptx(blocks=3)),
    "a size that is no int": (TypeError, "N is an int", lambda k, x: k.ptx(N=1.5)),
    "too few": (TypeError, "2 inputs are wanted", lambda k, x: k(x)),
    "a dtype": (TypeError, "float64", lambda k, x: k(x, x.astype(np.float64))),
    "a rank": (ValueError, "rank", lambda k, x: k(x, x[:, None])),
    "sizes": (ValueError, "conflicting", lambda k, x: k(x, x[:4])),
    "no array": (TypeError, "no array", lambda k, x: k(x, [1.0])),
    "no specs": (pyptx._errors.PyptxUnsupportedError, "in_specs", lambda k, x: kernel(lambda_like)()),
    "a body that gives up": (ZeroDivisionError, "", lambda k, x: kernel(divided).ptx()),
    "too many specs": (TypeError, "specs", lambda k, x: kernel(in_specs=(Tile(1, f32),))(lambda_like)),
    "no tile": (TypeError, "no Tile", lambda k, x: kernel(in_specs=(f32,))(lambda_like)),
    "a raw parameter": (ValueError, "option", lambda k, x: kernel(raw_params=[("u32.wide", "n")])(lambda_like)),
    "no function": (AveError, "S003", lambda k, x: kernel(3)),
}


def divided():
    1 // 0  # noqa: B018


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    kind, said, wrong = REFUSED[what]
    with pytest.raises(kind, match=said or None):
        wrong(adder(), np.zeros(8, np.float32))


def test_parameters_in_order():
    @kernel(in_specs=(Tile("M", "K", bf16, Layout.TMA_128B, tma_box=(64, 64)),), out_specs=(Tile("M", f32),), arch="sm_90a",
            raw_params=[("u32", "M"), ("u32", "extra")])  # fmt: skip
    def ordered(A, D, unknown):
        assert isinstance(A, TensorSpec) and A.name in repr(A) and unknown.shape is None
        assert (A.layout, A.dtype, D.shape) == (Layout.TMA_128B, bf16, None)
        D.tma_desc()
        A.tma_desc()

    names = [x.strip(" ,\t").split()[-1] for x in ordered.ptx().split("\n") if ".param" in x and "ld" not in x]
    assert names == ["A", "D", "unknown", "M", "extra", "D_tma_desc", "A_tma_desc"]


def test_statements_of_an_open_trace():
    with trace_scope() as ctx:
        assert get_ctx() is ctx
        with ptx.if_(reg.scalar(pred)):
            ptx.ret()
        assert len(ctx.statements) == 5 and len(ctx.reg_decls) == 1
        smem.alloc(b32, 4)
        assert len(ctx.var_decls) == 1 and not ctx.force_dynamic_smem
        for _ in ptx.range_(0, 8):
            ptx.ret()
        assert len(ctx.statements) == 13


def test_a_missing_fence_is_reported_and_can_be_gone_on_behind(monkeypatch, capsys):
    k = unfenced()
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(ml_dtypes.bfloat16)
    want = x.astype(np.float64) @ x.astype(np.float64).T
    with pytest.raises(AveError, match="X033.*fence.proxy.async") as e:
        k(x)
    assert e.value.span.file == __file__ and "mma_async" in e.value.span.text()
    monkeypatch.setenv("AVE_CHECK", "report")
    assert np.allclose(k(x), want, rtol=1e-2, atol=1e-2)
    said = capsys.readouterr().err
    assert "[X033]" in said and "mma_async" in said
    assemble(k)


def unfenced():
    """D = X Xᵀ by wgmma, X stored to shared memory without the fence that its copy engine's side needs."""

    @kernel(in_specs=(Tile(64, 64, bf16),), out_specs=(Tile(64, 64, f32),), block=(128, 1, 1), arch="sm_90a")
    def product(X, D):
        px, pd = ptx.global_ptrs(X, D)
        tile = smem.wgmma_tile(bf16, (64, 64))
        tid = reg.from_(ptx.special.tid.x(), u32)
        base = reg.from_(tile.name, u32)
        four = reg.array(b32, 4)
        for i in range(4):
            at = (tid << 4) + 2048 * i
            ptx.inst.ld.global_.v4.b32(list(four), ptx.addr(px + at))
            ptx.inst.st.shared.v4.b32(ptx.addr(base + smem.apply_swizzle(at, "128B")), list(four))
        ptx.bar.sync()
        acc = reg.wgmma_frag(m=64, n=64, dtype=f32)
        ptx.wgmma.fence()
        for k in range(4):
            ptx.wgmma.mma_async(shape=(64, 64, 16), dtype_d=f32, dtype_a=bf16, dtype_b=bf16, d=acc, a=tile, b=tile,
                                a_k_offset=32 * k, b_k_offset=32 * k, scale_d=k > 0)  # fmt: skip
        ptx.wgmma.commit_group()
        ptx.wgmma.wait_group(0)
        row = ((tid >> 5) << 4) + ((tid & 31) >> 2)
        column = (tid & 3) << 1
        for j in range(8):
            for half in range(2):
                at = ((row + 8 * half) * 64 + column + 8 * j) << 2
                ptx.inst.st.global_.v2.f32(ptx.addr(pd + at), acc[4 * j + 2 * half : 4 * j + 2 * half + 2])
        ptx.ret()

    return product


def test_on_a_gpu(monkeypatch):
    """The driver is a stub that records the launch: parameters in order, a tensor map in the device's memory."""
    machine = cuda.Machine(monkeypatch)
    machine.lib.stub_stream(0x7700, 1)

    @kernel(in_specs=(Tile(64, 64, bf16, Layout.TMA_128B),), out_specs=(Tile(64, f32),), block=(64, 1, 1), grid=(3, 1, 1),
            arch="sm_90a", smem=60000, raw_params=[("f32", "scale")], cluster=(1, 1, 1))  # fmt: skip
    def launched(x, out):
        x.tma_desc()
        ptx.ret()

    x, out = (machine.own(np.zeros(n, np.float32), 1) for n in (64 * 32, 64))
    special = launched._caller.specialized([(64, 64)], {"scale": 2.0})
    special.at([x.ctypes.data, out.ctypes.data], "cuda:1", 0x7700)
    values = machine.values()
    assert values[:3] == [x.ctypes.data, out.ctypes.data, 0x40000000] and len(values) == 4 and values[3] % 64 == 0
    assert (machine.last.stream, list(machine.last.grid), list(machine.last.block)) == (0x7700, [3, 1, 1], [64, 1, 1])


def test_a_copy_over_what_a_product_reads_names_the_product():
    @kernel(in_specs=(Tile(64, 64, bf16, Layout.TMA_128B, tma_box=(64, 64)),), out_specs=(Tile(1, f32),), block=(128, 1, 1),
            arch="sm_90a")  # fmt: skip
    def early(X, D):
        tile, bar = smem.wgmma_tile(bf16, (64, 64)), smem.mbarrier(1)[0]
        tid, desc = reg.from_(ptx.special.tid.x(), u32), X.tma_desc()
        acc = reg.wgmma_frag(m=64, n=64, dtype=f32)

        def copy():
            with ptx.if_(tid == 0):
                ptx.mbarrier.arrive_expect_tx(bar, 8192)
                ptx.cp.async_.bulk.tensor_2d(dst=tile, src=desc, coord=(0, 0), mbar=bar)

        with ptx.if_(tid == 0):
            ptx.mbarrier.init(bar, 1)
            ptx.fence.mbarrier_init()
        ptx.bar.sync()
        copy()
        ptx.mbarrier.wait(bar, 0)
        ptx.wgmma.fence()
        ptx.wgmma.mma_async(shape=(64, 64, 16), dtype_d=f32, dtype_a=bf16, dtype_b=bf16, d=acc, a=tile, b=tile)
        ptx.wgmma.commit_group()
        copy()
        ptx.mbarrier.wait(bar, 1)
        ptx.wgmma.wait_group(0)
        ptx.ret()

    with pytest.raises(AveError, match=r"X033.*`wgmma.mma_async[^`]*` \(line \d+\) still reads") as e:
        early(np.zeros((64, 64), ml_dtypes.bfloat16))
    assert "tensor_2d" in e.value.span.text() and "wgmma.wait_group" in e.value.hint
