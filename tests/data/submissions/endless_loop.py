"""No formula: never ends."""

while True:
    pass
