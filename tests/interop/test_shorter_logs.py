"""A log that comes back shorter than its own broker knew does not lead (B-31), in processes.

The broker's disk fails while it runs; it notes on its other disk how far the logs had come. While
it is down the disk comes back without what was written last, and knows nothing of that itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import damage
from tests.support.clients import produce, values
from tests.support.commands import call
from tests.support.local import Local

from spindle.storage import layout

TOPIC = "shortened"
VICTIM, OTHER = 1, 2
RECORDS = 120
NOTE = "spindle-log-ends.json"
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "broker.session.timeout.ms": "2000",
    "log.initial.task.delay.ms": "500",
    "replica.fetch.backoff.ms": "200",
}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    with Local(tmp_path, brokers=2, settings=SETTINGS) as cluster:
        cluster.start()
        yield cluster


def log_of(cluster: Local, broker: int, disk: int = 0) -> Path:
    return Path(cluster.log_dirs(broker)[disk]) / f"{TOPIC}-0"


def shorten(cluster: Local) -> int:
    """Take the second half of the log, at the end of a batch, and all that the disk knew of it."""
    (file,) = damage.segments(log_of(cluster, VICTIM))
    data = file.read_bytes()
    half = damage.borders(data)[RECORDS // 2]
    file.write_bytes(data[:half])
    for kind in (layout.INDEX, layout.TIME_INDEX):
        file.with_suffix(kind).unlink(missing_ok=True)
    for name in (layout.RECOVERY_POINTS, layout.HIGH_WATERMARKS, layout.CLEAN_SHUTDOWN):
        Path(cluster.log_dirs(VICTIM)[0], name).unlink(missing_ok=True)
    return len(damage.offsets(file.parent))


def reason(cluster: Local) -> str:
    """Why the replica does not serve, as `spindle replicas` says; empty if it does not say it."""
    shown = call("replicas", "-b", cluster.bootstrap, "--json")
    directories = json.loads(shown.stdout)["logDirs"] if shown.stdout else []
    found = [
        f"{offline['reason']} ({offline['outlook']})"
        for directory in directories
        for offline in directory["offline"]
        if (directory["broker"], offline["replica"]) == (VICTIM, f"{TOPIC}-0")
    ]
    return found[0] if found else ""


@pytest.mark.spec("B-31", "K589-02")
def test_a_shortened_log_does_not_lead_is_reported_and_heals(cluster: Local) -> None:
    """Although its topic allows unclean leaders, and no other replica is up."""
    cluster.create_on(TOPIC, 0, [VICTIM, OTHER], unclean_leader_election_enable="true")
    written = [b"%d" % n for n in range(RECORDS)]
    for value in written:
        produce(cluster.bootstrap, TOPIC, [value])
    cluster.break_disk(VICTIM, 0)
    note = Path(cluster.log_dirs(VICTIM)[1], NOTE)
    cluster.until(lambda: note.exists() and cluster.state(TOPIC)[0][0] == OTHER, "it is noted")
    cluster.stop_node(OTHER)
    cluster.stop_node(VICTIM)
    cluster.mend_disk(VICTIM, 0)
    left = shorten(cluster)
    assert 0 < left < RECORDS
    cluster.start_node(VICTIM, wait=False)
    cluster.until(lambda: f"had reached {RECORDS}" in reason(cluster), "the broker reports it")
    assert f"its end at {left}," in reason(cluster)
    assert cluster.state(TOPIC)[0][0] == -1, "it does not lead, and nothing else can"
    cluster.start_node(OTHER)
    cluster.become(TOPIC, {0: (OTHER, {VICTIM, OTHER})})
    cluster.until(lambda: reason(cluster) == "", "nothing is reported any more")
    assert values(cluster.bootstrap, TOPIC) == written
    cluster.until(lambda: not note.exists(), "the note is gone")
    place = cluster.disk_of(TOPIC, 0, VICTIM)
    assert damage.offsets(log_of(cluster, VICTIM, place)) == list(range(RECORDS))
