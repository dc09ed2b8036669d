"""Mutants above storage: metadata log, votes, remembered directories, rim, the tools' journals."""

from __future__ import annotations

from tests.mutants.kind import LOGDIRS, QUORUM, RESCUE, RIM, RUNS, mutants

NODES = [
    *mutants(
        "node/quorum/metadata_log.py",
        QUORUM,
        (
            "the metadata log's records are not synced",
            "sync=self._durable)",
            "sync=False)",
        ),
        (
            "the metadata log counts records before they are durable",
            "self.run(job, done)",
            "self.run(job, lambda now: None)\n        self._remember(batches)\n        then()",
        ),
    ),
    *mutants(
        "node/quorum/quorum_io.py",
        QUORUM,
        (
            "a vote leaves before it is durable",
            "        self._log.run(PutFile(self._config.metadata_dir, STATE_FILE, data),"
            " lambda _: then())",
            "        self._log.run(PutFile(self._config.metadata_dir, STATE_FILE, data),"
            " lambda _: None)\n        then()",
        ),
        (
            "votes are not written durably",
            "STATE_FILE, data), lambda _: then())",
            "STATE_FILE, data, durable=False), lambda _: then())",
        ),
        (
            "the log begins at a snapshot that is not there yet",
            '        self._log.run(PutFile(self._config.metadata_dir, f"{FOLDER}/{name}", data),'
            " stored)",
            "        self._log.reset(snapshot.offset, reset)\n"
            '        self._log.run(PutFile(self._config.metadata_dir, f"{FOLDER}/{name}", data),'
            " lambda _: None)",
        ),
    ),
    *mutants(
        "node/quorum/snapshotting.py",
        QUORUM,
        (
            "the log may be cleaned before its snapshot is there",
            '        self._log.run(PutFile(self._directory, f"{FOLDER}/{name}", data), stored)',
            "        stored(None)\n"
            '        self._log.run(PutFile(self._directory, f"{FOLDER}/{name}", data),'
            " lambda _: None)",
        ),
    ),
    *mutants(
        "core/raft/machine.py",
        QUORUM,
        (
            "a vote is answered before it is durable",
            "        state.when_saved(lambda: answer(VoteAnswer(heard, granted)))",
            "        answer(VoteAnswer(heard, granted))",
        ),
        (
            "a new epoch is answered before it is durable",
            "        heard = state.heard()\n        state.when_saved(lambda: answer(heard))",
            "        heard = state.heard()\n        answer(heard)",
        ),
        (
            "a leader begins before its epoch is durable",
            "        state.when_saved(durable)\n\n    def _check_quorum",
            "        durable()\n\n    def _check_quorum",
        ),
        (
            "a second vote is given in one epoch",
            "not state.election.has_voted_for(ballot.key):\n            state.save(",
            "state.election.has_voted_for(ballot.key):\n            state.save(",
        ),
        (
            "a leader that was restarted leads the same epoch again",
            "        if self.log.may_need(self.state.key) and known.leader == state.me:",
            "        if self.log.may_need(self.state.key) and known.leader == NO_NODE:",
        ),
        (
            "the epoch of the log is forgotten at a start",
            "        if known.epoch < self.log.last_epoch:",
            "        if known.epoch > self.log.last_epoch:",
        ),
    ),
    *mutants(
        "core/raft/leading.py",
        QUORUM,
        (
            "a minority commits",
            "        offset = ends[len(ends) // 2]",
            "        offset = ends[max(0, len(ends) // 2 - 1)]",
        ),
        (
            "records of an earlier epoch are committed by themselves",
            "        if self.start is None or offset <= self.start:",
            "        if self.start is None or offset < self.start:",
        ),
    ),
    *mutants(
        "core/raft/follower.py",
        QUORUM,
        (
            "a fetch goes out while the log is written",
            "        busy = self._asking or self._judging or self._log.lock.is_held or",
            "        busy = self._asking or self._judging or",
        ),
        (
            "committed metadata is cut",
            "        if offset < log.high_watermark:\n            self._io.on_impossible(",
            "        if offset < 0:\n            self._io.on_impossible(",
        ),
        (
            "what does not continue the log is appended",
            "        if answer.batches[0].base_offset != log.end:",
            "        if answer.batches[0].base_offset < log.end:",
        ),
        (
            "the high watermark passes the log's end",
            "        offset = min(high_watermark, log.end)\n",
            "        offset = high_watermark\n",
        ),
    ),
    *mutants(
        "node/logdirs/placement_registry.py",
        LOGDIRS,
        (
            "an order to remember is answered before it is written",
            "        if self._dirty or self._writing:\n            return\n",
            "",
        ),
        (
            "an order to remember is answered while another directory's file is written",
            "        if self._dirty or self._writing:",
            "        if self._dirty:",
        ),
        (
            "entries that are gone stay in their file",
            " if remembered else RemoveFile(path, REMEMBERED_FILE)",
            " if path else RemoveFile(path, REMEMBERED_FILE)",
        ),
    ),
    *mutants(
        "node/logdirs/reconciler.py",
        LOGDIRS,
        (
            "where a lost log ended goes back",
            "            self._ends[id] = max(end, self.end_of(id))",
            "            self._ends[id] = end",
        ),
        (
            "where a lost log ended is not written",
            "        self._ends.update(ends)\n        if ends:",
            "        self._ends.update(ends)\n        if not ends:",
        ),
    ),
    *mutants(
        "core/logdirs/reconciliation.py",
        RESCUE,
        (
            "accept-loss ignores eligible leaders",
            "    others = [b for b in (*state.isr, *state.elr) if b != me]\n",
            "    others = [b for b in state.isr if b != me]\n",
        ),
        (
            "accept-loss ignores the last known leader",
            "    last = [b for b in state.last_known_elr if b != NO_LEADER]\n",
            "    last: list[NodeId] = []\n",
        ),
        (
            "accept-loss takes no broker for one that led",
            "    last = [b for b in state.last_known_elr if b != NO_LEADER]\n",
            "    last = list(state.last_known_elr)\n",
        ),
        (
            "accept-loss waits for copies that are lost",
            "if b != me and b not in lost]\n",
            "if b != me]\n",
        ),
    ),
    *mutants(
        "runtime/os_disk.py",
        RIM,
        (
            "the kernel is not asked to sync a file",
            "        os.fdatasync(self.fd)\n",
            "        pass\n",
        ),
        (
            "the kernel is not asked to sync a directory",
            "            os.fsync(fd)\n",
            "            pass\n",
        ),
        (
            "a short write ends early",
            "    while rest:\n        wrote",
            "    if rest:\n        wrote",
        ),
    ),
    *mutants(
        "runtime/timed_disk.py",
        RIM,
        (
            "a timed disk syncs no file",
            '        self.gauge.call("sync", 0, self.inner.sync)',
            '        self.gauge.call("sync", 0, lambda: None)',
        ),
        (
            "a timed disk syncs no directory",
            '        self._of(path).call("sync", 0, lambda: self._inner.sync_dir(path))',
            '        self._of(path).call("sync", 0, lambda: None)',
        ),
    ),
    *mutants(
        "runtime/drill.py",
        RIM,
        ("a disk with drills syncs no file", "        self.inner.sync()\n", "        pass\n"),
        (
            "a disk with drills syncs no directory",
            "        self._inner.sync_dir(path)\n",
            "        pass\n",
        ),
    ),
    *mutants(
        "cli/balance/balance_journal.py",
        RUNS,
        (
            "the journal of a run is not synced",
            "            os.fsync(file.fileno())\n        fresh.replace(self._file)",
            "        fresh.replace(self._file)",
        ),
        (
            "the journal of a run is not flushed before its sync",
            "            file.flush()\n",
            "",
        ),
        (
            "the journal of a run is written in place",
            '        fresh = self._file.with_suffix(".tmp")\n',
            "        fresh = self._file\n",
        ),
        (
            "a run that is over stays the one under way",
            '        self._file.replace(self.folder / f"over-{round(run.began * 1000)}.json")\n',
            "",
        ),
    ),
    *mutants(
        "cli/reassign/reassign_journal.py",
        RUNS,
        (
            "the note of a plan is not synced",
            "            os.fsync(file.fileno())\n        fresh.replace(path)",
            "        fresh.replace(path)",
        ),
        (
            "the note of a plan is not flushed before its sync",
            "            file.flush()\n",
            "",
        ),
        (
            "the note of a plan is written in place",
            '        fresh = path.with_suffix(".tmp")\n',
            "        fresh = path\n",
        ),
        (
            "a later run's setting counts as what was found first",
            "            before = setting.before if earlier is None else earlier.before\n",
            "            before = setting.before\n",
        ),
        (
            "a note is removed while settings are left",
            "        if left:\n            self._save(path, Note(plan, left))\n"
            "            return\n",
            "",
        ),
    ),
    *mutants(
        "core/logdirs/copy_limits.py",
        ("tests/unit/core/logdirs/test_throttle.py",),
        (
            "a throttle grants all that is asked for",
            "        if self._tokens < self._least(want):\n            return 0\n"
            "        return max(1, min(want, int(self._tokens)))\n",
            "        return want\n",
        ),
    ),
    *mutants(
        "node/logdirs/log_dir_manager.py",
        ("tests/unit/node/test_logdirs_moves.py", "tests/unit/core/logdirs/test_move.py"),
        (
            "a move does not hear that its source was cut",
            "logs.moves.on_changed(it.id, MoveInput.TRUNCATED)",
            "None",
            "The table of moves has no consequence of it in any state, which test_move.py holds:"
            " each piece begins with a comparison of both logs and follows cuts by that.",
        ),
    ),
]
