"""The intrinsics: importing this package registers every row of every target in `row.ROWS`."""

from avelang.isa import amdgpu, nvptx
from avelang.isa.row import PUBLIC, ROWS, Row

__all__ = ["PUBLIC", "ROWS", "Row", "amdgpu", "nvptx"]
