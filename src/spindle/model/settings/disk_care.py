"""The care of disks beyond what Apache Kafka has."""

from __future__ import annotations

from typing import Final

from spindle.model.settings.setting import MAX_LONG, Kind, Setting, Update

S = Setting
# fmt: off
DIRECTORIES: Final = (
    S("replica.alter.log.dirs.io.max.bytes.per.second", Kind.LONG, str(MAX_LONG),
      "The bytes that all moves between directories copy in a second at most.", least=0,
      update=Update.CLUSTER, described=False),
    S("log.dir.move.max.bytes.per.second", Kind.LONG, str(MAX_LONG),
      "The bytes that moves copy from and to each disk in a second at most.", least=1,
      update=Update.CLUSTER),
    S("log.dir.move.busy.share", Kind.DOUBLE, "0.05",
      "The least share of its time for which a move copies while clients write or read; it takes "
      "more as long as they do not feel it. 1 is all of it.", least=0.01, most=1,
      update=Update.CLUSTER),
    S("log.dir.move.copies.max", Kind.INT, "1",
      "The moves that copy at once from or to each disk.", least=1, update=Update.CLUSTER),
    S("log.dir.move.keep.ms", Kind.LONG, "300000",
      "The milliseconds for which the broker keeps what a cancelled or redirected move has "
      "copied; 0 keeps nothing.", least=0, update=Update.CLUSTER),
    S("log.dir.io.timeout.ms", Kind.LONG, "20000",
      "The milliseconds after which a disk that does not answer has failed.", least=1),
    S("log.dir.slow.ms", Kind.LONG, "100",
      "The milliseconds that a call to a disk takes on average before the disk counts as "
      "slow.", least=1),
    S("log.dir.slow.cordon", Kind.BOOLEAN, "false",
      "A slow disk takes no new replica.", update=Update.CLUSTER),
    S("log.dir.fault.drills", Kind.BOOLEAN, "false",
      "Fault drills: a file named LOG_DIR.broken makes the directory LOG_DIR fail; SIGUSR1 cuts "
      "the node off the network, SIGUSR2 reconnects it."),
    S("log.dir.rebuild.delay.ms", Kind.LONG, "-1",
      "The milliseconds after which the replicas of a dead disk are made on others; -1 "
      "leaves them.", least=-1, update=Update.CLUSTER),
    S("log.dir.stray.retention.ms", Kind.LONG, "-1",
      "The milliseconds for which the broker keeps logs that no topic claims; -1 keeps them "
      "for ever.", least=-1, update=Update.CLUSTER),
    S("log.dir.bad.retention.ms", Kind.LONG, "604800000",
      "The milliseconds for which the broker keeps damaged logs that were replaced; -1 "
      "keeps them for ever.", least=-1, update=Update.CLUSTER),
    S("log.dir.bad.retention.bytes", Kind.LONG, "10737418240",
      "The bytes of replaced damaged logs that a directory keeps, the newest first; -1 "
      "keeps all.", least=-1, update=Update.CLUSTER),
    S("log.dir.scrub.max.bytes.per.second", Kind.LONG, "4194304",
      "The bytes that the scrubber reads from each disk in a second at most; 0 turns it "
      "off.", least=0, update=Update.CLUSTER),
    S("log.dir.scrub.interval.ms", Kind.LONG, "604800000",
      "The milliseconds from the beginning of one round of the scrubber to that of the "
      "next.", least=1, update=Update.CLUSTER),
    S("log.dir.probe.interval.ms", Kind.LONG, "1000",
      "The milliseconds between two checks of each disk.", least=10),
    S("metrics.port", Kind.INT, None,
      "The port at which Prometheus finds the node's metrics; without it none is opened.",
      least=0, most=65535),
    S("metrics.host", Kind.STRING, "127.0.0.1",
      "The address at which the node's metrics are served; 0.0.0.0 is every address."),
    S("metrics.partitions.enable", Kind.BOOLEAN, "true",
      "The page has rows for each partition and each committed offset, not only for topics "
      "and all: without them it stays small where partitions are very many."),
    S("metrics.ssl.certificate.location", Kind.STRING, None,
      "The PEM file with the certificate of the metrics page, and those that vouch for it; "
      "with it the page is served by https."),
    S("metrics.ssl.key.location", Kind.STRING, None,
      "The PEM file with the private key of that certificate, without a password."),
)
