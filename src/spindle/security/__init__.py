"""Security as Kafka's properties say it: settings, stores, TLS contexts, SASL conversations."""
