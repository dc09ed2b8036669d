"""Mutants of coordinators and the controller: off by one, checks left out, wrong errors."""

from __future__ import annotations

from typing import Final

from tests.mutants.kind import Tests, mutants

TRANSACTIONS: Final[Tests] = (
    "tests/unit/core/transactions",
    "tests/unit/node/test_transaction_node.py",
)
GROUPS: Final[Tests] = ("tests/unit/core/groups", "tests/unit/node/test_groups.py")
CONTROLLER: Final[Tests] = ("tests/unit/core/controller", "tests/unit/node/test_controller.py")

COORDINATORS = [
    *mutants(
        "core/transactions/transaction_coordinator_shard.py",
        TRANSACTIONS,
        (
            "markers go out before the decision is committed",
            "        self._store(txn, decided, done)\n\n    def _fence",
            "        self._store(txn, decided, done)\n        self._completing.mark(txn)\n\n"
            "    def _fence",
        ),
        (
            "another epoch of a producer adds partitions",
            "        if txn.stored.producer.epoch != producer.epoch:",
            "        if txn.stored.producer.epoch < producer.epoch:",
        ),
        (
            "another producer adds partitions",
            "        if txn is None or txn.stored.producer.producer_id != producer.producer_id:",
            "        if txn is None:",
        ),
        (
            "a producer that goes on is fenced from memory",
            "            self._tell(txn.transactional_id, expected, step, then)",
            "            then(step)",
        ),
        (
            "memory answers a producer that it may not add partitions",
            "            self._tell(transactional_id, producer, refused, then)",
            "            then(refused)",
        ),
        (
            "a partition takes part already, from memory",
            "                self._tell(transactional_id, producer, Error.NONE, then)",
            "                then(Error.NONE)",
        ),
        (
            "a partition takes part already, from memory, whatever the transaction's version",
            "            if bumps and stored.version >= BUMPING and",
            "            if bumps and",
        ),
        (
            "a partition that takes part already is confirmed where epochs do",
            "            if bumps and stored.version >= BUMPING and",
            "            if bumps and stored.version < 0 and",
        ),
        (
            "a partition is denied from memory",
            "        if not any(told.values()) and (",
            "        if told and (",
        ),
        (
            "the end of an unknown id is refused from memory",
            "            self._tell(transactional_id, producer,"
            " Error.INVALID_PRODUCER_ID_MAPPING, then)",
            "            then(Error.INVALID_PRODUCER_ID_MAPPING)",
        ),
        (
            "an end is refused from memory",
            "            self._tell(transactional_id, producer, step, then)",
            "            then(step)",
        ),
        (
            "an end is confirmed from memory",
            "            self._tell(transactional_id, producer, txn.stored.producer, then)",
            "            then(txn.stored.producer)",
        ),
        (
            "a decision that was not committed is acted upon",
            "            if error:\n                then(error)\n                return\n"
            "            txn.last_epoch = last",
            "            if error:\n                then(error)\n            txn.last_epoch = last",
        ),
        (
            "a transaction that was decided waits after a change of the coordinator",
            "                self._completing.mark(txn)\n\n    def close",
            "                pass\n\n    def close",
        ),
        (
            "a transaction times out at its limit",
            "            late = now_ms - txn.stored.started_ms > txn.stored.timeout_ms",
            "            late = now_ms - txn.stored.started_ms >= txn.stored.timeout_ms",
        ),
        (
            "a fence takes no new epoch",
            "        if not txn.fence_failed and epoch < (1 << 15) - 1:",
            "        if txn.fence_failed and epoch < (1 << 15) - 1:",
        ),
        (
            "a fence takes another epoch after one that no producer has heard of",
            "        if not txn.fence_failed and epoch < (1 << 15) - 1:",
            "        if epoch < (1 << 15) - 1:",
        ),
        (
            "a coordinator that is none any more answers",
            "        if self._closed or isinstance(next_id, Error):",
            "        if isinstance(next_id, Error):",
        ),
        (
            "a transaction is complete before that is committed",
            "            txn.pending = None\n            if not error:\n                txn.take",
            "            txn.pending = None\n            if txn:\n                txn.take",
        ),
        (
            "a timeout is as long as a producer wants",
            "        if not 0 < timeout_ms <= self._limits.timeout_max:",
            "        if not 0 < timeout_ms:",
        ),
        (
            "a partition that was added is written again",
            "        if ongoing and not added:",
            "        if not ongoing and not added:",
        ),
    ),
    *mutants(
        "core/transactions/completing.py",
        TRANSACTIONS,
        (
            "markers for an older decision complete a newer one",
            "        if self._closed or txn.stored is not decided:",
            "        if self._closed:",
        ),
    ),
    *mutants(
        "core/transactions/descriptions.py",
        TRANSACTIONS,
        (
            "an answer counts although its confirmation was not committed",
            "            self._append([record], lambda failed: then(failed or answer))",
            "            self._append([record], lambda failed: then(answer))",
        ),
        (
            "a state is confirmed behind a change that is being written",
            "        elif txn is not None and txn.pending is not None:\n"
            "            then(Error.CONCURRENT_TRANSACTIONS)\n",
            "",
        ),
        (
            "an unknown id is confirmed by nothing",
            "        elif txn is not None and txn.pending is not None:",
            "        elif txn is None:\n            then(answer)\n"
            "        elif txn.pending is not None:",
        ),
        (
            "memory answers a fenced producer, whatever its epoch",
            "is Error.PRODUCER_FENCED and txn is not None and txn.has_left(producer)",
            "is Error.PRODUCER_FENCED",
        ),
        (
            "every fence is confirmed",
            "        if answer in _ASK_AGAIN or is_left:",
            "        if answer in _ASK_AGAIN:",
        ),
        (
            "what says to ask again is confirmed",
            "        if answer in _ASK_AGAIN or is_left:",
            "        if is_left:",
        ),
    ),
    *mutants(
        "core/transactions/transaction.py",
        TRANSACTIONS,
        (
            "an epoch is over although the one above it was never committed",
            "            and not self.fence_failed\n",
            "",
        ),
        (
            "an epoch of another producer id is over",
            "            and producer.producer_id == own.producer_id\n",
            "",
        ),
        (
            "the epoch that a producer has is over",
            "            and producer.epoch < own.epoch\n",
            "            and producer.epoch <= own.epoch\n",
        ),
        (
            "a producer goes on with an epoch that was never its own",
            "expected.epoch in (own.epoch, self.last_epoch):",
            "expected.epoch <= own.epoch:",
        ),
        (
            "an EndTxn of the epoch before counts as new",
            "and (overflown or producer.epoch + 1 == own.epoch) and",
            "and overflown and",
        ),
        (
            "an id goes on beyond its last epoch",
            "        return own.is_exhausted and (expected is None or expected.epoch == own.epoch)",
            "        return own.is_exhausted and expected is None",
        ),
    ),
    *mutants(
        "core/groups/group.py",
        GROUPS,
        (
            "a member syncs in an older generation",
            "        if ask.generation != self.metadata.generation:\n            return",
            "        if ask.generation > self.metadata.generation:\n            return",
        ),
        (
            "a consumer without a group commits while a group has members",
            "        if self.metadata.state is GroupState.EMPTY and who.generation < 0:",
            "        if who.generation < 0:",
        ),
        (
            "an assignment is given before it is stored",
            "                lambda error: self._rebalance.on_stored(generation, given, error),\n"
            "            )\n\n    def _check_sync",
            "                lambda error: None,\n            )\n"
            "            self._rebalance.on_stored(generation, given, Error.NONE)\n\n"
            "    def _check_sync",
        ),
        (
            "a follower's assignments count",
            "        if member.member_id == self.metadata.leader:\n            given",
            "        if member:\n            given",
        ),
        (
            "a static member gets the id of the one that has taken its place",
            "        if not error and self.metadata.members.get(member_id) is not member:",
            "        if not error and self.metadata.members.get(member.member_id) is not member:",
        ),
        (
            "a commit does not keep a member alive",
            "            return step\n        self._rebalance.heard_of(member)\n"
            "        return Error.NONE",
            "            return step\n        return Error.NONE",
        ),
    ),
    *mutants(
        "core/groups/group_metadata.py",
        GROUPS,
        (
            "a member commits in an older generation",
            "        if isinstance(member, Error) or who.generation == self.generation:",
            "        if isinstance(member, Error) or who.generation <= self.generation:",
        ),
        (
            "a static member that returns leaves the lead to its old id",
            "        if self.leader == old:\n            self.leader = member_id\n",
            "",
        ),
    ),
    *mutants(
        "core/groups/rebalance.py",
        GROUPS,
        (
            "a generation comes back",
            "        self._group.generation += 1\n",
            "        self._group.generation += 1 if len(self._group.members) else 0\n",
        ),
        (
            "an assignment for an older generation is taken",
            " or generation != self._group.generation:\n            return",
            ":\n            return",
        ),
        (
            "an assignment that could not be stored is given",
            "        if error:\n            self._fail_syncs(error)",
            "        if error and not given:\n            self._fail_syncs(error)",
        ),
        (
            "members that wait do not hear that the group is led elsewhere",
            "            member.answer_sync(SyncAnswer(error=error))\n        if self._timer",
            "        if self._timer",
        ),
        (
            "a group that is empty does not write so",
            "            self._store(self._group.record({}), lambda error: None)\n"
            "            return",
            "            return",
        ),
    ),
    *mutants(
        "core/groups/pending.py",
        GROUPS,
        (
            "a marker decides about the next transaction's offsets",
            "r.value.at < offset)",
            "r.value.at <= offset + 1)",
        ),
    ),
    *mutants(
        "core/groups/retention.py",
        GROUPS,
        (
            "offsets go while a consumer subscribes to their topic",
            "        if partition.topic not in subscribed and",
            "        if",
        ),
        (
            "offsets go as long after their commit, though members were there",
            "max(value.commit_ms, left_ms)",
            "value.commit_ms",
        ),
        (
            "offsets go a millisecond late",
            "    return now_ms - since_ms >= retention",
            "    return now_ms - since_ms > retention",
        ),
    ),
]

CONTROLLERS = [
    *mutants(
        "core/controller/isr_proposals.py",
        CONTROLLER,
        (
            "an older leader epoch changes the ISR",
            "        return Error.FENCED_LEADER_EPOCH\n",
            "        pass\n",
        ),
        (
            "an older state of a partition changes the ISR",
            "    if proposal.partition_epoch < partition.partition_epoch:",
            "    if proposal.partition_epoch < partition.partition_epoch - 1:",
        ),
        (
            "a broker that does not lead changes the ISR",
            "    if broker != partition.leader:\n        return Error.INVALID_REQUEST\n",
            "",
        ),
        (
            "an ISR without its leader is taken",
            "    if broker not in members:\n        return Error.INVALID_REQUEST\n",
            "",
        ),
        (
            "an ISR with a stranger is taken",
            " or not set(members) <= set(partition.replicas):",
            ":",
        ),
        (
            "a fenced broker joins the ISR",
            "        and draft.is_active(member)\n",
            "",
        ),
        (
            "a broker of an older registration joins the ISR",
            "        and epoch in (ANY_EPOCH, registration.broker_epoch)\n",
            "",
        ),
        (
            "a replica on a dead disk joins the ISR",
            "        and draft.directory_is_online(member,"
            " draft.state.image.directory_of(partition, member))\n",
            "",
        ),
        (
            "a leader whose reassignment has ended leads on",
            "    if after.leader not in (broker, NO_LEADER):",
            "    if after.leader == NO_LEADER:",
        ),
        (
            "a proposal from the future is called fenced",
            "        return Error.NOT_CONTROLLER",
            "        return Error.FENCED_LEADER_EPOCH",
        ),
        (
            "a stale broker epoch changes the ISR",
            "    state.check_broker_epoch(broker, epoch)\n",
            "",
        ),
    ),
    *mutants(
        "core/controller/change.py",
        CONTROLLER,
        (
            "a broker on a dead disk is elected",
            "            and draft.directory_is_online(broker, target.directories[broker])\n",
            "",
        ),
        (
            "a broker that may have lost records is elected",
            "            and broker != wanted.unclean\n",
            "",
            "It is barred as well: both are said of it at the same places.",
        ),
        (
            "a reassignment ends before its newcomers are in the ISR",
            "    if replicas and isr and set(awaited) <= set(isr):",
            "    if replicas and isr:",
        ),
        (
            "a replica that leaves keeps its leader's epoch",
            '        said["leader"] = old.leader\n    if target.replicas',
            "        pass\n    if target.replicas",
        ),
        (
            "an ISR of exactly min.insync.replicas has eligible leaders beside it",
            "    if len(target.isr) >= enough:",
            "    if len(target.isr) > enough:",
        ),
        (
            "the last member leaves the ISR",
            "    if target.isr != old.isr and (target.isr or elr_enabled):",
            "    if target.isr != old.isr:",
        ),
        (
            "an unclean leader does not say so",
            "        target.recovery = RECOVERING\n",
            "",
        ),
    ),
    *mutants(
        "core/controller/brokers.py",
        CONTROLLER,
        (
            "a broker is registered twice",
            "        and sessions.is_valid(broker, known.broker_epoch, now)\n",
            "        and sessions is None\n",
        ),
        (
            "a broker that has not read its own registration is unfenced",
            "    caught_up = beat.metadata_offset >= state.registered_at[beat.broker_id]",
            "    caught_up = beat.metadata_offset >= state.registered_at[beat.broker_id] - 1",
        ),
        (
            "a late heartbeat brings back a broker that has stopped",
            " and not session.stopped:",
            ":",
        ),
        (
            "a broker stops while it leads",
            "    if state.led.get(broker):\n        return False\n",
            "",
            "A broker that begins to shut down loses all leaderships at once, and is given none.",
        ),
        (
            "a broker stops before others know",
            "        sessions.offset_of(other) >= shutdown_offset\n",
            "        sessions.offset_of(other) >= shutdown_offset - 1\n",
        ),
        (
            "an unclean restart keeps its place among the eligible leaders",
            "        if not clean:\n            gone +=",
            "        if clean:\n            gone +=",
        ),
        (
            "two brokers register one disk",
            "                if directory in asked.log_dirs:\n",
            "                if not asked.log_dirs:\n",
        ),
    ),
    *mutants(
        "core/controller/broker_sessions.py",
        CONTROLLER,
        (
            "a session lasts beyond its timeout",
            "            and now < session.heard_at + self.timeout",
            "            and now <= session.heard_at + self.timeout",
        ),
        (
            "a session outlives the registration",
            "            and session.epoch == epoch\n",
            "",
        ),
    ),
    *mutants(
        "core/controller/directories.py",
        CONTROLLER,
        (
            "a replica that only follows stays in the ISR when its disk dies",
            "        and (broker in partition.isr or partition.leader == broker)\n    ]",
            "        and partition.leader == broker\n    ]",
        ),
        (
            "a broker without a disk stays unfenced",
            "    elif not registration.fenced:",
            "    elif registration.fenced:",
        ),
        (
            "a stale broker says where replicas are",
            "    state.check_broker_epoch(broker, epoch)\n",
            "",
        ),
        (
            "a broker without a replica assigns it",
            "    if broker not in partition.replicas:\n"
            "        return Error.NOT_LEADER_OR_FOLLOWER\n",
            "",
        ),
    ),
]
