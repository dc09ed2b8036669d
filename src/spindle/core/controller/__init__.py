"""The controller: requests in; records and answers out; replay alone writes state."""
