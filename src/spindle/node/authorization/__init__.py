"""Which client may do what: the check of each API, and what is answered in its stead (S-05).

`check_table` has a row for each API that is served, and each row says what Apache Kafka 4.3 checks.
"""
