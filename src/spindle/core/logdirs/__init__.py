"""Log directories: where a replica lives, moves between directories, health, assignments."""
