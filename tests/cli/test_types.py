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
"""
# Pages of docs/ of which every program is checked.
STRICT = ("debugging", "editors", "executor", "guide", "hopper_gemm", "inspect", "language", "mi300_gemm", "pipelines",
          "tile", "tile_attention", "tile_grouped_gemm", "tutorial")  # fmt: skip
FOUND = {11: "reportArgumentType", 12: "reportArgumentType", 13: "reportAttributeAccessIssue",
         14: "reportAttributeAccessIssue", 15: "reportCallIssue", 16: "reportAttributeAccessIssue",
         19: "reportAttributeAccessIssue"}  # fmt: skip


def test_strict_pyright_on_kernels(tmp_path):
    root, readme = pages.ROOT, pages.ROOT / "README.md"
    files = {"right.py": RIGHT, "wrong.py": WRONG}
    docs = root / "docs"
    learn = [*docs.glob("tutorials/*.md"), *docs.glob("coming-from/*.md")]
    assert len(learn) > 10
    for page in (readme, *(docs / f"{name}.md" for name in STRICT), *learn):
        for name, blocks in pages.programs(page.read_text()).items():
            files[f"{page.parent.name}_{page.stem}_{name}"] = "\n".join(b.code for b in blocks)
    for name, text in files.items():
        pathlib.Path(tmp_path, name).write_text(text)
    settings = {"strict": ["."], "extraPaths": [str(root / "src")], "pythonVersion": "3.11",
                "reportMissingModuleSource": "none"}  # fmt: skip
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "-p", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = json.loads(done.stdout)["generalDiagnostics"]
    wrong = {d["range"]["start"]["line"] + 1: d.get("rule") for d in reversed(found) if d["file"].endswith("wrong.py")
             and not d.get("rule", "").startswith("reportUnknown")}  # fmt: skip
    rest = [(pathlib.Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["message"])
            for d in found if not d["file"].endswith("wrong.py")]  # fmt: skip
    assert not rest
    assert wrong == FOUND
