"""Kafka's messages and ours, one class each for all versions. Written by `tools.messages`."""
