"""The nouns of a deliberation: no I/O, no clock, no dice."""
