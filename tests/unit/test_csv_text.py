"""Tables as CSV: a spreadsheet executes nothing in them, and an export that is read is the same."""

import csv
import io

from made_records import record_of

from nqbench.common.csv_text import to_csv
from nqbench.records import formats, frame

STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]  # noqa: RUF001
FORMULAS = [
    *(f"{start}cmd|' /C calc'!A0" for start in STARTS),
    *("=1+1", "'=1+1", "''=1", "-5", "+", "=", '=HYPERLINK("http://x","y")'),
    *('=a,"b"\n=c', "\t=x", "\n\n=x", "-\n", "@SUM(1)"),
]
PLAIN = ["", "'", "'a", "a=1", "a\n=b", 'a"b', "a,b", " =1", "é", "none", "null", "1"]


def cells(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_a_formula_gets_an_apostrophe():
    for text in FORMULAS:
        (heading,), (cell,) = cells(to_csv([text], [{text: text}]))
        assert heading == cell == f"'{text}"


def test_other_text_stays_as_it_is():
    for text in PLAIN:
        assert cells(to_csv(["a", "b"], [{"a": text, "b": 1}]))[1] == [text, "1"]


def test_numbers_and_truth_values_are_written_as_they_are():
    values = {"a": -1, "b": -0.5, "c": None, "d": True, "e": 1e300}
    assert cells(to_csv(list(values), [values]))[1] == ["-1", "-0.5", "", "true", "1e+300"]


def test_an_export_that_is_read_again_is_the_same():
    texts = [text for text in (*FORMULAS, *PLAIN) if text]
    records = frame.of(record_of(8, instance=text, message=f"{text}{text}") for text in texts)
    written = formats.to_csv(records)
    read = formats.from_csv(written)
    for name in ("instance", "message", "encoding"):
        assert read[name].to_list() == records[name].to_list()
    assert formats.to_csv(read) == written
    assert not [
        value for row in cells(written.decode())[1:] for value in row
        if value[:1] in STARTS and not _is_number(value)
    ]  # fmt: skip


def _is_number(value):
    try:
        float(value)
    except ValueError:
        return False
    return True
