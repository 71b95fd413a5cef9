"""Figures on pages: how they are written, and which are refused."""

import json
import shutil
from pathlib import Path

import measured
import pytest
from places import ROOT

REFERENCE = Path("results", "reference")
ENVIRONMENT = {
    "cpu_model": "CPU",
    "cpu_count": 2,
    "memory_bytes": 8 * 2**30,
    "kernel": "Linux 6.18.44-x",
    "python": "CPython 3.11.7",
    "nqbench": "0.2.0",
    "packages": {"benchexec": "3.35"},
    "git_commit": None,
    "git_dirty": None,
}
MACHINE = "Machine: CPU, 2 CPUs, 8 GiB, Linux 6.18, Python 3.11.7, nqbench 0.2.0."


@pytest.fixture
def part(tmp_path):
    """Return what a text becomes with these figures, given as value, unit and further facts."""

    def filled(text, queries=None, **figures):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / REFERENCE).mkdir(parents=True, exist_ok=True)
        texts = [f"[texts]\nit = '''{text}'''\n[queries]"]
        texts += [f"{name} = '''{query}'''" for name, query in (queries or {}).items()]
        (tmp_path / "docs" / "measured.toml").write_text("\n".join(texts))
        usual = {"benchmark": "benchmarks/a.py", "on_request": False, "date": "2026-01-01"}
        content = {
            "environments": {"e": ENVIRONMENT, "f": {**ENVIRONMENT, "cpu_model": "Other"}},
            "figures": {
                name: {"value": value, "unit": unit, **usual, "environment": "e", **further}
                for name, (value, unit, further) in figures.items()
            },
        }
        (tmp_path / REFERENCE / "benchmarks.json").write_text(json.dumps(content))
        return list(measured.part("it", tmp_path))

    return filled


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00472, "ms", "4.7 ms"),
        (1.1449, "ms", "1100 ms"),
        (0.00999, "ms", "10 ms"),
        (416.0, "s", "420 s"),
        (156 * 2**20, "MiB", "160 MiB"),
        (0.13, "%", "+0.1 %"),
        (-0.13, "%", "-0.1 %"),
        (-0.01, "%", "0.0 %"),
        (1.0, "", "1.0"),
        (1033.2, "", "1000"),
        (16_201.5, "", "16,000"),
        (1665, "", "1665"),
        (168_696, "", "168,696"),
    ],
)
def test_numbers_have_two_digits_errors_a_sign_and_counts_all_digits(value, unit, text):
    assert measured.written(value, unit) == text


def test_a_text_gets_its_figures_and_how_they_were_measured(part):
    text = "| BenchExec {version benchexec a} | {a ms}, {b} conflicts |"
    filled = part(text, a=(0.0123, "s", {}), b=(1665, "conflicts", {}))
    assert plain(filled) == [
        "| BenchExec 3.35 | 12 ms, 1665 conflicts |",
        f"Measured on 2026-01-01 by `tox -e bench -- benchmarks/a.py`. {MACHINE}",
    ]


def plain(paragraphs):
    return [" ".join(paragraph.split()) for paragraph in paragraphs]


def test_long_lines_are_wrapped_but_not_in_code():
    code = "`tox -e bench -- benchmarks/a.py`"
    lines = measured.wrapped(f"- {'word ' * 18}{code} {code}").splitlines()
    assert [line[:2] for line in lines] == ["- ", "  "]
    assert [line.count("`") for line in lines] == [0, 4]


def test_the_least_and_the_most_are_named(part):
    figures = {f"of/{name}": (value, "x", {}) for name, value in {"b": 4, "a": 30, "c": 9}.items()}
    assert part("{least of/*} to {most of/*}", **figures)[0] == "4 (`b`) to 30 (`a`)"


def test_rows_of_other_days_files_and_machines_are_told_apart(part):
    later = {"date": "2026-01-02", "benchmark": "benchmarks/b.py", "on_request": True}
    _, one, other = plain(
        part(
            "| - |\n| {a} |\n| {b} |\n| {c} |\n| {d} |",
            a=(1, "x", {}),
            b=(1, "x", later),
            c=(1, "x", {"benchmark": "benchmarks/c.py"}),
            d=(1, "x", {"environment": "f"}),
        )
    )
    assert one == (
        "Rows 1 and 3 were measured on 2026-01-01 by "
        "`tox -e bench -- benchmarks/a.py benchmarks/c.py`. Row 2 was measured on 2026-01-02 by "
        f"`tox -e bench -- --on-request benchmarks/b.py`. {MACHINE}"
    )
    assert other.startswith("Row 4 was measured on 2026-01-01 by")


@pytest.mark.parametrize("other", [{"date": "2026-01-02"}, {"environment": "f"}])
def test_a_row_does_not_compare_days_or_machines(part, other):
    with pytest.raises(ValueError, match="compares figures of different days or machines"):
        part("| {a} | {b} |", a=(1, "x", {}), b=(2, "x", other))


def test_what_was_not_measured_or_has_another_unit_is_refused(part):
    with pytest.raises(ValueError, match="has no figure b"):
        part("{b}", a=(1, "x", {}))
    with pytest.raises(ValueError, match="has no value of a: it was written with --smallest"):
        part("{a}", a=(None, "x", {}))
    with pytest.raises(ValueError, match="a is in bytes, not in ms"):
        part("{a ms}", a=(1, "bytes", {}))
    with pytest.raises(ValueError, match="has no figures of/"):
        part("{least of/*}", a=(1, "x", {}))


def test_queries_count_unsolved_runs_at_the_limit(part, tmp_path):
    folder = tmp_path / REFERENCE / "hard"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / REFERENCE / "hard" / "records.csv", folder)
    queries = {
        "runs": 'SELECT COUNT(*) FROM "hard"',
        "solved": 'SELECT COUNT(*) FROM "hard" WHERE solved',
        "longest": 'SELECT MAX(time_s) FROM "hard" WHERE NOT solved',
        "none": 'SELECT MAX(time_s) FROM "hard" WHERE n = 1',
    }
    assert part("{solved} of {runs}, {longest s}", queries) == ["353 of 370, 20 s"]
    with pytest.raises(ValueError, match="no records for SELECT MAX"):
        part("{none s}", queries)
