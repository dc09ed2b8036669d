"""Mutants of KIP-848's groups: two owners, members that are out, groups that never rest or change
their protocol badly."""

from __future__ import annotations

from typing import Final

from tests.mutants.kind import Tests, mutants

MEMBERS: Final[Tests] = (
    "tests/unit/core/groups/test_consumer_groups.py",
    "tests/unit/core/groups/test_consumer_group_random.py",
)

MIGRATION: Final[Tests] = (
    "tests/unit/core/groups/test_group_migration.py",
    "tests/unit/core/groups/test_classic_members.py",
)

CONSUMERS = [
    *mutants(
        "core/groups/member_reconciliation.py",
        MEMBERS,
        (
            "a member that does not say what it holds has given it up",
            "    if owned is None:\n        return True",
            "    if owned is None:\n        return False",
        ),
        (
            "what another member holds is given at once",
            "            if target.is_held(topic_id, number):",
            "            if target.is_held(topic_id, number) and not target.partitions:",
        ),
        (
            "a member enters the next epoch before it has given anything up",
            "    if loses and _owns(target.owned, loses):",
            "    if loses and not target.partitions:",
        ),
    ),
    *mutants(
        "core/groups/consumer_group_metadata.py",
        MEMBERS,
        (
            "what a member is still to give up is free",
            "                for part in (other.assigned, other.revoking):",
            "                for part in (other.assigned,):",
        ),
    ),
    *mutants(
        "core/groups/consumer_decisions.py",
        MEMBERS,
        (
            "a group whose members name no topic stays in epoch 0",
            "        epoch = max(self.group.epoch, FIRST_EPOCH)",
            "        epoch = self.group.epoch",
        ),
        (
            "a group waits for the time of a clock that was ahead",
            "        if group.assigned_ms and 0 <= age < self.limits.assignment_interval:",
            "        if group.assigned_ms and age < self.limits.assignment_interval:",
        ),
    ),
    *mutants(
        "core/groups/consumer_identities.py",
        MEMBERS,
        (
            "a member one epoch behind goes on, whatever it holds",
            " and _is_within(beat, known):",
            ":",
        ),
        (
            "an older epoch commits what the member has got since",
            "        if since is None or who.generation < since:",
            "        if since is None:",
        ),
        (
            "a member that is out commits",
            "    known = member(group, who.member_id)\n    if version is not None and",
            "    known = group.members.get(who.member_id)\n    if known is None:\n        return\n"
            "    if version is not None and",
        ),
    ),
    *mutants(
        "core/groups/consumer_timers.py",
        MEMBERS,
        (
            "what is to be given up next has the limit of what was before",
            "        elif self._revoking.get(name) != member.revoking:",
            "        elif name not in self._revoking:",
        ),
    ),
    *mutants(
        "core/groups/consumer_group.py",
        MEMBERS,
        (
            "a coordinator that takes over waits for silent members for ever",
            "            self._heard_of(member)\n"
            "            self._timers.watch_revocation(member)\n\n    def close",
            "            self._timers.watch_revocation(member)\n\n    def close",
        ),
    ),
    *mutants(
        "core/groups/consumer_conversion.py",
        MIGRATION,
        (
            "a group in which members of KIP-848 stay becomes a classic one",
            " or not all(member.is_classic for member in stay):",
            ":",
        ),
        (
            "what cooperative members kept is free where a rebalance began again",
            "        take(member, said[member.member_id].owned)\n",
            "        take(member, {})\n",
        ),
        (
            "a member that goes over has its target, not what it holds",
            "sorted(own | (target - taken))",
            "sorted(target)",
        ),
        (
            "a group that goes over in a rebalance looks settled",
            "        names = set()\n",
            "        pass\n",
        ),
    ),
    *mutants(
        "core/groups/classic_member_requests.py",
        MIGRATION,
        (
            "a member is not told that what it waits for is free",
            "    return state is MemberState.UNRELEASED_PARTITIONS and not group.waits(member)",
            "    return False",
        ),
        (
            "a member of another generation goes on",
            "    if known.epoch != who.generation:",
            "    if known.epoch < who.generation:",
        ),
    ),
    *mutants(
        "core/groups/group_metadata_manager.py",
        MIGRATION,
        (
            "what the last member of KIP-848 had stays without an owner",
            "                if self._converted.get(group_id) == 1:",
            "                if self._converted.get(group_id) == 9:",
        ),
    ),
]
