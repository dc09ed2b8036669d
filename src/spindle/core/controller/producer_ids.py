"""Blocks of producer ids for brokers. Called by the AllocateProducerIds handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.model import metadata_records as r
from spindle.model.ids import NodeId

BLOCK_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class Block:
    """The ids from `first` on, `size` of them."""

    first: int
    size: int


def allocate(state: ControllerState, broker: NodeId, epoch: int) -> ControllerResult[Block]:
    """The next block, which no other broker will ever get. Refusal STALE_BROKER_EPOCH."""
    state.check_broker_epoch(broker, epoch)
    draft = Draft(state)
    first = state.image.next_producer_id
    draft.add(
        r.ProducerIdsBlock(
            broker_id=broker, broker_epoch=epoch, next_producer_id=first + BLOCK_SIZE
        )
    )
    return draft.decision(Block(first, BLOCK_SIZE))
