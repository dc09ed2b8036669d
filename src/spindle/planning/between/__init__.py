"""Between brokers: their bands, who may have which replica, and which ones go."""
