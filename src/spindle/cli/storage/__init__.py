"""`spindle storage` and `kafka-storage`: formatting and inspecting log directories."""
