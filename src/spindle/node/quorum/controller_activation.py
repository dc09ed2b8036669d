"""Has this node's controller begin once it leads and knows all that was committed before, and end.

What a leader that is gone had begun as a transaction is aborted first. An empty log begins with
what the format wrote (`bootstrap.checkpoint`). Knows no part of a node; belongs to `quorum`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from spindle.core.raft.leading import LeaderProgress
from spindle.model.errors import Corrupt
from spindle.model.ids import LogDir
from spindle.model.image import ClusterImage
from spindle.model.jobs import GetFile
from spindle.model.metadata_records import AbortTransaction, MetadataRecord
from spindle.model.outbox import Outbox
from spindle.node.metadata import Metadata, copy_image
from spindle.node.quorum.batch_accumulator import BatchAccumulator
from spindle.node.quorum.metadata_log import MetadataLog
from spindle.node.quorum.metadata_snapshots import BOOTSTRAP, read_snapshot


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


class ControllerActivation:
    """Says to the controller of a node when it is active."""

    def __init__(
        self, directory: LogDir, out: Outbox, log: MetadataLog, metadata: Metadata
    ) -> None:
        self.controller: LeaderPart | None = None
        """Set by the node where it has the controller's role."""
        self.is_active = False
        self._epoch = -1
        """The epoch for which the controller begins or has begun; -1 for none."""
        self._directory = directory
        self._out = out
        self._log = log
        self._metadata = metadata

    def on_applied(self, term: LeaderProgress, appender: BatchAccumulator, applied: int) -> None:
        """We lead, and all below `applied` is in our image: begin, if that is enough."""
        if term.start is None or applied <= term.start:
            return
        if self._epoch == term.epoch or self.controller is None:
            return
        self._epoch = term.epoch
        if self._metadata.in_transaction:
            # Its leader is gone: what it had begun must never count.
            abort = AbortTransaction(reason="a new controller leads")
            appender.append([abort], partial(self._begin, term.epoch))
        else:
            self._begin(term.epoch)

    def on_not_leading(self, epoch: int) -> None:
        """Another node leads, or none."""
        self._epoch = -1
        if self.is_active:
            assert self.controller is not None
            self.is_active = False
            self._out.say("info", "this controller has lost the leadership", epoch=epoch)
            self.controller.on_resigned()

    def _begin(self, epoch: int, _: int = -1) -> None:
        image = copy_image(self._metadata.image)
        if image.features:
            self._activate(epoch, image, ())
            return

        def loaded(data: bytes | None) -> None:
            if self._epoch != epoch:
                return
            try:
                records = read_snapshot(BOOTSTRAP, data) if data is not None else []
            except Corrupt as error:
                self._out.halt(f"{self._directory}: {error}")
                return
            self._activate(epoch, image, records)

        self._log.run(GetFile(self._directory, BOOTSTRAP), loaded)

    def _activate(
        self, epoch: int, image: ClusterImage, bootstrap: Sequence[MetadataRecord]
    ) -> None:
        assert self.controller is not None
        self.is_active = True
        self.controller.on_leading(epoch, image, bootstrap)
