"""What brokers of ours make of their directories under a controller of either kind (KIP-858).

Broker 1 is stopped while its files and the metadata are changed behind its back, a topic for each
row of the catch-up table, and started again: with all its directories, then with one that is dead,
then with disks mounted elsewhere and one replaced. Broker 2 keeps the data; broker 3 has a single
directory. The tests of a cluster run in order.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from confluent_kafka.admin import NewTopic
from tests.support import committed
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce
from tests.support.mixed import Mixed
from tests.support.relay import Relay

from spindle.model.errors import Error
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED, DirectoryId
from spindle.runtime.os_disk import OsDisk
from spindle.storage import meta
from spindle.storage.formatting import format_blank
from spindle.wire.apis import Key

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

VICTIM, KEEPER, SINGLE = 1, 2, 3
NOWHERE = uuid.UUID(int=858_858)
VALUES = [b"%d" % n for n in range(20)]
SETTINGS = {
    "broker.session.timeout.ms": "4000",
    "default.replication.factor": "2",
    "offsets.topic.replication.factor": "2",
    "log.dir.failure.timeout.ms": "60000",
}


@dataclass
class World:
    """A cluster, and what stands between two of its brokers and the controller."""

    cluster: Mixed
    relays: dict[int, Relay]
    marks: dict[str, tuple[Path, int]] = field(default_factory=dict)
    """Of a topic: the directory and the inode of the victim's log before the restart."""

    def ids(self, broker: int = VICTIM) -> list[DirectoryId]:
        """Ids of a broker's directories, in the order of its configuration."""
        return [directory_id(path) for path in self.cluster.nodes[broker].log_dirs]

    def folder(self, topic: str, disk: int) -> Path:
        """Where the victim has, or would have, a topic's log."""
        return self.cluster.nodes[VICTIM].log_dirs[disk] / f"{topic}-0"

    def where(self, topic: str) -> list[int]:
        """Numbers of the victim's directories that hold a current log of a topic."""
        return [n for n in range(3) if self.folder(topic, n).is_dir()]

    def assigned(self, topic: str, broker: int = VICTIM) -> DirectoryId:
        """What the committed metadata says."""
        return committed.assigned(self.cluster, broker, topic)[topic]

    def told_of(self, topic: str) -> bool:
        """Whether the victim has told the controller where a topic's replica is."""
        topic_id = committed.image(self.cluster).topic_ids[topic]
        return any(
            told.topic_id == topic_id
            for seen in self.relays[VICTIM].seen(Key.ASSIGN_REPLICAS_TO_DIRS)
            for directory in seen.body.directories
            for told in directory.topics
        )

    def until(self, look: Callable[[], object], what: str) -> None:
        """Poll, patiently."""
        self.cluster.until(look, what, 90)


@dataclass(frozen=True)
class Row:
    """A case: where the log is and what becomes of it, what the metadata is made to say.

    `files`: "kept", "gone", or the number of the directory to which somebody moves it. `copy`: the
    directory that holds a future copy. `says`: a directory's number or an id; None leaves it.
    `ends`: where the replica is in the end (None: wherever there is room).
    """

    name: str
    home: int
    files: str | int
    says: int | DirectoryId | None
    ends: int | None
    copy: int | None = None
    same_file: bool = False
    silent: bool = False

    @property
    def topic(self) -> str:
        """The case's topic."""
        return "row-" + self.name.replace(" ", "-")


@pytest.fixture(scope="module", params=["our-controller", "their-controller"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Three brokers of ours; the topics of all rows are made and filled."""
    theirs = {CONTROLLER_ID} if request.param == "their-controller" else set()
    jars = request.getfixturevalue("kafka_jars")
    folder = tmp_path_factory.mktemp(request.param)
    cluster = Mixed(folder, jars, theirs=theirs, brokers=3, directories=3, settings=SETTINGS)
    relays = {}
    for broker in (VICTIM, SINGLE):
        node = cluster.nodes[broker]
        relay = relays[broker] = Relay(cluster.nodes[CONTROLLER_ID].controller_port or 0)
        node.settings["controller.quorum.voters"] = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
        if broker == SINGLE:
            node.log_dirs = node.log_dirs[:1]
        cluster.write_config(node)
    with cluster, relays[VICTIM], relays[SINGLE]:
        cluster.start()
        world = World(cluster, relays)
        make_topics(world, [row.topic for row in (*ROWS, *HIDDEN, *MOUNTED)], [KEEPER, VICTIM])
        place(world, {row.topic: row.home for row in (*ROWS, *HIDDEN, *MOUNTED)})
        yield world


def directory_id(path: Path) -> DirectoryId:
    """The id in a directory's `meta.properties`."""
    own = meta.read(OsDisk(), str(path))
    assert own is not None
    assert own.directory_id is not None
    return own.directory_id


def make_topics(world: World, topics: Sequence[str], replicas: list[int]) -> None:
    """Make topics of one partition, in sync."""
    new = [NewTopic(t, num_partitions=1, replica_assignment=[replicas]) for t in topics]
    for made in world.cluster.admin.create_topics(new).values():
        made.result(60)
    for topic in topics:
        world.cluster.become(topic, {0: (replicas[0], set(replicas))}, 60)


def place(world: World, homes: dict[str, int]) -> None:
    """Have the victim's replicas in these directories, with records in each."""
    for topic in homes:
        produce(world.cluster.bootstrap, topic, VALUES)
    asked: dict[tuple[str, int, int], int | str] = {(t, 0, VICTIM): n for t, n in homes.items()}
    assert set(world.cluster.alter(asked).values()) == {Error.NONE}
    ids = world.ids()

    def settled() -> bool:
        said = committed.assigned(world.cluster, VICTIM, *homes)
        return all(world.where(t) == [n] and said[t] == ids[n] for t, n in homes.items())

    world.until(settled, "every replica is where its case begins")


def inode(folder: Path) -> int:
    """Which file a log's first segment is."""
    return (folder / f"{0:020d}.log").stat().st_ino


def restart_changed(world: World, change: Callable[[World], None]) -> None:
    """Stop the victim, change what it will find, start it; it may take its time to be unfenced."""
    world.cluster.stop_node(VICTIM)
    change(world)
    world.relays[VICTIM].forget()
    world.cluster.start_node(VICTIM, wait=False)
    world.until(lambda: not fenced(world, VICTIM), "the victim is unfenced")


def fenced(world: World, broker: int) -> bool:
    """Whether the controller keeps a broker away from clients."""
    state = committed.image(world.cluster).brokers[broker]
    running = world.cluster.nodes[broker].process is not None
    return state.fenced or not running


def settled(world: World, row: Row) -> int:
    """Wait until a row's replica is in sync, in one place, and named there; the disk's number."""
    world.cluster.become(row.topic, {0: (KEEPER, {KEEPER, VICTIM})}, 90)

    def look() -> bool:
        places = world.where(row.topic)
        right = len(places) == 1 and row.ends in (None, places[0])
        return right and world.assigned(row.topic) == world.ids()[places[0]]

    world.until(look, f"{row.topic} is where it belongs, and the metadata says so")
    kept = bytes_of(world.cluster.nodes[KEEPER].log_dirs, row.topic)
    assert bytes_of(world.cluster.nodes[VICTIM].log_dirs, row.topic) == kept
    return world.where(row.topic)[0]


# --- the catch-up table: all directories are there -------------------------------------------


ROWS = (
    Row("unassigned and there", 1, "kept", UNASSIGNED, 1, same_file=True),
    Row("migrating and there", 1, "kept", MIGRATING, 1, same_file=True),
    Row("lost and there", 1, "kept", LOST, 1, same_file=True),
    Row("unknown and there", 1, "kept", NOWHERE, 1, same_file=True),
    Row("unassigned and missing", 1, "gone", UNASSIGNED, None),
    Row("migrating and missing", 1, "gone", MIGRATING, None),
    Row("lost and missing", 1, "gone", LOST, None),
    Row("unknown and missing", 1, "gone", NOWHERE, None),
    Row("assigned and missing", 1, "gone", 2, 2, silent=True),
    Row("assigned and there", 1, "kept", None, 1, same_file=True, silent=True),
    Row("assigned but elsewhere", 0, 2, None, 2, same_file=True),
    Row("a copy elsewhere", 0, "kept", None, 1, copy=1, same_file=True),
    Row("a copy where it is assigned", 0, "kept", 2, 2, copy=2, same_file=True, silent=True),
    Row("a copy alone", 0, "gone", None, 1, copy=1, same_file=True),
)


def change_rows(world: World, rows: Sequence[Row]) -> None:
    """Do to files and metadata what the rows say."""
    ids = world.ids()
    for row in rows:
        log = world.folder(row.topic, row.home)
        if row.copy is not None:
            name = f"{row.topic}-0.{uuid.uuid4().hex}-future"
            future = log.parent.parent / world.cluster.nodes[VICTIM].log_dirs[row.copy].name / name
            shutil.copytree(log, future)
            world.marks[row.topic] = (future, inode(future))
        else:
            world.marks[row.topic] = (log, inode(log))
        if row.files == "gone":
            shutil.rmtree(log)
        elif isinstance(row.files, int):
            log.rename(world.folder(row.topic, row.files))
        if row.says is not None:
            said = ids[row.says] if isinstance(row.says, int) else row.says
            committed.assign(world.cluster, VICTIM, {row.topic: said})


@pytest.fixture(scope="module")
def caught_up(world: World) -> World:
    """The victim has been restarted on changed files and metadata."""
    restart_changed(world, lambda world: change_rows(world, ROWS))
    return world


@pytest.mark.spec("K858-12", "K858-18")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.topic)
def test_a_row_of_the_catch_up_table(caught_up: World, row: Row) -> None:
    world = caught_up
    disk = settled(world, row)
    assert (inode(world.folder(row.topic, disk)) == world.marks[row.topic][1]) == row.same_file
    assert world.told_of(row.topic) != row.silent
    world.until(lambda: not futures(world, row.topic), "no copy is left over")


def bytes_of(disks: Sequence[Path], topic: str) -> bytes:
    """What a broker's log of a topic holds."""
    (folder,) = [d / f"{topic}-0" for d in disks if (d / f"{topic}-0").is_dir()]
    return (folder / f"{0:020d}.log").read_bytes()


def futures(world: World, topic: str) -> list[Path]:
    """Copies of a topic's log in the victim's directories."""
    disks = world.cluster.nodes[VICTIM].log_dirs
    return [path for disk in disks for path in disk.glob(f"{topic}-0.*-future")]


# --- the catch-up table: a directory is dead -------------------------------------------------


DEAD = 0
HIDDEN = (
    Row("lost or hidden", 1, "gone", LOST, None),
    Row("unknown or hidden", 1, "gone", NOWHERE, None),
    Row("hidden and assigned elsewhere", DEAD, "kept", 1, DEAD),
    Row("hidden where assigned", DEAD, "kept", None, DEAD),
    Row("hidden with a copy outside", DEAD, "kept", None, 1, copy=1),
    Row("unassigned and missing beside it", 1, "gone", UNASSIGNED, None),
    Row("there beside it", 1, "kept", None, 1, same_file=True, silent=True),
)
OFFLINE = HIDDEN[:5]


@pytest.fixture(scope="module")
def one_dead(caught_up: World) -> World:
    """The victim has been restarted without one of its disks."""

    def change(world: World) -> None:
        change_rows(world, HIDDEN)
        world.cluster.break_disk(VICTIM, DEAD)

    restart_changed(caught_up, change)
    return caught_up


@pytest.mark.spec("K858-12", "K858-18")
@pytest.mark.parametrize("row", HIDDEN, ids=lambda row: row.topic)
def test_a_row_of_the_catch_up_table_with_a_dead_directory(one_dead: World, row: Row) -> None:
    world, ids = one_dead, one_dead.ids()
    if row in OFFLINE:
        world.cluster.become(row.topic, {0: (KEEPER, {KEEPER})}, 60)
        # A live directory that lacks the replica is never left named (K858-20).
        world.until(lambda: world.assigned(row.topic) not in ids[1:], "no live one is named")
        assert world.where(row.topic) == ([DEAD] if row.home == DEAD else [])
        return
    disk = settled(world, row)
    assert disk != DEAD
    if row.same_file:
        assert inode(world.folder(row.topic, disk)) == world.marks[row.topic][1]


@pytest.mark.spec("K858-12")
def test_new_replicas_are_made_beside_a_dead_directory(one_dead: World) -> None:
    make_topics(one_dead, ["beside"], [KEEPER, VICTIM])
    one_dead.until(lambda: one_dead.assigned("beside") in one_dead.ids()[1:], "it is told")
    (disk,) = one_dead.where("beside")
    assert one_dead.assigned("beside") == one_dead.ids()[disk]


@pytest.mark.spec("K858-12", "B-13")
def test_all_come_back_with_the_directory(one_dead: World) -> None:
    world = one_dead
    world.cluster.mend_disk(VICTIM, DEAD)
    for row in HIDDEN:
        settled(world, row)


# --- disks change places while the broker is down --------------------------------------------


MOUNTED = (
    Row("mounted elsewhere", 1, "kept", None, 2, same_file=True, silent=True),
    Row("on a disk that is replaced", 0, "kept", None, None),
)


@pytest.mark.spec("K858-18", "K858-03")
def test_disks_are_known_by_their_ids_wherever_they_are_mounted(one_dead: World) -> None:
    world = one_dead
    before = world.ids()
    replaced, one, other = world.cluster.nodes[VICTIM].log_dirs

    def change(world: World) -> None:
        change_rows(world, MOUNTED)
        aside = one.with_name("aside")
        for source, target in ((one, aside), (other, one), (aside, other)):
            source.rename(target)
        shutil.rmtree(replaced)
        now_ms = time.time_ns() // 1_000_000
        format_blank(OsDisk(), [str(replaced)], world.cluster.cluster_id, VICTIM, now_ms)

    restart_changed(world, change)
    fresh, *swapped = world.ids()
    assert swapped == [before[2], before[1]]
    assert fresh not in before
    for row in MOUNTED:
        settled(world, row)
        assert world.told_of(row.topic) != row.silent
    state = committed.image(world.cluster).brokers[VICTIM]
    assert set(state.log_dirs) == set(world.ids())
