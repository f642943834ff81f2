"""One answer read: its closing lines, its structure, its sources."""
