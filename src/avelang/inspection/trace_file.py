"""Events of a run come in; a timeline in the JSON of Chrome's trace viewer, which Perfetto (ui.perfetto.dev) reads too,
goes out.

Source: "Trace Event Format" (Google, the document that Perfetto and chrome://tracing refer to): an object with
`traceEvents`; complete events ("X") have name, cat, ts and dur in microseconds, pid and tid; slices of one thread nest
or follow one another; metadata events ("M") name processes and threads."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from avelang.base.version import VERSION

PHASES = frozenset("XBEiICMbnesftPNODVvRca(")
METADATA = frozenset({"process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"})
EPSILON = 1e-6  # microseconds: a picosecond, below all clocks here


@dataclasses.dataclass(slots=True)
class TraceFile:
    """A trace as it grows. Times are in nanoseconds, or in clocks where `unit` says so."""

    unit: str = "ns"
    events: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    other: dict[str, Any] = dataclasses.field(default_factory=dict)
    _names: dict[tuple[str, int, int], str] = dataclasses.field(default_factory=dict)

    def process(self, pid: int, name: str, sort: int | None = None) -> None:
        """Names a process: a launch, a work-group, a place where threads run."""
        self._name("process_name", pid, 0, name)
        self._meta("process_sort_index", pid, 0, {"sort_index": pid if sort is None else sort})

    def thread(self, pid: int, tid: int, name: str) -> None:
        """Names a thread: a wave, a warp, a thread of the CPU."""
        if self._name("thread_name", pid, tid, name):
            self._meta("thread_sort_index", pid, tid, {"sort_index": tid})

    def slice(self, pid: int, tid: int, name: str, kind: str, start: float, end: float, **args: Any) -> None:
        """Adds a slice from `start` to `end`, nanoseconds."""
        self.events.append({
            "ph": "X", "name": name, "cat": kind, "pid": pid, "tid": tid, "ts": start / 1000,
            "dur": max(0.0, end - start) / 1000, "args": {k: v for k, v in args.items() if v not in ("", None)},
        })  # fmt: skip

    def _name(self, what: str, pid: int, tid: int, name: str) -> bool:
        new = (what, pid, tid) not in self._names
        if new:
            self._names[what, pid, tid] = name
            self._meta(what, pid, tid, {"name": name})
        return new

    def _meta(self, what: str, pid: int, tid: int, args: dict[str, Any]) -> None:
        self.events.append(
            {"ph": "M", "name": what, "cat": "__metadata", "pid": pid, "tid": tid, "ts": 0, "args": args}
        )

    def as_dict(self) -> dict[str, Any]:
        """The file's values."""
        return {
            "traceEvents": self.events, "displayTimeUnit": "ns",
            "otherData": {"made by": f"Ave {VERSION}", "unit": self.unit, **self.other},
        }  # fmt: skip

    def text(self) -> str:
        """The file's text: an event a line."""
        found = self.as_dict()
        events = ",\n".join(json.dumps(e) for e in found["traceEvents"])
        rest = json.dumps({k: v for k, v in found.items() if k != "traceEvents"})
        return f'{{"traceEvents": [\n{events}\n], {rest[1:]}\n'


def faults(trace: Any) -> list[str]:
    """The rules of the format that a trace breaks, in words; empty where it keeps them."""
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["it is no object with a list `traceEvents`"]
    out = []
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        out.append("displayTimeUnit is neither ms nor ns")
    slices: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for n, e in enumerate(trace["traceEvents"]):
        why = _fault(e)
        if why:
            out.append(f"event {n}: {why}")
        elif e["ph"] == "X":
            slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
    for where, those in slices.items():
        open_until: list[float] = []
        for a, b in sorted(those, key=lambda x: (x[0], -x[1])):
            while open_until and open_until[-1] <= a + EPSILON:
                open_until.pop()
            if open_until and b > open_until[-1] + EPSILON:
                out.append(f"slices of pid {where[0]}, tid {where[1]} overlap at {a}")
                break
            open_until.append(b)
    return out


def _number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < float("inf")


def _fault(e: Any) -> str:
    """What is wrong with one event."""
    if not isinstance(e, dict):
        return "it is no object"
    for name, kind in (("name", str), ("ph", str), ("pid", int), ("tid", int)):
        if not isinstance(e.get(name), kind) or isinstance(e.get(name), bool):
            return f"`{name}` is {e.get(name)!r}"
    if e["ph"] not in PHASES or len(e["ph"]) != 1:
        return f"there is no phase {e['ph']!r}"
    if not isinstance(e.get("args", {}), dict):
        return "`args` is no object"
    if e["ph"] == "M":
        if e["name"] not in METADATA:
            return f"there is no metadata {e['name']!r}"
        wanted = "sort_index" if e["name"].endswith("sort_index") else "labels" if "labels" in e["name"] else "name"
        return "" if wanted in e.get("args", {}) else f"`args` has no {wanted}"
    if not _number(e.get("ts")) or e["ts"] < 0:
        return f"`ts` is {e.get('ts')!r}"
    if e["ph"] == "X" and (not _number(e.get("dur")) or e["dur"] < 0):
        return f"`dur` is {e.get('dur')!r}"
    return ""
