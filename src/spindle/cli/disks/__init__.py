"""`spindle disks`: health and history of log directories; probe, replace, cordon, drain."""
