"""`ave lsp` by a real client over standard input and output: what it says of a text that is not saved."""

from __future__ import annotations

import asyncio
import sys
import time

import numpy as np
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from avelang.cli import lsp_server, lsp_worker

TEXT = """import avelang
import avelang.language as al


@avelang.jit
def twice(v: al.f32) -> al.f32:
    return v + v


@avelang.jit
def scale(x: al.Pointer[al.f32], n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,)))
    i = al.thread_id(0)
    xs[i] = twice(xs[i])
"""
WRONG = TEXT.replace("twice(xs[i])", "twice(xz[i])")
STRIDES = (1, 2, 3, 16, 32, 33)
BANKS = """import avelang
import avelang.language as al
from avelang import tile


@avelang.jit
def strided(x: al.Pointer[al.f32], p: al.Pointer[al.u32]):
    al.expect_threads(64, exact=True)
    S = al.make_shared((64 * 33,), al.f32)
    T = al.make_shared((64, 32), al.f32)
    X = al.make_tensor(x, al.f32, al.make_layout((64,)))
    i = al.thread_id(0)
    X[i] = S[al.make_tensor(p, al.u32, al.make_layout((64,)))[i]]  # loaded
    X[i] = put(T, i)  # called
""" + "".join(f"    S[i * {n}] = X[i]\n" for n in STRIDES) + """

@avelang.jit
def put(T, i):
    T[i, 0] = 1.0  # inside
    return T[0, i]


@avelang.jit
def tiled(p: al.Pointer[al.f32], q: al.Pointer[al.f32]):
    X = tile.view(p, (32, 32), 4)
    x = X.window((32, 32), (0, 0), tile.Distribution.blocked((32, 32), al.f32, waves=1)).load()
    t = tile.dot(x, x)  # tiles
    tile.view(q, (32, 32), 4).store(t, (0, 0))
"""
ENDLESS = "import avelang\nwhile True:\n    pass\n"


async def _hovered(hover, out: dict) -> None:
    """What is said of the accesses of `BANKS`, by their comments, and by strides as `banks`."""
    lines = BANKS.splitlines()
    end = time.monotonic() + 60
    while "bank" not in await hover(lines.index("    S[i * 1] = X[i]"), 5) and time.monotonic() < end:
        await asyncio.sleep(0.02)  # banks come behind the errors
    out["banks"] = [await hover(lines.index(f"    S[i * {n}] = X[i]"), 5) for n in STRIDES]
    for word in ("# loaded", "# called", "# inside", "# tiles", "return T[0"):
        at = next(i for i, x in enumerate(lines) if word in x)
        out[word] = await hover(at, len(lines[at]) - 1)


async def _session(tmp_path) -> dict:
    client, published, out = LanguageClient("test", "1"), asyncio.Queue(), {}

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def _(params: lsp.PublishDiagnosticsParams) -> None:
        published.put_nowait(params.diagnostics)

    uri = (tmp_path / "kernel.py").as_uri()
    document, version = lsp.TextDocumentIdentifier(uri), 1

    async def change(text: str) -> list[lsp.Diagnostic]:
        nonlocal version
        version += 1
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(version, uri), [lsp.TextDocumentContentChangeWholeDocument(text)]
            )
        )
        return await asyncio.wait_for(published.get(), 60)

    await client.start_io(sys.executable, "-c", "from avelang.cli import lsp_server as s; s.LIMIT = 8.0; s.server().start_io()")
    folder = lsp.InitializeParams(lsp.ClientCapabilities(), initialization_options={"target": "gfx942"})
    await client.initialize_async(folder)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "python", 1, WRONG)))
    out["wrong"] = await asyncio.wait_for(published.get(), 60)
    out["right"] = await change(TEXT)

    async def hover(line: int, col: int) -> str:
        found = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(line, col)))
        return found.contents.value if found else ""

    out["word"], out["value"] = await hover(12, 12), await hover(12, 4)
    out["definition"] = await client.text_document_definition_async(
        lsp.DefinitionParams(document, lsp.Position(13, 14))
    )
    # Half a line, as while it is typed: it is no Python, and is completed all the same.
    half = TEXT + "    al.amdgpu.mfma_f32_16x16x16\n    al.amdgpu.wgm +\n"
    version += 1
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version, uri), [lsp.TextDocumentContentChangeWholeDocument(half)]
        )
    )
    out["names"] = await client.text_document_completion_async(
        lsp.CompletionParams(document, lsp.Position(14, len("    al.amdgpu.mfma_f32_16x16x16")))
    )
    out["shared"] = await change(BANKS)
    await _hovered(hover, out)
    out["endless"] = await change(ENDLESS)
    out["again"] = await change(WRONG)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return out


def test_kernels_that_are_too_large_for_an_editor(tmp_path, monkeypatch):
    monkeypatch.setattr(lsp_worker, "MOST_OPS", 100)
    path = str(tmp_path / "large.py")
    made, sharing = lsp_worker.analyzed(path, BANKS)
    assert not made["problems"]
    found = lsp_worker.banks(sharing, path, "sm_90a")["banks"]
    lines = BANKS.splitlines()
    assert any("32-way bank conflict on sm_90a (32 cycles, 1 without)" in x[4] for x in found)
    large = [lines[x[0] - 1] for x in found if "`ave inspect` of tiled" in x[4]]
    assert large == [next(x for x in lines if "def tiled" in x)]
    assert lsp_server.banks_at(found, 1 + next(i for i, x in enumerate(lines) if "# tiles" in x), 9) == [found[-1][4]]


HEAD = "import avelang\nimport avelang.language as al\n"
WIDE = HEAD + "@avelang.jit\ndef kernel(x: al.Pointer[al.u32]):\n    é = '日本😀'; x[al.thread_id(0)] = al.thread_id({})\n"


def test_columns_are_those_of_editors(tmp_path):
    line = WIDE.splitlines()[4]
    at = len(line[: line.rindex("al.thread_id")].encode("utf-16-le")) // 2
    (found,) = lsp_worker.analyzed(str(tmp_path / "wide.py"), WIDE.format(9))[0]["problems"]
    assert (found["code"], found["line"], found["col"], found["end"]) == ("T067", 5, at, at + len("al.thread_id(9)"))
    types = lsp_worker.analyzed(str(tmp_path / "wide.py"), WIDE.format("0); y = (1"))[0]["types"]
    assert lsp_server.type_at(types, 5, at).startswith("thread_id: u32")


def test_a_file_of_a_package_imports_from_it(tmp_path):
    (tmp_path / "lsp_rows").mkdir()
    (tmp_path / "lsp_rows" / "__init__.py").touch()
    (tmp_path / "lsp_rows" / "other.py").write_text(HEAD + "@avelang.jit\ndef twice(v):\n    return v * 2\n")
    text = HEAD + "from .other import twice\n@avelang.jit\ndef kernel(x: al.Pointer[al.f32]):\n    x[0] = twice(x[0]) + {}\n"
    made = lsp_worker.analyzed(str(tmp_path / "lsp_rows" / "kernels.py"), text.format("1.0"))[0]
    assert not made["problems"] and made["types"]
    (found,) = lsp_worker.analyzed(str(tmp_path / "lsp_rows" / "kernels.py"), text.format("y"))[0]["problems"]
    assert (found["code"], found["line"]) == ("T001", 6)


def test_a_file_that_reads_its_input_or_ends_its_process(tmp_path):
    worker = lsp_server.Worker()
    try:
        for text, said in (("input()\n", "EOFError"), ("import os\nos._exit(0)\n", None), ("raise SystemExit\n", "SystemExit")):
            answer, *_ = worker.ask(str(tmp_path / "f.py"), HEAD + text, "")
            assert not worker.late and (answer is None if said is None else said in answer["problems"][0]["text"])
    finally:
        worker.close()


def test_a_session(tmp_path):
    said = asyncio.run(_session(tmp_path))
    (wrong,) = said["wrong"]
    assert wrong.code == "T001" and "xz" in wrong.message
    assert (wrong.range.start.line, wrong.range.start.character) == (13, TEXT.splitlines()[13].index("xs[i])"))
    assert not said["right"]
    assert "thread_id(dim)" in said["word"] and "Which thread" in said["word"]
    assert "u32" in said["value"]
    assert said["definition"].range.start.line == 5
    names = [i.label for i in said["names"]]
    assert "mfma_f32_16x16x16_bf16" in names and all(n.startswith("mfma_f32_16x16x16") for n in names)
    # 32 lanes are served at a time, by 32 banks of 4 bytes: as many cycles as the most asked bank has words.
    assert not said["shared"]
    for stride, words in zip(STRIDES, said["banks"], strict=True):
        ways = np.bincount(np.arange(32) * stride % 32).max()
        expected = f"{ways}-way bank conflict" if ways > 1 else ": no bank conflict"
        assert f"{expected} on gfx942" in words, (stride, words)
    assert "not known" in said["# loaded"]
    # A line of a function of one's own, and the call through which it is reached.
    assert "write of 4 bytes a lane: 32-way" in said["# inside"] and "no bank conflict" not in said["# inside"]
    assert "read of 4 bytes a lane: no bank conflict" in said["return T[0"]
    assert "32-way" in said["# called"] and "no bank conflict" in said["# called"]
    assert "16 bytes a lane: no bank conflict on gfx942" in said["# tiles"]
    # A file that runs for ever costs the limit, and the next text is answered by another process.
    assert said["endless"][0].code == "time"
    assert said["again"][0].code == "T001"
