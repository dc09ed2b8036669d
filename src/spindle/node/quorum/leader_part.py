"""What the quorum reports to, by what it must know of it. Knows no part of a node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from spindle.model.image import ClusterImage
from spindle.model.metadata_records import MetadataRecord


class LeaderPart(Protocol):
    """What lives on this node while it leads: the controller."""

    def on_leading(
        self, epoch: int, image: ClusterImage, bootstrap: Sequence[MetadataRecord]
    ) -> None:
        """We lead, and `image` (yours to change) holds all that was committed before.

        `bootstrap`: what the log should begin with, where it was still empty.
        """

    def on_resigned(self) -> None:
        """We lead no more; appends that were not committed get no answer from here."""
