"""Between the directories of one broker: the search for the best end, and its moves in order."""
