"""An asyncio client of any Kafka cluster: links, and the AdminClient that tools use."""
