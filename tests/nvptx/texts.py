"""PTX texts for the tests: nvcc's and Triton's samples, and our golden files. `bare` is the other reader: text without
comments and white space."""

from __future__ import annotations

import gzip
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = sorted((HERE / "samples").glob("*.ptx.gz"))
GOLDEN = sorted((HERE.parent / "golden").rglob("*.ptx"))
NAMES = [p.name for p in (*SAMPLES, *GOLDEN)]


def text_of(name: str) -> str:
    path = next(p for p in (*SAMPLES, *GOLDEN) if p.name == name)
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()


_COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def bare(text: str) -> str:
    """The text without comments and white space. Triton's and people's stray semicolons and `[a-8]` for `[a+-8]` are
    made alike."""
    text = _COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else " ", text)
    text = re.sub(r"([;{}]|^)\s*;", r"\1", text)
    return re.sub(r"\s+", "", text)
