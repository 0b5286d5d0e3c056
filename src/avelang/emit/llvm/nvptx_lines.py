"""Line information for NVIDIA: a body whose instructions have places (`simt_lines`), and knows of which registers
vectors are made."""

from __future__ import annotations

from avelang.emit.llvm.nvptx_asm import ChainedBody
from avelang.emit.llvm.simt import Simt
from avelang.emit.llvm.simt_lines import Marks, Metadata


class LinedChain(Marks, ChainedBody):
    """`ChainedBody` with places."""

    def __init__(self, w: Simt, metadata: Metadata):
        ChainedBody.__init__(self, w)
        self.follow(w, metadata)
