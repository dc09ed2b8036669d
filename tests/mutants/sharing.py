"""Mutants of share groups and their coordinators (KIP-932), and of producers whose epochs end."""

from __future__ import annotations

from typing import Final

from tests.mutants.kind import Tests, mutants

SHARES: Final[Tests] = ("tests/unit/core/share",)
GROUPS: Final[Tests] = (
    "tests/unit/core/groups/test_share_groups.py",
    "tests/unit/core/groups/test_share_group_random.py",
    "tests/unit/core/groups/test_share_decisions.py",
)
PRODUCERS: Final[Tests] = ("tests/unit/core/transactions",)

SHARING = [
    *mutants(
        "core/share/record_runs.py",
        SHARES,
        (
            "what is being written is handed out",
            "        return self.state is DeliveryState.AVAILABLE and self.change is None",
            "        return self.state is DeliveryState.AVAILABLE",
        ),
        (
            "the start moves past what is not kept yet",
            "        return self.state.is_final and self.change is None",
            "        return self.state.is_final",
        ),
    ),
    *mutants(
        "core/share/share_partition.py",
        SHARES,
        (
            "what could not be kept is over",
            "            if error:\n                run.state, run.member =",
            "            if error and run.member:\n                run.state, run.member =",
        ),
        (
            "a member ends what another one has",
            "            if run.member != member:",
            "            if not run.member:",
        ),
        (
            "a record is delivered once more than it may be",
            "run.count >= self.limits.deliveries",
            "run.count > self.limits.deliveries",
        ),
        (
            "an aborted record is handed out",
            "            if base in skipped:",
            "            if base in skipped and base < self.start:",
        ),
        (
            "new records are handed out while too many are in flight",
            "            if ask.strict or self.end > most:\n",
            "            if ask.strict:\n",
        ),
        (
            "a strict limit does not look at what is in flight",
            "            if ask.strict or self.end > most:\n",
            "            if self.end > most:\n",
        ),
        (
            "behind a batch that was cut the next one is handed out",
            "            if upto < last:\n                break\n",
            "",
        ),
        (
            "a lock that has ended comes back where that could not be written",
            "            change.runs = []\n",
            "",
        ),
        (
            "a delivery that was taken back counts",
            "                run.count -= 1\n",
            "",
        ),
        (
            "a member that goes takes along what others have",
            "if run.is_locked and run.member == member]",
            "if run.is_locked]",
        ),
        (
            "records are handed out that the log does not have any more",
            "        del self._runs[: self._index(offset)]\n        self.start = offset\n",
            "        self.start = offset\n",
        ),
    ),
    *mutants(
        "core/share/state_batches.py",
        SHARES,
        (
            "a write that comes late undoes a younger one",
            "key=lambda b: (b.deliveries, b.state))",
            "key=lambda b: (b.state, b.deliveries))",
        ),
    ),
    *mutants(
        "core/share/share_coordinator_shard.py",
        SHARES,
        (
            "an older leader writes",
            "            elif state.leader_epoch > write.leader_epoch != -1:",
            "            elif state.leader_epoch > write.leader_epoch + 1 != 0:",
        ),
        (
            "a leader of before a new start writes",
            "            elif state.state_epoch > write.state_epoch != -1:",
            "            elif state.state_epoch > write.state_epoch + 1 != 0:",
        ),
        (
            "a leader that reads fences none",
            "            elif leader_epoch in (-1, state.leader_epoch):",
            "            elif leader_epoch >= -1:",
        ),
        (
            "an older start takes the place of a younger one",
            "            if state is not None and state.state_epoch > state_epoch != -1:",
            "            if state is not None and state.state_epoch > state_epoch + 1 != 0:",
        ),
        (
            "a new start forgets the leaders",
            "                leader_epoch=0 if state is None else state.leader_epoch,\n",
            "",
        ),
        (
            "a snapshot has the last update alone",
            "            batches=combined(state.batches, write.batches, start),\n        )\n"
            "        return SnapshotRecord",
            "            batches=combined((), write.batches, start),\n        )\n"
            "        return SnapshotRecord",
        ),
        (
            "two changes of a share partition are under way at once",
            "        if not kept.busy:\n            self._go_on(key, kept)",
            "        kept.busy = False\n        self._go_on(key, kept)",
        ),
        (
            "the records of a state may go before its snapshot",
            "        if kept.at < 0:\n            kept.at = at\n",
            "        kept.at = at\n",
        ),
        (
            "questions that wait have no answer when another broker leads",
            "            while each.turns:\n"
            "                each.turns.popleft()[1](ShareOutcome(Error.NOT_COORDINATOR))\n",
            "            each.turns.clear()\n",
        ),
        (
            "a write that was refused counts",
            "                kept.busy = False\n                then(ShareOutcome(result))",
            "                kept.busy = False\n                then(ShareOutcome())",
        ),
        (
            "a state stays for ever whose topic went unheard",
            "            if self._is_wrong(key):\n                self._enqueue",
            "            if key.partition < 0:\n                self._enqueue",
        ),
    ),
    *mutants(
        "core/groups/share_group.py",
        GROUPS,
        (
            "a coordinator that takes over waits for silent members for ever",
            "        for member_id in self.metadata.members:\n"
            "            self._heard_of(member_id)\n        if",
            "        if",
        ),
        (
            "a member that joined late stays for ever",
            "            self._heard_of(beat.member_id)\n            if wanted",
            "            if waits:\n                self._heard_of(beat.member_id)\n"
            "            if wanted",
        ),
        (
            "a deletion that was under way when the coordinator moved is over",
            "        if self.metadata.states.deleting:\n"
            "            self._delete_states(_ignored)\n\n",
            "\n",
        ),
        (
            "a deletion that failed is over",
            "            if draft.group.states.deleting and not self._deletions:",
            "            if draft.group.states.deleting and self._deletions:",
        ),
        (
            "a client waits for ever for what could not be written",
            "        self._enqueue(GroupTurn(act, refuse))\n\n    def alter",
            "        self._enqueue(GroupTurn(act, None))\n\n    def alter",
        ),
        (
            "changed topics are forgotten where the batch is refused",
            "        def undo() -> None:\n            self._topics_changed = True\n\n"
            "        self._store(draft, turn, counts, undo)",
            "        def undo() -> None:\n            pass\n\n"
            "        self._store(draft, turn, counts, undo)",
        ),
    ),
    *mutants(
        "core/groups/share_decisions.py",
        GROUPS,
        (
            "what is kept of a topic stays that went unheard",
            "        if topics_changed:\n            self._forget_gone()\n",
            "",
        ),
        (
            "what was deleted while it was made is known",
            "        done = {t: named for t, named in done.items() if t in states.initializing}\n",
            "",
        ),
        (
            "partitions are given whose states are not made",
            "            named = None if topic_id is None"
            " else self.group.states.initialized.get(topic_id)",
            "            named = None if topic_id is None"
            " else self.group.states.initializing.get(topic_id)",
        ),
        (
            "a group without a member that has a new partition is not dealt again",
            "        due = epoch <= self.group.assignment_epoch and self._is_pending()",
            "        due = epoch < self.group.assignment_epoch and self._is_pending()",
        ),
    ),
    *mutants(
        "core/transactions/transaction.py",
        PRODUCERS,
        (
            "a fenced producer gets the id of the newcomer that fenced it",
            "        return Error.PRODUCER_FENCED if rotated else self.not_ours(expected.epoch)",
            "        return Error.NONE if rotated else self.not_ours(expected.epoch)",
        ),
        (
            "a producer goes on with the very last epoch",
            "        used_up = own.epoch == EPOCH_MAX and self.stored.next_id == NO_ID",
            "        used_up = own.epoch > EPOCH_MAX",
        ),
    ),
    *mutants(
        "core/transactions/transaction_coordinator_shard.py",
        PRODUCERS,
        (
            "a partition takes part, from memory, in an epoch that was never written",
            " and not known.fence_failed:",
            ":",
        ),
        (
            "a partition is confirmed from memory in an epoch that was never written",
            " and (txn is None or not txn.fence_failed):",
            ":",
        ),
    ),
]
