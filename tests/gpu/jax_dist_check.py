"""Operations of several ranks along an axis of a mesh of JAX's GPUs, all of this machine: tests/dist/jax_axis.py there.

    python3 tests/gpu/jax_dist_check.py [PART ...]

Where JAX sees no GPU it says so, and that nothing was checked; with one GPU there is one rank. Exit status 1 where something is wrong."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 150  # seconds of a part


def main(parts: list[str]) -> int:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # other checks are on this GPU too
    try:
        import jax

        count = len(jax.devices("gpu"))
    except (ImportError, RuntimeError) as e:
        print(f"nothing was checked: JAX has no GPU here ({str(e).splitlines()[0][:90]})")
        return 0
    right = 0
    parts = parts or ["collectives", "products", "experts", "ring", "sizes", *(["several", "absent"] if count > 1 and count % 2 == 0 else [])]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for part in parts:  # each in a process of its own: XLA's devices may not work on behind a rank that did not come
        command = [sys.executable, str(ROOT / "tests" / "dist" / "jax_axis.py"), part]
        try:
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            print(f"FAIL {part} did not end in {LIMIT} s")
            continue
        right += done.returncode == 0
        print(done.stdout.strip() if done.returncode == 0 else f"FAIL {part}: {done.stdout[-1000:]} {done.stderr[-3000:]}", flush=True)
    print(f"{right} of {len(parts)} parts are right, {count} GPUs of JAX as ranks")
    return int(right < len(parts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
