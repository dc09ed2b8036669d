"""Real processes under random trouble, real clients, and an audit of every record at the end.

The simulation takes the same decisions through many more faults in less time; this shows what it
cannot: sockets, threads, signals, a whole process that stands still, a client library's own ideas.
Hence no part of the suite: `python -m tests.soak --seeds 5`, two to three minutes each.
"""
