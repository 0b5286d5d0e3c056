"""ptxas over many instructions at once: which lines it refuses, and why."""

from __future__ import annotations

import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

from avelang.nvptx import nodes as n
from avelang.nvptx.examples import BEGIN, module
from avelang.nvptx.printer import print_module
from avelang.runtime import ptxas
from tools import missing, need

_LINE = re.compile(r"ptxas \S+forms.ptx, line (\d+); (error|fatal)\s*: (.*)")
JUMPS = frozenset({"ret", "exit", "bra", "brx", "trap"})


def tool() -> str:
    found = ptxas.find()
    assert found is not None
    return found.path


def need_ptxas() -> None:
    """Skips a test where there is no ptxas that knows PTX 9.1, in which the forms are written."""
    need("ptxas")
    found = ptxas.find()
    if found is None or found.version < (13, 1):
        missing(f"a ptxas of CUDA 13.1 or newer (there is {found})", "pip install -U nvidia-cuda-nvcc")


def guarded(x: n.PtxInstruction) -> n.PtxInstruction:
    """With a predicate where what follows could not be reached otherwise."""
    return n.PtxInstruction(x.parts, x.operands, n.Guard(n.Register("%pred_9"))) if x.opcode in JUMPS else x


def _errors(text: str, target: str) -> tuple[dict[int, str], str]:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "forms.ptx"
        file.write_text(text)
        done = subprocess.run([tool(), f"-arch={target}", "-O0", "-o", str(file.with_suffix(".cubin")), str(file)],
            capture_output=True, text=True, timeout=300)
    found: dict[int, str] = {}
    for m in _LINE.finditer(done.stderr + done.stdout):
        found.setdefault(int(m[1]), m[3])
    said = done.stderr + done.stdout
    return found, "" if done.returncode == 0 else said or f"ptxas ended with {done.returncode}"


CHUNK = 150  # ptxas needs more than twice the time for twice the text


def refused(instructions: list[n.PtxInstruction], target: str, version: tuple[int, int]) -> dict[int, str]:
    """Index -> what ptxas says, of the instructions that it does not assemble."""
    starts = range(0, len(instructions), CHUNK)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda at: _refused(instructions[at : at + CHUNK], target, version), starts)
    return {at + i: why for at, found in zip(starts, parts, strict=True) for i, why in found.items()}


def _refused(instructions: list[n.PtxInstruction], target: str, version: tuple[int, int]) -> dict[int, str]:
    """The same for few. Those that it refuses are left out until the rest passes."""
    out: dict[int, str] = {}
    left = sorted(range(len(instructions)), key=lambda i: instructions[i].parts[:2] != ("ld", "param::func"))
    while left:
        text = print_module(module(tuple(guarded(instructions[i]) for i in left), target, version))
        lines = text.splitlines()
        first = lines.index(f"{BEGIN}:") + 2
        errors, rest = _errors(text, target)
        if not rest:
            return out
        if any(line < first for line in errors):
            raise AssertionError(rest)
        hit = {left[line - first]: why for line, why in errors.items() if 0 <= line - first < len(left)}
        if not hit:  # an error without a line, or outside the list: halves find it
            if len(left) == 1:
                out[left[0]] = rest.strip()
                return out
            half = len(left) // 2
            for part in (left[:half], left[half:]):
                found = _refused([instructions[i] for i in part], target, version)
                out.update({part[i]: why for i, why in found.items()})
            return out
        out.update(hit)
        left = [i for i in left if i not in hit]
    return out
