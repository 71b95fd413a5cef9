"""Shows the steps of a backend's search as boards in a file, on a page, or in a window."""
