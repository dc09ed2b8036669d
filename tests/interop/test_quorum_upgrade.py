"""A cluster from before log directories had ids: its metadata.version is raised, disks are added.

Under a controller of either kind; the brokers are ours. Broker 1 (`VICTIM`) is down meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import committed
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce, values
from tests.support.directory_world import BOTH, KEEPER, KINDS, SETTINGS, VICTIM, World
from tests.support.mixed import Mixed
from tests.support.relay import Relay
from tools.messages.entities import make, request_types

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.ids import MIGRATING
from spindle.runtime.os_disk import OsDisk
from spindle.storage.formatting import format_blank
from spindle.wire.apis import Key

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

BEFORE, AFTER = 14, 30
"""3.6-IV2, which has no directories, and 4.3-IV0."""


def format_old(cluster: Mixed) -> None:
    """Format every node for the old metadata.version."""
    levels = [r.FeatureLevel(name=METADATA_VERSION, level=BEFORE)]
    for node in cluster.nodes.values():
        paths = [str(path) for path in node.log_dirs]
        if node.is_broker:
            paths.append(node.settings["metadata.log.dir"])
        now_ms = time.time_ns() // 1_000_000
        format_blank(OsDisk(), paths, cluster.cluster_id, node.node_id, now_ms, levels)


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Two brokers with one directory each at the old level; a relay before the first."""
    theirs = {CONTROLLER_ID} if request.param == "their-controller" else set()
    jars = request.getfixturevalue("kafka_jars")
    cluster = Mixed(tmp_path / "nodes", jars, theirs=theirs, settings=SETTINGS)
    relay = Relay(cluster.nodes[CONTROLLER_ID].controller_port or 0)
    for node in cluster.brokers:
        node.log_dirs = node.log_dirs[:1]
        if node.node_id == VICTIM:
            voter = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
            node.settings["controller.quorum.voters"] = voter
        cluster.write_config(node)
    format_old(cluster)
    with cluster, relay:
        cluster.start()
        yield World(cluster, {VICTIM: relay})


def upgrade(world: World) -> int:
    """Raise metadata.version; the error."""
    types = request_types(Key.UPDATE_FEATURES, 1)
    update = make(
        types.FeatureUpdateKey, feature=METADATA_VERSION, max_version_level=AFTER, upgrade_type=1
    )
    request = make(types.UpdateFeaturesRequest, feature_updates=(update,), validate_only=False)
    return int(committed.ask_controller(world.cluster, request).error_code)


def versions(world: World, start: int) -> dict[type, set[int]]:
    """In which versions records of some kinds were written from a batch on."""
    found: dict[type, set[int]] = {}
    for batch in committed.batches(world.cluster)[start:]:
        for one in batch:
            if isinstance(
                one.record, r.RegisterBroker | r.PartitionRegistration | r.PartitionChange
            ):
                found.setdefault(type(one.record), set()).add(one.version)
    return found


def assignment_error(world: World) -> int:
    """What the controller answers to an assignment."""
    types = request_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)
    epoch = committed.image(world.cluster).brokers[VICTIM].broker_epoch
    request = make(
        types.AssignReplicasToDirsRequest, broker_id=VICTIM, broker_epoch=epoch, directories=()
    )
    return int(committed.ask_controller(world.cluster, request).error_code)


@pytest.mark.spec("K858-19", "K858-13", "K858-02")
def test_directories_come_with_the_metadata_version(world: World) -> None:
    cluster, relay = world.cluster, world.relays[VICTIM]
    world.make_topics(["old"], [KEEPER, VICTIM])
    produce(cluster.bootstrap, "old", [b"1"])
    # No node speaks of directories yet.
    assert assignment_error(world) == Error.UNSUPPORTED_VERSION
    assert not relay.seen(Key.ASSIGN_REPLICAS_TO_DIRS)
    written = versions(world, 0)
    assert (written[r.RegisterBroker], written[r.PartitionRegistration]) == ({2}, {0}), written
    assert committed.image(cluster).brokers[KEEPER].log_dirs == ()
    assert world.assigned("old", KEEPER) == MIGRATING
    cluster.stop_node(VICTIM)
    world.become("old", KEEPER, {KEEPER})
    before = len(committed.batches(cluster))
    assert upgrade(world) == Error.NONE
    # A broker that is there says what it has, without a restart.
    keeper = world.ids(KEEPER)
    world.until(
        lambda: committed.image(cluster).brokers[KEEPER].log_dirs == tuple(keeper), "it registers"
    )
    world.until(lambda: world.assigned("old", KEEPER) == keeper[0], "it tells where its log is")
    assert world.assigned("old") == MIGRATING
    # A broker that comes later, with more disks, stays fenced until all its places are known.
    node = cluster.nodes[VICTIM]
    node.log_dirs = [*node.log_dirs, *(node.folder / name for name in ("d2", "d3"))]
    cluster.write_config(node)
    cluster.format()
    relay.forget()
    relay.hold(Key.ASSIGN_REPLICAS_TO_DIRS)
    cluster.start_node(VICTIM, wait=False)
    world.until(lambda: world.has_reported("old"), "the broker reports it")
    state = committed.image(cluster).brokers[VICTIM]
    assert (set(state.log_dirs), state.fenced) == (set(world.ids()), True)
    assert world.assigned("old") == MIGRATING
    relay.release()
    world.until(lambda: not world.fenced(), "it is unfenced")
    assert world.assigned("old") == world.ids()[0]
    world.become("old", KEEPER, BOTH)
    assert values(cluster.bootstrap, "old") == [b"1"]
    world.make_topics(["new"], [KEEPER, VICTIM])
    assert versions(world, before) == {
        r.RegisterBroker: {4},
        r.PartitionRegistration: {2},
        r.PartitionChange: {2},
    }
