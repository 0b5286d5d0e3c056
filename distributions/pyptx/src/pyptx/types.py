"""The types of PTX: see `avelang.ptx.types`."""

from avelang.ptx.types import *  # noqa: F403
from avelang.ptx.types import __all__  # noqa: F401
