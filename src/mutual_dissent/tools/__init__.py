"""Tools of panelists: web_search and fact_check."""
