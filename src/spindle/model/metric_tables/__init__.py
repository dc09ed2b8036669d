"""All metrics of a node, a module for each subject; `all_metrics` has them by section."""
