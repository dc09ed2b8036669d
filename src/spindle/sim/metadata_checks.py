"""What must hold of the metadata log: each record has the form of the metadata.version before it.

A node of the cluster's version could not read another form. Looks at a controller's disk, from
outside; `checks` asks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spindle.model import metadata_records as r
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.ids import METADATA_TOPIC
from spindle.model.log_values import LogKey
from spindle.node.quorum.metadata_snapshots import read_snapshot, snapshot_of_name
from spindle.sim.log_judge import batches_of, logs_in
from spindle.sim.sim_cluster import SimNode
from spindle.sim.violation import Violation
from spindle.wire.batch import records
from spindle.wire.metadata import decode_record, encode_record

_LOG: Final = LogKey(METADATA_TOPIC, 0)


def check_forms(member: SimNode) -> int:
    """How many records of its log were looked at; Violation for one in another form."""
    judge = _Judge(dict(_levels_of_snapshots(member)))
    for log in logs_in(member.disk, member.config.metadata_dir):
        if log.key == _LOG:
            for batch in batches_of(member.disk, log):
                if not batch.is_control:
                    for record in records(batch):
                        judge.look(member, record.offset, record.value or b"")
    return judge.looked


class _Judge:
    """Goes through a log; the level is known from a snapshot or a FeatureLevel on."""

    def __init__(self, known: dict[int, int]) -> None:
        self._known = known
        """The levels by the offsets from which on a snapshot says them."""
        self._level: int | None = None
        self._before: int | None = None
        """Before the transaction that is open."""
        self.looked = 0

    def look(self, member: SimNode, offset: int, value: bytes) -> None:
        """The next record."""
        self._level = self._known.get(offset, self._level)
        record = decode_record(value)
        match record:
            case r.FeatureLevel(name=name, level=level) if name == METADATA_VERSION:
                self._level = level
            case r.BeginTransaction():
                self._before = self._level
            case r.AbortTransaction():
                self._level = self._before
        if self._level is None:
            return
        self.looked += 1
        if encode_record(record, self._level) != value:
            raise Violation(
                f"{member.host.name}: the {type(record).__name__} at {offset} of the metadata log"
                f" has not the form of {METADATA_VERSION} {self._level}"
            )


def _levels_of_snapshots(member: SimNode) -> Iterator[tuple[int, int]]:
    folder = f"{member.config.metadata_dir}/{_LOG}"
    for name in member.disk.names(folder):
        id = snapshot_of_name(name)
        if id is not None:
            for record in read_snapshot(name, member.disk.contents(f"{folder}/{name}") or b""):
                if isinstance(record, r.FeatureLevel) and record.name == METADATA_VERSION:
                    yield id.offset, record.level
