"""What consumer groups see of the cluster: topics from the metadata, and their settings.

Topics' hashes are kept, for a group asks for those of all its topics. Made by
`node.groups.group_coordinator_service`, which tells it what has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from spindle.core.groups.consumer_values import ConsumerLimits, ShareGroupLimits
from spindle.core.groups.topic_hashes import topic_hash
from spindle.model.errors import Unusable
from spindle.model.ids import TopicId
from spindle.model.image import GROUP_RESOURCE, Delta
from spindle.model.settings.group_settings import GROUP_SETTINGS
from spindle.node.broker_context import BrokerContext


class GroupSurroundings:
    """One broker's view, for all groups that it coordinates."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self._hashes: dict[str, int] = {}

    # --- changes --------------------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> frozenset[str]:
        """The metadata has changed; the names of topics that came, changed or went."""
        image = self._context.image
        names = {topic.name for topic in delta.removed.values()}
        for id in delta.partitions:
            topic = image.topics.get(id.topic_id)
            if topic is not None:
                names.add(topic.name)
        if delta.brokers:
            names.update(self._hashes)  # Racks may have changed.
        for name in names:
            self._hashes.pop(name, None)
        return frozenset(names)

    # --- topics ---------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The offset of the metadata."""
        return self._context.image.offset

    def topic_names(self) -> Iterable[str]:
        """The names of all topics."""
        return self._context.image.topic_ids

    def topic_id(self, name: str) -> TopicId | None:
        """A topic's id; None where there is no such topic."""
        return self._context.image.topic_ids.get(name)

    def topic_name(self, topic_id: TopicId) -> str | None:
        """A topic's name; None where there is no such topic."""
        topic = self._context.image.topics.get(topic_id)
        return None if topic is None else topic.name

    def partition_count(self, topic_id: TopicId) -> int:
        """The partitions of a topic that is there."""
        return len(self._context.image.topics[topic_id].partitions)

    def topic_hash(self, name: str) -> int:
        """A number that changes with the topic's id, its partitions and their racks; 0: none."""
        known = self._hashes.get(name)
        if known is None:
            known = self._hashes[name] = self._hash(name)
        return known

    def _hash(self, name: str) -> int:
        image = self._context.image
        topic = image.topic(name)
        if topic is None:
            return 0
        racks = {id: broker.rack for id, broker in image.brokers.items()}
        parts = [topic.partitions[number] for number in sorted(topic.partitions)]
        found = [[rack for id in part.replicas if (rack := racks.get(id))] for part in parts]
        return topic_hash(name, topic.topic_id, found)

    # --- settings -------------------------------------------------------------------------------

    def limits(self, group_id: str) -> ConsumerLimits:
        """A group's settings: its own, else those of the broker."""
        settings = self._context.settings
        own = self._context.image.config(GROUP_RESOURCE, group_id) if group_id else _NONE
        policy = settings.word("group.consumer.migration.policy").lower()
        return ConsumerLimits(
            session=_within(
                settings.whole("group.consumer.min.session.timeout.ms"),
                _own(own, "consumer.session.timeout.ms"),
                settings.whole("group.consumer.session.timeout.ms"),
                settings.whole("group.consumer.max.session.timeout.ms"),
            ),
            heartbeat=_within(
                settings.whole("group.consumer.min.heartbeat.interval.ms"),
                _own(own, "consumer.heartbeat.interval.ms"),
                settings.whole("group.consumer.heartbeat.interval.ms"),
                settings.whole("group.consumer.max.heartbeat.interval.ms"),
            ),
            assignment_interval=_within(
                settings.whole("group.consumer.min.assignment.interval.ms"),
                _own(own, "consumer.assignment.interval.ms"),
                settings.whole("group.consumer.assignment.interval.ms"),
                settings.whole("group.consumer.max.assignment.interval.ms"),
            ),
            size_max=settings.whole("group.consumer.max.size"),
            assignors=settings.names("group.consumer.assignors"),
            regex_refresh=settings.whole("group.consumer.regex.refresh.interval.ms"),
            upgrades=policy in ("upgrade", "bidirectional"),
            downgrades=policy in ("downgrade", "bidirectional"),
            classic_size_max=settings.whole("group.max.size"),
        )

    def share_limits(self, group_id: str) -> ShareGroupLimits:
        """A share group's settings: its own, else those of the broker."""
        settings = self._context.settings
        own = self._context.image.config(GROUP_RESOURCE, group_id) if group_id else _NONE
        return ShareGroupLimits(
            session=_within(
                settings.whole("group.share.min.session.timeout.ms"),
                _own(own, "share.session.timeout.ms"),
                settings.whole("group.share.session.timeout.ms"),
                settings.whole("group.share.max.session.timeout.ms"),
            ),
            heartbeat=_within(
                settings.whole("group.share.min.heartbeat.interval.ms"),
                _own(own, "share.heartbeat.interval.ms"),
                settings.whole("group.share.heartbeat.interval.ms"),
                settings.whole("group.share.max.heartbeat.interval.ms"),
            ),
            assignment_interval=_within(
                settings.whole("group.share.min.assignment.interval.ms"),
                _own(own, "share.assignment.interval.ms"),
                settings.whole("group.share.assignment.interval.ms"),
                settings.whole("group.share.max.assignment.interval.ms"),
            ),
            size_max=settings.whole("group.share.max.size"),
            initialize_retry=settings.whole("group.share.initialize.retry.interval.ms"),
        )


_NONE: Final[Mapping[str, str]] = {}


def _within(least: int, own: int | None, shared: int, most: int) -> int:
    """A group's own value within the broker's bounds, else the broker's value."""
    return shared if own is None else max(least, min(own, most))


def _own(own: Mapping[str, str], name: str) -> int | None:
    text = own.get(name)
    if text is None:
        return None
    try:
        value = GROUP_SETTINGS[name].read(text)
    except Unusable:
        return None  # A controller of another kind took it; the broker's own value counts.
    assert isinstance(value, int)
    return value
