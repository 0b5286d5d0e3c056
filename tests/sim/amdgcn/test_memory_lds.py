"""LDS loads and stores against a model lane by lane."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.memory_lds import TABLE
from sim.amdgcn import memory_model as model
from sim.amdgcn.memory_model import FULL, LANES, LDS_LOADS, LDS_STORES, MASKS, loaded, registers, words
from sim.amdgcn.programs import assemble, run_program, start

LDS = 4096
TWICE = ["read2", "read2st64", "write2", "write2st64"]
FILL = (
    "s_mov_b64 exec, -1\n"
    + "\n".join(f"ds_write_b128 v0, v[{8 + 4 * k}:{11 + 4 * k}] offset:{1024 * k}" for k in range(4))
    + "\ns_mov_b64 exec, s[4:5]\n"
)
DUMP = "\ns_mov_b64 exec, -1\n" + "\n".join(
    f"ds_read_b128 v[{8 + 4 * k}:{11 + 4 * k}], v0 offset:{1024 * k}" for k in range(4)
)


def test_each_instruction_has_a_case():
    single = {f"ds_read_{f}" for f in LDS_LOADS} | {f"ds_write_{f}" for f in LDS_STORES}
    twice = {f"ds_{k}_{f}" for k in TWICE for f in ("b32", "b64")}
    assert set(TABLE) == single | twice | {
        "ds_read_addtid_b32", "ds_write_addtid_b32", "ds_append", "ds_consume", "ds_nop",
    }  # fmt: skip


class Lds:
    """A machine that fills LDS from v[8:23], runs instructions under a mask, and leaves what LDS holds then there."""

    def __init__(self, body: str, **options: object):
        self.machine = assemble(FILL + body + DUMP, lds=LDS, **options)

    def run(self, rng: np.random.Generator, given: dict, mask: int = FULL):
        """The registers, LDS before (uint8) and after."""
        data = model.random_words(rng, 16, LANES)
        got = start(
            self.machine, {"v0": np.arange(LANES, dtype=np.uint32) * 16, "v[8:23]": data, "s[4:5]": mask, **given}
        )
        return got, *(
            np.ascontiguousarray(x.reshape(4, 4, LANES).transpose(0, 2, 1)).view(np.uint8).reshape(-1)
            for x in (data, got["v[8:23]"])
        )


def numbered(formats, first: int = 32) -> dict[str, str]:
    out = {}
    for f, name in formats.items():
        out[f] = registers(first, words(name))
        first += words(name)
    return out


def test_loads():
    regs = numbered(LDS_LOADS)
    lds = Lds("\n".join(f"ds_read_{f} {r}, v2 offset:16" for f, r in regs.items()))
    rng = np.random.default_rng(1)
    for what, at in model.patterns(rng, LDS).items():
        for mask in MASKS.values() if what == "anywhere" else (FULL,):
            got, before, after = lds.run(rng, {"v2": (at - 16).astype(np.uint32)}, mask)
            assert (before == after).all()
            for f, r in regs.items():
                want = loaded(before, at, LDS_LOADS[f], mask)
                assert (got[r] == (want if len(want) > 1 else want[0])).all(), (f, what, hex(mask))


@pytest.mark.parametrize("f", LDS_STORES)
def test_stores(f):
    name, rng = LDS_STORES[f], np.random.default_rng(2)
    data = registers(32, words(name))
    lds = Lds(f"ds_write_{f} v2, {data} offset:8")
    for what, at in model.patterns(rng, LDS).items():
        for mask in MASKS.values() if what == "anywhere" else (FULL,):
            values = model.random_words(rng, words(name), LANES)
            _, want, after = lds.run(rng, {"v2": (at - 8).astype(np.uint32), data: values}, mask)
            model.store(want, at, name, values, mask)
            assert (after == want).all(), (what, hex(mask))


@pytest.mark.parametrize("f", ["b32", "b64"])
@pytest.mark.parametrize("st", ["", "st64"])
def test_two_places(f, st):
    """Offsets count accesses, 64 of them with st64. The first load writes over the address, which the second one
    needs."""
    name, size = LDS_LOADS[f], int(f[1:]) // 8
    n, unit = size // 4, size * (64 if st else 1)
    low, high = (2, 5) if st else (3, 200)
    rng = np.random.default_rng(3)
    room = LDS - unit * high - size
    load = Lds(f"ds_read2{st}_{f} {registers(2, 2 * n)}, v2 offset0:{high} offset1:{low}")
    store = Lds(f"ds_write2{st}_{f} v2, {registers(32, n)}, {registers(40, n)} offset0:{low} offset1:{high}")
    for mask in MASKS.values():
        at = rng.integers(0, room + 1, LANES)
        got, before, _ = load.run(rng, {"v2": at.astype(np.uint32)}, mask)
        want = np.concatenate([loaded(before, at + unit * k, name, mask) for k in (high, low)])
        want[0] = np.where([mask >> n & 1 for n in range(LANES)], want[0], at)
        assert (got[registers(2, 2 * n)] == want).all()
        values = model.random_words(rng, 2 * n, LANES)
        given = {"v2": at.astype(np.uint32), registers(32, n): values[:n], registers(40, n): values[n:]}
        _, want, after = store.run(rng, given, mask)
        model.store(want, at + unit * low, name, values[:n], mask)
        model.store(want, at + unit * high, name, values[n:], mask)
        assert (after == want).all()


def test_addresses_from_m0_and_the_lane():
    rng, mask, new = np.random.default_rng(4), MASKS["some"], np.arange(LANES, dtype=np.uint32)
    lds = Lds("ds_read_addtid_b32 v2 offset:12\nds_write_addtid_b32 v3 offset:1036\nds_nop")
    got, before, after = lds.run(rng, {"v3": new, "m0": 0xABCD0010}, mask)
    at = 16 + 12 + 4 * np.arange(LANES)
    assert (got["v2"] == loaded(before, at, "dword", mask)[0]).all()
    model.store(before, at + 1024, "dword", new[None], mask)
    assert (after == before).all()


def test_addresses_wrap_at_32_bits():
    got, before, _ = Lds("ds_read_b32 v2, v3 offset:8").run(
        np.random.default_rng(5), {"v3": np.full(LANES, 0xFFFFFFFC, np.uint32)}
    )
    assert (got["v2"] == before[4:8].view(np.uint32)[0]).all()


@pytest.mark.parametrize(
    ("text", "size", "at"),
    [
        ("ds_read_b128 v[4:7], v2", 16, 4081),
        ("ds_write_b8 v2, v4", 1, 4096),
        ("ds_read2_b64 v[4:7], v2 offset1:1", 8, 4089),
        ("ds_write_b96 v2, v[4:6]", 12, 1 << 31),
    ],
)
@pytest.mark.parametrize("lane", [0, 40])
def test_outside(text, size, at, lane):
    """The first active lane that is outside is named, not the one that is farthest."""
    v2 = np.where(np.arange(LANES) >= lane, at, 0).astype(np.uint32)
    v2[lane + 1 :: 2] += 100
    v2[0] = at
    with pytest.raises(
        AveError, match=rf"X023.*touches {size} bytes? of LDS at {at}, the workgroup has 4096.*lane {lane}\)"
    ):
        run_program(text, {"v2": v2}, lds=LDS, exec_mask=FULL if lane == 0 else FULL - 1)


def test_less_lds_than_one_access():
    with pytest.raises(AveError, match=r"X023.*LDS at 0, the workgroup has 0.*lane 3\)"):
        run_program("ds_read_b32 v3, v2", {"v2": 0}, exec_mask=8)


@pytest.mark.parametrize(
    "text", ["ds_append v2 gds", "ds_read_b32 v2, v3 gds", "ds_write2_b32 v2, v3, v4", "ds_read_b64 v2, v3"]
)
def test_what_is_not_executed(text):
    with pytest.raises(AveError, match="X021"):
        run_program(text, {"v2": 0, "v3": 0}, lds=64)


@pytest.mark.parametrize("text", ["ds_read_b128 v[4:7], v2 offset:16", "ds_write2st64_b64 v2, v[4:5], v[6:7] offset1:3",
    "flat_load_dword v3, v[2:3]",
                                  "ds_add_rtn_u32 v3, v2, v4", "buffer_load_dword off, s[4:7], 0 lds",
                                  "ds_read_addtid_b32 v3 offset:4"])  # fmt: skip
def test_accesses_are_told_to_the_checker(text, monkeypatch):
    """With what addresses, offset, size and kind."""
    from avelang.sim.amdgcn.translator import BlockTranslator

    told = []
    monkeypatch.setattr(
        BlockTranslator,
        "lds_access",
        lambda t, i, addr, offset, nbytes, kind: told.append((addr.startswith("%"), offset, nbytes, kind)),
    )
    assemble(text, lds=64, check=True)
    want = {
        "ds_read_b128": [(16, 16, "read")], "ds_write2st64_b64": [(0, 8, "write"), (1536, 8, "write")],
        "flat_load_dword": [(0, 4, "read")],
        "ds_add_rtn_u32": [(0, 4, "atomic")], "buffer_load_dword": [(0, 4, "async write")],
        "ds_read_addtid_b32": [(0, 4, "read")],
    }  # fmt: skip
    assert told == [(True, *x) for x in want[text.split()[0]]]


def test_counts_of_active_lanes():
    body = """
        s_mov_b32 m0, 8
        ds_append v2 offset:16
        ds_append v3 offset:16
        ds_consume v4 offset:16
        s_waitcnt lgkmcnt(0)
        ds_read_b32 v5, v1
        s_waitcnt lgkmcnt(0)
    """
    mask = 0xFF00FF00000000F1
    r = run_program(
        "v_mov_b32 v0, 7\nv_mov_b32 v1, 24\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n" + body, lds=64, exec_mask=mask
    )
    on = [n for n in range(64) if mask >> n & 1]
    for name, value in (("v2", 7), ("v3", 7 + len(on)), ("v4", 7 + 2 * len(on)), ("v5", 7 + len(on))):
        assert (r[name][on] == value).all() and r[name][1] == 0xDEADBEEF


# -- what chips have ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip,place", [("gfx942", 0x140), ("gfx950", 0x20140)])
def test_m0_reaches_as_far_as_lds(chip, place):
    """A load to LDS takes 16 bits of M0 where LDS has 64 KiB, 18 where it has 160."""
    x = np.arange(64, dtype=np.uint32)
    lds = 65536 if chip == "gfx942" else 163840
    body = f"""
        global_load_lds_dword v0, s[0:1]
        s_waitcnt vmcnt(0)
        v_add_u32 v1, {place:#x}, v0
        ds_read_b32 v2, v1
        s_waitcnt lgkmcnt(0)
    """
    r = run_program(body, {"v0": 4 * x, "s[0:1]": x.ctypes.data, "m0": 0xFFFE0140}, chip=chip, lds=lds,
                    regions=((x.ctypes.data, x.ctypes.data + x.nbytes),))  # fmt: skip
    assert (r["v2"] == x).all()


def test_lds_is_as_large_as_the_chip_s():
    lane = np.arange(64, dtype=np.uint32)
    body = "ds_write_b32 v0, v1\ns_waitcnt lgkmcnt(0)\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)"
    r = run_program(body, {"v0": 163840 - 256 + 4 * lane, "v1": lane}, chip="gfx950", lds=163840)
    assert (r["v2"] == lane).all()
    for chip, lds in (("gfx942", 65540), ("gfx950", 163844)):
        with pytest.raises(AveError, match=rf"\[X027\].*{chip} has at most {lds - 4}"):
            run_program(body, {"v0": lane}, chip=chip, lds=lds)


@pytest.mark.parametrize("bits", [16, 8, 4, 6])
def test_transposed_loads(bits):
    """A matrix of rows of 16 elements: each lane of 16 gets a column of it, wherever the rows' pieces stand."""
    rng = np.random.default_rng(bits)
    nbytes = 12 if bits == 6 else 8
    held = 8 * nbytes // bits  # elements of a lane, and rows
    matrix = rng.integers(0, 1 << bits, (4, held, 16), np.uint64)  # of the groups of 16 lanes
    rows = matrix.reshape(64, held)  # what the lanes read, one after another
    pieces = (rows[:, :, None] >> np.arange(bits, dtype=np.uint64) & np.uint64(1)).reshape(64, -1).astype(np.uint8)
    memory = np.zeros((64, 16), np.uint8)
    memory[:, :nbytes] = np.packbits(pieces, axis=1, bitorder="little")
    places = rng.permutation(64).astype(np.uint32) * 16
    lds = np.zeros((64, 16), np.uint8)
    lds[places // 16] = memory
    fill = "ds_write_b128 v1, v[4:7]\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
    name, count = f"ds_read_b{8 * nbytes}_tr_b{bits}", nbytes // 4
    at = np.arange(64, dtype=np.uint32) * 16
    inputs = {"v0": places - 16, "v1": at, "v[4:7]": np.ascontiguousarray(lds.view(np.uint32).T)}
    body = f"{fill}{name} v[10:{9 + count}], v0 offset:16\ns_waitcnt lgkmcnt(0)"
    r = run_program(body, inputs, lds=2048, chip="gfx950")
    got = np.ascontiguousarray(r[f"v[10:{9 + count}]"].T).view(np.uint8)
    codes = np.unpackbits(got, axis=1, bitorder="little").reshape(64, held, bits).astype(np.uint64) << np.arange(
        bits, dtype=np.uint64
    )
    want = matrix.transpose(0, 2, 1).reshape(64, held)
    assert (codes.sum(2) == want).all()
    for inputs, mask, why in (
        ({**inputs, "v0": places - 14}, FULL, "X056.*multiple of"),
        (inputs, FULL - 1, "X021.*switched off"),
    ):
        with pytest.raises(AveError, match=why):
            run_program(body, inputs, lds=2048, chip="gfx950", exec_mask=mask)


@pytest.mark.parametrize("f", ["b32", "b128", "u8"])
def test_reads_far_outside_by_all_lanes_at_one_address_are_zeros(f):
    """So AMD's kernels clear accumulators; all else that is outside stops the wave."""
    n = words(LDS_LOADS[f])
    text = f"ds_read_{f} {registers(8, n)}, v2 offset:16"
    at = np.full(LANES, 0xF00000, np.uint32)
    got = run_program(
        text, {"v2": at, registers(8, n): np.full((n, LANES), 0xFFFFFFFF, np.uint32)}, lds=64, exec_mask=MASKS["some"]
    )
    active = np.array([MASKS["some"] >> k & 1 for k in range(LANES)], bool)
    for k in range(n):
        have = got[f"v{8 + k}"]
        assert not have[active].any() and (have[~active] == 0xFFFFFFFF).all()
    for bad in (np.where(np.arange(LANES) == 5, 0xF00004, at), np.full(LANES, -32), np.full(LANES, 64)):
        with pytest.raises(AveError, match="X023"):
            run_program(text, {"v2": bad.astype(np.uint32)}, lds=64)
    with pytest.raises(AveError, match="X023"):
        run_program("ds_write_b32 v2, v8", {"v2": at}, lds=64)
