"""llms.txt: the index of the documentation comes in; the same for readers that are programs goes out, by
https://llmstxt.org: a title, a summary, what must be known, and a list of pages with a line each."""

from __future__ import annotations

import pathlib
import re

LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
KNOW = """\
- A kernel is a Python function under `@avelang.jit`, with `import avelang.language as al`; its body says what
  one thread does. Every parameter has an annotation: `al.f32`, `al.Pointer(al.f32)`, `al.Tensor((m, n),
  al.f32)`, `al.constexpr`. `kernel[grid, block](*arguments)` launches it on arrays of NumPy, torch or JAX,
  where they are. Nothing needs a GPU: arrays on the CPU run on the CPU.
- Whole tiles instead of threads: `from avelang import tile`. Ready operations for models: `avelang.ops`.
- Is it right? `ave run --check all FILE` finds accesses out of bounds, races and reads of memory that nothing
  wrote; `ave judge FILE` judges a kernel on drawn shapes; `ave debug -b LINE -c "print NAME" FILE` looks
  inside.
- Is it fast? `ave report FILE:KERNEL --target sm_90a` gives registers, spills and occupancy without a GPU.
- Errors have a code, a line and a hint; `ave run --json FILE` and `ave compile --json FILE:KERNEL` print them
  as JSON. Exit status: 0 done, 1 failed or found something, 2 wrong command line. `ave intrinsics NAME
  --json` describes an instruction.
"""


def llms(index: pathlib.Path) -> str:
    """docs/llms.txt, from docs/index.md: the sections with their links, each with what is said of it."""
    text = index.read_text(encoding="utf-8")
    title, _, rest = text.partition("\n")
    summary = " ".join(rest.strip().split("\n\n")[0].split())
    out = f"{title}\n\n> {summary}\n\n{KNOW}"
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        head, _, body = section.partition("\n")
        links = [link for bullet in re.split(r"^- ", body, flags=re.MULTILINE)[1:] for link in _links(bullet)]
        out += f"\n## {head.strip()}\n\n" + "".join(f"- {link}\n" for link in links)
    return out


def _links(bullet: str) -> list[str]:
    """The pages that a line of the index names; the first with the words behind it."""
    words = " ".join(bullet.split())
    head, colon, told = words.partition(": ")
    first = LINK.search(words)
    lead = words[: first.start()] if first is not None and not colon else ""  # "Coming from [Triton](...), ..."
    found = []
    for link in LINK.finditer(words):
        name, target = link.groups()
        if target.startswith("../"):  # the source, which is no page
            continue
        plain = LINK.sub(r"\1", told).strip()
        said = f": {plain}" if colon and link is not None and first is not None and link.start() == first.start() and (
            first.end() <= len(head)) else ""  # fmt: skip
        shown = lead + name
        found.append(f"[{shown[:1].upper()}{shown[1:]}]({target}){said}")
    return found
