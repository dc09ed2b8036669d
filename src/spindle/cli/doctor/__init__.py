"""`spindle doctor`: what is wrong with a cluster, or with the way to it, and the way out."""
