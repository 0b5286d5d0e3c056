"""One program on the judge and on engines: a drawn program comes in, what disagrees goes out; and the smallest program that still does."""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any

from avelang.base.errors import AveError
from avelang.reducing import reduce
from fuzz import engines, judge
from fuzz.drawn import Drawn
from fuzz.engines import WAVES


@dataclasses.dataclass
class Finding:
    """An engine that disagrees with the judge: `what` is the first difference, or the error."""

    drawn: Drawn
    engine: str
    what: str
    level: int = 1

    def __str__(self) -> str:
        return f"seed {self.drawn.seed} on {self.engine}: {self.what}"


def meaning(drawn: Drawn, wave: int) -> dict[str, Any]:
    """The arrays as the judge leaves them. Raises Undefined."""
    args = drawn.inputs()
    judge.run(drawn.text, args, drawn.block, drawn.grid, wave)
    return args


def found(drawn: Drawn, engine: str, want: dict[str, Any], level: int = 1) -> str:
    """What the engine does that the judge does not; "" where they agree."""
    args = drawn.inputs()
    try:
        engines.run(drawn, engine, args, level)
    except AveError as e:
        return f"{e.code}: {e}"
    except Exception as e:  # whatever goes wrong in an engine is a finding
        return f"{type(e).__name__}: {e}"
    different = engines.differences(want, args)
    if not different:
        return ""
    name, at, w, g = different[0]
    return f"{len(different)} differ, {name}{list(at)} is {g!r} and should be {w!r}"


def alone(drawn: Drawn, engine: str, level: int) -> str:
    """Runs a program in a process of its own: "died: ..." with what is left of its words, "" where the process lives, whatever the results."""
    with tempfile.TemporaryFile() as errors:
        pid = os.fork()
        if pid == 0:
            os.dup2(errors.fileno(), 2)
            try:
                found(drawn, engine, {}, level)
            finally:
                os._exit(0)
        _, status = os.waitpid(pid, 0)
        errors.seek(0)
        last = [line.strip() for line in errors.read()[-2000:].decode(errors="replace").splitlines() if line.strip()]
    code = os.waitstatus_to_exitcode(status)
    return f"died: {f'signal {-code}' if code < 0 else f'status {code}'} {' '.join(last[-2:])}" if code else ""


def trial(drawn: Drawn, names: Sequence[str], level: int = 1, cpu: int | None = None) -> list[Finding]:
    """The engines that disagree; `level` is LLVM's for code of this machine, `cpu` that of the CPU backend's where it is another. Raises Undefined where the program means nothing."""
    wants: dict[int, dict[str, Any]] = {64: meaning(drawn, 64)}
    # Only these tell one length of a wave from another.
    wants[32] = meaning(drawn, 32) if any(x in drawn.text for x in ("shuffle", "lane_id", "target(")) else wants[64]
    out = []
    for engine in names:
        at = cpu if cpu is not None and engine.startswith("cpu") else level
        what = found(drawn, engine, wants[WAVES[engine]], at)
        if what:
            out.append(Finding(drawn, engine, what, at))
    return out


def smallest(f: Finding, seconds: float = 60.0) -> Finding:
    """The finding with its program made smaller; an error stays the error that it was."""
    kind = f.what.split(":")[0] if ":" in f.what.split(" differ")[0] else ""
    last = f.what

    def holds(text: str) -> bool:
        nonlocal last
        drawn = dataclasses.replace(f.drawn, text=text)
        try:
            want = meaning(drawn, WAVES[f.engine])
            what = alone(drawn, f.engine, f.level) if kind == "died" else found(drawn, f.engine, want, f.level)
        except Exception:  # the judge knows nothing of it
            return False
        same = bool(what) and (what.startswith(kind + ":") if kind else " differ, " in what)
        last = what if same else last
        return same

    text = reduce(f.drawn.text, holds, seconds)
    return dataclasses.replace(f, drawn=bare(dataclasses.replace(f.drawn, text=text)), what=last)


def bare(drawn: Drawn) -> Drawn:
    """The program without the parameters and the functions that its kernel does not name."""
    tree = ast.parse(drawn.text)
    kernel = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "kernel")
    named = {n.id for n in ast.walk(ast.Module(kernel.body, [])) if isinstance(n, ast.Name)}
    kernel.args.args = [a for a in kernel.args.args if a.arg in named]
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    tree.body = [n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef)) or n is kernel or n.name in used]
    arrays = tuple(a for a in drawn.arrays if a[0] in named)
    return dataclasses.replace(drawn, text=ast.unparse(tree) + "\n", arrays=arrays, numbers=tuple(n for n in drawn.numbers if n[0] in named))


# -- cases that are kept ---------------------------------------------------------------------------------------------------------------------------


def written(drawn: Drawn, why: str) -> str:
    """A file that `read` takes: the program, and how it is launched in the last line."""
    said = {"block": drawn.block, "grid": drawn.grid, "arrays": drawn.arrays, "numbers": drawn.numbers, "seed": drawn.seed}
    return f'"""{why}"""\n{drawn.text}\n# {json.dumps(said)}\n'


def read(text: str) -> Drawn:
    """A case as `written` wrote it."""
    said = json.loads(text.rstrip().rsplit("\n# ", 1)[1])
    rows = {name: tuple(map(tuple, said[name])) for name in ("arrays", "numbers")}
    return Drawn(text, tuple(said["block"]), rows["arrays"], rows["numbers"], said["seed"], tuple(said["grid"]))
