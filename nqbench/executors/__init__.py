"""Where runs are executed: in this process's own fork servers, or on the workers of a cluster."""
