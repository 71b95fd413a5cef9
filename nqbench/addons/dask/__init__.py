"""Executes runs on the workers of a Dask cluster."""
