"""Sources of answers, looked at once a debate is over."""
