"""The data pipeline on PySpark: sample, history, load, plan, execute, verify, audit."""
