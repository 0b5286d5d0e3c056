"""`ave lsp` by a real client over standard input and output: what it says of a text that is not saved."""

from __future__ import annotations

import asyncio
import sys

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

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
ENDLESS = "import avelang\nwhile True:\n    pass\n"


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

    await client.start_io(sys.executable, "-c", "from avelang.cli import lsp_server as s; s.LIMIT = 2.0; s.server().start_io()")
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
    out["endless"] = await change(ENDLESS)
    out["again"] = await change(WRONG)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return out


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
    # A file that runs for ever costs the limit, and the next text is answered by another process.
    assert said["endless"][0].code == "time"
    assert said["again"][0].code == "T001"
