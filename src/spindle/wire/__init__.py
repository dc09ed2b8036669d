"""Bytes <-> values, without sockets."""
