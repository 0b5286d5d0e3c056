"""What this machine has: Python, LLVM, the CPU, GPUs, tools and array libraries are probed; a list of findings goes
out."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import os
import pathlib
import platform


@dataclasses.dataclass(frozen=True, slots=True)
class Probe:
    """One line of `ave doctor`. `state`: "ok", "missing" (something optional is not there) or "bad" (Ave does not work
    without it).

    `gives` says what the thing is for, `get` how to get it where it is missing.
    """

    group: str
    name: str
    state: str
    text: str
    gives: str = ""
    get: str = ""


def cpu_name() -> str:
    """The processor's own name, where the system tells it."""
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "Model")):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def vector_features() -> list[str]:
    """The vector extensions that LLVM sees on this CPU, in the order in which they came to be."""
    import llvmlite.binding as llvm

    has = llvm.get_host_cpu_features()
    order = (
        "sse4.2 avx avx2 fma f16c avx512f avx512bw avx512vl avx512bf16 avx512fp16 avxvnni amx-bf16 neon dotprod "
        "bf16 i8mm sve sve2"
    )
    return [name for name in order.split() if has.get(name)]


_DISTRIBUTIONS = {"elftools": "pyelftools"}  # where it has another name than the package


def version(package: str) -> str | None:
    """The installed version of a package, without importing it; None where it is not installed."""
    if importlib.util.find_spec(package) is None:
        return None
    try:
        return importlib.metadata.version(_DISTRIBUTIONS.get(package, package))
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def _python() -> list[Probe]:
    import llvmlite
    import llvmlite.binding as llvm
    import numpy

    llvm_version = ".".join(map(str, llvm.llvm_version_info))
    right = llvm.llvm_version_info[0] == 22
    system = f"{platform.python_implementation()}, {platform.system()} {platform.machine()}"
    return [
        Probe("Python", "Python", "ok", f"{platform.python_version()} ({system})"),
        Probe("Python", "NumPy", "ok", numpy.__version__),
        Probe("Python", "LLVM", "ok" if right else "bad", f"{llvm_version}, from llvmlite {llvmlite.__version__}",
                "all machine code; Ave's IR is that of LLVM 22", "pip install 'llvmlite==0.50.*'"),
    ]  # fmt: skip


def _cpu() -> list[Probe]:
    return [
        Probe("CPU", "processor", "ok", cpu_name()),
        Probe("CPU", "cores", "ok", f"{cores()} for this process (AVE_THREADS=N takes fewer)"),
        Probe("CPU", "vectors", "ok", " ".join(vector_features()) or "none that LLVM knows of"),
    ]


_ARRAYS = (("ml_dtypes", "bf16 and fp8 arrays of NumPy"), ("torch", "torch tensors as arguments"),
           ("jax", "JAX arrays as arguments"))


def _arrays() -> list[Probe]:
    out = []
    for package, gives in _ARRAYS:
        found = version(package)
        how = {"torch": "pip install torch"}.get(package, f"pip install {package}")
        out.append(Probe("Arrays", package, "ok" if found else "missing", found or "not installed", gives, how))
    return out


def amd_gpus() -> list[str]:
    """The gfx names of the AMD GPUs that the kernel's driver lists; empty where there are none."""
    out = []
    for node in sorted(pathlib.Path("/sys/class/kfd/kfd/topology/nodes").glob("*/properties")):
        try:
            fields = dict(line.split(None, 1) for line in node.read_text().splitlines() if " " in line)
        except OSError:
            continue
        # gfx_target_version is 90402 for gfx942: two decimal digits each of major, minor, stepping (Linux, amdkfd
        # topology).
        number = int(fields.get("gfx_target_version", "0"))
        if number:
            out.append(f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}")
    return out


# Vendor, its driver's kind, the driver's name beside its version, what to get where no device will do.
_VENDORS = (
    ("NVIDIA", "cuda", "CUDA", "an NVIDIA GPU that Ave makes code for: sm_75 and newer"),
    ("AMD", "rocm", "HIP", "an AMD GPU that Ave makes code for: gfx90a, gfx942 or gfx950"),
)


def _gpus() -> list[Probe]:
    return [_driver(*row) for row in _VENDORS]


def _driver(vendor: str, kind: str, name: str, get: str) -> Probe:
    """A vendor's driver with the GPUs that it shows to this process, or what stands in the way."""
    from avelang.base.errors import AveError
    from avelang.runtime.devices import DRIVERS

    driver = DRIVERS[kind]
    gives = f"kernels on {vendor} GPUs, for arrays of torch, JAX and CuPy there"
    try:
        seen = driver.survey()
    except AveError as e:
        # What the kernel lists is there even where HIP is not.
        listed = f"{', '.join(amd_gpus()) or 'no GPU in /sys/class/kfd'}; " if vendor == "AMD" else ""
        return Probe("GPUs", vendor, "missing", f"{listed}{e.message}", gives, driver.get)
    words = [f"{what} ({title}){'' if chip else ', for which Ave makes no code'}" for title, what, chip in seen.devices]
    state = "ok" if any(chip for _, _, chip in seen.devices) else "missing"
    return Probe("GPUs", vendor, state, f"{', '.join(words)}; {name} {seen.version}, {seen.path}", gives, get)


def gpu_abilities() -> list[str]:
    """The kinds of code that run on GPUs here, in words."""
    none = "no kernels on {} GPUs here; code for them is made and can be looked at (`ave compile`)"
    return [f"kernels on {f.text}" if f.state == "ok" else none.format(f.name) for f in _gpus()]


def _tools() -> list[Probe]:
    """What makes machine code of PTX. Without it the driver does, where there is one."""
    from avelang.base.errors import AveError
    from avelang.runtime import ptxas

    gives = "PTX without NVIDIA's driver, and registers and spills where there is no GPU"
    try:
        found = ptxas.find()
    except AveError as e:
        return [Probe("Tools", "ptxas", "missing", e.message, gives, e.hint)]
    return [
        Probe(
            "Tools",
            "ptxas",
            "ok" if found else "missing",
            f"{found.path}: {found}" if found else "not found",
            gives,
            ptxas.GET,
        )
    ]


def _amd_code() -> list[Probe]:
    """What code objects of AMD GPUs are linked, taken apart and rated with."""
    from avelang.amdgcn import link, tools
    from avelang.amdgcn.disassemble import disassembler
    from avelang.base.errors import AveError

    uses = (
        ("ld.lld", lambda: link.linker()[0], "code objects: `ave compile --emit hsaco`, launches on AMD GPUs"),
        ("libLLVM", disassembler, "assembly of code objects: `ave report FILE.hsaco`"),
        ("llvm-mca", lambda: tools.program("llvm-mca", "a rating of main loops"),
         "how busy the matrix core is: `ave report`"),
    )
    out = []
    for name, find, gives in uses:
        try:
            out.append(Probe("Tools", name, "ok", find(), gives))
        except AveError as e:
            out.append(Probe("Tools", name, "missing", e.message.partition("; ")[2] or e.message, gives, e.hint))
    package = version("elftools"), version("msgpack")
    state = "ok" if all(package) else "missing"
    text = f"pyelftools {package[0] or 'missing'}, msgpack {package[1] or 'missing'}"
    return [
        *out,
        Probe(
            "Tools",
            "readers",
            state,
            text,
            "what is in a code object: `ave report FILE.hsaco`",
            "pip install pyelftools msgpack",
        ),
    ]


def findings() -> list[Probe]:
    """All that can be seen of this machine without running a kernel."""
    return [*_python(), *_cpu(), *_arrays(), *_gpus(), *_tools(), *_amd_code()]
