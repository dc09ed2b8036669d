"""Examples for --help, one place for all: each is parsed by a test, so that none grows old."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_B: Final = "-b localhost:9092"

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "up": (
        "spindle up",
        "spindle up --brokers 5 --dirs 4 --metrics --setting num.partitions=3",
        "spindle up --port 0 --data /tmp/try --json",
        "spindle up --data old-cluster --quorum dynamic --controllers 3",
    ),
    "demo": ("spindle demo --report demo.html",),
    "broker": ("spindle broker --config /etc/kafka/server.properties",),
    "storage format": (
        "spindle storage format -t $(spindle storage random-uuid) -c server.properties",
    ),
    "storage info": ("spindle storage info -c server.properties",),
    "storage random-uuid": ("spindle storage random-uuid",),
    "doctor": (f"spindle doctor {_B}", f"spindle doctor {_B} --monitor"),
    "profile add": (
        "spindle profile add prod -b kafka-1:9093,kafka-2:9093 --command-config client.properties",
    ),
    "profile list": ("spindle profile list --json",),
    "profile show": ("spindle profile show prod",),
    "profile remove": ("spindle profile remove prod",),
    "log-dirs": (f"spindle log-dirs {_B}", f"spindle log-dirs {_B} --topic-list orders --json"),
    "disks": (
        f"spindle disks {_B}",
        f"spindle disks drain {_B} 1 /disk3/kafka",
        f"spindle disks offline {_B} 1 /disk3/kafka   # then change the disk",
        f"spindle disks replace {_B} 1 /disk3/kafka",
    ),
    "disks history": (f"spindle disks history {_B} --broker-list 1",),
    "disks probe": (f"spindle disks probe {_B} 1 /disk3/kafka",),
    "disks offline": (f"spindle disks offline {_B} 1 /disk3/kafka",),
    "disks online": (f"spindle disks online {_B} 1 /disk3/kafka",),
    "disks replace": (f"spindle disks replace {_B} 1 /disk3/kafka --wait 60",),
    "disks cordon": (f"spindle disks cordon {_B} 1 /disk3/kafka",),
    "disks uncordon": (f"spindle disks uncordon {_B} 1 /disk3/kafka",),
    "disks drain": (
        f"spindle disks drain {_B} 1 /disk3/kafka --offline",
        f"spindle disks drain {_B} 1 /disk3/kafka --cancel",
    ),
    "replicas": (f"spindle replicas {_B}",),
    "replicas repair": (f"spindle replicas repair {_B} 1 orders-3",),
    "replicas accept-loss": (
        f"spindle replicas accept-loss {_B} 1 orders-3",
        f"spindle replicas accept-loss {_B} --all",
    ),
    "reassign generate": (f"spindle reassign generate {_B} --topics orders --brokers 1,2,3",),
    "reassign execute": (f"spindle reassign execute {_B} plan.json --throttle 50000000 --watch",),
    "reassign watch": (f"spindle reassign watch {_B} plan.json",),
    "reassign verify": (f"spindle reassign verify {_B} plan.json",),
    "reassign cancel": (f"spindle reassign cancel {_B} plan.json",),
    "reassign list": (f"spindle reassign list {_B}",),
    "balance history": (f"spindle balance history {_B} --every 3600",),
    "balance forecast": ("spindle balance forecast --days 30 --report forecast.html",),
    "balance what-if": (
        "spindle balance what-if --lose 2",
        "spindle balance what-if --add 1:/disk4/kafka=4T --report what-if.html",
    ),
    "balance plan": (
        f"spindle balance plan {_B} --output plan.json --report plan.html",
        f"spindle balance plan {_B} --between-brokers --drain 3 --output plan.json",
    ),
    "balance apply": (
        f"spindle balance apply {_B} plan.json --throttle 50000000",
        f"spindle balance apply {_B} plan.json --dry-run",
        f"spindle balance apply {_B}   # go on with a run that was killed",
    ),
    "balance pause": (f"spindle balance pause {_B}",),
    "balance resume": (f"spindle balance resume {_B}",),
    "balance pace": (f"spindle balance pace {_B} --throttle 20000000 --moves-per-broker 1",),
    "balance runs": (f"spindle balance runs {_B}",),
    "balance undo": (f"spindle balance undo {_B} --output undo.json",),
    "balance watch": (f"spindle balance watch {_B}",),
    "balance cancel": (f"spindle balance cancel {_B}",),
    "spark status": ("spindle spark status",),
    "spark stop": ("spindle spark stop",),
    "audit": (
        "spindle audit --produced produced.csv --log-dir /disk1/kafka --log-dir /disk2/kafka",
        "spindle audit --log-dir /disk1/kafka --topic-list orders",
    ),
    "forensics": ("spindle forensics /disk1/kafka /disk2/kafka --report found.html",),
    "sim": ("spindle sim --seed 7 --trace", "spindle sim --seeds 500"),
    "explore": ("spindle explore --failures 1 --restarts 0",),
    "explore-transactions": ("spindle explore-transactions --zombies 1",),
    "explore-groups": ("spindle explore-groups --coordinators 1",),
    "completion": ("spindle completion bash >> ~/.bashrc",),
}
"""By the words of the command. A comment begins with `#`."""
