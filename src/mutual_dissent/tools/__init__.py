"""What a panelist may use while it answers: web_search and fact_check."""
