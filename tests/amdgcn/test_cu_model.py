"""The model of a compute unit: streams small enough to count by hand, with the clocks that they must take; drawn mixes
against llvm-mca; programs that must not fit the counts."""

from __future__ import annotations

import statistics

import pytest
from benchmarks.drawn_streams import MIXES, drawn

from amdgcn.peers import IREE, TRITON, assembly
from avelang.amdgcn.asm import parse
from avelang.amdgcn.cu.model import CAUSES, CuResult, simulate
from avelang.amdgcn.cu.stalls import of_loop
from avelang.amdgcn.cu.stream import WaveStream
from avelang.amdgcn.cu.timing import CuTimings, llvm, timings
from avelang.amdgcn.mca import simulate as mca
from tools import need

HEAD = '.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\n.text\nk:\n'
MFMA = "v_mfma_f32_16x16x16_bf16 {0}, v[60:61], v[62:63], {0}"
FIRST, SECOND = MFMA.format("a[0:3]"), MFMA.format("a[4:7]")
READ = "ds_read_b128 v[{0}:{1}], v60"


def run(*waves: list[str], chip: str = "gfx942", lds: dict[int, int] | None = None, blocks: int = 1, stagger: int = 0,
        t: CuTimings | None = None, **clocks: int) -> CuResult:  # fmt: skip
    """Each wave executes its own lines; `lds`: clocks of the accesses of the first wave, by position."""
    code = parse(HEAD.format(chip=chip) + "".join(f"{line}\n" for w in waves for line in w)).instructions
    streams, at = [], 0
    for n, lines in enumerate(waves):
        streams.append(WaveStream(list(range(at, at + len(lines))), dict(lds or {}) if n == 0 else {}))
        at += len(lines)
    return simulate(code, [streams] * blocks, t or timings(chip, **clocks), stagger)


def waited(r: CuResult, cause: str) -> int:
    return r.causes.get(cause, 0)


# -- one wave ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "clocks"), [
    ([FIRST], 16),  # four passes
    ([FIRST, FIRST], 32),  # an accumulator goes on at once
    ([FIRST, SECOND], 32),
    # A result that is multiplied waits 7 states, the eighth turn: 32 clocks.
    (["v_mfma_f32_16x16x16_bf16 v[0:3], v[60:61], v[62:63], 0",
      "v_mfma_f32_16x16x16_bf16 a[4:7], v[0:1], v[62:63], a[4:7]"], 48),
    # Added to by another that overlaps: 5 states, 24 clocks.
    (["v_mfma_f32_16x16x16_bf16 v[0:3], v[60:61], v[62:63], 0",
      "v_mfma_f32_16x16x16_bf16 v[8:11], v[60:61], v[62:63], v[2:5]"], 40),
    (["v_mfma_f32_16x16x16_bf16 v[0:3], v[60:61], v[62:63], 0", "v_add_f32 v9, v0, v8"], 36),
    (["v_mov_b32 v62, v1", FIRST], 28),  # two states between a vector instruction and a product of its result
    (["v_add_f32 v0, v1, v2", "v_add_f32 v0, v0, v2"], 8),
    (["v_exp_f32 v0, v1", "v_exp_f32 v2, v3"], 32),  # quarter rate: 16 clocks each
    (["v_exp_f32 v0, v1", "v_add_f32 v2, v0, v3"], 20),
    (["v_exp_f32 v0, v1", FIRST], 20),  # the matrix pipe is another one
    (["s_add_u32 s0, s1, s2", "s_add_u32 s0, s0, s2"], 8),
    (["s_nop 4", "s_nop 0"], 24), (["s_sleep 2", "s_nop 0"], 132),
    ([READ.format(0, 3), "s_waitcnt lgkmcnt(0)"], 8 + 64 + 4),
    ([READ.format(0, 3)] * 2 + ["s_waitcnt lgkmcnt(0)"], 84),
    ([READ.format(0, 3)] * 2 + ["s_waitcnt lgkmcnt(1)", "s_nop 9", "s_nop 0"], 8 + 64 + 4 + 40 + 4),  # goes on at 72
    (["ds_read_b64 v[0:1], v60", "s_waitcnt lgkmcnt(0)"], 4 + 64 + 4), (["ds_read_b32 v0, v60", "s_waitcnt lgkmcnt(0)"], 72),
    (["ds_read2_b64 v[0:3], v60 offset1:1", "s_waitcnt lgkmcnt(0)"], 76),
    # 64 lanes of 16 bytes: 16 clocks of 64 bytes.
    (["buffer_load_dwordx4 v[0:3], v60, s[0:3], 0 offen", "s_waitcnt vmcnt(0)"], 16 + 800 + 4),
    (["buffer_load_dword v0, v60, s[0:3], 0 offen", "s_waitcnt vmcnt(0)"], 4 + 800 + 4),
    (["s_load_dwordx2 s[0:1], s[2:3], 0x0", "s_waitcnt lgkmcnt(0)"], 204),
])  # fmt: skip
def test_clocks_of_one_wave(lines, clocks):
    assert run(lines).clocks == clocks, run(lines)


@pytest.mark.parametrize(("chip", "line", "clocks"), [
    ("gfx90a", "v_mfma_f32_16x16x16bf16_1k a[0:3], v[60:61], v[62:63], a[0:3]", 32),
    ("gfx942", "v_mfma_f32_32x32x8_bf16 a[0:15], v[60:61], v[62:63], a[0:15]", 32),
    ("gfx950", "v_mfma_f32_16x16x32_bf16 a[0:3], v[56:59], v[60:63], a[0:3]", 16),
    ("gfx942", "v_mfma_f64_16x16x4_f64 a[0:7], v[60:61], v[62:63], a[0:7]", 32),
])  # fmt: skip
def test_each_chip_has_its_passes(chip, line, clocks):
    r = run([line], chip=chip)
    assert (r.clocks, r.matrix, r.share) == (clocks, clocks, 0.25)


def test_gfx950_reads_twice_as_fast():
    lines = [READ.format(0, 3), "s_waitcnt lgkmcnt(0)"]
    assert run(lines, chip="gfx950").lds == 4 and run(lines).lds == 8


def test_conflicts_are_those_of_the_addresses():
    lines = [READ.format(0, 3), "s_waitcnt lgkmcnt(0)"]
    assert run(lines, lds={0: 64}).clocks == 64 + 64 + 4
    assert run(lines, lds={0: 64}).lds == 64


def test_a_queue_that_is_full_stops_the_wave():
    """Issued at 0, 4, 8 and so on, served every 8 clocks: with two places the third waits until 8, the fourth until
    16; behind them the product that needs none of it."""
    lines = [*(READ.format(4 * n, 4 * n + 3) for n in range(4)), FIRST]
    few, many = run(lines, lds_queue=2), run(lines, lds_queue=4)
    assert waited(few, "LDS queue") == 4 and waited(many, "LDS queue") == 0
    assert [few.lds, many.lds] == [32, 32]


def test_a_counter_that_is_full_stops_the_wave():
    lines = [READ.format(0, 3)] * 17
    assert waited(run(lines, lds_queue=99), "counter") > 0 == waited(run(lines[:15], lds_queue=99), "counter")


def test_loads_come_back_in_order():
    load = "buffer_load_dwordx4 v[{0}:{1}], v60, s[0:3], 0 offen"
    lines = [load.format(0, 3), load.format(4, 7), "s_waitcnt vmcnt({})"]
    first, both = (run([*lines[:2], lines[2].format(n)]).clocks for n in (1, 0))
    # The last load is there at 832 either way: the clocks are those of the kernel, not of the wait.
    assert (first, both) == (832, 836)


# -- several waves -----------------------------------------------------------------------------------------------------


def test_two_waves_of_a_simd_share_its_matrix_pipe():
    r = run([FIRST, SECOND], [], [], [], [FIRST, SECOND])
    assert r.clocks == 64 and r.matrix == 64 and r.waves == 5


def test_waves_of_four_simds_do_not():
    """Each SIMD has its turn a clock later."""
    r = run(*[[FIRST, SECOND]] * 4)
    assert r.clocks == 32 + 3 and r.matrix == 128


def test_one_vector_instruction_a_turn_the_oldest_wave_first():
    r = run([FIRST], [], [], [], ["v_mov_b32 v0, v1"])
    assert r.stalls == {(1, "issue"): 4}
    r = run(["s_nop 0", FIRST], [], [], [], ["v_mov_b32 v0, v1"])  # now the younger wave comes first
    assert r.stalls == {}


def test_instructions_of_different_kinds_go_together():
    r = run([FIRST], [], [], [], ["s_add_u32 s0, s1, s2"], [], [], [], [READ.format(0, 3)])
    assert r.stalls == {}


def test_priority_comes_before_age():
    calm = [FIRST, SECOND]
    r = run(["s_nop 0", *calm], [], [], [], ["s_setprio 3", *calm])
    assert {n for n, _ in r.stalls} >= {1, 2} and (4, "matrix pipe") not in r.stalls


def test_lds_serves_one_wave_after_another():
    """Four SIMDs ask at 0, 1, 2 and 3: data is there at 72, 80, 88 and 96."""
    r = run(*[[READ.format(0, 3), "s_waitcnt lgkmcnt(0)"]] * 4)
    assert r.lds == 32 and r.clocks == 96 + 4 + 3  # its SIMD's turn is at 99


@pytest.mark.parametrize(("conflict", "interval"), [(1, 16), (2, 32)])
def test_reads_of_gfx950_are_as_fast_as_was_measured(conflict, interval):
    """AMD, gfx950-gluon-tutorials, by traces of an MI355X: four SIMDs read 16 bytes a lane every 16 clocks each, every 32
    where two lanes meet at each bank."""
    few, many = (run(*[[READ.format(0, 3)] * n] * 4, chip="gfx950", most_lgkm=99) for n in (40, 60))
    if conflict == 2:
        lines = [READ.format(0, 3)]
        code = parse(HEAD.format(chip="gfx950") + lines[0] + "\n").instructions
        few, many = (simulate(code, [[WaveStream([0] * n, dict.fromkeys(range(n), 8)) for _ in range(4)]],
                              timings("gfx950", most_lgkm=99)) for n in (40, 60))  # fmt: skip
    assert many.clocks - few.clocks == 20 * interval


def test_eight_accesses_of_a_pair_of_simds_wait_for_lds():
    """Each of two SIMDs issues four without waiting; of one alone all eight go."""
    both = run([READ.format(0, 3)] * 5, [READ.format(0, 3)] * 5, lds_latency=0)
    alone = run([READ.format(0, 3)] * 9, lds_latency=0)
    assert waited(both, "LDS queue") == 0 == waited(alone, "LDS queue")  # one or two have been served by then
    slow = dict.fromkeys(range(40), 1000)
    assert [n for (n, cause) in run([READ.format(0, 3)] * 9, lds=slow).stalls if cause == "LDS queue"] == [8]


def test_a_barrier_waits_for_the_last():
    r = run(["s_nop 9", "s_barrier", "s_nop 0"], ["s_barrier", "s_nop 0"], barrier=0)
    # The first comes at 40, the second has waited since 1.
    assert waited(r, "barrier") == 44 - 1 - 4 + 1 and r.clocks == 49
    alone = run(["s_barrier", "s_nop 0"], barrier=0)
    assert alone.clocks == 8 and waited(alone, "barrier") == 0


def test_a_wave_that_has_ended_is_not_waited_for():
    """It ends at 1; the other, which may go on at 5, has its turn at 8."""
    assert run(["s_barrier", "s_nop 0"], ["s_nop 0"], barrier=0).clocks == 12


def test_workgroups_do_not_wait_for_one_another():
    lines = ["s_barrier", FIRST]
    one, two = run(lines, barrier=0), run(lines, blocks=2, barrier=0)
    assert two.clocks == one.clocks + 1 and waited(two, "barrier") == 0
    assert run(lines, blocks=2, stagger=100, barrier=0).clocks >= one.clocks + 100


def test_stalls_and_instructions_are_all_of_a_waves_time():
    """The wait ends at 72, the move goes at 72 + 4, the product 12 behind it, at 88, the other behind five turns, at 108,
    and the last instruction in the turn from 112 to 116."""
    lines = [READ.format(0, 3), "s_waitcnt lgkmcnt(0)", "v_mov_b32 v62, v0", FIRST, "s_nop 3", FIRST, "v_exp_f32 v8, v9"]
    r = run(lines)
    assert r.stalls == {(1, "lgkmcnt"): 68, (3, "dependency"): 8, (4, "nop"): 12} and set(r.causes) <= set(CAUSES)
    assert 4 * len(lines) + sum(r.stalls.values()) == 116 and r.clocks == 128  # the last result is there


# -- llvm-mca ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mix", MIXES)
def test_one_wave_under_llvms_clocks_is_llvm_mca(mix):
    """To the cycle; llvm-mca counts one more, in which the last instruction retires."""
    need("llvm-mca")
    for seed in range(4):
        lines = drawn(seed, MIXES[mix])
        want, _ = mca(lines, "gfx942", 1)
        assert run(lines, t=llvm("gfx942")).clocks == 4 * (want - 1), (mix, seed)


def test_llvms_clocks_are_not_the_hardwares():
    """A negative control: under the model's own clocks the same streams take another time."""
    need("llvm-mca")
    off = [run(lines).clocks / (4 * mca(lines, "gfx942", 1)[0]) for lines in (drawn(s, MIXES["softmax"]) for s in range(3))]
    assert abs(statistics.mean(off) - 1) > 0.05


# -- whole loops -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", [TRITON, IREE])
def test_the_loop_of_a_foreign_kernel(peer):
    program = parse(assembly(peer))
    name = next(iter(program.kernels))
    two, one = of_loop(program, "gfx942", name, 256, 2), of_loop(program, "gfx942", name, 256, 1)
    assert two is not None and one is not None
    assert (two.waves, one.waves, two.executed, two.share) == (8, 4, False, None)
    assert 0.3 < one.busy < two.busy <= 1
    slow = of_loop(program, "gfx942", name, 256, 1, memory_latency=8000)
    assert slow is not None and slow.busy < 0.5 * one.busy and max(slow.stalls, key=lambda c: slow.stalls[c]) in (
        "vmcnt", "barrier")
