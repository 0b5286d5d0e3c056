"""The language server of `ave lsp`. Texts and places come in over standard input, diagnostics, hovers,
completions and definitions go out.

The server runs no user code. A process of its own (`cli/lsp_worker.py`) runs the file's text, as it stands in the
editor, when it has not changed for `PAUSE` seconds and Python can parse it; it is ended after `LIMIT` seconds, and a
new one begins. Names of the language are answered from tables, types in kernels from what that process found last."""

from __future__ import annotations

import ast
import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from avelang.base.version import VERSION
from avelang.cli import lsp_words as words

if TYPE_CHECKING:
    from pygls.workspace import TextDocument

PAUSE, LIMIT = 0.08, 10.0  # seconds: without a change before a file is run, and that it may run


class Worker:
    """The process that runs files, one at a time; another one after each that took too long."""

    def __init__(self) -> None:
        self.late = False  # what gave no answer was ended
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def ask(self, path: str, text: str, target: str) -> Iterator[dict[str, Any] | None]:
        """Yields what `lsp_worker.analyzed` says of a text, and then its `banks` for a chip; None, as the last, where
        it took more than `LIMIT` seconds or the process ended."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                command = [sys.executable, "-m", "avelang.cli.lsp_worker"]
                pipe = subprocess.PIPE
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
            process = self._process
            assert process.stdin is not None and process.stdout is not None
            end = threading.Timer(LIMIT, process.kill)
            end.start()
            try:
                process.stdin.write(json.dumps({"path": path, "text": text, "target": target}) + "\n")
                process.stdin.flush()
                for _ in range(2):
                    line = process.stdout.readline()
                    self.late = not line and not end.is_alive()
                    yield json.loads(line) if line else None
                    if not line:
                        process.wait()  # the next text has another one
                        return
            except OSError:
                yield None
            except GeneratorExit:  # the rest of the answer must not be taken for the next one
                process.kill()
                process.wait()
                raise
            finally:
                end.cancel()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Files:
    """Facts about the files that are open, by URI: types of values, words about banks, and runs that wait for a
    pause."""

    def __init__(self) -> None:
        self.types: dict[str, list[list[Any]]] = {}
        self.banks: dict[str, list[list[Any]]] = {}
        self.timers: dict[str, threading.Timer] = {}
        self.worker = Worker()


def parses(text: str) -> bool:
    """True for a text that Python can read: half a line is not worth a run."""
    with contextlib.suppress(SyntaxError, ValueError):
        ast.parse(text)
        return True
    return False


def type_at(types: list[list[Any]], line: int, col: int) -> str:
    """The type of the smallest value around a place (line from 1, column from 0), or of what its line makes, or ""."""
    around = [t for t in types if t[0] == line and t[2] == line and t[1] <= col < t[3]]
    on_line = around or [t for t in types if t[0] == line]
    if not on_line:
        return ""
    least = min(on_line, key=lambda t: t[3] - t[1]) if around else max(on_line, key=lambda t: t[3] - t[1])
    return f"{least[5]}: {least[4]}"


def banks_at(banks: list[list[Any]], line: int, col: int) -> list[str]:
    """The words about the smallest accesses around a place (line from 1, column from 0), or those of its line."""
    around = [b for b in banks if (b[0], b[1]) <= (line, col) < (b[2], b[3])]
    least = min(((b[2] - b[0], b[3] - b[1]) for b in around), default=None)
    found = [b for b in around if (b[2] - b[0], b[3] - b[1]) == least] or [b for b in banks if b[0] == line]
    return [*dict.fromkeys(b[4] for b in found)]


class Service:
    """The answers of the server `made` to an editor. `chip`: of which intrinsics are completed; "" for all."""

    def __init__(self, made: LanguageServer):
        self.made, self.files, self.chip = made, Files(), ""

    def begun(self, params: lsp.InitializeParams) -> None:
        """Takes the options of the editor."""
        options: Any = params.initialization_options
        self.chip = str(options.get("target", "")) if isinstance(options, dict) else ""

    def run(self, uri: str) -> None:
        """Has the file's text run, and publishes what that found."""
        text = self.made.workspace.get_text_document(uri).source
        if "avelang" not in text or not parses(text):
            return
        answers = self.files.worker.ask(unquote(urlparse(uri).path), text, self.chip)
        answer = next(answers)
        if answer is None:
            why = f"ran for more than {LIMIT:g} s" if self.files.worker.late else "has ended its process"
            said = f"the file {why}: its kernels were not checked"
            answer = {"types": [], "problems": [{"line": 1, "col": 0, "end": 0, "code": "time", "text": said}]}
        self.files.types[uri], self.files.banks[uri] = answer["types"], []  # banks come later: none are of an old text
        found = [_diagnostic(p, text.splitlines()) for p in answer["problems"]]
        self.made.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))
        for later in answers:
            self.files.banks[uri] = later["banks"] if later is not None else []

    def _later(self, uri: str, pause: float) -> None:
        if uri in self.files.timers:
            self.files.timers[uri].cancel()
        timer = self.files.timers[uri] = threading.Timer(pause, self.run, (uri,))
        timer.daemon = True
        timer.start()

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Runs a file that was opened, at once."""
        self._later(params.text_document.uri, 0.0)

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Runs a file that was changed, after a pause."""
        self._later(params.text_document.uri, PAUSE)

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Forgets a file."""
        uri = params.text_document.uri
        self.files.types.pop(uri, None)
        self.files.banks.pop(uri, None)
        if uri in self.files.timers:
            self.files.timers.pop(uri).cancel()

    def ended(self, _: None) -> None:
        """Ends the process that runs files."""
        self.files.worker.close()

    def _line(self, document: TextDocument, place: lsp.Position) -> str:
        return document.lines[place.line] if place.line < len(document.lines) else ""

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """The documentation of a name of the language, or the type of a value; and what banks do there."""
        document, place = self.made.workspace.get_text_document(params.text_document.uri), params.position
        text = words.hover(words.at(self._line(document, place), place.character), document.source)
        if not text:
            found = type_at(self.files.types.get(document.uri, []), place.line + 1, place.character)
            text = f"```\n{found}\n```" if found else ""
        said = banks_at(self.files.banks.get(document.uri, []), place.line + 1, place.character)
        text = "\n\n".join([*([text] if text else []), *said])
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None

    def complete(self, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        """The names that may follow a dot."""
        document, place = self.made.workspace.get_text_document(params.text_document.uri), params.position
        found = words.complete(self._line(document, place), place.character, document.source, self.chip)
        kind = lsp.CompletionItemKind.Function
        return [lsp.CompletionItem(n, detail=s, documentation=d, kind=kind) for n, s, d in found]

    def define(self, params: lsp.DefinitionParams) -> lsp.Location | None:
        """The place where the file defines a function or class."""
        document = self.made.workspace.get_text_document(params.text_document.uri)
        name = document.word_at_position(params.position)
        found = words.definition(name, document.source) if name else None
        start = lsp.Position(*found) if found else None
        return lsp.Location(document.uri, lsp.Range(start, start)) if start else None


def _diagnostic(p: dict[str, Any], lines: list[str]) -> lsp.Diagnostic:
    line = min(p["line"], max(len(lines), 1)) - 1
    end = p["end"] or (len(lines[line]) if line < len(lines) else 0)
    span = lsp.Range(lsp.Position(line, p["col"]), lsp.Position(line, max(end, p["col"] + 1)))
    return lsp.Diagnostic(span, p["text"], severity=lsp.DiagnosticSeverity.Error, code=p["code"], source="ave")


def _plain(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function in place of a method: pygls notes on it what it answers."""

    def call(params: Any) -> Any:
        return answer(params)

    return call


def server() -> LanguageServer:
    """Makes the server, which `start_io` begins."""
    made = LanguageServer("ave", VERSION)
    service = Service(made)
    for feature, answer in (
        (lsp.INITIALIZE, service.begun), (lsp.TEXT_DOCUMENT_DID_OPEN, service.opened),
        (lsp.TEXT_DOCUMENT_DID_CHANGE, service.changed), (lsp.TEXT_DOCUMENT_DID_CLOSE, service.closed),
        (lsp.SHUTDOWN, service.ended), (lsp.TEXT_DOCUMENT_HOVER, service.hover),
        (lsp.TEXT_DOCUMENT_DEFINITION, service.define),
    ):  # fmt: skip
        made.feature(feature)(_plain(answer))
    made.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))(
        _plain(service.complete)
    )
    return made
