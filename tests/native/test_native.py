"""The IR that is committed is that of the C beside it, for every host; Python reads structs as C lays them out."""

from __future__ import annotations

import ctypes
import importlib.util
import inspect
import pathlib

import pytest

from avelang.llvm.core import HostCompiler
from avelang.native import amdgcn, cpu, layouts, ptx, units, xla

_spec = importlib.util.spec_from_file_location("native", pathlib.Path(__file__).parents[2] / "tools" / "native.py")
assert _spec is not None and _spec.loader is not None
native = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(native)

compiler = pytest.mark.skipif(not native.there(), reason="needs the ziglang wheel")
STRUCTS = {
    header: [s for s in vars(module).values() if inspect.isclass(s) and issubclass(s, ctypes.Structure)]
    for header, module in (("layouts.h", layouts), ("xla.h", xla), ("amdgcn.h", amdgcn), ("ptx.h", ptx), ("cpu.h", cpu))
}
# What LLVM loads the text for, here or elsewhere.
MACHINES = (
    ("x86_64-unknown-linux-gnu", "x86-64-v3", ""),
    ("aarch64-unknown-linux-gnu", "generic", ""),
    ("arm64-apple-darwin", "apple-m1", ""),
)


@pytest.mark.parametrize("header", native.HEADERS)
def test_the_mirror_is_that_of_the_header(header):
    assert (native.FOLDER / native.HEADERS[header]).read_text() == native.mirror(header), "run ./dev native"


@pytest.mark.parametrize("name", native.UNITS)
def test_the_text_is_of_these_sources(name):
    """Also where no compiler is."""
    assert native.recorded((native.FOLDER / name).read_text()) == native.digest(native.UNITS[name]), "run ./dev native"


@compiler
@pytest.mark.parametrize("name", native.UNITS)
def test_the_text_is_what_the_compiler_makes(name):
    assert (native.FOLDER / name).read_text() == native.unit(name), "run ./dev native"


def test_another_source_is_another_text(tmp_path, monkeypatch):
    for name in native.sources("host/host.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((native.FOLDER / name).read_text())
    before = native.digest("host/host.c")
    monkeypatch.setattr(native, "FOLDER", tmp_path)
    assert native.digest("host/host.c") == before
    (tmp_path / "layouts.h").write_text((tmp_path / "layouts.h").read_text() + "/* */\n")
    assert native.digest("host/host.c") != before


@compiler
@pytest.mark.parametrize("host", native.HOSTS)
def test_structs_lie_alike_on_every_host(host, tmp_path):
    for header, structs in STRUCTS.items():
        alike(host, header, structs, tmp_path / "asserted.c")
    assert set(STRUCTS) == set(native.HEADERS)


def alike(host, header, structs, file):
    lines = [f'#include "{native.FOLDER / header}"']
    for s in structs:
        lines.append(f'_Static_assert(sizeof({s.__name__}) == {ctypes.sizeof(s)}, "");')
        lines += [
            f'_Static_assert(__builtin_offsetof({s.__name__}, {n}) == {getattr(s, n).offset}, "");'
            for n, *_ in s._fields_
        ]
    file.write_text("\n".join(lines) + "\n")
    native.compiled(file, host)
    file.write_text(lines[0] + f'\n_Static_assert(sizeof({structs[0].__name__}) == 1, "");\n')
    with pytest.raises(RuntimeError, match="static assertion failed"):
        native.compiled(file, host)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m[0])
def test_one_text_is_for_every_host(machine):
    for name in ("host", "amdgcn", "ptx", "cpu", "gpu"):
        assert native.BY_HOST.search(units.text(name)) is None
        assert len(HostCompiler(0, machine).object(units.text(name))) > 1_000


def test_a_field_that_is_not_there_is_an_error():
    """A Structure of ctypes would take any name."""
    with pytest.raises(AttributeError):
        layouts.Context(true=1)  # pyright: ignore
    with pytest.raises(AttributeError):
        layouts.Context().true = 1  # pyright: ignore


@pytest.mark.parametrize(
    "bad",
    [
        "struct A { i64 x; };",
        "typedef struct A { i64 x:3; } A;",
        "typedef struct A { i64 (*x)(void); } A;",
        "int f(void);",
        "union A { i64 x; };",
    ],
)
def test_what_the_mirror_cannot_read_is_an_error(bad, tmp_path, monkeypatch):
    (tmp_path / "layouts.h").write_text(bad)
    monkeypatch.setattr(native, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"layouts.h|no field"):
        native.mirror("layouts.h")
