"""The quorum in a node: raft's inputs, the metadata log, its snapshots, its requests."""
