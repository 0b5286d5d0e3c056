"""Pages of the documentation come in; their programs, block by block with the output that the page shows, go out."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "```python" in p.read_text())
# A fence at the start of a line, its text, and a ```text block when nothing but blank lines stands between.
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$(?:\n+^```text\n(?P<shown>.*?)^```$)?", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"# (\w+\.py)\n")
# Between two blocks of one file stands one line, as where a reader leaves one blank; this one ends the output of the block before.
END = "\x1e"


@dataclasses.dataclass(frozen=True)
class Block:
    """One python block: the line of the page where its code starts, its text, and what it shall print (None: anything)."""

    line: int
    code: str
    shown: str | None


def _named(text: str) -> list[tuple[str, re.Match[str]]]:
    """Each block with the name of its file: a block that begins with `# NAME.py` starts a file, others go on with the last."""
    found: list[tuple[str, re.Match[str]]] = []
    name = "page.py"
    for m in BLOCK.finditer(text):
        named = NAMED.match(m["code"])
        if named:
            name = named[1]
            assert name not in {n for n, _ in found}, f"two blocks begin with # {name}"
        found.append((name, m))
    return found


def programs(text: str) -> dict[str, list[Block]]:
    """The blocks of a page by the file in which they go."""
    files: dict[str, list[Block]] = {}
    for name, m in _named(text):
        files.setdefault(name, []).append(Block(text.count("\n", 0, m.start("code")) + 1, m["code"], m["shown"]))
    return files


def run(name: str, blocks: list[Block], folder: pathlib.Path) -> list[str]:
    """Runs a program in `folder`, as `python NAME` would. What each block printed, the folder's own name left out."""
    file = folder / name
    file.write_text(f"print({END!r})\n".join(b.code for b in blocks))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300, cwd=folder)
    printed = done.stdout.replace(f"{folder}/", "")
    assert done.returncode == 0, printed + done.stderr
    return printed.split(f"{END}\n")


def compare(page: pathlib.Path, blocks: list[Block], printed: list[str]) -> None:
    """Fails where a block printed anything but what the page shows."""
    assert len(printed) == len(blocks)
    for block, out in zip(blocks, printed, strict=True):
        assert block.shown is None or out == block.shown, f"{page}:{block.line}"


def renewed(text: str, name: str, printed: list[str]) -> str:
    """The page with the shown outputs of one program replaced by what was printed."""
    mine = [m for n, m in _named(text) if n == name]
    for m, out in reversed(list(zip(mine, printed, strict=True))):
        if m["shown"] is not None:
            text = text[: m.start("shown")] + out + text[m.end("shown") :]
    return text


def anchors(text: str) -> set[str]:
    """What the headings of a page are linked by: lower case, blanks as dashes, no punctuation."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in heads}
