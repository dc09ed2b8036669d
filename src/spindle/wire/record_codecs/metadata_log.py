"""Every record of the metadata log that is interpreted. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Never

from spindle.model import metadata_records as r
from spindle.wire.codec import Reader, Writer
from spindle.wire.record_codecs import (
    abort_transaction,
    access_control_entry,
    begin_transaction,
    broker_registration_change,
    clear_elr,
    client_quota,
    config,
    delegation_token,
    end_transaction,
    feature_level,
    fence_broker,
    no_op,
    partition,
    partition_change,
    producer_ids,
    register_broker,
    register_controller,
    remove_access_control_entry,
    remove_delegation_token,
    remove_topic,
    remove_user_scram_credential,
    topic,
    unfence_broker,
    unregister_broker,
    user_scram_credential,
)

READERS: Final[Mapping[int, tuple[str, Mapping[int, Reader[r.MetadataRecord]]]]] = {
    0: ("RegisterBroker", register_broker.READERS),
    1: ("UnregisterBroker", unregister_broker.READERS),
    2: ("Topic", topic.READERS),
    3: ("Partition", partition.READERS),
    4: ("Config", config.READERS),
    5: ("PartitionChange", partition_change.READERS),
    7: ("FenceBroker", fence_broker.READERS),
    8: ("UnfenceBroker", unfence_broker.READERS),
    9: ("RemoveTopic", remove_topic.READERS),
    10: ("DelegationToken", delegation_token.READERS),
    11: ("UserScramCredential", user_scram_credential.READERS),
    12: ("FeatureLevel", feature_level.READERS),
    14: ("ClientQuota", client_quota.READERS),
    15: ("ProducerIds", producer_ids.READERS),
    17: ("BrokerRegistrationChange", broker_registration_change.READERS),
    20: ("NoOp", no_op.READERS),
    22: ("RemoveUserScramCredential", remove_user_scram_credential.READERS),
    23: ("BeginTransaction", begin_transaction.READERS),
    24: ("EndTransaction", end_transaction.READERS),
    25: ("AbortTransaction", abort_transaction.READERS),
    26: ("RemoveDelegationToken", remove_delegation_token.READERS),
    27: ("RegisterController", register_controller.READERS),
    18: ("AccessControlEntry", access_control_entry.READERS),
    19: ("RemoveAccessControlEntry", remove_access_control_entry.READERS),
    28: ("ClearElr", clear_elr.READERS),
}
"""A record's name and its readers by version, by its key."""

WRITERS: Final[Mapping[type[r.MetadataRecord], tuple[int, Mapping[int, Writer[Never]]]]] = {
    r.RegisterBroker: (0, register_broker.WRITERS),
    r.UnregisterBroker: (1, unregister_broker.WRITERS),
    r.Topic: (2, topic.WRITERS),
    r.PartitionRegistration: (3, partition.WRITERS),
    r.DynamicConfig: (4, config.WRITERS),
    r.PartitionChange: (5, partition_change.WRITERS),
    r.RemoveTopic: (9, remove_topic.WRITERS),
    r.DelegationToken: (10, delegation_token.WRITERS),
    r.UserScramCredential: (11, user_scram_credential.WRITERS),
    r.FeatureLevel: (12, feature_level.WRITERS),
    r.ClientQuota: (14, client_quota.WRITERS),
    r.ProducerIdsBlock: (15, producer_ids.WRITERS),
    r.BrokerRegistrationChange: (17, broker_registration_change.WRITERS),
    r.NoOp: (20, no_op.WRITERS),
    r.RemoveUserScramCredential: (22, remove_user_scram_credential.WRITERS),
    r.BeginTransaction: (23, begin_transaction.WRITERS),
    r.EndTransaction: (24, end_transaction.WRITERS),
    r.AbortTransaction: (25, abort_transaction.WRITERS),
    r.RemoveDelegationToken: (26, remove_delegation_token.WRITERS),
    r.RegisterController: (27, register_controller.WRITERS),
    r.AccessControlEntry: (18, access_control_entry.WRITERS),
    r.RemoveAccessControlEntry: (19, remove_access_control_entry.WRITERS),
    r.ClearElr: (28, clear_elr.WRITERS),
}
"""A record's key and its writers by version, by its class."""
