"""Chains of float operations with zeros of both signs, infinities, NaN, subnormal numbers and halfway cases: every
engine against NumPy, bit for bit. AVE_FLOAT_CHAINS=N draws more of them."""

import os
import re

import numpy as np
import pytest

from avelang import arch, executor, pipeline
from avelang.emit.llvm import simt_device
from avelang.sim import reference
from emit.llvm import float_chains, native
from sim.kernels import elementwise
from sim.ptx.executed import Executed

MANY = int(os.environ.get("AVE_FLOAT_CHAINS", "0"))
# 19 has the f32 product that goes to f16 by way of f64.
SEEDS = {
    "reference": range(MANY or 12),
    "cpu": range(MANY or 3),
    "gfx942": range(MANY or 3),
    "sm_80": range(MANY or 2),
    "sm_90a": range(MANY or 1),
}


def executed(kernel, args, chip="gfx942"):
    made = simt_device.program(pipeline.gpu(kernel, (float_chains.THREADS, 1, 1)), arch.chip(chip))
    text = simt_device.DeviceCompiler(arch.chip(chip)).assembly(made.text)
    executor.load(text)[1, float_chains.THREADS](*args)


def run(engine, chains):
    out, nvidia = chains.outputs(), engine.startswith("sm_")
    args, block = [*chains.inputs, *out], (float_chains.THREADS, 1, 1)
    kernel = chains.kernel(32 if nvidia else 64, engine if engine in arch.CHIPS else "gfx942")
    if engine == "reference":
        reference.run(kernel, args, 1, block)
    elif engine == "cpu":
        native.Native(pipeline.cpu(kernel, block)).run(args)
    elif nvidia:
        Executed(kernel, block, engine).run(args)
    else:
        executed(kernel, args)
    return out


@pytest.mark.parametrize(("engine", "seed"), [(e, s) for e, seeds in SEEDS.items() for s in seeds])
def test_chains(engine, seed):
    chains = float_chains.Chains(seed, "nvidia" if engine.startswith("sm_") else "amd")
    with np.errstate(all="ignore"):
        assert chains.differences(run(engine, chains)) == []


PRODUCTS = {
    "f16 by f32": ("%f = convert(%x0) : f32\n%m = mul(%f, %x1) : f32\n%r = convert(%m) : f16", ["f16", "f32"]),
    "negated": ("%f = convert(%x0) : f32\n%m = mul(%f, %x1) : f32\n%n = neg(%m) : f32\n%r = convert(%n) : f16",
        ["f16", "f32"]),
    "by f64": ("%m = mul(%x0, %x1) : f32\n%d = convert(%m) : f64\n%r = convert(%d) : f16", ["f32", "f32"]),
    "halved": ("%f = convert(%x0) : f32\n%h = const {'value': -2.0} : f32\n%m = div(%f, %h) : f32\n%r = convert(%m) "
    ": f16", ["f16", "f32"]),
    "fused with -0": ("%z = const {'value': -0.0} : f32\n%m = fma(%x0, %x1, %z) : f32\n%r = convert(%m) : f16",
        ["f32", "f32"]),
    "in pairs": ("%f = convert(%x0) : vec<2 x f32>\n%m = mul(%f, %x1) : vec<2 x f32>\n%r = convert(%m) : vec<2 x f16>",
        ["vec<2 x f16>", "vec<2 x f32>"]),
}  # fmt: skip


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_rounded_to_f16_keep_the_sign_of_zero(name):
    """LLVM makes them fused multiply-adds of +0 where it may."""
    lines, types = PRODUCTS[name]
    kernel = elementwise(lines, types, "vec<2 x f16>" if "vec" in types[0] else "f16")
    kernel.attrs["chip"] = "gfx942"
    n, pair = float_chains.THREADS, (2,) if "vec" in types[0] else ()
    zeros = np.array([0.0, -0.0, -2.5, 2.5])
    x, y = (
        np.resize(v, (n, *pair)).astype(np.float16 if "f16" in t else np.float32)
        for v, t in zip((zeros, np.repeat(zeros, 4)), types, strict=True)
    )
    out = np.full((n, *pair), 7, np.float16)
    executed(kernel, [x, y, out])
    a, b = x.astype(np.float64), y.astype(np.float64)
    want = {"negated": -(a * b), "halved": a / -2.0}.get(name, a * b).astype(np.float16)
    assert np.array_equal(out.view(np.uint16), want.view(np.uint16))


@pytest.mark.parametrize("chip", ["sm_75", "sm_90a"])
def test_ptx_names_its_roundings(chip):
    """Without one, NVIDIA's assembler may fuse an addition with a product before it. (PTX ISA, 9.7.3: mul, add,
    sub.)"""
    chains = float_chains.Chains(3, "nvidia", 24)
    text = Executed(chains.kernel(32, chip), (float_chains.THREADS, 1, 1), chip).text
    found = re.findall(
        r"^\s*((?:add|sub|mul|fma|div|sqrt)\.[\w.]*f(?:16|32|64)\w*|(?:add|sub|mul|fma)\.\w*\.?bf16\w*)\s", text, re.M
    )
    assert found and all(".rn." in f for f in found), found
