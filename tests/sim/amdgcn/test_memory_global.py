"""Global, flat and scratch loads and stores, and global loads to LDS, against a model lane by lane."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.memory_global import LOADS, STORES, TABLE, TO_LDS
from avelang.sim.amdgcn.state import PRIVATE_BASE, SHARED_BASE
from sim.amdgcn import memory_model as model
from sim.amdgcn.memory_model import FULL, LANES, MASKS, loaded, pair, region, registers, words
from sim.amdgcn.programs import assemble, run_program, start

ROOM = 4096
FORMS = {"vaddr": ("v[2:3]", "off"), "saddr": ("v4", "s[2:3]")}


def test_each_instruction_has_a_case():
    assert set(LOADS) == set(model.LOADS)
    assert set(STORES) == set(model.STORES)
    names = {f"{s}_load_{f}" for s in ("global", "flat", "scratch") for f in model.LOADS}
    names |= {f"{s}_store_{f}" for s in ("global", "flat", "scratch") for f in model.STORES}
    names |= {f"global_load_lds_{f}" for f in TO_LDS} | {f"scratch_load_lds_{f}" for f in TO_LDS[:5]}
    assert set(TABLE) == names


def numbered(formats: list[str], first: int = 16) -> dict[str, tuple[int, str]]:
    """The first register and the operand of each format's data, one behind another."""
    out = {}
    for name in formats:
        out[name] = (first, registers(first, words(name)))
        first += words(name)
    return out


def inputs_of(offsets: np.ndarray, base: int) -> dict[str, np.ndarray | int]:
    return {"v[2:3]": pair(offsets + base), "v4": offsets.astype(np.uint32), "s[2:3]": base}


@pytest.mark.parametrize("form", [*FORMS, "flat"])
def test_loads(form):
    data, offset = numbered(model.LOADS), 0 if form == "flat" else -8
    vaddr, saddr = FORMS.get(form, ("v[2:3]", ""))
    kind, tail = ("flat", "") if form == "flat" else ("global", f", {saddr} offset:{offset}")
    machine = assemble("\n".join(f"{kind}_load_{f} {data[f][1]}, {vaddr}{tail}" for f in model.LOADS))
    rng = np.random.default_rng(1)
    memory = model.random_bytes(rng, ROOM)
    for what, at in model.patterns(rng, ROOM).items():
        for mask in MASKS.values() if what == "anywhere" else (FULL,):
            got = start(machine, inputs_of(at - offset, memory.ctypes.data), exec_mask=mask, regions=(region(memory),))
            for f in model.LOADS:
                want = loaded(memory, at, f, mask)
                assert (got[data[f][1]] == (want if words(f) > 1 else want[0])).all(), (f, what, hex(mask))


@pytest.mark.parametrize("form", [*FORMS, "flat"])
def test_stores(form):
    """Each format has memory of its own, so that each is seen for itself."""
    data = numbered(model.STORES, 40)
    places = {
        f: ("v4", f"s[{8 + 2 * k}:{9 + 2 * k}]") if form == "saddr" else (f"v[{8 + 2 * k}:{9 + 2 * k}]", "off")
        for k, f in enumerate(model.STORES)
    }
    kind, tail = ("flat", 1) if form == "flat" else ("global", 2)
    machine = assemble(
        "\n".join(
            f"{kind}_store_{f} {', '.join([places[f][0], data[f][1], places[f][1]][: tail + 1])}" for f in model.STORES
        )
    )
    rng = np.random.default_rng(2)
    for what, at in model.patterns(rng, ROOM).items():
        for mask in MASKS.values() if what == "anywhere" else (FULL,):
            memory = model.random_bytes(rng, ROOM * len(data)).reshape(len(data), ROOM)
            want, given = memory.copy(), {"v4": at.astype(np.uint32)}
            for k, f in enumerate(model.STORES):
                given[data[f][1]] = values = model.random_words(rng, words(f), LANES)
                given[places[f][form == "saddr"]] = (
                    memory[k].ctypes.data if form == "saddr" else pair(at + memory[k].ctypes.data)
                )
                model.store(want[k], at, f, values, mask)
            start(machine, given, exec_mask=mask, regions=(region(memory),))
            for k, f in enumerate(model.STORES):
                assert (memory[k] == want[k]).all(), (f, what, hex(mask))


def test_accumulation_registers_and_a_destination_that_holds_the_address():
    memory = model.random_bytes(np.random.default_rng(3), ROOM)
    at = np.arange(LANES) * 32
    got = run_program("global_load_dwordx4 a[4:7], v[2:3], off\nglobal_store_dwordx4 v[2:3], a[4:7], off offset:16\n"
                      "global_load_dwordx4 v[0:3], v[2:3], off",
                      inputs_of(at, memory.ctypes.data), regions=(region(memory),))  # fmt: skip
    assert (got["a[4:7]"] == loaded(memory, at, "dwordx4", FULL)).all()
    assert (got["v[0:3]"] == got["a[4:7]"]).all()
    assert (memory.reshape(-1, 32)[:LANES, :16] == memory.reshape(-1, 32)[:LANES, 16:]).all()


@pytest.mark.parametrize(
    ("operands", "offset"),
    [("v2, off", 0), ("v2, off offset:8", 8), ("off, s4 offset:4", None), ("v2, s4 offset:-8", 12)],
)
def test_scratch(operands, offset):
    """A lane's stack: all formats are read back from 16 dwords of its own."""
    rng = np.random.default_rng(4)
    data, own = numbered(model.LOADS, 40), model.random_words(rng, 20, LANES)
    fill = "\n".join(f"scratch_store_dwordx4 off, v[{8 + 4 * k}:{11 + 4 * k}], off offset:{16 * k}" for k in range(5))
    narrow = "\n".join(
        f"scratch_store_{f} {operands.split(',')[0]}, v{100 + k}, {operands.split(',')[1]}"
        for k, f in enumerate(model.STORES)
        if words(f) == 1
    )
    machine = assemble(
        fill + "\n" + narrow + "\n" + "\n".join(f"scratch_load_{f} {data[f][1]}, {operands}" for f in model.LOADS),
        directives=".amdhsa_private_segment_fixed_size 80",
    )  # fmt: skip
    at = np.full(LANES, 24) if offset is None else rng.integers(0, 12, LANES) * 4 + offset
    given = {
        "v2": (at - (offset or 0)).astype(np.uint32), "s4": 20, "v[8:27]": own,
        "v[100:111]": model.random_words(rng, 12, LANES),
    }  # fmt: skip
    for mask in (FULL, MASKS["even"]):
        got = start(machine, given, exec_mask=mask)
        stacks = [own[:, n].copy().view(np.uint8) for n in range(LANES)]
        for k, f in enumerate(model.STORES):
            if words(f) == 1:
                for n in model.lanes_of(mask):
                    model.store(stacks[n], at[n : n + 1], f, given["v[100:111]"][k : k + 1, n : n + 1], 1)
        for f in model.LOADS:
            want = np.full((words(f), LANES), model.UNTOUCHED, np.uint32)
            for n in model.lanes_of(mask):
                want[:, n] = model.load(stacks[n], int(at[n]), f)
            assert (got[data[f][1]] == (want if words(f) > 1 else want[0])).all(), f


def test_wide_scratch_stores():
    rng = np.random.default_rng(14)
    own = model.random_words(rng, 10, LANES)
    got = run_program(
        "scratch_store_dword v2, v8, off\nscratch_store_dwordx2 v2, v[9:10], off offset:4\nscratch_store_dwordx3 v2, "
        "v[11:13], off offset:12\n"
        "scratch_store_dwordx4 v2, v[14:17], off offset:24\n" + "\n".join(f"scratch_load_dword v{20 + k}, v2, off "
            f"offset:{4 * k}" for k in range(10)),
        {"v2": (np.arange(LANES) % 3 * 4).astype(np.uint32), "v[8:17]": own},
        directives=".amdhsa_private_segment_fixed_size 64",
    )  # fmt: skip
    assert (got["v[20:29]"] == own).all()


def test_flat_addresses_of_three_kinds_in_one_instruction():
    """Lanes take turns between memory, LDS and their stacks."""
    rng = np.random.default_rng(5)
    memory, lds, own = (
        model.random_bytes(rng, 1024),
        model.random_words(rng, 4, LANES),
        model.random_words(rng, 4, LANES),
    )
    machine = assemble(
        "ds_write_b128 v5, v[8:11]\nscratch_store_dwordx4 off, v[12:15], off\nflat_load_dwordx3 v[20:22], v[2:3] "
        "offset:4\n"
        "flat_store_dword v[2:3], v23\nds_read_b128 v[24:27], v5\nscratch_load_dwordx4 v[28:31], off, off",
        lds=1024, directives=".amdhsa_private_segment_fixed_size 16",
    )  # fmt: skip
    kind, k = np.arange(LANES) % 3, np.arange(LANES)
    base = np.select(
        [kind == 0, kind == 1], [memory.ctypes.data + 16 * k, SHARED_BASE + 16 * k], np.full(LANES, PRIVATE_BASE)
    )
    new = model.random_words(rng, LANES)
    given = {"v[2:3]": pair(base), "v5": (16 * k).astype(np.uint32), "v[8:11]": lds, "v[12:15]": own, "v23": new}
    before = memory.copy().view(np.uint32).reshape(LANES, 4).T
    got = start(machine, given, regions=(region(memory),))
    held = np.select([kind == 0, kind == 1], [before, lds], own)
    assert (got["v[20:22]"] == held[1:]).all()
    for mine, after, which in (
        (before, memory.view(np.uint32).reshape(LANES, 4).T, 0),
        (lds, got["v[24:27]"], 1),
        (own, got["v[28:31]"], 2),
    ):
        want = mine.copy()
        want[0] = np.where(kind == which, new, want[0])
        assert (after == want).all()


@pytest.mark.parametrize("name", TO_LDS)
def test_global_loads_to_lds(name):
    """M0 + offset + 4 bytes a lane, 16 where there are more; dwordx3 leaves each fourth dword as it is."""
    rng = np.random.default_rng(6)
    size, step = words(name), 4 if words(name) == 1 else 16
    machine = assemble(
        f"s_mov_b64 exec, -1\nds_write_b128 v5, v[8:11]\nds_write_b128 v5, v[8:11] offset:1024\ns_mov_b64 exec, "
        f"s[4:5]\n"
        f"global_load_lds_{name} v4, s[2:3] offset:16\ns_mov_b64 exec, -1\nds_read_b128 v[12:15], v5\nds_read_b128 "
        f"v[16:19], v5 offset:1024",
        lds=2048, chip="gfx950",
    )  # fmt: skip
    memory, at, mask = model.random_bytes(rng, ROOM), model.patterns(rng, ROOM)["anywhere"], MASKS["some"]
    given = {
        **inputs_of(at - 16, memory.ctypes.data),
        "v5": np.arange(LANES, dtype=np.uint32) * 16,
        "v[8:11]": np.full((4, LANES), 0x5A5A5A5A, np.uint32),
    }
    got = start(machine, {**given, "s[4:5]": mask, "m0": 0x7FFC0041}, regions=(region(memory),))
    want = np.full(2048, 0x5A, np.uint8)
    for n in model.lanes_of(mask):  # the lower half of M0, in whole dwords
        value = np.array(model.load(memory, int(at[n]), name), np.uint32)
        want[0x50 + step * n :][: 4 * size] = value.view(np.uint8)
    have = np.concatenate([got[r].T.reshape(-1) for r in ("v[12:15]", "v[16:19]")])
    assert (np.ascontiguousarray(have).view(np.uint8) == want).all()


@pytest.mark.parametrize("name", TO_LDS[:5])
def test_scratch_loads_to_lds(name):
    own = model.random_words(np.random.default_rng(7), LANES)
    got = run_program(f"scratch_store_dword off, v2, off offset:4\nscratch_load_lds_{name} v5, off offset:4\n"
                      f"ds_read_b32 v3, v4",
                      {"v2": own, "v4": np.arange(LANES, dtype=np.uint32) * 4 + 12, "v5": 0, "m0": 8}, lds=512,
                      directives=".amdhsa_private_segment_fixed_size 8")  # fmt: skip
    assert got["v3"].tolist() == [model.load(own[n : n + 1].view(np.uint8), 0, name)[0] for n in range(LANES)]


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lane", [0, 21, 63])
@pytest.mark.parametrize(
    "text",
    [
        "global_load_dwordx4 v[8:11], v[2:3], off",
        "global_store_dwordx2 v4, v[8:9], s[2:3]",
        "flat_load_ushort v8, v[2:3]",
    ],
)
def test_the_first_lane_outside_is_named(text, lane):
    memory = np.zeros(ROOM, np.uint8)
    at = np.zeros(LANES, np.int64)
    at[lane:] = ROOM - 1
    size = {"dwordx4": 16, "dwordx2": 8, "ushort": 2}[text.split()[0].rpartition("_")[2]]
    with pytest.raises(
        AveError,
        match=rf"X022.*touches {size} bytes at address {memory.ctypes.data + ROOM - 1:#x}.*past the end.*lane {lane}\)",
    ):
        run_program(text, inputs_of(at, memory.ctypes.data), regions=(region(memory),))


def test_what_inactive_lanes_address_does_not_matter():
    memory = model.random_bytes(np.random.default_rng(8), ROOM)
    at = np.where(np.arange(LANES) % 2, -(1 << 40), np.arange(LANES) * 4)
    got = run_program("global_load_dword v8, v[2:3], off\nglobal_store_dword v[2:3], v8, off",
        inputs_of(at, memory.ctypes.data), exec_mask=MASKS["even"],
                      regions=(region(memory),))  # fmt: skip
    assert (got["v8"] == loaded(memory, at, "dword", MASKS["even"])[0]).all()


def test_several_pieces_of_memory():
    """Lanes in different pieces are fine; what lies between the pieces is not."""
    both = np.zeros(3 * ROOM, np.uint8)
    a, b = both[:ROOM], both[2 * ROOM :]
    at = np.where(np.arange(LANES) % 2, 2 * ROOM, 0) + 4 * np.arange(LANES)
    run_program("global_store_dword v[2:3], v4, off", inputs_of(at, both.ctypes.data), regions=(region(a), region(b)))
    assert (both.view(np.uint32)[at // 4] == at).all()
    at[5] = ROOM
    with pytest.raises(AveError, match=r"X022.*lane 5\)"):
        run_program(
            "global_store_dword v[2:3], v4, off", inputs_of(at, both.ctypes.data), regions=(region(a), region(b))
        )


@pytest.mark.parametrize(
    ("address", "code"),
    [(SHARED_BASE + 60, "X022"), (SHARED_BASE + 61, "X023"), (PRIVATE_BASE + 13, "X022"), ((1 << 64) - 2, "X022")],
)
def test_flat_and_scratch_have_ends(address, code):
    """A global access does not reach LDS through its aperture; a flat one does, up to the end."""
    given = {"v[2:3]": pair(np.full(LANES, address, np.uint64))}
    options = {"lds": 64, "directives": ".amdhsa_private_segment_fixed_size 16"}
    if address == SHARED_BASE + 60:
        run_program("flat_load_dword v8, v[2:3]", given, **options)
        with pytest.raises(AveError, match=code):
            run_program("global_load_dword v8, v[2:3], off", given, **options)
    else:
        with pytest.raises(AveError, match=code):
            run_program("flat_load_dword v8, v[2:3]", given, **options)


@pytest.mark.parametrize("offset", [13, -1])
def test_scratch_has_an_end(offset):
    given = {"v2": np.uint32(0) + np.where(np.arange(LANES) == 7, 13 if offset > 0 else 0, 4).astype(np.uint32)}
    text = f"scratch_load_dword v8, v2, off{'' if offset > 0 else ' offset:-1'}"
    with pytest.raises(AveError, match=r"X022.*lane 7\)"):
        run_program(text, given, directives=".amdhsa_private_segment_fixed_size 16")


@pytest.mark.parametrize(
    "text",
    ["global_load_dwordx2 v8, v[2:3], off", "global_load_dword v8, v2, off", "global_load_dword s8, v[2:3], off"],
)
def test_forms_that_cannot_be_stop_the_wave(text):
    with pytest.raises(AveError, match=r"X021.*vector register"):
        run_program(text)
