"""pytest's plugin, in runs of pytest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.spec("T-01")
SOURCE = Path(__file__).parents[2] / "src"
PRODUCES = """
from confluent_kafka import Producer

def produce(cluster):
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    producer.produce("t", b"x")
    assert producer.flush(20) == 0
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Where files of tests are written and run; the plugin is loaded by its name."""
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setenv("PYTEST_PLUGINS", "spindle.pytest_plugin")
    pytester.makepyfile(support=PRODUCES)
    return pytester


def test_a_test_has_a_cluster_of_its_own_as_it_is_marked(run: pytest.Pytester) -> None:
    run.makeini(
        "[pytest]\npythonpath = .\nspindle_brokers = 2\nspindle_log_dirs = 1\n"
        "spindle_settings =\n    num.partitions=3\n"
    )
    run.makepyfile(
        """
        import pytest
        from support import produce

        pytestmark = pytest.mark.spindle_cluster(log_dirs=3)

        def test_shape(spindle_cluster):
            assert [len(broker.disks) for broker in spindle_cluster.brokers] == [3, 3]
            produce(spindle_cluster)
            found = set()  # Partitions that were not written to may be made a moment later.
            while found != {"t-0", "t-1", "t-2"}:
                found = {path.name for path in spindle_cluster.folder.glob("broker-*/disk-*/t-*")}
                assert found <= {"t-0", "t-1", "t-2"}

        @pytest.mark.spindle_cluster(brokers=1, settings={"num.partitions": "1"})
        def test_other_shape(spindle_cluster):
            assert len(spindle_cluster.brokers) == 1
            produce(spindle_cluster)
            assert len([*spindle_cluster.folder.glob("broker-*/disk-*/t-*")]) == 1
        """
    )
    run.runpytest_subprocess("--strict-markers").assert_outcomes(passed=2)


def test_a_factory_makes_clusters_for_the_session(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npythonpath = .")
    run.makepyfile(
        """
        import pytest
        from support import produce

        ids = set()

        @pytest.fixture(scope="session")
        def shared(spindle_cluster_factory):
            return spindle_cluster_factory(brokers=1)

        @pytest.mark.parametrize("turn", [1, 2])
        def test_one(shared, turn):
            produce(shared)
            ids.add(shared.cluster_id)
            assert len(ids) == 1
        """
    )
    run.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_failed_test_shows_what_the_nodes_said_last(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        def test_fails(spindle_cluster):
            spindle_cluster.broker(1).disk(1).fail()
            spindle_cluster.broker(2).kill()
            while "log directory has failed" not in spindle_cluster.broker(1).last_lines():
                pass
            assert False
        """
    )
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*log of controller 100*", "*log of broker 1*", "*log directory has failed*disk-2*"]
    )


def test_a_bug_in_a_node_fails_the_test(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import pytest

        @pytest.fixture(scope="session")
        def shared(spindle_cluster_factory):
            return spindle_cluster_factory(brokers=1)

        def test_sees_a_bug(shared):
            with shared.broker(1).log_file.open("a") as log:
                log.write("a bug: the node stops")
        """
    )
    result = run.runpytest_subprocess()
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["*NodeBug: a bug of Spindle in node 1:*"])


def test_workers_side_by_side_have_clusters_of_their_own(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npythonpath = .\nspindle_brokers = 1")
    run.makepyfile(
        """
        import pytest
        from support import produce

        @pytest.mark.parametrize("turn", range(4))
        def test_one(spindle_cluster, turn):
            produce(spindle_cluster)
        """
    )
    run.runpytest_subprocess("-n", "2").assert_outcomes(passed=4)


def test_without_a_test_that_wants_a_cluster_nothing_of_it_is_loaded(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import sys

        def test_alone():
            assert not [m for m in sys.modules if m.startswith(("spindle.testing", "asyncio"))]
        """
    )
    run.runpytest_subprocess("-p", "no:anyio", "-p", "no:asyncio").assert_outcomes(passed=1)
