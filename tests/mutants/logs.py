"""Mutants of logs and segments: each sync left out, orders of writes exchanged."""

from __future__ import annotations

from tests.mutants.kind import MOVES, mutants

LOGS = [
    *mutants(
        "storage/failed_appends.py",
        ("tests/unit/storage/test_directory.py",),
        (
            "the append that has failed may not come again",
            "base_offset > missing:",
            "base_offset >= missing:",
        ),
        (
            "an append is written behind one that has failed",
            "base_offset > missing:",
            "base_offset > missing + 1:",
        ),
        (
            "a log that was cut takes no appends any more",
            "(Append, Truncate, ",
            "(Append, ",
        ),
        (
            "a log that was loaded again takes no appends any more",
            "Reset, Reload, ",
            "Reset, ",
        ),
    ),
    *mutants(
        "storage/segment.py",
        MOVES,
        (
            "a cut of a segment is not synced",
            "        file.truncate(place.position)\n        sync(file)",
            "        file.truncate(place.position)",
        ),
        ("a segment's records are not synced", "        sync(self.file())\n", ""),
        (
            "a segment with new records counts as synced",
            "        self.end = batch.last_offset + 1\n        self.synced = False",
            "        self.end = batch.last_offset + 1",
        ),
        (
            "a segment with copied records counts as synced",
            "        self.end = piece.end\n        self.synced = False",
            "        self.end = piece.end",
        ),
        (
            "a segment that is scanned counts as synced",
            "        self.latest = NO_TIME\n        self.synced = False",
            "        self.latest = NO_TIME\n        self.synced = True",
            "Each batch that is scanned says that it is not synced, and so does the sealing;"
            " without a batch there is nothing to sync.",
        ),
        (
            "a mended index is written in place",
            "        self.seal(trusted=True)",
            "        self.seal()",
        ),
        (
            "a segment that was sealed counts as synced",
            "trusted=trusted)\n        self.synced = False\n\n    def sealed_at",
            "trusted=trusted)\n\n    def sealed_at",
        ),
    ),
    *mutants(
        "storage/segment_indexes.py",
        MOVES,
        (
            "a segment's indexes are not synced",
            "            sync(self._files.pool.file(self._files.path(kind)))\n",
            "",
        ),
        (
            "records go before their indexes",
            "(layout.TXN_INDEX, layout.TIME_INDEX, layout.INDEX, layout.LOG):\n"
            "            path = self.path(kind)",
            "(layout.LOG, layout.TXN_INDEX, layout.TIME_INDEX, layout.INDEX):\n"
            "            path = self.path(kind)",
        ),
        (
            "an index of aborted transactions that holds no longer stays",
            "            files.remove_if_there(pool.disk, path)\n        for kind, data",
            "            pass\n        for kind, data",
        ),
        (
            "indexes are there before that of aborted transactions",
            "        # First: where the others are there, nothing shows that this one is"
            " missing.\n",
            "        for kind in (layout.INDEX, layout.TIME_INDEX) if trusted else ():\n"
            "            data = index.encode() if kind is layout.INDEX else times.encode()\n"
            "            files.replace(pool.disk, self._files.path(kind), data, durable=False)\n",
        ),
    ),
    *mutants(
        "storage/local_log.py",
        MOVES,
        (
            "removed segments may come back behind new records",
            "        self.pool.disk.sync_dir(self.path)\n        before = self.active.size",
            "        before = self.active.size",
        ),
        (
            "the records that a reset throws away may come back",
            "        self.active.files.remove()\n        self.pool.disk.sync_dir(self.path)\n",
            "        self.active.files.remove()\n",
            "The sync of the new segment's name comes before anything is"
            " appended, and the changes of a directory reach the medium in order.",
        ),
        (
            "the name that says where a reset log begins is not synced",
            "        self.pool.disk.sync_dir(self.path)  # Its name says where"
            " the log ends; checkpoints will.\n",
            "",
        ),
        (
            "a reset begins a segment before the old ones have gone",
            "        while len(self.segments) > 1:\n            self._remove_last()\n"
            "        self.active.files.remove()\n        self.pool.disk.sync_dir(self.path)\n"
            "        fresh = Segment(self.pool, self.path, offset)\n"
            "        self.pool.file(fresh.path(), create=True)\n",
            "        fresh = Segment(self.pool, self.path, offset)\n"
            "        if offset != self.segments[0].base:\n"
            "            self.pool.file(fresh.path(), create=True)\n"
            "        while len(self.segments) > 1:\n            self._remove_last()\n"
            "        self.active.files.remove()\n        self.pool.disk.sync_dir(self.path)\n"
            "        self.pool.file(fresh.path(), create=True)\n",
        ),
        (
            "sealed segments are not synced",
            "                segment.sync(indexes=True)\n                done = True",
            "                done = True",
        ),
        (
            "sealed segments are synced without their indexes",
            "                segment.sync(indexes=True)\n                done = True",
            "                segment.sync()\n                done = True",
        ),
        (
            "a torn end is written behind",
            "            self.active.file().truncate(self.active.size)\n"
            "            self._torn = False",
            "            self._torn = False",
        ),
    ),
    *mutants(
        "storage/unified_log.py",
        MOVES,
        (
            "segments go before the snapshots that tell of them",
            "        self.producers.truncate(self.local.floor(offset))\n"
            "        self.local.truncate(offset)\n",
            "        floor = self.local.floor(offset)\n        self.local.truncate(offset)\n"
            "        self.producers.truncate(floor)\n",
            "`_ended` removes those beyond the end after the segments, too.",
        ),
        (
            "a cut keeps the snapshots beyond it",
            "        self.producers.truncate(self.local.floor(offset))\n",
            "",
            "`_ended` removes those beyond the new end, and the others tell of records that stay.",
        ),
        (
            "a reset keeps producer snapshots",
            "        self.producers.truncate(-1)\n",
            "",
        ),
        (
            "the recovery point moves before the epochs are written",
            "        if self.local.sync_sealed(waited):\n"
            "            self.epochs.write(self.pool.disk, self.path)\n",
            "        if self.local.sync_sealed(waited):\n",
        ),
        (
            "the recovery point moves before the names are synced",
            "            self.epochs.write(self.pool.disk, self.path)\n"
            "            self.pool.disk.sync_dir(self.path)\n            reached",
            "            self.epochs.write(self.pool.disk, self.path)\n            reached",
        ),
        (
            "the recovery point moves over a segment that is not synced",
            "            reached = next((s.base for s in self.segments if not"
            " s.synced), self.active.base)",
            "            reached = self.active.base",
        ),
        (
            "the recovery point moves over what a copy has not confirmed",
            "max(self.recovery_point, min(reached, self.confirmed))",
            "max(self.recovery_point, reached)",
        ),
        (
            "a flush leaves sealed segments out",
            "        self.sync_sealed()\n        if not self.active.synced:",
            "        if not self.active.synced:",
        ),
        (
            "a flush leaves the active segment out",
            "        if not self.active.synced:\n            self.active.sync()\n",
            "",
        ),
        (
            "a flush leaves the epochs out",
            "        self.epochs.write(self.pool.disk, self.path)\n"
            "        if self.local.dirty_names:\n",
            "        if self.local.dirty_names:\n",
        ),
        (
            "a flush leaves the name of the epochs' file out",
            "        self.local.dirty_names |= self.epochs.is_dirty\n",
            "",
        ),
        (
            "a flush leaves new names out",
            "        if self.local.dirty_names:\n            self.pool.disk.sync_dir(self.path)\n",
            "        if self.local.dirty_names:\n",
        ),
        (
            "a flush confirms what a copy has not",
            "        self.recovery_point = self.confirmed\n",
            "        self.recovery_point = self.end\n",
        ),
        (
            "names that were tidied away are not synced",
            "                self.local.dirty_names = True\n        active = self.active",
            "                pass\n        active = self.active",
        ),
        (
            "bytes that were tidied away are not synced",
            "            active.file().truncate(active.size)\n            active.synced = False",
            "            active.file().truncate(active.size)",
        ),
        (
            "a clean log keeps what a copy has not confirmed",
            "        self.truncate(self.confirmed)\n",
            "",
        ),
        (
            "a clean log has no snapshot of its producers",
            "        self.producers.take_snapshot(self.end)\n"
            "        self.producers.prune([segment.base for segment in self.segments])\n"
            "        active.indexes.write(active.latest)",
            "        self.producers.prune([segment.base for segment in self.segments])\n"
            "        active.indexes.write(active.latest)",
        ),
        (
            "a clean log has no indexes of its last segment",
            "        active.indexes.write(active.latest)\n        self.local.dirty_names = True\n",
            "        self.local.dirty_names = True\n",
        ),
        (
            "a clean log's names are not synced",
            "        self.local.dirty_names = True\n        active.sync(indexes=True)",
            "        active.sync(indexes=True)",
        ),
        (
            "a clean log's last indexes are not synced",
            "        active.sync(indexes=True)\n        self.sync()",
            "        active.sync()\n        self.sync()",
        ),
        (
            "a clean log is not tidied",
            "        self.tidy()\n        # A clean log",
            "        # A clean log",
        ),
        (
            "a segment is begun before its producers are noted",
            "        self.producers.take_snapshot(local.end)\n        self.as_closed = False\n"
            "        local.begin_segment(local.end)\n",
            "        self.as_closed = False\n        local.begin_segment(local.end)\n"
            "        self.producers.take_snapshot(local.end)\n",
            "A snapshot that is missing is made again from the log, whichever came first.",
        ),
    ),
]
