"""The machines. They import the model and nothing else: no wire, file, clock, chance or loop."""
