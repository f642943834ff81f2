"""The ledger of a debate: the analyst's, or the panel's own."""
