"""`ptx.fence`: what orders ordinary accesses and those of copies and matrix instructions."""

from __future__ import annotations

from typing import Any

from pyptx._operands import emit_name


def proxy_async(*, pred: Any = None) -> None:
    """`fence.proxy.async`."""
    emit_name("fence.proxy.async", pred=pred)


def proxy_async_shared_cta(*, pred: Any = None) -> None:
    """`fence.proxy.async.shared::cta`."""
    emit_name("fence.proxy.async.shared::cta", pred=pred)


def mbarrier_init(*, pred: Any = None) -> None:
    """`fence.mbarrier_init.release.cluster`."""
    emit_name("fence.mbarrier_init.release.cluster", pred=pred)


def proxy_async_generic_acquire_shared_cluster(*, pred: Any = None) -> None:
    """`fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster` (PTX 8.6)."""
    emit_name("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", pred=pred)
