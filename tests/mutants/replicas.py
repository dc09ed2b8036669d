"""Mutants of replicas: comparisons off by one, checks left out, wrong errors."""

from __future__ import annotations

from typing import Final

from tests.mutants.kind import Tests, mutants

REPLICA: Final[Tests] = (
    "tests/unit/core/replica/test_partition.py",
    "tests/unit/core/replica/test_progress.py",
    "tests/unit/core/replica/test_following.py",
    "tests/unit/node/test_isr_changes.py",
)
TRANSACTIONS: Final[Tests] = (
    "tests/unit/core/replica/test_producers.py",
    "tests/unit/core/replica/test_transactions.py",
    "tests/unit/core/transactions",
    "tests/unit/core/replica/test_partition.py",
    "tests/unit/node/test_transaction_node.py",
)

REPLICAS = [
    *mutants(
        "core/replica/partition.py",
        REPLICA,
        (
            "a replica joins the ISR below where its leader's epoch begins",
            "            and progress.end >= self.epoch_start\n",
            "",
        ),
        (
            "a replica joins the ISR below the high watermark",
            "            and progress.end >= high_watermark\n",
            "            and progress.end >= high_watermark - 1\n",
        ),
        (
            "a replica that may not joins the ISR",
            "            progress.eligible\n            and progress.end",
            "            progress.end",
        ),
        (
            "the high watermark moves with one in the ISR too few",
            "        if len(self.isr) < self.required_isr:",
            "        if len(self.isr) < self.required_isr - 1:",
        ),
        (
            "a proposed ISR does not bind the leader",
            "        maximal = self.maximal_isr if role.proposal is not None else"
            " frozenset(self.isr)",
            "        maximal = frozenset(self.isr)",
        ),
        (
            "a refused proposal stays",
            "        role.proposal = None\n        self._move_mark(role, now)\n        return",
            "        self._move_mark(role, now)\n        return",
        ),
        (
            "an answer to an older proposal counts",
            "role.proposal is not proposal:\n            return None\n        if partition_epoch",
            "role.proposal is None:\n            return None\n        if partition_epoch",
        ),
        (
            "an older state of the metadata replaces a newer ISR",
            "        if new_epoch or state.partition_epoch > self.partition_epoch:",
            "        if new_epoch or state.partition_epoch < self.partition_epoch:",
        ),
        (
            "an older leader epoch counts",
            " or state.leader_epoch < self.leader_epoch:\n            return RoleChange.NOTHING",
            ":\n            return RoleChange.NOTHING",
        ),
        (
            "a new leader without records has no place in the epochs' history",
            "            if state.leader_epoch > self.log.epochs.latest:\n"
            "                # Also without records: followers with other epochs must learn where"
            " they part.\n"
            "                self.log.epochs.assign(state.leader_epoch, self.log.next)\n",
            "",
        ),
        (
            "a follower's high watermark passes its own end",
            "        mark = min(mark, log.end)\n",
            "",
        ),
        (
            "a fenced leader epoch is called unknown",
            "            return Error.FENCED_LEADER_EPOCH\n",
            "            return Error.UNKNOWN_LEADER_EPOCH\n",
        ),
        (
            "a partition without enough replicas requires more than it has",
            "        return min(self.rules.min_isr, max(len(self.replicas), 1))",
            "        return self.rules.min_isr",
        ),
    ),
    *mutants(
        "core/replica/replica_log.py",
        REPLICA,
        (
            "a cut keeps the high watermark",
            "        self.high_watermark = min(max(self.high_watermark, log.start), log.end)\n",
            "        self.high_watermark = max(self.high_watermark, log.start)\n",
        ),
        (
            "a cut keeps the producers that it has cut",
            "        self.producers = ProducerStateManager(log.producers)\n"
            "        self.transactions = OngoingTransactions(log.producers, log.end)\n",
            "        self.transactions = OngoingTransactions(log.producers, log.end)\n",
        ),
        (
            "a follower that ends in its epoch's last record diverges",
            "        if mine.epoch < last_epoch or mine.offset < offset:",
            "        if mine.epoch < last_epoch or mine.offset <= offset:",
        ),
        (
            "a transaction of an earlier epoch counts as begun",
            "            self.producers.epoch_of(producer_id) >= epoch\n",
            "            self.producers.epoch_of(producer_id) >= epoch - 1\n",
        ),
    ),
    *mutants(
        "core/replica/isr.py",
        REPLICA,
        (
            "a broker joins under an older registration",
            " and self.broker_epoch in (-1, self.eligible_epoch)",
            "",
        ),
        (
            "a follower that lags for exactly the limit has fallen behind",
            "now - self.caught_up_at <= lag_max",
            "now - self.caught_up_at < lag_max",
        ),
        (
            "a follower is caught up since it asked last, not since it was",
            "max(self.caught_up_at, self.fetched_at)",
            "now",
        ),
        (
            "one that is about to join does not hold the high watermark",
            "                or (progress.eligible and progress.is_caught_up(end, now, lag_max))\n",
            "",
        ),
        (
            "one on a dead disk holds the high watermark",
            "(progress.eligible and progress.is_caught_up(end, now, lag_max))",
            "(progress.is_caught_up(end, now, lag_max))",
        ),
        (
            "a deletion waits for brokers that are gone",
            " if alive.get(b) is not None)])",
            ")])",
        ),
    ),
    *mutants(
        "core/replica/producer_state_manager.py",
        TRANSACTIONS,
        (
            "a batch of an older producer epoch is appended",
            "        if batch.producer_epoch < known.epoch:",
            "        if batch.producer_epoch < known.epoch - 1:",
        ),
        (
            "a new epoch begins anywhere",
            "            if batch.base_sequence != 0:",
            "            if batch.base_sequence < 0:",
        ),
        (
            "a batch that overlaps another is its duplicate",
            "                and appended.last_sequence == last_sequence\n",
            "",
        ),
        (
            "a gap in the sequence is let through",
            "        if batch.base_sequence != expected:",
            "        if batch.base_sequence < expected:",
        ),
        (
            "a marker of an older coordinator is appended",
            "        if coordinator_epoch < known.coordinator_epoch:",
            "        if coordinator_epoch < known.coordinator_epoch - 1:",
        ),
        (
            "a marker ends the next transaction",
            "        if epoch < known.epoch or is_next:",
            "        if epoch < known.epoch:",
        ),
        (
            "a producer whose transaction is open is forgotten",
            "p.last_timestamp <= before_ms and id not in keep",
            "p.last_timestamp <= before_ms",
        ),
        (
            "sequences do not wrap around",
            "    return (sequence + delta) % SEQUENCES",
            "    return sequence + delta",
        ),
    ),
    *mutants(
        "core/replica/ongoing_transactions.py",
        TRANSACTIONS,
        (
            "readers pass a marker that is not committed yet",
            "if pair[1] >= high_watermark]",
            "if pair[1] > high_watermark]",
        ),
        (
            "a transaction begins at its last batch",
            "        if producer_id not in self.open:\n            self.open",
            "        if producer_id >= 0:\n            self.open",
        ),
        (
            "the last aborted record is read",
            "if a.last >= offset and a.first < limit)",
            "if a.last > offset and a.first < limit)",
        ),
        (
            "the first record of an aborted transaction is read",
            "if a.last >= offset and a.first < limit)",
            "if a.last >= offset and a.first < limit - 1)",
        ),
    ),
]
