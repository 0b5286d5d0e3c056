"""Frames of XLA's, as its programs give them to foreign functions: what makes them for a test."""

from __future__ import annotations

import ctypes

from avelang.bridge import xla
from avelang.native import xla as n

P, I64 = ctypes.c_void_p, ctypes.c_int64
NUMBERS = {name: number for number, name in xla.DTYPES.items()}


class Frames:
    """XLA's side: its functions, memory by `take`, and calls of a foreign function. `stream`: what it gives; `said`: messages of errors that were made; `taken`,
    `given`: scratch memory."""

    def __init__(self, take, stream=0):
        self.stream, self.said, self.taken, self.given, self.empty, self.run = stream, [], [], [], False, 1
        self._errors, self._take = {}, take
        table = {
            n.XLA_ERROR: self._create, n.XLA_MESSAGE: self._message, n.XLA_DESTROY: self._destroy, n.XLA_STREAM: self._stream,
            n.XLA_TAKE: self._taking, n.XLA_GIVE: self._giving, n.XLA_RUN: self._running,
        }  # fmt: skip
        self._functions = {number: ctypes.CFUNCTYPE(P, P)(function) for number, function in table.items()}
        self.api = n.XlaApi(size=ctypes.sizeof(n.XlaApi), major=0, minor=3)
        for number, function in self._functions.items():
            self.api.functions[number] = ctypes.cast(function, P)

    def plainly(self, library, room):
        """From now on answers, memory (always `room`) and its return are functions of a stub's, which take no time."""
        for name, value in (("stub_said", self.stream), ("stub_room", room)):
            ctypes.c_uint64.in_dll(library, name).value = value
        for number, name in ((n.XLA_STREAM, "stub_answer"), (n.XLA_TAKE, "stub_take"), (n.XLA_GIVE, "stub_give")):
            self.api.functions[number] = ctypes.cast(getattr(library, name), P)

    def call(self, function, text, arguments, results):
        """The words of the error that a function gives for a frame; "" for none. Buffers are those of `bridge.xla`."""
        kept = []
        frame = n.XlaFrame(size=ctypes.sizeof(n.XlaFrame), api=ctypes.addressof(self.api), stage=3)
        for name, buffers in (("arguments", arguments), ("results", results)):
            made = [n.XlaBuffer(ctypes.sizeof(n.XlaBuffer), None, NUMBERS[b.dtype], b.address, len(b.shape), None) for b in buffers]
            for one, b in zip(made, buffers):
                dims = (I64 * max(1, len(b.shape)))(*b.shape)
                one.dims = ctypes.addressof(dims)
                kept.append(dims)
            items = (P * max(1, len(made)))(*map(ctypes.addressof, made))
            kept += [made, items]
            setattr(frame, name, n.XlaList(ctypes.sizeof(n.XlaList), None, len(made), None, ctypes.addressof(items)))
        words = text if isinstance(text, ctypes.Array) else ctypes.create_string_buffer(text.encode())
        span, kind = n.XlaSpan(ctypes.addressof(words), len(words) - 1), (ctypes.c_int32 * 1)(4)
        values = (P * 1)(ctypes.addressof(span))
        frame.attributes = n.XlaAttributes(0, None, 1, ctypes.addressof(kind), None, ctypes.addressof(values))
        error = function(ctypes.addressof(frame))
        return self._errors.pop(error) if error else ""

    def _create(self, at):
        args = xla._ErrorArgs.from_address(at)
        self.said.append(args.message.decode())
        number = len(self.said)
        self._errors[number] = self.said[-1]
        return number

    def _message(self, at):
        args = n.XlaFailure.from_address(at)
        self._kept = ctypes.create_string_buffer(self._errors[args.error].encode())
        args.message = ctypes.cast(self._kept, ctypes.c_char_p)

    def _destroy(self, at):
        del self._errors[n.XlaFailure.from_address(at).error]

    def _stream(self, at):
        n.XlaAsk.from_address(at).answer = self.stream

    def _running(self, at):
        n.XlaAsk.from_address(at).answer = self.run

    def _taking(self, at):
        args = n.XlaTake.from_address(at)
        if self.empty:
            self._errors[77777] = "no memory"
            return 77777
        args.data = self._take(args.bytes)
        self.taken.append((args.data, args.bytes))

    def _giving(self, at):
        args = n.XlaGive.from_address(at)
        self.given.append((args.data, args.bytes))
