"""Citations of answers: the claims that they are for, and whether those hold."""
