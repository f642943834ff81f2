"""The live view of a debate in the terminal."""
