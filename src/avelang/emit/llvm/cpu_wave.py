"""The state of emission of one wave's function: the text, the forms of values, the mask of active lanes; and changes
from form to form."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from avelang.base.errors import error
from avelang.emit.llvm.cpu_values import Bools, Lin, Mask, Rep, S, Scalar, StackVector, V, const, elem
from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.dtypes import DType, u1
from avelang.ir.types import VecType
from avelang.llvm.core import Body, IRModule
from avelang.llvm.writer import ZERO, Writer


class WaveWriter(Writer):
    """Emission of a kernel for waves of `W` lanes. `wave` is the index of the wave in its block, a scalar; `mask` the
    lanes that are active."""

    def __init__(self, kernel: Kernel, module: IRModule, block: tuple[int, int, int]):
        super().__init__(module, kernel.attrs["wave"])
        self.kernel = kernel
        self.block = block
        self.threads = block[0] * block[1] * block[2]
        self.waves = -(-self.threads // self.W)
        self.wave: S = const(0, 32)
        self.mask: Mask = None
        self.env: dict[Value, Rep] = {}
        self.home: dict[Value, Block | None] = {}
        self.here: Block | None = None
        self.making: Op | None = None  # the op whose code is being written
        self.uses: dict[Value, int] = {}
        self.shared: dict[Value, int] = {}
        self.words: dict[Value, int] = {}
        self.staging: dict[int, str] = {}  # stack memory for copies, by bytes a lane
        self.lane_pointers: str | None = None  # stack memory for the addresses of lanes that are visited one by one
        self.copies: set[Value] = set()
        self.in_place: set[Value] = set()  # loads of accumulators that are added to where they stand
        self.standing: dict[str, tuple[str, int]] = {}  # pointers to these: the memory, and the byte in it
        self.whole: set[Value] = set()  # values that are stored as lanes have them
        self.called: dict[str, bool] = {}  # functions of ops: whether a scalar result is one of each lane
        self.narrows = False  # whether bf16 is made of f32 often: by a function
        self.coroutine = False
        # Of `cpu_check`: memory for the numbers of a report, whether anything ends the wave early, where the launch's
        # word is.
        self.report: str | None = None
        self.stops = False
        self.flag: str | None = None
        self.maps: dict[Value, str] = {}  # tensor maps: pointers to what `map_word` reads
        self.state: str | None = (
            None  # where arrivals at barriers are counted, for waves that wait for more than plain barriers
        )
        # Of a cluster: its state, bytes from the block's memory to that of rank 0, bytes of a block, where the wave
        # keeps at which barrier it came.
        self.cluster_state: str | None = None
        self.first_block: S = const(0, 64)
        self.block_bytes = 0
        self.arrived: str | None = None
        for op in (op for k in (kernel, *kernel.functions.values()) for op in walk(k.body)):
            for v in op.operands:
                self.uses[v] = self.uses.get(v, 0) + 1

    @contextlib.contextmanager
    def region(self, block: Block | None, mask: Mask) -> Iterator[None]:
        """Emits what follows under a mask, as the contents of an IR block."""
        outer = self.mask, self.here
        self.mask, self.here = mask, block
        self._memo.append({})
        try:
            yield
        finally:
            self.mask, self.here = outer
            self._memo.pop()

    @contextlib.contextmanager
    def apart(self) -> Iterator[None]:
        """Emits what follows into a function of its own, for all lanes."""
        outer = self.body, self._memo, self.mask, self.here, self.staging, self.lane_pointers, self.standing
        self.body, self._memo, self.mask, self.here = Body(), [{}], None, None
        self.staging, self.lane_pointers, self.standing = {}, None, {}
        try:
            yield
        finally:
            (self.body, self._memo, self.mask, self.here, self.staging, self.lane_pointers, self.standing) = outer

    # -- forms ---------------------------------------------------------------------------------------------------------

    def bind(self, value: Value, rep: Rep) -> None:
        """Gives an IR value its form. What a pass has proven uniform becomes one scalar."""
        if value.uniform and isinstance(value.type, DType) and not isinstance(rep, S):
            rep = self.one(rep, value.type)
        self.env[value] = rep
        self.home[value] = self.here

    def dies(self, value: Value) -> bool:
        """True where the op that is being emitted is the only user of a value, each time the value is made."""
        return self.uses.get(value, 0) == 1 and self.home.get(value) is self.here

    def vec(self, rep: Rep, d: DType) -> str:
        """The LLVM vector of a scalar form."""
        if isinstance(rep, V):
            return rep.text
        if isinstance(rep, S):
            return self.splat(rep.text, elem(d))
        if isinstance(rep, Bools):
            return self.const_vector(["true" if x else "false" for x in rep.lanes], "i1")
        assert isinstance(rep, Lin)
        return self.lin_vec(rep)

    def lin_vec(self, rep: Lin) -> str:
        """The LLVM vector of a linear form, made once in a region."""
        if (found := self.memo(rep)) is not None:
            return found
        e, t = f"i{rep.bits}", self.t(f"i{rep.bits}")
        total = self.const_vector(rep.k, e)
        parts = [self.splat(rep.u.text, e)] if rep.u else []
        parts += [self.op(f"mul {t} {self.splat(s.text, e)}, {self.const_vector(c, e)}") for s, c in rep.terms]
        for x in rep.exts:
            wide = self.op(f"{'sext' if x.signed else 'zext'} {self.t(f'i{x.lin.bits}')} {self.lin_vec(x.lin)} to {t}")
            parts.append(self.op(f"mul {t} {wide}, {self.splat(x.scale.text, e)}"))
        for part in parts:
            total = part if total == ZERO else self.op(f"add {t} {total}, {part}")
        return self.remember(rep, total)

    def text(self, rep: Rep, d: DType, wide: bool) -> str:
        """A scalar form as LLVM vector, or as LLVM scalar where it is one."""
        if wide:
            return self.vec(rep, d)
        assert isinstance(rep, S)
        return rep.text

    def made(self, text: str, wide: bool) -> Scalar:
        """A result as the form that its text is: vector or scalar."""
        return V(text) if wide else S(text)

    def one(self, rep: Rep, d: DType) -> S:
        """One scalar from a form that is the same in all active lanes: the value in the first of them."""
        if isinstance(rep, S):
            return rep
        if isinstance(rep, Bools):
            lane = 0 if not isinstance(self.mask, np.ndarray) else int(np.argmax(self.mask))
            return S("true" if rep.lanes[lane] else "false")
        lane = self.first_lane()
        return S(self.op(f"extractelement {self.t(elem(d))} {self.vec(rep, d)}, i64 {lane}"))

    def first_lane(self) -> str:
        """The index of the first active lane, an i64."""
        if self.mask is None:
            return "0"
        if isinstance(self.mask, np.ndarray):
            return str(int(np.argmax(self.mask)))
        return self._lane_index("cttz")

    def last_lane(self) -> str:
        """The index of the last active lane, an i64."""
        if self.mask is None:
            return str(self.W - 1)
        if isinstance(self.mask, np.ndarray):
            return str(int(np.flatnonzero(self.mask)[-1]))
        return self.op(f"sub i64 {self.W - 1}, {self._lane_index('ctlz')}")

    def _lane_index(self, count: str) -> str:
        key = (count, self.mask)
        if (found := self.memo(key)) is not None:
            return found
        word = self.op(f"bitcast {self.t('i1')} {self.mask} to i{self.W}")
        n = self.call(f"llvm.{count}.i{self.W}", f"i{self.W}", (f"i{self.W}", word), ("i1", "false"))
        return self.remember(key, n if self.W == 64 else self.op(f"zext i{self.W} {n} to i64"))

    def scalar(self, value: Value) -> Scalar:
        """The form of a scalar IR value."""
        rep = self.env[value]
        assert isinstance(rep, (S, V, Lin, Bools))
        return rep

    # -- masks ---------------------------------------------------------------------------------------------------------

    def mask_text(self, mask: Mask) -> str:
        """A mask as an LLVM vector of i1."""
        if mask is None:
            return "splat (i1 true)"
        if isinstance(mask, np.ndarray):
            return self.const_vector(["true" if x else "false" for x in mask], "i1")
        return mask

    def narrow(self, mask: Mask, cond: Rep, negate: bool = False) -> Mask:
        """The lanes of a mask where a condition holds (or does not)."""
        if isinstance(cond, Bools):
            lanes = ~cond.lanes if negate else cond.lanes
            if not isinstance(mask, str):
                both = lanes if mask is None else lanes & mask
                return None if both.all() else both
            cond = Bools(lanes)
            text = self.vec(cond, u1)
        else:
            text = self.vec(cond, u1)
            if negate:
                text = self.op(f"xor {self.t('i1')} {text}, splat (i1 true)")
        return text if mask is None else self.op(f"and {self.t('i1')} {self.mask_text(mask)}, {text}")

    def any(self, mask: Mask) -> str:
        """An i1: a lane of a mask is active."""
        if mask is None:
            return "true"
        if isinstance(mask, np.ndarray):
            return "true" if mask.any() else "false"
        word = self.op(f"bitcast {self.t('i1')} {mask} to i{self.W}")
        return self.op(f"icmp ne i{self.W} {word}, 0")

    def new_slot(self, type: VecType) -> StackVector:
        """Stack memory for a vector of the IR."""
        e = elem(type.dtype)
        return StackVector(self.body.alloca(f"[{type.n * self.W} x {e}]"), type.n, e)

    def fault(self, op: Op, why: str) -> Exception:
        """The error of an op that should not be here."""
        return error("V001", op.span, op=op.name, why=why)
