"""A program comes in; its blocks become machine code when a wave first comes to them, and are kept for the next process
where there is a store.

What all blocks use (the scheduler, the checker's functions) is one object, each block another; a function that several
blocks call is made with the first of them. Objects are loaded into one engine, which ties their names together.
Translation is the same as of a whole program (`program`).
"""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from avelang.amdgcn.asm import AsmProgram
from avelang.base.errors import error
from avelang.llvm.core import HostCompiler, IRModule
from avelang.llvm.engine import LoadedCode
from avelang.sim.amdgcn import objects
from avelang.sim.amdgcn.program import Translating
from avelang.sim.amdgcn.translator import Options

_MAKER, _FINDER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32), ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)
SPARE = 1024  # places in the table for blocks that only computed jumps find
BASE = "base"
RUN = "ave_run_later"  # where blocks are made when a wave first comes to them


@dataclasses.dataclass(frozen=True, slots=True)
class Store:
    """A store of object files between processes: `load(parts)` gives what was stored under these ingredients, (meta,
    payload) or None; `save(parts, meta, payload)` keeps it."""

    load: Callable[[Mapping[str, Any]], tuple[Mapping[str, Any], bytes] | None]
    save: Callable[[Mapping[str, Any], Mapping[str, Any], bytes], object]


class Lazy:
    """The machine code of the kernel at `label`, made as it is needed. `unknown` says why instructions that were met
    cannot be executed."""

    def __init__(self, program: AsmProgram, label: str, options: Options, store: Store | None = None):
        self.program, self.label, self.options, self.store = program, label, options, store
        self.unknown: dict[int, str] = {}
        self.failed: Exception | None = None
        self._lock = threading.Lock()
        self._work: Translating | None = None
        self._objects: dict[str, bytes] = {}
        self._signatures: dict[str, str] = {}  # of functions that objects define
        self._fresh = False  # whether there are objects that are not stored
        self._parts: dict[str, Any] = {}
        self._count = 0
        self._found: list[int] = []  # addresses that computed jumps found, in the order in which they became blocks
        self._finder_call = _FINDER(self._finder)  # held here: the code calls it
        self.code: LoadedCode | None = None
        if label not in program.labels:  # nothing is translated yet that would say so
            self._translating()

    def start(self) -> LoadedCode:
        """The loaded code, of which the part that all blocks use is there."""
        with self._lock:
            if self.code is None:
                self._parts = self._ingredients() if self.store else {}
                self.code = self._kept() or self._make_base()
                self._connect(self.code)
        return self.code

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The instructions [first, end) of each block, by its number."""
        with self._lock:
            return tuple(self._translating().ranges)

    @property
    def finder(self) -> int:
        """The address of the function that finds blocks by addresses."""
        return ctypes.cast(self._finder_call, ctypes.c_void_p).value or 0

    def _connect(self, code: LoadedCode) -> None:
        """Lets the code find its blocks, and ask for those that are not there."""
        self._table = (ctypes.c_void_p * self._count).from_address(code.address("ave_blocks"))
        self._call = _MAKER(self._maker)  # held here: the code calls it
        maker = ctypes.c_void_p.from_address(code.address("ave_maker"))
        maker.value = ctypes.cast(self._call, ctypes.c_void_p).value
        for name in self._objects:
            if name != BASE:
                self._place(code, int(name))

    # -- the store -----------------------------------------------------------------------------------------------------

    def _ingredients(self) -> dict[str, Any]:
        """What the code depends on: the program with all that the translator reads of it, options, and the machine that
        it runs on."""
        p, digest = self.program, hashlib.sha256()
        digest.update("\n".join(f"{i.address} {i.text}" for i in p.instructions).encode())
        for part in (
            sorted(p.labels.items()), sorted(p.sets.items()), sorted(p.kernels.items()), p.chip, p.data.labels,
        ):  # fmt: skip
            digest.update(repr(part).encode())
        asked = [sorted(self.options.check), self.options.profile, self.options.mutable]
        return {
            "executor": digest.hexdigest(), "label": self.label, "options": asked, "host": list(HostCompiler(1).key),
        }  # fmt: skip

    def _kept(self) -> LoadedCode | None:
        """Takes what was stored, if anything."""
        found = self.store.load(self._parts) if self.store else None
        if not found:
            return None
        meta, payload = found
        at = 0
        for name, size in meta["objects"]:
            self._objects[name] = payload[at : at + size]
            at += size
        self._count, self._signatures, self._found = meta["blocks"], dict(meta["signatures"]), list(meta["found"])
        self.unknown.update({int(k): v for k, v in meta["unknown"].items()})
        code = LoadedCode(self._objects[BASE])
        for name, each in self._objects.items():
            if name != BASE:
                code.add(each)
        return code

    def save(self) -> None:
        """Stores what has been made since the last time."""
        if not (self.store and self._fresh):
            return
        with self._lock:
            all_of, self._fresh = dict(self._objects), False
            meta = {
                "objects": [[name, len(each)] for name, each in all_of.items()], "blocks": self._count,
                "signatures": self._signatures,
                "found": self._found,
                "unknown": {str(k): v for k, v in self.unknown.items()},
            }  # fmt: skip
            json.dumps(meta)
        self.store.save(self._parts, meta, b"".join(all_of.values()))

    # -- code ----------------------------------------------------------------------------------------------------------

    def _translating(self) -> Translating:
        if self._work is None:
            self._work = Translating(self.program, self.label, self.options)
            for address in self._found:  # the same numbers as in the process that stored them
                self._work.begin_at(address)
        return self._work

    def _make_base(self) -> LoadedCode:
        work = self._translating()
        self._count = len(work.ranges) + SPARE
        module = work.t.module
        module.include("amdgcn", RUN)
        module.functions["ave_blocks"] = f"@ave_blocks = global [{self._count} x ptr] zeroinitializer, align 8"
        return LoadedCode(self._object(BASE, module))

    def _object(self, name: str, module: IRModule) -> bytes:
        """The objects of a module whose functions others may call, and which calls those of the others."""
        payload, signatures = objects.made(module, self._signatures)
        self._objects[name] = payload
        self._signatures |= signatures
        self._fresh = True
        return payload

    def _place(self, code: LoadedCode, n: int) -> None:
        self._table[n] = code.address(f"ave_block_{n}")

    def _finder(self, address: int) -> int:
        """Called by a computed jump to where no block begins that is known: its number, or -1 where no instruction
        stands."""
        try:
            with self._lock:
                work = self._translating()
                before = len(work.ranges)
                n = work.begin_at(address)
                if len(work.ranges) > self._count:
                    raise error(
                        "X020", where=self.label, text=self.label,
                        why=f"computed jumps lead to more than {SPARE} places that have no label",
                    )  # fmt: skip
                if len(work.ranges) > before:
                    self._found.append(address)
            return n
        except Exception as e:  # an exception cannot pass through machine code
            self.failed = e
            return -1

    def _maker(self, n: int) -> int:
        """Called by the code of a wave that comes to a block which is not there yet."""
        try:
            code = self.start()
            with self._lock:
                if not self._table[n]:
                    work = self._translating()
                    work.t.module = IRModule()
                    work.block(n)
                    code.add(self._object(str(n), work.t.module))
                    self.unknown.update(work.t.reasons)
                    self._place(code, n)
            return 0
        except Exception as e:  # an exception cannot pass through machine code
            self.failed = e
            return 1
