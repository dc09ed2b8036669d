"""Mutants that outside judges made and that survived the tests of that day."""

from __future__ import annotations

from tests.mutants.kind import mutants

OUTSIDE = [
    *mutants(
        "core/replica/ongoing_transactions.py",
        ("tests/unit/core/replica/test_transactions.py", "tests/unit/node/test_marking.py"),
        (
            "the last stable offset is the high watermark",
            "        return min([high_watermark, *firsts])",
            "        return high_watermark",
        ),
    ),
    *mutants(
        "node/replicas/fetch_manager.py",
        ("tests/unit/node/test_follower_fetches.py", "tests/unit/node/test_replicas.py"),
        (
            "a follower's fetch counts before it is known where it parts",
            "        if cursor.last_epoch >= 0:\n            try:",
            "        if follower and fetch.is_fresh:\n"
            "            self._on_follower(fetch, cursor, hosted)\n"
            "        if cursor.last_epoch >= 0:\n            try:",
        ),
        (
            "a fetch of an older broker epoch counts",
            "            if fetch.params.is_stale(self._context.image):",
            "            if False:",
        ),
    ),
    *mutants(
        "node/replicas/log_jobs.py",
        ("tests/unit/node/test_replicas.py", "tests/unit/node/test_logdirs_moves.py"),
        (
            "a swap of directories blocks no appends",
            "        self._frozen = True\n        self._on_frozen = then\n",
            "        self._on_frozen = then\n",
        ),
    ),
    *mutants(
        "node/logdirs/repairs.py",
        ("tests/unit/node/test_logdirs_repairs.py",),
        (
            "a damaged copy that is an eligible leader is thrown away",
            "            and me not in state.elr\n",
            "",
        ),
    ),
    *mutants(
        "storage/cleaning.py",
        ("tests/unit/storage/test_cleaning.py",),
        (
            "a compaction goes beyond what is undecided",
            "    limit = min([job.limit, *undecided])",
            "    limit = job.limit",
        ),
    ),
    *mutants(
        "core/controller/directories.py",
        ("tests/unit/core/controller/test_directories.py",),
        (
            "of several dead disks one is taken off",
            "    lost = [d for d in registration.log_dirs if d in offline]\n",
            "    lost = [d for d in registration.log_dirs if d in offline][:1]\n",
        ),
    ),
]
