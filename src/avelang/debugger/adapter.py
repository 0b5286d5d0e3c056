"""The debugger in an editor: the debug adapter protocol over two streams. Requests come in while the program runs or
stands; events and answers go out (https://microsoft.github.io/debug-adapter-protocol/specification)."""

from __future__ import annotations

import io
import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from avelang.debugger.looking import ObjectView, Spot, TensorView, TileView, brief, full, shown_always
from avelang.debugger.session import Session, Stop, evaluate, names
from avelang.ir.types import SHARED

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True, "supportsConditionalBreakpoints": True,
    "supportsFunctionBreakpoints": True, "supportsEvaluateForHovers": True, "supportsTerminateRequest": True,
}  # fmt: skip
GOING = {"continue": "continue", "next": "next", "stepIn": "step", "stepOut": "finish"}
GOODBYE = 10.0  # seconds that the editor has to disconnect when the program has ended
LAUNCHED = 1  # the thread that is shown before any wave runs


class Adapter:
    """The protocol's side of a session. `launch(program, arguments, stop_first)` runs a program, in the thread that
    called `serve`."""

    def __init__(self, source: BinaryIO, sink: BinaryIO):
        self.source, self.sink = source, sink
        self.session: Session
        self.lock = threading.Lock()
        self.sequence = 0
        self.asked: queue.Queue[dict[str, Any]] = queue.Queue()  # requests for the thread that runs the program
        self.stop: Stop | None = None
        self.started = threading.Event()
        self.configured = threading.Event()
        self.arguments: dict[str, Any] = {}
        self.gone = False
        self._threads: dict[Any, int] = {}
        self._held: list[Any] = []  # what variable references mean
        self._frames: list[Any] = []
        self._lane: int | None = None

    # -- messages -----------------------------------------------------------------------------------------------------

    def send(self, kind: str, **fields: Any) -> None:
        """Writes a message."""
        with self.lock:
            self.sequence += 1
            body = json.dumps({"seq": self.sequence, "type": kind, **fields}, default=str).encode()
            try:
                self.sink.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self.sink.flush()
            except (BrokenPipeError, ValueError):  # the editor is gone
                self.gone = True

    def event(self, name: str, **body: Any) -> None:
        """Writes an event."""
        self.send("event", event=name, body=body)

    def answer(self, request: dict[str, Any], body: Any = None, wrong: str = "") -> None:
        """Answers a request."""
        fields = {"request_seq": request["seq"], "command": request["command"], "success": not wrong}
        if wrong:
            fields |= {"message": wrong, "body": {"error": {"id": 1, "format": wrong.replace("{", "(")}}}
        else:
            fields["body"] = body or {}
        self.send("response", **fields)

    def receive(self) -> dict[str, Any] | None:
        """Reads a message; None at the end."""
        length = 0
        while True:
            line = self.source.readline()
            if not line:
                return None
            if not line.strip():
                break
            name, _, value = line.decode().partition(":")
            length = int(value) if name.lower() == "content-length" else length
        data = self.source.read(length)
        return json.loads(data) if len(data) == length else None

    # -- the two threads ----------------------------------------------------------------------------------------------

    def serve(self, run: Callable[[dict[str, Any]], int]) -> int:
        """Speaks the protocol until the editor goes; `run` runs the program of a launch request in this thread and
        gives its exit status."""
        reader = threading.Thread(target=self._reading, daemon=True)
        reader.start()
        self.started.wait()
        if not self.arguments:
            return 0
        self.configured.wait()
        status = 0 if self.gone else run(self.arguments)
        self.event("exited", exitCode=status)
        self.event("terminated")
        reader.join(GOODBYE)
        return status

    def _reading(self) -> None:
        while (request := self.receive()) is not None:
            if request.get("type") != "request":
                continue
            command = request["command"]
            act = getattr(self, f"on_{command}", None)
            try:
                if act is not None:
                    act(request, request.get("arguments") or {})
                elif command == "pause":
                    self.session.paused = True
                    self.answer(request)
                elif self.stop is not None or command in GOING:
                    self.asked.put(request)
                else:
                    self.answer(request, wrong="the program is not stopped")
            except Exception as exc:  # one bad request ends nothing
                self.answer(request, wrong=f"{type(exc).__name__}: {exc}")
            if command in ("disconnect", "terminate"):
                break
        self.gone = True
        self.asked.put({"command": "disconnect", "seq": 0})
        self.started.set()
        self.configured.set()

    # -- requests that need no stop -----------------------------------------------------------------------------------

    def on_initialize(self, request: dict[str, Any], _given: dict[str, Any]) -> None:
        """Says what the adapter can do."""
        self.answer(request, CAPABILITIES)
        self.event("initialized")

    def on_launch(self, request: dict[str, Any], given: dict[str, Any]) -> None:
        """Takes the program, its arguments and options; it begins at configurationDone."""
        if not os.path.isfile(str(given.get("program", ""))):
            self.answer(request, wrong=f"there is no program {given.get('program')!r}")
            return
        self.arguments = given
        self.answer(request)
        self.started.set()

    def on_configurationDone(self, request: dict[str, Any], _given: dict[str, Any]) -> None:  # noqa: N802
        """Lets the program begin."""
        self.answer(request)
        self.configured.set()

    def on_setBreakpoints(self, request: dict[str, Any], given: dict[str, Any]) -> None:  # noqa: N802
        """Replaces the breakpoints of a file."""
        file = given["source"].get("path") or given["source"].get("name", "")
        kept = [b for b in self.session.breakpoints if b.function or os.path.realpath(b.file) != os.path.realpath(file)]
        self.session.breakpoints = kept
        self.answer(request, {"breakpoints": [self._set(x, file=file, line=x["line"])
                                              for x in given.get("breakpoints", [])]})  # fmt: skip

    def on_setFunctionBreakpoints(self, request: dict[str, Any], given: dict[str, Any]) -> None:  # noqa: N802
        """Replaces the breakpoints at functions."""
        self.session.breakpoints = [b for b in self.session.breakpoints if not b.function]
        self.answer(request, {"breakpoints": [self._set(x, function=x["name"]) for x in given["breakpoints"]]})

    def _set(self, given: dict[str, Any], **at: Any) -> dict[str, Any]:
        try:
            made = self.session.add(condition=given.get("condition") or "", **at)
        except SyntaxError as exc:
            return {"verified": False, "message": f"the condition is no expression: {exc}"}
        return {"verified": True, "id": made.number, **({"line": made.line} if made.line else {})}

    def on_setExceptionBreakpoints(self, request: dict[str, Any], _given: dict[str, Any]) -> None:  # noqa: N802
        """Takes filters, of which there are none: faults always stop."""
        self.answer(request)

    def on_threads(self, request: dict[str, Any], _given: dict[str, Any]) -> None:
        """Lists waves that are under way."""
        waves = [{"id": self._thread(w), "name": f"block {w.block.index}, wave {w.shape.index}"}
                 for w in list(self.session.went)]  # fmt: skip
        self.answer(request, {"threads": waves or [{"id": LAUNCHED, "name": "program"}]})

    def on_disconnect(self, request: dict[str, Any], _given: dict[str, Any]) -> None:
        """Ends the program."""
        self.answer(request)

    on_terminate = on_disconnect

    # -- stops --------------------------------------------------------------------------------------------------------

    def __call__(self, stop: Stop) -> str:
        """Tells the editor of a stop, and answers it until it goes on."""
        self._held, self._frames, self._lane = [], [], stop.lane
        self.stop = stop
        reason = {"watch": "data breakpoint"}.get(stop.why, stop.why)
        self.event("stopped", reason=reason, threadId=self._thread(stop.wave), allThreadsStopped=True,
                   description=stop.text, text=stop.text if stop.why == "exception" else "")  # fmt: skip
        while True:
            request = self.asked.get()
            command, given = request["command"], request.get("arguments") or {}
            if command == "disconnect":
                raise SystemExit(0)
            if command in GOING:
                self.stop = None
                self.answer(request, {"allThreadsContinued": True} if command == "continue" else None)
                if self._lane is not None:
                    stop.lane = self._lane
                return GOING[command]
            try:
                body = getattr(self, f"at_{command}", None)
                if body is None:
                    self.answer(request, wrong=f"no request {command}")
                else:
                    self.answer(request, body(stop, given))
            except Exception as exc:  # an expression of the user's may raise anything
                self.answer(request, wrong=f"{type(exc).__name__}: {exc}")

    def _thread(self, wave: Any) -> int:
        return self._threads.setdefault(wave, len(self._threads) + 1)

    def at_stackTrace(self, stop: Stop, given: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        """Gives the chain of calls of a wave; other waves stand at one statement."""
        wave = next((w for w, n in self._threads.items() if n == given.get("threadId")), stop.wave)
        went = self.session.went.get(wave)
        scopes = self.session.frames(stop) if wave is stop.wave else [went.scope] if went and went.scope else []
        out = []
        for scope in scopes:
            self._frames.append((wave, scope))
            span = scope.span
            source = {"name": os.path.basename(span.file), "path": os.path.abspath(span.file)}
            out.append({"id": len(self._frames), "name": scope.function, "line": span.line, "column": span.col + 1,
                        "source": source})  # fmt: skip
        return {"stackFrames": out, "totalFrames": len(out)}

    def _at(self, stop: Stop, frame: int | None) -> tuple[Spot, Any]:
        wave, scope = self._frames[frame - 1] if frame and frame <= len(self._frames) else (stop.wave, stop.scope)
        lane = self._lane if wave is stop.wave and self._lane is not None else wave.mask.first
        return Spot(stop.p, wave, lane), scope

    def at_scopes(self, stop: Stop, given: dict[str, Any]) -> dict[str, Any]:
        """Gives names of one lane, the thread's place, and shared memory."""
        spot, scope = self._at(stop, given.get("frameId"))
        listed = {n: v for n, v in names(spot, scope).items() if n in scope.names and shown_always(scope.names[n])}
        thread = {"block": spot.wave.block.index, "wave": spot.wave.shape.index, "lane": spot.lane,
                  "thread": tuple(int(t[spot.lane]) for t in spot.wave.shape.threads)}  # fmt: skip
        shared = {n: v for n, v in listed.items() if isinstance(v, TensorView) and v.type.space == SHARED}
        found = {f"Lane {spot.lane}": listed, "Thread": thread, **({"Shared memory": shared} if shared else {})}
        return {"scopes": [{"name": n, "variablesReference": self._reference(v), "expensive": False}
                           for n, v in found.items()]}  # fmt: skip

    def _reference(self, value: Any) -> int:
        self._held.append(value)
        return len(self._held)

    def _variable(self, name: str, value: Any) -> dict[str, Any]:
        inside = isinstance(value, (ObjectView, TensorView)) or (isinstance(value, (tuple, np.ndarray)) and len(value))
        return {"name": name, "value": brief(value), "type": type(value).__name__.removesuffix("View"),
                "variablesReference": self._reference(value) if inside else 0}  # fmt: skip

    def at_variables(self, stop: Stop, given: dict[str, Any]) -> dict[str, Any]:
        """Gives what is in a scope, a struct, a tuple, a tensor or a tile."""
        held = self._held[given["variablesReference"] - 1]
        if isinstance(held, TileView):
            held = {"elements": held.array(), **held.fields()}
        elif isinstance(held, ObjectView):
            held = held.fields()
        elif isinstance(held, TensorView):
            held = {"layout": held.layout, "address": hex(held.address), "elements": held.array()}
        elif isinstance(held, (tuple, np.ndarray)):
            held = {f"[{i}]": x.item() if isinstance(x, np.generic) else x for i, x in enumerate(held)}
        return {"variables": [self._variable(n, v) for n, v in held.items()]}

    def at_evaluate(self, stop: Stop, given: dict[str, Any]) -> dict[str, Any]:
        """Gives an expression in the lane that is looked at; `lane N` in the console looks through another."""
        text = given["expression"].strip()
        word, _, number = text.partition(" ")
        spot, scope = self._at(stop, given.get("frameId"))
        if word == "lane" and number.strip().isdigit() and int(number) < spot.wave.lanes:
            self._lane = int(number)
            self.event("invalidated", areas=["variables"])
            return {"result": f"lane {self._lane}", "variablesReference": 0}
        value = evaluate(text, names(spot, scope))
        shown = full(value) if given.get("context") == "repl" else brief(value)
        return {**self._variable("", value), "result": shown}


class Output(io.TextIOBase):
    """A program's output, as events of the protocol."""

    def __init__(self, adapter: Adapter, category: str):
        self.adapter, self.category = adapter, category

    def write(self, text: str) -> int:
        """Sends a text."""
        if text:
            self.adapter.event("output", category=self.category, output=text)
        return len(text)

    def isatty(self) -> bool:
        """False: an editor shows it."""
        return False


def streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output, for the protocol alone."""
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False), sys.stdout.buffer
