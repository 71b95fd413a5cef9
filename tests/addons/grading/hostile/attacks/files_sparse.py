"""Leaves long files that take no room, which nqbench would read."""

for i in range(16):
    with open(f"{i}.bin", "wb") as file:
        file.truncate(30 * 2**20)
