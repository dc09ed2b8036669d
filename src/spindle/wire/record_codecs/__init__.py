"""What stands in the records of the metadata log, the coordinators' topics and control batches.

A module for each record: a reader and a writer for each layout that it has had. All of them are
written by `python -m tools.messages` from the tables in `tools/messages`; do not edit them.
"""
