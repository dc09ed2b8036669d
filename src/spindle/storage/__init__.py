"""Kafka's files over the Disk port: plain synchronous functions that a directory's thread calls."""
