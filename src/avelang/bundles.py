"""Kernels compiled ahead of time: specializations come in, or a run that needs them; a bundle goes out, from which
launches take their code without a compiler.

with avelang.recording() as found:
    gemm(a, b, c)
avelang.build(found, ["cpu"], "kernels.bundle")
...
avelang.load_bundle("kernels.bundle")
avelang.strict()

The runtime is imported when one of these is called: `import avelang` stays cheap."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from avelang.base import knobs
from avelang.base.places import argument_error

if TYPE_CHECKING:
    from avelang.runtime.bundle import Bundle, Specialization
    from avelang.runtime.recording import Recording


def specialization(kernel: Any, block: int | Sequence[int] = 64, constexprs: dict[str, Any] | None = None,
                   chips: Sequence[str] = (), **options: Any) -> Specialization:  # fmt: skip
    """A kernel as it is compiled, for `build`: its block (threads: a number, or up to three), its compile-time values
    by name (those with a default may be left out), and the options of a launch that change code: num_warps,
    waves_per_eu, cluster, target where the CPU runs it, and narrow ("x=4 y=2": arrays that may begin off multiples of
    16 bytes, with the bytes of their elements), which a launch on a GPU says by itself. `chips`: those that it is for,
    instead of the build's.

    Raises L066, a TypeError too, for what is no jit function, for a block that there cannot be, or for another
    option."""
    from avelang.arch.facts import MAX_THREADS
    from avelang.frontend.source import Jitted
    from avelang.runtime.arguments import wanted
    from avelang.runtime.bundle import Specialization
    from avelang.runtime.compile import HINTS

    if not isinstance(kernel, Jitted):
        raise argument_error(f"{kernel!r} is no function decorated with @avelang.jit")
    extents: Any = block if isinstance(block, (tuple, list)) else (block,)
    if not 1 <= len(extents) <= 3 or not all(isinstance(n, int) and n >= 1 for n in extents):
        raise argument_error(f"block must be one to three ints from 1 on, and is {block!r}")
    if math.prod(extents) > MAX_THREADS:
        raise argument_error(f"block has {math.prod(extents)} threads, and may have {MAX_THREADS}")
    for name, value in options.items():
        if name not in (*HINTS, "target"):
            raise argument_error(f"{name!r} is no option that changes code: {', '.join((*HINTS, 'target'))} are")
        if value is not None and (want := wanted(name, value)):
            raise argument_error(f"{name} must be {want}, and is {value!r}")
    return Specialization(kernel, block, constexprs or {}, options, tuple(chips))


def build(specializations: Iterable[Specialization] | Recording, chips: Sequence[str], output: str | os.PathLike[str],
          command: str = "") -> list[str]:  # fmt: skip
    """Compiles specializations for chips ("cpu": this machine's kind of processor; "gfx942", "sm_90a" and their like
    need not be here) and writes them into one file, `output`. Returns a line for each entry: kernel, chip,
    specialization. `command`: what makes the bundle again, for messages.

    Raises what the compiler finds, L006 and L007 for compile-time values, D049 for a kernel that has no key, U101 for a
    chip that is not known, D020 where code for an NVIDIA GPU finds no ptxas."""
    from avelang.runtime import bundle
    from avelang.runtime.recording import Recording

    if isinstance(specializations, Recording):
        specializations = specializations.found
    specs = list(specializations) if isinstance(specializations, Iterable) else [specializations]
    for spec in specs:
        if not isinstance(spec, bundle.Specialization):
            raise argument_error(f"{spec!r} is no avelang.specialization(...), and no recording")
    made = bundle.make(specs, chips, os.fspath(output), command or f"the program that wrote {os.fspath(output)}")
    return [f"{e['kernel']} for {e['chip']}: {e['what']}" for e in made]


def load_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Loads a bundle: launches from here on take their code from it first. Its `records` say what it has.

    Raises D045 for a damaged one, D046 for one of another Ave, Python or system, D047 for code of another processor,
    OSError where the file cannot be read. A launch of a kernel whose text has changed since raises D048."""
    from avelang.runtime import bundle

    found = bundle.load(os.fspath(path))
    # What a first launch would wait for.
    from avelang.runtime import launch, native

    assert launch.Launcher
    native.native()
    return found


def unload_bundle(bundle: Bundle) -> None:
    """Takes a bundle out: launches that are not ready yet look into it no more."""
    from avelang.runtime.bundle import unload

    unload(bundle)


def strict(on: bool = True) -> None:
    """Has launches compile nothing (or, with False, compile again): what no bundle and no cache has raises L067, which
    names the kernel, the specialization and the command that adds it. The same as AVE_STRICT=1."""
    knobs.set_strict(on)


def recording(chip: str | None = None) -> contextlib.AbstractContextManager[Recording]:
    """Notes the specializations of the launches within; `build` takes what the context manager gives. `chip`: launches
    with arrays on the CPU count as launches on that chip, and but for "cpu" are not run: outputs stay as they are.
    Without, each is noted for where it runs. Launches that the host code serves already, because calls like them were
    made before, are not seen: record in a fresh process, or at first calls."""
    from avelang.runtime.recording import recording as found

    return found(chip)
