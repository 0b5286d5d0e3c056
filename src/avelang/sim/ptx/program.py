"""PTX, as text or nodes, comes in; launches of an entry change the memory of this machine, and faults become errors."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import avelang.sim.ptx.initializers as initializers
import avelang.sim.ptx.reports as reports
from avelang.base.errors import AveError, error
from avelang.base.takes import takes
from avelang.llvm.core import HostCompiler
from avelang.llvm.engine import LoadedCode
from avelang.nvptx import nodes as n
from avelang.nvptx.parse import parse
from avelang.nvptx.printer import instruction
from avelang.sim.ptx.code import Instr, flatten, required
from avelang.sim.ptx.flow import PtxTranslation, leaders, translate
from avelang.sim.ptx.handlers import asks_host
from avelang.sim.ptx.host import HostExecutor
from avelang.sim.ptx.maps import PtxTensorMap
from avelang.sim.ptx.modifiers import wrong_with
from avelang.sim.ptx.multicast import Multicast
from avelang.sim.ptx.narrow import DeviceMemory, device_offset
from avelang.sim.ptx.run import ORDERS, Dim3, PtxLaunch, PtxRun, aligned
from avelang.sim.ptx.state import NARROW_START

MANY = 50_000_000  # warp instructions
MOST_THREADS, MOST_CLUSTER = 1024, 16
# bytes a block may have on sm_90 and sm_100 (CUDA C++ Programming Guide, "Compute capabilities")
MOST_SHARED = 227 * 1024


WORDS = ("races", "init")  # what a launch may be checked for, besides what it always is


class Ran(int):
    """The number of warp instructions that a launch has executed; `reports`: the errors that it collected."""

    reports: list[AveError]
    # in a launch that is watched: indices of the barriers, waits, fences and accesses that it came to
    executed: frozenset[int]

    def __new__(cls, count: int, reports: Iterable[AveError] = (), executed: Iterable[int] = ()) -> Ran:
        made = super().__new__(cls, count)
        made.reports, made.executed = list(reports), frozenset(executed)
        return made


class Made:
    """A translation and its machine code, made when it first runs: a launch with checks has code of its own."""

    def __init__(self, program: PtxProgram, said: PtxTranslation):
        self._program, self.said, self._level = program, said, 0

    @functools.cached_property
    def _loaded(self) -> LoadedCode:
        try:
            return LoadedCode(_compiled(self.said.text, self._level))
        except RuntimeError:  # LLVM: operands of kinds that a handler did not look at
            for i in self._program.code.instructions:
                if why := wrong_with(i):
                    raise reports.unknown(self._program, i, why) from None
            raise

    @functools.cached_property
    def run_warp(self) -> Any:
        """The function that runs a warp until it waits."""
        return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(self._loaded.address("ave_warp"))

    @functools.cached_property
    def run_grid(self) -> Any:
        """The function that runs blocks of a grid."""
        signature = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        return signature(self._loaded.address("ave_grid"))

    def ran(self, instructions: int) -> None:
        """Code that runs for long is worth LLVM's time: a launch like this one takes a quarter less from now on."""
        if instructions > MANY and not self._level:
            self._level = 1
            for name in ("_loaded", "run_warp", "run_grid"):
                self.__dict__.pop(name, None)


class PtxProgram:
    """An entry of a PTX module, translated for this machine.

    `source`: text, or a module as `avelang.nvptx.parse` gives it; `entry`: its name, not needed where there is one.
    Raises S201 for text that is not PTX, X030 for what cannot be executed as a whole, X031 where an operand names
    nothing. """

    @takes()
    def __init__(self, source: str | n.PtxModule, entry: str | None = None):
        module = parse(source) if isinstance(source, str) else source
        self.code = flatten(module, entry)
        self.plain = Made(self, translate(self.code))
        self.unknown = self.plain.said.unknown
        self.tensor_group = 0  # of .cta_group, once an instruction of tcgen05 has said it
        self.skipped = -1  # the index of an instruction of the host that is left out (`mutate`)
        self.module_memory = aligned(max(64, self.code.module_bytes))
        narrow = NARROW_START + device_offset(self.code.param_bytes) if self.code.windows.bits == 32 else 0
        initializers.fill(self.code, self.module_memory, narrow)

    @functools.cached_property
    def watched(self) -> Made:
        """The code that writes down its accesses, for launches with `check`."""
        return Made(self, translate(self.code, watched=True))

    @functools.cached_property
    def defining(self) -> Made:
        """The code that follows, besides, what nothing has written."""
        return Made(self, translate(self.code, watched=True, init=True))

    @contextlib.contextmanager
    def without(self, index: int) -> Iterator[None]:
        """Launches go without a barrier, a wait or a fence: the instruction at this index (`mutate`)."""
        i, whole = self.code.instructions[index], (self.watched, self.defining)
        self.skipped = index
        if i.entry.has("barrier") and not asks_host(i):  # translated code does it
            self.watched = Made(self, translate(self.code, watched=True, without=index))
            self.defining = Made(self, translate(self.code, watched=True, without=index, init=True))
        try:
            yield
        finally:
            self.skipped, (self.watched, self.defining) = -1, whole

    # -- launches ------------------------------------------------------------------------------------------------------

    @takes()
    def launch(self, args: Sequence[int | bytes | PtxTensorMap], grid: Dim3, block: Dim3, shared_bytes: int = 0,
            cluster: Dim3 | None = None, memory: Sequence[tuple[int, int, str, bool]] = (), check: Sequence[str] = (),
            report: str = "raise", order: str = "", seed: int = 0,
            multicast: Sequence[Multicast] = ()) -> Ran:  # fmt: skip
        """Runs a grid to its end; gives the number of warp instructions executed, an int whose `.reports` are the
        errors that were collected.

        `args`: one for each parameter: an int (pointers are addresses of this machine), its bytes, or a `PtxTensorMap`
        for 128 of them. `grid` in blocks, `block` in threads, `cluster` in blocks. `shared_bytes` of dynamic shared
        memory. `memory`: (address, bytes, name, whether it may be written) of what the kernel may touch. `check`: words
        of `WORDS`, "all": races (X040 to X043, X050), values that nothing wrote (X051). `report`: "raise", or
        "collect": what is wrong is kept, one error for each kind and place, and the kernel runs on. `order`: "" (warps
        and blocks in turn), "reverse", or "random" with a `seed`: who runs first; what is found does not depend on it,
        numbers may. `multicast`: objects that `multimem` instructions reach.

        Raises X036 for what cannot be launched, X031 to X035 for what stops a warp, and what `check`
        finds. """
        run = self._run(args, grid, block, shared_bytes, cluster, memory, check, report, order, seed, multicast)
        if run is None:
            return Ran(0)
        try:
            run.all()
        finally:
            if run.launch.device is not None:
                run.launch.device.back()
        return self._ran(run)

    @takes()
    def launch_peers(self, args: Sequence[Sequence[int | bytes | PtxTensorMap]], grid: Dim3, block: Dim3,
            shared_bytes: int = 0, cluster: Dim3 | None = None,
            memory: Sequence[Sequence[tuple[int, int, str, bool]]] = (), check: Sequence[str] = (),
            report: str = "raise", order: str = "", seed: int = 0,
            multicast: Sequence[Multicast] = ()) -> list[Ran]:  # fmt: skip
        """Runs the grid on several simulated GPUs at once, turn by turn: they may wait for one another's stores.

        `args` and `memory` have one element for each GPU, which is what `launch` takes; the module's variables are
        each GPU's own, from their initial values; `multicast` is for all. `check` looks at each GPU for itself: races
        between two GPUs are not found. """
        if self.code.windows.bits == 32:
            why = "its addresses have 32 bits: it runs on one GPU"
            raise error("X036", kernel=self.code.entry.name, what="launch_peers", why=why)
        if len(memory) not in (0, len(args)):
            raise error("X036", kernel=self.code.entry.name, what=f"memory of {len(memory)} GPUs",
                why=f"there are arguments of {len(args)}")  # fmt: skip
        runs = []
        for k, own in enumerate(args):
            module = aligned(len(self.module_memory))
            initializers.fill(self.code, module)
            runs.append(self._run(own, grid, block, shared_bytes, cluster, memory[k] if memory else (), check, report,
                order, seed, multicast, module))  # fmt: skip
        going = [r.rounds() for r in runs if r is not None]
        while going:
            going = [g for g in going if next(g, self) is None]
        return [Ran(0) if r is None else self._ran(r) for r in runs]

    def _ran(self, run: PtxRun) -> Ran:
        run.made.ran(run.instructions)
        return Ran(run.instructions, run.found.values(), run.watch.executed if run.watch is not None else ())

    def _run(self, args: Sequence[Any], grid: Dim3, block: Dim3, shared_bytes: int, cluster: Dim3 | None,
            memory: Sequence[tuple[int, int, str, bool]], check: Sequence[str], report: str, order: str, seed: int,
            multicast: Sequence[Multicast], module: np.ndarray | None = None) -> PtxRun | None:  # fmt: skip
        """A launch that has been checked, and has not begun; None where its grid is empty."""
        self._asked(check, report, order)
        launch = self.prepared(args, grid, block, shared_bytes, cluster, memory, multicast, module)
        if launch is None:
            return None
        words = frozenset(WORDS if "all" in check else check)
        return PtxRun(self, launch, words, report == "collect", order, seed)

    def prepared(self, args: Sequence[Any], grid: Dim3, block: Dim3, shared_bytes: int, cluster: Dim3 | None,
            memory: Sequence[tuple[int, int, str, bool]], multicast: Sequence[Multicast] = (),
            module: np.ndarray | None = None) -> PtxLaunch | None:  # fmt: skip
        """A launch that has been checked, with `module` for the module's variables; None where its grid is empty.
        Raises X036."""
        said = required(self.code.entry.node)
        extents = tuple(cluster or said.get("reqnctapercluster", (1, 1, 1)))
        self._check(grid, block, extents, shared_bytes, said)
        variables = self.module_memory if module is None else module
        device = None
        if self.code.windows.bits == 32:
            device = DeviceMemory(self.code.entry.name, self.code.param_bytes, variables, memory)
            args = [device.narrow(int(x)) if isinstance(x, (int, np.integer)) else x for x in args]
            variables = device.module
        params = self._params(args, device)
        if 0 in grid:
            return None
        names = [(a, a + size, name, writable) for a, size, name, writable in memory]
        names = names if device is None else device.names
        own = [(params, "the parameters", False), (variables, "the module's variables", True)]
        names += [(x.ctypes.data, x.ctypes.data + x.nbytes, name, writable) for x, name, writable in own]
        regions = np.array([(start, end, int(writable)) for start, end, _, writable in names], np.uint64)
        explicit = cluster is not None and tuple(cluster) != (1, 1, 1) or "reqnctapercluster" in said
        return PtxLaunch(
            tuple(grid), tuple(block), extents,  # type: ignore[arg-type]
            shared_bytes, params, regions, names, {}, explicit, list(multicast), variables, device,
        )  # fmt: skip

    def _asked(self, check: Sequence[str], report: str, order: str) -> None:
        for what, got, known in (("check", check, (*WORDS, "all")), ("report", (report,), ("raise", "collect")),
                ("order", (order,), ORDERS)):
            for word in got:
                if word not in known:
                    why = f"there is {', '.join(repr(x) for x in known)}"
                    raise error("X036", kernel=self.code.entry.name, what=f"{what}={word!r}", why=why)

    def host(self, run: PtxRun) -> HostExecutor:
        """The executor of what translated code leaves to the host."""
        return HostExecutor(run)

    def _params(self, args: Sequence[Any], device: DeviceMemory | None = None) -> np.ndarray:
        """The bytes of the parameters."""
        name, params = self.code.entry.name, self.code.params
        if len(args) != len(params):
            raise error("X036", kernel=name, what=f"{len(args)} arguments", why=f"its parameters are {len(params)}")
        out = aligned(max(64, self.code.param_bytes)) if device is None else device.params
        for v, value in zip(params, args, strict=True):
            if isinstance(value, PtxTensorMap):
                value = value.pack()
            if isinstance(value, (int, np.integer)):
                if not -(1 << 8 * v.bytes - 1) <= value < 1 << 8 * v.bytes:
                    raise error("X036", kernel=name, what=f"parameter {v.name}", why=f"{value} does not fit {v.bytes} "
                        f"bytes")
                value = (int(value) & (1 << 8 * v.bytes) - 1).to_bytes(v.bytes, "little")
            raw = bytes(value)
            if len(raw) != v.bytes:
                raise error("X036", kernel=name, what=f"parameter {v.name}", why=f"it has {v.bytes} bytes, {len(raw)} "
                    f"were given")
            out[v.offset : v.offset + v.bytes] = np.frombuffer(raw, np.uint8)
        return out

    def _check(self, grid: Dim3, block: Dim3, cluster: tuple[int, ...], shared: int, said: Any) -> None:
        name = self.code.entry.name
        threads = block[0] * block[1] * block[2]
        total = self.code.shared_bytes + shared
        need = said.get("reqntid")
        most = said.get("maxntid")
        blocks = cluster[0] * cluster[1] * cluster[2]
        for what, bad, why in ((f"block {block}", min(block) < 1 or threads > MOST_THREADS,
                f"a block has 1 to {MOST_THREADS} threads"),
                (f"block {block}", need is not None and tuple(block) != need, f"the entry says .reqntid {need}"),
                (f"block {block}", most is not None and threads > most[0] * most[1] * most[2],
                f"the entry says .maxntid {most}"),
                (f"grid {grid}", min(grid) < 0 or max(grid) >= 1 << 31, "extents are 0 to 2**31 - 1"),
                (f"{total} bytes of shared memory", total > MOST_SHARED, f"a block has at most {MOST_SHARED}"),
                (f"cluster {cluster}", min(cluster) < 1 or blocks > MOST_CLUSTER, f"a cluster has 1 to {MOST_CLUSTER} "
                f"blocks"), (f"grid {grid}", any(g % c for g, c in zip(grid, cluster, strict=True)),
                f"it cannot be cut into clusters of {cluster}"),
                (f"cluster {cluster}", "reqnctapercluster" in said and cluster != said["reqnctapercluster"],
                f"the entry says .reqnctapercluster {said.get('reqnctapercluster')}")):  # fmt: skip
            if bad:
                raise error("X036", kernel=name, what=what, why=why)

    # -- for reports ---------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _leaders(self) -> list[int]:
        return leaders(self.code)

    def at_block(self, number: int) -> Instr:
        """The instruction with which a block begins."""
        return self.code.instructions[self._leaders[number]]

    def quoted(self, index: int) -> str:
        """An instruction in words."""
        if index < 0:
            return "a copy"
        node = self.code.instructions[index].node
        return f"`{instruction(node).strip()}` (line {node.line})"


@functools.lru_cache(64)
def _compiled(text: str, level: int) -> bytes:
    return HostCompiler(level).object(text)
