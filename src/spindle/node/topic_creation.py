"""Topics that come into being because a client uses them: ordinary ones, and our own internal ones.

Asks the controller and forgets; clients hear LEADER_NOT_AVAILABLE (or COORDINATOR_NOT_AVAILABLE)
until the new topic shows in the metadata. Called by the handlers of Metadata and FindCoordinator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from spindle.model.errors import Error, PeerFailed, error_name
from spindle.node.broker_context import BrokerContext
from spindle.wire.messages.create_topics_request import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from spindle.wire.messages.create_topics_response import CreateTopicsResponse

OFFSETS_TOPIC: Final = "__consumer_offsets"
TRANSACTIONS_TOPIC: Final = "__transaction_state"
SHARE_STATE_TOPIC: Final = "__share_group_state"
INTERNAL: Final = (OFFSETS_TOPIC, TRANSACTIONS_TOPIC, SHARE_STATE_TOPIC)
"""Topics of the brokers themselves; clients see them marked so."""

VERSION: Final = 7
TIMEOUT: Final = 30.0
IN_FLIGHT_MAX: Final = 1_000
"""Topics that may be on their way to the controller; more wait for the client's next try."""

_LEGAL: Final = re.compile(r"[a-zA-Z0-9._-]{1,249}")


def is_legal(name: str) -> bool:
    """Whether a topic may have this name."""
    return _LEGAL.fullmatch(name) is not None and name not in (".", "..")


class TopicCreation:
    """What has been asked of the controller and not been answered yet."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self._in_flight: dict[str, None] = {}

    def want(self, names: Iterable[str]) -> None:
        """Have topics made, each once at a time. Names must be legal."""
        wanted = [n for n in dict.fromkeys(names) if n not in self._in_flight]
        wanted = wanted[: IN_FLIGHT_MAX - len(self._in_flight)]
        if not wanted:
            return
        self._in_flight.update(dict.fromkeys(wanted))
        self._context.controller.ask(
            "forwarding",
            CreateTopicsRequest(
                topics=tuple(self._topic(name) for name in wanted), timeout_ms=int(TIMEOUT * 1000)
            ),
            VERSION,
            lambda reply: self._on_reply(wanted, reply),
            TIMEOUT,
        )

    def _topic(self, name: str) -> CreatableTopic:
        settings = self._context.settings
        if name not in INTERNAL:
            # As this broker is set, not as the controller is: what Apache Kafka does.
            return CreatableTopic(
                name=name,
                num_partitions=settings.whole("num.partitions"),
                replication_factor=settings.whole("default.replication.factor"),
            )
        config = {"cleanup.policy": "compact"}
        if name == OFFSETS_TOPIC:
            partitions = settings.whole("offsets.topic.num.partitions")
            replicas = self._replicas(name, "offsets.topic.replication.factor")
            config["compression.type"] = "producer"
            config["segment.bytes"] = str(settings.whole("offsets.topic.segment.bytes"))
        elif name == SHARE_STATE_TOPIC:
            partitions = settings.whole("share.coordinator.state.topic.num.partitions")
            replicas = self._replicas(name, "share.coordinator.state.topic.replication.factor")
            config = self._of_share_states()
        else:
            partitions = settings.whole("transaction.state.log.num.partitions")
            replicas = self._replicas(name, "transaction.state.log.replication.factor")
            config["compression.type"] = "uncompressed"
            config["segment.bytes"] = str(settings.whole("transaction.state.log.segment.bytes"))
            # A decision that is lost would end a transaction in both ways.
            config["min.insync.replicas"] = str(settings.whole("transaction.state.log.min.isr"))
            config["unclean.leader.election.enable"] = "false"
        return CreatableTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=replicas,
            configs=tuple(
                CreatableTopicConfig(name=key, value=value) for key, value in config.items()
            ),
        )

    def _of_share_states(self) -> dict[str, str]:
        """It is not compacted: the share coordinator deletes what no snapshot needs any more."""
        settings = self._context.settings
        return {
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "segment.bytes": str(settings.whole("share.coordinator.state.topic.segment.bytes")),
            "min.insync.replicas": str(settings.whole("share.coordinator.state.topic.min.isr")),
            "retention.ms": "-1",
        }

    def _replicas(self, topic: str, setting: str) -> int:
        # Apache Kafka would refuse until enough brokers are there; a small Spindle cluster works
        # with what it has, and says so.
        wanted = self._context.settings.whole(setting)
        registered = len(self._context.image.brokers)
        if registered < wanted:
            self._context.out.say(
                "warning",
                f"fewer brokers than {setting}: using fewer replicas",
                topic=topic,
                wanted=wanted,
                replicas=max(registered, 1),
            )
        return max(min(wanted, registered), 1)

    def _on_reply(self, names: list[str], reply: CreateTopicsResponse | PeerFailed) -> None:
        for name in names:
            self._in_flight.pop(name, None)
        if isinstance(reply, PeerFailed):
            self._context.out.say("warning", "topics not created", topics=names, reason=str(reply))
            return
        for topic in reply.topics:
            if topic.error_code not in (Error.NONE, Error.TOPIC_ALREADY_EXISTS):
                self._context.out.say(
                    "warning",
                    "topic not created",
                    topic=topic.name,
                    error=error_name(topic.error_code),
                    reason=topic.error_message,
                )
