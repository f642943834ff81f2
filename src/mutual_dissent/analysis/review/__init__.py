"""Reviews of a text: its parts, where findings stand in it, which are the same, and their order."""
