"""Buffer loads and stores against a model of the resource and its checks, written from the manual (MI300 ISA, section
9.1.5)."""

import dataclasses

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.isa.amdgpu import buffer as rows
from avelang.sim.amdgcn.memory_buffer import FORMATS, TABLE, TO_LDS
from sim.amdgcn import memory_model as model
from sim.amdgcn.memory_model import FULL, LANES, MASKS, region, registers, words
from sim.amdgcn.programs import assemble, run_program, start

ROOM = 8192
LOADS, STORES = [*model.LOADS], [*model.STORES]


def test_each_instruction_has_a_case():
    names = {f"buffer_load_{f}" for f in LOADS} | {f"buffer_store_{f}" for f in STORES}
    names |= {f"{b}_{k}_{f}" for b in ("buffer", "tbuffer") for k in ("load", "store") for f in FORMATS}
    assert set(TABLE) == names | {"buffer_load_format_d16_hi_x", "buffer_store_format_d16_hi_x"}


@dataclasses.dataclass
class Resource:
    """The four words of a resource."""

    base: int
    records: int
    stride: int = 0
    swizzle: bool = False
    add_tid: bool = False
    index_stride: int = 0  # 8 << this
    format: int = 4

    @property
    def word(self) -> int:
        low = self.base | (self.stride & 0x3FFF) << 48 | self.swizzle << 63
        third = self.format << 15 | self.index_stride << 21 | self.add_tid << 23
        return low | self.records << 64 | third << 96


def place(r: Resource, lane: int, index: int | None, offset: int, constant: int, scalar: int) -> tuple[int, int]:
    """A lane's address, and how many bytes from there on are in range: what ends behind them is out of it, each dword
    for itself."""
    off, n = (offset + constant) % (1 << 32), (index or 0) + (lane if r.add_tid else 0)
    stride = r.stride | (r.format << 14 if r.add_tid else 0)
    if r.swizzle:
        step = 8 << r.index_stride
        at = (n // step * stride + off // 4 * 4) * step + n % step * 4 + off % 4
    else:
        at = off + n * stride
    if r.add_tid:
        room = 1 << 40
    elif not r.format:  # unbound
        room = 0
    elif index is not None and stride:
        room = 1 << 40 if index < r.records else 0
    else:
        room = r.records - scalar - off
    return r.base + scalar + at, room


class Buffer:
    """Machines that load or store all formats with one form of address: v2 is the index, v3 the offset. Stores have
    memory of their own each."""

    FORMS = {"": "off", "offen": "v3", "idxen": "v2", "idxen offen": "v[2:3]"}

    def __init__(self, form: str, constant: int = 4):
        self.form, self.constant, first = form, constant, 16
        tail = f"s8 {form} offset:{constant}"
        self.data: dict[str, str] = {}
        for f in [*LOADS, *(f for f in STORES if f not in LOADS)]:
            self.data[f] = registers(first, words(f))
            first += words(f)
        self.own = {f: f"s[{12 + 4 * k}:{15 + 4 * k}]" for k, f in enumerate(STORES)}
        self.loads = assemble(
            "\n".join(f"buffer_load_{f} {self.data[f]}, {self.FORMS[form]}, s[4:7], {tail}" for f in LOADS)
        )
        self.stores = assemble(
            "\n".join(f"buffer_store_{f} {self.data[f]}, {self.FORMS[form]}, {r}, {tail}" for f, r in self.own.items())
        )

    def places(self, r: Resource, index: np.ndarray, offset: np.ndarray, scalar: int) -> list[tuple[int, int]]:
        return [
            place(
                r,
                n,
                int(index[n]) if "idxen" in self.form else None,
                int(offset[n]) if "offen" in self.form else 0,
                self.constant,
                scalar,
            )
            for n in range(LANES)
        ]

    def check_loads(
        self, r: Resource, memory: np.ndarray, index: np.ndarray, offset: np.ndarray, scalar: int, mask: int
    ) -> None:
        given = {"v2": index.astype(np.uint32), "v3": offset.astype(np.uint32), "s[4:7]": r.word, "s8": scalar}
        got = start(self.loads, given, exec_mask=mask, regions=(region(memory),))
        for f in LOADS:
            want = np.full((words(f), LANES), model.UNTOUCHED, np.uint32)
            for n, (at, room) in enumerate(self.places(r, index, offset, scalar)):
                if mask >> n & 1:
                    start_, size = at - memory.ctypes.data, model.nbytes(f)
                    value = [0] * words(f)
                    for k in range(words(f)):
                        if room >= 4 * k + min(size, 4):
                            value[k] = model.load(memory, start_ + 4 * k, "dword" if size >= 4 else f)[0]
                    want[:, n] = value
            assert (got[self.data[f]] == (want if words(f) > 1 else want[0])).all(), (f, r)

    def check_stores(
        self, r: Resource, memory: np.ndarray, index: np.ndarray, offset: np.ndarray, scalar: int, mask: int
    ) -> None:
        rng = np.random.default_rng(9)
        have = np.tile(memory, (len(STORES), 1))
        want, given = have.copy(), {"v2": index.astype(np.uint32), "v3": offset.astype(np.uint32), "s8": scalar}
        for k, f in enumerate(STORES):
            mine = dataclasses.replace(r, base=have[k].ctypes.data)
            given[self.own[f]], given[self.data[f]] = mine.word, (data := model.random_words(rng, words(f), LANES))
            for n, (at, room) in enumerate(self.places(mine, index, offset, scalar)):
                for j in range(words(f)):
                    if mask >> n & 1 and room >= 4 * j + min(model.nbytes(f), 4):
                        where = np.array([at - mine.base + 4 * j])
                        model.store(want[k], where, "dword" if f in model.BYTES else f, data[j : j + 1, n : n + 1], 1)
        start(self.stores, given, exec_mask=mask, regions=(region(have),))
        for k, f in enumerate(STORES):
            assert (have[k] == want[k]).all(), (f, r)


@pytest.fixture(scope="module")
def memory() -> np.ndarray:
    return model.random_bytes(np.random.default_rng(0), ROOM)


@pytest.fixture(scope="module", params=Buffer.FORMS)
def buffer(request) -> Buffer:
    return Buffer(request.param)


def resources(form: str, base: int) -> list[Resource]:
    """Kinds of resources that the manual describes for a form of address."""
    if "idxen" in form:
        return [
            Resource(base, 40, 16), Resource(base, 1 << 30, 12), Resource(base, 100, 0), Resource(base, 0, 16),
            Resource(base, 64, 16, format=0),
        ]  # fmt: skip
    return [Resource(base, r) for r in (0, 4, 260, 262, 1 << 31)] + [
        Resource(base, 5, 16, add_tid=True, format=0),
        Resource(base, 256, 16),
    ]


@pytest.mark.parametrize("mask", ["all", "some"])
def test_loads(buffer, memory, mask):
    index, offset = np.random.default_rng(1).permutation(LANES), np.arange(LANES)[::-1] * 4
    for r in resources(buffer.form, memory.ctypes.data):
        buffer.check_loads(r, memory, index, offset, 36, MASKS[mask])


@pytest.mark.parametrize("mask", ["all", "even"])
def test_stores(buffer, memory, mask):
    index, offset = np.random.default_rng(2).permutation(LANES), np.arange(LANES) * 16
    for r in resources(buffer.form, 0):
        buffer.check_stores(r, memory, index, offset, 36, MASKS[mask])


@pytest.fixture(scope="module")
def straddling() -> Buffer:
    return Buffer("offen", constant=8)


@pytest.mark.parametrize("records", [0, 2, *range(8, 32, 4), 50, 60, 61, 63, 64, 66])
def test_every_straddle(memory, records, straddling):
    """Accesses of 16 bytes begin at each 4th byte around the end; what starts within the range is in it."""
    offset = np.arange(LANES) * 4 % 96
    r = Resource(memory.ctypes.data + 512, records)
    straddling.check_loads(r, memory, offset, offset, 0, FULL)
    straddling.check_stores(r, memory, offset, np.arange(LANES) * 4, 0, FULL)


@pytest.mark.parametrize("form", ["idxen offen", "offen"])
@pytest.mark.parametrize("index_stride", range(4))
def test_swizzled(form, index_stride, memory):
    """Elements of 4 bytes: word k of a step's records stand side by side."""
    tid = form == "offen"
    r = Resource(memory.ctypes.data, 50, 16, True, tid, index_stride, 0 if tid else 4)
    index, offset = np.random.default_rng(3).permutation(LANES), np.arange(LANES) % 3 * 4
    text = (
        f"buffer_load_dword v16, {Buffer.FORMS[form]}, s[4:7], s8 {form}\n"
        f"buffer_load_sbyte v17, {Buffer.FORMS[form]}, s[4:7], s8 {form} offset:3"
    )
    got = run_program(
        text,
        {"v2": index.astype(np.uint32), "v3": offset.astype(np.uint32), "s[4:7]": r.word, "s8": 64},
        regions=(region(memory),),
    )
    for reg, constant, f in (("v16", 0, "dword"), ("v17", 3, "sbyte")):
        for n in range(LANES):
            at, room = place(r, n, None if tid else int(index[n]), int(offset[n]), constant, 64)
            assert got[reg][n] == (model.load(memory, at - memory.ctypes.data, f)[0] if room > 0 else 0)


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("offen", {"swizzle": True, "stride": 16}),
        ("idxen", {"swizzle": True}),
        ("idxen", {"add_tid": True}),
        ("idxen", {"swizzle": True, "stride": 16}),
    ],
)
def test_kinds_without_a_documented_check_stop_the_wave(form, kind, memory):
    """The last one reads more than an element of a swizzled buffer."""
    r = Resource(memory.ctypes.data, 64, **kind)
    with pytest.raises(AveError, match="X021.*manual does not say what its buffer resource"):
        run_program(
            f"buffer_load_dwordx2 v[8:9], v2, s[4:7], 0 {form}", {"v2": 0, "s[4:7]": r.word}, regions=(region(memory),)
        )
    with pytest.raises(AveError, match="X021.*manual does not say what its buffer resource"):
        run_program(
            "buffer_load_dword v8, v2, s[4:7], 0 offen",
            {"v2": 0, "s[4:7]": r.word | 1 << 126},
            regions=(region(memory),),
        )


def test_scalar_offsets(memory):
    """A register, M0, an integer or the bits of a float; each counts in the check."""
    r = Resource(memory.ctypes.data, 256)
    at = np.arange(LANES) * 4
    text = "\n".join(
        f"buffer_load_dword v{8 + k}, v3, s[4:7], {s} offen" for k, s in enumerate(("s8", "m0", "64", "0"))
    )
    got = run_program(
        text, {"v3": at.astype(np.uint32), "s[4:7]": r.word, "s8": 4096, "m0": 12}, regions=(region(memory),)
    )
    for k, scalar in enumerate((4096, 12, 64, 0)):
        want = np.where(at + scalar + 4 <= 256, model.loaded(memory, at + scalar, "dword", FULL)[0], 0)
        assert (got[f"v{8 + k}"] == want).all()


@pytest.mark.parametrize(
    ("offset", "scalar"),
    [(0xFFFFFFEC, 0), (0xFFFFFFF0, 0xFFFFFFFC), (0x80000000, 0x80000000), (248, 0), (0xFFFFFFF4, 244)],
)
def test_the_offset_of_the_lane_and_the_instruction_s_wrap_and_nothing_else(offset, scalar, memory):
    r = Resource(memory.ctypes.data, 256)
    given = {"v3": offset, "s[4:7]": r.word, "s8": scalar}
    got = run_program("buffer_load_dwordx4 v[8:11], v3, s[4:7], s8 offen offset:16", given, regions=(region(memory),))
    first = (offset + 16) % (1 << 32) + scalar
    for k in range(4):
        at = first + 4 * k
        want = int(memory[at : at + 4].view(np.uint32)[0]) if at + 4 <= 256 else 0
        assert (got[f"v{8 + k}"] == want).all(), k


def test_in_range_but_not_given(memory):
    """num_records promises more than there is."""
    r = Resource(memory.ctypes.data, ROOM + 64)
    at = np.where(np.arange(LANES) == 9, ROOM - 8, 0).astype(np.uint32)
    with pytest.raises(AveError, match=r"X022.*touches 16 bytes.*past the end.*lane 9\)"):
        run_program(
            "buffer_load_dwordx4 v[8:11], v3, s[4:7], 0 offen", {"v3": at, "s[4:7]": r.word}, regions=(region(memory),)
        )
    at[5] = ROOM + 64  # with a lane out of range, dword by dword
    with pytest.raises(AveError, match=r"X022.*touches 4 bytes.*lane 9\)"):
        run_program(
            "buffer_store_dwordx4 v[8:11], v3, s[4:7], 0 offen",
            {"v3": at, "s[4:7]": r.word},
            regions=(region(memory.copy()), region(memory)),
        )


@pytest.mark.parametrize("n", [1, 2, 4])
def test_rows_mean_the_same(n, memory):
    """The reference meaning of al.amdgpu.raw_buffer_load_x1, _x2, _x4."""

    class Wave:
        lanes, active = LANES, np.ones(LANES, bool)

        @staticmethod
        def read(space, address, count, mask):
            at = np.where(mask, address - np.uint64(memory.ctypes.data), 0).astype(np.int64)
            return memory[at[:, None] + np.arange(count)]

    at = (np.random.default_rng(5).integers(0, 40, LANES) * 4).astype(np.int32)
    for limit in range(0, 80, 4):
        r = Resource(memory.ctypes.data, limit)
        rsrc = np.tile(np.frombuffer(r.word.to_bytes(16, "little"), np.int32), (LANES, 1))
        want = rows.load_dwords(Wave, rsrc, rows.offset_of(at, np.zeros(LANES, np.int32)), n)
        got = start(ROWS[n], {"v3": at.view(np.uint32), "s[4:7]": r.word}, regions=(region(memory),))
        assert (np.atleast_2d(got[registers(8, n)]) == want.view(np.uint32).T).all()


ROWS = {
    n: assemble(f"buffer_load_dword{'' if n == 1 else f'x{n}'} {registers(8, n)}, v3, s[4:7], 0 offen")
    for n in (1, 2, 4)
}


@pytest.mark.parametrize("f", TO_LDS)
def test_direct_to_lds(f, memory):
    """M0 + offset + 4 bytes a lane, 16 where there are more; zeros for what is out of range; inactive lanes leave LDS
    alone."""
    name = {
        "u8": "ubyte",
        "i8": "sbyte",
        "u16": "ushort",
        "i16": "sshort",
        "b32": "dword",
        "b96": "dwordx3",
        "b128": "dwordx4",
    }[f]
    size, step, mask = words(name), 4 if words(name) == 1 else 16, MASKS["some"]
    machine = assemble(
        "s_mov_b64 exec, -1\nds_write_b128 v5, v[8:11]\nds_write_b128 v5, v[8:11] offset:1024\ns_mov_b64 exec, "
        "s[10:11]\n"
        f"buffer_load_{name} v3, s[4:7], s8 offen offset:8 lds\ns_mov_b64 exec, -1\nds_read_b128 v[12:15], "
        f"v5\nds_read_b128 v[16:19], v5 offset:1024",
        lds=2048, chip="gfx950",
    )  # fmt: skip
    r = Resource(memory.ctypes.data, 150)
    offset = np.random.default_rng(6).integers(0, 40, LANES) * 4
    given = {
        "v3": offset.astype(np.uint32),
        "v5": np.arange(LANES, dtype=np.uint32) * 16,
        "v[8:11]": np.full((4, LANES), 0x5A5A5A5A, np.uint32),
    }
    got = start(
        machine, {**given, "s[4:7]": r.word, "s8": 32, "s[10:11]": mask, "m0": 0xFFFC0020}, regions=(region(memory),)
    )
    want, least = np.full(2048, 0x5A, np.uint8), {"u8": 1, "i8": 1, "u16": 2, "i16": 2}.get(f, 4)
    for n in model.lanes_of(mask):
        at, room = place(r, n, None, int(offset[n]), 8, 32)
        at -= memory.ctypes.data
        value = [
            model.load(memory, at + 4 * k, name if size == 1 else "dword")[0] if room >= 4 * k + least else 0
            for k in range(size)
        ]
        want[0x28 + step * n :][: 4 * size] = np.array(value, np.uint32).view(np.uint8)
    have = np.concatenate([got[x].T.reshape(-1) for x in ("v[12:15]", "v[16:19]")])
    assert (np.ascontiguousarray(have).view(np.uint8) == want).all()


def test_direct_to_lds_beyond_its_end(memory):
    r = Resource(memory.ctypes.data, ROOM)
    with pytest.raises(AveError, match=r"X023.*LDS at 256, the workgroup has 256.*lane 60\)"):
        run_program(
            "buffer_load_dword off, s[4:7], 0 lds", {"s[4:7]": r.word, "m0": 16}, lds=256, regions=(region(memory),)
        )


@pytest.mark.parametrize("text", ["buffer_load_format_x v8, v3, s[4:7], 0 offen", "buffer_load_dword v8, v3, s[4:7], 0",
    "buffer_load_dword v8, v3, s[4:5], 0 offen",
                                  "buffer_load_dword v8, v3, s[4:7], 0 idxen offen",
                                  "buffer_load_dwordx2 v3, s[4:7], 0 offen lds",
                                  "tbuffer_load_format_x v8, v3, s[4:7], 0 "
                                  "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen"])  # fmt: skip
def test_what_is_not_executed(text):
    with pytest.raises(AveError, match="X021"):
        run_program(text)
