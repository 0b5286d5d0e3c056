"""Where the state of waves and workgroups stands in memory: offsets in bytes, shared by the translated code and by Python.

A wave: scalar registers by their encoding (`amdgcn.asm.SPECIAL`; SCC is cell 128), a few words of control, then the 512 registers of the unified
vector file, of 64 lanes of 4 bytes each: vector registers, and accumulation registers from the kernel's `accum_offset` on. A workgroup: pointers
and extents, then what a fault left behind.
"""

from __future__ import annotations

LANES = 64
REGISTER = 4 * LANES  # bytes of a vector register
ARCHITECTED, FILE = 256, 512  # vector registers that operands can name as v, and of the whole file
VECTORS = 1024  # where v0 stands; a0 is `accum_offset` registers behind it
FILES = ("v", "a", "x")  # what operands name; "x" stands in no wave (see `indexing`)
WAVE_BYTES = VECTORS + FILE * REGISTER
CELLS = 136  # scalar cells that a new wave is given

# Where LDS and a lane's stack stand among flat addresses, 4 GiB each: the upper words of the bases tell (MI300 ISA, section 10.3). The values
# are those that Linux's driver gives to gfx9 (drivers/gpu/drm/amd/amdkfd/kfd_flat_memory.c); no address of this machine is like them.
SHARED_BASE, PRIVATE_BASE = 1 << 48, 2 << 48

# Of a wave. `pc`: the block to run next; `status`: see below; `count`: instructions so far; `epoch`: barriers passed; `private`: the
# memory of its lanes' stacks; `check`: the checker's records of the wave.
WAVE = {"pc": 640, "status": 644, "count": 648, "index": 656, "epoch": 660, "private": 664, "check": 672}
RUNNING, AT_BARRIER, ENDED = 0, 1, 2

# What a block returns where it does not return the next block's number.
END, BARRIER, FAULT = -1, -2, -3

# Of a workgroup. `regions`: pairs of u64 (start, end) of memory that the kernel may touch; `template`: the scalar registers of a new wave;
# `items`: one vector register for each wave and each of `item_registers` registers; `id_cell`: the cell of the first workgroup id, for the
# dimensions in the mask `id_mask`; `order`: 0 forward, 1 reverse, 2 random from `seed`; `profile`: counters of the instructions, `moved`: of them
# the one that bytes are counted into; `check`: the checker's records of the workgroup; `image`: where address 0 of the code stands (what
# s_getpc_b64 counts from); `last_exec`: EXEC of the last wave when it starts; `skip`: of a mutable program, which wait or barrier does nothing;
# `current`: the wave that runs; `reports`: what the checker found (`check_found`), `collect`: whether the launch goes on behind it; `access`: what
# kind of access to memory comes next, `shadow`, `shadows`: records of memory, and how many pieces; `judge`: whom to ask (`check_global`);
# `linear`: the workgroup's number; `stop`: not 0 where all must end. `fault_...`: code, instruction, lane, wave, address, and what else the code
# means.
GROUP = {
    "lds": 0, "lds_bytes": 8, "waves": 12, "wave_states": 16, "kernarg": 24, "regions": 32, "region_count": 40, "private_bytes": 44,
    "fault_code": 48, "fault_instruction": 52, "fault_lane": 56, "fault_wave": 60, "fault_address": 64, "fault_extra": 72,
    "id": 80, "grid": 92, "order": 104, "seed": 108, "template": 112, "items": 120, "item_registers": 128, "id_cell": 132, "id_mask": 136,
    "profile": 144, "check": 152, "count": 160, "image": 168, "last_exec": 176, "skip": 184, "permutation": 192, "moved": 256,
    "current": 264, "reports": 272, "collect": 280, "access": 288, "shadow": 296, "shadows": 304, "judge": 312, "linear": 320, "stop": 328,
}  # fmt: skip
GROUP_BYTES = 512
MAX_WAVES = 16
