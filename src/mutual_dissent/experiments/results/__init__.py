"""Results of an experiment, as rows."""
