"""Execute runs: in fork servers of this process, or on the workers of a cluster."""
