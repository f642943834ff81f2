"""The skill that tells agent programs when and how to ask the panel."""
