"""The `quorum-state` file: what a node must remember of elections. JSON text <-> values.

One line of JSON in the two forms that Apache Kafka 4.3 reads: data_version 0 for static voters
(kraft.version 0), 1 for voters in the log. Knows no file; `node` keeps it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.ids import ZERO_ID, DirectoryId, NodeId, id_from_text, id_to_text

_NO_NODE: Final = -1


@dataclass(frozen=True, slots=True)
class QuorumState:
    """An epoch, its leader and our vote in it; -1 for none. `voters` is empty in form 1."""

    epoch: int
    leader: NodeId = _NO_NODE
    voted: NodeId = _NO_NODE
    voted_directory: DirectoryId = ZERO_ID
    voters: tuple[NodeId, ...] = ()


def encode_quorum_state(
    epoch: int,
    leader: NodeId = _NO_NODE,
    voted: NodeId = _NO_NODE,
    voters: tuple[NodeId, ...] = (),
    *,
    kraft_version: int = 0,
    voted_directory: DirectoryId = ZERO_ID,
) -> bytes:
    """The file's content. `voters` counts with kraft.version 0, `voted_directory` with 1."""
    if kraft_version == 0:
        fields: dict[str, object] = {
            "clusterId": "",
            "leaderId": leader,
            "leaderEpoch": epoch,
            "votedId": voted,
            "appliedOffset": 0,
            "currentVoters": [{"voterId": voter} for voter in voters],
            "data_version": 0,
        }
    else:
        fields = {
            "leaderId": leader,
            "leaderEpoch": epoch,
            "votedId": voted,
            "votedDirectoryId": id_to_text(voted_directory),
            "data_version": 1,
        }
    return json.dumps(fields, separators=(",", ":")).encode()


def decode_quorum_state(data: Buffer) -> QuorumState:
    """Read the file's content; Corrupt, with the reason, for anything that is not such a file."""
    try:
        fields: dict[str, Any] = json.loads(bytes(data))
        version = fields["data_version"]
        if version not in (0, 1):
            raise Corrupt(f"quorum-state: data_version {version} is newer than this node")
        return QuorumState(
            epoch=int(fields["leaderEpoch"]),
            leader=int(fields["leaderId"]),
            voted=int(fields["votedId"]),
            voted_directory=id_from_text(fields["votedDirectoryId"]) if version else ZERO_ID,
            voters=() if version else tuple(int(v["voterId"]) for v in fields["currentVoters"]),
        )
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        raise Corrupt(f"quorum-state is no state of a quorum: {error!r}") from None
