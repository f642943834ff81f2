"""Many deliberations as one question: experiments, baselines, statistics."""
