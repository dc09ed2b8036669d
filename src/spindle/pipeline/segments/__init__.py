"""Kafka's log directories read without a broker: found, split, walked, decoded, as Arrow batches.

`finding` knows names and sizes, `reading` a file whose disk may be failing, `walking` batches and
damage, `decoding` records, `rows` the tables, `source` Spark. All but `source` work without Spark.
"""
