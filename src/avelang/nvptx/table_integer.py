"""The table of integer and logic instructions. PTX ISA 9.0, 9.7.1 "Integer arithmetic", 9.7.2 "Extended-precision",
9.7.8 "Logic and shift"."""

from __future__ import annotations

from avelang.nvptx.forms import entries, form

WORDS = "u16 u32 u64 s16 s32 s64"
PAIRS = "u16x2 s16x2"
LONG = "u32 u64 s32 s64"

entries("add sub mul neg abs min max")
entries("lop3", "discards")
entries("mad mul24 mad24 sad div rem popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a addc subc madc and or xor "
    "not cnot shf shl shr")
entries("vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2",
    "selects")
entries("vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4", "selects")

# -- 9.7.1 -------------------------------------------------------------------------------------------------------------

for _op in ("add", "sub"):
    form(f"{_op}.<t>", "d:<t>, s:<t>, s:<t>", t=WORDS, section="9.7.1")
    form(f"{_op}.sat.s32", "d:s32, s:s32, s:s32", section="9.7.1")
form("add.<t>", "d:<t>, s:<t>, s:<t>", "8.0 sm_90", t=PAIRS, section="9.7.1")
form("mul.<half>.<t>", "d:<t>, s:<t>, s:<t>", half="hi lo", t=WORDS, section="9.7.1")
form("mad.<half>.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", half="hi lo", t=WORDS, section="9.7.1")
form("mad.hi.sat.s32", "d:s32, s:s32, s:s32, s:s32", section="9.7.1")
for _t, _wide in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")):
    form(f"mul.wide.{_t}", f"d:{_wide}, s:{_t}, s:{_t}", section="9.7.1")
    form(f"mad.wide.{_t}", f"d:{_wide}, s:{_t}, s:{_t}, s:{_wide}", section="9.7.1")
form("mul24.<half>.<t>", "d:<t>, s:<t>, s:<t>", half="hi lo", t="u32 s32", section="9.7.1")
form("mad24.<half>.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", half="hi lo", t="u32 s32", section="9.7.1")
form("mad24.hi.sat.s32", "d:s32, s:s32, s:s32, s:s32", section="9.7.1")
form("sad.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", t=WORDS, section="9.7.1")
for _op in ("div", "rem"):
    form(f"{_op}.<t>", "d:<t>, s:<t>, s:<t>", t=WORDS, section="9.7.1")
for _op in ("abs", "neg"):
    form(f"{_op}.<t>", "d:<t>, s:<t>", t="s16 s32 s64", section="9.7.1")
for _op in ("min", "max"):
    form(f"{_op}.<t>", "d:<t>, s:<t>, s:<t>", t=WORDS, section="9.7.1")
    form(f"{_op}.<t>", "d:<t>, s:<t>, s:<t>", "8.0 sm_90", t=PAIRS, section="9.7.1")
    form(f"{_op}.relu.<t>", "d:<t>, s:<t>, s:<t>", "8.0 sm_90", t="s16x2 s32", section="9.7.1")
for _op in ("popc", "clz"):
    form(f"{_op}.<t>", "d:u32, s:<t>", "2.0 sm_20", t="b32 b64", section="9.7.1")
form("bfind{.shiftamt}.<t>", "d:u32, s:<t>", "2.0 sm_20", t=LONG, section="9.7.1")
form("fns.b32", "d:b32, s:b32, s:b32, s:b32", "6.0 sm_30", section="9.7.1")
form("brev.<t>", "d:<t>, s:<t>", "2.0 sm_20", t="b32 b64", section="9.7.1")
form("bfe.<t>", "d:<t>, s:<t>, s:u32, s:u32", "2.0 sm_20", t=LONG, section="9.7.1")
form("bfi.<t>", "d:<t>, s:<t>, s:<t>, s:u32, s:u32", "2.0 sm_20", t="b32 b64", section="9.7.1")
form("szext.<mode>.<t>", "d:<t>, s:<t>, s:u32", "7.6 sm_70", mode="clamp wrap", t="u32 s32", section="9.7.1")
form("bmsk.<mode>.b32", "d:u32, s:u32, s:u32", "7.6 sm_70", mode="clamp wrap", section="9.7.1")
form("dp4a.<a>.<b>", "d:u32, s:u32, s:u32, s:u32", "5.0 sm_61", a="u32 s32", b="u32 s32", section="9.7.1")
form("dp2a.<half>.<a>.<b>", "d:u32, s:u32, s:u32, s:u32", "5.0 sm_61", half="lo hi", a="u32 s32", b="u32 s32",
    section="9.7.1")

# -- 9.7.2 -------------------------------------------------------------------------------------------------------------

for _op, _carry in (("add.cc", ".<t>"), ("addc", "{.cc}.<t>"), ("sub.cc", ".<t>"), ("subc", "{.cc}.<t>")):
    form(_op + _carry, "d:<t>, s:<t>, s:<t>", t=LONG, section="9.7.2", words={"u64 s64": "4.3"})
form("mad.<half>.cc.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", "3.0 sm_20", half="hi lo", t=LONG, section="9.7.2",
    words={"u64 s64": "4.3 sm_20"})
form("madc.<half>{.cc}.<t>", "d:<t>, s:<t>, s:<t>, s:<t>", "3.0 sm_20", half="hi lo", t=LONG, section="9.7.2",
    words={"u64 s64": "4.3 sm_20"})

# -- 9.7.8 -------------------------------------------------------------------------------------------------------------

for _op in ("and", "or", "xor"):
    form(f"{_op}.<t>", "d:<t>, s:<t>, s:<t>", t="pred b16 b32 b64", section="9.7.8")
form("not.<t>", "d:<t>, s:<t>", t="pred b16 b32 b64", section="9.7.8")
form("cnot.<t>", "d:<t>, s:<t>", t="b16 b32 b64", section="9.7.8")
form("lop3.b32", "d:b32, s:b32, s:b32, s:b32, i:u32", "4.3 sm_50", section="9.7.8")
form("lop3.<bool>.b32", "d:b32&pred, s:b32, s:b32, s:b32, i:u32, p", "8.2 sm_70", bool="or and", section="9.7.8")
form("shf.<way>.<mode>.b32", "d:b32, s:b32, s:b32, s:u32", "3.1 sm_32", way="l r", mode="clamp wrap", section="9.7.8")
form("shl.<t>", "d:<t>, s:<t>, s:u32", t="b16 b32 b64", section="9.7.8")
form("shr.<t>", "d:<t>, s:<t>, s:u32", t=f"b16 b32 b64 {WORDS}", section="9.7.8")

# -- 9.7.19, video: on bytes and halves of words -----------------------------------------------------------------------

_SECOND = "add min max"
for _op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
    form(f"{_op}.<d>.<a>.<b>{{.sat}}", "d:<d>, s:u32, s:u32, s:u32?", "2.0 sm_20", d="u32 s32", a="u32 s32",
        b="u32 s32", section="9.7.19")
    form(f"{_op}.<d>.<a>.<b>{{.sat}}.<op>", "d:<d>, s:u32, s:u32, s:u32", "2.0 sm_20", d="u32 s32", a="u32 s32",
        b="u32 s32", op=_SECOND, section="9.7.19")  # fmt: skip
for _op in ("vshl", "vshr"):
    form(f"{_op}.<d>.<a>.u32{{.sat}}.<mode>", "d:<d>, s:u32, s:u32, s:u32?", "2.0 sm_20", d="u32 s32", a="u32 s32",
        mode="clamp wrap", section="9.7.19")
    form(f"{_op}.<d>.<a>.u32{{.sat}}.<mode>.<op>", "d:<d>, s:u32, s:u32, s:u32", "2.0 sm_20", d="u32 s32", a="u32 s32",
        mode="clamp wrap", op=_SECOND, section="9.7.19")  # fmt: skip
form("vmad.<d>.<a>.<b>{.sat}{.<shift>}", "d:<d>, s:u32, s:u32, s:u32", "2.0 sm_20", d="u32 s32", a="u32 s32",
    b="u32 s32", shift="shr7 shr15", section="9.7.19")  # fmt: skip
form("vmad.<d>.<a>.<b>.po{.sat}{.<shift>}", "d:<d>, s:u32, s:u32, s:u32", "2.0 sm_20", d="u32 s32", a="u32 s32",
    b="u32 s32", shift="shr7 shr15", section="9.7.19")  # fmt: skip
form("vset.<a>.<b>.<cmp>", "d:u32, s:u32, s:u32, s:u32?", "2.0 sm_20", a="u32 s32", b="u32 s32", section="9.7.19")
form("vset.<a>.<b>.<cmp>.<op>", "d:u32, s:u32, s:u32, s:u32", "2.0 sm_20", a="u32 s32", b="u32 s32", op=_SECOND,
    section="9.7.19")
for _n, _sum in (("2", "u32 s32"), ("4", "u32 s32")):
    for _op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
        form(f"{_op}{_n}.<d>.<a>.<b>{{.sat}}", "d:<d>, r:u32, r:u32, r:u32", "3.0 sm_30", d=_sum, a="u32 s32",
            b="u32 s32", section="9.7.19")
        form(f"{_op}{_n}.<d>.<a>.<b>.add", "d:<d>, r:u32, r:u32, r:u32", "3.0 sm_30", d=_sum, a="u32 s32", b="u32 s32",
            section="9.7.19")
    form(f"vset{_n}.<a>.<b>.<cmp>", "d:u32, r:u32, r:u32, r:u32", "3.0 sm_30", a="u32 s32", b="u32 s32",
        section="9.7.19")
    form(f"vset{_n}.<a>.<b>.<cmp>.add", "d:u32, r:u32, r:u32, r:u32", "3.0 sm_30", a="u32 s32", b="u32 s32",
        section="9.7.19")
