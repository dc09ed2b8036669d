"""Blocks of producer ids for brokers. Called by the AllocateProducerIds handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spindle.core.controller.state import Decision, Draft, State
from spindle.model import records as r
from spindle.model.ids import NodeId

BLOCK_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class Block:
    """The ids from `first` on, `size` of them."""

    first: int
    size: int


def allocate(state: State, broker: NodeId, epoch: int) -> Decision[Block]:
    """The next block, which nobody else will ever get. Refusal STALE_BROKER_EPOCH."""
    state.check_broker_epoch(broker, epoch)
    draft = Draft(state)
    first = state.image.next_producer_id
    draft.add(
        r.ProducerIds(broker_id=broker, broker_epoch=epoch, next_producer_id=first + BLOCK_SIZE)
    )
    return draft.decision(Block(first, BLOCK_SIZE))
