"""Replicas that a broker hosts: appends, fetches by clients and followers, fetching, the ISR."""
