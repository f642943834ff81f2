"""Sources of answers: wire dialects, endpoints, calls, prices, the embedded model."""
