"""LLVM IR of the functions that access memory: a space, the bits of an element and how many a lane has come in; the
text of a function goes out.

`i32 @name(ptr warp, ptr block, i32 lanes)` takes the lanes' addresses (i64) from the warp's `address`, and takes or
puts data in its `data`: element k of lane l stands at element 32 k + l. It returns 0, or FAULT where an access is not
allowed; the block then says which. """

from __future__ import annotations

from avelang.sim.ptx.state import (
    BLOCK,
    FAULT,
    LANES,
    MISALIGNED,
    WARP,
)  # fmt: skip

SPACES = ("global", "shared", "shared::cluster", "local", "generic")


def field(name: str, result: str, base: str = "g") -> str:
    """A line that makes a pointer to a field of the block ("g") or of the warp."""
    offset = (BLOCK if base == "g" else WARP)[name]
    return f"  {result} = getelementptr i8, ptr %{base}, i64 {offset}"


def place(space: str, address: str, nbytes: int, write: bool) -> str:
    """A call that finds the place of one lane's bytes (`native/ptx/places.c`)."""
    kind = space.partition("::")[0]
    peers = f", i1 {str(space == 'shared::cluster').lower()}" if kind == "shared" else ""
    return (f"call ptr @ave_place_{kind}(ptr %w, ptr %g, i64 %lane, i64 {address}, i64 {nbytes}, i32 "
        f"{int(write)}{peers})")


def _words(n: int, bits: int) -> str:
    return f"<{LANES * n} x i{bits}>"


def _contiguous(space: str, bits: int, n: int, store: bool) -> str:
    """The way for all lanes side by side: one wide access."""
    total = bits // 8 * n
    steps = ", ".join(f"i64 {lane * total}" for lane in range(LANES))
    wide = _words(n, bits)
    lines = ["  %all = icmp eq i32 %mask, -1", "  br i1 %all, label %wide, label %loop", "wide:",
        f"  %v = load <{LANES} x i64>, ptr %ap, align 64", f"  %first = extractelement <{LANES} x i64> %v, i64 0",
        f"  %one = insertelement <{LANES} x i64> poison, i64 %first, i64 0", f"  %splat = shufflevector <{LANES} x "
        f"i64> %one, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer", f"  %want = add <{LANES} x i64> %splat, "
        f"<{steps}>", f"  %same = icmp eq <{LANES} x i64> %v, %want", f"  %bits = bitcast <{LANES} x i1> %same to i32",
        "  %side = icmp eq i32 %bits, -1", f"  %low = and i64 %first, {total - 1}", "  %even = icmp eq i64 %low, 0",
        "  %ok = and i1 %side, %even", "  br i1 %ok, label %seek, label %loop", "seek:", "  %spot = "
        + place(space, "%first", total * LANES, store).replace("i64 %lane", "i64 0"), "  %nowhere = icmp eq ptr %spot, "
        "null", "  br i1 %nowhere, label %loop, label %move", "move:"]  # fmt: skip
    part = f"<{LANES} x i{bits}>"
    if store:
        names = []
        for k in range(n):
            lines.append(f"  %sp{k} = getelementptr {part}, ptr %dp, i64 {k}")
            lines.append(f"  %s{k} = load {part}, ptr %sp{k}, align {min(64, bits * 4)}")
            names.append(f"%s{k}")
        whole = names[0]
        if n > 1:
            width = LANES
            while len(names) > 1:  # pairs of parts become one
                order = ", ".join(f"i32 {x}" for x in range(2 * width))
                lines += [f"  {a}c{width} = shufflevector <{width} x i{bits}> {a}, <{width} x i{bits}> {b}, "
                    f"<{2 * width} x i32> <{order}>" for a, b in zip(names[::2], names[1::2], strict=True)]
                names, width = [f"{a}c{width}" for a in names[::2]], 2 * width
            order = ", ".join(f"i32 {k * LANES + lane}" for lane in range(LANES) for k in range(n))
            lines.append(f"  %woven = shufflevector {wide} {names[0]}, {wide} poison, <{LANES * n} x i32> <{order}>")
            whole = "%woven"
        lines.append(f"  store {wide} {whole}, ptr %spot, align {min(16, total)}")
    else:
        lines.append(f"  %got = load {wide}, ptr %spot, align {min(16, total)}")
        for k in range(n):
            order = ", ".join(f"i32 {lane * n + k}" for lane in range(LANES))
            lines.append(f"  %g{k} = shufflevector {wide} %got, {wide} poison, <{LANES} x i32> <{order}>")
            lines.append(f"  %gp{k} = getelementptr {part}, ptr %dp, i64 {k}")
            lines.append(f"  store {part} %g{k}, ptr %gp{k}, align {min(64, bits * 4)}")
    lines.append("  ret i32 0")
    return "\n".join(lines)


def head(name: str) -> str:
    """The beginning of a function, which ends where no lane is active."""
    return f"""
define internal i32 @{name}(ptr %w, ptr %g, i32 %mask) noinline #0 {{
entry:
{field("address", "%ap", "w")}
{field("data", "%dp", "w")}
  %any = icmp ne i32 %mask, 0
  br i1 %any, label %some, label %done
done:
  ret i32 0
some:
"""


_FOUND = """  %null = icmp eq ptr %q, null
  br i1 %null, label %fault, label %go
go:
  %p = getelementptr i8, ptr %q, i64 0"""
_FOUND_WATCHED = """  br label %go
go:
  %p = phi ptr [ %q, %straight ], [ %nowhere, %misaligned ]"""
_WRONG = """misaligned:
{fcp}
{fap}
{fsp}
  store i32 {code}, ptr %fcp, align 4
  store i64 %a, ptr %fap, align 8
  store i32 {total}, ptr %fsp, align 4
  br label %fault
fault:
{flp}
  store i32 %lane32, ptr %flp, align 4
  ret i32 {fault}"""
_WRONG_WATCHED = """misaligned:
  %nowhere = call ptr @ave_blame(ptr %w, ptr %g, i64 %lane, i64 %a, i64 {total}, i32 {code})
  br label %go"""


def _fields() -> dict[str, str]:
    names = {"fcp": "fault_code", "fap": "fault_address", "fsp": "fault_size", "flp": "fault_lane"}
    return {short: field(name, f"%{short}") for short, name in names.items()}


def each(space: str, total: int, write: bool, body: str, before: tuple[str, ...], watched: bool = False) -> str:
    """A loop over the lanes; `body` works at %p."""
    found, wrong = _FOUND, _WRONG.format(**_fields(), code=MISALIGNED, total=total, fault=FAULT)
    if watched:
        found, wrong = _FOUND_WATCHED, _WRONG_WATCHED.format(code=MISALIGNED, total=total)
    ways = ", ".join(f"[ %mask, %{x} ]" for x in before)
    return f"""
loop:
  %m = phi i32 {ways}, [ %m1, %after ]
  %lane32 = call i32 @llvm.cttz.i32(i32 %m, i1 true)
  %lane = zext i32 %lane32 to i64
  %aq = getelementptr i64, ptr %ap, i64 %lane
  %a = load i64, ptr %aq, align 8
  %odd = and i64 %a, {total - 1}
  %crooked = icmp ne i64 %odd, 0
  br i1 %crooked, label %misaligned, label %straight
straight:
  %q = {place(space, "%a", total, write)}
{found}
{body}
  br label %after
after:
  %less = sub i32 %m, 1
  %m1 = and i32 %m, %less
  %on = icmp ne i32 %m1, 0
  br i1 %on, label %loop, label %done
{wrong}
}}
"""


def access(space: str, bits: int, n: int, store: bool, checked: bool, watched: bool = False) -> tuple[str, str]:
    """(name, text) of loads or stores of `n` elements of so many bits for each lane."""
    name = f"ave_{'st' if store else 'ld'}_{space.replace('::', '_')}_{bits}x{n}"
    size = bits // 8
    wide = not watched and (space == "global" or (space == "shared" and not checked))
    lines = []
    for k in range(n):
        lines.append(f"  %i{k} = add i64 %lane, {k * LANES}")
        lines.append(f"  %q{k} = getelementptr i{bits}, ptr %dp, i64 %i{k}")
        lines.append(f"  %m{k}p = getelementptr i{bits}, ptr %p, i64 {k}")
        source, to = (f"%q{k}", f"%m{k}p") if store else (f"%m{k}p", f"%q{k}")
        lines.append(f"  %x{k} = load i{bits}, ptr {source}, align {min(8, size)}")
        lines.append(f"  store i{bits} %x{k}, ptr {to}, align {min(8, size)}")
    before = ("some", "wide", "seek") if wide else ("some",)
    first = _contiguous(space, bits, n, store) if wide else "  br label %loop"
    return name, head(name) + first + each(space, size * n, store, "\n".join(lines), before, watched)
