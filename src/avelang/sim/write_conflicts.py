"""Lanes of one wave that get into one another's way: what they write with one instruction comes in; an `AccessFault`
goes out where two of them write different values to one byte. Which one stays, hardware does not say."""

from __future__ import annotations

import numpy as np

from avelang.sim.address_space import AccessFault, AddressSpace, Mask


def agree(space: AddressSpace, address: np.ndarray, data: np.ndarray, mask: Mask) -> None:
    """Raises AccessFault where active lanes write different values to one byte: int64 addresses (lanes,) or (lanes, n),
    uint8 address.shape + (size,)."""
    lanes = np.flatnonzero(mask.active)
    if len(lanes) < 2:
        return
    some, size = address[lanes].reshape(len(lanes), -1), data.shape[-1]
    starts = np.sort(some, axis=None)
    if (np.diff(starts) >= size).all():
        return
    at = (some[..., None] + np.arange(size)).reshape(-1)
    values = data[lanes].reshape(-1)
    _, first, which = np.unique(at, return_index=True, return_inverse=True)
    for i in np.flatnonzero(values != values[first[which]]).tolist():
        per = len(at) // len(lanes)
        # Of a lane that writes a byte twice the last value counts.
        last = {j // per: int(values[j]) for j in np.flatnonzero(at == at[i]).tolist()}
        if len(set(last.values())) > 1:
            (one, a), (other, _) = next((x, y) for x in last.items() for y in last.items() if x[1] != y[1])
            byte = int(np.flatnonzero(at[other * per : (other + 1) * per] == at[i])[-1])
            assert a is not None
            raise AccessFault("lanes", int(lanes[other]), byte, int(some[other, byte // size]), size, space,
                              int(lanes[one]))
