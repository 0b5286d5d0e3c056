"""`ave trace`: the timeline keeps the rules of its format, its stages are those of the code, launches leave what they ever do, and code without
probes is the code."""

from __future__ import annotations

import json

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.inspection import trace_file, trace_runs
from avelang.nvptx import instrument
from avelang.nvptx.parse import parse
from avelang.nvptx.printer import print_module
from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import f32
from avelang.runtime import compile, ptxas
from avelang.runtime.arrays import describe


@avelang.jit
def turned(p: al.Pointer(al.f32), q: al.Pointer(al.f32)):
    X = al.make_tensor(p, al.f32, al.make_layout((256,), (1,)))
    Y = al.make_tensor(q, al.f32, al.make_layout((256,), (1,)))
    S = al.make_shared((128,), al.f32)
    i, at = al.thread_id(0), al.block_id(0) * 128
    S[i] = X[at + i]
    al.syncthreads()
    Y[at + i] = S[127 - i] + Y[at + i]  # in place: a second run would show


@kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=lambda N: N // 32, block=32, arch="sm_80")
def doubled(x, y, *, N):
    px, py = ptx.global_ptrs(x, y)
    at = (ptx.special.ctaid.x() * 32 + ptx.special.tid.x()) * 4
    value = reg.scalar(f32)
    ptx.inst.ld.global_.f32(value, ptx.addr(px + at))
    ptx.inst.add.f32(value, value, value)
    ptx.inst.st.global_.f32(ptx.addr(py + at), value)
    ptx.ret()


def traced(target, **options):
    x, y = np.arange(256, dtype=np.float32), np.ones(256, np.float32)
    with trace_runs.tracing(target, **options) as tracer:
        turned[2, 128](x, y)
    assert (y == np.concatenate([x[127::-1], x[:127:-1]]) + 1).all(), target
    assert tracer.launches == ["turned"] and not tracer.missing
    found = json.loads(tracer.trace.text())
    assert trace_file.faults(found) == []
    names = {(e["pid"], e["tid"], e["name"]): e["args"] for e in found["traceEvents"] if e["ph"] == "M"}
    return found, [e for e in found["traceEvents"] if e["ph"] == "X"], names


def test_blocks_on_cores():
    found, slices, names = traced("cpu")
    assert sorted(e["args"]["block"][0] for e in slices) == [0, 1] and "no time" not in found["otherData"]["unit"]
    assert all((e["pid"], e["tid"], "thread_name") in names and e["dur"] > 0 for e in slices)


def test_a_launch_on_the_reference_is_named_and_runs():
    x, y = np.arange(256, dtype=np.float32), np.ones(256, np.float32)
    with trace_runs.tracing(None) as tracer:
        turned[2, 128](x, y, backend="reference")
    assert y[0] == 128 and not tracer.launches
    assert tracer.missing == ["`turned`: the launch asks for reference, which has no timeline"]


def test_waves_of_executed_code():
    found, slices, names = traced("gfx942")
    assert "no time on a card" in found["otherData"]["unit"]
    waves = {(e["pid"], e["tid"]) for e in slices}
    assert len(waves) == 4 and {names[p, t, "thread_name"]["name"][:6] for p, t in waves} == {"wave 0", "wave 1"}
    for wave in waves:
        kinds = [e["name"] for e in slices if (e["pid"], e["tid"]) == wave]
        order = [k for k in kinds if k in ("memory", "LDS", "barrier", "waits: vmcnt")]
        assert order.index("waits: vmcnt") < order.index("LDS") and order[-1] == "memory" and "waits: lgkmcnt" in kinds
        memory = next(e for e in slices if e["name"] == "memory")
        assert "global_load" in memory["args"]["instruction"] and __file__ in memory["args"]["at"]
    # One work-group, another first.
    _, slices, names = traced("gfx942", group=1)
    assert {names[e["pid"], 0, "process_name"]["name"] for e in slices} == {"turned on gfx942, work-group 1 of 2"}


def test_warps_of_ptx():
    found, slices, names = traced("sm_80")
    assert "the order of a run" in found["otherData"]["unit"]
    assert len({(e["pid"], e["tid"]) for e in slices}) == 8
    for pid in {e["pid"] for e in slices}:
        for warp in range(1, 5):
            mine = [e for e in slices if (e["pid"], e["tid"]) == (pid, warp)]
            assert [e["name"] for e in mine] == ["load", "shared memory", "barrier", "shared memory", "load", "store"] or (
                sorted({e["name"] for e in mine}) == ["barrier", "load", "shared memory", "store"])
            assert all(__file__ in e["args"]["at"] for e in mine)
    ends = {e["pid"]: [s["ts"] + s["dur"] for s in slices if s["pid"] == e["pid"] and s["name"] == "barrier"] for e in slices}
    starts = {p: [s["ts"] for s in slices if s["pid"] == p and s["name"] == "barrier"] for p in ends}
    assert all(max(starts[p]) <= min(ends[p]) for p in ends)  # nobody leaves the barrier before all have come
    found, slices, _ = traced("sm_80", blocks=1, records=8)
    assert len({e["pid"] for e in slices}) == 1
    x = np.arange(64, dtype=np.float32)
    with trace_runs.tracing("sm_80") as tracer:
        assert (doubled(x) == 2 * x).all()
    assert [e["name"] for e in tracer.trace.events if e["ph"] == "X"] == ["load", "store"] * 2


def test_code_without_probes_is_the_code():
    for text in (compile.device_assembly(turned.source, {}, "sm_90a", (128, 1, 1), {})[0], doubled.ptx(64)):
        made = instrument.instrumented(text)
        plain = print_module(parse(text))
        assert instrument.without_probes(made.text) == plain and made.text != plain
        assert len(made.probes) >= 3 and all(p.stage or not p.text for p in made.probes)
        if tool := ptxas.find():
            ptxas.assemble(tool, made.text, "sm_90a" if "sm_90a" in text else "sm_80", made.entry)
    # Nothing of a trace stays behind it: the next compilation is the one before.
    assert compile.device_assembly(turned.source, {}, "sm_90a", (128, 1, 1), {})[0] == compile.device_assembly(
        turned.source, {}, "sm_90a", (128, 1, 1), {})[0]  # fmt: skip
    with pytest.raises(avelang.errors.AveError, match="D023"):
        instrument.instrumented(doubled.ptx(64), "other")
    with pytest.raises(avelang.errors.AveError, match="D025"):
        instrument.instrumented(".version 8.0\n.target sm_80\n.address_size 64\n")


def test_stamps_of_a_card():
    """Records as a card writes them: clocks of 0.5 ns, SM 7, two warps that began 100 ns apart."""
    made = instrument.InstrumentedPtx("", "k", (instrument.Probe("matrix", "mma", "f.py", 3), instrument.Probe("")), 8, 64)
    table = np.zeros((2, 8, 2), np.uint64)
    for w in range(2):
        t0, c0 = 5000 + 100 * w, 10**9 + 7 * w
        rows = [(t0, 7 << 16 | instrument.HEADER), (t0, c0 << 16 | 1), (t0 + 200, c0 + 400 << 16 | 2), (t0 + 1000, c0 + 2000 << 16 | 1),
                (t0 + 1500, c0 + 3000 << 16 | 2)]
        table[w, : len(rows)] = rows
    from avelang.runtime.geometry import Geometry

    tracer = trace_runs.Tracer("cpu")
    tracer.decode(made, table.ravel(), Geometry((1, 1, 1), (64, 1, 1)), trace_runs.CARD, "H200")
    slices = [e for e in tracer.trace.events if e["ph"] == "X"]
    assert [(e["tid"], round(e["ts"] * 1000), round(e["dur"] * 1000)) for e in slices] == [(1, 0, 200), (1, 1000, 500), (2, 100, 200), (2, 1100, 500)]
    assert any("SM 7" in e["args"].get("name", "") for e in tracer.trace.events)


def test_rules_of_the_format():
    ok = {"name": "a", "ph": "X", "pid": 1, "tid": 1, "ts": 0.0, "dur": 2.0, "args": {}}
    assert trace_file.faults({"traceEvents": [ok, {**ok, "ts": 0.5, "dur": 1.0}, {**ok, "ts": 2.0}]}) == []  # nested, behind
    for wrong, words in (
        ([], "no object"), ({"traceEvents": [{**ok, "dur": -1}]}, "`dur` is -1"), ({"traceEvents": [{**ok, "ts": None}]}, "`ts` is None"),
        ({"traceEvents": [{**ok, "ph": "Y"}]}, "no phase 'Y'"), ({"traceEvents": [{**ok, "tid": "1"}]}, "`tid` is '1'"),
        ({"traceEvents": [{**ok, "ph": "M", "name": "who"}]}, "no metadata 'who'"), ({"traceEvents": [], "displayTimeUnit": "s"}, "displayTimeUnit"),
        ({"traceEvents": [{**ok, "ph": "M", "name": "thread_name"}]}, "has no name"),
        ({"traceEvents": [ok, {**ok, "ts": 1.0}]}, "overlap at 1.0"),
    ):  # fmt: skip
        assert any(words in text for text in trace_file.faults(wrong)), (wrong, words)


PROGRAM = """
import numpy as np, sys
import avelang
import avelang.language as al

@avelang.jit
def add(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.i32):
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    Y[al.thread_id(0)] = X[al.thread_id(0)] + 1.0

if __name__ == "__main__":
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    for target in (None, "gfx942"):
        add[1, 64](x, y, 64, target=target)
    print("sum", y.sum(), sys.argv[1:])
"""


def test_commands(ave, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(PROGRAM)
    result = ave("trace", "p.py", "x", "y")
    assert result.exit_code == 0 and "sum 128.0 ['x', 'y']" in result.stderr and "add, add" in result.stdout, result.stderr
    found = json.loads((tmp_path / "trace.json").read_text())
    names = [e["args"]["name"] for e in found["traceEvents"] if e["name"] == "process_name"]
    assert trace_file.faults(found) == [] and any("cores" in x for x in names) and any("gfx942" in x for x in names)
    result = ave("trace", "p.py:add", "f32[64]=random", "f32[64]", "i32=64", "--target", "sm_80", "-o", "k.json")
    assert result.exit_code == 0 and "k.json: add; 4 slices" in result.stdout, result.stdout + result.stderr
    (tmp_path / "none.py").write_text("print(1)\n")
    result = ave("trace", "none.py")
    assert result.exit_code == 1 and "no launch was traced" in result.stderr


def test_memory_is_as_it_was_for_any_stride():
    y = np.arange(512, dtype=np.float32)
    for view in (y[::-2], y[:256], y.reshape(16, 32).T[3:5, ::-3]):  # the first element is not the lowest
        before, array = y.copy(), describe(view)
        assert array is not None
        with trace_runs.kept([array]):
            view += 1
        assert (y == before).all()
