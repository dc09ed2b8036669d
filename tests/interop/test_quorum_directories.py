"""What Spindle brokers make of their directories under a controller of either kind (KIP-858).

Broker 1 is stopped while its files and the metadata are changed behind its back, a topic for each
row of the catch-up table, and started again: with all its directories, then with one that is dead,
then with disks mounted elsewhere and one replaced. Broker 2 keeps the data; broker 3 has a single
directory. The tests of a cluster run in order.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.support import committed
from tests.support.clients import produce
from tests.support.directory_world import BOTH, KEEPER, KINDS, NOWHERE, VICTIM, World, running

from spindle.model.ids import LOST, MIGRATING, UNASSIGNED, DirectoryId
from spindle.runtime.os_disk import OsDisk
from spindle.storage.formatting import format_blank

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

VALUES = [b"%d" % n for n in range(20)]


@dataclass(frozen=True)
class Row:
    """A case: where the log is and what becomes of it, what the metadata is made to say.

    `files`: "kept", "gone", or the number of the directory to which the test moves it. `copy`: the
    directory that holds a future copy. `says`: a directory's number or an id; None leaves it.
    `ends`: where the replica is in the end (None: wherever there is room). `silent`: the controller
    gets no report of it (None: it depends on how soon the copy has caught up).
    """

    name: str
    home: int
    files: str | int
    says: int | DirectoryId | None
    ends: int | None
    copy: int | None = None
    same_file: bool = False
    silent: bool | None = False

    @property
    def topic(self) -> str:
        """The case's topic."""
        return "row-" + self.name.replace(" ", "-")


@pytest.fixture(scope="module", params=KINDS)
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """The topics of all rows are made and filled."""
    jars = request.getfixturevalue("kafka_jars")
    with running(request.param, tmp_path_factory.mktemp(request.param), jars) as world:
        rows = (*ROWS, *HIDDEN, *MOUNTED)
        world.make_topics([row.topic for row in rows], [KEEPER, VICTIM])
        for row in rows:
            produce(world.cluster.bootstrap, row.topic, VALUES)
        world.place({row.topic: row.home for row in rows})
        yield world


@pytest.fixture(scope="module")
def before() -> Iterator[dict[str, BinaryIO]]:
    """Of topics: the first segment of the victim's log, or of its copy, before the restart.

    Open, so that no later file gets the inode of one that is gone.
    """
    with ExitStack() as stack:
        held: dict[str, BinaryIO] = {}
        yield held
        for file in held.values():
            stack.enter_context(file)


def first_segment(folder: Path) -> BinaryIO:
    """A log's first segment."""
    return (folder / f"{0:020d}.log").open("rb")


def is_same(folder: Path, file: BinaryIO) -> bool:
    """Whether a log's first segment is this file."""
    there = (folder / f"{0:020d}.log").stat()
    return os.path.samestat(there, os.fstat(file.fileno()))


def settled(world: World, row: Row) -> int:
    """Wait until a row's replica is in sync, in one place, and named there; the disk's number."""
    world.become(row.topic, KEEPER, BOTH)

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
    Row("a copy where it is assigned", 0, "kept", 2, 2, copy=2, same_file=True, silent=None),
    Row("a copy alone", 0, "gone", None, 1, copy=1, same_file=True),
)


def change_rows(world: World, rows: Sequence[Row], before: dict[str, BinaryIO]) -> None:
    """Do to files and metadata what the rows say."""
    ids = world.ids()
    for row in rows:
        log = world.folder(row.topic, row.home)
        if row.copy is not None:
            name = f"{row.topic}-0.{uuid.uuid4().hex}-future"
            future = log.parent.parent / world.cluster.nodes[VICTIM].log_dirs[row.copy].name / name
            shutil.copytree(log, future)
            before[row.topic] = first_segment(future)
        else:
            before[row.topic] = first_segment(log)
        if row.files == "gone":
            shutil.rmtree(log)
        elif isinstance(row.files, int):
            log.rename(world.folder(row.topic, row.files))
        if row.says is not None:
            said = ids[row.says] if isinstance(row.says, int) else row.says
            committed.assign(world.cluster, VICTIM, {row.topic: said})


@pytest.fixture(scope="module")
def caught_up(world: World, before: dict[str, BinaryIO]) -> World:
    """The victim has been restarted on changed files and metadata."""
    world.restart_changed(lambda: change_rows(world, ROWS, before))
    return world


@pytest.mark.spec("K858-12", "K858-18")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.topic)
def test_a_row_of_the_catch_up_table(
    caught_up: World, before: dict[str, BinaryIO], row: Row
) -> None:
    world = caught_up
    disk = settled(world, row)
    assert is_same(world.folder(row.topic, disk), before[row.topic]) == row.same_file
    assert row.silent in (None, not world.has_reported(row.topic))
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
def one_dead(caught_up: World, before: dict[str, BinaryIO]) -> World:
    """The victim has been restarted without one of its disks."""

    def change() -> None:
        change_rows(caught_up, HIDDEN, before)
        caught_up.cluster.break_disk(VICTIM, DEAD)

    caught_up.restart_changed(change)
    return caught_up


@pytest.mark.spec("K858-12", "K858-18")
@pytest.mark.parametrize("row", HIDDEN, ids=lambda row: row.topic)
def test_a_row_of_the_catch_up_table_with_a_dead_directory(
    one_dead: World, before: dict[str, BinaryIO], row: Row
) -> None:
    world, ids = one_dead, one_dead.ids()
    if row in OFFLINE:
        world.become(row.topic, KEEPER, {KEEPER})
        # A live directory that lacks the replica is never left named (K858-20).
        world.until(lambda: world.assigned(row.topic) not in ids[1:], "no live one is named")
        assert world.where(row.topic) == ([DEAD] if row.home == DEAD else [])
        return
    disk = settled(world, row)
    assert disk != DEAD
    if row.same_file:
        assert is_same(world.folder(row.topic, disk), before[row.topic])


@pytest.mark.spec("K858-12")
def test_new_replicas_are_made_beside_a_dead_directory(one_dead: World) -> None:
    one_dead.make_topics(["beside"], [KEEPER, VICTIM])
    one_dead.until(
        lambda: one_dead.assigned("beside") in one_dead.ids()[1:], "the broker reports it"
    )
    one_dead.until(lambda: one_dead.where("beside"), "it is made")
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

    def change() -> None:
        change_rows(world, MOUNTED, {})
        aside = one.with_name("aside")
        for source, target in ((one, aside), (other, one), (aside, other)):
            source.rename(target)
        shutil.rmtree(replaced)
        now_ms = time.time_ns() // 1_000_000
        format_blank(OsDisk(), [str(replaced)], world.cluster.cluster_id, VICTIM, now_ms)

    world.restart_changed(change)
    fresh, *swapped = world.ids()
    assert swapped == [before[2], before[1]]
    assert fresh not in before
    for row in MOUNTED:
        settled(world, row)
        assert world.has_reported(row.topic) != row.silent
    state = committed.image(world.cluster).brokers[VICTIM]
    assert set(state.log_dirs) == set(world.ids())
