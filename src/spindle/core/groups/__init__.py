"""The classic group coordinator as a machine: members, generations, committed offsets."""
