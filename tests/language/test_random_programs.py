"""Random programs on i32 with control flow that differs by thread: plain Python runs the same text, and every backend
must agree with it. What is drawn: assignments, nested if, for and while, break, continue, early return, calls."""

import importlib.util
import random
from types import SimpleNamespace

import numpy as np
import pytest

N = 96  # a wave and a half
SEEDS = range(10)

HEAD = """import avelang
import avelang.language as al


@avelang.jit
def pick(x: al.i32, y: al.i32) -> al.i32:
    if x > y:
        return x - y
    if x == 3:
        return y
    return x ^ y


@avelang.jit
def kernel(src: al.Tensor((2, {n}), al.i32), out: al.Tensor((4, {n}), al.i32)):
    t = al.convert(al.thread_id(0), al.i32)
    a = src[0, t]
    b = src[1, t]
    c = t
    d = a
"""
NAMES = "abcd"


class Writer:
    """Draws a program, line by line."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.room = 24  # statements left

    def expression(self, depth: int = 0) -> str:
        pick = self.draw.random()
        if depth > 2 or pick < 0.25:
            return self.draw.choice(NAMES)
        if pick < 0.35:
            return str(self.draw.randint(-9, 40))
        x, y = self.expression(depth + 1), self.expression(depth + 1)
        if pick < 0.75:
            # A literal alone has no type of its own: one operand is always a variable.
            return f"({self.draw.choice(NAMES)} {self.draw.choice('+ - * & | ^'.split())} {y})"
        if pick < 0.82:
            return f"({self.draw.choice(NAMES)} {self.draw.choice(['//', '%'])} (({self.draw.choice(NAMES)} & 15) + 1))"
        if pick < 0.87:
            return f"({self.draw.choice(NAMES)} {self.draw.choice(['<<', '>>'])} ({self.draw.choice(NAMES)} & 7))"
        if pick < 0.92:
            return f"({self.draw.choice(NAMES)} if {self.condition(depth + 1)} else {x})"
        if pick < 0.96:
            return f"al.{self.draw.choice(['min', 'max'])}({self.draw.choice(NAMES)}, {y})"
        return f"pick({self.draw.choice(NAMES)}, {self.draw.choice(NAMES)})"

    def condition(self, depth: int = 1) -> str:
        one = f"{self.draw.choice(NAMES)} {self.draw.choice('< <= > >= == !='.split())} {self.expression(depth + 1)}"
        pick = self.draw.random()
        if pick < 0.15:
            return f"({one} and {self.draw.choice(NAMES)} % 3 != 0)"
        if pick < 0.3:
            return f"({one} or {self.draw.choice(NAMES)} & 1 == 1)"
        return f"(not {one})" if pick < 0.35 else f"({one})"

    def block(self, indent: int, in_loop: bool) -> None:
        for _ in range(self.draw.randint(1, 3)):
            self.statement(indent, in_loop)

    def statement(self, indent: int, in_loop: bool) -> None:
        pad, pick = "    " * indent, self.draw.random()
        self.room -= 1
        if pick < 0.45 or self.room < 0 or indent > 4:
            how = self.draw.choice(["=", "=", "+=", "^=", "-="])
            self.lines.append(f"{pad}{self.draw.choice(NAMES)} {how} {self.expression()}")
        elif pick < 0.65:
            self.lines.append(f"{pad}if {self.condition()}:")
            self.block(indent + 1, in_loop)
            if self.draw.random() < 0.6:
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, in_loop)
        elif pick < 0.78:
            bounds = self.draw.choice(
                [f"{self.draw.choice(NAMES)} & 3", f"1, {self.draw.choice(NAMES)} & 7, 2", "3", "6, 0, -2", "2, 5"]
            )
            self.loops += 1
            self.lines.append(f"{pad}for i{self.loops} in al.range({bounds}):")
            self.lines.append(f"{pad}    {self.draw.choice(NAMES)} += al.convert(i{self.loops}, al.i32)")
            self.block(indent + 1, True)
        elif pick < 0.86:
            self.loops += 1
            n = f"n{self.loops}"
            limit = f"({self.draw.choice(NAMES)} & 3) + 1"
            self.lines += [f"{pad}{n} = al.convert(0, al.i32)", f"{pad}while {n} < {limit}:", f"{pad}    {n} += 1"]
            self.block(indent + 1, True)
        elif pick < 0.93 and in_loop:
            self.lines += [f"{pad}if {self.condition()}:", f"{pad}    {self.draw.choice(['break', 'continue'])}"]
        elif pick < 0.96:
            self.lines += [f"{pad}if {self.condition()}:", f"{pad}    out[3, t] = c", f"{pad}    return"]
        else:
            self.lines.append(f"{pad}out[{self.draw.randint(0, 2)}, t] = {self.draw.choice(NAMES)}")

    def program(self) -> str:
        while self.room > 0:
            self.statement(1, False)
        self.lines += [f"    out[{i}, t] = {name}" for i, name in enumerate(NAMES)]
        return HEAD.format(n=N) + "\n".join(self.lines) + "\n"


class Rows:
    """An array indexed as a kernel indexes it; a literal stored takes its dtype."""

    def __init__(self, array):
        self.array = array

    def __getitem__(self, at):
        return self.array[at]

    def __setitem__(self, at, value):
        self.array[at] = value


def plain_python(text: str, src: np.ndarray) -> np.ndarray:
    """Runs the program's text thread by thread, with stand-ins for the few names of the language that it uses."""
    thread = [0]

    def ranges(*bounds):
        return [np.int32(i) for i in range(*map(int, bounds))]

    i32 = np.int32
    stand_in = SimpleNamespace(
        thread_id=lambda _: thread[0], convert=lambda x, d: d(x), range=ranges, i32=i32, Tensor=lambda *a: None,
        min=lambda x, y: i32(min(x, y)), max=lambda x, y: i32(max(x, y)),
    )  # fmt: skip
    names = {"avelang": SimpleNamespace(jit=lambda f: f), "al": stand_in}
    body = text.replace("import avelang\n", "").replace("import avelang.language as al\n", "")
    exec(compile(body, "<program>", "exec"), names)  # noqa: S102
    out = np.zeros((4, N), np.int32)
    with np.errstate(all="ignore"):
        for thread[0] in range(N):
            names["kernel"](Rows(src), Rows(out))
    return out


def load(text: str, path):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(launch, tmp_path, seed):
    text = Writer(seed).program()
    src = np.random.default_rng(seed).integers(-50, 100, (2, N)).astype(np.int32)
    out = np.zeros((4, N), np.int32)
    launch(load(text, tmp_path / f"program_{seed}.py"), src, out, block=N)
    np.testing.assert_array_equal(out, plain_python(text, src), err_msg=text)
