"""`spindle demo`: a cluster, load, a plan, moves, a broken disk and an audit, in a few minutes."""
