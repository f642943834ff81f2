"""Where words come from: wire dialects, endpoints, calls, prices, the embedded model."""
