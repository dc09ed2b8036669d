"""Transactions on a broker: coordinators, markers to and at the partitions' leaders, enlisting."""
