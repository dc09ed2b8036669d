"""What a history holds of one directory, as JSON and tables show it, whatever has read it."""

from __future__ import annotations

from typing import TypedDict

DirectoryHistory = TypedDict(
    "DirectoryHistory",
    {
        "broker": int, "logDir": str, "first": str, "last": str, "samples": int, "was": int,
        "is": int, "replicas": int,
    },
)  # fmt: skip
"""Its samples, and bytes at the first and the last."""
