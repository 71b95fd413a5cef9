"""What is written as a CSV in any dialect and imported is what it was."""

import string
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqbench.addons.importing import detection
from nqbench.addons.importing.csv_columns import Mapped

LIMIT_S = 100_000.0

ENDINGS = {
    ("finished", "sat"): ["SAT", "sat"],
    ("finished", "unsat"): ["UNSAT", "s UNSATISFIABLE"],
    ("finished", "unknown"): ["?", "starexec-unknown", "unknown"],
    ("timeout", None): ["TIMEOUT", "Time-Out", "timed_out", "T/O", "timeout (wallclock)"],
    ("memout", None): ["MEMOUT", "out_of_memory", "OOM"],
    ("crashed", None): ["ER", "ERROR (7)"],
    ("unavailable", None): ["not_applicable"],
}
"""The words for how a run ended."""

WORDS = {word: ending for ending, words in ENDINGS.items() for word in words}

HEADERS = {
    1: [
        "time", "wallclock time", "time (s)", "cpu_sec", "time_s", "seconds", "items", "Algorithms",
    ],
    1e-3: [
        "time (ms)", "Time [ms]", "time_ms", "time-ms", "timeMs", "timeMS", "time/ms",
        "time in milliseconds", "ms", "elapsedMillis",
    ],
    1e-6: ["runtime.us", "time (µs)"],
    60: ["time (min)", "time (m)", "timeMinutes"],
    3600: ["time [h]"],
}  # fmt: skip
"""The names of a column, by the seconds of the unit that they name."""

UNITS = {
    1: ["s", " s"],
    1e-3: ["ms", " msec", " milliseconds"],
    1e-6: ["µs", " us"],
    1e-9: ["NS"],
    60: ["min", "m"],
    3600: ["h"],
}
"""What may follow a number, whatever the column is called."""

FIRST = ["", "# made by x\n\n% and y\n", '# an open " quote\n', "\ufeff"]
LAST = ["", "\n", "   \n", "# bye\n"]


@pytest.mark.parametrize("field", ["status", "answer", "outcome"])
def test_answers_and_outcomes_may_be_in_one_column(tmp_path, field):
    rows = "".join(f"f{place},a,{word},1\n" for place, word in enumerate([*WORDS, "--"]))
    (tmp_path / "a.csv").write_text(f"instance,backend,What,solve_s\n{rows}")
    mapped = Mapped.parse({field: "What"}, {})
    found = detection.records(tmp_path / "a.csv", mapped=mapped, stated={"time_limit_s": LIMIT_S})
    assert found.select("outcome", "answer").rows() == [*WORDS.values(), ("finished", "unknown")]


@dataclass(frozen=True)
class Dialect:
    """How a table is written. `scale` are the seconds of the unit of its times."""

    separator: str
    point: str
    end: str
    first: str
    last: str
    header: str
    scale: float
    unit: str

    def time(self, seconds):
        text = f"{seconds / self.scale:.15f}".replace(".", self.point) + self.unit
        return f'"{text}"' if self.separator in text else text


@st.composite
def dialects(draw):
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    scale, headers = draw(st.sampled_from(sorted(HEADERS.items())))
    unit = ""
    header = draw(st.sampled_from(headers))
    if draw(st.booleans()):
        scale, units = draw(st.sampled_from(sorted(UNITS.items())))
        unit = draw(st.sampled_from(units))
    return Dialect(
        separator,
        point=draw(st.sampled_from(".,")),
        end=draw(st.sampled_from(["\n", "\r\n"])),
        first=draw(st.sampled_from(FIRST)),
        last=draw(st.sampled_from(LAST)),
        header=header,
        scale=scale,
        unit=unit,
    )


names = st.text(string.ascii_letters + string.digits + "/._-+ #%", min_size=1, max_size=9).filter(
    lambda name: name == name.strip()
)


@st.composite
def runs(draw):
    """Runs of different instances, some of which have an answer and a time."""
    made = {}
    for instance in draw(st.lists(names, min_size=1, max_size=6, unique=True)):
        ending = draw(st.sampled_from(list(ENDINGS)))
        seconds = draw(st.integers(1, 10**6)) / 1000
        made[instance] = ending, seconds, draw(st.none() | st.integers(0, 10**9))
    made["solved"] = ("finished", "sat"), 1.5, None  # without any answer, `unknown` is unstated
    return made


@pytest.mark.filterwarnings("ignore:the comma in")
@settings(max_examples=30)
@given(made=runs(), dialect=dialects(), data=st.data())
def test_what_is_written_in_any_dialect_is_imported_as_it_was(
    tmp_path_factory, made, dialect, data
):
    columns = data.draw(
        st.permutations(["instance", "backend", "status", dialect.header, "conflicts"])
    )
    rows = [columns]
    for instance, (ending, seconds, conflicts) in made.items():
        values = {
            "instance": instance,
            "backend": "a solver",
            "status": data.draw(st.sampled_from(ENDINGS[ending])),
            dialect.header: dialect.time(seconds),
            "conflicts": data.draw(st.sampled_from(["", "NA", "-"])) if conflicts is None
            else str(conflicts),
        }  # fmt: skip
        rows.append([values[column] for column in columns])
    lines = "".join(f"{dialect.separator.join(row)}\n" for row in rows)
    path = tmp_path_factory.mktemp("dialect") / "a.csv"
    path.write_bytes((dialect.first + lines + dialect.last).replace("\n", dialect.end).encode())
    found = detection.records(
        path,
        mapped=Mapped.parse({"solve_s": dialect.header}, {}),
        stated={"time_limit_s": LIMIT_S},
    )
    told = found.select("instance", "backend", "outcome", "answer", "solve_s", "conflicts").rows()
    assert len(told) == len(made)
    for instance, backend, outcome, answer, solve_s, conflicts in told:
        ending, seconds, counted = made[instance]
        assert (backend, (outcome, answer), conflicts) == ("a solver", ending, counted)
        if answer is not None:
            assert solve_s == pytest.approx(seconds, rel=1e-6)
