"""Bytes <-> values, without sockets. The only door to kio."""
