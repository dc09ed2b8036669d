"""Mutants of what holds that no gap is left between segments, and that one is seen or reported."""

from __future__ import annotations

from tests.mutants.kind import mutants

TESTS = (
    "tests/unit/storage/test_holes.py",
    "tests/unit/storage/test_leaps.py",
    "tests/crash/test_compaction_cuts.py",
)

GAPS = [
    *mutants(
        "storage/rewriting.py",
        TESTS,
        (
            "a record goes before the later one of its key is on the medium",
            "            if not work.position:\n                self._sync(olds[at])\n",
            "",
        ),
        (
            "the first of the segments is synced, and the others are not",
            "            if not work.position:\n                self._sync(olds[at])\n",
            "            if not at:\n                self._sync(olds[at])\n",
        ),
        (
            "a cleaned segment does not keep its end",
            "last=batch.next_offset == group[-1].end)",
            "last=False)",
        ),
    ),
    *mutants(
        "storage/cleaning.py",
        TESTS,
        (
            "a cleaning takes all segments for synced",
            "for segment in segments if not segment.synced),",
            "for segment in segments if not segment),",
        ),
    ),
    *mutants(
        "storage/gaps.py",
        TESTS,
        (
            "a gap is well in each compacted log",
            "        if not self.unmarked or not self.compacted:\n",
            "        if not self.compacted:\n",
        ),
        (
            "a gap is well in each log without a mark",
            "        if not self.unmarked or not self.compacted:\n",
            "        if not self.unmarked:\n",
        ),
        (
            "a gap is a loss, whichever broker wrote the log",
            "        if not self.unmarked or not self.compacted:\n",
            "        if segment.base:\n",
        ),
        (
            "indexes that tell of more are not asked",
            "        if _tell_of_more(before):\n",
            "        if not before:\n",
        ),
        (
            "a gap that may be a loss is not reported",
            "        self.doubtful.append((before.end, segment.base))\n",
            "",
        ),
        (
            "a gap right below the mark is a loss",
            "segment.base <= self.allowed_to",
            "segment.base < self.allowed_to",
        ),
    ),
    *mutants(
        "storage/log_loader.py",
        TESTS,
        (
            "a log with gaps that were reported is not synced",
            "        if self.gaps.doubtful:\n            log.sync()\n",
            "",
        ),
        (
            "gaps that were reported are forgotten",
            "        unbroken.remember(log, self.gaps.doubtful)\n",
            "",
        ),
        (
            "a mark beyond the log's end stays",
            "            unbroken.begin(log, log.recovery_point)\n        unbroken.lower(log)\n",
            "            unbroken.begin(log, log.recovery_point)\n",
        ),
        (
            "a taken-over log counts as one without gaps",
            "        unbroken.begin(log, log.recovery_point)\n",
            "        unbroken.begin(log, 0)\n",
        ),
        (
            "a gap below the recovery point is well in a log that has a mark",
            "    allowed_to = bounds.recovery_point if marked is None else marked\n",
            "    allowed_to = max(bounds.recovery_point, marked or 0)\n",
        ),
        (
            "an empty segment behind the end goes unseen",
            '            self.warn(f"segment {base} dropped: it is empty, and {stop.why}")\n',
            "            pass\n",
        ),
    ),
    *mutants(
        "storage/unbroken.py",
        TESTS,
        (
            "a mark has moved before its name is on the medium",
            "    log.pool.disk.sync_dir(log.path)\n\n\ndef cover",
            "\n\ndef cover",
        ),
        (
            "a moved log's mark stays below what is missing",
            "        if all(s.written_end() >= end for s, end in zip(late, ends, strict=True)):\n",
            "        if late and ends:\n",
        ),
        (
            "gaps that were reported are reported in this run alone",
            "            _put(log, layout.missing_file(gap))\n",
            "",
        ),
        (
            "gaps that retention has taken are reported for ever",
            "if log.start < gap[1] <= log.end))",
            "))",
        ),
        (
            "a mark stays above a cut",
            "    elif floor < log.unbroken:\n        move(log, floor)\n",
            "",
        ),
        (
            "a cut between two batches leaves a gap that the next start takes for a loss",
            "        log.sync()\n        move(log, log.end)\n",
            "        pass\n",
        ),
        (
            "a mark moves up before what is below it is on the medium",
            "        log.sync()\n        move(log, log.end)\n",
            "        move(log, log.end)\n",
        ),
        (
            "a jump of offsets is a loss at the next start",
            "            move(log, batch.base_offset)\n",
            "",
        ),
        (
            "a jump is marked before what is below it is on the medium",
            "            log.sync()\n            move(",
            "            move(",
        ),
        (
            "a jump is written into the segment before it",
            "    if batches[-1].last_offset - log.active.base <= POSITION_MAX:\n",
            "    if log.active.base <= POSITION_MAX:\n",
        ),
    ),
    *mutants(
        "storage/copy.py",
        TESTS,
        (
            "a moved log has no mark before its source loses its name",
            "        log.sync()\n        unbroken.cover(log)\n",
            "        log.sync()\n",
        ),
        (
            "a future log keeps its mark above a cut",
            "        unbroken.after_cut(log, floor)\n",
            "",
        ),
        (
            "what was missing is missing after a move",
            "    unbroken.take_over(log, plan.doubtful)\n",
            "",
        ),
    ),
    *mutants(
        "storage/log_manager.py",
        TESTS,
        (
            "a promoted log has no mark of its own",
            "        unbroken.cover(log)\n",
            "",
        ),
    ),
    *mutants(
        "storage/opening.py",
        TESTS,
        (
            "an accepted loss is taken for another one later",
            "    unbroken.move(log, log.end)\n",
            "",
        ),
    ),
    *mutants(
        "storage/layout.py",
        TESTS,
        (
            "the mark is swept away",
            "    ours = parse_unbroken(name) is not None or",
            "    ours =",
        ),
    ),
]
