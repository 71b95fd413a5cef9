"""No formula: never stops to print."""

print("p cnf 16 1000000000")
while True:
    print("1 2 3 4 0\n" * 100_000)
