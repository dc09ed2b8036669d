"""`spindle balance`: plan, apply, watch, history, forecast and what-if over the pipeline."""
