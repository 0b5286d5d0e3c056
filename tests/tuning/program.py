"""A file that a user hands to `ave tune`."""

from __future__ import annotations

import os

import numpy as np
from tests.tuning.kernels import double

import avelang


@avelang.tune(
    {"how": ("slow", "fast", "wrong")}, key=("n",), outputs="y", reference=lambda x: x + 1, shapes=({"n": 4}, {"n": 5}),
    inputs=lambda n: (np.zeros(n, np.float32), np.zeros(n, np.float32), n),
)  # fmt: skip
def plus(x, y, n, how):
    if n == 13:
        raise ValueError("unlucky")
    if n == 14 and not os.path.exists("gone"):  # for machines that are lost
        open("gone", "w").close()
        os._exit(1)
    for _ in range(400 if how == "slow" else 1):
        np.add(x, 2 if how == "wrong" else 1, out=y)


class Holder:
    kernel = double


def untuned():
    return 0
