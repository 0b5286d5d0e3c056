"""The catalogue as a whole: classes, templates, how an error looks; and codes that belong to no other test."""

from __future__ import annotations

import re
import string

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base import knobs
from avelang.base.catalogue import CATALOGUE
from avelang.base.errors import CLASSES, AveError, AveTypeError, error
from avelang.base.spans import Span


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("code", CATALOGUE)
def test_each_code_makes_an_error_of_its_class(code):
    template = CATALOGUE[code]
    names = {re.split(r"[.\[]", name)[0] for name in fields(template.message) | fields(template.hint)}
    # A field with a number's format gets a number; `where` and the like are words.
    values = {name: 7 if re.search(r"\{" + name + r":#x", template.message + template.hint) else f"<{name}>"
              for name in names}
    exc = error(code, **values)
    assert type(exc) is CLASSES[code[0]] and isinstance(exc, AveError)
    assert str(exc).startswith(f"[{code}] ") and "{" not in re.sub(r"'[^']*'", "", exc.message)
    assert not template.message.endswith("."), "a message is no sentence; a hint follows it"


def test_an_error_shows_line_caret_callers_and_hint(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("def f(x):\n    é = x + wrong\n\nf(1)\n")
    call = Span(str(file), 4, 0, 4, 4, "main")
    # Columns count bytes, as in `ast`: `wrong` begins at byte 13, after the two of the é.
    exc = error("T001", Span(str(file), 2, 13, 2, 18, "f", call), name="wrong", hint="did you mean x?")
    assert isinstance(exc, AveTypeError)
    assert str(exc).splitlines() == [
        "[T001] unknown name 'wrong'",
        f"  --> {file}:2 in f",
        "  |",
        "2 |     é = x + wrong",
        "  |             ^^^^^",
        f"  called from {file}:4 in main",
        "      f(1)",
        "  hint: did you mean x?",
    ]


def test_the_first_place_is_the_users(tmp_path):
    """Where a device function of Ave's own is at fault for what it got, its lines come after the one that called it."""
    file = tmp_path / "kernel.py"
    file.write_text("f()\ng()\n")
    outer = Span(str(file), 2, 0, 2, 3, "main")
    user = Span(str(file), 1, 0, 1, 3, "kernel", outer)
    inner = Span(avelang.__file__, 1, 0, 1, 3, "deepest", Span(avelang.__file__, 1, 0, 1, 3, "run", user))
    places = [line.strip() for line in str(error("T029", inner, got="3")).splitlines() if ":1 in " in line
              or ":2 in " in line]
    own = f"{avelang.__file__}:1"
    assert places == [f"--> {file}:1 in kernel", f"which calls {own} in run", f"which calls {own} in deepest",
                      f"called from {file}:2 in main"]
    # All of it Ave's own: as it is.
    assert f"--> {own} in run" in str(error("T029", Span(avelang.__file__, 1, 0, 1, 3, "run"), got="3"))


def test_an_error_without_source():
    assert str(error("L030")) == "[L030] there is no memory for a thread's scratch"
    assert str(error("T029", Span("gone.py", 3), got="3")) == "[T029] 3 has no elements to index\n  --> gone.py:3"


@avelang.jit
def float_bound(x: al.Pointer(al.f32), n: al.f32):
    for _ in al.range(n):  # here
        pass


def test_t051_a_bound_that_is_no_integer():
    with pytest.raises(AveTypeError) as caught:
        float_bound[lambda: ((1, 1, 1), (64, 1, 1))](np.zeros(4, np.float32), 3.0)
    assert caught.value.code == "T051"
    assert "# here" in caught.value.span.text()


def test_l034_a_check_that_is_misspelled(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "wait,ir")
    with pytest.raises(AveError, match=r"\[L034\] AVE_CHECK: there is no 'wait'") as caught:
        knobs.check_waits()
    assert "waits" in caught.value.hint


@pytest.mark.parametrize(("setting", "read"), [("AVE_THREADS=many", knobs.threads), ("AVE_THREADS=0", knobs.threads), ("AVE_THREADS=-1", knobs.threads),
                                               ("AVE_DUMP=ir,sass", knobs.dump), ("AVE_CACHE_SIZE=1GB", knobs.cache_bytes)])  # fmt: skip
def test_l034_a_setting_that_is_none(monkeypatch, setting, read):
    name, value = setting.split("=")
    monkeypatch.setenv(name, value)
    with pytest.raises(AveError, match=rf"\[L034\] {name}: there is no '{value.split(',')[-1]}'"):
        read()
    monkeypatch.setenv(name, {"AVE_DUMP": " asm, ir,"}.get(name, "3"))
    assert read() == {"AVE_THREADS": 3, "AVE_DUMP": ("asm", "ir"), "AVE_CACHE_SIZE": 3 << 20}[name]
