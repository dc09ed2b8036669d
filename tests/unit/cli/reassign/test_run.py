"""The order in which things are asked of a cluster, and what is said when it stops half way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_broker import HANG_UP, FakeBroker
from tools.messages.entities import make

from spindle.cli.reassign.reassigning import ReassignOptions, Stopped, cancel, execute, verify
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.client.admin import AdminClient
from spindle.client.results import Replica
from spindle.model.errors import Error, Unusable
from spindle.model.ids import TopicPartition
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")
T0 = TopicPartition("t", 0)
HERE, NEW = Replica("t", 0, 1), Replica("t", 0, 2)


class Scripted(FakeBroker):
    """A broker that holds t-0 in /d1, takes reassignments, and answers moves as the test says."""

    def __init__(self, node_id: int, peers: list[FakeBroker] | None = None) -> None:
        super().__init__(node_id, peers)
        self.move_codes: Iterator[int] = iter(())
        self.reassign_code = 0
        self.running: tuple[tuple[int, ...], ...] = ()
        self.on(Key.LIST_PARTITION_REASSIGNMENTS, self._list)
        self.on(Key.METADATA, self._metadata)
        self.on(Key.DESCRIBE_LOG_DIRS, self._log_dirs)
        self.on(Key.ALTER_REPLICA_LOG_DIRS, self._move)
        self.on(Key.ALTER_PARTITION_REASSIGNMENTS, self._reassign)
        self.on(Key.INCREMENTAL_ALTER_CONFIGS, self._configs)
        self.on(Key.DESCRIBE_CONFIGS, self._describe_configs)

    def order(self) -> list[str]:
        """The APIs that change something, in the order asked."""
        changing = (
            Key.ALTER_REPLICA_LOG_DIRS,
            Key.ALTER_PARTITION_REASSIGNMENTS,
            Key.INCREMENTAL_ALTER_CONFIGS,
        )
        return [Key(key).name for key, _ in self.asked if key in changing]

    def _list(self, request: Any, types: Any) -> Any:
        partitions = tuple(
            make(
                types.OngoingPartitionReassignment,
                partition_index=0,
                replicas=replicas,
                adding_replicas=(2,),
            )
            for replicas in self.running
        )
        topics = (make(types.OngoingTopicReassignment, name="t", partitions=partitions),)
        return make(types.ListPartitionReassignmentsResponse, topics=topics if self.running else ())

    def _metadata(self, request: Any, types: Any) -> Any:
        partition = make(
            types.MetadataResponsePartition,
            partition_index=0,
            leader_id=1,
            replica_nodes=(1,),
            isr_nodes=(1,),
        )
        known = [t.name for t in request.topics if t.name == "t"]
        topics = tuple(
            make(types.MetadataResponseTopic, name=name, partitions=(partition,)) for name in known
        )
        unknown = tuple(
            make(
                types.MetadataResponseTopic,
                name=t.name,
                error_code=Error.UNKNOWN_TOPIC_OR_PARTITION,
            )
            for t in request.topics
            if t.name != "t"
        )
        return make(types.MetadataResponse, topics=topics + unknown)

    def _log_dirs(self, request: Any, types: Any) -> Any:
        log = make(types.DescribeLogDirsPartition, partition_index=0, partition_size=10)
        copy = make(
            types.DescribeLogDirsPartition, partition_index=0, partition_size=4, is_future_key=True
        )
        return make(
            types.DescribeLogDirsResponse,
            results=tuple(
                make(
                    types.DescribeLogDirsResult,
                    log_dir=path,
                    topics=(make(types.DescribeLogDirsTopic, name="t", partitions=(p,)),),
                )
                for path, p in (("/d1", log), ("/d2", copy))
            ),
        )

    def _move(self, request: Any, types: Any) -> Any:
        code = next(self.move_codes)
        if code == -2:
            return HANG_UP
        partition = make(
            types.AlterReplicaLogDirPartitionResult, partition_index=0, error_code=code
        )
        topic = make(types.AlterReplicaLogDirTopicResult, topic_name="t", partitions=(partition,))
        return make(types.AlterReplicaLogDirsResponse, results=(topic,))

    def _reassign(self, request: Any, types: Any) -> Any:
        partition = make(
            types.ReassignablePartitionResponse,
            partition_index=0,
            error_code=self.reassign_code,
            error_message="it does not please me" if self.reassign_code else None,
        )
        topic = make(types.ReassignableTopicResponse, name="t", partitions=(partition,))
        return make(types.AlterPartitionReassignmentsResponse, responses=(topic,))

    def _describe_configs(self, request: Any, types: Any) -> Any:
        results = tuple(
            make(
                types.DescribeConfigsResult,
                resource_type=r.resource_type,
                resource_name=r.resource_name,
            )
            for r in request.resources
        )
        return make(types.DescribeConfigsResponse, results=results)

    def _configs(self, request: Any, types: Any) -> Any:
        return make(
            types.IncrementalAlterConfigsResponse,
            responses=tuple(
                make(
                    types.AlterConfigsResourceResponse,
                    resource_type=r.resource_type,
                    resource_name=r.resource_name,
                )
                for r in request.resources
            ),
        )


def executed(
    plan: ReassignmentPlan,
    *,
    moves: tuple[int, ...] = (),
    options: ReassignOptions | None = None,
    reassign_code: int = 0,
    running: tuple[tuple[int, ...], ...] = (),
) -> tuple[list[str], list[str], str]:
    """(lines said, changes in order as broker 2 and then 1 saw them, the error) of an execution."""
    lines: list[str] = []
    failure = ""

    async def scenario() -> list[str]:
        nonlocal failure
        async with Scripted(1) as one, Scripted(2, one.peers) as two:
            one.controller_id = two.controller_id = 2
            two.move_codes = iter(moves)
            one.move_codes = iter(moves)
            one.reassign_code = two.reassign_code = reassign_code
            one.running = two.running = running
            async with AdminClient(two.bootstrap, timeout=2) as admin:
                try:
                    await execute(
                        admin, plan, options or ReassignOptions(timeout_ms=400), lines.append
                    )
                except (Stopped, Unusable) as stopped:
                    failure = str(stopped)
            return two.order() + one.order()

    return lines, asyncio.run(scenario()), failure


TO_NEW = ReassignmentPlan({T0: (2,)}, {NEW: "/d2"})
MOVE, REASSIGN, SETTINGS = (
    "ALTER_REPLICA_LOG_DIRS",
    "ALTER_PARTITION_REASSIGNMENTS",
    "INCREMENTAL_ALTER_CONFIGS",
)
NOT_YET = int(Error.REPLICA_NOT_AVAILABLE)


@pytest.mark.spec("K113-23")
def test_the_directory_goes_first_and_again_until_it_is_accepted() -> None:
    lines, order, failure = executed(TO_NEW, moves=(NOT_YET, NOT_YET, NOT_YET, 0))
    assert failure == ""
    assert order == [MOVE, REASSIGN, MOVE, MOVE, MOVE]
    assert lines[-2:] == [
        "Successfully started partition reassignment for t-0",
        "Successfully started moving log directory to /d2 for replica t-0 with broker 2 ",
    ]


@pytest.mark.spec("K113-23")
def test_a_directory_that_is_never_accepted_runs_out_of_time() -> None:
    _, order, failure = executed(TO_NEW, moves=(NOT_YET,) * 100)
    assert order[:2] == [MOVE, REASSIGN]
    assert failure.startswith("Timed out before log directory move could be started for: t-0-2")
    assert "Done: the reassignment of t-0 was started." in failure
    assert "creates the replica later still puts it into that directory" in failure


@pytest.mark.spec("K113-23")
@pytest.mark.parametrize("code", [Error.KAFKA_STORAGE_ERROR, Error.LOG_DIR_NOT_FOUND])
def test_a_refused_directory_stops_everything_before_the_reassignment(code: Error) -> None:
    _, order, failure = executed(TO_NEW, moves=(int(code),))
    assert order == [MOVE]
    assert failure.startswith("Failed to alter dir for t-0-2: broker 2 (127.0.0.1:")
    assert code.name in failure
    assert failure.endswith("Done: nothing was changed.\nNot done: no reassignment was started.")


@pytest.mark.spec("K113-23")
def test_a_refusal_after_the_reassignment_says_that_it_runs() -> None:
    _, order, failure = executed(TO_NEW, moves=(NOT_YET, int(Error.KAFKA_STORAGE_ERROR)))
    assert order == [MOVE, REASSIGN, MOVE]
    assert "KAFKA_STORAGE_ERROR" in failure
    assert failure.endswith("Done: the reassignment of t-0 was started.")


@pytest.mark.spec("K113-23")
def test_a_broker_that_hangs_up_stops_it_too() -> None:
    _, order, failure = executed(TO_NEW, moves=(-2,) * 100)
    assert REASSIGN not in order
    assert "Failed to alter dir for t-0-2: broker 2 (127.0.0.1:" in failure
    assert "Done: nothing was changed." in failure


@pytest.mark.spec("K113-23")
def test_a_refused_reassignment_says_which_directories_were_accepted() -> None:
    plan = ReassignmentPlan({T0: (1,)}, {HERE: "/d2"})
    _, order, failure = executed(plan, moves=(0,), reassign_code=int(Error.INVALID_REQUEST))
    assert sorted(order) == sorted([MOVE, REASSIGN])
    assert failure == (
        "Error reassigning partition(s):\nt-0: it does not please me\n"
        "Done: the directories of t-0-1 were accepted."
    )


def test_throttles_come_before_anything_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path))
    options = ReassignOptions(throttle=1000, move_throttle=2000, timeout_ms=400)
    lines, order, failure = executed(TO_NEW, moves=(0,), options=options)
    assert failure == ""
    assert set(order[: order.index(MOVE)]) == {SETTINGS}
    assert [line for line in lines if "limit" in line] == [
        "The inter-broker throttle limit was set to 1000 B/s",
        "The replica-alter-dir throttle limit was set to 2000 B/s",
    ]
    _, _, stopped = executed(TO_NEW, moves=(57,), options=options)
    assert "Done: throttles have been set" in stopped


@pytest.mark.parametrize("watched", [False, True])
def test_a_watcher_need_not_verify(
    watched: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path))
    options = ReassignOptions(throttle=1000, timeout_ms=400, watched=watched)
    lines, _, failure = executed(TO_NEW, moves=(0,), options=options)
    assert failure == ""
    assert any("You must run --verify periodically" in line for line in lines) != watched


def test_a_reassignment_under_way_is_not_disturbed_unless_asked() -> None:
    _, order, failure = executed(TO_NEW, running=((1, 2),))
    assert order == []
    assert "Use --additional to override" in failure
    options = ReassignOptions(additional=True, timeout_ms=400)
    _, order, failure = executed(TO_NEW, moves=(0,), running=((1, 2),), options=options)
    assert (order, failure) == ([MOVE, REASSIGN], "")


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (ReassignmentPlan({T0: (1, 9)}), "Unknown broker id 9; the brokers are: 1,2"),
        (ReassignmentPlan({TopicPartition("t", 5): (1,)}), "Unable to find partition: t-5"),
        (ReassignmentPlan({TopicPartition("u", 0): (1,)}), "Topic u not found."),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_asked(
    plan: ReassignmentPlan, says: str
) -> None:
    _, order, failure = executed(plan)
    assert order == []
    assert failure == says


def test_cancel_puts_moves_back_and_takes_throttles_away() -> None:
    lines: list[str] = []

    async def scenario() -> list[str]:
        async with Scripted(1) as one:
            one.running = ((1, 2),)
            one.move_codes = iter((0,))
            async with AdminClient(one.bootstrap, timeout=2) as admin:
                await cancel(admin, ReassignmentPlan({T0: (2,)}, {HERE: "/d2"}), lines.append)
            (moved,) = (e for key, e in one.asked if key == Key.ALTER_REPLICA_LOG_DIRS)
            assert [d.path for d in moved.dirs] == ["/d1"]
            return one.order()

    assert asyncio.run(scenario())[:2] == [REASSIGN, MOVE]
    assert lines == [
        "Successfully cancelled partition reassignment for: t-0",
        "Successfully started moving log directory to /d1 for replica t-0 with broker 1 ",
        "Clearing broker-level throttles on broker 1",
        "Clearing topic-level throttles on topic t",
    ]


@pytest.mark.spec("K113-24")
def test_verify_leaves_throttles_while_a_broker_is_silent() -> None:
    lines: list[str] = []

    async def scenario() -> list[str]:
        async with Scripted(1) as one:
            async with AdminClient(one.bootstrap, timeout=1) as admin:
                found = await verify(
                    admin, ReassignmentPlan({T0: (1,)}, {NEW: "/d2"}), lines.append
                )
            assert not found.complete
            return one.order()

    assert asyncio.run(scenario()) == []
    assert lines[-1].startswith("Partition t-0 on broker 2: there is no broker 2")
