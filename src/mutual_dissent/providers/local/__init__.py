"""Models on this machine: embedded ones, and servers that run here."""
