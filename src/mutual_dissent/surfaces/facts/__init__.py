"""What several surfaces tell, as plain values: each of them only has to show it."""
