"""What this room says to the broker's life cycle (`node.broker_lifecycle_manager`).

A protocol, for `sim.exhaustive` and the tests of this room lead other lives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from spindle.model.ids import DirectoryId


class LifecyclePort(Protocol):
    """The broker before the controller."""

    @property
    def epoch(self) -> int:
        """Our broker epoch, or -1."""

    def ready(self) -> None:
        """Our logs are where the metadata has them: ask to be unfenced."""

    def on_directory_failed(self, directory_id: DirectoryId) -> None:
        """A directory has failed: tell the controller now."""

    def on_directory_back(self, directory_id: DirectoryId) -> None:
        """A directory serves again: register it."""

    def set_cordoned(self, directory_ids: Iterable[DirectoryId]) -> None:
        """These directories are to get no new replicas."""
