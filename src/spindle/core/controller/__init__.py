"""The controller: decide -> records and an answer; replay is the only writer of state."""
