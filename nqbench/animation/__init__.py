"""Searches to look at: the steps of a backend as boards, in a file, on a page, or in a window."""
