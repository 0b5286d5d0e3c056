"""What calls of pyptx write: a body comes in, its statements or its text go out; kernels that ptxas has assembled."""

from __future__ import annotations

import functools
import itertools

import pytest

from avelang.nvptx import nodes as n
from avelang.nvptx.parse import parse
from avelang.nvptx.printer import print_module
from avelang.runtime import ptxas
from pyptx import kernel

_numbers = itertools.count()


def lines(body, arch="sm_90a", **options):
    """The statements of a kernel with this body, without its declarations."""
    text = text_of(body, arch, **options)
    inside = text.partition("{\n")[2].rpartition("}")[0].split("\n")
    return [x.strip() for x in inside if x.strip() and not x.strip().startswith((".reg", ".shared"))]


def text_of(body, arch="sm_90a", **options):
    """The text of a kernel with this body, which reads back as the same nodes."""

    def made():
        body()

    made.__name__ = f"made_{next(_numbers)}"
    k = kernel(arch=arch, **options)(made)
    text = k.ptx()
    assert print_module(parse(text)) == print_module(k.module()) or "//" in text
    return text


@functools.cache
def assembler():
    found = ptxas.find()
    if found is None:
        pytest.skip("ptxas is not installed")
    return found


def assemble(k, **kw):
    """Asserts that ptxas takes a kernel."""
    tool = assembler()
    code, _ = ptxas.assemble(tool, k.ptx(**kw), k.arch, k.name)
    assert code


def instructions(module):
    """All instructions of a module's entry."""
    (entry,) = module.functions()
    return list(n.instructions(entry.body))
