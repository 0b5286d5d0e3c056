"""What pyright in strict mode says of kernels: nothing of right ones, those of the README, the guides and the
tutorials among them, and the mistakes of wrong ones."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

from tests.docs import pages

RIGHT = """from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import tile

M = 4


@avelang.jit
def inner(v: al.f32, by: al.f32 = 2.0) -> al.f32:
    v = v * al.f32(3)
    return al.max(v, 0.0)


@avelang.jit
def outer(x: al.Pointer[al.f32], y: al.Tensor[(M, 64), al.f32], z: Annotated[al.Tensor, (M,), al.u32], n: al.u32 = 0):
    t: tile.DistributedTile = tile.view(x, (n, n)).window((4, 4), (0, 0)).load()
    u = t.map(lambda v: v * 2.0) + t
    y[0, al.thread_id(0)] = inner(y[0, 1]) + u.values[0]


def last() -> float:
    outer[(1,), (64,)](1, 2, 3)
    return 0.0 if outer.last is None else outer.last.prepare


KNOWN: dict[Any, int] = {al.f32: al.f32.bits}
"""
WRONG = """import avelang
import avelang.language as al


@avelang.jit
def inner(v: al.f32) -> al.f32:
    return v


@avelang.jit
def outer(x: al.Pointer[al.f32], n: al.u32 = 1.5):
    a = al.convert(n, 32)
    b = al.thread_idx(0)
    c = al.amdgpu.mfma_of_nothing(a, b, n)
    d = inner(c, a)
    x.foo = d


print(outer.lst)
from avelang import ops, tile
print(tile.lod)
print(ops.matmull)
"""
PTX = """from typing import Any

import pyptx
from avelang.ptx import Argument, Kernel, Reg, Tile, kernel, ptx, reg, smem
from avelang.ptx.types import b32, bf16, f32, pred, u32
from pyptx.types import f32 as pyptx_f32


@kernel(in_specs=(Tile("N", f32), f32), out_specs=Tile("N", f32), grid=1, block=lambda N: N, arch="sm_80")
def scaled(x: Argument, by: Argument, out: Argument, *, N: int):
    px, po = ptx.global_ptrs(x, out)
    at = ptx.special.tid.x() * 4
    v, p = reg.scalar(f32), reg.pred()
    ptx.inst.ld.global_.f32(v, ptx.addr(px + at), pred=p)
    ptx.inst.ld.f32.relaxed.gpu.global_(v, ptx.addr(px + at))  # words in another order
    ptx.inst.cp.async_.bulk.tensor._2d.shared__cluster.global_.tile.mbarrier__complete_tx__bytes(
        ptx.addr(px), ptx.addr(po, coords=(0, 1)), ptx.addr(px)
    )
    ptx.inst["st.global.f32"](ptx.addr(po + at), v)
    ptx.inst.st.global_.v2.f32(ptx.addr(po), [v, v])
    ptx.inst.shfl.sync.bfly.b32((v, p), v, 1, 31, -1)
    ptx.inst.atom.global_.add.f32(None, ptx.addr(po), 1.0)
    tile = smem.alloc(bf16, (64, 64), swizzle=128)
    ptx.ldmatrix(reg.array(b32, 4), tile.at(0, 0), trans=True)
    acc = reg.array(f32, 4, 0.0)
    ptx.mma.sync(shape=(16, 8, 16), dtype_a=bf16, d=acc, a=reg.array(b32, 4), b=reg.array(b32, 2), c=acc)
    r: Reg = v * 2.0 + ptx.param(by)
    with ptx.loop(N) as i, ptx.when(i < 3):
        r += v


@scaled.backward
def gradient(inputs: Any, outputs: Any, gradients: Any) -> Any:
    return gradients


k: Kernel = scaled
print(k.ptx(N=3), pred.bits, u32.signed, gradient((), (), ()))


@pyptx.kernel(in_specs=(pyptx.Tile(32, pyptx_f32),), out_specs=(pyptx.Tile(32, pyptx_f32),), grid=1, block=32, arch="sm_80")
def theirs(x: Any, y: Any):
    px, py = pyptx.ptx.global_ptrs(x, y)
    at = pyptx.reg.from_(pyptx.ptx.special.tid.x(), pyptx.types.u32) << 2
    v = pyptx.reg.scalar(pyptx_f32, init=0.0)
    pyptx.ptx.inst.ld.global_.f32(v, pyptx.ptx.addr(px + at))
    pyptx.ptx.inst.st.global_.f32(pyptx.ptx.addr(py + at), v)
    pyptx.ptx.ret()
"""
WRONG_PTX = """from avelang.ptx import Argument, Tile, kernel, ptx, reg
from avelang.ptx.types import f32, u32
import pyptx.ptx as theirs


@kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32)
def wrong(x: Argument, out: Argument):
    t = reg.scalar(u32)
    ptx.inst.mov.u33(t, 1)
    ptx.inst.add.u32(t, t)
    ptx.inst.ld.globl.f32(t, ptx.addr(x))
    ptx.inst.ld.global_.f32(t, 16)
    ptx.inst.mov.u32(t, ptx.special.tidd.x())
    ptx.syncthread()
    reg.scaler(u32)
    theirs.inst.shl.b32(t)
    theirs.special.lane()


print(wrong.ptxx())
"""
# Pages of which not every program is right to a checker: kernels to fill in, and a wrong call.
OTHERS = {"puzzles_index_page.py", "docs_recipes_errors.py"}
FOUND = {11: "reportArgumentType", 12: "reportArgumentType", 13: "reportAttributeAccessIssue",
         14: "reportAttributeAccessIssue", 15: "reportCallIssue", 16: "reportAttributeAccessIssue",
         19: "reportAttributeAccessIssue", 21: "reportAttributeAccessIssue",
         22: "reportAttributeAccessIssue"}  # fmt: skip
FOUND_PTX = {9: "reportArgumentType", 10: "reportCallIssue", 11: "reportArgumentType", 12: "reportArgumentType",
             13: "reportAttributeAccessIssue", 14: "reportAttributeAccessIssue", 15: "reportAttributeAccessIssue",
             16: "reportCallIssue", 17: "reportAttributeAccessIssue", 20: "reportAttributeAccessIssue"}  # fmt: skip


def test_strict_pyright_on_kernels(tmp_path):
    root, docs = pages.ROOT, pages.ROOT / "docs"
    files = {"right.py": RIGHT, "wrong.py": WRONG, "ptx.py": PTX, "wrong_ptx.py": WRONG_PTX}
    written = [root / "README.md", *docs.glob("*.md"), *docs.glob("*/*.md")]
    assert len(written) > 40
    for page in written:
        for name, blocks in pages.programs(page.read_text()).items():
            files[f"{page.parent.name}_{page.stem}_{name}"] = "\n".join(b.code for b in blocks)
    assert files.keys() >= OTHERS
    for name in files.keys() - OTHERS:
        pathlib.Path(tmp_path, name).write_text(files[name])
    settings = {"strict": ["."], "extraPaths": [str(root / "src"), str(root / "distributions/pyptx/src")],
                "pythonVersion": "3.11", "reportMissingModuleSource": "none"}  # fmt: skip
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "-p", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = json.loads(done.stdout)["generalDiagnostics"]

    def of(name: str) -> list[dict]:
        return [d for d in found if pathlib.Path(d["file"]).name == name]

    def rules(name: str) -> dict[int, str]:
        """The first rule of each line, but for those that only say that a type is unknown thereby."""
        return {d["range"]["start"]["line"] + 1: d["rule"] for d in reversed(of(name))
                if not d.get("rule", "").startswith("reportUnknown")}  # fmt: skip

    wrong = {"wrong.py": FOUND, "wrong_ptx.py": FOUND_PTX}
    rest = [(pathlib.Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["message"])
            for d in found if pathlib.Path(d["file"]).name not in wrong]  # fmt: skip
    assert not rest
    assert {name: rules(name) for name in wrong} == wrong
