"""Kafka on many plain disks: a JBOD broker and controller, their tools, and a pipeline on Spark."""

__version__ = "0.1.0"
