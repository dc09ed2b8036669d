"""The assignor of share groups, `simple` (KIP-932): partitions are shared where members are more.

Pure. Each topic is spread over its subscribers by itself: each partition has a member, each member
has a partition, the numbers differ by one at most, and a member keeps what it may.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from spindle.core.groups.assignors import Assignable, Assigned
from spindle.model.ids import TopicId


def assign_shared(
    members: Mapping[str, Assignable], free: Mapping[TopicId, Collection[int]]
) -> dict[str, Assigned]:
    """What each member is to have. `free`: the partitions of each topic that can be given."""
    made: dict[str, Assigned] = {member_id: {} for member_id in members}
    load = dict.fromkeys(sorted(members), 0)
    for topic_id in sorted({t for member in members.values() for t in member.topics}):
        subscribers = [id for id in load if topic_id in members[id].topics]
        numbers = sorted(free.get(topic_id, ()))
        if numbers:
            has = {id: set(members[id].has.get(topic_id, ())) for id in subscribers}
            for member_id, given in _spread(subscribers, numbers, has, load).items():
                made[member_id][topic_id] = given
                load[member_id] += len(given)
    return made


def _spread(
    subscribers: list[str], numbers: list[int], has: Mapping[str, set[int]], load: dict[str, int]
) -> dict[str, set[int]]:
    """Partitions of one topic over its subscribers."""
    slots = max(len(subscribers), len(numbers))
    each, more = divmod(slots, len(subscribers))
    share, extra = divmod(slots, len(numbers))
    room = dict.fromkeys(numbers, share)
    spare = extra  # So many partitions may have one member more.
    given: dict[str, set[int]] = {}
    # Those with least elsewhere may have one more, those that have it already first.
    order = sorted(subscribers, key=lambda id: (load[id], -len(has[id]), id))
    quota = {id: each + (place < more) for place, id in enumerate(order)}
    for id in order:
        given[id] = set()
        for number in sorted(has[id] & set(numbers)):
            if len(given[id]) == quota[id]:
                break
            if room[number] > 0:
                room[number] -= 1
            elif room[number] == 0 and spare:
                room[number], spare = -1, spare - 1
            else:
                continue
            given[id].add(number)
    for id in order:
        while len(given[id]) < quota[id]:
            open_ = [n for n in numbers if room[n] > 0 and n not in given[id]]
            if open_:
                number = max(open_, key=lambda n: (room[n], -n))
                room[number] -= 1
            else:
                number = next(n for n in numbers if room[n] == 0 and n not in given[id])
                room[number] = -1
            given[id].add(number)
    return {id: numbers for id, numbers in given.items() if numbers}
