"""Small programs for tests of the executor: instructions and registers come in, the registers at the end go out."""

from __future__ import annotations

import dataclasses

import numpy as np

from avelang.amdgcn.asm import EXEC, parse, register
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams, DispatchResult

HEAD = """
	.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
	.amdhsa_kernel test
		.amdhsa_group_segment_fixed_size {lds}
		{directives}
	.end_amdhsa_kernel
	.text
test:
"""
LANES = 64


@dataclasses.dataclass
class Registers:
    """What registers hold: `r["v3"]` uint32 (64,), `r["v[2:3]"]` uint32 (2, 64), `r["s4"]`, `r["vcc"]` ints; of wave
    `wave`."""

    run: DispatchResult
    wave: int = 0

    def __getitem__(self, name: str) -> np.ndarray | int:
        reg = register(name)
        assert reg is not None, name
        if reg.file == "s":
            return sum(int(self.run.scalars[self.wave, reg.first + k]) << 32 * k for k in range(reg.count))
        first = reg.first + (256 if reg.file == "a" else 0)
        found = self.run.vectors[self.wave, first : first + reg.count]
        return found[0] if reg.count == 1 else found


def assemble(
    body: str, *, chip: str = "gfx942", lds: int = 0, directives: str = ".amdhsa_float_denorm_mode_32 3",
    **options: object,
) -> AmdMachine:  # fmt: skip
    """A machine for some instructions (s_endpgm is added), to be run more than once. Denormals are kept unless
    `directives` of the descriptor say otherwise. `options` go to `AmdMachine`."""
    text = HEAD.format(chip=chip, lds=lds, directives=directives) + body + "\n\ts_endpgm\n"
    return AmdMachine(parse(text, "test program"), **options)  # type: ignore[arg-type]


def start(machine: AmdMachine, inputs: dict[str, np.ndarray | int] | None = None, *, exec_mask: int = (1 << 64) - 1,
          regions: tuple[tuple[int, int], ...] = (), block: int = 64, groups: int = 1,
          threads: int = 1) -> Registers:  # fmt: skip
    """Runs a machine in workgroups of `block` work-items, whose waves all begin with the same registers.

    `inputs`: 32-bit patterns by register: (64,) for "v3", (n, 64) for "v[2:5]" or "a[0:3]", ints for "s4", "s[2:3]",
    "vcc", "m0", "scc". Registers that are not given hold 0xDEADBEEF.
    """
    vectors = np.full((512, LANES), 0xDEADBEEF, np.uint32)
    scalars: dict[int, int] = {EXEC: exec_mask & 0xFFFFFFFF, EXEC + 1: exec_mask >> 32}
    for name, value in (inputs or {}).items():
        reg = register(name)
        assert reg is not None, name
        if reg.file == "s":
            scalars.update({reg.first + k: int(value) >> 32 * k & 0xFFFFFFFF for k in range(reg.count)})
        else:
            first = reg.first + (256 if reg.file == "a" else 0)
            vectors[first : first + reg.count] = (
                np.asarray(value).view(np.uint32) if isinstance(value, np.ndarray) else value
            )
    given = np.broadcast_to(vectors, (-(-block // LANES), 512, LANES))
    return Registers(
        machine.launch(
            DispatchParams((groups, 1, 1), (block, 1, 1), b"", list(regions), vectors=given, scalars=scalars), threads
        )
    )


def run_program(body: str, inputs: dict[str, np.ndarray | int] | None = None, *, chip: str = "gfx942",
    exec_mask: int = (1 << 64) - 1,
                lds: int = 0, directives: str = ".amdhsa_float_denorm_mode_32 3",
                regions: tuple[tuple[int, int], ...] = (), block: int = 64,
                **options: object) -> Registers:  # fmt: skip
    """Assembles instructions and runs them once: see `assemble` and `start`."""
    machine = assemble(body, chip=chip, lds=lds, directives=directives, **options)
    return start(machine, inputs, exec_mask=exec_mask, regions=regions, block=block)
