"""Share groups on a broker (KIP-932): the share coordinators, the way to them, and the leaders."""
