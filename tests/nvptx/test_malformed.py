"""Text that is no PTX, no assembly and no IR: an error of the catalogue with its place, whatever it is and however
long."""

from __future__ import annotations

import pathlib
import random
import re

import pytest

from avelang import executor
from avelang.base.errors import AveError
from avelang.ir.text import parse_kernel
from avelang.ir.verify import verify
from avelang.nvptx.lint import lint
from nvptx.texts import text_of

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
PTX, IR = GOLDEN / "nvptx" / "turn.sm_90.ptx", GOLDEN / "pipeline" / "axpy.frontend.ir"
KINDS = {
    "ptx": (lambda text: lint(text), [PTX, GOLDEN / "nvptx" / "copy_words.sm_90.ptx"]),
    "ir": (lambda text: verify(parse_kernel(text)), [IR, GOLDEN / "pipeline" / "mfma.passes.ir"]),
    "asm": (executor.load, [GOLDEN / "amdgpu" / "axpy.gfx942.s"]),
}
WORDS = ["08", "0x", "1e999", "9" * 5000, "{" * 5000, "(" * 5000, "[" * 5000, "-" * 3000, '"', "/*", "//" * 40 + "\x01",
    "\0", "é", "v[0:", "s[-1:2]", "@", "neg(", "'" * 7]


def broken(text: str, rng: random.Random) -> str:
    """Text with a word put in, left out, cut off or exchanged."""
    at, how = rng.randrange(len(text)), rng.randrange(5)
    if how == 0:
        return text[:at] + rng.choice(WORDS) + text[at:]
    if how == 1:
        return text[:at] + text[at + rng.choice((1, 7, 60)) :]
    if how == 2:
        return text[:at]
    names = list(re.finditer(r"[A-Za-z_]\w*|\d+", text))
    a, b = rng.choice(names), rng.choice(names)
    return text[: a.start()] + (b[0] if how == 3 else rng.choice(WORDS)) + text[a.end() :]


@pytest.mark.parametrize("kind", KINDS)
def test_drawn(kind):
    """500 of each were drawn by hand with three seeds."""
    read, files = KINDS[kind]
    texts, rng, coded = [f.read_text() for f in files], random.Random(11), 0
    for _ in range(60):
        text = broken(rng.choice(texts), rng)
        try:
            read(text)
        except AveError as e:
            coded += 1
            assert e.code in ("S201", "V001", "V002", "X020", "X027", "X028", "X029", "D023")
    assert coded > 10


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("add.s32 %r1, %r1, 08;", "octal"), ("add.s32 %r1, %r1, " + "9" * 5000 + ";", "a number"), ("{" * 5000 + "}" * 5000, "nested too deeply"),
        ("add.s32 %r1, %r1, " + "(" * 5000 + "1" + ")" * 5000 + ";", "nested too deeply"),
    ],
    ids=["octal", "long", "braces", "parentheses"],
)  # fmt: skip
def test_ptx(text, why):
    with pytest.raises(AveError, match=why) as caught:
        lint(f".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{{\n.reg .b32 %r<4>;\n{text}\n}}\n")
    assert caught.value.code == "S201" and caught.value.span.line == 7


def test_a_row_of_slashes_ends():
    """It was once read in as many ways as it has parts: never to the end."""
    with pytest.raises(AveError):
        lint(text_of("triton_add.sm_90a.ptx.gz") + "//" * 500 + "\n" + "\x01")
