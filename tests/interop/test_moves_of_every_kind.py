"""Whatever moves do, and whatever is done to them, with logs that are not plain.

One cluster of three brokers with five log directories each. A replica of each kind goes through
every test: of `__consumer_offsets` with a group at work, of a compacted topic whose keys are
written again, of a topic with transactions, and of `__transaction_state`. The clients work all the
time (`tests.support.lives`) and one transaction stays open over each test. Afterwards the group's
offsets have never gone back, each key has its last value, a reader of committed records sees
exactly those, and all copies are equal.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import Final

import pytest
from tests.support.copies import until_equal
from tests.support.lives import Group, Life, Table, Transactions
from tests.support.local import Local
from tests.support.real_moves import future_bytes, limit_moves, rests

from spindle.model.errors import Error

OFFSETS, TABLE, RECORDS, STATES = KINDS = (
    "__consumer_offsets",
    "table",
    "records",
    "__transaction_state",
)
BROKERS: Final = (1, 2, 3)
VICTIM: Final = 1
"""It leads all of them when a test begins: also the coordinators are there."""
Places = dict[str, int]
GATHERED: Final = dict.fromkeys(KINDS, 0)
SPREAD: Final = dict(zip(KINDS, (1, 2, 3, 4), strict=True))
"""Moves between the same two directories wait for each other: these do not."""
ROTATED: Final = dict(zip(KINDS, (2, 3, 4, 1), strict=True))
SLOW: Final = 120_000
"""Bytes/s of all moves of a broker together: a copy of all kinds takes several seconds."""
SETTINGS = {
    "broker.session.timeout.ms": "4000",  # What is slow on this machine is not killed.
    "broker.heartbeat.interval.ms": "300",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "log.cleaner.backoff.ms": "500",
    "log.dir.probe.interval.ms": "300",
    "log.segment.delete.delay.ms": "200",
    "log.dir.move.copies.max": "4",
    "log.dir.move.keep.ms": "500",
}
COMPACT = {
    "cleanup_policy": "compact",
    "segment_bytes": "100000",
    "min_cleanable_dirty_ratio": "0.3",
}
_numbers = count()


class Site:
    """The cluster, its clients, and in which directories each broker's replicas are."""

    def __init__(self, cluster: Local) -> None:
        self.cluster = cluster
        self.places: dict[int, Places] = dict.fromkeys(BROKERS, GATHERED)
        cluster.create("source", [BROKERS])
        cluster.create("ballast", [[2]] * 100)
        for topic in KINDS:
            configs = {"segment_bytes": "100000"} if topic == RECORDS else COMPACT
            cluster.create_on(topic, 0, BROKERS, **configs)
        self.transactions = Transactions(cluster.bootstrap, RECORDS)
        self.lives: list[Life] = [
            Group(cluster.bootstrap, "source", "ballast"),
            Table(cluster.bootstrap, TABLE),
            self.transactions,
        ]
        for life in self.lives:
            life.start()
        self.go_on(10)

    def go_on(self, pieces: int = 3) -> None:
        """Each client that lives here does some more."""
        for life in self.lives:
            life.go_on(pieces)

    def end(self) -> None:
        """Stop them all."""
        for life in self.lives:
            life.end()

    # --- moves --------------------------------------------------------------------------------

    def send(self, broker: int, places: Places) -> None:
        """Have all replicas of a broker move."""
        told = self.cluster.alter({(topic, 0, broker): n for topic, n in places.items()})
        assert set(told.values()) == {Error.NONE}, f"{told}\n{self.cluster.tail(broker, 5000)}"

    def begin(self, broker: int, places: Places) -> None:
        """The same, slowly; each of them has copied something."""
        limit_moves(self.cluster, SLOW)
        self.send(broker, places)
        self.copies(broker, places)

    def copied(self, broker: int, places: Places) -> list[int]:
        """How many bytes each move under way has copied."""
        return [future_bytes(self.cluster, broker, topic, n) for topic, n in places.items()]

    def copies(self, broker: int, places: Places) -> None:
        """Wait until each move has copied something, and none has ended."""
        self.cluster.until(lambda: all(self.copied(broker, places)), "all are being copied", 60)

    def arrive(self, broker: int, places: Places) -> None:
        """Let moves go on quickly; each replica is at rest in its directory alone."""
        limit_moves(self.cluster, None)

        def there() -> bool:
            return all(rests(self.cluster, broker, topic, n) for topic, n in places.items())

        self.cluster.until(there, f"the replicas of broker {broker} are in {places}", 90)
        self.places[broker] = places

    def in_sync(self, isr: tuple[int, ...] = BROKERS) -> None:
        """Wait until these replicas are in the ISR of each kind."""
        wanted = set(isr)

        def so() -> bool:
            return all(self.cluster.state(topic)[0][1] == wanted for topic in KINDS)

        self.cluster.until(so, f"{wanted} are in sync", 90)

    # --- looking ------------------------------------------------------------------------------

    def check(self) -> None:
        """Nothing is lost, nothing doubled, nothing undone; all copies are the same."""
        self.go_on()
        self.in_sync()
        with ExitStack() as resting:
            for life in self.lives:
                resting.enter_context(life.rest())
            for life in self.lives:
                life.check()
            for topic in KINDS:
                until_equal(self.cluster, topic, compacted=topic != RECORDS)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Three brokers with five directories each, and live logs of every kind."""
    folder = tmp_path_factory.mktemp("kinds")
    with Local(folder, brokers=3, directories=5, settings=SETTINGS) as cluster:
        cluster.start()
        site = Site(cluster)
        yield site
        site.end()


@pytest.fixture(autouse=True)
def watched(site: Site) -> Iterator[None]:
    """Before each test the victim leads, and its replicas are in its first directory.

    A transaction stays open over each test; afterwards everything is as it should be.
    """
    site.cluster.lead(VICTIM, *KINDS)
    if site.places[VICTIM] != GATHERED:
        site.send(VICTIM, GATHERED)
        site.arrive(VICTIM, GATHERED)
    with site.transactions.hold(commits=next(_numbers) % 2 == 0):
        yield
    site.check()


@pytest.mark.spec("K113-30", "K113-01", "K113-03", "K113-04")
def test_all_replicas_move(site: Site) -> None:
    for broker in BROKERS:
        site.send(broker, SPREAD)
    for broker in BROKERS:
        site.arrive(broker, SPREAD)


@pytest.mark.spec("K113-30", "K113-09")
def test_moves_are_redirected(site: Site) -> None:
    site.begin(VICTIM, SPREAD)
    site.begin(VICTIM, ROTATED)
    site.arrive(VICTIM, ROTATED)


@pytest.mark.spec("K113-30", "K113-08")
def test_moves_are_cancelled(site: Site) -> None:
    site.begin(VICTIM, SPREAD)
    site.send(VICTIM, GATHERED)
    site.arrive(VICTIM, GATHERED)


@pytest.mark.spec("K113-30", "K113-05", "K113-07")
def test_two_brokers_move_within_their_rates(site: Site) -> None:
    two = (VICTIM, 2)
    wanted = {b: ROTATED if site.places[b] == SPREAD else SPREAD for b in two}
    limit_moves(site.cluster, SLOW)
    began = time.monotonic()
    for broker, places in wanted.items():
        site.send(broker, places)
    for broker, places in wanted.items():
        site.copies(broker, places)
    site.go_on(10)
    for broker, places in wanted.items():
        # What comes on top: what was saved before, and the one batch that is never cut.
        assert sum(site.copied(broker, places)) <= SLOW * (time.monotonic() - began + 1)
    for broker, places in wanted.items():
        site.arrive(broker, places)


@pytest.mark.spec("K113-30", "K113-12")
def test_the_disk_dies_under_their_source(site: Site) -> None:
    site.begin(VICTIM, SPREAD)
    site.cluster.break_disk(VICTIM, 0)
    site.in_sync((2, 3))
    site.go_on()
    site.cluster.mend_disk(VICTIM, 0)
    site.arrive(VICTIM, SPREAD)  # What was ordered still counts.


@pytest.mark.spec("K113-30", "K113-12")
def test_the_disks_die_under_their_destinations(site: Site) -> None:
    site.begin(VICTIM, SPREAD)
    for disk in SPREAD.values():
        site.cluster.break_disk(VICTIM, disk)

    def over() -> bool:
        return all(site.cluster.place_of(topic, 0, VICTIM).future is None for topic in KINDS)

    site.cluster.until(over, "the moves end")
    site.go_on()
    for topic in KINDS:  # No leader was disturbed.
        site.cluster.become(topic, {0: (VICTIM, set(BROKERS))})
    for disk in SPREAD.values():
        site.cluster.mend_disk(VICTIM, disk)
    site.arrive(VICTIM, SPREAD)


@pytest.mark.spec("K113-30", "K113-15", "K113-19")
def test_killed_in_the_middle_they_go_on(site: Site) -> None:
    site.begin(VICTIM, SPREAD)
    site.cluster.restart(VICTIM, kill=True)
    site.arrive(VICTIM, SPREAD)


@pytest.mark.spec("K113-30", "K113-16", "K113-18", "K113-19")
@pytest.mark.parametrize("name", [1, 3])
def test_killed_in_their_swaps_they_end(site: Site, name: int) -> None:
    """Instead of the nth source's loss of its name; those before have lost theirs already."""
    cluster = site.cluster
    site.begin(VICTIM, SPREAD)
    cluster.break_disk(VICTIM, 0, f"kill {name} rename")
    limit_moves(cluster, None)
    process = cluster.nodes[VICTIM].process
    assert process is not None
    assert process.wait(60) == -signal.SIGKILL
    cluster.stop_node(VICTIM)
    cluster.mend_disk(VICTIM, 0)
    cluster.start_node(VICTIM)
    site.arrive(VICTIM, SPREAD)


@pytest.mark.spec("K113-30", "K113-15", "K858-12")
def test_disks_change_places_while_their_broker_is_down(site: Site) -> None:
    """The source of all moves and a target are mounted at each other's paths: ids tell them."""
    cluster = site.cluster
    site.begin(VICTIM, SPREAD)
    cluster.stop_node(VICTIM, kill=True)
    one, other, *_ = cluster.nodes[VICTIM].log_dirs
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)
    cluster.start_node(VICTIM)
    site.arrive(VICTIM, {**SPREAD, OFFSETS: 0})
