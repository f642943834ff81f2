"""A process of ours: the signals that end it, its last line and exit code, its crash report."""
