"""Mutants of directories, starts, moves, cleaning and salvage: syncs and orders of writes."""

from __future__ import annotations

from tests.mutants.kind import MOVES, STORAGE, mutants

DIRECTORIES = [
    *mutants(
        "storage/directory.py",
        MOVES,
        (
            "what waits for its sync waits for the whole group",
            "                self._commit(group, results)\n            result = self._attempt(job)",
            "                pass\n            result = self._attempt(job)",
        ),
        (
            "flush.messages counts one record more",
            "log.end - log.recovery_point >= log.local.settings.flush_messages",
            "log.end - log.recovery_point > log.local.settings.flush_messages",
        ),
        (
            "a failed sync does not latch",
            '                self._fail(DiskFailed(self.path, "syncing", code, explain(error)))\n',
            '                results[places[0]] = DiskFailed(self.path, "syncing", code, "")\n',
        ),
        (
            "epochs for which there is no room latch",
            "            if code in FULL or code in OURS:\n                # Nothing",
            "            if False:\n                # Nothing",
        ),
        (
            "a directory counts as shut down before its logs are",
            "        self._open_logs().close()\n"
            "        files.require_formatted(self.disk, self.path)\n"
            "        data = checkpoints.encode_clean_shutdown(broker_epoch)\n"
            '        files.replace(self.disk, f"{self.path}/{layout.CLEAN_SHUTDOWN}", data)\n',
            "        files.require_formatted(self.disk, self.path)\n"
            "        data = checkpoints.encode_clean_shutdown(broker_epoch)\n"
            '        files.replace(self.disk, f"{self.path}/{layout.CLEAN_SHUTDOWN}", data)\n'
            "        self._open_logs().close()\n",
        ),
    ),
    *mutants(
        "storage/log_manager.py",
        MOVES,
        (
            "a new log's topic id is not synced",
            "                sync_topic_id(self.logs[key])\n",
            "",
        ),
        (
            "a new log's files are not synced",
            "                self.disk.sync_dir(self.logs[key].path)\n",
            "",
        ),
        (
            "a new log's name is not synced",
            "        if self.created:\n            self.disk.sync_dir(self.path)\n",
            "",
        ),
        (
            "a new log's name that could not be synced is forgotten",
            "        for key in self.created:\n",
            "        created, self.created = self.created, []\n        for key in created:\n",
        ),
        (
            "an append that asks for a sync gets none",
            "        if key in self.logs:\n            self.logs[key].sync()\n",
            "        pass\n",
        ),
        (
            "a new log does not forget an earlier one's checkpoints",
            "            self.offsets.forget(job.key.topic_partition)\n",
            "            pass\n",
        ),
        (
            "a cut comes before the recovery point is lowered",
            "            self.offsets.lower(name, floor)\n            if not log.key.future:\n"
            "                self.offsets.lower_mark(name, floor)\n"
            "            log.truncate(job.offset)\n",
            "            log.truncate(job.offset)\n            self.offsets.lower(name, floor)\n"
            "            if not log.key.future:\n"
            "                self.offsets.lower_mark(name, floor)\n",
        ),
        (
            "a cut leaves the recovery point",
            "            self.offsets.lower(name, floor)\n",
            "",
        ),
        (
            "a cut leaves the high watermark",
            "                self.offsets.lower_mark(name, floor)\n",
            "                pass\n",
        ),
        (
            "a cut of a future log lowers the current one's high watermark",
            "            if not log.key.future:\n"
            "                self.offsets.lower_mark(name, floor)",
            "            if log.key:\n                self.offsets.lower_mark(name, floor)",
        ),
        (
            "a reset leaves the recovery point",
            "        self.offsets.lower(log.key.topic_partition, 0)\n",
            "",
        ),
        (
            "a reset leaves the high watermark",
            "            self.offsets.lower_mark(log.key.topic_partition, 0)\n",
            "            pass\n",
        ),
        (
            "a reset comes before the checkpoints are lowered",
            "        self.offsets.lower(log.key.topic_partition, 0)\n"
            "        if not log.key.future:\n"
            "            self.offsets.lower_mark(log.key.topic_partition, 0)\n"
            "        log.reset(job.offset)\n",
            "        log.reset(job.offset)\n"
            "        self.offsets.lower(log.key.topic_partition, 0)\n"
            "        if not log.key.future:\n"
            "            self.offsets.lower_mark(log.key.topic_partition, 0)\n",
        ),
        (
            "an alignment leaves the recovery point",
            "            self.offsets.lower(log.key.topic_partition, low)\n"
            "        return copy.adopt",
            "            pass\n        return copy.adopt",
        ),
        (
            "a shutdown writes no checkpoints",
            "            log.close()\n        self._write_offsets()\n",
            "            log.close()\n",
        ),
        (
            "a renamed source's name is not synced",
            "        self.quarantined.pop(job.key, None)\n        self.disk.sync_dir(self.path)\n",
            "        self.quarantined.pop(job.key, None)\n",
        ),
        (
            "a copy is marked as kept before it is renamed",
            '        try:\n            self.disk.rename(old, f"{self.path}/{name}")\n',
            "        if log is not None and job.keep_until_ms:\n"
            "            mark = kept.Mark(job.keep_until_ms,"
            " Bounds(log.recovery_point, log.start))\n"
            "            kept.write(self.disk, old, mark)\n        try:\n"
            '            self.disk.rename(old, f"{self.path}/{name}")\n',
        ),
        (
            "a copy that is resumed keeps its mark for a while",
            "        kept.remove(self.disk, old)\n        self.disk.rename(old, path)\n",
            "        self.disk.rename(old, path)\n        kept.remove(self.disk, path)\n",
        ),
        (
            "a log that gets its name back is not synced",
            "        self.disk.rename(old, path)\n        self.disk.sync_dir(self.path)\n",
            "        self.disk.rename(old, path)\n",
        ),
        (
            "a log from before a restart is trusted whole",
            "            bounds = KnownBounds() if mark is None else mark.bounds\n",
            "            bounds = KnownBounds(1 << 62) if mark is None else mark.bounds\n",
        ),
        (
            "a promoted log is not synced",
            "        log.tidy()\n        log.sync()\n",
            "        log.tidy()\n",
        ),
        (
            "a promoted log is not tidied",
            "        log.tidy()\n        log.sync()\n",
            "        log.sync()\n",
        ),
        (
            "a promoted log is synced after it has its name",
            "        log.sync()\n        unbroken.cover(log)\n"
            "        log.local.let_go()\n        self.disk.rename(log.path, path)\n"
            "        if job.synced:\n            self.disk.sync_dir(self.path)\n"
            "        log.moved(path, current)\n",
            "        log.local.let_go()\n        self.disk.rename(log.path, path)\n"
            "        if job.synced:\n            self.disk.sync_dir(self.path)\n"
            "        log.moved(path, current)\n        log.sync()\n",
        ),
        (
            "a promoted log's name is not synced",
            "        if job.synced:\n            self.disk.sync_dir(self.path)\n",
            "",
        ),
        (
            "a promoted log has bytes that its source has not confirmed",
            "        if log.confirmed < log.end:",
            "        if log.confirmed < 0:",
        ),
        (
            "a log counts as clean before it is",
            "        adopted = cleaning.adopt(self.log(job.key), job)\n"
            "        if adopted is not None and job.cleaned_to is not None:\n"
            "            self.offsets.clean(job.key.topic_partition, job.cleaned_to)\n",
            "        if job.cleaned_to is not None:\n"
            "            self.offsets.clean(job.key.topic_partition, job.cleaned_to)\n"
            "        adopted = cleaning.adopt(self.log(job.key), job)\n",
        ),
        (
            "a bad log's mark does not know how far it had reached",
            "            reached = max(reached, log.end)\n",
            "            pass\n",
        ),
    ),
    *mutants(
        "storage/opening.py",
        MOVES,
        (
            "a topic id of a log that was being made at a kill is not synced",
            "    elif not clean and log.topic_id is not None and name not in"
            " offsets.recovery_points:\n",
            "    elif name is None:\n",
        ),
        (
            "a directory in use says that it was shut down",
            '        disk.remove(f"{path}/{layout.CLEAN_SHUTDOWN}")\n',
            "        pass\n",
        ),
        (
            "the end of a clean shutdown is not synced",
            "        disk.sync_dir(path)\n    warnings: list[str] = []",
            "    warnings: list[str] = []",
        ),
        (
            "a voter counts on what may be in a cache",
            "    if layout.is_metadata(key) and not clean:",
            "    if layout.is_metadata(key) and clean:",
        ),
        (
            "a mended log loses its mark before it is synced",
            "    log.sync()\n    unbroken.move(log, log.end)\n"
            "    bad.remove(pool.disk, log.path)\n",
            "    bad.remove(pool.disk, log.path)\n    log.sync()\n",
        ),
        (
            "a mended log is not synced",
            "    log.sync()\n    unbroken.move(log, log.end)\n",
            "    unbroken.move(log, log.end)\n",
        ),
        (
            "the end of a bad log's mark is not synced",
            "    bad.remove(pool.disk, log.path)\n    pool.disk.sync_dir(log.path)\n",
            "    bad.remove(pool.disk, log.path)\n",
        ),
        (
            "the shorter of two future logs loses its name, unsynced",
            "    pool.disk.sync_dir(root)\n    return name",
            "    return name",
            "What comes back is decided on again, and nothing is added to a future log before it is"
            " compared with its source.",
        ),
        (
            "the longer of two future logs is dropped",
            "    if log.end > other.end:",
            "    if log.end < other.end:",
        ),
        (
            "a mended log's high watermark stays",
            "        offsets.lower_mark(job.key.topic_partition, log.end)\n",
            "",
        ),
        (
            "a mended log's recovery point stays",
            "        offsets.write_logs(logs.values(), (k.topic_partition for k in quarantined))\n"
            "    return log",
            "    return log",
        ),
        (
            "recovery points stay as they were before a start",
            "    offsets.write_logs(logs.values(), (key.topic_partition for key in quarantined))\n"
            "    result",
            "    result",
        ),
    ),
    *mutants(
        "storage/log_loader.py",
        MOVES,
        (
            "indexes below the recovery point are made again in place",
            "            segment.seal(trusted=later.base < self.bounds.recovery_point)\n",
            "            segment.seal()\n",
        ),
        (
            "a segment is cut before those behind it have gone",
            "        for base in reversed(stop.later):\n",
            "        if stop.segment is not None:\n"
            "            stop.segment.file().truncate(stop.segment.size)\n"
            "            stop.segment.file().sync()\n        for base in reversed(stop.later):\n",
        ),
        (
            "a torn end is cut, unsynced",
            "            file.truncate(segment.size)\n            file.sync()\n",
            "            file.truncate(segment.size)\n",
            "What comes back lies above the recovery point, where each start"
            " looks and cuts again, and the next sync of the log takes the cut along.",
        ),
        (
            "segments behind the log's end are removed, unsynced",
            "        if stop.later:\n            self.pool.disk.sync_dir(self.path)\n",
            "",
        ),
        (
            "segments behind the log's end go from the front",
            "    for base in reversed(stop.later):",
            "    for base in stop.later:",
        ),
        (
            "what is kept aside is not synced",
            "                at += len(data)\n            target.sync()\n",
            "                at += len(data)\n",
        ),
        (
            "the name of what is kept aside is not synced",
            '        self.pool.disk.sync_dir(self.path)\n        self.warn(f"{at - position}',
            '        self.warn(f"{at - position}',
        ),
        (
            "snapshots beyond the log's end are removed, unsynced",
            "        if self.producers.truncate(log.end):\n"
            "            self.pool.disk.sync_dir(self.path)\n",
            "        self.producers.truncate(log.end)\n",
        ),
        (
            "a log that was not shut down counts as synced up to its end",
            "    log.recovery_point = log.end if bounds.clean else",
            "    log.recovery_point = log.end if bounds else",
        ),
        (
            "a log that was not shut down counts as closed",
            "    log.as_closed = bounds.clean and",
            "    log.as_closed = bool(bounds) and",
            "A last segment with records is scanned then, and not synced: it"
            " concerns empty logs alone, of whose files any earlier state says the same.",
        ),
        (
            "names found after a crash count as synced",
            "        local.dirty_names = not bounds.clean\n",
            "",
            "The code that rests on such a name syncs the directory all the same: for the"
            " sealed segment, which a start after a crash has scanned, or for"
            " the epochs, of which the first record tells.",
        ),
    ),
]

STEPS = [
    *mutants(
        "storage/copy.py",
        MOVES,
        (
            "a log that a copy writes into counts as closed",
            "    log.as_closed = False  # They may never be adopted: then a clean stop has to"
            " remove them.\n",
            "",
        ),
        (
            "a copy that is called whole is not synced",
            "    if whole:\n        log.sync()\n",
            "",
        ),
        (
            "sealed segments of a copy wait for the end",
            "        log.move_start(min(plan.source_start, log.end))\n    log.sync_sealed()\n",
            "        log.move_start(min(plan.source_start, log.end))\n",
            "A promise rests on the sync of the whole copy; this one only spreads the work.",
        ),
        (
            "copied bytes are synced on the thread of the directory",
            "            if piece.seals or (length >= SYNC_FROM and"
            " piece.end == self._job.plan.source_end):\n                target.sync()\n",
            "",
            "The directory's thread syncs them again before it promises anything.",
        ),
        (
            "an alignment keeps what an earlier attempt left",
            "        unbroken.after_cut(log, floor)\n        log.tidy()\n",
            "        unbroken.after_cut(log, floor)\n",
        ),
        (
            "a copied piece is written behind the rest of an earlier attempt",
            "            if target.size() > at:\n                target.truncate(at)",
            "            if target.size() < 0:\n                target.truncate(at)",
        ),
        (
            "a plan for an older state is adopted",
            "    if before != plan.mark:",
            "    if before is plan.mark:",
        ),
        (
            "a copy with other epochs is called whole",
            "    ours = (log.start, log.end, log.epochs.entries)\n    return ours == "
            "(plan.source_start, plan.source_end, plan.epochs)",
            "    return (log.start, log.end) == (plan.source_start, plan.source_end)",
            "A copy that ends where its source does has taken over its epochs just before.",
        ),
        (
            "a copy is called whole while its source is written",
            "    whole = plan.still and _is_same(log, plan)",
            "    whole = _is_same(log, plan)",
        ),
    ),
    *mutants(
        "storage/cleaning.py",
        STORAGE,
        (
            "old segments go before the new one's names are synced",
            "    # From here on the next opening of the log completes this.\n"
            "    disk.sync_dir(log.path)\n",
            "",
            "The names of a directory reach the medium in order: no old segment"
            " goes before the `.swap` names are there.",
        ),
        (
            "a cleaned segment's names are not synced",
            "        disk.rename(path + layout.SWAP, path)\n    disk.sync_dir(log.path)",
            "        disk.rename(path + layout.SWAP, path)",
            "The `.swap` names are synced before: opening the log completes what they say.",
        ),
        (
            "old segments go before the new one is decided",
            "    for path in plain:\n"
            "        disk.rename(path + layout.CLEANED, path + layout.SWAP)\n",
            "    for old in olds:\n        Segment(log.pool, log.path, old.base).set_aside()\n"
            "    for path in plain:\n"
            "        disk.rename(path + layout.CLEANED, path + layout.SWAP)\n",
        ),
        (
            "a log that was cut meanwhile takes the cleaned segment",
            "    if log.cuts.stamp != job.plan.cuts or at < 0",
            "    if at < 0",
        ),
    ),
    *mutants(
        "storage/rewriting.py",
        STORAGE,
        (
            "a cleaned segment's records are not synced",
            "                work.position = 0\n            file.sync()\n",
            "                work.position = 0\n",
        ),
    ),
    *mutants(
        "storage/salvage.py",
        STORAGE,
        (
            "what is good of a segment is written after it was set aside",
            "    if good:\n        _write(disk, path, layout.segment_file(base), good)\n"
            "    _set_aside(disk, path, aside, job, base)\n",
            "    _set_aside(disk, path, aside, job, base)\n",
        ),
        (
            "what is good of a segment is not synced",
            "                start, at = start + copied, at + copied\n        target.sync()\n",
            "                start, at = start + copied, at + copied\n",
        ),
        (
            "the name of what is good of a segment is not synced",
            "        target.close()\n    disk.sync_dir(path)\n",
            "        target.close()\n",
            "The names of a directory reach the medium in order: what is good has its own before"
            " the damaged segment loses its name.",
        ),
        (
            "the bad copy's name is not synced",
            "        bad.write(disk, aside, bad.BadMark(job.now_ms, job.why))\n"
            "        disk.sync_dir(job.directory)\n",
            "        bad.write(disk, aside, bad.BadMark(job.now_ms, job.why))\n",
        ),
        (
            "the bad copy's files are not synced",
            '            disk.rename(f"{path}/{name}", f"{aside}/{name}")\n'
            "    disk.sync_dir(aside)\n",
            '            disk.rename(f"{path}/{name}", f"{aside}/{name}")\n',
        ),
        (
            "the bad copy has no mark",
            "        bad.write(disk, aside, bad.BadMark(job.now_ms, job.why))\n",
            "",
        ),
        (
            "a salvaged segment's plain name is not synced",
            '            disk.rename(f"{path}/{name}", f"{path}/{plain}")\n'
            "    disk.sync_dir(path)\n",
            '            disk.rename(f"{path}/{name}", f"{path}/{plain}")\n',
            "All names are synced before the mark of the log goes, and as long as it is there"
            " a start that begins again gives the plain name.",
        ),
    ),
]
