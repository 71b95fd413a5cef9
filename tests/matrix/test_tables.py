"""Every table of the command line, read back from what is printed: at any usual width each title
and each name is complete, and a column without room is named.
"""

import json
import math
import re
from collections import Counter
from functools import cache

import polars as pl
import pytest
from addons import is_here, needs_addon
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from made_records import DONE, table
from places import REFERENCE
from printed_tables import print_table_of
from probes import probed_once
from rich.cells import cell_len

from nqbench import summary
from nqbench.cli.app import app
from nqbench.cli.printing.tables import print_table, wrapped
from nqbench.common.vocabulary import combination
from nqbench.measure import doctor
from nqbench.plugins import availability
from nqbench.records import sources
from nqbench.show.tables.columns import Column, name_column

if is_here("compare"):
    from nqbench.addons.compare import changes as compare

# These have one combination: a table of one line, and nothing to compare.
ALONE = {"quasigroup", "large"}
CAMPAIGNS = sorted({path.parent.name for path in REFERENCE.glob("*/records.csv")} - ALONE)
DIFFERENT = ["campaign", "constraints", "hard", "main-job", "objectives", "sequences", "start"]
"""Of which the tables have different columns, or the longest names."""

WIDTHS = (80, 100, 120)
ANY = object()
"""A value that may be shown as anything."""

SECONDS = {"s": 1, "ms": 1e3, "µs": 1e6}


@cache
def measured(campaign):
    """Records with few repeats of each run: with many, there are columns besides. Statistics of
    them are computed once.
    """
    records = sources.read(str(REFERENCE / campaign / "records.csv"))
    return summary.Measured(records.filter(pl.col("repeat") < 3))


@cache
def measured_with_few(campaign):
    """The same with at most 12 combinations, which has at most 66 comparisons."""
    records = measured(campaign).records
    pairs = records.select(summary.PAIR).unique().sort(summary.PAIR)
    few = pairs.gather_every(math.ceil(len(pairs) / 12))
    return summary.Measured(records.join(few, on=summary.PAIR, how="semi", nulls_equal=True))


def read_back(printed, said, width, expected):
    """The titles that a printed table shows, after a check of all that it shows.

    `expected` has the values of each column by its title. The columns that are not shown are the
    ones that the message names.
    """
    lines = printed.splitlines()
    assert max(map(cell_len, lines)) <= width
    rule = next(i for i, line in enumerate(lines) if line.startswith("─"))
    spans = [slice(*match.span()) for match in re.finditer("─+", lines[rule])]
    titles = next(
        found
        for height in (1, 2, 3)
        if set(found := [" ".join(words(lines[rule - height : rule], span)) for span in spans])
        <= set(expected)
    )
    left_out = re.findall(rf"not shown at a width of {width}: (.*);", said)
    hidden = left_out[0].split(", ") if left_out else []
    assert sorted([*titles, *hidden]) == sorted(expected)
    values = zip(*(expected[title] for title in titles), strict=True)
    check_rows(lines[rule + 1 :], spans, list(values))
    return titles


def words(lines, span):
    return " ".join(line[span] for line in lines).split()


def check_rows(lines, spans, rows):
    """The lines are these rows and nothing else, each cell complete."""
    position = 0
    for row in rows:
        cells = [[] for _ in row]
        while True:
            assert position < len(lines), f"{row} is not complete: {cells}"
            for cell, span in zip(cells, spans, strict=True):
                cell.extend(filter(None, [lines[position][span].strip()]))
            position += 1
            following = lines[position] if position < len(lines) else ""
            rest = [following[span].strip() for span in spans]
            of_any = [part for part, value in zip(rest, row, strict=True) if value is not ANY]
            if all(map(is_complete, cells, row)) and (not any(rest) or any(of_any)):
                break
    assert position == len(lines)


def is_complete(cell, value):
    """Whether the lines of a cell are all of a value. No line ends inside a word."""
    if value is ANY:
        return True
    if isinstance(value, float):
        # Two digits where repeats differ by more than the third one.
        number = "".join(cell)
        spelled = number.replace(".", "").lstrip("0") if "." in number else number.rstrip("0")
        digits = max(2, min(3, len(spelled)))
        return float(number) == pytest.approx(value, rel=0.51 * 10 ** (1 - digits), abs=1e-300)
    text, at = "-" if value is None else str(value), 0
    for line in cell:
        assert text.startswith(line, at), f"{cell} is not {text}"
        at += len(line)
        assert at == len(text) or text[at] == " " or line[-1] in "-:/", f"{cell} breaks {text}"
        at += text[at : at + 1] == " "
    return at == len(text)


def overview_of(campaign):
    of = summary.overview(measured(campaign))
    unit = "ms"
    times = {"encode": "encode_s", "load": "load_s", "solve": "solve_s", "total": "total_s"}
    times |= {"PAR-2": "par2_s"}
    columns = {
        "encoding": of["encoding"],
        "backend": of["backend"],
        "solved": [f"{solved}/{runs}" for solved, runs in of.select("solved", "runs").rows()],
        **{
            f"{title} ({unit})": [in_unit(s, unit) for s in of[name]]
            for title, name in times.items()
        },
        "largest n": of["largest_n"],
    }
    if of["beats"].fill_null(0).sum():
        columns |= {"beats": of["beats"], "beaten by": of["beaten_by"]}
    if of["largest_n"].is_null().all():
        del columns["largest n"]
    if (of["solved"] < of["runs"]).any():
        columns["solved (%)"] = [ANY] * len(of)
    if of["wrong"].sum():
        columns["wrong"] = of["wrong"]
    if any(of["unsolved"]):
        columns["unsolved"] = of["unsolved"]
    return columns


def in_unit(seconds, unit):
    return None if seconds is None else SECONDS[unit] * seconds


def titled(of, **titles):
    return {titles.get(name, name.replace("_", " ")): of[name].to_list() for name in of.columns}


# Searches have another table, and formulas as they are no column for the encoding.
@pytest.mark.parametrize("campaign", [c for c in CAMPAIGNS if c not in {"objectives", "sequences"}])
def test_the_main_table_shows_what_a_user_pays_at_80(capsys, monkeypatch, campaign):
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        print_table_of("overview", measured(campaign))
        expected = overview_of(campaign)
        printed = capsys.readouterr()
        titles = read_back(the_table(printed.out), printed.err, width, expected)
        paid = {"solve", "total", "PAR-2"} | ({"load"} if campaign == "main-job" else set())
        # Schemes of other libraries have long names.
        paid |= set() if campaign == "constraints" and width == 80 else {"encode"}
        assert {"solved", *paid} <= {title.partition(" (")[0] for title in titles}
        assert width < 120 or "not shown" not in printed.err


def the_table(printed):
    """What is printed of the main table, without the sentences below it."""
    return re.split("Times are medians|PAR-2 is", printed)[0]


@pytest.mark.parametrize("campaign", DIFFERENT)
def test_comparisons_keep_the_typical_answer(capsys, monkeypatch, campaign):
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        for name, compared, left_out in (
            ("pairs", summary.comparisons, set()),
            ("best", summary.comparisons_with_best, {"first"}),
        ):
            of = compared(measured_with_few(campaign)).drop(left_out)
            print_table_of(name, measured_with_few(campaign))
            expected = titled(shown_of(of), **{"second": "other"} if left_out else {})
            titles = read_back(*capsys.readouterr(), width, expected)
            assert {"typical ratio", "p", *list(expected)[:1]} <= set(titles)


def shown_of(compared):
    """The columns of comparisons that are shown: about problems that only one solved, and about
    averages that rest on one, only if there are any.
    """
    hidden = []
    if not compared.select("only_first", "only_second").sum_horizontal().sum():
        hidden += ["only_first", "only_second", "p_solved"]
    if compared["rests_on"].is_null().all():
        hidden += ["rests_on", "mean_without"]
    return compared.drop(hidden)


@pytest.mark.parametrize("campaign", DIFFERENT)
def test_scaling_keeps_the_fit_and_the_verdict(capsys, monkeypatch, campaign):
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        of = summary.scaling(measured(campaign))
        print_table_of("scaling", measured(campaign))
        undecided = pl.col("verdict") == "undecided"
        curve = pl.when(~undecided).then(pl.col("a", "b", "low", "high"))
        titles = read_back(
            *capsys.readouterr(), width, titled(of.with_columns(curve.name.keep()), a="a (s)")
        )
        assert {"encoding", "backend", "model", "b", "low", "high", "verdict"} <= set(titles)


@pytest.fixture(scope="module")
def altered(tmp_path_factory):
    """The hard boards measured again: MiniSat is slower, and no longer solves n = 64."""
    minisat, lost = pl.col("backend") == "minisat22", pl.col("n") == 64
    timed_out = {
        "outcome": pl.lit("timeout"),
        "verdict": pl.lit("unchecked"),
        "checked_by": pl.lit("none"),
        "answer": None,
        "queens": None,
    }
    path = tmp_path_factory.mktemp("altered") / "records.csv"
    pl.read_csv(REFERENCE / "hard" / "records.csv", infer_schema_length=None).with_columns(
        solve_s=pl.when(minisat).then(2 * pl.col("solve_s")).otherwise("solve_s"),
        conflicts=pl.when(minisat).then(pl.col("conflicts") + 1).otherwise("conflicts"),
        instance_digest=pl.when(lost).then(pl.lit("f" * 32)).otherwise("instance_digest"),
        **{k: pl.when(minisat & lost).then(v).otherwise(k) for k, v in timed_out.items()},
    ).write_csv(path)
    return path


@needs_addon("compare")
@pytest.mark.parametrize("width", WIDTHS)
def test_two_campaigns_are_compared_in_three_complete_tables(altered, width):
    old = str(REFERENCE / "hard" / "records.csv")
    told = CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["compare", old, str(altered)])
    both = sources.read_together(old, str(altered))
    changes, solved = compare.changes(*both), compare.solved(*both)
    times = compare.times(*both).table
    slower = compare.slower(times, 0.0).select("encoding", "backend").rows()
    assert min(map(len, (changes, solved, slower))) > 0
    change = ["slower" if pair in slower else "" for pair in times.select(summary.PAIR).rows()]
    changes = changes.filter(~pl.col("quantity").is_in(compare.ANSWERS))
    changed = titled(changes, example="first in")
    for side in ("old", "new"):
        changed[side] = [f"{v[:12]}..." if len(v) == 32 else v for v in changed[side]]
    outcomes, *parts = told.stdout.split("\n\n")
    assert outcomes.startswith("Answers and outcomes")
    messages = [line for line in told.stderr.splitlines() if "not shown" in line]
    # The first one, if something of the first table is not shown, which has tests elsewhere.
    messages = messages["first in" not in outcomes :]
    shown = titled(times.drop("equal", "rests_on", "mean_without"), low="from", high="to") | {
        "change": change
    }
    expected = [changed, titled(solved), shown]
    for printed, values in zip(parts, expected, strict=True):
        named = next((m for m in messages if not set(named_in(m)) - set(values)), "")
        titles = read_back(printed, named, width, values)
        assert {"encoding", "backend"} <= set(titles)
        messages = [message for message in messages if message != named]
    assert not messages


def named_in(message):
    return re.search(r": ([^:]*);", message)[1].split(", ")


@pytest.mark.parametrize(
    ("command", "shown_at_80"),
    [
        (["list", "encodings"], ["name", "what it does", "variables", "clauses"]),
        (["list", "backends"], ["name", "takes", "can", "here"]),
        (["list", "families"], ["name", "meaning", "density"]),
        (["doctor"], ["level", "subject", "message"]),
    ],
    ids=" ".join,
)
def test_lists_break_no_name_and_cut_no_reference(monkeypatch, command, shown_at_80):
    monkeypatch.setattr(availability, "_probed", probed_once)
    examined = list(doctor.examine()) if command == ["doctor"] else []
    monkeypatch.setattr(doctor, "examine", lambda *_: examined)  # the load of the machine changes
    listed = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    facts = pl.DataFrame(listed, infer_schema_length=None)
    expected = titled(facts)
    if "capabilities" in expected:
        expected["can"] = [ANY] * len(facts)
        expected["here"] = [reason or "works" for reason in expected.pop("reason")]
        del expected["capabilities"], expected["available"]
    if "what" in expected:
        expected["what it does"] = expected.pop("what")
    for width in (min(WIDTHS), max(WIDTHS)):
        told = CliRunner(env={"COLUMNS": str(width)}).invoke(app, command)
        assert set(shown_at_80) <= set(read_back(told.stdout, told.stderr, width, expected))


@pytest.mark.parametrize("width", [1, 12, 40])
def test_a_narrow_terminal_shows_names_whole_and_names_what_is_missing(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    print_table_of("overview", measured("campaign"))
    printed = capsys.readouterr()
    if width == 40:
        titles = read_back(the_table(printed.out), printed.err, width, overview_of("campaign"))
        assert titles == ["encoding", "backend", "solved", "PAR-2 (ms)"]
    assert "solved (%)" in printed.err
    assert "largest n, unsolved; use a wider terminal or nqbench summary --json" in printed.err
    cells = "".join(printed.out.split())
    assert all(
        encoding[:1] in cells for encoding in measured("campaign").records["encoding"].unique()
    )


def test_wrong_answers_are_shown_before_medians(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "45")
    print_table_of("overview", table((4, DONE, 1.0), (5, DONE, 1.0)))
    fine = capsys.readouterr()
    assert "total" in fine.out
    assert "wrong" not in fine.out + fine.err
    print_table_of("overview", table((4, DONE, 1.0, "refuted"), (5, DONE, 1.0)))
    refuted = capsys.readouterr()
    assert "wrong" in refuted.out
    assert "total" in refuted.err


def test_a_pipe_gets_all_columns_without_styles(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    of = summary.comparisons(measured("hard"))
    print_table_of("pairs", measured("hard"))
    printed = capsys.readouterr()
    expected = titled(shown_of(of))
    assert read_back(printed.out, printed.err, 200, expected) == list(expected)
    assert "\x1b" not in printed.out
    wide = [Column(f"c{i}") for i in range(60)]
    print_table(wide, [{column.name: "x" * 8 for column in wide}])
    printed = capsys.readouterr()
    assert (printed.out.count("x"), printed.err) == (60 * 8, "")


@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_gets_bold_titles_and_no_colour(capsys, monkeypatch, no_color):
    for name, value in (("FORCE_COLOR", "1"), ("NO_COLOR", no_color), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    print_table([name_column("name")], [{"name": "pairwise"}])
    codes = re.findall(r"\x1b\[([\d;]*)m", capsys.readouterr().out)
    assert set(codes) == {"1", "0"}


def test_strange_names_keep_the_columns_straight(capsys, monkeypatch):
    """Wide letters are two cells wide, and nothing in a name is obeyed by the terminal or by us."""
    monkeypatch.setenv("COLUMNS", "40")
    names = [
        "größe",
        "日本語-の-名前",
        "a\x1b[2Jb",
        "two\nlines",
        "[bold]",
        "e\N{COMBINING ACUTE ACCENT}",
    ]
    columns = [name_column("name"), Column("n")]
    print_table(columns, [{"name": name, "n": 7} for name in names])
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert {cell_len(line) for line in lines} == {17}
    shown = [line.removesuffix("7").strip() for line in lines]
    assert shown == [*names[:2], "a\\x1b[2Jb", "two lines", *names[4:]]


def test_an_output_without_such_letters_gets_escapes():
    told = CliRunner(charset="ascii").invoke(app, ["list", "families"])
    assert told.exit_code == 0
    assert "n\\xb2" in told.stdout


def test_numbers_of_a_column_have_three_digits_and_one_unit(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    print_table_of("overview", table((4, DONE, 1.0), (4, DONE, 0.9512)))
    title, _, line = the_table(capsys.readouterr().out).splitlines()
    assert "encode (s)  load (s)  solve (s)  total (s)  PAR-2 (s)" in title
    # The medians of 1 and 0.9512 s, with 0.25 s to encode and 0.5 s to load.
    assert line.split()[3:8] == ["0.250", "0.500", "0.976", "1.73", "0.976"]
    print_table_of(
        "overview",
        table((4, DONE, 0.001), (4, DONE, 0.001)).with_columns(encode_s=0.002, load_s=0.0005),
    )
    title, _, line = the_table(capsys.readouterr().out).splitlines()
    assert "solve (ms)  total (ms)  PAR-2 (ms)" in title
    assert line.split()[3:8] == ["2.00", "0.500", "1.00", "3.50", "1.00"]


def test_what_cannot_be_compared_is_said(capsys):
    for name in ("pairs", "best"):
        print_table_of(name, table((4, DONE, 1.0)))
        printed = capsys.readouterr()
        assert (printed.out, printed.err.count("\n")) == ("", 1)
        assert "needs two combinations" in printed.err


@given(
    st.lists(st.text("ab-:/日,", min_size=1, max_size=12), min_size=1, max_size=8),
    st.integers(2, 30),
)
def test_wrapping_keeps_every_letter_and_every_width(parts, width):
    text = " ".join(parts)
    lines = wrapped(text, width)
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    fitting = Counter(word for word in text.split() if cell_len(word) <= width)
    assert fitting <= Counter(" ".join(lines).split())


def test_pairs_are_named_as_everywhere():
    of = summary.comparisons_with_best(measured("hard"))
    best = summary.overview(measured("hard")).row(0, named=True)
    assert set(of["first"]) == {combination(best["encoding"], best["backend"])}
