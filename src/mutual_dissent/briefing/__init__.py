"""From what was asked to a brief, and the one table of options that every surface is made from."""
