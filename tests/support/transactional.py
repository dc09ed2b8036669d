"""Replicas whose producers write in transactions; the transactions' coordinator is the test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, NamedTuple

from spindle.core.transactions.transaction_values import BUMPING, Ending, ProducerIdAndEpoch
from spindle.model.batches import TRANSACTIONAL
from spindle.model.errors import Error
from spindle.model.ids import PartitionId, TopicPartition
from spindle.node.transactions.enlisting import Enlisting
from spindle.node.transactions.marking import Marking
from spindle.wire.batch import records as records_of
from spindle.wire.batch import split
from spindle.wire.control import marker_of
from tests.support.replica_world import NAME, TOPIC, Answer, Node, World, fetched

ID = PartitionId(TOPIC, 0)
WHERE = TopicPartition(NAME, 0)


class Question(NamedTuple):
    """What the coordinator is asked; `then` answers."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    adds: bool
    then: Callable[[Error], None]


class Asked:
    """Stands for the coordinator of all transactional ids, which is on the broker that asks."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.verdict = Error.NONE
        """What a question that adds nothing is answered at once."""

    def leader_for(self, key: str) -> int:
        return 1

    def coordinator(self, transactional_id: str) -> Any:
        return self

    def is_outdone(self, key: str, id: PartitionId, producer_id: int) -> bool:
        return False

    def add(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        partitions: Iterable[TopicPartition],
        bumps: bool,
        then: Callable[[Error], None],
    ) -> None:
        assert bumps
        self.questions.append(Question(transactional_id, producer, True, then))

    def verify(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        partitions: Iterable[TopicPartition],
        then: Callable[[dict[TopicPartition, Error]], None],
    ) -> None:
        then(dict.fromkeys(partitions, self.verdict))

    def answer(self, error: Error = Error.NONE) -> Question:
        """Answer the oldest question."""
        question = self.questions.pop(0)
        question.then(error)
        return question


class TransactionalWorld(World):
    """Three brokers' replicas, led by 1, whose markers and questions are the test's."""

    def __init__(self, **settings: str) -> None:
        super().__init__(settings=settings)
        self.asked = Asked()
        self.decided: list[tuple[PartitionId, int, int, bool]] = []
        """What the group coordinators heard of markers."""
        self.markings = {n: self._equip(node) for n, node in self.nodes.items()}

    def _equip(self, node: Node) -> Marking:
        ground: Any = SimpleNamespace(node_id=1, out=node.out)
        groups: Any = SimpleNamespace(on_marker=lambda *told: self.decided.append(told))
        enlisting = Enlisting(ground, self.asked)
        node.broker.transactions = SimpleNamespace(enlisting=enlisting)
        return Marking(node.out, node.replicas, groups, enlisting)

    def write(
        self, value: bytes, sequence: int = 0, epoch: int = 0, node: int = 1, **more: Any
    ) -> Answer:
        """Producer 7 of "x" writes a record in its transaction."""
        fields = {"transactional_id": "x"} | more
        return self.produce(
            node,
            value,
            attributes=TRANSACTIONAL,
            producer_id=7,
            producer_epoch=epoch,
            base_sequence=sequence,
            **fields,
        )

    def mark(
        self,
        epoch: int,
        committed: bool = True,
        *,
        node: int = 1,
        coordinator: int = 0,
        version: int = BUMPING,
    ) -> list[Error]:
        """The coordinator has the transaction of producer 7 ended; the answer, once it comes."""
        told: list[Error] = []
        ending = Ending(
            transactional_id="x",
            producer=ProducerIdAndEpoch(7, epoch),
            committed=committed,
            coordinator_epoch=coordinator,
            partitions=(WHERE,),
            version=version,
        )
        self.markings[node].write(WHERE, ending, told.append)
        self.step()
        return told

    def committed_values(self, node: int = 1) -> list[bytes | None]:
        """What a reader of committed records keeps of all that it is sent, as clients do."""
        got = fetched(self.fetch(node, isolation=1))
        assert got.error_code == Error.NONE
        began = sorted((a.first_offset, a.producer_id) for a in got.aborted_transactions or ())
        aborted: set[int] = set()
        kept: list[bytes | None] = []
        for batch in split(got.records or b""):
            while began and began[0][0] <= batch.last_offset:
                aborted.add(began.pop(0)[1])
            if batch.is_control:
                marker = marker_of(batch)
                if marker is not None and not marker.committed:
                    aborted.discard(batch.producer_id)
            elif not (batch.is_transactional and batch.producer_id in aborted):
                kept += [record.value for record in records_of(batch)]
        return kept
