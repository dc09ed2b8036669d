"""A broker's log directories: which log lives where, moves, failures and repairs."""
