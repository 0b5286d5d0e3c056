"""Hand-written programs with the ABI of compiled kernels, for tests of what runs them."""

from avelang.llvm.core import HostCompiler
from avelang.runtime.cpu_backend import CpuProgram

HEAD = "define i64 @ave_run(ptr %args, ptr %grid, i64 %start, i64 %end, ptr %scratch) {\nentry:\n"

# Adds 1 to u32 counters[block] for each block, through args[0].
COUNT = (
    HEAD
    + """
  %out = load ptr, ptr %args
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %i1, %loop ]
  %p = getelementptr i32, ptr %out, i64 %i
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %end
  br i1 %more, label %loop, label %done
done:
  ret i64 0
}
"""
)

# Writes to u64 out[2 * block], out[2 * block + 1]: the scratch's address, and what the first word of scratch held before; then
# spins for args[1] rounds, so that several threads take part, and puts the block's number there.
SCRATCH = (
    HEAD
    + """
  %out = load ptr, ptr %args
  %roundsp = getelementptr i64, ptr %args, i64 1
  %rounds = load i64, ptr %roundsp
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %i1, %next ]
  %twice = mul i64 %i, 2
  %p = getelementptr i64, ptr %out, i64 %twice
  %a = ptrtoint ptr %scratch to i64
  store i64 %a, ptr %p
  %last = getelementptr i64, ptr %scratch, i64 511
  store volatile i64 %i, ptr %scratch
  store volatile i64 %i, ptr %last
  br label %spin
spin:
  %j = phi i64 [ 0, %loop ], [ %j1, %spin ]
  %seen = load volatile i64, ptr %last
  %j1 = add i64 %j, 1
  %again = icmp ult i64 %j1, %rounds
  br i1 %again, label %spin, label %next
next:
  %q = getelementptr i64, ptr %p, i64 1
  store i64 %seen, ptr %q
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %end
  br i1 %more, label %loop, label %done
done:
  ret i64 0
}
"""
)

# Returns args[0] from the block with the number args[1].
FAIL = (
    HEAD
    + """
  %code = load i64, ptr %args
  %whichp = getelementptr i64, ptr %args, i64 1
  %which = load i64, ptr %whichp
  %a = icmp uge i64 %which, %start
  %b = icmp ult i64 %which, %end
  %hit = and i1 %a, %b
  %r = select i1 %hit, i64 %code, i64 0
  ret i64 %r
}
"""
)


def echo(n: int) -> str:
    """Block 0 copies the n slots to the u64 array that the last slot points to, then the three extents of the grid."""
    lines = [f"  %outp = getelementptr i64, ptr %args, i64 {n - 1}", "  %out = load ptr, ptr %outp"]
    for i in range(n):
        lines += [f"  %p{i} = getelementptr i64, ptr %args, i64 {i}", f"  %v{i} = load i64, ptr %p{i}"]
        lines += [f"  %q{i} = getelementptr i64, ptr %out, i64 {i}", f"  store i64 %v{i}, ptr %q{i}"]
    for i in range(3):
        lines += [f"  %g{i} = getelementptr i32, ptr %grid, i64 {i}", f"  %e{i} = load i32, ptr %g{i}", f"  %x{i} = zext i32 %e{i} to i64"]
        lines += [f"  %o{i} = getelementptr i64, ptr %out, i64 {n + i}", f"  store i64 %x{i}, ptr %o{i}"]
    return HEAD + "\n".join(lines) + "\n  ret i64 0\n}\n"


def payload(text: str) -> bytes:
    return HostCompiler(1).object(text)


def program(text: str, scratch_bytes: int = 0) -> CpuProgram:
    return CpuProgram(payload(text), {"entry": "ave_run", "scratch_bytes": scratch_bytes})
