"""Temporary folders of the scripts in this folder: made here, removed when the process that made them ends."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile


def folder() -> str:
    """A new folder, for as long as this process runs."""
    made = tempfile.mkdtemp(prefix="ave-gpu-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def own_cache() -> None:
    """Keeps compiled kernels out of the user's cache: in a folder of this process and those that it starts, unless AVE_CACHE_DIR names one."""
    if "AVE_CACHE_DIR" not in os.environ:
        os.environ["AVE_CACHE_DIR"] = folder()
