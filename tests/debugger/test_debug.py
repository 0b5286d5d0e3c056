"""`ave debug`: stops, steps, watches, looks, in the terminal and over the debug adapter protocol."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from avelang.cli.main import main

TEXT = '''\
import numpy as np
import avelang
import avelang.language as al


@avelang.jit
def scaled(x, by):
    y = x * by
    return y + 1.0


@avelang.jit
def kernel(x: al.Tensor((2, 96), al.f32), out: al.Tensor((2, 96), al.f32), n: al.u32):
    row = al.block_id(0)
    t = al.thread_id(0)
    lds = al.make_shared((96,), al.f32)
    lds[t] = x[row, t]
    al.syncthreads()
    total = al.convert(0, al.f32)
    for i in al.range(n):
        total = total + lds[(t + i) % 96]
        if t < 8:
            total = total + 1.0
    pair = al.full((2,), 3.0, al.f32)
    out[row, t] = scaled(total, 2.0) + pair[0]


x = np.arange(192, dtype=np.float32).reshape(2, 96)
out = np.zeros((2, 96), np.float32)
kernel[2, 96](x, out, 3)
print("out", out[1, 5])
'''
LOOP, ADD, IF, MORE, PAIR, LAST = 20, 21, 22, 23, 24, 25


@pytest.fixture
def program(tmp_path, monkeypatch):
    for knob in ("AVE_BACKEND", "AVE_TARGET", "AVE_CHECK"):
        monkeypatch.setenv(knob, "")  # what the command sets goes away again
    file = tmp_path / "program.py"
    file.write_text(TEXT)
    return file


def debug(program, *commands, options=()):
    args = [x for c in commands for x in ("-c", c)]
    done = CliRunner().invoke(main, ["debug", *options, *args, str(program)])
    assert done.exit_code == 0, done.output + repr(done.exception)
    assert "out 622" in done.stdout  # the program runs on to its end
    return done.stdout


def places(said):
    """The lines at which it has stood, with wave and block."""
    out = []
    for line in said.splitlines():
        if line.startswith("program.py:") and " block " in line:
            words = line.replace(",", "").split()
            out.append((int(words[0].partition(":")[2]), int(words[words.index("wave") + 1])))
    return out


def test_the_first_statement_stops_and_lines_follow(program):
    said = debug(program, "n", "n", "n")
    assert places(said) == [(14, 0), (15, 0), (17, 0), (18, 0)]


def test_step_goes_into_functions_next_over_them_finish_out(program):
    at = ("-b", str(LAST))
    assert places(debug(program, "s", "s", "finish", options=at)) == [(LAST, 0), (8, 0), (9, 0), (LAST, 0)]
    assert [w for _, w in places(debug(program, "n", options=at))][:2] == [0, 1]
    said = debug(program, "where", "up", "p t", "down", "p y", options=("-b", "9"))
    assert "> #0 scaled at program.py:9" in said and "#1 kernel at program.py:25" in said
    assert places(said) == [(9, 0), (LAST, 0), (9, 0)]


def test_a_condition_holds_in_a_lane(program):
    said = debug(program, "p i, lane, t, block, wave, thread", "p total", "lanes t > 90",
                 options=("-b", f"{ADD} if i == 2 and t == 70"))
    assert "wave 1, lane 6 (active: 0-31)" in said
    assert "(2, 6, 70, (0, 0, 0), 1, (70, 0, 0))" in said and "(ave) p total\n141\n" in said
    assert "lane 0-26     False" in said and "lane 27-31    True" in said


UNROLLED = """\
import numpy as np
import avelang
import avelang.language as al


@avelang.jit
def kernel(x: al.Tensor[(64,), al.f32]):
    t = al.thread_id(0)
    for i in range(3):
        v = x[t] + 1.0
        for by, off in ((2.0, 0), (3.0, 1)):
            x[t] = v * by + off
    for n in al.range(2):
        x[t] = x[t] - 1.0
    x[t] = x[t] + 0.5


x = np.zeros(64, np.float32)
kernel[1, 64](x)
print("out 622")
"""


def test_trips_of_unrolled_loops_are_told_apart(program):
    program.write_text(UNROLLED)

    def trips(*commands, at):
        said = debug(program, *commands, options=[x for b in at for x in ("-b", b)])
        return re.findall(r"^program.py:(\d+) in kernel(.*), block", said, re.MULTILINE)

    assert trips("c", "c", at=["10"]) == [("10", f", i = {i}") for i in range(3)]
    inner = [("12", f", i = {i}, by = {by}, off = {off}") for i in range(3) for by, off in ((2, 0), (3, 1))]
    assert trips(*"ccccc", at=["12"]) == inner
    assert trips("c", at=["12 if i == 2"]) == inner[4:]
    assert trips("n", "n", at=["12 if i == 1"]) == [*inner[2:4], ("10", ", i = 2")]
    assert trips("c", "n", "n", at=["14"])[:2] == [("14", ", n = 0"), ("14", ", n = 1")]
    assert trips(at=["15"]) == [("15", "")]


def test_branches_show_the_active_lanes(program):
    assert "lane 3 (active: 0-7)" in debug(program, options=("-b", f"{MORE} if lane == 3"))


def test_lanes_and_waves_are_looked_through(program):
    said = debug(program, "p t", "lane 9", "p t", "thread 70", "p t", "wave 0", "info waves", "lane 99",
                 "thread 200", "wave 7", options=("-b", str(PAIR)))
    values = [line for line in said.splitlines() if line.isdigit()]
    assert values == ["0", "9", "70"]
    assert "lane N, 0 to 63" in said and "has no thread (200, 0, 0)" in said and "wave N, 0 to 1" in said


def test_step_to_another_wave_and_block(program):
    said = debug(program, "step wave", "step block")
    assert [w for _, w in places(said)][:2] == [0, 1] and "block (1, 0, 0)" in said


def test_step_lane_skips_what_the_lane_does_not_do(program):
    said = debug(program, "lane 20", "step lane", "step lane", options=("-b", f"{IF} if t == 20"))
    assert places(said)[0] == (IF, 0) and (MORE, 0) not in places(said)


def test_memory_layouts_registers_and_shared(program):
    said = debug(program, "p lds[5]", "p x[1, 5]", "layout out", "shared", "shared lds", "registers t", "registers",
                 "p pair", "p lds[96]", "list", options=("-b", str(LAST)))
    assert "(ave) p lds[5]\n5\n" in said and "(ave) p x[1, 5]\n101\n" in said
    assert "a tensor (2, 96) of f32 in global memory: (2,96):(96,1)" in said
    assert "lds: 384 bytes at 0, 384 of them written" in said and " 95.]" in said
    assert "  lane 63       63" in said and "  total = " in said and "[3. 3.]" in said
    assert "outside of `lds`" in said and f">   {LAST} | " in said


def test_a_watch_names_who_wrote(program):
    said = debug(program, "watch out[1, 5]", "c", "p out[1, 5]", "info breakpoints", "d 1", "c")
    assert "watch 1: out[1, 5] is 0" in said
    assert f"out[1, 5]: 0 -> 622, by {program}:{LAST}, wave 0 of block (1, 0, 0)" in said
    assert "watch 1 of out[1, 5]" in said and "deleted" in said


INSIDE = """\
import numpy as np
import avelang
import avelang.language as al


@avelang.jit
def more(v: al.f32):
    return v + 1.0


@avelang.jit
def twice(v: al.f32):
    w = more(v)
    return w * 2.0


@avelang.jit
def kernel(x: al.Pointer[al.f32], y: al.Pointer[al.bf16], n: al.u32):
    t = al.thread_id(0)
    total = x[t]
    for i in al.range(n):
        total = twice(total)
        total = total - 1.0
    y[t] = total


x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.uint16)
import ml_dtypes
kernel[1, 32](x, y.view(ml_dtypes.bfloat16), 2)
print("out 622", y[3])
"""


def test_a_function_is_entered_where_it_is_called_and_not_where_it_goes_on(program):
    program.write_text(INSIDE)
    assert places(debug(program, *["c"] * 9, options=("-b", "kernel"))) == [(19, 0)]
    assert places(debug(program, *["c"] * 9, options=("-b", "twice"))) == [(13, 0)] * 2
    assert places(debug(program, *["c"] * 9, options=("-b", "more"))) == [(8, 0)] * 2


def test_pointers_are_read_and_watched_as_the_kernel_indexes_them(program):
    program.write_text(INSIDE)
    said = debug(program, "p x, x[3], y[3]", "p x[4096]", "watch y[3]", "c", "p y[3]", "info locals", options=("-b", "24 if x[t] == 3"))
    assert "(ave) p x, x[3], y[3]\n(0x" in said and ", 3, 0)\n" in said and "outside of all memory" in said
    assert "watch 2: y[3] is 0" in said and f"y[3]: 0 -> 15, by {program}:24" in said and "  y = 0x" in said


def test_what_is_no_place_is_no_function(program):
    said = debug(program, "break 12 if", "break x y", "thread", "thread a,b", "print", "lanes")
    assert said.count("is none of LINE, FILE:LINE and FUNCTION") == 2 and said.count("thread X[,Y[,Z]]") == 2
    assert said.count("an expression is missing") == 2
    done = CliRunner().invoke(main, ["debug", "-b", "foo bar", str(program)])
    assert done.exit_code == 2 and "'foo bar' is none of LINE" in done.stderr


def test_breakpoints_once_by_function_and_until(program):
    said = debug(program, "tbreak 15", "c", f"until {LAST}", "b scaled", "info breakpoints", "c", "c")
    assert places(said)[:4] == [(14, 0), (15, 0), (LAST, 0), (8, 0)] and "breakpoint 3 at scaled, met 0" in said


def test_what_is_wrong_is_said(program):
    said = debug(program, "nxt", "p nothing", "break 15 if (", "watch t", "d 9", "up", "own on", "own off",
                 "step over", "until x", "info x", "tile t", "layout t", "help", options=("-b", str(LAST)))
    for text in ("did you mean next?", "NameError: name 'nothing'", "SyntaxError", "is no element of a tensor",
                 "there is no 9", "there is no caller", "step lane", "until LINE", "info locals,", "no tile", "no layout",
                 "delete N"):  # fmt: skip
        assert text in said


def test_conditions_that_cannot_be_told_and_places_never_met(program):
    done = CliRunner().invoke(main, ["debug", "-b", f"{LOOP} if pair == 1", "-b", "1000", str(program)], input="c\n")
    assert "was never met: its condition gives NameError" in done.stderr and "1000 was never met\n" in done.stderr
    assert "no kernel was stopped" in done.stderr and done.exit_code == 0


def test_a_fault_stops_before_it_is_an_error(program):
    program.write_text(TEXT.replace("lds[(t + i) % 96]", "x[row, t + i]"))
    done = CliRunner().invoke(main, ["debug", "-b", "nowhere", "-c", "p t, i", "-c", "where", str(program)])
    assert done.exit_code == 1 and "[X001]" in done.stdout and "(ave) p t, i\n(95, 1)" in done.stdout
    assert "error[X001]" in done.stderr


def test_quit_and_the_usage(program):
    assert CliRunner().invoke(main, ["debug", str(program)], input="n\nq\n").exit_code == 0
    for args in (["debug"], ["debug", "none.py"], ["debug", "--check", "x", str(program)],
                 ["debug", "-b", "3 if (", str(program)]):  # fmt: skip
        assert CliRunner().invoke(main, args).exit_code == 2


def test_nothing_is_watched_without_a_debugger(program):
    from avelang.frontend import scopes
    from avelang.sim import stepping

    debug(program, "n")
    assert stepping.watcher() is None and scopes.recorder() is None


TILE = '''\
import numpy as np
import avelang
import avelang.language as al
from avelang import tile

WAVES = 1

D = tile.Distribution.blocked((8, 16), al.f32, waves=WAVES)


@avelang.jit
def doubled(x: al.Pointer(al.f32), y: al.Pointer(al.f32)):
    X, Y = tile.view(x, (8, 16)), tile.view(y, (8, 16))
    t = X.window((8, 16), (0, 0), D).load()
    u = t.map(lambda v: v * 2.0)
    Y.store(u, (0, 0))


x, y = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
doubled[1, 64](x, y)
print("out 622")
'''


def test_a_tile_is_put_together(program):
    program.write_text(TILE)
    said = debug(program, "tile u", "layout t", "p u.dist.shape", "p u", options=("-b", "16"))
    assert "[224. 226." in said and "over 64 threads" in said and "(ave) p u.dist.shape\n(8, 16)\n" in said, said
    assert "stand elsewhere" not in said
    said = debug(program, "p tile.max(u)", "p u.sum(), np.min(u), u[1, 2]", "p tile.sum(u * 2, 0)[:2]", "p al.exp2(u[0, 1])",
                 "p tile.dot(u, u)", options=("-b", "16"))  # fmt: skip
    u = 2 * np.arange(128, dtype=np.float32).reshape(8, 16)
    assert f"\n{u.max():g}\n" in said and f"({u.sum():g}, {u.min():g}, {u[1, 2]:g})" in said, said
    assert f"[{', '.join(f'{x:g}.' for x in (2 * u).sum(0)[:2])}]".replace(", ", " ") in said, said
    assert f"\n{2 ** u[0, 1]:g}\n" in said and "AttributeError: tile.dot is not there when stopped" in said
    program.write_text(TILE.replace("WAVES = 1", "WAVES = 2").replace("[1, 64]", "[1, 128]"))
    assert "wave 1 of the block stand elsewhere" in debug(program, "tile u", options=("-b", "16"))


class Editor:
    """An editor that speaks the protocol with `ave debug --dap`."""

    def __init__(self, folder):
        env = {**os.environ, "AVE_BACKEND": ""}
        self.process = subprocess.Popen([sys.executable, "-m", "avelang.cli.main", "debug", "--dap"], cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.sequence, self.events = 0, []

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.partition(b":")[2])
        assert length, self.process.stderr.read().decode()
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, wrong=False, **arguments):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments})
        self.process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        self.process.stdin.flush()
        while (got := self.read())["type"] != "response":
            self.events.append(got)
        assert got["request_seq"] == self.sequence and got["success"] == (not wrong), got
        return got["message"] if wrong else got["body"]

    def event(self, name):
        while True:
            for i, e in enumerate(self.events):
                if e["event"] == name:
                    return self.events.pop(i)["body"]
            self.events.append(self.read())


def test_the_debug_adapter_protocol(program):
    editor = Editor(program.parent)
    assert editor.ask("initialize", adapterID="ave")["supportsConditionalBreakpoints"]
    editor.event("initialized")
    assert "no program" in editor.ask("launch", wrong=True, program="none.py")
    editor.ask("launch", program=str(program))
    found = editor.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[
        {"line": ADD, "condition": "t == 70 and i == 1"}, {"line": 3, "condition": "("}])["breakpoints"]
    assert [b["verified"] for b in found] == [True, False]
    assert "not stopped" in editor.ask("stackTrace", wrong=True, threadId=1)
    editor.ask("configurationDone")
    stop = editor.event("stopped")
    assert stop["reason"] == "breakpoint"
    names = {t["id"]: t["name"] for t in editor.ask("threads")["threads"]}
    assert names[stop["threadId"]] == "block (0, 0, 0), wave 1"
    (frame,) = editor.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert (frame["line"], frame["name"], frame["source"]["path"]) == (ADD, "kernel", str(program))
    scopes = {s["name"]: s["variablesReference"] for s in editor.ask("scopes", frameId=frame["id"])["scopes"]}
    assert set(scopes) == {"Lane 6", "Thread", "Shared memory"}
    held = {v["name"]: v for v in editor.ask("variables", variablesReference=scopes["Lane 6"])["variables"]}
    assert held["t"]["value"] == "70" and held["i"]["value"] == "1" and held["total"]["value"] == "70"
    inside = editor.ask("variables", variablesReference=held["lds"]["variablesReference"])["variables"]
    elements = next(v for v in inside if v["name"] == "elements")["variablesReference"]
    assert editor.ask("variables", variablesReference=elements)["variables"][71]["value"] in ("71", "71.0")
    assert editor.ask("evaluate", expression="lds[t + 1]", frameId=frame["id"])["result"] == "71"
    assert "NameError" in editor.ask("evaluate", wrong=True, expression="nothing", frameId=frame["id"])
    editor.ask("evaluate", expression="lane 9", frameId=frame["id"], context="repl")
    assert editor.ask("evaluate", expression="t", frameId=frame["id"])["result"] == "73"
    editor.ask("next", threadId=stop["threadId"])
    assert editor.event("stopped")["reason"] == "step"
    editor.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[{"line": 8}])
    editor.ask("continue", threadId=stop["threadId"])
    editor.event("stopped")
    frames = editor.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert [f["line"] for f in frames] == [8, LAST]
    editor.ask("stepOut", threadId=1)
    editor.event("stopped")
    assert editor.ask("stackTrace", threadId=stop["threadId"])["stackFrames"][0]["line"] == LAST
    editor.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[])
    editor.ask("continue", threadId=1)
    assert editor.event("output")["output"].startswith("out")
    assert editor.event("exited")["exitCode"] == 0
    editor.event("terminated")
    editor.ask("disconnect")
    assert editor.process.wait(20) == 0


def test_stop_on_entry_and_disconnect(program):
    editor = Editor(program.parent)
    editor.ask("initialize")
    editor.ask("launch", program=str(program), stopOnEntry=True, args=["a"])
    editor.ask("setFunctionBreakpoints", breakpoints=[{"name": "scaled"}])
    editor.ask("configurationDone")
    assert editor.event("stopped")["reason"] == "entry"
    editor.ask("disconnect")
    assert editor.process.wait(20) == 0


def test_the_line_of_a_loop_is_come_to_at_each_trip(program):
    """Before the loop, and at each trip behind the first with its counter; a condition chooses one."""
    said = debug(program, "p i", "c", "p i", "p total", "c", "p i", "c", options=("-b", f"{LOOP}"))
    assert places(said)[:4] == [(LOOP, 0), (LOOP, 0), (LOOP, 0), (LOOP, 1)]
    values = [line for line in said.splitlines() if line.isdigit()]
    assert values == ["1", "1", "2"]
    chosen = debug(program, "p i", options=("-b", f"{LOOP} if i == 2"))
    assert places(chosen)[0] == (LOOP, 0) and "(ave) p i\n2\n" in chosen
    assert places(debug(program, *"n" * 3, options=("-b", f"{IF}")))[:4] == [(IF, 0), (MORE, 0), (LOOP, 0), (ADD, 0)]
