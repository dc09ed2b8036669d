"""Parts of a broker that log directories tell things: stand-ins that remember them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from spindle.model.ids import PartitionId


class Lifecycle:
    """Stands for the life cycle: remembers each call."""

    def __init__(self) -> None:
        self.epoch = -1
        self.is_ready = False
        self.failed: list[uuid.UUID] = []
        self.back: list[uuid.UUID] = []
        self.cordoned: tuple[uuid.UUID, ...] = ()

    def ready(self) -> None:
        self.is_ready = True

    def on_directory_failed(self, directory_id: uuid.UUID) -> None:
        self.failed.append(directory_id)

    def on_directory_back(self, directory_id: uuid.UUID) -> None:
        self.back.append(directory_id)

    def set_cordoned(self, directory_ids: Iterable[uuid.UUID]) -> None:
        self.cordoned = tuple(directory_ids)


class Fetchers:
    """Stands for the copying from other leaders."""

    def __init__(self) -> None:
        self.unheard: set[PartitionId] = set()
        """Replicas whose leaders have not answered yet."""

    def follow(self, hosted: Any) -> None: ...

    def leave(self, hosted: Any) -> None: ...

    def on_brokers(self, brokers: Any) -> None: ...

    def close(self) -> None: ...

    def has_answered(self, id: PartitionId) -> bool:
        return id not in self.unheard
