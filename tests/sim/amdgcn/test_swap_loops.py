"""Loops of compare-and-swap: their loads are no races, nor what a swap of a word leaves alone; real races still are."""

import os

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.sim.amdgcn import swap_loops
from sim.amdgcn.test_check_global import LOAD_MATE, MEET, OUT, SECOND, WAIT
from sim.amdgcn.test_check_global import go as go_global
from sim.amdgcn.test_check_lds import go as go_lds

BF16 = ml_dtypes.bfloat16
CHIPS = ("gfx942", "gfx950")


def run(kernel, grid, *args, check="races", chip="gfx942"):
    """The code of an error, or "" where the launch on that chip's executor finds nothing."""
    old = os.environ.get("AVE_CHECK")
    os.environ["AVE_CHECK"] = check
    try:
        kernel[grid](*args, backend=f"{chip}-exec", target=chip)
    except AveError as e:
        return e.code
    finally:
        os.environ.pop("AVE_CHECK") if old is None else os.environ.__setitem__("AVE_CHECK", old)
    return ""


# -- what compilers make: LDS and memory, of 4 and 8 bytes, and halves of a word ---------------------------------------


@avelang.jit
def updates(w: al.Pointer[al.f32], x: al.Pointer[al.f32], D: al.constexpr, OP: al.constexpr, SHARED: al.constexpr, HOW: al.constexpr):
    """Threads of all waves update three elements. HOW: what is wrong with it."""
    t = al.thread_id(0)
    s = al.make_shared((3,), D)
    if SHARED:
        if t < 3:
            if HOW != "unwritten" or t < 2:
                s[t] = al.convert(0.0, D)
        al.syncthreads()
        if HOW == "stored":
            if t == 127:
                s[1] = al.convert(2.0, D)
        if HOW == "read":
            if t == 127:
                x[0] = al.convert(s[1], al.f32)
        OP(s, t % 3, al.convert(t, D), scope="block")
        al.syncthreads()
        if t < 3:
            w[t] = al.convert(s[t], al.f32)


@pytest.mark.parametrize("how", ["", "stored", "read", "unwritten"])
@pytest.mark.parametrize("dtype", [al.f32, al.f64, al.f16, al.bf16], ids=lambda d: d.name)
def test_in_lds(dtype, how):
    x, w = np.zeros(4, np.float32), np.zeros(3, np.float32)
    for check in ("races", "init"):
        want = {"": "", "unwritten": "X055" if check == "init" else ""}.get(how, "X025")
        assert run(updates, (1, 128), w, x, dtype, al.atomic_max, True, how, check=check) == want
    if not how:
        assert w.tolist() == [126, 127, 125]


def in_memory(dtype, op, scope, how):
    f = getattr(al, f"atomic_{op}")

    @avelang.jit
    def k(w: al.Pointer[dtype], out: al.Pointer[dtype]):
        t = al.thread_id(0)
        if how == "stored":
            if t == 64:
                w[1] = al.convert(2, dtype)
        if how == "read":
            if t == 64:
                out[0] = w[1]
        f(w, t % 3, al.convert(t, dtype), scope=scope)

    return k


KINDS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": BF16, "i32": np.int32, "u64": np.uint64}
MEMORY = [(d, op, "device") for d in ("f32", "f64") for op in ("max", "min")]
MEMORY += [(d, op, "device") for d in ("f16", "bf16") for op in ("add", "max", "exchange")]
MEMORY += [("i32", op, "system") for op in ("max", "min", "and", "or", "xor")] + [("u64", "min", "system")]


@pytest.mark.parametrize(("name", "op", "scope"), MEMORY)
def test_in_memory(name, op, scope):
    for chip in CHIPS if op == "max" else CHIPS[:1]:
        for how, want in {"": "", "stored": "X040", "read": "X040"}.items():
            k = in_memory(getattr(al, name), op, scope, how)
            got = run(k, (2, 128), np.zeros(3, KINDS[name]), np.zeros(1, KINDS[name]), chip=chip)
            assert got == want, (chip, how)


@avelang.jit
def halves(w: al.Pointer[al.bf16], I: al.constexpr):
    t = al.thread_id(0)
    if t < 64:
        al.atomic_add(w, 0, al.convert(1.0, al.bf16))
    elif t == 64:
        w[I] = al.convert(5.0, al.bf16)


def test_the_other_half_of_a_word_is_left_alone():
    w = np.zeros(4, BF16)
    assert run(halves, (1, 128), w, 1) == "" and w.astype(int).tolist() == [64, 5, 0, 0]
    assert run(halves, (1, 128), w, 0) == "X040"


# -- programs in assembly ----------------------------------------------------------------------------------------------
# A maximum of one word by all waves: LOAD fills v10, LOOP swaps until that has worked.

LOAD = "global_load_dword v10, v8, s[4:5]; " + WAIT
LOOP = """again:; v_max_u32 v12, v10, v7; {0}v_mov_b32 v13, v10; global_atomic_cmpswap v14, v8, v[12:13], s[4:5] sc0
s_waitcnt vmcnt(0); v_cmp_eq_u32 vcc, v14, v10; s_or_b64 s[26:27], vcc, s[26:27]; v_mov_b32 v10, v14
s_andn2_b64 exec, exec, s[26:27]; s_cbranch_execnz again; s_or_b64 exec, exec, s[26:27]; """
SWAP = "s_mov_b64 s[26:27], 0; " + LOOP.format("")
BODIES = {
    "a loop": (LOAD + SWAP, ""),
    "registers used again": (LOAD + SWAP + "v_mov_b32 v10, 0; v_mov_b32 v12, 1; global_store_dword v4, v10, s[2:3]; ", ""),
    "its result is stored": (LOAD + SWAP + "global_store_dword v4, v14, s[2:3]; ", ""),
    "the load is stored": (LOAD + "global_store_dword v4, v10, s[2:3]; " + SWAP, "`count`"),
    "some lanes store the load": (
        LOAD + "s_mov_b64 s[28:29], exec; s_mov_b64 exec, 0xff; v_mov_b32 v15, v10; s_mov_b64 exec, s[28:29]; "
        + SWAP + "global_store_dword v4, v15, s[2:3]; ", "`count`"),
    "overwritten in some lanes only": (
        LOAD + "v_mov_b32 v15, v10; v_cmp_gt_u32 vcc, 9, v4; s_and_saveexec_b64 s[28:29], vcc; v_mov_b32 v15, 0; "
        "s_or_b64 exec, exec, s[28:29]; " + SWAP + "global_store_dword v4, v15, s[2:3]; ", "`count`"),
    "it decides": (LOAD + "v_cmp_lt_u32 vcc, v10, v7; s_cbranch_vccz out; " + SWAP + OUT, "`count`"),
    "it is an address": (LOAD + "v_and_b32 v15, 60, v10; global_load_dword v16, v15, s[2:3]; " + SWAP, "`count`"),
    "only the new value": (LOAD + SWAP.replace("v_mov_b32 v13, v10", "v_mov_b32 v13, 0"), "`count`"),
    "no loop": (LOAD + "v_max_u32 v12, v10, v7; v_mov_b32 v13, v10; global_atomic_cmpswap v14, v8, v[12:13], s[4:5] sc0; ",
        "`count`"),
    "it crosses lanes": (LOAD + "v_readfirstlane_b32 s30, v10; " + SWAP, "`count`"),
    "a plain store": ("s_cmp_eq_u32 s20, 0; s_cbranch_scc0 skip; global_store_dword v8, v9, s[4:5]; skip:; " + LOAD + SWAP,
        "`count`"),
}  # fmt: skip
# The load is of another word than the swap: one that another wave's swap changes.
ELSEWHERE = """v_readfirstlane_b32 s30, v4; s_lshr_b32 s30, s30, 8; s_and_b32 s30, s30, 1; s_lshl_b32 s30, s30, 2
v_mov_b32 v8, s30; v_xor_b32 v17, 4, v8; global_load_dword v10, v17, s[4:5]; s_waitcnt vmcnt(0); v_mov_b32 v10, v10; """


@pytest.mark.parametrize("name", [*BODIES, "elsewhere"])
def test_programs(name):
    body, says = BODIES.get(name, (ELSEWHERE + SWAP, "`count`"))
    for order in ("forward", "reverse"):
        if not says:
            go_global(body, order)
            continue
        with pytest.raises(AveError, match=says) as e:
            go_global(body, order)
        assert e.value.code == "X040"


def test_a_mates_plain_value_behind_a_loop():
    """What a loop excuses is its own load, and no other."""
    body = "global_store_dword v4, v7, s[2:3]; " + LOAD + SWAP + LOAD_MATE
    with pytest.raises(AveError) as e:
        go_global(body)
    assert e.value.code == "X040" and "`x`, byte" in str(e.value)
    go_global(body.replace(LOAD_MATE, WAIT + MEET + LOAD_MATE) + SECOND + OUT)


LDS = """v_mov_b32 v8, 0; s_mov_b64 s[26:27], 0; ds_write_b32 v4, v6; s_waitcnt lgkmcnt(0); s_barrier; {0}ds_read_b32 v10, v8
s_waitcnt lgkmcnt(0); again:; v_max_u32 v12, v10, v6; ds_cmpst_rtn_b32 v14, v8, v10, v12; s_waitcnt lgkmcnt(0)
v_cmp_eq_u32 vcc, v14, v10; s_or_b64 s[26:27], vcc, s[26:27]; v_mov_b32 v10, v14; s_andn2_b64 exec, exec, s[26:27]
s_cbranch_execnz again; s_or_b64 exec, exec, s[26:27]; """.replace("\n", "; ")


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_in_lds_in_assembly(order):
    go_lds(LDS.format(""), order)
    for wrong in (LDS.format("ds_write_b32 v8, v6; "), LDS.format("ds_read_b32 v16, v8; ")):
        with pytest.raises(AveError) as e:
            go_lds(wrong, order)
        assert e.value.code == "X025"


def test_what_is_found():
    head = '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\ntest:\n'
    text = (LOAD + SWAP).replace("\n", "; ")
    program = parse(head + "\n".join(x.strip() for x in text.split(";")) + "\ns_endpgm\n")
    found = swap_loops.find(program, 0)
    assert found.loads == {0: 0} and list(found.swaps.values()) == [1] and not found.kept
    jump = parse(head + "s_setpc_b64 s[0:1]\n" + "\n".join(x.strip() for x in text.split(";")) + "\ns_endpgm\n")
    assert swap_loops.find(jump, 0) == swap_loops.NONE
