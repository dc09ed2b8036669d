"""Listeners, connections and requests."""

from __future__ import annotations

from typing import Final

from spindle.model.settings.setting import MAX_INT, Kind, Setting, Update, without_effect

S = Setting
# fmt: off
NETWORK: Final = (
    S("listeners", Kind.LIST, "PLAINTEXT://:9092",
      "The addresses of this node, each as NAME://host:port; an empty host means all "
      "addresses.", update=Update.BROKER),
    S("advertised.listeners", Kind.LIST, None,
      "The addresses that the broker gives to clients, each as NAME://host:port; without it "
      "the listeners."),
    S("listener.security.protocol.map",
      Kind.STRING, "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
      "The security protocol of each listener, as name:protocol.",
      update=Update.BROKER),
    S("inter.broker.listener.name", Kind.STRING, None,
      "The listener through which brokers reach each other."),
    S("socket.request.max.bytes", Kind.INT, "104857600",
      "The largest request in bytes that the node reads.", least=1),
    S("queued.max.requests", Kind.INT, "500",
      "The produce requests whose records may wait to be looked at before the node stops reading "
      "more; other requests are not queued.", least=1),
    S("fetch.max.bytes", Kind.INT, "57671680",
      "The largest answer in bytes to a fetch.", least=1024),
    S("max.incremental.fetch.session.cache.slots", Kind.INT, "1000",
      "The incremental fetch sessions that the broker remembers.", least=0),
    S("connections.max.idle.ms", Kind.LONG, "600000",
      "The milliseconds after which the node closes a connection that is idle."),
    S("max.connections", Kind.INT, str(MAX_INT),
      "The connections that the node accepts at once; listener.name.NAME.max.connections "
      "bounds one listener.", least=0, update=Update.CLUSTER),
    S("queued.max.request.bytes", Kind.LONG, "-1",
      "The bytes of requests that may be in progress before the node reads no more; -1 "
      "stands for an eighth of the memory, at least 128 MiB. Not less than "
      "socket.request.max.bytes."),
    S("max.connection.creation.rate", Kind.INT, str(MAX_INT),
      "The new connections that the node accepts in a second; "
      "listener.name.NAME.max.connection.creation.rate bounds one listener.", least=0,
      update=Update.CLUSTER),
    S("max.connections.per.ip", Kind.INT, str(MAX_INT),
      "The connections that the node accepts from one address.", least=0, update=Update.CLUSTER),
    S("max.connections.per.ip.overrides", Kind.STRING, "",
      "The connections that the node accepts from particular addresses, as address:number.",
      update=Update.CLUSTER),
    *without_effect(
    "Spindle serves a node's requests from one event loop and each disk from one thread.",
    S("num.network.threads", Kind.INT, "3",
      "The threads that read requests and write answers.", least=1, update=Update.CLUSTER),
    S("num.io.threads", Kind.INT, "8",
      "The threads that handle requests.", least=1, update=Update.CLUSTER),
    S("background.threads", Kind.INT, "10",
      "The threads for work in the background.", least=1, update=Update.CLUSTER),
    ),
    S("socket.receive.buffer.bytes", Kind.INT, "102400",
      "The receive buffer in bytes of a client's connection; -1 leaves it to the operating "
      "system."),
    S("socket.send.buffer.bytes", Kind.INT, "102400",
      "The send buffer in bytes of a client's connection; -1 leaves it to the operating system."),
    *without_effect("The operating system's value is used.",
    S("socket.listen.backlog.size", Kind.INT, "50",
      "The connections that may wait to be accepted.", least=1),
    S("replica.socket.receive.buffer.bytes", Kind.INT, "65536",
      "The receive buffer in bytes of a follower's connection to its leader."),
    ),
    *without_effect("Spindle has a fixed limit of its own here.",
    S("request.timeout.ms", Kind.INT, "30000",
      "The milliseconds that a request of this node to another may take."),
    S("replica.socket.timeout.ms", Kind.INT, "30000",
      "The milliseconds that a follower's request to its leader may take."),
    S("socket.connection.setup.timeout.ms", Kind.LONG, "10000",
      "The milliseconds that the node waits for a new connection at first."),
    S("socket.connection.setup.timeout.max.ms", Kind.LONG, "30000",
      "The milliseconds that the node waits for a new connection at most."),
    S("max.request.partition.size.limit", Kind.INT, "2000",
      "The partitions that one DescribeTopicPartitions request returns at most.", least=1),
    ),
    *without_effect("A waiting request is forgotten as soon as it is answered.",
    S("delete.records.purgatory.purge.interval.requests", Kind.INT, "1",
      "The answered DeleteRecords requests after which the purgatory is swept."),
    S("fetch.purgatory.purge.interval.requests", Kind.INT, "1000",
      "The answered fetches after which the purgatory is swept."),
    S("producer.purgatory.purge.interval.requests", Kind.INT, "1000",
      "The answered produce requests after which the purgatory is swept."),
    S("share.fetch.purgatory.purge.interval.requests", Kind.INT, "1000",
      "The answered share fetches after which the purgatory is swept."),
    ),
)
