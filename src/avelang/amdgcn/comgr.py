"""Linking by ROCm's code object manager: a relocatable object comes in, `libamd_comgr` links it in this process, a code
object goes out.

ABI: `amd_comgr.h` of ROCm, versions 2 and 3, which number the action differently. Handles are structs of one 64-bit
word, passed by value.
"""

from __future__ import annotations

import ctypes
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from avelang.amdgcn.elf import header, target_id
from avelang.base.errors import error

NAMES = ("libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so")
FOLDERS = ("/opt/rocm/lib", "/opt/rocm-*/lib")
LOG, OBJECT, EXECUTABLE = 5, 7, 8  # AMD_COMGR_DATA_KIND_
LINK = {2: 9, 3: 7}  # AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE by major version

_WORD, _OUT = ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "create_data": (ctypes.c_int, _OUT), "release_data": (_WORD,),
    "set_data": (_WORD, ctypes.c_size_t, ctypes.c_char_p), "set_data_name": (_WORD, ctypes.c_char_p),
    "get_data": (_WORD, ctypes.POINTER(ctypes.c_size_t), ctypes.c_char_p), "create_data_set": (_OUT,),
    "destroy_data_set": (_WORD,), "data_set_add": (_WORD, _WORD), "create_action_info": (_OUT,),
    "destroy_action_info": (_WORD,), "action_info_set_isa_name": (_WORD, ctypes.c_char_p),
    "action_info_set_logging": (_WORD, ctypes.c_bool), "do_action": (ctypes.c_int, _WORD, _WORD, _WORD),
    "action_data_count": (_WORD, ctypes.c_int, ctypes.POINTER(ctypes.c_size_t)),
    "action_data_get_data": (_WORD, ctypes.c_int, ctypes.c_size_t, _OUT),
}  # fmt: skip


class Comgr:
    """The library, loaded from `path`."""

    def __init__(self, path: str):
        self.path = path
        self.library = ctypes.CDLL(path)
        for name, arguments in _SIGNATURES.items():
            function = getattr(self.library, f"amd_comgr_{name}")
            function.argtypes, function.restype = arguments, ctypes.c_int
        major, minor = ctypes.c_size_t(), ctypes.c_size_t()
        self.library.amd_comgr_get_version(ctypes.byref(major), ctypes.byref(minor))
        self.action = LINK.get(int(major.value))
        self.version = f"{major.value}.{minor.value}"

    def call(self, name: str, *arguments: Any) -> None:
        """One function of the library. Raises D021 with its status."""
        status = getattr(self.library, f"amd_comgr_{name}")(*arguments)
        if status:
            raise error("D021", tool=f"amd_comgr_{name} ({self.path})", why=f"status {status}")

    @contextmanager
    def handle(self, create: str, destroy: str, *arguments: Any) -> Iterator[int]:
        """A handle that lives as long as the block."""
        out = _WORD()
        self.call(create, *arguments, ctypes.byref(out))
        try:
            yield out.value
        finally:
            getattr(self.library, f"amd_comgr_{destroy}")(out.value)

    def content(self, results: int, kind: int) -> bytes | None:
        """The first piece of data of a kind in a set of results."""
        count = ctypes.c_size_t()
        self.call("action_data_count", results, kind, ctypes.byref(count))
        if not count.value:
            return None
        with self.handle("action_data_get_data", "release_data", results, kind, 0) as data:
            size = ctypes.c_size_t()
            self.call("get_data", data, ctypes.byref(size), None)
            buffer = ctypes.create_string_buffer(size.value)
            self.call("get_data", data, ctypes.byref(size), buffer)
            return buffer.raw[: size.value]

    def link(self, data: bytes) -> bytes:
        """The code object of a relocatable object, whose flags name the target. Raises D021."""
        found = header(data)
        target = "" if isinstance(found, str) else target_id(found[2])
        if self.action is None:
            raise error(
                "D021", tool=self.path, why=f"it is version {self.version}; Ave knows {' and '.join(map(str, LINK))}"
            )
        with (
            self.handle("create_data", "release_data", OBJECT) as item,
            self.handle("create_data_set", "destroy_data_set") as inputs,
            self.handle("create_data_set", "destroy_data_set") as results,
            self.handle("create_action_info", "destroy_action_info") as info,
        ):
            self.call("set_data", item, len(data), data)
            self.call("set_data_name", item, b"kernel.o")
            self.call("data_set_add", inputs, item)
            self.call("action_info_set_isa_name", info, f"amdgcn-amd-amdhsa--{target}".encode())
            self.call("action_info_set_logging", info, True)
            status = self.library.amd_comgr_do_action(self.action, info, inputs, results)
            out = None if status else self.content(results, EXECUTABLE)
            if out is None:
                words = (self.content(results, LOG) or b"").decode(errors="replace").strip()
                raise error("D021", tool=self.path, why=words or f"status {status}")
            return out


def load() -> tuple[Comgr | None, list[str]]:
    """(the library or None, what was looked for)."""
    paths = [
        path
        for folder in FOLDERS
        for name in NAMES
        for path in sorted(glob.glob(os.path.join(folder, name)), reverse=True)
    ]
    for path in (*NAMES, *paths):
        try:
            return Comgr(path), []
        except (OSError, AttributeError):
            continue
    return None, [f"{NAMES[0]} and {NAMES[1]} (ROCm)"]
