"""Campaigns: what is asked for, in which order it is measured, and how that is shown."""
