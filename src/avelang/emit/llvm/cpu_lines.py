"""Line information for the CPU: instructions of a wave's function have the numbers of the ops that they come from, in
the place of line numbers (`simt_lines`). Only for kernels whose attribute `lines` is "ops": `ave inspect` links by it,
and code that runs has no lines."""

from __future__ import annotations

from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.emit.llvm.simt_lines import Metadata
from avelang.llvm.core import Body


class NumberedBody(Body):
    """A body whose instructions name the op that `w` is at."""

    def __init__(self, w: WaveWriter, metadata: Metadata):
        super().__init__()
        self._w, self._metadata = w, metadata

    def op(self, text: str) -> str:
        """An instruction with its op."""
        return super().op(text + self._mark())

    def do(self, text: str) -> None:
        """An instruction with its op."""
        super().do(text + self._mark())

    def _mark(self) -> str:
        return f", !dbg !{self._metadata.numbered(self._w.making)}"


def number(w: WaveWriter) -> Metadata | None:
    """Begins to number what `w` emits, where its kernel asks for it."""
    if w.kernel.attrs.get("lines") != "ops":
        return None
    metadata = Metadata(w.kernel)
    w.body = NumberedBody(w, metadata)
    return metadata
