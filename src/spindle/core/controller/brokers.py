"""Brokers come, live and go: registration, heartbeats, fencing, controlled shutdown (KIP-631).

Decisions for BrokerRegistration, BrokerHeartbeat and UnregisterBroker, and for sessions that have
run out. `now` is in seconds and handed in; sessions are soft state, which
a heartbeat writes at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from spindle.core.controller import directories
from spindle.core.controller.broker_sessions import BrokerSession, BrokerSessions
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.core.controller.elections import concerned, elect_leaderless, remove_broker
from spindle.core.logdirs.placement import DirectoryCapacities
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.ids import DirectoryId, Endpoint, NodeId, VersionRange, is_reserved


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """BrokerRegistration: a broker's process presents itself."""

    broker_id: NodeId
    cluster_id: str
    incarnation_id: DirectoryId
    endpoints: tuple[Endpoint, ...] = ()
    features: Mapping[str, VersionRange]
    rack: str | None = None
    log_dirs: tuple[DirectoryId, ...] = ()
    previous_epoch: int = -1
    """Epoch in which its last process stopped cleanly; -1: it did not."""
    from_zookeeper: bool = False


def register(
    state: ControllerState,
    sessions: BrokerSessions,
    asked: Registration,
    next_offset: int,
    now: float,
) -> ControllerResult[int]:
    """A broker's epoch: `next_offset` for a new process, its old one for the same process again.

    Refusals in Kafka's order: INCONSISTENT_CLUSTER_ID, DUPLICATE_BROKER_REGISTRATION while another
    process is heard (one that this controller never heard may be replaced, B-29),
    BROKER_ID_NOT_REGISTERED for ZooKeeper's brokers, INVALID_REGISTRATION for bad directories
    (K858-04) or no metadata.version, UNSUPPORTED_VERSION for features out of range.
    """
    known = state.image.brokers.get(asked.broker_id)
    same = known is not None and known.incarnation_id == asked.incarnation_id
    _check_registration(state, sessions, asked, now)
    draft = Draft(state)
    if known is not None and not same:
        clean = asked.previous_epoch == known.broker_epoch
        gone = concerned(draft, asked.broker_id)
        if not clean:
            gone += [id for id, p in draft.hosted(asked.broker_id) if asked.broker_id in p.elr]
        remove_broker(draft, asked.broker_id, gone, unclean=not clean)
    record = r.RegisterBroker(
        broker_id=asked.broker_id,
        incarnation_id=asked.incarnation_id,
        broker_epoch=next_offset,
        endpoints=asked.endpoints,
        features=tuple(asked.features.items()),
        rack=asked.rack,
        log_dirs=asked.log_dirs if state.directories_supported else (),
    )
    if known is not None and same:
        record = replace(
            record,
            broker_epoch=known.broker_epoch,
            fenced=known.fenced,
            in_controlled_shutdown=known.in_controlled_shutdown,
            cordoned_log_dirs=known.cordoned_log_dirs,
        )
    draft.add(record)
    if same:
        _drop_unregistered(draft, asked.broker_id)
        if not record.fenced:
            elect_leaderless(draft)  # a directory may be back (B-13)
    return draft.decision(record.broker_epoch, atomic=False)


def _drop_unregistered(draft: Draft, broker: NodeId) -> None:
    """A process that amends its registration may have lost directories since."""
    image = draft.state.image
    lost = [
        id
        for id in concerned(draft, broker)
        if (partition := draft.partition(id)) is not None
        and not draft.directory_is_online(broker, image.directory_of(partition, broker))
    ]
    remove_broker(draft, broker, lost)


def _check_registration(
    state: ControllerState, sessions: BrokerSessions, asked: Registration, now: float
) -> None:
    broker, known = asked.broker_id, state.image.brokers.get(asked.broker_id)
    if asked.cluster_id != state.cluster_id:
        raise Refusal(
            Error.INCONSISTENT_CLUSTER_ID,
            f"this is cluster {state.cluster_id}, broker {broker} belongs to {asked.cluster_id}",
        )
    if (
        known is not None
        and known.incarnation_id != asked.incarnation_id
        and sessions.is_valid(broker, known.broker_epoch, now)
        and not (sessions.is_adopted(broker) and _takes_its_place(asked, known))
    ):
        raise Refusal(
            Error.DUPLICATE_BROKER_REGISTRATION,
            f"another process is broker {broker}; if it was this one before a restart, its session"
            f" ends within {sessions.timeout:g} s",
        )
    if asked.from_zookeeper:
        raise Refusal(Error.BROKER_ID_NOT_REGISTERED, "ZooKeeper's brokers cannot register here")
    if state.directories_supported:
        _check_directories(state, asked)
    _check_features(state, asked)


def _takes_its_place(asked: Registration, known: r.RegisterBroker) -> bool:
    """Whether a process has directories of the one before it, which are locked, and its addresses.

    So the one before has ended. Its session need not run out then where only an earlier controller
    heard it, as after a power cut of all; two processes that are both heard are a mistake.
    """
    has_its_locks = not set(known.log_dirs).isdisjoint(asked.log_dirs)
    return has_its_locks and set(asked.endpoints) == set(known.endpoints)


def _check_directories(state: ControllerState, asked: Registration) -> None:
    def refuse(why: str) -> Refusal:
        return Refusal(Error.INVALID_REGISTRATION, f"broker {asked.broker_id}: {why}")

    if not asked.log_dirs:
        raise refuse("no log directory is named")
    for directory in asked.log_dirs:
        if is_reserved(directory):
            raise refuse(f"directory id {directory} is reserved")
    if len(set(asked.log_dirs)) != len(asked.log_dirs):
        raise refuse("a directory id is named twice")
    for other in state.image.brokers.values():
        if other.broker_id != asked.broker_id:
            for directory in other.log_dirs:
                if directory in asked.log_dirs:
                    raise refuse(
                        f"directory {directory} belongs to broker {other.broker_id}: was a disk"
                        " copied with its meta.properties?"
                    )


def _check_features(state: ControllerState, asked: Registration) -> None:
    finalized = state.image.features
    for name, level in finalized.items():
        offered = asked.features.get(name)
        if offered is not None and level and not offered.min <= level <= offered.max:
            raise Refusal(
                Error.UNSUPPORTED_VERSION,
                f"the cluster's {name} is {level}, broker {asked.broker_id} supports"
                f" {offered.min} to {offered.max}",
            )
    if METADATA_VERSION not in asked.features:
        raise Refusal(
            Error.INVALID_REGISTRATION, f"broker {asked.broker_id} names no {METADATA_VERSION}"
        )
    for name, level in finalized.items():
        if level and name not in asked.features:
            raise Refusal(
                Error.UNSUPPORTED_VERSION,
                f"the cluster's {name} is {level}, broker {asked.broker_id} does not know it",
            )


# --- heartbeats ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """BrokerHeartbeat: the broker is there, has read so far, and wants this."""

    broker_id: NodeId
    broker_epoch: int
    metadata_offset: int
    want_fence: bool = False
    want_shut_down: bool = False
    offline_dirs: tuple[DirectoryId, ...] = ()
    cordoned_dirs: tuple[DirectoryId, ...] | None = None
    rooms: DirectoryCapacities[DirectoryId] | None = None
    """What its directories have to offer (B-24); None: as it was, or it never tells."""


@dataclass(frozen=True, slots=True)
class HeartbeatAnswer:
    """The answer to the broker; `odd_dirs` are offline ids that it never registered, once each."""

    is_caught_up: bool
    is_fenced: bool
    should_shut_down: bool
    odd_dirs: tuple[DirectoryId, ...] = ()


def heartbeat(
    state: ControllerState, sessions: BrokerSessions, beat: Heartbeat, next_offset: int, now: float
) -> ControllerResult[HeartbeatAnswer]:
    """The broker's next state, by KIP-631's table; then its directories. Touches its session.

    Notes what it says of the room in its directories. Refusal STALE_BROKER_EPOCH where the broker
    is not registered with this epoch.
    """
    registration = state.check_broker_epoch(beat.broker_id, beat.broker_epoch)
    caught_up = beat.metadata_offset >= state.registered_at[beat.broker_id]
    session = sessions.touch(beat.broker_id, beat.broker_epoch, now)
    session.metadata_offset = max(session.metadata_offset, beat.metadata_offset)
    if beat.rooms is not None:
        state.rooms[beat.broker_id] = (beat.broker_epoch, beat.rooms)
    draft = Draft(state)
    shut_down = False
    if registration.fenced:
        if beat.want_shut_down:
            fence(draft, registration)
            shut_down = True
        elif not beat.want_fence and caught_up and not session.stopped:
            unfence(draft, registration)
    elif registration.in_controlled_shutdown:
        shut_down = _may_stop(state, sessions, session, beat.broker_id)
        if shut_down:
            fence(draft, registration)
    elif beat.want_shut_down:
        shut_down = beat.want_fence or not state.led.get(beat.broker_id)
        if shut_down:
            fence(draft, registration)
        else:
            begin_shutdown(draft, registration)
    elif beat.want_fence:
        fence(draft, registration)
    session.stopped = session.stopped or shut_down
    odd = tuple(
        d
        for d in dict.fromkeys(beat.offline_dirs)
        if d not in registration.log_dirs and d not in session.odd_dirs
    )
    _directories(draft, beat, registration)
    after = draft.broker(beat.broker_id)
    assert after is not None
    if after.in_controlled_shutdown and not registration.in_controlled_shutdown:
        session.shutdown_offset = next_offset + len(draft.records) - 1
    session.odd_dirs.update(dict.fromkeys(beat.offline_dirs))
    answer = HeartbeatAnswer(caught_up, after.fenced, shut_down, odd)
    return draft.decision(answer, atomic=False)


def _directories(draft: Draft, beat: Heartbeat, registration: r.RegisterBroker) -> None:
    if not draft.state.directories_supported:
        return
    current = draft.broker(registration.broker_id)
    assert current is not None
    directories.take_offline(draft, current, beat.offline_dirs)
    directories.cordon(draft, current, beat.cordoned_dirs)


def _may_stop(
    state: ControllerState, sessions: BrokerSessions, session: BrokerSession, broker: NodeId
) -> bool:
    """No part treats the broker as a leader any more: not the metadata, nor its readers."""
    if state.led.get(broker):
        return False
    shutdown_offset = session.shutdown_offset or 0
    return all(
        sessions.offset_of(other) >= shutdown_offset
        for other in state.image.brokers
        if state.image.is_active(other)
    )


def fence(draft: Draft, registration: r.RegisterBroker) -> None:
    """Take a broker out of everything, then mark it fenced."""
    remove_broker(draft, registration.broker_id, concerned(draft, registration.broker_id))
    draft.add(_change(registration, fenced=1))


def unfence(draft: Draft, registration: r.RegisterBroker) -> None:
    """A broker may serve again: mark it, then give it what lacks a leader."""
    draft.add(_change(registration, fenced=-1))
    elect_leaderless(draft)


def begin_shutdown(draft: Draft, registration: r.RegisterBroker) -> None:
    """A broker wants to stop: mark it, then move its leaderships and ISR places away."""
    draft.add(_change(registration, in_controlled_shutdown=1))
    remove_broker(draft, registration.broker_id, concerned(draft, registration.broker_id))


def _change(
    registration: r.RegisterBroker, fenced: int = 0, in_controlled_shutdown: int = 0
) -> r.BrokerRegistrationChange:
    return r.BrokerRegistrationChange(
        broker_id=registration.broker_id,
        broker_epoch=registration.broker_epoch,
        fenced=fenced,
        in_controlled_shutdown=in_controlled_shutdown,
    )


def expire(
    state: ControllerState, sessions: BrokerSessions, now: float
) -> ControllerResult[NodeId] | None:
    """Fence one unfenced broker whose session has run out; None where there is none.

    One at a time, so that the next one's partitions see where the first one's leaders went.
    """
    for broker, registration in state.image.brokers.items():
        if not registration.fenced and not sessions.is_valid(
            broker, registration.broker_epoch, now
        ):
            draft = Draft(state)
            fence(draft, registration)
            return draft.decision(broker, atomic=False)
    return None


def bury(
    state: ControllerState, sessions: BrokerSessions, broker: NodeId, epoch: int
) -> ControllerResult[bool]:
    """Fence a broker whose process is dead (B-29); whether it was still to be fenced.

    Its session ends: its next process may register at once.
    """
    registration = state.image.brokers.get(broker)
    draft = Draft(state)
    due = registration is not None and registration.broker_epoch == epoch
    if registration is not None and due:
        sessions.forget(broker)
        due = not registration.fenced
        if due:
            fence(draft, registration)
    return draft.decision(due, atomic=False)


def unregister(state: ControllerState, broker: NodeId) -> ControllerResult[None]:
    """UnregisterBroker: forget a broker. Refusal BROKER_ID_NOT_REGISTERED."""
    registration = state.image.brokers.get(broker)
    if registration is None:
        raise Refusal(Error.BROKER_ID_NOT_REGISTERED, f"broker {broker} is not registered")
    draft = Draft(state)
    remove_broker(draft, broker, concerned(draft, broker))
    draft.add(r.UnregisterBroker(broker_id=broker, broker_epoch=registration.broker_epoch))
    return draft.decision(None, atomic=False)
