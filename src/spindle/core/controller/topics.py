"""Topics and partitions come and go: CreateTopics, CreatePartitions, DeleteTopics.

Each request is decided as a whole, into one atomic batch; a topic that is refused leaves the others
untouched. Called by the handlers of those three APIs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from spindle.core.controller import configs
from spindle.core.controller.controller_state import (
    ControllerResult,
    ControllerState,
    Draft,
    check_records,
)
from spindle.core.controller.replica_placement import place
from spindle.core.controller.topic_names import check_name
from spindle.core.controller.wholes import GoneTopics, MoreOfTopics, NewTopics, one_way
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import METADATA_TOPIC, DirectoryId, NodeId, TopicId
from spindle.model.outbox import Rng

DEFAULT: Final = -1
Admit = Callable[[int], None]
"""Gets how many partitions are to be made or deleted; a Refusal where that is too many now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatableTopic:
    """One topic of a CreateTopics request; counts of -1 mean the cluster's default.

    `assignments`: (partition, replicas) given by hand; the counts must then be -1.
    """

    name: str
    partitions: int = DEFAULT
    replication: int = DEFAULT
    assignments: tuple[tuple[int, tuple[NodeId, ...]], ...] = ()
    configs: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicAnswer:
    """What became of one topic of a request."""

    name: str | None
    error: Error = Error.NONE
    message: str | None = None
    topic_id: TopicId | None = None
    partitions: int = -1
    replication: int = -1
    settings: tuple[configs.Effective, ...] = ()
    """Of a created topic."""

    @classmethod
    def refused(cls, names: Iterable[str], error: Error, message: str) -> list[TopicAnswer]:
        """The same error for each topic."""
        return [cls(name=name, error=error, message=message) for name in names]


def admit_all(_: int) -> None:
    """No quota counts."""


# --- CreateTopics -------------------------------------------------------------------------------


def create_topics(
    state: ControllerState,
    topics: Iterable[CreatableTopic],
    rng: Rng,
    new_id: Callable[[], TopicId],
    validate_only: bool = False,
    whole: NewTopics | None = None,
    admit: Admit = admit_all,
) -> ControllerResult[list[TopicAnswer]]:
    """One answer for each topic, in order. Refusal POLICY_VIOLATION where all are too much.

    `whole`: all topics of the request that these are some of; None: these are all. Looked at first:
    what is too much is not read.
    """
    parts = whole is not None
    if whole is None:
        whole, topics = NewTopics(), tuple(topics)
        for t in topics:
            whole.add(state, t.name, t.partitions, len(t.assignments), len(t.configs))
    whole.check(parts)
    draft = Draft(state)
    answers: list[TopicAnswer] = []
    for topic in topics:
        if whole.named[topic.name] > 1:
            if topic.name not in whole.told:
                whole.told.add(topic.name)
                answers.append(_named_twice(topic.name))
            continue
        answers.append(_create_topic(draft, topic, rng, new_id, admit))
    if validate_only:
        draft.records.clear()
    return draft.decision(answers)


def _words(refusal: Refusal) -> str | None:
    """What Apache Kafka says beside the error: nothing where a quota is over."""
    return None if refusal.error is Error.THROTTLING_QUOTA_EXCEEDED else refusal.message


def _named_twice(name: str) -> TopicAnswer:
    return TopicAnswer(
        name=name, error=Error.INVALID_REQUEST, message="the request names this topic twice"
    )


def _create_topic(
    draft: Draft, topic: CreatableTopic, rng: Rng, new_id: Callable[[], TopicId], admit: Admit
) -> TopicAnswer:
    before = len(draft.records)
    try:
        _check_new(draft, topic)
        settings = configs.new_topic_records(draft, topic.name, topic.configs)
        assignment = _assignment(draft, topic, rng)
        admit(len(assignment))
    except Refusal as refusal:
        assert len(draft.records) == before, "checks draft nothing"
        return TopicAnswer(name=topic.name, error=refusal.error, message=_words(refusal))
    topic_id = new_id()
    draft.add(r.Topic(name=topic.name, topic_id=topic_id))
    for record in settings:
        draft.add(record)
    for number, replicas in enumerate(assignment):
        draft.add(new_partition(draft, topic_id, number, replicas))
    return TopicAnswer(
        name=topic.name,
        topic_id=topic_id,
        partitions=len(assignment),
        replication=len(assignment[0]),
        settings=configs.effective(draft, topic.configs),
    )


def _check_new(draft: Draft, topic: CreatableTopic) -> None:
    if topic.name == METADATA_TOPIC:
        raise Refusal(
            Error.INVALID_REQUEST, f"Creation of internal topic {METADATA_TOPIC} is prohibited."
        )
    check_name(topic.name)
    if topic.name in draft.state.image.topic_ids:
        raise Refusal(Error.TOPIC_ALREADY_EXISTS, f"Topic '{topic.name}' already exists.")
    form = topic.name.replace(".", "_")
    alike = next(iter(draft.state.lookalikes.get(form, ())), None) or draft.lookalikes.get(form)
    if alike is not None:
        raise Refusal(
            Error.INVALID_TOPIC_EXCEPTION,
            f"Topic '{topic.name}' collides with existing topic: {alike}",
        )


def _assignment(draft: Draft, topic: CreatableTopic, rng: Rng) -> list[tuple[NodeId, ...]]:
    if topic.assignments:
        return _manual_assignment(draft, topic)
    if topic.replication < DEFAULT or topic.replication == 0:
        raise Refusal(
            Error.INVALID_REPLICATION_FACTOR,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        )
    if topic.partitions < DEFAULT or topic.partitions == 0:
        raise Refusal(
            Error.INVALID_PARTITIONS,
            "Number of partitions was set to an invalid non-positive value.",
        )
    settings = draft.state.settings
    count = settings.whole("num.partitions") if topic.partitions == DEFAULT else topic.partitions
    replication = topic.replication
    if replication == DEFAULT:
        replication = settings.whole("default.replication.factor")
    return _placed(draft, count, replication, rng)


def _placed(draft: Draft, count: int, replication: int, rng: Rng) -> list[tuple[NodeId, ...]]:
    check_records(count)  # Before anything is placed.
    assignment = place(draft.brokers.values(), count, replication, rng)
    for number, replicas in enumerate(assignment):
        if not any(map(draft.is_active, replicas)):
            raise Refusal(
                Error.INVALID_REPLICATION_FACTOR,
                f"partition {number} would lie on brokers {list(replicas)}, all of which are"
                " fenced or shutting down",
            )
    return assignment


def _manual_assignment(draft: Draft, topic: CreatableTopic) -> list[tuple[NodeId, ...]]:
    if topic.replication != DEFAULT:
        raise Refusal(
            Error.INVALID_REQUEST,
            "A manual partition assignment was specified, but replication factor was not set to"
            " -1.",
        )
    if topic.partitions != DEFAULT:
        raise Refusal(
            Error.INVALID_REQUEST,
            "A manual partition assignment was specified, but numPartitions was not set to -1.",
        )
    by_number: dict[int, tuple[NodeId, ...]] = {}
    for number, replicas in topic.assignments:
        if number in by_number:
            raise Refusal(
                Error.INVALID_REPLICA_ASSIGNMENT,
                f"Found multiple manual partition assignments for partition {number}",
            )
        size = len(next(iter(by_number.values()))) if by_number else None
        check_assignment(draft, replicas, size)
        _check_active(draft, number, replicas)
        by_number[number] = replicas
    for number in range(len(by_number)):
        if number not in by_number:
            raise Refusal(
                Error.INVALID_REPLICA_ASSIGNMENT,
                "partitions should be a consecutive 0-based integer sequence",
            )
    return [by_number[number] for number in range(len(by_number))]


def check_assignment(draft: Draft, replicas: Sequence[NodeId], size: int | None) -> None:
    """Refusal INVALID_REPLICA_ASSIGNMENT unless these are distinct registered brokers, `size`."""

    def refuse(why: str) -> Refusal:
        return Refusal(
            Error.INVALID_REPLICA_ASSIGNMENT, f"The manual partition assignment includes {why}."
        )

    if not replicas:
        raise refuse("an empty replica list")
    for broker in sorted(replicas):
        if draft.broker(broker) is None:
            raise refuse(f"broker {broker}, but no such broker is registered")
    for before, broker in pairwise(sorted(replicas)):
        if before == broker:
            raise refuse(f"the broker {broker} more than once")
    if size is not None and len(replicas) != size:
        raise refuse(
            f"a partition with {len(replicas)} replica(s), but this is not consistent with previous"
            f" partitions, which have {size} replica(s)"
        )


def _check_active(draft: Draft, number: int, replicas: Sequence[NodeId]) -> None:
    if not any(map(draft.is_active, replicas)):
        raise Refusal(
            Error.INVALID_REPLICA_ASSIGNMENT,
            f"All brokers specified in the manual partition assignment for partition {number} are"
            " fenced or in controlled shutdown.",
        )


def new_partition(
    draft: Draft, topic_id: TopicId, number: int, replicas: tuple[NodeId, ...]
) -> r.PartitionRegistration:
    """A partition that begins now: its live replicas form the ISR and the first of them leads."""
    isr = tuple(broker for broker in replicas if draft.is_active(broker))
    assert isr, f"partition {number} would begin without a leader"
    places: tuple[DirectoryId, ...] = ()
    if draft.state.directories_supported:
        places = tuple(draft.default_directory(broker) for broker in replicas)
    return r.PartitionRegistration(
        partition_id=number,
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        leader=isr[0],
        leader_epoch=0,
        partition_epoch=0,
        directories=places,
    )


# --- CreatePartitions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MorePartitions:
    """One topic of a CreatePartitions request: it is to have `count`.

    `assignments`: replicas of each new partition by hand; None: to be placed.
    """

    name: str
    count: int
    assignments: tuple[tuple[NodeId, ...], ...] | None = None


def create_partitions(
    state: ControllerState,
    topics: Iterable[MorePartitions],
    rng: Rng,
    validate_only: bool = False,
    whole: MoreOfTopics | None = None,
    admit: Admit = admit_all,
) -> ControllerResult[list[TopicAnswer]]:
    """One answer for each topic, in order. Refusal POLICY_VIOLATION where all are too much.

    `whole`: all topics of the request that these are some of; None: these are all. Looked at first:
    what is too much is not read.
    """
    parts = whole is not None
    if whole is None:
        whole, topics = MoreOfTopics(), tuple(topics)
        for topic in topics:
            whole.add(state, topic.name, topic.count, len(topic.assignments or ()))
    whole.check(parts)
    draft = Draft(state)
    answers: list[TopicAnswer] = []
    for topic in topics:
        if whole.named[topic.name] > 1:
            if topic.name not in whole.told:
                whole.told.add(topic.name)
                answers.append(_named_twice(topic.name))
            continue
        try:
            _create_partitions(draft, topic, rng, admit)
            answers.append(TopicAnswer(name=topic.name))
        except Refusal as refusal:
            if refusal.error is Error.POLICY_VIOLATION:
                raise
            answers.append(
                TopicAnswer(name=topic.name, error=refusal.error, message=_words(refusal))
            )
    if validate_only:
        draft.records.clear()
    return draft.decision(answers)


def _create_partitions(draft: Draft, asked: MorePartitions, rng: Rng, admit: Admit) -> None:
    topic = draft.state.image.topic(asked.name)
    if topic is None:
        # Apache Kafka's answer has no words, which its client replaces by these.
        raise Refusal(
            Error.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition."
        )
    present = len(topic.partitions)
    more = asked.count - present
    if more == 0:
        raise Refusal(Error.INVALID_PARTITIONS, f"Topic already has {present} partition(s).")
    if more < 0:
        raise Refusal(
            Error.INVALID_PARTITIONS,
            f"The topic {asked.name} currently has {present} partition(s); {asked.count} would not"
            " be an increase.",
        )
    replication = len(topic.partitions[0].replicas)
    if asked.assignments is None:
        assignment = _placed(draft, more, replication, rng)
    else:
        if len(asked.assignments) != more:
            raise Refusal(
                Error.INVALID_REPLICA_ASSIGNMENT,
                f"Attempted to add {more} additional partition(s), but only"
                f" {len(asked.assignments)} assignment(s) were specified.",
            )
        for number, replicas in enumerate(asked.assignments, present):
            check_assignment(draft, replicas, replication)
            _check_active(draft, number, replicas)
        assignment = list(asked.assignments)
    admit(more)
    for number, replicas in enumerate(assignment, present):
        draft.add(new_partition(draft, topic.topic_id, number, replicas))


# --- DeleteTopics -------------------------------------------------------------------------------


def clearly_named(
    asked: Iterable[tuple[str | None, TopicId | None]],
) -> tuple[list[str | TopicId], list[TopicAnswer]]:
    """Topics as `delete_topics` takes them; the answers to those named by both or neither."""
    clear: list[str | TopicId] = []
    unclear: list[TopicAnswer] = []
    for name, id in asked:
        if (one := one_way(name, id)) is not None:
            clear.append(one)
        else:
            why = "a topic is named by its name or else by its id"
            unclear.append(_not_deleted(name, id, why))
    return clear, unclear


def delete_topics(
    state: ControllerState,
    topics: Sequence[str | TopicId],
    whole: GoneTopics | None = None,
    admit: Admit = admit_all,
) -> ControllerResult[list[TopicAnswer]]:
    """Delete topics, given by name or by id. One answer for each, in order; one for both of two.

    `whole`: all topics of the request that these are some of; None: these are all. Refusal
    TOPIC_DELETION_DISABLED where `delete.topic.enable` is off, POLICY_VIOLATION for too many.
    """
    if not state.settings.flag("delete.topic.enable"):
        raise Refusal(Error.TOPIC_DELETION_DISABLED, "delete.topic.enable is false")
    if whole is None:
        whole = GoneTopics()
        for asked in topics:
            whole.add(state, asked)
    whole.check()
    draft = Draft(state)
    answers = [_delete_topic(draft, asked, whole, admit) for asked in topics]
    return draft.decision([answer for answer in answers if answer is not None])


def _delete_topic(
    draft: Draft, asked: str | TopicId, whole: GoneTopics, admit: Admit
) -> TopicAnswer | None:
    """Delete one; None where another answer says what becomes of it."""
    image = draft.state.image
    name = asked if isinstance(asked, str) else None
    id = None if isinstance(asked, str) else asked
    if whole.comes_twice(asked):
        if asked in whole.told:
            return None
        whole.told.add(asked)
        return _not_deleted(name, id, "the request names this topic twice; nothing is deleted")
    topic = image.topics.get(id) if id is not None else image.topic(name or "")
    if topic is None:
        return TopicAnswer(
            name=name,
            topic_id=id,
            error=Error.UNKNOWN_TOPIC_ID if name is None else Error.UNKNOWN_TOPIC_OR_PARTITION,
            message=f"there is no topic {'with id ' if name is None else ''}{asked}",
        )
    if name is not None and whole.ids[topic.topic_id]:
        why = "the request names this topic by its id, too; nothing is deleted"
        return _not_deleted(name, topic.topic_id, why)
    if id is not None and whole.names[topic.name] == 1:
        return None  # The answer to its name says so.
    try:
        admit(len(topic.partitions))
    except Refusal as refusal:
        return TopicAnswer(name=name, topic_id=id, error=refusal.error, message=_words(refusal))
    draft.add(r.RemoveTopic(topic_id=topic.topic_id))
    return TopicAnswer(name=topic.name, topic_id=topic.topic_id)


def _not_deleted(name: str | None, id: TopicId | None, why: str) -> TopicAnswer:
    return TopicAnswer(name=name, topic_id=id, error=Error.INVALID_REQUEST, message=why)
