"""Load per directory in, plan of moves out: pure, used with and without Spark.

`load`, `cluster` are what is given and answered; `field`, `state` where everything is meanwhile.
`bands/` says what even means, `within/` evens a broker's directories, `between/` brokers;
`schedule` orders the moves, `duration` tells how long they take at least. `broker` and `whole` are
what others call; `leaders` evens out leaders.
"""
