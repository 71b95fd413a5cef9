"""A bundle may come from anybody. One that was changed is refused in one line, whoever changed it:
by its checksums, and if these were made again, by the ids of its runs and the digests of formulas.
"""

import csv
import io
import json
import os
import random
import stat
import zipfile

import pytest
from bundles import CHECKSUMS, contents, packed, with_new_checksums

import nqbench as library
from nqbench.addons.bundle import archive
from nqbench.addons.bundle.reading import opened
from nqbench.common.errors import InputError

CLAUSES = "p cnf 2 2\n1 2 0\n-1 -2 0\n"


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    made = tmp_path_factory.mktemp("good")
    (made / "formula.cnf").write_text(CLAUSES)
    formulas = library.formulas(made / "formula.cnf")
    for problems in (4, formulas):
        how = {"backends": "minisat22", "repeat": 1, "results": made / "r"}
        library.run(problems, **how, encodings=None if problems is formulas else "pairwise")
    results = library.Results(made / "r")
    return results.bundle(made / "good.zip", problems=formulas, plots=False).path


@pytest.fixture
def files(good):
    return contents(good)


@pytest.fixture
def refused(tmp_path):
    """Check that a bundle of these files is refused for this reason."""

    def check(entries, reason):
        path = packed(tmp_path / "bad.zip", entries)
        with pytest.raises(InputError, match=reason) as raised, opened(path):
            pytest.fail("it was opened")
        assert str(raised.value).startswith(str(path))
        assert "\n" not in str(raised.value)

    return check


def formula_in(files):
    return next(name for name in files if name.startswith("formulas/"))


def test_what_was_not_changed_is_read(good, files, tmp_path):
    for path in (good, packed(tmp_path / "same.zip", with_new_checksums(files))):
        with opened(path) as bundle:
            assert len(bundle.runs) == len(bundle.records) == 2


def test_any_changed_file_is_named(files, refused):
    for name, content in files.items():
        if name != CHECKSUMS:
            refused(files | {name: content[:-1] + b"~"}, f"{name} was changed: its checksum")


def test_the_command_says_so_in_one_line(nqbench, files, tmp_path):
    name = formula_in(files)
    path = packed(tmp_path / "bad.zip", files | {name: b"p cnf 1 1\n1 0\n"})
    done = nqbench("replay", path)
    assert done.returncode == 2
    assert done.stderr == f"nqbench: {path}: {name} was changed: its checksum is another one\n"


def test_a_changed_formula_is_refused_even_with_its_checksum(files, refused):
    changed = files | {formula_in(files): CLAUSES.replace("-1", "1").encode()}
    refused(with_new_checksums(changed), "was changed: it is not the formula of that digest")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("backend", "glucose4"),
        ("backend_version", "python-sat 0.1"),
        ("backend_build", "GCC 1.0, 0123456789ab"),
        ("encoding", "product"),
        ("encoding_version", "nqbench 0.0"),
        ("n", "5"),
        ("family", "torus"),
        ("instance", "another"),
        ("problem_digest", "0" * 16),
        ("time_limit_s", "31.0"),
        ("memory_limit_bytes", "1"),
        ("seed", "1"),
        ("repeat", "1"),
        ("task", "all"),
        ("machine", "another"),
        ("harness", "another"),
        ("run_id", "0" * 32),
    ],
)
def test_a_changed_record_is_refused_even_with_its_checksum(files, refused, column, value):
    rows = list(csv.DictReader(io.StringIO(files["records.csv"].decode())))
    (row,) = (row for row in rows if row["n"] == "4")
    row[column] = value
    table = io.StringIO()
    writer = csv.DictWriter(table, list(row))
    writer.writeheader()
    writer.writerows(rows)
    changed = with_new_checksums(files | {"records.csv": table.getvalue().encode()})
    refused(changed, "was changed: its problem|records.csv lacks the run")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"n": 5}, "was changed: its problem"),
        ({"placed": [[0, 0]]}, "was changed: its problem"),
        ({"n": -1}, "is broken"),
        ({"n": "4"}, "is broken"),
        ({"placed": 7}, "is broken"),
        ({"more": 1}, None),
    ],
)
def test_a_changed_problem_is_refused_even_with_its_checksum(files, refused, changed, reason):
    lines = [json.loads(line) for line in files["problems.jsonl"].splitlines()]
    (line,) = (line for line in lines if line["family"] == "queens")
    line["problem"] |= changed
    text = "".join(f"{json.dumps(each)}\n" for each in lines).encode()
    bundle = with_new_checksums(files | {"problems.jsonl": text})
    if reason:
        refused(bundle, reason)


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]\n", b"7\n", b'{"family": "queens"}\n', b"[" * 100_000, b"\xff\n", b'{"family": 1}'],
)
def test_other_content_of_its_files_is_refused(files, refused, content):
    for name in ("problems.jsonl", "conditions.json", "records.csv"):
        refused(with_new_checksums(files | {name: content}), name)


def test_a_formula_cannot_name_a_file_of_this_machine(files, tmp_path):
    (tmp_path / "secret").write_text(CLAUSES)
    lines = [json.loads(line) for line in files["problems.jsonl"].splitlines()]
    (line,) = (line for line in lines if line["family"] == "cnf")
    line["problem"]["path"] = str(tmp_path / "secret")
    text = "".join(f"{json.dumps(each)}\n" for each in lines).encode()
    path = packed(tmp_path / "b.zip", with_new_checksums(files | {"problems.jsonl": text}))
    with opened(path) as bundle:
        paths = [run.problem.path for run in bundle.runs.values() if run.problem.family == "cnf"]
    assert str(tmp_path / "secret") not in paths


@pytest.mark.parametrize(
    "name",
    [
        *("../evil", "/etc/evil", "a/../../evil", "a//b", "a\\b", "C:evil", ".hidden", "a/"),
        *("a\nb", "\N{RIGHT-TO-LEFT OVERRIDE}a", "x" * 201, "-rf"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(files, refused, name):
    refused(files | {name: b"evil"}, "has a name that no file of a bundle has")


def entry(name, **facts):
    made = zipfile.ZipInfo(name)
    made.compress_type = zipfile.ZIP_DEFLATED
    for key, value in facts.items():
        setattr(made, key, value)
    return made


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR, stat.S_IFCHR])
def test_links_and_devices_are_refused(files, refused, kind):
    mode = (kind | 0o777) << 16
    refused(files | {entry("link", external_attr=mode): b"/etc/passwd"}, "not a regular file")


def test_a_file_that_unpacks_to_much_more_than_its_size_is_refused(files, refused):
    refused(files | {"bomb": bytes(100 * 2**20)}, "bomb unpacks to more than 100 times its size")


def test_a_bundle_of_too_many_files_or_bytes_is_refused(files, refused, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(archive, "MOST_FILES", 3)
        refused(files, "more than 3 files")
    monkeypatch.setattr(archive, "LARGEST", 2**19)
    refused(files | {"zeros": bytes(2**20)}, "it unpacks to more than")


def test_missing_repeated_and_other_files_are_refused(files, refused):
    for name in ("records.csv", "problems.jsonl", "conditions.json", formula_in(files)):
        less = {key: content for key, content in files.items() if key != name}
        refused(less, f"it lacks the file {name}")
        refused(with_new_checksums(less), f"it lacks the file {name}")
    refused({k: v for k, v in files.items() if k != CHECKSUMS}, "it lacks the file SHA256SUMS")
    refused(files | {"more": b"x"}, "SHA256SUMS lacks more")
    with pytest.warns(UserWarning, match="Duplicate"):
        refused(files | {entry("records.csv"): b"x"}, "records.csv is there twice")


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_refused(files, refused, kind):
    refused(files | {entry("more", compress_type=kind): b"x"}, "packed in a way that no bundle")


def test_an_encrypted_file_is_refused(good, tmp_path):
    content = bytearray(good.read_bytes())
    at = content.rindex(b"PK\x01\x02")
    content[at + 8] |= 1  # general purpose flags in the last entry of the directory
    (tmp_path / "bad.zip").write_bytes(content)
    with pytest.raises(InputError, match="packed in a way"), opened(tmp_path / "bad.zip"):
        pass


def text(path):
    path.write_text("records")


def nothing(path):
    path.write_bytes(b"")


def pipe(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def missing(_path):
    pass


@pytest.mark.parametrize("made", [text, nothing, pipe, folder, missing])
def test_other_files_are_no_bundles(nqbench, tmp_path, made):
    made(tmp_path / "b.zip")
    done = nqbench("replay", "b.zip")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("nqbench: ")
    assert "b.zip" in done.stderr


@pytest.mark.parametrize("seed", range(8))
def test_no_damage_is_accepted_or_crashes(good, tmp_path, seed):
    source, whole = random.Random(seed), good.read_bytes()
    path, records = tmp_path / "bad.zip", contents(good)["records.csv"]
    for _ in range(50):
        content = bytearray(whole)
        for _ in range(source.choice((1, 1, 3, 20))):
            content[source.randrange(len(content))] = source.randrange(256)
        if source.random() < 0.2:
            del content[source.randrange(len(content)) :]
        path.write_bytes(content)
        try:
            with archive.opened(path) as found:
                assert found.content("records.csv", 2**20) == records
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017 - most of the damage is found
