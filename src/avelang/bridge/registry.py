"""Operations by name: an operation comes in when it is made; a name that no other has goes out."""

from __future__ import annotations

import threading
from typing import Any

# By name, as "namespace::name": the programs that a framework keeps know operations by it.
OPERATIONS: dict[str, Any] = {}
_lock = threading.Lock()


def registered(operation: Any, namespace: str, name: str) -> str:
    """The full name of an operation, kept from now on: a number follows where there are several of that name."""
    with _lock:
        base = found = f"{namespace}::{name}"
        number = 1
        while found in OPERATIONS:
            found = f"{base}_{number}"
            number += 1
        OPERATIONS[found] = operation
        return found
