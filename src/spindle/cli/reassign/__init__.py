"""`spindle reassign` and `kafka-reassign-partitions`: plans, throttles, journal, execution."""
