"""The answers that write nothing by themselves, and what makes them certain.

Belongs to `core.transactions.transaction_coordinator_shard`. A coordinator that was deposed and has
not learned of it remembers what was. The next one may have ended a transaction since, begun another
in the same epoch (before KIP-890 epochs stay), or given a producer its id. Answered from memory,
"it is committed" may be said of the wrong transaction, and a correct producer would stop for good.
Apache Kafka's coordinator answers from memory. Ours says the same, once it is certain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, TypeVar

from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_values import ProducerIdAndEpoch, TransactionRecord
from spindle.model.errors import Error

Append: TypeAlias = Callable[[list[TransactionRecord], Callable[[Error], None]], None]
"""Append records as one batch; the continuation runs once they are committed, or never will be."""
A = TypeVar("A")

_ASK_AGAIN: Final = (Error.CONCURRENT_TRANSACTIONS, Error.NOT_COORDINATOR)
"""Answers that decide nothing: the client asks again, here or elsewhere."""


class TransactionDescriptions:
    """Gives such answers. `transactions`: what the coordinator knows, by transactional id."""

    def __init__(self, transactions: Mapping[str, Transaction], append: Append) -> None:
        self._transactions = transactions
        self._append = append

    def tell(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch | None,
        answer: A,
        then: Callable[[A | Error], None],
    ) -> None:
        """Answer a producer, at once only where that is true whichever broker coordinates.

        That is where the answer says to ask again, and where the producer's epoch was left: epochs
        only grow. Every other answer confirms something or ends the producer. For those the state
        is written once more as it is (for an id that is not known, that there is none). It is
        committed only if all in-sync replicas took it from this leader, and then no other broker
        had begun to coordinate when the question came. Else `then` gets the error of the write,
        which says to ask again. CONCURRENT_TRANSACTIONS while a change is being written.
        """
        txn = self._transactions.get(transactional_id)
        is_left = answer is Error.PRODUCER_FENCED and txn is not None and txn.has_left(producer)
        if answer in _ASK_AGAIN or is_left:
            then(answer)
        elif txn is not None and txn.pending is not None:
            then(Error.CONCURRENT_TRANSACTIONS)
        else:
            # Changes may follow at once: their records come behind this one.
            record = TransactionRecord(transactional_id, None if txn is None else txn.stored)
            self._append([record], lambda failed: then(failed or answer))
