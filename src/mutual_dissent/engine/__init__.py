"""The only asynchronous control flow: the loop that runs, streams, stops and resumes a debate."""
