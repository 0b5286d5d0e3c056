"""Makes the samples of PTX that tests read: nvcc's of samples/*.cu, for sm_80 and sm_90a, and Triton's where there is
Triton.

    python tests/nvptx/make_samples.py [OUT]      (OUT: $OUT, or tests/nvptx/samples)

writes OUT/NAME.sm_80.ptx.gz and so on. nvcc is the one of PyPI's nvidia-cuda-nvcc, or of the path. Texts are as the
compilers wrote them, but for folders of this machine. CPATH must name the folder of CCCL's `nv/target` where nvcc is
PyPI's (nvidia-cuda-cccl has it). """

from __future__ import annotations

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "samples"
ARCHS = ("sm_80", "sm_90a")
FLAGS = {"print": ("-lineinfo",), "debug": ("-G",), "calls": ("-rdc=true",), "floats": ("-use_fast_math",)}


def nvcc() -> str:
    for folder in sys.path:
        found = sorted(pathlib.Path(folder).glob("nvidia/cu*/bin/nvcc"))
        if found:
            return str(found[-1])
    return shutil.which("nvcc") or sys.exit("no nvcc: pip install nvidia-cuda-nvcc")


def keep(out: pathlib.Path, name: str, text: str) -> None:
    (out / f"{name}.ptx.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    print(name, len(text.splitlines()), "lines")


def from_cuda(out: pathlib.Path) -> None:
    compiler = nvcc()
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(HERE.glob("*.cu")):
            copy = pathlib.Path(folder) / source.name
            copy.write_text(source.read_text())
            for arch in ARCHS:
                ptx = copy.with_suffix(".ptx")
                command = [compiler, "-ptx", f"-arch={arch}", "-std=c++17", *FLAGS.get(source.stem, ()), source.name,
                    "-o", ptx.name]
                subprocess.run(command, cwd=folder, check=True)
                keep(out, f"{source.stem}.{arch}",
                    ptx.read_text().replace(folder, "samples").replace(str(pathlib.Path(compiler).parent), "nvcc"))


def from_triton(out: pathlib.Path) -> None:
    import triton_samples  # beside this file: Triton reads the source of its kernels

    for arch, number in zip(ARCHS, (80, 90), strict=True):
        for name, ptx in triton_samples.compiled(number):
            keep(out, f"triton_{name}.{arch}", ptx.replace(str(HERE.parent), "samples"))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("OUT", HERE))
    folder.mkdir(parents=True, exist_ok=True)
    from_cuda(folder)
    sys.path.insert(0, str(HERE.parent))
    try:
        import triton  # noqa: F401
    except ImportError:
        print("no Triton here: its samples are as they were")
    else:
        from_triton(folder)
