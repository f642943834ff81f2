"""The user in a debate: orders, questions to the user, follow-ups."""
