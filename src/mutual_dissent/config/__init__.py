"""Configuration: settings, paths, keys, aliases, and the panel that they make possible."""
