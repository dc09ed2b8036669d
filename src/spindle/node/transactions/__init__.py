"""Transactions on a broker: coordinators, markers at the partitions' leaders, enlisting, ids."""
