"""Writes `spindle.wire.messages` and `spindle.wire.record_codecs`.

A module for each request and each response, and one for each record of the metadata log, the
coordinators' topics and control batches.
"""
