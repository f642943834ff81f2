"""Rules of decision, one a file: from a profile of weak orders to winners, scores and an order."""
