"""What a kernel takes on an NVIDIA GPU: a jit function or PTX comes in; registers, spills, shared memory, blocks on an
SM, and warnings at the user's lines go out. Made by `ptxas`; no GPU is needed."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from avelang.arch.occupancy import Residency, multiprocessor, residency
from avelang.base.errors import SHIPPED, error
from avelang.runtime import compile, ptxas
from avelang.runtime.geometry import Dim3

PURPOSE = "machine code for an NVIDIA GPU"


@dataclasses.dataclass(frozen=True, slots=True)
class Remark:
    """A remark of ptxas on a kernel: its `number` (such as C7510, "" for words without one), `text`, and `file` and
    `line` of the source ("" and 0 where they are not known)."""

    number: str
    text: str
    file: str
    line: int

    @property
    def costly(self) -> bool:
        """True where ptxas speaks of a loss of speed."""
        return self.text.startswith(ptxas.LOSS)


@dataclasses.dataclass(frozen=True, slots=True)
class Resources:
    """The resources of a kernel, in bytes but for `registers` (of a thread), `barriers` (of a block) and `threads`.
    `stored` and `loaded`: how many bytes of spilled registers a thread's code moves, each instruction counted once;
    `spilled_at`: (file, line, bytes), the most first. `shared` is what the kernel declares, `dynamic` what a launch
    adds. `residency`: how many blocks one SM holds."""

    kernel: str
    chip: str
    assembler: str
    threads: int
    registers: int
    stored: int
    loaded: int
    spilled_at: tuple[tuple[str, int, int], ...]
    stack: int
    shared: int
    dynamic: int
    barriers: int
    code_bytes: int
    residency: Residency
    remarks: tuple[Remark, ...]


def remarked(said: Mapping[str, Any]) -> list[Remark]:
    """The remarks in an assembler's report."""
    return [Remark(*r) for r in said.get("remarks", ())]


def resources(
    jitted: Any, constexprs: Mapping[str, Any], block: Dim3 = (1, 1, 1), target: str = "sm_90a", dynamic: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Resources:  # fmt: skip
    """The resources of a kernel, without running it; warns as `warn` does. `dynamic`: bytes of shared memory that a
    launch adds to the kernel's own; `options`: the launch's, such as `cluster`. Raises what `compile_text` raises, L009
    where the target is no NVIDIA GPU, D020 without a ptxas, D038."""
    code, meta = cubin(jitted, constexprs, block, target, options)
    threads = block[0] * block[1] * block[2]
    return of_report(code, meta, meta["entry"], target, threads, meta["dynamic_bytes"] + dynamic)


def cubin(
    jitted: Any, constexprs: Mapping[str, Any], block: Dim3 = (1, 1, 1), target: str = "sm_90a",
    options: Mapping[str, Any] | None = None
) -> tuple[bytes, dict[str, Any]]:  # fmt: skip
    """The machine code of a kernel, as `cuModuleLoadData` takes it, and what is known of it; arguments, errors and
    warnings as of `resources`."""
    _check(jitted, target)
    tool = ptxas.need(PURPOSE)
    text, meta = _assembly(jitted, constexprs, block, target, options)
    code, said = ptxas.assemble(tool, text, target, meta["entry"])
    meta = {**meta, **said, "assembler": str(tool)}
    warn(meta)
    return code, meta


def ptx(
    jitted: Any, constexprs: Mapping[str, Any], block: Dim3 = (1, 1, 1), target: str = "sm_90a",
    options: Mapping[str, Any] | None = None
) -> str:  # fmt: skip
    """The PTX of a kernel, with the lines of its source; needs no ptxas. Arguments as of `resources`, errors as of
    `compile_text`, and L009."""
    _check(jitted, target)
    return _assembly(jitted, constexprs, block, target, options)[0]


def _check(jitted: Any, target: str) -> None:
    chip = compile.chip_of(target)
    if chip is None or chip.vendor != "nvidia":
        want = "a chip of NVIDIA, such as sm_90a, for PTX and what is made of it"
        raise error("L009", kernel=jitted.source.name, name="target", want=want, got=repr(target))


def _assembly(
    jitted: Any, constexprs: Mapping[str, Any], block: Dim3, target: str, options: Mapping[str, Any] | None
) -> tuple[str, dict[str, Any]]:  # fmt: skip
    source = jitted.source
    return compile.device_assembly(source, compile.constants(source, constexprs), target, block, options or {})


_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)", re.MULTILINE)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_EXTENTS = re.compile(r"\.(?:reqntid|maxntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")


def is_ptx(text: str) -> bool:
    """True where a text is PTX."""
    return bool(_TARGET.search(text) and _ENTRY.search(text))


def of_ptx(text: str, entry: str | None = None, threads: int | None = None, dynamic: int = 0) -> Resources:
    """The resources of a kernel in a PTX text, of Ave or of any compiler: the first where no `entry` is named.
    `threads` of a block: where left out, what the text says. Raises D020, D023 for an unknown entry, D025 for a text
    without one, D038, U101 for a target that is not known here."""
    target = _TARGET.search(text)
    names = _ENTRY.findall(text)
    if target is None or not names:
        raise error("D025", why="it has no .target and .entry, as PTX has")
    name = entry or names[0]
    if name not in names:
        raise error("D023", what="the PTX", name=name, known=", ".join(names))
    head = re.search(rf"\.entry\s+{re.escape(name)}(?![\w$])[^{{]*", text)
    extents = _EXTENTS.search(head[0]) if head else None
    if threads is None and extents:
        x, y, z = (int(n or 1) for n in extents.groups())
        threads = x * y * z
    tool = ptxas.need(PURPOSE)
    code, said = ptxas.assemble(tool, text, target[1], name)
    return of_report(code, {**said, "assembler": str(tool)}, name, target[1], threads or 1, dynamic)


def of_report(code: bytes, said: Mapping[str, Any], entry: str, chip: str, threads: int, dynamic: int) -> Resources:
    """The resources of machine code of which ptxas has `said` what `ptxas.report` reads, and "assembler"."""
    shared, (stored, loaded) = said["static_bytes"], said["spills"]
    return Resources(
        kernel=entry, chip=chip, assembler=said["assembler"], threads=threads, registers=said["registers"],
        stored=stored, loaded=loaded,
        spilled_at=tuple((file, line, size) for file, line, size in said["spilled_at"]), stack=said["stack"],
        shared=shared, dynamic=dynamic,
        barriers=said["barriers"], code_bytes=len(code),
        residency=residency(chip, threads, said["registers"], shared + dynamic),
        remarks=tuple(remarked(said)),
    )  # fmt: skip


def warn(meta: Mapping[str, Any]) -> None:
    """Warnings (RuntimeWarning) at the lines of the user's file: where most registers are spilled, and where ptxas sees
    speed lost. None for kernels that come with Ave: who calls an operation has not chosen their tiles."""
    if str(meta["place"][0]).startswith(SHIPPED):
        return
    for text, file, line in warned(meta):
        warnings.warn_explicit(text, RuntimeWarning, file, line)


def warned(meta: Mapping[str, Any]) -> Iterable[tuple[str, str, int]]:
    """(words, file, line) of the warnings that a kernel deserves. `meta`: what is known of its code, of whichever
    vendor."""
    stores, loads = meta.get("spills", (0, 0))
    at = f"{meta['chip']}, block {tuple(meta['block'])}"
    if stores or loads:
        lines = meta.get("spilled_at") or [[*meta["place"], 0]]
        at_most = next((at for at in lines if not str(at[0]).startswith(SHIPPED)), meta["place"])
        most = "" if meta["registers"] < multiprocessor(meta["chip"]).most_registers else ", the most that there are,"
        shares = ", ".join(f"line {n}: {size}" for _, n, size in lines if size)
        yield (
            f"`{meta['kernel']}` spills ({at}): {meta['registers']} registers a thread{most} are not enough, and "
            f"{stores} bytes are stored and "
            f"{loads} loaded around them{f' ({shares})' if shares else ''}; use smaller tiles, or more threads for "
            f"the same tile",
            str(at_most[0]),
            int(at_most[1]),
        )
    for remark in remarked(meta):
        if remark.costly:
            file, line = (remark.file, remark.line) if remark.file else meta["place"]
            yield (
                f"`{meta['kernel']}` ({at}): {remark.text.removeprefix(ptxas.LOSS)} (ptxas {remark.number})",
                file,
                line,
            )
