"""Figures beside Apache Kafka, in one run on this machine, as ratios: `python -m bench --help`."""
