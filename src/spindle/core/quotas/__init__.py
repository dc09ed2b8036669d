"""Quotas of clients: which count, and how long a client is held back. Pure: time is an argument."""
