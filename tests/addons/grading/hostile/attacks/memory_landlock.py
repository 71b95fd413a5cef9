"""Rules of Landlock: 65,536 ports each, in as many sets as there are descriptors."""

import struct

from attack import broken, call

rules = call("landlock_create_ruleset", struct.pack("=QQ", 0, 1), 16, 0)
if rules >= 0:
    count = sum(
        call("landlock_add_rule", rules, 2, struct.pack("=QQ", 1, port), 0) == 0
        for port in range(1000)
    )
    if count:
        broken(f"{count} rules")
