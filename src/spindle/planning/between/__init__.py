"""Between brokers: their bands, the brokers allowed for each replica, and the moves."""
