"""Numbers of imported CSVs: units, decimal commas and what is missing, read or refused with the
line, and the texts around them. `test_import_dialects` combines what is usual of these.
"""

import pytest
from click.testing import CliRunner
from refusals import refusal_of

import nqbench
from nqbench.addons.importing import detection
from nqbench.addons.importing.command import import_
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.cli.app import app
from nqbench.common.errors import InputError

LIMIT = {"time_limit_s": 100_000.0}
HEADER = "instance,backend,answer,solve_s\n"


@pytest.fixture
def imported(tmp_path):
    def read(text, columns=None, unit=None, stated=LIMIT):
        path = tmp_path / "a.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        mapped = Mapped.parse(columns or {}, {}, unit or {})
        return detection.records(path, mapped=mapped, stated=stated)

    return read


@pytest.fixture
def refused(imported):
    return refusal_of(imported)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1.5", 1.5), ("1m3s", 63), ("1h 2m 3.5s", 3723.5), ("0:01:03", 63),
        ("10:00:00.5", 36000.5), ("1e2ms", 0.1),
    ],
)  # fmt: skip
def test_a_time_may_have_its_unit(imported, value, seconds):
    """Whatever the unit of the others."""
    found = imported(f"{HEADER}f,a,sat,{value}\ng,a,sat,500\n")["solve_s"].to_list()
    assert found == [pytest.approx(seconds, rel=1e-12), 500]
    found = imported(f"{HEADER}f,a,sat,{value}\ng,a,sat,500\n", unit={"solve_s": "ms"})
    expected = 0.0015 if value == "1.5" else seconds
    assert found["solve_s"].to_list() == [pytest.approx(expected, rel=1e-12), 0.5]


@pytest.mark.parametrize("header", ["time", "time (ms)", "timeMinutes"])
def test_a_unit_that_is_stated_holds_whatever_the_header_names(imported, header):
    text = f"instance,backend,answer,{header}\nf,a,sat,25\n"
    stated = imported(text, {"solve_s": header}, {"solve_s": "us"})
    assert stated["solve_s"].item() == pytest.approx(25e-6)


@pytest.mark.parametrize("header", ["time_min", "time_h", "tmin_min", "wall-m"])
def test_a_header_that_may_name_a_unit_needs_the_option(imported, refused, header):
    text = f"instance,backend,answer,{header}\nf,a,sat,25\n"
    message = refused(text, {"solve_s": header})
    assert f"column '{header}' may be in" in message
    assert "--unit solve_s=s" in message
    assert imported(text, {"solve_s": header}, {"solve_s": "s"})["solve_s"].item() == 25


def test_sizes_and_measures_have_units_too(imported):
    text = "instance,backend,answer,solve_s,memory usage,parse (ms)\nf,a,sat,1,624272.0,4\n"
    columns = {"peak_rss_bytes": "memory usage", "parse_s": "parse (ms)"}
    found = imported(text, columns, {"peak_rss_bytes": "kB"})
    assert found.select("peak_rss_bytes", "parse_s").row(0) == (624_272_000, 0.004)
    assert imported(text.replace("624272.0", "2 GiB"), columns)["peak_rss_bytes"].item() == 2**31


@pytest.mark.parametrize(
    ("unit", "why"),
    [
        ({"solve_s": "weeks"}, "'weeks' is not a unit of solve_s: write one of ns, us, ms, s"),
        ({"n": "ms"}, "n has no unit"),
        ({"verdict": "ms"}, "'verdict' cannot be imported"),
    ],
)
def test_a_unit_that_is_none_is_refused(unit, why):
    with pytest.raises(InputError, match=why):
        Mapped.parse({}, {}, unit)


@pytest.mark.parametrize(
    ("separator", "value", "seconds"),
    [(";", "1,500", 1.5), (";", ",5", 0.5)],
)  # fmt: skip
def test_a_decimal_comma_is_read(imported, separator, value, seconds):
    text = HEADER.replace(",", separator) + separator.join(["f", "a", "sat", value])
    with pytest.warns(UserWarning, match=r"the comma in solve_s is decimal: .* \(1 value\)"):
        assert imported(text)["solve_s"].item() == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("separator", "values", "line"),
    [(";", ["1.234,5"], 2), (";", ["1,5", "2.5"], 3), (";", ["1,234,567"], 2),
     ("\t", ["1,500"], 2), (",", ['"1,500"'], 2)],
)  # fmt: skip
def test_what_may_be_a_separator_of_thousands_is_refused(refused, separator, values, line):
    rows = [separator.join([f"f{i}", "a", "sat", value]) for i, value in enumerate(values)]
    message = refused(HEADER.replace(",", separator) + "\n".join(rows))
    assert message.startswith(f"line {line}: solve_s is '")
    assert "separators of thousands" in message


@pytest.mark.parametrize("value", ["1:03", "1s3m", "3 parsecs", "0x10", "1_0", "12 34", "soon"])
def test_another_time_is_refused_with_an_example_and_the_option(refused, value):
    message = refused(f"{HEADER}f,a,sat,1\n\ng,a,sat,{value}\nh,a,sat,2\ni,a,sat,{value}\n")
    assert message.startswith(f"line 4: solve_s is '{value}', which is not a time: write 1.5, ")
    assert "--unit solve_s=ms" in message
    assert message.endswith("(also line 6)")


def test_at_most_a_few_lines_are_named(refused):
    rows = "".join(f"f{i},a,sat,x\n" for i in range(20))
    assert refused(HEADER + rows).endswith("(also lines 3, 4, 5, 6, 7 and 14 more)")


@pytest.mark.parametrize("value", ["", "NA", "nan", "NaN", "N/A", "-", "--", "null", "?"])
def test_a_missing_time_is_refused_only_where_there_is_an_answer(imported, refused, value):
    text = f"instance,backend,status,solve_s,conflicts\nf,a,sat,1,{value}\ng,a,{{}},{value},2\n"
    assert imported(text.format("memout")).select("outcome", "conflicts").rows() == [
        ("finished", None),
        ("memout", 2),
    ]
    assert refused(text.format("unsat")).startswith("line 3: solve_s is missing")


@pytest.mark.parametrize("value", ["-1", "-0.5s"])
def test_a_negative_time_is_refused_unless_the_run_failed(imported, refused, value):
    text = f"instance,backend,status,solve_s,wall_s\nf,a,sat,1,1\ng,a,{{}},{value},{value}\n"
    assert imported(text.format("timeout"))["wall_s"].to_list() == [1, None]
    for status in ("sat", "", "unknown", "ok"):
        assert refused(text.format(status)).startswith(f"line 3: solve_s is {value.rstrip('s')}")


def test_a_time_without_an_end_is_a_timeout(imported, refused):
    text = f"{HEADER}f,a,sat,1\ng,a,{{}},inf\n"
    assert imported(text.format(""))["outcome"].to_list() == ["finished", "timeout"]
    assert refused(text.format("sat")) == "line 3: solve_s is inf, which is no time of an answer"


def test_times_in_an_unknown_unit_are_noticed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{HEADER}f,a,sat,1500\ng,a,unsat,250\n")
    notes = []
    detection.records(path, stated={"time_limit_s": 10.0}, notes=notes)
    assert ["--unit solve_s=ms" in note for note in notes] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "{}f,a,sat,1.5\n# bye, bye\n   \n,,,\n",
        "#{}f,a,sat,1.5\n",
        "# instance backend answer solve_s\nf a   sat 1.5\n",
        '# an open " quote\n{}# and "another\nf,a,sat,1.5\n',
        "instance backend  answer solve_s\nf   a sat 1.5   \n",
        "sep=;\ninstance;backend;answer;solve_s\nf;a;sat;1.5\n",
    ],
)
def test_comments_blank_lines_and_other_separators(imported, text):
    for end in ("\n", "\r\n"):
        found = imported(text.format(HEADER).replace("\n", end))
        assert found.select("instance", "backend", "solve_s").rows() == [("f", "a", 1.5)]


def test_a_name_may_begin_like_a_comment(imported):
    found = imported(f'{HEADER}#1,a,sat,1\n%2,"a,b",sat,1\n')
    assert found["instance"].to_list() == ["#1", "%2"]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("f,a,sat\n\n# c\ng,a,sat,1,2\n", "line 2: 3 values, not 4 (also line 5)"),
        ('"f\n2",a,sat,1\ng,a,sat\n', "line 4: 3 values, not 4"),
        ('f,a,sat,1\n"g,a,sat,1\n', "line 3: a quote is not closed"),
        (",a,sat,1\ng,a,sat,1\n,b,sat,1\n", "line 2: instance is missing (also line 4)"),
        ("f,a,sat,1\ng,,sat,1\n", "line 3: backend is missing"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_with_its_line(refused, rows, why):
    assert refused(HEADER + rows) == why


def test_another_encoding_is_refused_with_the_line(refused):
    text = f"{HEADER}f,a,sat,1\né,a,sat,1\n".encode("latin-1")
    assert refused(text) == "line 3: not in UTF-8, at byte 0xe9: save the file as UTF-8"


def test_repeats_and_columns_given_twice_are_refused(refused):
    text = "instance,backend,answer,solve_s,repeat\nf,a,sat,1,0\ng,a,sat,1,0\nf,a,sat,2,0\n"
    assert refused(text) == "line 4: the same run and repeat as in a row before"
    text = "instance,backend,answer,answer,solve_s\nf,a,sat,sat,1\n"
    assert refused(text) == "two columns are named 'answer'"


def test_units_and_words_on_the_command_line(tmp_path):
    """With what a user should know on the error stream."""
    path = tmp_path / "a.csv"
    path.write_text("instance,backend,status,expected,t\nf,a,XX,,1500\ng,a,SAT,UNSAT,250\nh,a,,,\n")
    options = f"{path} --results {tmp_path / 'r'} --time-limit 10s --map solve_s=t --map wall_s=t"
    more = "--unit solve_s=ms --unit wall_s=ms --word XX=memout"
    words = f"{options} {more}".split()
    done = CliRunner().invoke(import_, words, catch_exceptions=False, **app.context_settings)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert done.stderr.splitlines()[1:] == [
        f"{path}: 1 run that never started is left out",
        f"{path}: 1 answer is wrong, says the file",
    ]
    found = nqbench.Results(tmp_path / "r").records.select("outcome", "wall_s").sort("wall_s")
    assert found.rows() == [("finished", 0.25), ("memout", 1.5)]
