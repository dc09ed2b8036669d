"""Consumer groups on a broker: the coordinator's records, their loading, their requests."""
