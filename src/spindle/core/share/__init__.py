"""Share groups (KIP-932): how records are handed out, and where the state of that is kept."""
