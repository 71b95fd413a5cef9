"""What doctor says of the solvers that are installed here."""

import json


def test_the_doctor_says_what_works_and_what_spoils_timings(nqbench):
    asked = nqbench("doctor", "--json")
    found = {f["subject"]: f for f in json.loads(asked.stdout)}
    assert asked.returncode == 0
    assert found["python"]["level"] == "good", found["python"]
    assert {"harness", "machine", "backends", "proofs", "load", "frequency", "swap"} <= set(found)
    assert "no_such_module" in found["faulty-missing"]["message"]
    assert not any(" of " in subject for subject in found)
