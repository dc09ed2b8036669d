"""The quorum of a local cluster: dynamic (KIP-853) where it is new, and changed while it runs."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import pytest
from tests.support.clients import produce, values
from tests.support.processes import tied

import spindle.testing
from spindle.client.admin import AdminClient
from spindle.client.results import QuorumDescription
from spindle.model.errors import Unusable
from spindle.runtime.local import LocalCluster
from spindle.testing import ClusterInstance

pytestmark = [pytest.mark.spec("C-05"), pytest.mark.timeout(180)]


def quorum(bootstrap: str) -> QuorumDescription:
    async def ask() -> QuorumDescription:
        async with AdminClient(bootstrap) as admin:
            return await admin.describe_metadata_quorum()

    return asyncio.run(ask())


def voters(cluster: ClusterInstance) -> set[int]:
    return {voter.node_id for voter in quorum(cluster.bootstrap_servers).voters}


def seats(cluster: ClusterInstance) -> dict[int, set[int]]:
    """The ports at which each voter is reached, as the metadata log says."""
    found = quorum(cluster.bootstrap_servers)
    return {v.node_id: {at.port for at in found.endpoints[v.node_id]} for v in found.voters}


def test_controllers_are_added_to_a_running_cluster_and_removed() -> None:
    with spindle.testing.cluster(brokers=2, log_dirs=1) as cluster:
        first = cluster.controller()
        produce(cluster.bootstrap_servers, "t", [b"before"])
        second = cluster.add_controller()
        assert (second.name, second.is_running) == ("controller 101", True)
        third = cluster.add_controller()
        assert voters(cluster) == {100, 101, 102}
        first.kill()
        produce(cluster.bootstrap_servers, "u", [b"by the others"])
        cluster.remove_controller(first)
        assert voters(cluster) == {101, 102}
        fourth = cluster.add_controller()
        assert cluster.controllers == (second, third, fourth)
        assert fourth.node_id == 100
        for controller in (third, second):
            cluster.remove_controller(controller)
            assert not controller.is_running
        assert voters(cluster) == {100}
        cluster.broker(1).restart()
        assert values(cluster.bootstrap_servers, "t") == [b"before"]
        with pytest.raises(Unusable, match="controller 100 is the only one with a vote"):
            cluster.remove_controller(fourth)
        with pytest.raises(Unusable, match="broker 1 is no controller"):
            cluster.remove_controller(cluster.broker(1))


def test_a_broker_that_is_a_controller_too_goes_on_as_a_broker() -> None:
    with spindle.testing.cluster(2, 1, controllers=2, combined=True) as cluster:
        assert voters(cluster) == {1, 2}
        produce(cluster.bootstrap_servers, "t", [b"kept"])
        cluster.remove_controller(cluster.controller(0))
        assert voters(cluster) == {2}
        assert cluster.broker(1).is_running
        added = cluster.add_controller()
        assert (added.node_id, voters(cluster)) == (100, {2, 100})
        assert values(cluster.bootstrap_servers, "t") == [b"kept"]


def test_a_static_quorum_is_had_for_the_asking_and_does_not_change() -> None:
    with spindle.testing.cluster(1, 1, controllers=3, quorum="static") as cluster:
        found = quorum(cluster.bootstrap_servers)
        assert {voter.node_id for voter in found.voters} == {100, 101, 102}
        with pytest.raises(Unusable, match="is static: its voters cannot be changed"):
            cluster.add_controller()
        with pytest.raises(Unusable, match="is static: its voters cannot be changed"):
            cluster.remove_controller(cluster.controller(0))


def test_another_number_of_controllers_is_had_with_the_next_start(tmp_path: Path) -> None:
    with spindle.testing.cluster(1, 1, folder=tmp_path) as cluster:
        produce(cluster.bootstrap_servers, "t", [b"kept"])
        first = seats(cluster)
    with spindle.testing.cluster(1, 1, folder=tmp_path, controllers=3) as cluster:
        grown = seats(cluster)
        assert sorted(grown) == [100, 101, 102]
    with spindle.testing.cluster(1, 1, folder=tmp_path) as cluster:
        assert seats(cluster) == grown
        assert len(cluster.controllers) == 3
    with spindle.testing.cluster(1, 1, folder=tmp_path, controllers=1) as cluster:
        assert seats(cluster) == first
        assert values(cluster.bootstrap_servers, "t") == [b"kept"]
    with pytest.raises(Unusable, match="whose controllers are nodes of their own"):
        spindle.testing.cluster(1, 1, folder=tmp_path, combined=True)


def test_a_static_cluster_goes_on_and_becomes_dynamic_when_asked(tmp_path: Path) -> None:
    with spindle.testing.cluster(1, 1, folder=tmp_path, controllers=2, quorum="static") as cluster:
        produce(cluster.bootstrap_servers, "t", [b"kept"])
    assert (tmp_path / "ports").read_text().endswith("\ncontrollers=2\n"), "as ever"
    with pytest.raises(Unusable, match=r"make the quorum a dynamic one \(--quorum dynamic\)"):
        spindle.testing.cluster(1, 1, folder=tmp_path, controllers=3)
    with started(tmp_path) as told:
        assert "quorum:      static" in told
        assert "--quorum dynamic" in told
    with spindle.testing.cluster(1, 1, folder=tmp_path, controllers=3, quorum="dynamic") as cluster:
        assert sorted(seats(cluster)) == [100, 101, 102]
    with started(tmp_path) as told:
        assert "quorum:" not in told
    with spindle.testing.cluster(1, 1, folder=tmp_path) as cluster:
        assert values(cluster.bootstrap_servers, "t") == [b"kept"]
    properties = (tmp_path / "broker-1" / "server.properties").read_text()
    assert "controller.quorum.bootstrap.servers=" in properties
    assert "controller.quorum.voters" not in properties
    with pytest.raises(Unusable, match="cannot become a static one"):
        spindle.testing.cluster(1, 1, folder=tmp_path, quorum="static")


@contextmanager
def started(home: Path) -> Iterator[str]:
    """What `spindle up` says when the cluster of a folder serves."""
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "1", "--dirs", "1"]
    process = subprocess.Popen(
        tied([*command, "--data", str(home)]), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        yield "".join(takewhile(lambda line: not line.startswith("ctrl-C"), lines))
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_an_upgrade_by_an_admin_client_is_found_by_the_next_start(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with LocalCluster(tmp_path, 1, 1, quorum="static") as cluster:
            async with AdminClient(cluster.bootstrap) as admin:
                await admin.upgrade_features({"kraft.version": 1})
            assert cluster.quorum == "static"
        async with LocalCluster(tmp_path, 1, 1, port=None) as cluster:
            assert cluster.quorum == "dynamic"
            assert (await cluster.add_controller()).node_id == 101

    asyncio.run(scenario())


def test_a_controller_votes_again_after_its_disk_was_lost(tmp_path: Path) -> None:
    with spindle.testing.cluster(1, 1, controllers=3, folder=tmp_path) as cluster:
        had = quorum(cluster.bootstrap_servers)
        produce(cluster.bootstrap_servers, "t", [b"kept"])
    shutil.rmtree(tmp_path / "controller-2")
    with spindle.testing.cluster(1, 1, folder=tmp_path) as cluster:
        has = quorum(cluster.bootstrap_servers)
        assert values(cluster.bootstrap_servers, "t") == [b"kept"]
    before, after = ({v.node_id: v.directory_id for v in q.voters} for q in (had, has))
    assert before.keys() == after.keys() == {100, 101, 102}
    assert {id for id in after if after[id] != before[id]} == {101}


def test_a_folder_of_which_nothing_was_started_yet_can_be_had_otherwise(tmp_path: Path) -> None:
    spindle.testing.cluster(1, 1, folder=tmp_path, quorum="static")
    wanted = spindle.testing.cluster(1, 1, folder=tmp_path, quorum="dynamic", controllers=2)
    with wanted as cluster:
        assert voters(cluster) == {100, 101}


def test_a_cluster_that_has_lost_its_metadata_does_not_begin_again(tmp_path: Path) -> None:
    with spindle.testing.cluster(1, 1, folder=tmp_path):
        pass
    shutil.rmtree(tmp_path / "controller")
    with pytest.raises(Unusable, match="has lost its metadata"):
        spindle.testing.cluster(1, 1, folder=tmp_path).start()


def test_a_first_start_that_was_cut_off_is_taken_up(tmp_path: Path) -> None:
    """Of three controllers one was formatted: the others are what it says of them."""
    begun = LocalCluster(tmp_path, 1, 1, controllers=3)
    begun.prepare()
    first, second, third = begun.controllers
    own = (first.home / "metadata" / "meta.properties").read_text()
    text = ",".join(
        f"{node.node_id}@127.0.0.1:{node.controller_port}:{directory_id(node.home)}"
        for node in begun.controllers
    )
    (tmp_path / "initial-controllers").write_text(text)
    for node in (second, third, begun.broker(1)):
        shutil.rmtree(node.home)
    begun._files.folder.unlock()
    with spindle.testing.cluster(1, 1, folder=tmp_path) as cluster:
        assert voters(cluster) == {100, 101, 102}
        assert not (tmp_path / "initial-controllers").exists()
    assert (first.home / "metadata" / "meta.properties").read_text() == own


def directory_id(home: Path) -> str:
    text = (home / "metadata" / "meta.properties").read_text()
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)["directory.id"]
