"""What a large request names more than once. It is decided in parts, and a part alone cannot tell.

Listed in `node.parted`, which has all parts looked at before the first is decided; the handlers of
the two APIs that alter configs and of AlterReplicaLogDirs get what was found by their context.
"""

from __future__ import annotations

from collections import Counter

from spindle.core.controller.config_resources import ConfigResource
from spindle.model.ids import TopicPartition
from spindle.wire.codec import Whole
from spindle.wire.messages import alter_configs_request as whole
from spindle.wire.messages import incremental_alter_configs_request as incremental
from spindle.wire.messages.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest


class RepeatedResources:
    """How often a request names each resource that is served in parts."""

    def __init__(self) -> None:
        self.named: Counter[ConfigResource] = Counter()

    def take(self, _: object, request: Whole) -> None:
        """Look at some."""
        assert isinstance(
            request, whole.AlterConfigsRequest | incremental.IncrementalAlterConfigsRequest
        )
        self.named.update(
            ConfigResource(r.resource_type, r.resource_name) for r in request.resources
        )


def weigh(_: object, resource: object) -> int:
    """How much work a resource is: itself and its settings."""
    assert isinstance(resource, whole.AlterConfigsResource | incremental.AlterConfigsResource)
    return 1 + len(resource.configs)


class RepeatedPartitions:
    """How often a request names each partition that is served in parts."""

    def __init__(self) -> None:
        self.named: Counter[TopicPartition] = Counter()

    def take(self, _: object, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, AlterReplicaLogDirsRequest)
        for directory in request.dirs:
            for topic in directory.topics:
                self.named.update(TopicPartition(topic.name, p) for p in topic.partitions)
