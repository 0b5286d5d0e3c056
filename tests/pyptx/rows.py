"""Kernels on rows, written as kernels for pyptx are: norms, softmax, swiglu, a transposition, sums over axes."""

from __future__ import annotations

from pyptx import Tile, kernel, ptx, reg, smem
from pyptx.types import b32, bf16, f32, u32

THREADS = 64


def block_sum(value, tid, scratch):
    """The sum over the block's threads, by warps and shared memory."""
    ptx.warp.reduce_sum(value)
    lane, warp = tid & 31, tid >> 5
    with ptx.if_(lane == 0):
        smem.store(f32, ptx.addr(scratch + (warp << 2)), value)
    ptx.bar.sync(0)
    total = reg.scalar(f32, init=0.0)
    for w in range(THREADS // 32):
        ptx.inst.add.f32(total, total, smem.load(f32, ptx.addr(scratch, 4 * w)))
    ptx.bar.sync(0)
    return total


def rms_norm(rows, n, *, arch="sm_90a", version=None, eps=1e-6):
    per = n // THREADS

    @kernel(in_specs=(Tile(rows, n, f32), Tile(n, f32)), out_specs=(Tile(rows, n, f32),), grid=(rows, 1, 1),
            block=(THREADS, 1, 1), arch=arch, version=version)  # fmt: skip
    def rms(X, W, Y):
        px, pw, py = ptx.global_ptrs(X, W, Y)
        scratch = smem.alloc(f32, THREADS // 32)
        base = reg.scalar(u32)
        ptx.inst.mov.u32(base, scratch.name)
        tid = reg.from_(ptx.special.tid.x(), u32)
        row = reg.from_(ptx.special.ctaid.x(), u32)
        offset = ((row * n) << 2) + (tid << 4)
        px += offset
        py += offset
        pw += tid << 4
        values, weights = reg.array(f32, per), reg.array(f32, per)
        total = reg.scalar(f32, init=0.0)
        for i in range(0, per, 4):
            ptx.inst.ld.global_.v4.f32([values[i + j] for j in range(4)], ptx.addr(px, THREADS * 16 * (i // 4)))
            ptx.inst.ld.global_.v4.f32([weights[i + j] for j in range(4)], ptx.addr(pw, THREADS * 16 * (i // 4)))
            for j in range(4):
                ptx.inst.fma.rn.f32(total, values[i + j], values[i + j], total)
        mean = reg.scalar(f32)
        ptx.inst.mul.f32(mean, block_sum(total, tid, base), 1.0 / n)
        ptx.inst.add.f32(mean, mean, eps)
        ptx.inst.rsqrt.approx.f32(mean, mean)
        for i in range(0, per, 4):
            for j in range(4):
                ptx.inst.mul.f32(values[i + j], values[i + j], mean)
                ptx.inst.mul.f32(values[i + j], values[i + j], weights[i + j])
            ptx.inst.st.global_.v4.f32(ptx.addr(py, THREADS * 16 * (i // 4)), [values[i + j] for j in range(4)])
        ptx.ret()

    return rms


@kernel(in_specs=(Tile("B", "N", f32), Tile("N", f32), Tile("N", f32)),
        out_specs=(Tile("B", "N", f32), Tile("B", f32), Tile("B", f32)),
        grid=lambda B, N: B, block=(32, 1, 1), arch="sm_80")  # fmt: skip
def layer_norm(X, W, bias, Y, mean_out, rstd_out, *, eps=1e-5):
    """One warp a row; mean and 1 / standard deviation go out too."""
    px, pw, pb, py, pm, pr = ptx.global_ptrs(X, W, bias, Y, mean_out, rstd_out)
    n = X.shape[1]
    tid, row = reg.from_(ptx.special.tid.x(), u32), reg.from_(ptx.special.ctaid.x(), u32)
    start = (row * n + tid) << 2
    px, py, pw, pb = px + start, py + start, pw + (tid << 2), pb + (tid << 2)
    total, squares, x = reg.scalar(f32, init=0.0), reg.scalar(f32, init=0.0), reg.scalar(f32)
    with ptx.scope():
        for k in ptx.range_(0, n, 32):
            ptx.inst.ld.global_.f32(x, ptx.addr(px + (k << 2)))
            ptx.inst.add.f32(total, total, x)
            ptx.inst.fma.rn.f32(squares, x, x, squares)
    ptx.warp.reduce_sum(total)
    ptx.warp.reduce_sum(squares)
    ptx.inst.mul.f32(total, total, 1.0 / n)
    ptx.inst.mul.f32(squares, squares, 1.0 / n)
    variance = reg.scalar(f32)
    ptx.inst.mul.f32(variance, total, total)
    ptx.inst.sub.f32(variance, squares, variance)
    ptx.inst.add.f32(variance, variance, eps)
    ptx.inst.rsqrt.approx.f32(variance, variance)
    w, b = reg.scalar(f32), reg.scalar(f32)
    for k in ptx.range_(0, n, 32):
        at = k << 2
        ptx.inst.ld.global_.f32(x, ptx.addr(px + at))
        ptx.inst.ld.global_.f32(w, ptx.addr(pw + at))
        ptx.inst.ld.global_.f32(b, ptx.addr(pb + at))
        ptx.inst.sub.f32(x, x, total)
        ptx.inst.mul.f32(x, x, variance)
        ptx.inst.fma.rn.f32(x, x, w, b)
        ptx.inst.st.global_.f32(ptx.addr(py + at), x)
    first = tid == 0
    ptx.inst.st.global_.f32(ptx.addr(pm + (row << 2)), total, pred=first)
    ptx.inst.st.global_.f32(ptx.addr(pr + (row << 2)), variance, pred=first)
    ptx.ret()


LOG2E = 1.4426950408889634


@kernel(in_specs=(Tile("B", "N", f32),), out_specs=(Tile("B", "N", f32),), grid=lambda B, N: (B,), block=(32, 1, 1),
        arch="sm_100a", version=(8, 7))  # fmt: skip
def softmax(X, Y):
    """One warp a row, masked at its end: maximum, exponentials, their sum."""
    px, py = ptx.global_ptrs(X, Y)
    n = X.shape[1]
    tid, row = reg.from_(ptx.special.tid.x(), u32), reg.from_(ptx.special.ctaid.x(), u32)
    per = -(-n // 32)
    values = reg.array(f32, per)
    top, total = reg.scalar(f32, init=float("-inf")), reg.scalar(f32, init=0.0)
    columns = [tid + 32 * i for i in range(per)]
    for i, column in enumerate(columns):
        ptx.inst.mov.f32(values[i], float("-inf"))
        with ptx.if_(column < n):
            ptx.inst.ld.global_.f32(values[i], ptx.addr(px + ((row * n + column) << 2)))
        ptx.inst.max.f32(top, top, values[i])
    ptx.warp.reduce_max(top)
    for i in range(per):
        ptx.inst.sub.f32(values[i], values[i], top)
        ptx.inst.mul.f32(values[i], values[i], LOG2E)
        ptx.inst.ex2.approx.f32(values[i], values[i])
        ptx.inst.add.f32(total, total, values[i])
    ptx.warp.reduce_sum(total)
    ptx.inst.rcp.approx.f32(total, total)
    for i, column in enumerate(columns):
        ptx.inst.mul.f32(values[i], values[i], total)
        ptx.inst.st.global_.f32(ptx.addr(py + ((row * n + column) << 2)), values[i], pred=column < n)
    ptx.ret()


@kernel(in_specs=(Tile("M", "N", bf16), Tile("M", "N", bf16)), out_specs=(Tile("M", "N", bf16),),
        grid=lambda M, N: (-(-M * N // (2 * 128)), 1), block=(128, 1, 1), arch="sm_90a",
        raw_params=[("u32", "count"), ("f32", "limit")])  # fmt: skip
def swiglu(gate, up, out):
    """silu(gate) * up, two bf16 a thread; sizes and a limit are raw parameters."""
    pg, pu, po = ptx.global_ptrs(gate, up, out)
    at = reg.from_(ptx.special.ctaid.x(), u32) * 128 + reg.from_(ptx.special.tid.x(), u32)
    count, limit = ptx.param(u32, "count"), ptx.param(f32, "limit")
    with ptx.if_((at << 1) >= count):
        ptx.ret()
    g, u = reg.scalar(b32), reg.scalar(b32)
    ptx.inst.ld.global_.b32(g, ptx.addr(pg + (at << 2)))
    ptx.inst.ld.global_.b32(u, ptx.addr(pu + (at << 2)))
    halves = reg.array(b32, 2)
    packed = []
    for half in range(2):
        x, y, e = reg.scalar(f32), reg.scalar(f32), reg.scalar(f32)
        for word, value in ((g, x), (u, y)):
            if half:
                ptx.inst.and_.b32(value, word, -65536)
            else:
                ptx.inst.shl.b32(value, word, 16)
        ptx.inst.min.f32(x, x, limit)
        ptx.inst.mul.f32(e, x, -LOG2E)
        ptx.inst.ex2.approx.f32(e, e)
        ptx.inst.add.f32(e, e, 1.0)
        ptx.inst.rcp.approx.f32(e, e)
        ptx.inst.mul.f32(e, e, x)
        ptx.inst.mul.f32(e, e, y)
        packed.append(e)
    ptx.inst.cvt.rn.bf16x2.f32(halves[0], packed[1], packed[0])
    ptx.inst.st.global_.b32(ptx.addr(po + (at << 2)), halves[0])
    ptx.ret()


def transpose(dynamic):
    """Elements of a tile in shared memory by two indices, static or dynamic."""

    @kernel(in_specs=(Tile(32, 32, u32),), out_specs=(Tile(32, 32, u32),), block=(32, 1, 1), arch="sm_80",
            smem=49408 if dynamic else 0)  # fmt: skip
    def turned(X, Y):
        px, py = ptx.global_ptrs(X, Y)
        smem.alloc(f32, 3)
        tile = smem.alloc(u32, (32, 33))
        lane = reg.from_(ptx.special.laneid(), u32)
        value = reg.scalar(u32)
        for row in range(32):
            ptx.ld(u32, value, px + ((lane << 2) + 128 * row))
            tile[row, lane] = value
        ptx.bar.sync()
        for row in range(32):
            ptx.st(u32, py + ((lane << 2) + 128 * row), tile[lane, row])
        ptx.ret()

    return turned


@kernel(in_specs=(Tile("K", 64, f32),), out_specs=(Tile(64, f32),), block=(64, 1, 1), arch="sm_80")
def column_sums(X, Y):
    """A ring of three stages by cp.async; the stages are slices of one allocation, by numbers and by registers."""
    px, py = ptx.global_ptrs(X, Y)
    stages = 3
    ring = smem.alloc(f32, (stages, 64))
    tid = reg.from_(ptx.special.tid.x(), u32)
    offset = tid << 2
    total = reg.scalar(f32, init=0.0)
    trips = X.shape[0]
    for i in range(stages - 1):
        ptx.cp.async_.ca(ptx.addr(reg.from_(ring[i].name, u32) + offset), ptx.addr(px + offset, 256 * i), 4)
        ptx.cp.async_.commit_group()
    state = ptx.pipeline(stages)
    source = px + offset
    for k in ptx.range_(0, trips):
        stage, _ = state.advance()
        ptx.cp.async_.wait_group(stages - 2)
        more = k < trips - stages + 1
        with ptx.if_(more):
            ahead = reg.scalar(u32)
            ptx.inst.add.u32(ahead, stage, stages - 1)
            ptx.inst.rem.u32(ahead, ahead, stages)
            where = reg.from_(ring.name, u32) + (ahead << 8) + offset
            ptx.cp.async_.ca(ptx.addr(where), ptx.addr(source, 256 * (stages - 1)), 4)
        ptx.cp.async_.commit_group()
        value = smem.load(f32, ptx.addr(reg.from_(ring.name, u32) + (stage << 8) + offset))
        ptx.inst.add.f32(total, total, value)
        source += 256
    ptx.inst.st.global_.f32(ptx.addr(py + offset), total)
    ptx.ret()
