"""No formula: takes all memory."""

taken = []
while True:
    taken.append(bytearray(2**28))
