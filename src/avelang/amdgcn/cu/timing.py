"""Clocks of a compute unit: a chip comes in, `CuTimings` go out; an instruction comes in, a `CuOp` goes out: its issue
port, the pipe that it holds, and when its results are there for whom.

Sources. LLVM: SISchedule.td, the model SIDPGFX940FullSpeedModel (a cycle of it is an issue slot of four clocks): one
instruction a cycle, results of vector instructions a cycle later and of transcendental ones and conversions of f32 four
cycles later, a taken branch eight. AMD CDNA3 ISA guide, table 37: wait states between matrix instructions and those
that use their results (`amdgcn.hazards.MATRIX_RULES`), and section 4.5, table 11, for those in front of them. Passes:
`isa.amdgpu.passes`. LDS: 128 bytes a clock in phases (`arch.amd`), 16 addresses a clock from a SIMD and 32 into the LDS
(nod-ai, "AMDGPU Kernel Optimization Guide", "Workgroup Memory"); a read of 16 bytes a
lane holds it for 8 clocks, any other for 4 at least (Composable Kernel, the issue cycles of
`blockwise_gemm_pipeline_xdlops_v3`). A pair of SIMDs has a queue of 8 accesses to LDS and a bus of 128 bytes a clock
from it, and the first data is there 50 to 70 clocks after the issue (AMD, gfx950-gluon-tutorials, "Understanding
ds_read Throughput", by traces of an MI355X; taken for the other chips too). Vector memory: 64
bytes a clock from L1 (AMD CDNA 3 white paper: 64 bytes a clock and CU; gfx942 has lines of 128).

What nobody has published stands in `CuTimings` as `assumed`."""

from __future__ import annotations

import dataclasses
import functools

from avelang.amdgcn.asm import MCInst
from avelang.amdgcn.effects import DS, FLAT, MATRIX, SALU, SMEM, VALU, VMEM, Effects, Span, effects
from avelang.amdgcn.hazards import MATRIX_RULES, PASSES, accumulator, matrix_kind
from avelang.arch import chip as chip_of
from avelang.isa.amdgpu.passes import CLOCKS, of_instruction

TURN = 4  # clocks: each of the four SIMDs issues in one of them
LANES = 64
SIMDS = 4
INTERNAL = ""  # the port of waits, barriers and hints: the instruction buffer's own, any number of them in a turn
PORTS = ("vector", "scalar", "memory", "lds", "branch")


@dataclasses.dataclass(frozen=True, slots=True)
class CuTimings:
    """Clocks of a CU. `memory_latency`: from an issued load of global memory to its data, where nothing queues;
    `scalar_latency`, `lds_latency`: the same for scalar loads and LDS. `valu`, `trans`: how long a vector instruction
    and a transcendental one hold the vector pipe; `trans_latency`: until the latter's result. `taken`: a taken branch,
    `barrier`: from the last wave's arrival to the first instruction behind it. `lds_queue`,
    `memory_queue`: accesses of a pair of SIMDs, and of a SIMD, that wait for their unit while the waves go on; `bus`:
    bytes a clock from LDS to a pair; `addresses`: lanes whose addresses a clock moves out of a
    SIMD. `piece`: bytes of global memory a clock. `most_vm`, `most_lgkm`: what a counter can count. `hardware`: False
    for the rules of llvm-mca alone (see `llvm`). `assumed`: the names of those that nothing public says."""

    chip: str
    memory_latency: int = 800
    scalar_latency: int = 200
    lds_latency: int = 64
    valu: int = 4
    trans: int = 16
    trans_latency: int = 16
    taken: int = 32
    barrier: int = 32
    lds_queue: int = 8
    bus: int = 128
    memory_queue: int = 8
    addresses: int = 16
    piece: int = 64
    most_vm: int = 63
    most_lgkm: int = 15
    hardware: bool = True
    assumed: tuple[str, ...] = ("scalar_latency", "barrier", "memory_queue")


def timings(chip: str, **changed: int) -> CuTimings:
    """The clocks of a chip ("gfx90a", "gfx942", "gfx950"), with some of them as the caller says."""
    chip_of(chip)
    return CuTimings(chip, **changed)  # type: ignore[arg-type]


def llvm(chip: str) -> CuTimings:
    """The clocks of LLVM's scheduling model, under which the model is compared with llvm-mca: fixed latencies of
    memory and LDS, nothing queues, s_nop and s_sleep take one slot, transcendental instructions follow one another
    every slot, and only A of a matrix instruction is waited for longer (ReadAdvance of MIMFMARead)."""
    return CuTimings(
        chip, memory_latency=320, scalar_latency=20, lds_latency=20, trans=4, trans_latency=16, barrier=0,
        lds_queue=1 << 20, memory_queue=1 << 20, most_vm=1 << 20, most_lgkm=1 << 20, hardware=False,
    )  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class CuOp:
    """An instruction as the model sees it. `kind`: "matrix", "valu", "salu", "smem", "memory", "lds", "branch", "wait",
    "barrier", "nop", "sleep", "priority", "end" or "hint". `port`: one of `PORTS` or `INTERNAL`. `hold`: clocks of its
    pipe, of an LDS access without conflicts, or of an s_nop or s_sleep. Cells of registers: `reads`, those that a
    matrix instruction multiplies (`factors`) and the span that it adds to (`adds`), `writes`. Clocks from issue until
    the results are there: `plain`, for a matrix instruction that multiplies them (`factor`), for one that adds to
    exactly these registers (`same`) or to others that overlap (`other`). `counters`: "vm", "lgkm" or both. `vm`,
    `lgkm`: of s_waitcnt, -1 where it asks for none. `value`: of s_setprio. `direct`: a load to LDS. `pieces`: 64
    bytes of memory each; `bytes` of a lane that LDS sends back."""

    kind: str
    port: str
    hold: int = 0
    reads: tuple[int, ...] = ()
    factors: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    adds: Span | None = None
    writes: tuple[int, ...] = ()
    span: Span | None = None
    plain: int = 0
    factor: int = 0
    same: int = 0
    other: int = 0
    counters: tuple[str, ...] = ()
    vm: int = -1
    lgkm: int = -1
    value: int = 0
    direct: bool = False
    pieces: int = 0
    bytes: int = 0


_HINTS = {"barrier": "barrier", "nop": "nop", "sleep": "sleep", "priority": "priority", "wait": "wait", "end": "end"}
_COUNTERS = {"vm": ("vm",), "lds": ("lgkm",), "smem": ("lgkm",), "flat": ("vm", "lgkm")}


def _cells(spans: tuple[Span, ...]) -> tuple[int, ...]:
    return tuple(c for first, count in spans for c in range(first, first + count))


def _immediate(i: MCInst) -> int:
    value = getattr(i.operands[0], "value", 0) if i.operands else 0
    return value if isinstance(value, int) else 0


def _matrix(i: MCInst, e: Effects, t: CuTimings) -> CuOp:
    passes = of_instruction(i.desc, t.chip, (i.int("cbsz"), i.int("blgp")))
    hold = passes * CLOCKS
    adds = next(iter(accumulator(i)), None)
    # The first source is what LLVM's ReadAdvance stands at.
    spans = e.reads
    first, rest = spans[:1], spans[1:]
    factors = tuple(s for s in spans if s != adds or spans.count(s) > 1)
    span = e.writes[0] if e.writes else None
    common = {"reads": (), "adds": adds, "writes": _cells(e.writes), "span": span}
    if not t.hardware:
        return CuOp("matrix", "vector", hold, first=_cells(first), factors=_cells(rest), plain=hold, factor=hold,
                    same=hold, other=hold, **common)  # type: ignore[arg-type]
    needs = MATRIX_RULES[t.chip if t.chip in MATRIX_RULES else "gfx942"][matrix_kind(i.desc)]
    column = min(range(len(PASSES)), key=lambda n: abs(PASSES[n] - passes))

    def clocks(role: str) -> int:
        need = needs[role][column] if role in needs else 0
        return TURN * ((need or 0) + 1)

    return CuOp("matrix", "vector", hold, factors=_cells(factors), plain=max(hold, clocks("valu source")),
                factor=max(hold, clocks("A or B")), same=max(hold, clocks("C same")),
                other=max(hold, clocks(f"{matrix_kind(i.desc)} C")), **common)  # type: ignore[arg-type]


def _valu(i: MCInst, e: Effects, t: CuTimings) -> CuOp:
    slow = "trans" in i.desc.classes
    late = slow or _converts(i.name)
    hold = t.trans if slow else t.valu
    plain = t.trans_latency if late else t.valu
    # Table 11: two wait states between a vector instruction and a matrix instruction that uses its result; one behind a
    # transcendental one.
    more = 2 * TURN if t.hardware else 0
    return CuOp("valu", "vector", hold, reads=_cells(e.reads), writes=_cells(e.writes), plain=plain,
                factor=plain + more, same=plain + more, other=plain + more)


@functools.cache
def _converts(name: str) -> bool:
    """Whether LLVM gives a conversion from or to f32 four cycles (WriteFloatCvt): those of one number."""
    return name.startswith(("v_cvt_f32_", "v_cvt_f16_f32", "v_cvt_i32_f32", "v_cvt_u32_f32", "v_cvt_rpi", "v_cvt_flr",
                            "v_cvt_off_f32")) and not name.startswith(("v_cvt_f32_f64",))


def _lds_clocks(i: MCInst, t: CuTimings) -> int:
    """Clocks of an access to LDS whose lanes are all active and meet no bank twice."""
    nbytes = i.desc.nbytes or 4
    pairs = 2 if i.name.split("_")[1] in ("read2", "write2", "read2st64", "write2st64") else 1
    each = nbytes // pairs
    kind = "read" if i.desc.access in ("load", "") else "write"
    phases = chip_of(t.chip).shared.phases(max(1, each), kind)
    return pairs * -(-LANES // phases.size)


def _memory(i: MCInst, e: Effects, t: CuTimings) -> CuOp:
    counters = _COUNTERS.get(e.counter, ())
    common = {"reads": _cells(e.reads), "writes": _cells(e.writes), "counters": counters}
    if e.unit == DS:
        sent = max(4, i.desc.nbytes) if e.writes else 0
        return CuOp("lds", "lds", _lds_clocks(i, t), bytes=sent, **common)  # type: ignore[arg-type]
    if e.unit == SMEM:
        return CuOp("smem", "scalar", TURN, **common)  # type: ignore[arg-type]
    moved = max(1, LANES * max(1, i.desc.nbytes) // t.piece) if i.desc.access else 1
    hold = LANES // t.addresses
    return CuOp("memory", "memory", hold, direct=e.direct, pieces=moved, **common)  # type: ignore[arg-type]


def op_of(i: MCInst, t: CuTimings) -> CuOp:
    """An instruction of a program, under a chip's clocks."""
    e, classes = effects(i), i.desc.classes
    if hint := next((_HINTS[c] for c in classes if c in _HINTS), ""):
        value = _immediate(i)
        hold = {"nop": TURN * (value + 1), "sleep": 64 * value}.get(hint, 0) if t.hardware else TURN
        vm, lgkm = (i.int(n, -1) for n in ("vmcnt", "lgkmcnt")) if hint == "wait" else (-1, -1)
        return CuOp(hint, INTERNAL, hold, vm=vm, lgkm=lgkm, value=value)
    if classes & {"branch", "cond", "call", "jump", "fork"}:
        return CuOp("branch", "branch", reads=_cells(e.reads), writes=_cells(e.writes), plain=TURN)
    if e.unit == MATRIX:
        return _matrix(i, e, t)
    if e.unit == VALU:
        return _valu(i, e, t)
    if e.unit in (DS, SMEM, VMEM, FLAT):
        return _memory(i, e, t)
    if e.unit == SALU:
        return CuOp("salu", "scalar", TURN, reads=_cells(e.reads), writes=_cells(e.writes), plain=TURN, factor=TURN,
                    same=TURN, other=TURN)
    return CuOp("hint", INTERNAL)
