"""`ave ptx to-python --readable`: Python with loops, ifs and names, which gives the same PTX up to names. It is
compared here by another way than its own: registers and labels are numbered by their first mention."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from click.testing import CliRunner

from avelang.cli import ptx as ptx_commands
from avelang.nvptx import nodes as n
from avelang.nvptx.parse import parse
from avelang.nvptx.printer import print_module
from avelang.nvptx.renamed import difference
from avelang.ptx import readable as implementation
from avelang.ptx.readable import readable
from avelang.sim.ptx import Program
from nvptx.texts import NAMES, text_of
from ptx.test_to_python import EVERYTHING, TRACED, executed, softmax, without_debug

# Loops, ifs and labels that are left, of each sample that branches.
FOUND = {
    "arithmetic.sm_90a.ptx.gz": (1, 17, 0), "atomics.sm_90a.ptx.gz": (0, 1, 0), "bits.sm_90a.ptx.gz": (0, 1, 0),
    "calls.sm_90a.ptx.gz": (0, 5, 0), "copies.sm_90a.ptx.gz": (2, 2, 0), "debug.sm_90a.ptx.gz": (1, 1, 0),
    "halves.sm_80.ptx.gz": (1, 12, 0), "hopper.sm_90a.ptx.gz": (1, 2, 0), "local.sm_90a.ptx.gz": (1, 5, 12),
    "print.sm_90a.ptx.gz": (3, 4, 0), "shared.sm_90a.ptx.gz": (0, 1, 0), "templates.sm_90a.ptx.gz": (6, 12, 0),
    "triton_matmul.sm_90a.ptx.gz": (1, 1, 0),
}  # fmt: skip


NAME = re.compile(r"(?<![\w$%.])(?:%[\w$]+|[$A-Za-z_][\w$]*)")
SPECIAL = re.compile(r"%(?:tid|ntid|ctaid|nctaid|laneid|clock64)")


def own(lines: list[str], at: int) -> set[str]:
    """The names that the braces which open at a line declare: registers and labels."""
    out, depth = set(), 0
    for line in lines[at:]:
        depth += line.endswith("{") - line.startswith("}")
        if depth == 0:
            break
        if depth == 1 and line.startswith(".reg"):
            for name, count in re.findall(r"([%\w$]+)(?:<(\d+)>)?(?=[,;])", line):
                out |= {f"{name}{i}" for i in range(int(count))} if count else {name}
        if depth == 1 and re.fullmatch(r"[\w$]+:", line):
            out.add(line[:-1])
    return out


def numbered(text: str) -> str:
    """A text with registers and labels numbered by their first mention, without declarations of registers, labels that
    nothing names, and data for debuggers: the other way to compare."""
    out = []
    for function in parse(without_debug(text), known=False).functions():
        whole = print_module(n.PtxModule((8, 0), ("sm_80",), 64, (function,)))
        lines = [line.strip() for line in whole.splitlines()]
        used = {w for line in lines if not line.endswith(":") for w in NAME.findall(line)}
        scopes: list[tuple[set[str], dict[str, str]]] = []
        count = 0
        for at, line in enumerate(lines):
            if line.endswith("{"):
                scopes.append((own(lines, at), {}))
            elif line.startswith("}"):
                scopes.pop()
            if line.startswith(".reg") or (line.endswith(":") and line[:-1] not in used):
                continue

            def number(found: re.Match[str]) -> str:
                nonlocal count
                name = found[0]
                names = next((seen for known, seen in reversed(scopes) if name in known), None)
                if names is None or SPECIAL.fullmatch(name):
                    return name
                if name not in names:
                    count += 1
                    names[name] = f"#{count}"
                return names[name]

            out.append(NAME.sub(number, line))
    return "\n".join(out)


def same(text: str) -> bool:
    """Whether Python of a text gives it again, up to names."""
    made = readable(text)
    got = executed(made.text).module.ptx()
    assert made.plainer == {}
    return numbered(got) == numbered(text)


@pytest.mark.parametrize("name", [x for x in NAMES if ".sm_90a." in x or x == "halves.sm_80.ptx.gz"])
def test_what_compilers_write(name):
    text = text_of(name)
    assert same(text)
    made = readable(text)
    assert made.raw == ()
    if name in FOUND:
        assert (made.loops, made.ifs, made.labels) == FOUND[name]


@pytest.mark.parametrize("name", TRACED)
def test_traced_kernels(name):
    make, sizes = TRACED[name]
    assert same(make().ptx(*sizes))


def test_the_whole_syntax():
    made = readable(EVERYTHING)
    got = executed(made.text).module.nodes()
    assert difference(parse(EVERYTHING, known=False), got) is None


# -- drawn programs ----------------------------------------------------------------------------------------------------


class Drawn:
    """A kernel of drawn loops, ifs, blocks that are left early, and branches that go anywhere."""

    def __init__(self, seed: int, wild: bool):
        self.rng, self.wild = random.Random(seed), wild
        self.lines: list[str] = []
        self.labels = 0
        self.open: list[str] = []
        self.part(0)

    def label(self) -> str:
        self.labels += 1
        return f"$L{self.labels}"

    def guard(self) -> str:
        return f"@{self.rng.choice(['', '!'])}%p{self.rng.randrange(4)} bra{self.rng.choice(['', '.uni'])}"

    def straight(self) -> None:
        for _ in range(self.rng.randrange(4)):
            a, b, c = (self.rng.randrange(8) for _ in range(3))
            kind = self.rng.choice(
                ["add.s32 %r{}, %r{}, %r{};", "add.s32 %r{}, %r{}, {};", "max.u32 %r{}, %r{}, %r{};"]
            )
            self.lines.append(kind.format(a, b, c))
        self.lines.append(f"setp.lt.s32 %p{self.rng.randrange(4)}, %r{self.rng.randrange(8)}, 9;")

    def part(self, depth: int) -> None:
        for _ in range(self.rng.randrange(1, 4)):
            self.straight()
            choice = self.rng.choice(["loop", "endless", "if", "else", "block", "none"]) if depth < 3 else "none"
            first, last = self.label(), self.label()
            if choice in ("loop", "endless"):
                self.lines.append(f"{first}:")
                self.open += [last]
                self.part(depth + 1)
                self.lines.append(f"{self.guard() if choice == 'loop' else 'bra'} {first};")
            elif choice in ("if", "else"):
                self.lines.append(f"{self.guard()} {first};")
                self.open += [first]
                self.part(depth + 1)
                self.open[-1:] = [last]
                if choice == "else":
                    self.lines += [f"bra.uni {last};", f"{first}:"]
                    self.part(depth + 1)
                else:
                    self.lines.append(f"{first}:")
            elif choice == "block":
                self.open += [last]
                self.part(depth + 1)
            if choice != "none":
                self.open.pop()
                self.lines.append(f"{last}:")
            if self.open and self.rng.random() < 0.5:
                self.lines.append(f"{self.guard()} {self.rng.choice(self.open)};")

    def text(self) -> str:
        lines = [x for x in self.lines if x[0] != "$" or any(y.endswith(f" {x[:-1]};") for y in self.lines)]
        if self.wild:
            for k in range(3):
                lines.insert(self.rng.randrange(len(lines)), f"$W{k}:")
                lines.insert(self.rng.randrange(len(lines)), f"{self.guard()} $W{k};")
        body = "\n".join(lines)
        return (".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<4>;\n"
                f".reg .b32 %r<8>;\n{body}\nret;\n}}\n")  # fmt: skip


def test_drawn_programs():
    loops = ifs = labels = 0
    for seed in range(25):
        text = Drawn(seed, wild=False).text()
        assert same(text), seed
        made = readable(text)
        loops, ifs, labels = loops + made.loops, ifs + made.ifs, labels + made.labels
    assert loops > 50 and ifs > 50 and labels == 0


def test_drawn_programs_with_branches_anywhere():
    for seed in range(25):
        assert same(Drawn(seed, wild=True).text()), seed


# -- the check ---------------------------------------------------------------------------------------------------------


def test_a_difference_is_found():
    """Each change of one token of a program is a difference, except one to one changes of names."""
    text = Drawn(3, wild=False).text()
    before = parse(text)
    assert difference(before, parse(re.sub(r"%r(\d)", lambda m: f"%r{(int(m[1]) + 3) % 8}", text))) is None
    lines = text.splitlines()
    seen = 0
    for at, line in enumerate(lines):
        for old, new in (
            ("add", "sub"),
            ("%r1", "%r2"),
            ("@%p", "@!%p"),
            ("lt", "le"),
            (", 9", ", 8"),
            ("bra ", "bra.uni "),
        ):
            if old in line and line[0] not in ".$":
                changed = "\n".join([*lines[:at], line.replace(old, new, 1), *lines[at + 1 :]])
                assert difference(before, parse(f"{changed}\n")) is not None, line
                seen += 1
    assert seen > 20
    moved = text.replace(".reg .b32 %r<8>;", ".reg .s32 %r<8>;")
    assert difference(before, parse(moved)) is not None  # the type of registers


def test_what_is_recognized_wrongly_is_written_plainly(monkeypatch):
    """A recognition that turns conditions: the text says so, and its PTX is right all the same."""
    right = implementation.ReadableWriter.condition
    monkeypatch.setattr(
        implementation.ReadableWriter, "condition", staticmethod(lambda b, names, turned: right(b, names, not turned))
    )
    text = text_of("shared.sm_90a.ptx.gz")
    made = readable(text)
    ((name, (way, _)),) = made.plainer.items()
    assert way == "without blocks" and f"# `{name}` is written without blocks" in made.text
    assert numbered(executed(made.text).module.ptx()) == numbered(text)


# -- what a person reads -----------------------------------------------------------------------------------------------


def test_it_is_what_a_person_would_write():
    text = readable(text_of("triton_softmax.sm_90a.ptx.gz")).text
    for line in ("    for k, step in enumerate((16, 8, 4, 2, 1)):", "    # triton_samples.py:24"):
        assert line in text.splitlines(), line
    assert "$L__tmp" not in text and "\nLOG2_E = 1.442695\n" in text and ", LOG2_E)" in text
    text = readable(text_of("triton_matmul.sm_90a.ptx.gz")).text
    assert "m64n128k16.f32.f16.f16(acc[0:64], " in text
    text = readable(text_of("copies.sm_90a.ptx.gz")).text
    assert "with ptx.do_while(" in text and "with ptx.if_(" in text and "tid_x" in text


def test_names_say_what_registers_are():
    text = readable(text_of("templates.sm_90a.ptx.gz")).text
    for line in (
        "    ptx.inst.mov.u32(tid_x, ptx.special.tid.x())",
        "        with ptx.do_while(i_lt_arg_2):",
        "            ptx.inst.fma.rn.f32(acc, in_0, in_weights, acc)",
        "            ptx.inst.add.s32(i, i, ntid_x)",
        "    with ptx.do_while(stride_ne_0):",
        "        with ptx.if_(ptx.not_(tid_x_ge_stride)):",
        "    ptx.inst.st.shared.f32(ptx.addr(p_tile_at[1]), acc)",
    ):
        assert line in text.splitlines(), line


def test_a_loop_that_is_entered_by_a_branch_keeps_its_label():
    text = readable(text_of("debug.sm_90a.ptx.gz")).text
    assert '.bra.uni("$L__BB1_2")' in text and 'with ptx.loop(uniform=True, head="$L__BB1_2"):' in text


def test_it_computes_the_same():
    text = text_of("triton_softmax.sm_90a.ptx.gz")
    x = np.random.default_rng(1).standard_normal((5, 2000)).astype(np.float32)
    out = softmax(Program(executed(readable(text).text).module.ptx()), x)
    np.testing.assert_array_equal(out, softmax(Program(text), x))


def test_the_command(tmp_path):
    file = tmp_path / "x.ptx"
    file.write_text(text_of("hopper.sm_90a.ptx.gz"))
    ran = CliRunner().invoke(ptx_commands.ptx, ["to-python", str(file), "--readable"])
    assert ran.exit_code == 0 and "with ptx." in ran.output
