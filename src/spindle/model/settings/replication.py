"""Topics, replicas and their leaders."""

from __future__ import annotations

from typing import Final

from spindle.model.settings.setting import MAX_LONG, Kind, Setting, Update, without_effect

S = Setting
# fmt: off
REPLICATION: Final = (
    S("num.partitions", Kind.INT, "1",
      "The partitions of a topic that is created without a number of them.", least=1),
    S("default.replication.factor", Kind.INT, "1",
      "The replicas of a topic that is created without a number of them."),
    S("min.insync.replicas", Kind.INT, "1",
      "The in-sync replicas without which a write with acks=all is refused.", least=1,
      update=Update.CLUSTER),
    S("auto.create.topics.enable", Kind.BOOLEAN, "true",
      "The broker creates a topic when a client asks for its metadata."),
    S("delete.topic.enable", Kind.BOOLEAN, "true",
      "Topics can be deleted."),
    S("unclean.leader.election.enable", Kind.BOOLEAN, "false",
      "A replica from outside the ISR may lead when none of the ISR is left, although "
      "records are lost by it.", update=Update.CLUSTER),
    S("replica.lag.time.max.ms", Kind.LONG, "30000",
      "The milliseconds for which a follower may lag before it leaves the ISR."),
    S("replica.fetch.max.bytes", Kind.INT, "1048576",
      "The bytes that a follower asks for of each partition.", least=0),
    S("replica.fetch.response.max.bytes", Kind.INT, "10485760",
      "The bytes that a follower asks for in one fetch.", least=0),
    S("replica.fetch.wait.max.ms", Kind.INT, "500",
      "The milliseconds that a follower's fetch waits for records."),
    S("replica.fetch.min.bytes", Kind.INT, "1",
      "The bytes for which a leader answers a follower's fetch before its time."),
    S("replica.fetch.backoff.ms", Kind.INT, "1000",
      "The milliseconds before a follower repeats a fetch that failed.", least=0),
    S("replica.high.watermark.checkpoint.interval.ms", Kind.LONG, "5000",
      "The milliseconds between two writes of the high watermarks."),
    S("leader.replication.throttled.rate", Kind.LONG, str(MAX_LONG),
      "The bytes that this broker sends of throttled replicas in a second at most.", least=0,
      update=Update.CLUSTER, described=False),
    S("follower.replication.throttled.rate", Kind.LONG, str(MAX_LONG),
      "The bytes that this broker fetches of throttled replicas in a second at most.", least=0,
      update=Update.CLUSTER, described=False),
    *without_effect("Spindle has one fetcher for each leader.",
    S("num.replica.fetchers", Kind.INT, "1",
      "The fetchers for each leader.", least=1, update=Update.CLUSTER),
    ),
    S("replica.selector.class", Kind.STRING, None,
      "Which replica a consumer should read (KIP-392): the leader, or the in-sync replica in the "
      "consumer's rack (client.rack, broker.rack). Of Java's classes only the names of Apache "
      "Kafka's own two count.",
      allowed=("", "org.apache.kafka.common.replica.LeaderSelector",
               "org.apache.kafka.common.replica.RackAwareReplicaSelector")),
    S("replication.quota.window.num", Kind.INT, "11",
      "The samples from which the rate of throttled replication is computed.", least=1),
    S("replication.quota.window.size.seconds", Kind.INT, "1",
      "The seconds of each sample of the rate of throttled replication.", least=1),
    *without_effect("Spindle measures the rate of moves with a token bucket of its own.",
    S("alter.log.dirs.replication.quota.window.num", Kind.INT, "11",
      "The samples from which the rate of moves between directories is computed.", least=1),
    S("alter.log.dirs.replication.quota.window.size.seconds", Kind.INT, "1",
      "The seconds of each sample of the rate of moves between directories.", least=1),
    ),
)
