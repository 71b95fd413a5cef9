"""Statements that one formula implies another, and that values extend to models: with definitions
that anybody may find, and proofs that the judge checks. Nothing here knows an encoder or a solver.
"""
