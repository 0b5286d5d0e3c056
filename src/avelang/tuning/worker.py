"""A process that compiles: pickled jobs come in on standard input, what was made of each goes out on standard output.

It is a Python of its own, which knows nothing of its parent's program and does not
run it again: jobs carry their kernels. What a job prints goes to standard error."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import IO, Any

LENGTH = struct.Struct("<Q")
DEEP = 50_000  # an operation holds its operands: chains of them are pickled recursively


def packed(message: Any) -> bytes:
    """A message as bytes. Raises what pickle raises."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEP))
    try:
        return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    finally:
        sys.setrecursionlimit(limit)


def unpacked(data: bytes) -> Any:
    """The message that `packed` made bytes of: of our own parent or child, never of a file."""
    return pickle.loads(data)  # noqa: S301


def send(out: IO[bytes], message: Any) -> None:
    """Writes a message."""
    data = packed(message)
    out.write(LENGTH.pack(len(data)) + data)
    out.flush()


def receive(source: IO[bytes]) -> Any:
    """Reads a message. Raises EOFError where there is none any more."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    size = LENGTH.unpack(head)[0]
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return unpacked(data)


def answer(job: Any) -> tuple[str, Any]:
    """Compiles a job: ("made", (payload, facts)) or ("failed", the error)."""
    from avelang.base.errors import AveError
    from avelang.runtime.ahead import compiled

    try:
        return "made", compiled(job)
    except AveError as e:
        return "failed", e
    except Exception as e:
        return "failed", RuntimeError(f"{type(e).__name__}: {e}")


def main() -> None:
    """Answers jobs until standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = sys.stdin.buffer
    while True:
        try:
            job = receive(source)
        except EOFError:
            return
        send(out, answer(job))
