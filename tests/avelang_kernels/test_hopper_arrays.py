"""Arrays that TMA reaches, and copies of the others."""

from __future__ import annotations

import numpy as np

from avelang_kernels.attention.hopper_arrays import dense, reachable


def test_which_arrays_tma_reaches():
    whole = np.zeros((2, 3, 16, 64), np.float16)
    line = np.zeros(2 * 16 * 64 + 8, np.float16)
    expanded = np.broadcast_to(whole[:, :1], whole.shape)  # one head of keys for all: its stride is 0
    for x, want in (
        (whole, True), (whole.swapaxes(1, 2), True), (whole[..., ::2], False), (whole[..., :1], True), (expanded, False),
        (np.broadcast_to(whole[:, :, :1], whole.shape), False), (whole[:, :, ::-1], False),
        (line[8:].reshape(2, 1, 16, 64), True), (line[4:-4].reshape(2, 1, 16, 64), False),
        (np.zeros((2, 3, 16, 68), np.float16)[..., :64], False),
    ):  # fmt: skip
        assert reachable(x) == want, (x.shape, x.strides)
        made = dense(x)
        assert reachable(made) and (made is x) == want and made.shape == x.shape
