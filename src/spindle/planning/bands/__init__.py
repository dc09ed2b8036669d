"""What even means, and what no plan can beat."""
