"""Which large requests are served in parts (`node.parts`), by listener (S-08)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.node import controller_surveys
from spindle.node.handlers import _repeats, _requested_transactions
from spindle.node.parts import Names, Parted
from spindle.wire.apis import Key

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

_PARTITIONS: Final[Names[object]] = Names(("topics", "partitions"), ("topics", "partitions"))
_INDEXES: Final[Names[object]] = Names(("topics", "partition_indexes"), ("topics", "partitions"))
_SHARE_STATES: Final[Names[object]] = Names(("topics", "partitions"), ("results", "partitions"))
_RESOURCES: Final[Names[Controller]] = Names(
    ("resources",), ("responses",), _repeats.weigh, survey=_repeats.RepeatedResources
)

BROKER: Final[Parted[Broker]] = {
    Key.PRODUCE: (
        Names(
            ("topic_data", "partition_data"),
            ("responses", "partition_responses"),
            beside="node_endpoints",
            eager=True,
            due=True,
        ),
    ),
    Key.LIST_OFFSETS: (_PARTITIONS,),
    Key.OFFSET_FOR_LEADER_EPOCH: (_PARTITIONS,),
    Key.DELETE_RECORDS: (_PARTITIONS._replace(eager=True),),
    Key.OFFSET_COMMIT: (_PARTITIONS,),
    Key.TXN_OFFSET_COMMIT: (_PARTITIONS,),
    Key.OFFSET_DELETE: (_PARTITIONS,),
    Key.OFFSET_FETCH: (
        Names(("groups", "topics", "partition_indexes"), ("groups", "topics", "partitions")),
        _INDEXES,
    ),
    Key.DESCRIBE_PRODUCERS: (_INDEXES,),
    Key.DESCRIBE_TRANSACTIONS: (Names(("transactional_ids",), ("transaction_states",)),),
    Key.FIND_COORDINATOR: (Names(("coordinator_keys",), ("coordinators",)),),
    Key.DESCRIBE_GROUPS: (Names(("groups",), ("groups",), small=True),),
    Key.CONSUMER_GROUP_DESCRIBE: (Names(("group_ids",), ("groups",), small=True),),
    Key.SHARE_GROUP_DESCRIBE: (Names(("group_ids",), ("groups",), small=True),),
    Key.INITIALIZE_SHARE_GROUP_STATE: (_SHARE_STATES,),
    Key.READ_SHARE_GROUP_STATE: (_SHARE_STATES,),
    Key.WRITE_SHARE_GROUP_STATE: (_SHARE_STATES,),
    Key.DELETE_SHARE_GROUP_STATE: (_SHARE_STATES,),
    Key.READ_SHARE_GROUP_STATE_SUMMARY: (_SHARE_STATES,),
    Key.DESCRIBE_SHARE_GROUP_OFFSETS: (
        Names(("groups", "topics", "partitions"), ("groups", "topics", "partitions")),
    ),
    Key.DELETE_GROUPS: (Names(("groups_names",), ("results",), small=True),),
    Key.ALTER_REPLICA_LOG_DIRS: (
        Names(
            ("dirs", "topics", "partitions"),
            ("results",),
            survey=_repeats.RepeatedPartitions,
        ),
    ),
    Key.ADD_PARTITIONS_TO_TXN: (
        Names(
            ("transactions", "topics", "partitions"),
            ("results_by_transaction", "topic_results", "results_by_partition"),
            survey=_requested_transactions.RequestedPartitions,
        ),
        Names(
            ("v3_and_below_topics", "partitions"),
            ("results_by_topic_v3_and_below", "results_by_partition"),
            survey=_requested_transactions.RequestedPartitions,
        ),
    ),
    Key.WRITE_TXN_MARKERS: (
        Names(("markers", "topics", "partition_indexes"), ("markers", "topics", "partitions")),
    ),
}
"""Of a broker."""

CONTROLLER: Final[Parted[Controller]] = {
    Key.CREATE_TOPICS: (
        Names(
            ("topics",),
            ("topics",),
            controller_surveys.weigh_new_topic,
            small=True,
            survey=controller_surveys.TopicTotals,
        ),
    ),
    Key.CREATE_PARTITIONS: (
        Names(
            ("topics",),
            ("results",),
            controller_surveys.weigh_more_partitions,
            small=True,
            survey=controller_surveys.PartitionTotals,
        ),
    ),
    Key.DELETE_TOPICS: tuple(
        Names(
            (field,),
            ("responses",),
            controller_surveys.weigh_deletion,
            small=True,
            survey=controller_surveys.DeletionTotals,
        )
        for field in ("topic_names", "topics")
    ),
    Key.ALTER_CONFIGS: (_RESOURCES,),
    Key.INCREMENTAL_ALTER_CONFIGS: (_RESOURCES,),
    Key.ELECT_LEADERS: (
        Names(("topic_partitions", "partitions"), ("replica_election_results", "partition_result")),
    ),
    Key.ALTER_PARTITION_REASSIGNMENTS: (
        Names(("topics", "partitions"), ("responses", "partitions")),
    ),
    Key.LIST_PARTITION_REASSIGNMENTS: (_INDEXES,),
    Key.DESCRIBE_QUORUM: (_PARTITIONS._replace(survey=controller_surveys.RequestedCount),),
    Key.ALTER_PARTITION: (_PARTITIONS,),
    Key.ALTER_REPLICA_STATE: (_PARTITIONS,),
    Key.ASSIGN_REPLICAS_TO_DIRS: (
        Names(("directories", "topics", "partitions"), ("directories", "topics", "partitions")),
    ),
}
"""Of a controller."""
