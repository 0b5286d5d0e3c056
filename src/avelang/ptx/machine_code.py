"""Traced PTX comes in; machine code, loaded on a GPU or disassembled, goes out. Made once, for the cache on disk."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from avelang.base import knobs
from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.check import count_of, type_of
from avelang.nvptx.ptx_types import TYPES
from avelang.ptx.build import Traced
from avelang.ptx.form_queries import forms_of
from avelang.runtime import ahead, cache, progress, ptxas
from avelang.runtime.arguments import Parameters

_BULK = 16  # bytes: the unit of bulk copies of runs; those of boxes are checked with their tensor maps
_MOST = 32  # bytes: the widest access


def alignment(module: n.PtxModule) -> int:
    """The most bytes that an instruction of the kernel takes from global memory at once: arrays must begin at a
    multiple of it."""
    every = (x for f in module.functions() for x in n.instructions(f.body or ()))
    return min(max(map(_width, every), default=1), _MOST)


def _width(x: n.PtxInstruction) -> int:
    """The bytes of an access to global memory, as the table has its operands; 1 for an instruction that has none of a
    size of its own."""
    for form, env in forms_of(x.parts)[:1]:
        specs = form.present(env)
        reached = any(spec.role == "m" and type_of(spec, env) in ("", "global") for spec in specs)
        if not reached or any(spec.role == "t" for spec in specs):
            return 1
        if x.parts[:2] != ("st", "bulk") and "bulk" in x.parts:
            return _BULK
        if not form.entry.has("async", "long"):
            return 1
        copied = (o.value for o, spec in zip(x.operands, specs, strict=False) if isinstance(o, n.Int) and spec.values)
        if size := next(copied, 0):
            return size
        data = next((spec for spec in specs if spec.role in "dsr" and type_of(spec, env) in TYPES), None)
        return 1 if data is None else TYPES[type_of(data, env)].bits * max(1, count_of(data, env)) // 8
    return 1


def _meta(traced: Traced, parameters: Parameters) -> dict[str, Any]:
    """What the runtime must know of the code."""
    specs = parameters.runtime
    return {
        "kernel": traced.definition.name, "entry": traced.entry, "block": list(traced.geometry.block),
        "params": len(specs),
        "dynamic_bytes": traced.dynamic_bytes, "pointer_align": alignment(traced.module),
        "writes": list(traced.definition.names[len(traced.definition.inputs) :]),
        "wide": [i for i, s in enumerate(specs) if s.map is not None],
        "arguments": [[s.name,
                       s.dtype.name if s.kind == "scalar" and s.dtype is not None else "pointer"] for s in specs],
        "launch": {"cluster": list(traced.cluster)} if traced.cluster != (1, 1, 1) else {},
    }  # fmt: skip


def _name(traced: Traced, parameters: Parameters, device: Any) -> str:
    """The name in the cache on disk."""
    return cache.key({"ptx": traced.with_lines, "meta": _meta(traced, parameters), **device.key, "chip": traced.chip})


def _facts(traced: Traced, parameters: Parameters, device: Any, said: dict[str, Any]) -> dict[str, Any]:
    """What the cache keeps beside the code, of which the assembler said so much."""
    kept = {"ptx": traced.with_lines} if knobs.check_ptxas() else {}
    span = traced.definition.span
    kept |= {"chip": traced.chip, "place": [span.file, span.line] if span else ["", 0]}  # for warnings of spills
    return {**said, **_meta(traced, parameters), **kept, "assembler": device.key["assembler"]}


def collect(traced: Traced, parameters: Parameters, device: Any) -> None:
    """Notes that the kernel is to be assembled for a GPU, instead of loading it there."""
    ahead.collect_ptx(traced.with_lines, traced.chip, traced.entry, device, _name(traced, parameters, device),
                      lambda said: _facts(traced, parameters, device, said))


def load(traced: Traced, parameters: Parameters, device: Any) -> Any:
    """The kernel as a program of the runtime, loaded on a GPU. Raises D035, D038."""
    name = _name(traced, parameters, device)
    entry = cache.load(name)
    if entry is not None:
        try:
            return device.load(entry.payload, entry.meta)
        except (AveError, KeyError, TypeError, ValueError):  # no code for this device after all
            cache.drop(name)
    if "asm" in knobs.dump():
        print(traced.text, file=sys.stderr)
    try:
        code, said = device.driver.machine_code(device, traced.with_lines, traced.chip, traced.entry)
    except AveError as e:
        raise _placed(e, traced) from None
    meta = _facts(traced, parameters, device, said)
    cache.store(name, meta, code)
    return device.load(code, meta)


def assembled(traced: Traced) -> tuple[bytes, dict[str, Any]]:
    """The code that `ptxas` makes for the kernel's chip, and what it says of it. Raises D020, D037, D038."""
    tool = ptxas.need("the machine code of PTX")
    try:
        with progress.shown(traced.entry, "ptxas", traced.chip):
            return ptxas.assemble(tool, traced.with_lines, traced.chip, traced.entry)
    except AveError as e:
        raise _placed(e, traced) from None


def _placed(e: AveError, traced: Traced) -> AveError:
    """An error of the assembler, at the user's line where it names one of the PTX."""
    found = re.search(r"\.ptx, line (\d+)", e.message)
    if e.code == "D038" and found is not None:
        lines = traced.with_lines.split("\n")
        file, line = ptxas.source_line(lines, min(int(found[1]), len(lines)))
        e.span = Span(file, line, function=traced.definition.name) if file else traced.definition.span
    return e


_TOOLS = (("nvdisasm", "-c"), ("cuobjdump", "-sass"))


def disassembler() -> list[str] | None:
    """The command of NVIDIA's disassembler: beside a `ptxas`, or in the path; None where there is none."""
    folders = [os.path.dirname(place) for place in ptxas.places() if place]
    for tool, *options in _TOOLS:
        for place in [*(os.path.join(f, tool) for f in folders), shutil.which(tool) or ""]:
            if place and os.path.isfile(place):
                return [place, *options]
    return None


def disassembled(traced: Traced) -> str:
    """The kernel's machine code as text. Raises D020 where a tool is missing, D021 where it fails."""
    command = disassembler()
    if command is None:
        install = "pip install nvidia-cuda-nvdisasm or nvidia-cuda-cuobjdump, or NVIDIA's CUDA toolkit"
        looked = "folders of ptxas, CUDA_HOME, CUDA_PATH, PATH"
        raise error(
            "D020", purpose="the text of machine code", tool="nvdisasm or cuobjdump", looked=looked, install=install
        )
    code, _ = assembled(traced)
    with tempfile.TemporaryDirectory(prefix="ave-") as folder:
        file = os.path.join(folder, f"{traced.entry}.cubin")
        with open(file, "wb") as out:
            out.write(code)
        done = subprocess.run([*command, file], capture_output=True, text=True, check=False)
    if done.returncode:
        raise error("D021", tool=command[0], why=(done.stderr or done.stdout).strip()[:300])
    return done.stdout
