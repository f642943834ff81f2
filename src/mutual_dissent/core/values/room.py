"""Limit of open files of this process, so that work queues before it fails."""

from __future__ import annotations

PLENTY = 8192


def most_open() -> int:
    """The system's limit for this process, or as many as anyone should need."""
    try:
        import resource
    except ImportError:  # Windows has no such limit worth keeping to
        return PLENTY
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return PLENTY if soft in (resource.RLIM_INFINITY, -1) else max(16, min(PLENTY, soft))
