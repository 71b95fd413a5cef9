"""Shows that the formula of an encoding has the same solutions as the rules: by counting, and by
checked proofs that it is equivalent to the rules as clauses.
"""
