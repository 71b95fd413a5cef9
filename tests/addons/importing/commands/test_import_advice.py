"""What `import` tells to do works when it is pasted."""

import pytest
from followed_advice import call, wrong_advice

TABLES = {
    "kissat.csv": "instance,answer,solve_s\nhard,sat,1.5\n",
    "t.csv": "instance,backend,answer,solve_s\nhard,kissat,sat,1.5\nhard,minisat,,10\n",
    "file.csv": "file,backend,answer,solve_s\nhard,kissat,sat,1.5\n",
    "T.csv": "instance,backend,answer,T\nhard,kissat,sat,1.5\n",
    "R.csv": "instance,backend,R,solve_s\nhard,kissat,sat,1.5\nb,kissat,timeout,10\n",
    "XX.csv": "instance,backend,status,solve_s\nhard,kissat,sat,1.5\nb,kissat,XX,10\n",
    "two.csv": "instance,backend,answer,status,solve_s\nhard,kissat,sat,active,1.5\n",
    "out.csv": "instance,backend,answer,solve_s\nhard,kissat,,oot\nb,kissat,sat,3\n",
    "both.csv": "instance,backend,answer,expected one,solve_s\nhard,kissat,sat,unsat,1.5\n",
    "solved.csv": "instance,backend,answer,solved,bad,solve_s\nhard,kissat,sat,no,yes,1.5\n",
    "apart.csv": "instance,backend,it's,answer,solve_s\na,x,p,sat,1\na,x,q,sat,2\nb,x,p,sat,1\n"
    "b,x,q,sat,2\n",
    "named.csv": "name,kissat,minisat\nhard,1.5,10\n",
    "wide.csv": "instance,kissat,minisat\nhard,1.5,10\nb,2.5,oops\n",
    "right.csv": "instance,a,b's,sol's\nhard,1.5,3,sat\nb,2.5,2,unsat\n",
    "best.csv": "instance,a,b,the b's best\nhard,1.5,3,1.5\nb,2.5,2,2\n",
}
ADVISED = """\
import kissat.csv | --set backend=NAME | import kissat.csv --set backend=kissat
import kissat.csv | --match 'file=(?P<backend>.+)[.]csv' \
| import kissat.csv --match 'file=(?P<backend>.+)[.]csv'
import wide.csv | choose --from wide-csv if | import wide.csv --from wide-csv --ignore minisat
import file.csv | --map instance=COLUMN | import file.csv --map instance=file
import named.csv --from wide-csv | --map instance=COLUMN \
| import named.csv --from wide-csv --map instance=name
import T.csv | --map solve_s=COLUMN | import T.csv --map solve_s=T
import R.csv | --map answer=COLUMN | import R.csv --map answer=R
import R.csv | --map status=COLUMN | import R.csv --map status=R
import XX.csv | say what it means with --word 'XX'=MEANING | import XX.csv --word 'XX'=memout
import two.csv | --map status= ignores it | import two.csv --map status=
import out.csv | write --word 'oot'=timeout | import out.csv --word 'oot'=timeout
import out.csv --unit solve_s=parsec | as in --unit solve_s=ms \
| import t.csv --unit solve_s=ms
import both.csv --map 'outcome=expected one' | --map expected=COLUMN \
| import both.csv --map 'expected=expected one'
import solved.csv | --map wrong=COLUMN | import solved.csv --map wrong=bad
import apart.csv | write --map 'backend=backend + it'"'"'s' \
| import apart.csv --map 'backend=backend + it'"'"'s'
import wide.csv --from wide-csv | --word WORD=crashed \
| import wide.csv --from wide-csv --word oops=crashed
import wide.csv --from wide-csv | or WORD=wrong | import wide.csv --from wide-csv --word oops=wrong
import right.csv --from wide-csv | write --map 'expected=sol'"'"'s' \
| import right.csv --from wide-csv --map 'expected=sol'"'"'s'
import right.csv --from wide-csv | leave out the column with --ignore \
| import right.csv --from wide-csv --ignore "sol's"
import best.csv --from wide-csv | with --ignore 'the b'"'"'s best' \
| import best.csv --from wide-csv --ignore 'the b'"'"'s best'"""


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)


def test_what_import_advises_works():
    assert not wrong_advice(ADVISED.replace("import ", "import --time-limit 10s "))
    assert not wrong_advice(
        "import t.csv | as in --time-limit 5000s | import t.csv --time-limit 5000s"
    )


def test_the_only_column_with_answers_cannot_be_ignored():
    assert "ignores it" not in call("import XX.csv --time-limit 10s")[1]
