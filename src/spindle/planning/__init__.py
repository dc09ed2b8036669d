"""Load per directory in, plan of moves out: pure, used with and without Spark."""
