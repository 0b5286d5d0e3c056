"""LLVM IR as text comes in; machine code, assembly or optimized IR for this machine goes out. Also the small builder of
that text."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterable, Iterator

import llvmlite.binding as llvm

from avelang.native import units


@dataclasses.dataclass(frozen=True, slots=True)
class Emitted:
    """The result of an emitter: LLVM IR `text`, the `entry` symbol, and the `scratch_bytes` that one thread must lend
    to the entry."""

    text: str
    entry: str
    scratch_bytes: int


class Body:
    """The lines of one function as they grow. Names are unique within the function; `label` is the basic block being
    written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.label = "entry"
        self._count = 0

    def fresh(self, prefix: str = "v") -> str:
        """A new name, without its % sign."""
        self._count += 1
        return f"{prefix}{self._count}"

    def op(self, text: str) -> str:
        """Appends an instruction that has a result, and returns the result's name."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Appends an instruction without a result."""
        self.lines.append("  " + text)

    def start(self, label: str) -> None:
        """Begins a basic block; the one before must have been ended."""
        self.lines.append(f"{label}:")
        self.label = label

    def alloca(self, type: str, align: int = 64) -> str:
        """Stack memory that lives as long as the call: allocated in the entry block, so that loops do not grow the
        stack."""
        name = "%" + self.fresh("slot")
        self.allocas.append(f"  {name} = alloca {type}, align {align}")
        return name

    @contextlib.contextmanager
    def _loop(self, first: str, type: str = "i64") -> Iterator[tuple[str, str]]:
        """A loop that runs at least once: the name of its phi, which begins as `first`, and of the next trip's value.
        The caller writes that value, and last the condition by which the loop goes on, as its line `op`."""
        head, done, entry = self.fresh("loop"), self.fresh("done"), self.label
        now, after = "%" + self.fresh(), "%" + self.fresh()
        self.do(f"br label %{head}")
        self.start(head)
        at = len(self.lines)
        self.lines.append("")
        yield now, after
        self.lines[at] = f"  {now} = phi {type} [ {first}, %{entry} ], [ {after}, %{self.label} ]"
        again = self.lines[-1].split()[0]
        self.do(f"br i1 {again}, label %{head}, label %{done}")
        self.start(done)

    @contextlib.contextmanager
    def each(self, count: int, step: int = 1) -> Iterator[str]:
        """A loop over the numbers from 0 to below `count`, an i64."""
        with self._loop("0") as (now, after):
            yield now
            self.do(f"{after} = add i64 {now}, {step}")
            self.op(f"icmp ult i64 {after}, {count}")

    @contextlib.contextmanager
    def each_bit(self, word: str, type: str = "i64") -> Iterator[str]:
        """A loop over the numbers of the bits that are set in `word`, the lowest first; one is at least. The module
        declares llvm.cttz."""
        with self._loop(word, type) as (left, rest):
            yield self.op(f"call {type} @llvm.cttz.{type}({type} {left}, i1 true)")
            self.do(f"{rest} = and {type} {left}, {self.op(f'sub {type} {left}, 1')}")
            self.op(f"icmp ne {type} {rest}, 0")

    def text(self) -> str:
        """The lines, allocations first."""
        return "\n".join(["entry:", *self.allocas, *self.lines])


class IRModule:
    """Functions, declarations and constants that make up one text. Constants with the same contents are one."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self._declared: dict[str, str] = {}
        self._constants: dict[str, str] = {}
        self._values: dict[str, str] = {}  # the other way round

    def declare(self, name: str, result: str, params: Iterable[str]) -> str:
        """Makes sure that the external function is declared. Returns its name with @."""
        self._declared.setdefault(name, f"declare {result} @{name}({', '.join(params)})")
        return "@" + name

    def include(self, unit: str, *names: str) -> None:
        """Takes functions of a native unit (`avelang.native`), and all that they use."""
        work = list(names)
        while work:
            name = work.pop()
            if name in self.functions:
                continue
            piece = units.piece(unit, name)
            self.functions[name] = piece.text
            for other, (result, params) in piece.declares.items():
                self.declare(other, result, params)
            work += piece.uses

    def define(self, name: str, result: str, params: str, body: Body, value: str = "") -> None:
        """Adds a function that is called, not inlined, and gives `value`."""
        self.functions[name] = (
            f"define internal {result} @{name}({params}) noinline #0 {{\n{body.text()}\n  ret {result} {value}\n}}"
        )

    def declares(self, name: str) -> bool:
        """True where something has declared the external function."""
        return name in self._declared

    def constant(self, type: str, value: str, align: int = 64) -> str:
        """The name of a private constant with this value."""
        key = f"private unnamed_addr constant {type} {value}, align {align}"
        name = self._constants.setdefault(key, f"@c{len(self._constants)}")
        self._values[name] = key
        return name

    def value(self, constant: str) -> str | None:
        """The type and value of a constant, by its name with @."""
        return self._values.get(constant)

    def declaration(self, name: str) -> str | None:
        """The declaration of an external function, if there is one."""
        return self._declared.get(name)

    def text(self, attributes: str) -> str:
        """The whole module; `attributes` are those of its functions."""
        constants = (f"{name} = {key}" for key, name in self._constants.items())
        return "\n".join(
            [*constants, *self._declared.values(), *self.functions.values(), f"attributes #0 = {{ {attributes} }}", ""]
        )


@functools.cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


# What level 1 runs: on the kernels measured, code as fast as from LLVM's -O1 and -O2, in a fifth of the time.
PASSES = ("sroa", "instruction_combine", "simplify_cfg", "new_gvn", "loop_simplify", "lcssa", "loop_rotate")


class HostCompiler:
    """LLVM for the machine that we run on, or for another one.

    `level` is the optimization level of the passes over LLVM IR (0 to 3); on the kernels measured, 1 gives code as fast
    as 2 does, in half the time. The vectorizers are off: emitted code is in vectors already. `target`: (triple, cpu,
    features) instead of this machine's, for looking at code that is not to be run here. `quick`: machine code is chosen
    without care, in half the time, for what runs seldom. Its frames on the stack are as large as its text is long. """

    def __init__(self, level: int = 1, target: tuple[str, str, str] | None = None, quick: bool = False):
        _initialize()
        host = target or (llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
        self.triple, self.cpu, self.features = host
        self.level = level
        self.quick = quick
        self.machine = self.target_machine()

    def target_machine(self) -> llvm.TargetMachine:
        """A new LLVM target machine; an execution engine that loads the objects takes one over."""
        target = llvm.Target.from_triple(self.triple)
        # For code in vectors LLVM's level 1 of code generation is as good as its level 2, and quicker; scalar code may
        # lose, such as divisions.
        opt = 0 if self.quick else min(self.level, 2)
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=opt, codemodel="jitdefault", jit=True
        )

    @property
    def key(self) -> tuple[str, ...]:
        """The facts besides the text on which compiled code depends: for the key of a cache."""
        return (self.triple, self.cpu, self.features, str(self.level), ".".join(map(str, llvm.llvm_version_info)))

    def module(self, text: str, ready: bool = False) -> llvm.ModuleRef:
        """The optimized module; `ready`: the text was optimized when it was made, as that of C is. Raises RuntimeError
        when LLVM refuses the text, which is a fault of the emitter."""
        module = llvm.parse_assembly(text, llvm.create_context())
        module.triple = self.triple
        module.data_layout = str(self.machine.target_data)
        if not ready:
            self._optimize(module, coroutines="presplitcoroutine" in text)
        return module

    def _optimize(self, module: llvm.ModuleRef, coroutines: bool) -> None:
        builder = self._builder(self.level)
        if self.level != 1:
            builder.getModulePassManager().run(module, builder)
            return
        passes = llvm.create_new_module_pass_manager()
        for name in PASSES:
            getattr(passes, f"add_{name}_pass")()
        passes.run(module, builder)
        if coroutines:
            # Only LLVM's own pipelines split coroutines: that of level 0 does, and little else. What values pass a
            # suspension is decided there, so there should be few; what the frame brings is tidied up behind it.
            plain = self._builder(0)
            plain.getModulePassManager().run(module, plain)
            passes.run(module, builder)

    def _builder(self, level: int) -> llvm.PassBuilder:
        """LLVM's pipelines for a level."""
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        # Emitted code is in wide vectors already, and loops that are worth unrolling have been unrolled in the IR.
        options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
        return llvm.create_pass_builder(self.machine, options)

    def object(self, text: str, ready: bool = False) -> bytes:
        """A relocatable object file; `ready`: as of `module`."""
        return self.machine.emit_object(self.module(text, ready))

    def assembly(self, text: str) -> str:
        """Assembly text."""
        return self.machine.emit_assembly(self.module(text))

    def optimized(self, text: str) -> str:
        """LLVM IR after optimization."""
        return str(self.module(text))
