"""A sign of life: what is compiled is said where somebody looks, and only where it takes long."""

import io
import os
import re
import subprocess
import sys

import pytest

from avelang.runtime import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def said(monkeypatch, stream, long=True, **variables):
    """What a compilation writes to such a stream."""
    for name in ("AVE_PROGRESS", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "AFTER", 0.0 if long else 60.0)
    with progress.shown("gemm", "cpu", "gfx942"):
        for timer in [t for t in progress.threading.enumerate() if isinstance(t, progress.threading.Timer)]:
            if long:
                timer.join(20)
    return stream.getvalue()


def test_on_a_terminal_it_is_shown_and_taken_away(monkeypatch):
    text = said(monkeypatch, Terminal())
    assert "Ave compiles `gemm` for cpu (gfx942)" in text
    assert text.rstrip().endswith("\x1b[2K") and text.count("\x1b[?25h") == text.count("\x1b[?25l")


def test_what_is_quick_is_not_told(monkeypatch):
    assert said(monkeypatch, Terminal(), long=False) == ""


def test_into_a_pipe_only_where_it_was_asked_for(monkeypatch):
    assert said(monkeypatch, io.StringIO()) == ""
    text = said(monkeypatch, io.StringIO(), AVE_PROGRESS="1")
    assert re.fullmatch(r"Ave compiles `gemm` for cpu \(gfx942\) \.\.\.\nAve compiled `gemm` for cpu \(gfx942\): \d+\.\d s\n", text)


def test_a_terminal_can_be_kept_quiet(monkeypatch):
    assert said(monkeypatch, Terminal(), AVE_PROGRESS="0") == ""


@pytest.mark.parametrize("broken", [None, "closed"])
def test_without_standard_error(monkeypatch, broken):
    stream = io.StringIO()
    stream.close()
    monkeypatch.delenv("AVE_PROGRESS", raising=False)
    monkeypatch.setattr(sys, "stderr", stream if broken else None)
    with progress.shown("gemm", "cpu", ""):
        pass


def test_an_error_within_ends_the_sign(monkeypatch):
    monkeypatch.setenv("AVE_PROGRESS", "1")
    monkeypatch.setattr(progress, "AFTER", 60.0)
    before = progress.threading.active_count()
    with pytest.raises(KeyError), progress.shown("gemm", "cpu", ""):
        raise KeyError
    for thread in progress.threading.enumerate():
        if isinstance(thread, progress.threading.Timer):
            thread.join(20)
    assert progress.threading.active_count() <= before


def test_a_launch_says_it(tmp_path):
    """The line comes while LLVM works, from the launch that compiles; a second one, out of the cache, is silent."""
    program = tmp_path / "program.py"
    program.write_text("""
import time
from avelang.runtime import progress, compile
progress.AFTER = 0.01
made = compile.cpu_object
def slow(*args):
    time.sleep(0.5)
    return made(*args)
compile.cpu_object = slow
import numpy as np, avelang, avelang.language as al
@avelang.jit
def fill(x: al.Pointer(al.f32)):
    x[al.thread_id(0)] = 1.0
x = np.zeros(64, np.float32)
fill[1, 64](x)
assert (x == 1).all()
""")
    env = {**os.environ, "AVE_PROGRESS": "1", "AVE_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, check=True) for _ in range(2))
    assert first.stderr.startswith("Ave compiles `fill` for cpu ...\n") and second.stderr == "" == first.stdout


def test_the_bar_has_stages(monkeypatch):
    """A compilation moves the bar from stage to stage, in the order in which they come; one within another has no bar of its own."""
    stream = Terminal()
    for name in ("AVE_PROGRESS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "AFTER", 0.0)
    progress.stage("passes")  # nobody waits: nothing is said
    with progress.shown("gemm", "cpu", ""):
        sign = progress._SIGN.get()
        sign.timer.join(20)
        for done, name in enumerate(progress.STAGES):
            with progress.shown("inner", "cpu", ""):
                progress.stage(name)
            assert (sign.stage, sign.done, sign.status.tasks[0].completed) == (name, done, done)
            sign.status.refresh()
        progress.stage("ptxas")
        assert (sign.stage, sign.done) == ("ptxas", len(progress.STAGES) - 1)
    text = stream.getvalue()
    assert all(name in text for name in progress.STAGES) and "inner" not in text and text.count("\x1b[?25h") == text.count("\x1b[?25l")
    assert progress._SIGN.get() is None


def test_a_compilation_names_its_stages(monkeypatch, tmp_path):
    import avelang
    import avelang.language as al
    from avelang.runtime import compile

    @avelang.jit
    def one(p: al.Pointer(al.f32)):
        X = al.make_tensor(p, al.f32, al.make_layout((64,), (1,)))
        X[al.thread_id(0)] = 1.0

    told = []
    monkeypatch.setattr(progress, "stage", told.append)
    compile.device_assembly(one.source, {}, "gfx942", (64, 1, 1), {})
    assert tuple(told) == progress.STAGES[1:]
