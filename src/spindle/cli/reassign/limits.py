"""Throttles of a plan while it runs: set, taken away, put back as they were (K113-07, K113-22).

Which settings these are is `throttles`; what stood there before is kept in the
`journal`, so that a later run can finish what a killed one left. Called by
`run`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Mapping, Set
from typing import Final

from spindle.cli.reassign import throttles
from spindle.cli.reassign.reassign_journal import ChangedSetting, Journal, Note
from spindle.cli.reassign.reassignment_plan import Assignment, ReassignmentPlan
from spindle.cli.reassign.reassignment_state import numbers
from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime, Refused, Unreachable
from spindle.client.results import (
    Change,
    Config,
    ConfigChange,
    ConfigSource,
    Reassignment,
    Resource,
    ResourceType,
)
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

Say = Callable[[str], None]

ANSWER_SECONDS: Final = 5.0
"""How long a broker has to answer before its throttles are left for later."""
_OWN: Final = (ConfigSource.TOPIC, ConfigSource.DYNAMIC_BROKER)
"""A value that was set for this very topic or broker."""


async def limit(
    admin: AdminClient,
    plan: ReassignmentPlan,
    rates: tuple[int | None, int | None],
    active: Mapping[TopicPartition, Reassignment],
    current: Assignment,
    say: Say,
    held: Journal | None = None,
    without: Set[int] = frozenset(),
) -> Journal:
    """Hold a plan's copies to (bytes/s between brokers, bytes/s between directories).

    Keep the journal until they have begun: until then no run takes the throttles for left behind.
    `held`: the one of this plan, whose rates change; a broker that has left keeps its own.
    `without`: brokers of the plan that give no answer and take no part.
    """
    rate, move_rate = rates
    topics: throttles.Changes = {}
    brokers: throttles.Changes = {}
    if rate is not None:
        proposed = {n: r for n, r in plan.replicas.items() if n in current or n in active}
        moving = throttles.travels(active, proposed, current)
        topics, brokers = throttles.between_brokers(moving, rate)
    movers: throttles.Changes = {}
    if move_rate is not None:
        movers = throttles.between_directories((r.broker for r in plan.directories), move_rate)
    cluster = await admin.describe_cluster()
    brokers, movers = (_but(part, without) for part in (brokers, movers))
    if held is not None:
        brokers, movers = (_of_live(part, cluster.brokers) for part in (brokers, movers))
    journal = held or Journal(cluster.cluster_id)
    await _note(admin, journal, plan, (topics, brokers, movers), say)
    if rate is not None:
        await change(admin, topics, but_gone=True)
        await change(admin, brokers)
        say(f"The inter-broker throttle limit was set to {rate} B/s")
    if move_rate is not None:
        await change(admin, movers)
        say(f"The replica-alter-dir throttle limit was set to {move_rate} B/s")
    return journal


async def no_higher(
    admin: AdminClient,
    plan: ReassignmentPlan,
    rates: tuple[int | None, int | None],
    say: Say,
    without: Set[int] = frozenset(),
) -> tuple[int | None, int | None]:
    """Rates, as `limit` takes them, that lift no limit of another party on a broker of the plan.

    Kafka limits copies between brokers and copies between directories apart, so each rate is held
    against limits of its own kind. Where the plan has set one, what stood there before counts.
    """
    brokers = sorted(_brokers_of(plan) - without)
    resources = [Resource(ResourceType.BROKER, str(broker)) for broker in brokers]
    found = await _values(admin, {(r, name): "" for r in resources for name in throttles.RATES})
    note = Journal((await admin.describe_cluster()).cluster_id).of(plan)
    for s in note.settings if note else ():
        if found.get((s.resource, s.name)) == s.ours:
            found[s.resource, s.name] = s.before or ""
    rate, move_rate = rates
    return (
        _lowest(rate, found, (throttles.LEADER_RATE, throttles.FOLLOWER_RATE), "brokers", say),
        _lowest(move_rate, found, (throttles.MOVE_RATE,), "directories", say),
    )


def _lowest(
    rate: int | None,
    found: Mapping[tuple[Resource, str], str],
    names: Collection[str],
    between: str,
    say: Say,
) -> int | None:
    if rate is None:
        return None
    told = [int(value) for (_, name), value in found.items() if name in names and value.isdigit()]
    lowest = min(told, default=rate)
    if lowest < rate:
        say(f"a limit of {lowest} B/s between {between} stands for another party: it counts here")
    return min(rate, lowest)


async def put_back(admin: AdminClient, plan: ReassignmentPlan, say: Say) -> None:
    """Put back what a plan's execution had set, and nothing else; what others set since stays."""
    journal = Journal((await admin.describe_cluster()).cluster_id)
    if (note := journal.of(plan)) is None:
        return
    done, left = await _put_back(admin, note)
    journal.keep(plan, left)
    if done:
        say(f"Throttles put back: {_listed(((s.resource, s.name), s.before) for s in done)}")
    if left:
        say(f"Throttles remain until it is back: {_resources(left)}")


async def clear(admin: AdminClient, plan: ReassignmentPlan, say: Say) -> None:
    """Take all throttles away, by Kafka's rule: of all live brokers and of the plan's topics.

    Kafka's tool does not remember which ones it had set. Where we do, what had been there before
    the plan is set again.
    """
    cluster = await admin.describe_cluster()
    journal = Journal(cluster.cluster_id)
    note = journal.of(plan)
    earlier = {
        (s.resource, s.name): s.before
        for s in (note.settings if note else ())
        if s.before is not None
    }
    brokers = sorted(cluster.brokers)
    say(f"Clearing broker-level throttles on broker{_s(brokers)} {numbers(brokers)}")
    silent: Unreachable | OutOfTime | None = None
    try:
        await change(admin, _with(throttles.removed_from_brokers(brokers), earlier))
    except (Unreachable, OutOfTime) as failure:  # The others have theirs; topics are not its.
        silent = failure
    topics = plan.topics
    say(f"Clearing topic-level throttles on topic{_s(topics)} {','.join(topics)}")
    await change(admin, _with(throttles.removed_from_topics(topics), earlier), but_gone=True)
    if silent is not None:
        raise silent
    if earlier:
        say(f"Put back as before: {_listed(earlier.items())}")
    if note is not None:
        journal.keep(plan, ())


async def settle(
    admin: AdminClient,
    but: ReassignmentPlan,
    is_active: Callable[[ReassignmentPlan], Awaitable[bool]],
    tell: Say,
) -> None:
    """Put back the throttles of plans that are over, whose runs have not done so: killed, say."""
    journal = Journal((await admin.describe_cluster()).cluster_id)
    for note in journal.left_behind():
        if note.plan == but:
            continue
        names = ", ".join(map(str, note.plan.replicas))
        if await is_active(note.plan):
            tell(f"the throttles of an earlier run stay: its plan is in progress ({names})")
            continue
        done, left = await _put_back(admin, note)
        journal.keep(note.plan, left)
        if done:
            told = _listed(((s.resource, s.name), s.before) for s in done)
            tell(f"throttles of an earlier run, whose plan is over ({names}): {told}")
        if left:
            tell(f"throttles of an earlier run remain until it is back: {_resources(left)}")


async def change(admin: AdminClient, changes: throttles.Changes, *, but_gone: bool = False) -> None:
    """Make these changes, all of them; `but_gone`: topics that were deleted need none."""
    settled = await admin.incremental_alter_configs(changes).settled() if changes else {}
    for failure in settled.values():
        if failure is not None and not (but_gone and _is_gone(failure)):
            raise failure


async def _note(
    admin: AdminClient,
    journal: Journal,
    plan: ReassignmentPlan,
    changes: Iterable[throttles.Changes],
    say: Say,
) -> None:
    """Write down what stands now where we are going to set something."""
    wanted = {
        (resource, c.name): c.value or ""
        for part in changes
        for resource, each in part.items()
        for c in each
    }
    found = await _values(admin, wanted)
    settings = [ChangedSetting(*key, found.get(key), ours) for key, ours in wanted.items()]
    try:
        journal.write(plan, settings)
    except OSError as error:
        say(
            f"Warning: what the throttles were before cannot be kept in {journal.folder}"
            f" ({error.strerror}): they will be removed, not put back."
        )


async def _put_back(
    admin: AdminClient, note: Note
) -> tuple[list[ChangedSetting], list[ChangedSetting]]:
    """(put back, not possible now): settings that still are what that run had made them.

    A broker that is down, or frozen, keeps none of the others from getting theirs (V-06).
    """
    cluster = await admin.describe_cluster()
    away = [
        s
        for s in note.settings
        if s.resource.type.name == "BROKER" and int(s.resource.name) not in cluster.brokers
    ]
    here = [s for s in note.settings if s not in away]
    silent: set[Resource] = set()
    now = await _values(admin, {(s.resource, s.name): s.ours for s in here}, silent)
    away += [s for s in here if s.resource in silent]
    ours = [s for s in here if now.get((s.resource, s.name)) == s.ours]
    changes: throttles.Changes = {}
    for s in ours:
        changes.setdefault(s.resource, []).append(_back(s.name, s.before))
    settled = await admin.incremental_alter_configs(changes).settled()
    for resource, failure in settled.items():
        if isinstance(failure, (Unreachable, OutOfTime)):
            away += [s for s in ours if s.resource == resource]
        elif failure is not None and not _is_gone(failure):
            raise failure
    return [s for s in ours if s not in away], away


async def _values(
    admin: AdminClient,
    wanted: Mapping[tuple[Resource, str], str],
    silent: set[Resource] | None = None,
) -> dict[tuple[Resource, str], str]:
    """The values that were set explicitly, of these settings.

    With `silent`, brokers that give no answer in ANSWER_SECONDS go there, and are no failure.
    """
    resources = list(dict.fromkeys(resource for resource, _ in wanted))
    if not resources:
        return {}
    limit = None if silent is None else ANSWER_SECONDS
    settled = await admin.describe_configs(resources, timeout=limit).settled()
    values = {}
    for resource, name in wanted:
        configs = settled[resource]
        if isinstance(configs, Exception):
            if _is_gone(configs):
                continue
            if silent is None or not isinstance(configs, (Unreachable, OutOfTime)):
                raise configs
            silent.add(resource)
            continue
        if (config := configs.get(name)) is not None and _is_own(config):
            values[resource, name] = config.value or ""
    return values


def _brokers_of(plan: ReassignmentPlan) -> set[int]:
    named = {replica.broker for replica in plan.directories}
    return named.union(*plan.replicas.values())


def _of_live(changes: throttles.Changes, live: Container[int]) -> throttles.Changes:
    return {resource: each for resource, each in changes.items() if int(resource.name) in live}


def _but(changes: throttles.Changes, brokers: Set[int]) -> throttles.Changes:
    return {r: each for r, each in changes.items() if int(r.name) not in brokers}


def _is_own(config: Config) -> bool:
    return config.source in _OWN and bool(config.value)


def _with(
    changes: throttles.Changes, values: Mapping[tuple[Resource, str], str | None]
) -> throttles.Changes:
    """The same changes, but these settings get these values."""
    return {
        resource: [_back(c.name, values.get((resource, c.name))) for c in each]
        for resource, each in changes.items()
    }


def _back(name: str, before: str | None) -> ConfigChange:
    if before is None:
        return ConfigChange(name, Change.DELETE)
    return ConfigChange(name, Change.SET, before)


def _listed(values: Iterable[tuple[tuple[Resource, str], str | None]]) -> str:
    return ", ".join(
        f"{resource} {name} {'removed' if value is None else value}"
        for (resource, name), value in values
    )


def _resources(settings: Iterable[ChangedSetting]) -> str:
    return ", ".join(sorted({str(s.resource) for s in settings}))


def _is_gone(failure: Exception) -> bool:
    return isinstance(failure, Refused) and failure.error == Error.UNKNOWN_TOPIC_OR_PARTITION


def _s(many: list[int] | list[str]) -> str:
    return "" if len(many) == 1 else "s"
