"""One replica of a partition: leading, following, ISR, high watermark, parked requests."""
