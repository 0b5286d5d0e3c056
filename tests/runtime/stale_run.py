"""Runs the programs of `stale_cases`: `python stale_run.py FOLDER N [edit|some]`. Prints a line of JSON: name, numbers, how the kernel came, its key ("" for
none). With `edit`, each program is changed to 5 while it runs; with `some`, one in four is run, and of the others there is the key. One process for all
of them: what is tested is what it finds in the cache of another."""

import importlib
import json
import os
import sys
import warnings

import numpy as np
from stale_cases import HEAD, HELPER, KERNEL, PURE

from avelang.frontend.closure import closure


def main(folder: str, n: str, edit: bool, some: bool) -> None:
    warnings.simplefilter("ignore")
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)

    def put(path: str, text: str) -> None:
        with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
            f.write(text.replace("@N", n))

    os.makedirs(os.path.join(folder, "stale_pack"), exist_ok=True)
    put("stale_helper.py", HELPER)
    put("stale_pack/__init__.py", "")
    put("stale_pack/inner.py", "M = @N\n")
    cases = {**{name: (*c, "answer()") for name, c in PURE.items()}, **{name: (c[1], c[2], c[0]) for name, c in KERNEL.items()}}
    for i, (name, (text, change, expr)) in enumerate(cases.items()):
        put(f"case_{i}.py", HEAD.replace("@EXPR", expr) + text)
        for module in ("stale_helper", "stale_pack", "stale_pack.inner"):
            sys.modules.pop(module, None)
        made = importlib.import_module(f"case_{i}")
        out, got = np.zeros(1, np.int32), []
        found = closure(made.k.source)
        key = "" if found.trouble else found.snapshot()[0]
        if some and i % 4:
            print(json.dumps([name, [int(n)], "", key]))
            continue
        for _ in range(2):  # the second by the host code, where it serves
            made.k[1, 1](out)
        got.append(int(out[0]))
        if edit:
            exec(change.replace("@N", "5"), made.__dict__)
            made.k[1, 1](out)
            got.append(int(out[0]))
        print(json.dumps([name, got, made.k.prepared[0].how, key]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "edit" in sys.argv, "some" in sys.argv)
