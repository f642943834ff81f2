"""Command-line agents as panelists, each in a process of its own under a supervisor."""
