"""Seeds in AMD assembly: the tables of the executor's own tests, each wrong program beside a right one, on gfx942 and gfx950."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from avelang.sim.amdgcn.machine import DispatchParams
from avelang.sim.amdgcn.state import SHARED_BASE
from checks.seeds import Column, Seed
from sim.amdgcn import test_check, test_check_global, test_check_lanes, test_check_lds
from sim.amdgcn.programs import assemble, start

# What a word of AVE_CHECK is among the executor's own: waits and hazards go together there.
WORDS = {"": False, "waits": "waits,hazards", "races": "races", "init": "init", "uniform": "uniform", "all": "all"}
_GROUPS = ".amdhsa_user_sgpr_count 20\n.amdhsa_system_sgpr_workgroup_id_x 1"
Go = Callable[[str, Any, str], None]


def _lines(*parts: str) -> str:
    return "\n".join(x.strip() for x in ";".join(parts).replace("\n", ";").split(";"))


def _resource(a: np.ndarray) -> int:
    return a.ctypes.data | (a.nbytes << 64) | (0x20000 << 96)


def one_wave(body: str, check: Any, chip: str) -> None:
    """v4, v[2:3], v[10:11]: a dword for each lane, of LDS, of memory, and of LDS as flat addresses; s[2:3], s[8:11]: the memory, and as a buffer; v5,
    v8 and v9: the lane, and a dword and a value for each pair of lanes."""
    x, lane = np.zeros(4096, np.uint32), np.arange(64, dtype=np.uint32)
    full = np.uint64(x.ctypes.data) + 4 * lane.astype(np.uint64)
    inputs: dict[str, Any] = {
        "s[2:3]": x.ctypes.data, "s[8:11]": _resource(x), "v4": 4 * lane, "v5": lane, "v8": 4 * (lane // 2), "v9": lane // 2,
        "v[2:3]": np.stack([full & 0xFFFFFFFF, full >> np.uint64(32)]).astype(np.uint32),
        "v[10:11]": np.stack([4 * lane, np.full(64, SHARED_BASE >> 32, np.uint32)]),
    }  # fmt: skip
    start(assemble(_lines(body), chip=chip, lds=2048, check=check), inputs, regions=((x.ctypes.data, x.ctypes.data + x.nbytes),))


def two_waves(body: str, check: Any, chip: str) -> None:
    """As the tests of LDS have it: v4, v5: a dword, and that of the other wave."""
    x = np.zeros(256, np.uint32)
    machine = assemble(_lines(test_check_lds.HEAD, body), chip=chip, lds=2048, check=check)
    scalars = {8 + k: _resource(x) >> 32 * k & 0xFFFFFFFF for k in range(4)}
    machine.launch(DispatchParams((2, 1, 1), (128, 1, 1), b"", [(x.ctypes.data, x.ctypes.data + x.nbytes)], scalars=scalars))


def two_groups(body: str, check: Any, chip: str) -> None:
    """As the tests of global memory have it: own, mate's and the other workgroup's elements."""
    x, count = np.zeros(1024, np.uint32), np.zeros(16, np.uint32)
    machine = assemble(_lines(test_check_global.HEAD, body), chip=chip, lds=2048, check=check, directives=_GROUPS)
    given = [(a.ctypes.data, a.ctypes.data + a.nbytes) for a in (x, count)]
    scalars = {2 * n + 2 + k: at >> 32 * k & 0xFFFFFFFF for n, (at, _) in enumerate(given) for k in range(2)}
    scalars |= {8 + k: _resource(x) >> 32 * k & 0xFFFFFFFF for k in range(4)}
    machine.launch(DispatchParams((2, 1, 1), (128, 1, 1), b"", given, scalars=scalars, names=["x", "count"]))


def _seed(name: str, go: Go, wrong: str, right: str, kind: str = "") -> Seed:
    def run(column: Column, bug: bool) -> str | None:
        engine, word = column
        if not engine.startswith("gfx") or word not in WORDS:
            return None
        go(wrong if bug else right, WORDS[word], engine.partition("-")[0])
        return ""

    return Seed(name, "asm", run, kind)


# By table: the wrong program and the right one, by their names there.
_LOADS = {
    "vector load": "vector load waited for", "the second of three": "the first of three", "overwritten": "overwritten by a load of the same kind",
    "one of a wide load": "beside a wide load", "accumulation registers": "the same number in the other file", "stores count too": "stores count",
    "returned by an atomic": "nothing returned", "scalar load": "scalar load waited for", "the last LDS read": "LDS reads come in order",
    "the wrong counter": "vector load waited for", "flat load of LDS needs both": "flat load of LDS waited for",
    "flat loads come in no order": "flat load waited for", "scalar loads come in no order": "scalar load waited for",
}  # fmt: skip
_LDS = {
    "no barrier": "ordered", "not waited for": "ordered", "overwritten": "overwritten behind a barrier",
    "read, not waited for, overwritten": "overwritten behind a barrier", "both write": "both add", "add and read": "ordered",
}  # fmt: skip
_DIRECT = {"own, not waited for": "own, waited for", "own, the wrong counter": "own, waited for", "other's, not waited for": "other's, ordered",
           "other's, no barrier": "other's, ordered", "over an own read": "over an own read that has come"}  # fmt: skip
_GLOBAL = {
    "a mate's, no barrier": "a mate's, ordered", "a mate's, not waited for": "a mate's, ordered",
    "read, no barrier, the mate writes": "read, then the mate writes", "another workgroup's, written": "own elements",
    "load, add, store": "all add", "all add, one reads": "all add, one reads with sc1", "released, no write-back": "released and acquired",
    "released, not waited for": "released and acquired", "acquired, no invalidate": "released and acquired",
    "the ticket is not looked at": "released and acquired", "by a buffer, both": "by a buffer",
    "one wave for all, no barrier before": "one wave for all",
}  # fmt: skip
_LANES = {"LDS": "the same value", "memory": "the same value", "the two ends": "a place for each"}
_FILLED = "ds_write_b32 v4, v9; s_waitcnt lgkmcnt(0); "
_WRITE = "ds_write_b32 v4, v5; s_waitcnt lgkmcnt(0); "
# Name: the wrong program, the right one, the sort of bug.
OTHERS: dict[str, tuple[str, str, str]] = {
    "a wait state before readfirstlane": ("v_mov_b32 v5, v4; v_readfirstlane_b32 s4, v5", "v_mov_b32 v5, v4; s_nop 0; v_readfirstlane_b32 s4, v5", ""),
    "LDS that nothing wrote": (_WRITE + "ds_read_b32 v6, v4 offset:256", _WRITE + "ds_read_b32 v6, v4", ""),
    "LDS that is not there": (_WRITE + "ds_read_b32 v6, v4 offset:4096", _WRITE + "ds_read_b32 v6, v4", ""),
    "one array's length past its start": ("global_load_dword v6, v4, s[2:3] offset:-4", "global_load_dword v6, v4, s[2:3] offset:4", ""),
    "a store below an array": ("global_store_dword v4, v5, s[2:3] offset:-256", "global_store_dword v4, v5, s[2:3] offset:256", ""),
    "a null pointer": ("s_mov_b64 s[4:5], 0; s_load_dword s6, s[4:5], 0x0", "s_mov_b64 s[4:5], s[2:3]; s_load_dword s6, s[4:5], 0x0", ""),
    "a shuffle from lanes that are off": (
        "v_xor_b32 v6, 0x80, v4; s_mov_b64 exec, 0xffffffff; s_nop 1; ds_bpermute_b32 v7, v6, v5",
        "v_xor_b32 v6, 0x80, v4; ds_bpermute_b32 v7, v6, v5", ""),
}  # fmt: skip


def seeds() -> list[Seed]:
    lds, memory, lanes = test_check_lds.CASES, test_check_global.CASES, test_check_lanes.CASES
    found = [_seed(f"in flight: {a}", one_wave, *(_FILLED + test_check.CASES[x][0] for x in (a, b))) for a, b in _LOADS.items()]
    found += [_seed(f"LDS: {a}", two_waves, lds[a][0], lds[b][0]) for a, b in _LDS.items()]
    found += [_seed(f"loads to LDS: {a}", two_waves, *(test_check_lds.WRITE + test_check_lds.WAIT + test_check_lds.DIRECT[x][0] for x in (a, b)))
              for a, b in _DIRECT.items()]  # fmt: skip
    found += [_seed(f"memory: {a}", two_groups, memory[a][0], memory[b][0]) for a, b in _GLOBAL.items()]
    found += [_seed(f"lanes: {a}", one_wave, lanes[a][0], lanes[b][0]) for a, b in _LANES.items()]
    return found + [_seed(name, one_wave, *texts) for name, texts in OTHERS.items()]
