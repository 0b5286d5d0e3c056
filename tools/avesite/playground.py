"""The playground's folder of the site: a folder with Pyodide comes in; it, Ave's Python files in one archive, and the worker go out."""

from __future__ import annotations

import io
import pathlib
import shutil
import subprocess
import zipfile

from avesite.outside import ROOT

VERSION = "314.0.7"  # of Pyodide
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
LEFT_OUT = ("native", "llvm", "amdgcn", "cli", "lsp", "puzzles")


def archive() -> bytes:
    """Ave's Python files, as a zip: the package without folders that need LLVM or a terminal, and `browser.py`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for file in sorted((ROOT / "src" / "avelang").rglob("*")):
            path = file.relative_to(ROOT / "src")
            if file.suffix in (".py", ".txt") and not (len(path.parts) > 2 and path.parts[1] in LEFT_OUT):
                z.write(file, path.as_posix())
        z.write(pathlib.Path(__file__).with_name("browser.py"), "browser.py")
    return out.getvalue()


def fetched(folder: pathlib.Path) -> pathlib.Path:
    """The folder of Pyodide's npm package, which npm brings into `folder` where it is not there yet."""
    package = folder / "node_modules" / "pyodide"
    if not (package / CORE[2]).exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"pyodide@{VERSION}"], check=True
        )
    return package


def write(pyodide: pathlib.Path, site: pathlib.Path) -> None:
    """Writes playground/ of the built site. Wheels in `pyodide` (NumPy's, by hand) come along."""
    folder = site / "playground"
    folder.mkdir(parents=True, exist_ok=True)
    for file in [*(pyodide / name for name in CORE), *pyodide.glob("*.whl")]:
        shutil.copyfile(file, folder / file.name)
    (folder / "ave.zip").write_bytes(archive())
    shutil.copyfile(pathlib.Path(__file__).with_name("playground_worker.mjs"), folder / "worker.mjs")
    (folder / "there.json").write_text(f'{{"pyodide": "{VERSION}"}}\n')
