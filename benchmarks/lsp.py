"""How long the language server takes to answer, once warm: `python benchmarks/lsp.py [FILE] [--times 20]`.

A real client asks a real server over standard input and output. For each request the median and the longest of so many
are printed, in milliseconds; `diagnostics` is from the change of the text to its diagnostics, with the pause of
`cli/lsp_server.py` for which the server waits after a change."""

from __future__ import annotations

import argparse
import asyncio
import pathlib
import platform
import statistics
import sys
import time

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

ROOT = pathlib.Path(__file__).resolve().parents[1]


async def measured(path: pathlib.Path, times: int) -> dict[str, list[float]]:
    """Milliseconds of each request, by its name."""
    client, published = LanguageClient("benchmark", "1"), asyncio.Queue()
    client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: published.put_nowait(params))
    await client.start_io(sys.executable, "-m", "avelang", "lsp")
    await client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
    uri, text = path.resolve().as_uri(), path.read_text()
    document = lsp.TextDocumentIdentifier(uri)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "python", 1, text)))
    await published.get()
    lines = text.splitlines()
    line = next(i for i, x in enumerate(lines) if "al.thread_id" in x or "al.block_id" in x)
    place = lsp.Position(line, lines[line].index("al.") + 5)
    found: dict[str, list[float]] = {"diagnostics": [], "hover": [], "completion": []}
    for i in range(times + 1):
        start = time.perf_counter()
        change = lsp.TextDocumentContentChangeWholeDocument(text + f"# {i}\n")
        of = lsp.VersionedTextDocumentIdentifier(i + 2, uri)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(of, [change]))
        await published.get()
        found["diagnostics"].append((time.perf_counter() - start) * 1e3)
        start = time.perf_counter()
        await client.text_document_hover_async(lsp.HoverParams(document, place))
        found["hover"].append((time.perf_counter() - start) * 1e3)
        start = time.perf_counter()
        column = lines[line].index("al.") + 3
        await client.text_document_completion_async(lsp.CompletionParams(document, lsp.Position(line, column)))
        found["completion"].append((time.perf_counter() - start) * 1e3)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return {name: taken[1:] for name, taken in found.items()}


def main() -> None:
    """Prints a line for each request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=ROOT / "examples" / "gemm_ladder.py")
    parser.add_argument("--times", type=int, default=20)
    args = parser.parse_args()
    print(f"{args.file.name}, {platform.processor() or platform.machine()}, Python {platform.python_version()}")
    for name, taken in asyncio.run(measured(args.file, args.times)).items():
        print(f"{name:12} median {statistics.median(taken):7.1f} ms, longest {max(taken):7.1f} ms")


if __name__ == "__main__":
    main()
