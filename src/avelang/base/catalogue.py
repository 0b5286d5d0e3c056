"""The catalogue of errors: one coded template each, with its hint. Each code is triggered by a test in tests/errors/."""

from __future__ import annotations

from typing import NamedTuple


class Template(NamedTuple):
    message: str
    hint: str = ""


CATALOGUE: dict[str, Template] = {
    # S: syntax that the language does not have.
    "S001": Template("{what} is not part of the language", "{instead}"),
    # U1: intrinsics and chips.
    "U101": Template("there is no chip {name!r}", "Ave knows {known}"),
    "U102": Template("no one chip has all of these intrinsics: {names}", "split the kernel, or give target= and use what that chip has"),
    "U103": Template("{name}: {what} is not available on this chip", "{instead}"),
    # L: arguments and launches. `kernel` is the kernel's name, `param` its parameter's.
    "L001": Template("`{kernel}` is a kernel: it is launched with a grid and a block", "{kernel}[lambda: ((gx, gy, gz), (bx, by, bz))](...)"),
    "L002": Template(
        "`{kernel}`: the launch geometry must be ((gx, gy, gz), (bx, by, bz)), got {got}: {why}",
        "ints; one or two may be left out at the end, blocks and threads of 1 are meant then",
    ),
    "L003": Template("`{kernel}`: a block of {block} has {threads} threads; {chip} takes {limit} at most", "use a smaller block and a larger grid"),
    "L004": Template("`{kernel}`: the grid {grid} is too large: {limit} blocks along {axis} at most", "put the long axis first, or give each block more"),
    "L005": Template("`{kernel}` takes {want} arguments, {got} were given", "its parameters are {params}"),
    "L006": Template("`{kernel}` needs an argument for {missing}"),
    "L007": Template("`{kernel}` has no parameter {name!r}{near}", "launch options are {options}"),
    "L008": Template("`{kernel}`: parameter {param!r} is given by position and by name"),
    "L009": Template("`{kernel}`: the option {name}= takes {want}, got {got}"),
    "L010": Template(
        "`{kernel}`: parameter {param!r} wants {want}, got {got}",
        "NumPy arrays, torch and JAX arrays and whatever speaks DLPack or an array interface are taken, without a copy",
    ),
    "L011": Template("`{kernel}`: parameter {param!r}: the memory of {got} cannot be had: {why}"),
    "L012": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}: dtype {dtype} is not {expected}", "convert it before the launch"),
    "L013": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}: the shape must be {expected}"),
    "L014": Template("`{kernel}`: parameter {param!r} wants {want}, got {got} with strides {strides} (in elements), not {expected}", "{instead}"),
    "L015": Template(
        "`{kernel}`: parameter {param!r}: {got} begins at address {address:#x}, which is no multiple of {align}", "copy it to aligned memory"
    ),
    "L016": Template(
        "`{kernel}`: parameter {param!r}: {got}: arrays on {device} need the {runtime} runtime, which this version does not have",
        "pass arrays that are on the CPU",
    ),
    "L017": Template("`{kernel}`: its arrays are on different devices: {devices}", "move them to one device"),
    "L018": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}", "{instead}"),
    "L019": Template("`{kernel}`: parameter {param!r} wants {want}, got {got}, which is outside {low} .. {high}"),
    "L020": Template(
        "`{kernel}`: the constexpr parameter {param!r} cannot be {got}",
        "compile-time values are ints, floats, bools, strings, None, dtypes, layouts, jit functions, and tuples of these",
    ),
    "L030": Template("there is no memory for a thread's scratch"),
    "L031": Template("a block ended with status {status}", "this is a fault of Ave, not of your kernel: please report it with the kernel's text"),
    # D01: the runtime's needs.
    "D010": Template("the CPU runtime needs POSIX threads, which this system does not have", "use Linux or macOS, or WSL on Windows"),
    # U2: what a target cannot give.
    "U201": Template("`{what}` for {target} is not available in this version", "--emit ir works for every chip; llvm and asm for target cpu"),
    # V: the compiler's own faults.
    "V001": Template("{op}: {why}", "this is a fault of Ave, not of your kernel: please report it with the kernel's text"),
    "V002": Template("IR text, line {line}: {why}"),
    # X: what the reference executor found while running a kernel. `where` names block, thread, lane and wave.
    "X001": Template(
        "kernel `{kernel}`: {what} of `{tensor}` at index {index} is outside its extents {extents} ({where})",
        "guard the access with a condition, or check the launch geometry and the extents of the tensor",
    ),
    "X002": Template(
        "kernel `{kernel}`: {what}{index} touches {size} bytes at address {address}, outside of all {space} memory{nearest} ({where})",
        "the layout reaches further than the array: check its extents and strides, and the size of the argument",
    ),
    "X003": Template(
        "kernel `{kernel}`: {what} of {space} memory that nothing wrote: `{tensor}`{index}, byte {byte} of it ({where})",
        "write it first; where another wave writes it, a syncthreads() must stand between",
    ),
    "X004": Template("kernel `{kernel}`: {what} into the read-only argument `{tensor}`{index} ({where})", "pass an array that may be written"),
    "X005": Template("kernel `{kernel}`: index {index} of a register vector of {size} elements ({where})"),
    "X006": Template(
        "kernel `{kernel}`: data race on shared memory `{tensor}`{index}, byte {byte} of it: {what} ({where}) meets {other} by another wave",
        "a syncthreads() must stand between accesses of different waves to the same memory, unless all of them read",
    ),
    "X007": Template("kernel `{kernel}` takes {want} arguments, not {got}"),
    "X008": Template("printf: `{what}`: {why}", "conversions are %d %i %u %o %x %X %c %f %e %g %%, one value for each"),
}
