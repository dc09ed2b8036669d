"""Quotas of clients at the listeners: what each request is charged, and what becomes of it."""
