"""One file per API: decode, call a machine, encode. The folder is the table of support."""
