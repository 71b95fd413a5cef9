"""Trees of any depth are walked and removed, and nothing outside them is touched."""

import glob
import os
import stat
from pathlib import Path

import pytest
from deep_folders import nest

from nqbench.common.errors import InputError
from nqbench.common.trees import DEEPEST, matching, regular_files, remove_tree, walk
from nqbench.isolate import scratch


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def memory():
    """A folder in memory: a disk takes a minute for 20,000 levels."""
    folder = scratch.Folder()
    yield folder.path
    folder.remove()


@pytest.fixture
def top(memory):
    """The place of a tree, which is removed after the test, however deep it is."""
    return memory / "top"


@pytest.mark.parametrize("depth", [0, 1, 3000])
@pytest.mark.parametrize("name", ["d", "d" * 200, "new\nline", os.fsdecode(b"\xff\xfe"), "-rf"])
def test_a_tree_of_any_depth_is_removed(memory, depth, name):
    assert remove_tree(nest(memory / "deep", depth, name))
    assert list(memory.iterdir()) == []


def test_20_000_levels_are_removed_with_few_descriptors(memory):
    before = descriptors()
    assert remove_tree(nest(memory / "deep", 20_000, "d"))
    assert descriptors() == before


def test_links_pipes_and_modes_do_not_keep_a_tree_or_lead_out_of_it(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o750)
    (outside / "file").write_text("kept")
    top = tmp_path / "top"
    inner = top / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    os.link(outside / "file", inner / "hard")
    for place in (top, inner):
        (place / "folder").symlink_to(outside)
        (place / "link").symlink_to(outside / "file")
        (place / "nowhere").symlink_to("nowhere")
        os.mkfifo(place / "pipe")
    for closed in (inner, top / "a"):
        closed.chmod(0)
    assert remove_tree(top)
    assert (outside / "file").read_text() == "kept"
    assert stat.S_IMODE(outside.stat().st_mode) == 0o750
    assert list(tmp_path.iterdir()) == [outside]


def test_modes_do_not_keep_a_tree_of_an_ordinary_user(tmp_path):
    if os.getuid() == 0:
        tmp_path = Path("/dev/shm") / f"{tmp_path.parent.name}-{tmp_path.name}"
        tmp_path.mkdir()
        os.chown(tmp_path, 65534, 65534)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setresuid(65534, 65534, 65534)
            top = tmp_path / "top"
            (top / "a" / "b" / "c").mkdir(parents=True)
            (top / "a" / "b" / "file").write_text("x")
            for folder, mode in ((top / "a" / "b", 0), (top / "a", 0o500), (top, 0o300)):
                folder.chmod(mode)
            status = 0 if remove_tree(top) and not top.exists() else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    if tmp_path.parent == Path("/dev/shm"):
        tmp_path.rmdir()


def test_what_is_no_folder_is_left(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    assert not remove_tree(tmp_path / "file")
    assert not remove_tree(tmp_path / "link")
    assert (tmp_path / "folder").is_dir()
    assert remove_tree(tmp_path / "nothing")


def test_a_tree_is_left_at_the_deadline(top):
    nest(top, 3)
    assert not remove_tree(top, deadline=0.0)
    assert top.exists()


def test_files_are_found_in_order_and_links_are_not_followed(top):
    (top / "b" / "c").mkdir(parents=True)
    for name in ("b/z", "b/c/a", "a", "skipped"):
        (top / name).write_text(name)
    (top / "link").symlink_to("a")
    (top / "loop").symlink_to(".")
    os.mkfifo(top / "pipe")
    names = [str(entry.path) for entry in walk(top, ["skipped"])]
    assert names == ["a", "b/c/a", "b/z", "link", "loop", "pipe"]
    assert [path.read_text() for path in regular_files(top)] == ["a", "b/c/a", "b/z", "skipped"]
    for entry in walk(top, ["skipped", "pipe"]):
        if entry.is_file:
            with entry.open() as file:
                assert file.read().decode() == str(entry.path)
        else:
            with pytest.raises(OSError, match="symbolic links"):
                entry.open()


@pytest.mark.parametrize(("depth", "name"), [(DEEPEST + 1, "d"), (30, "d" * 200), (3000, "d")])
def test_a_tree_that_is_too_deep_is_refused(top, depth, name):
    nest(top, depth, name)
    before = descriptors()
    with pytest.raises(InputError, match="top has folders nested too deep"):
        list(walk(top))
    assert descriptors() == before


def test_the_deepest_tree_that_is_accepted_has_files_with_usable_paths(top):
    nest(top, DEEPEST, "d")
    lowest = top.joinpath(*["d"] * DEEPEST)
    (lowest / ("f" * 255)).write_text("x")
    (path,) = regular_files(top)
    assert path.read_text() == "x"


def test_a_folder_that_cannot_be_read_is_named(top):
    with pytest.raises(InputError, match=r"cannot read the folder .*top: No such file"):
        list(walk(top))
    unread = []
    assert list(walk(top, unread=lambda path, error: unread.append((path, error.errno)))) == []
    assert unread == [(top, 2)]


PATTERNS = [
    "**/*.cnf", "**", "*/**/*.cnf", "a/**", "a/**/b/*", "**/b/**/*.cnf", "**/b", "a*/*.cnf",
    "*.cnf",
    "**/.hidden/*.cnf", "**/[ab]/x?.cnf", "b**/x1.cnf", "nothing/**/*.cnf",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_that_of_python_does(tmp_path, pattern):
    for name in ("", "a", "a/b", "a/b/a/b", "b", "ab", ".hidden", "a/.hidden"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        for file in ("x1.cnf", ".x2.cnf", "x.txt"):
            (tmp_path / name / file).touch()
    names = glob.glob(pattern, root_dir=tmp_path, recursive=True)  # noqa: PTH207
    known = {tmp_path / name for name in names} - {tmp_path / pattern.removesuffix("/**")}
    assert matching(pattern, tmp_path) == sorted(known, key=str)
    assert matching(str(tmp_path / pattern), tmp_path.parent) == sorted(known, key=str)


def test_a_pattern_leads_through_no_loop_and_no_deep_tree(tmp_path, top):
    (tmp_path / "x.cnf").touch()
    for name in ("a", "b", "c"):
        (tmp_path / name).symlink_to(tmp_path)
    assert matching("**/*.cnf", tmp_path) == [tmp_path / "x.cnf"]
    nest(top, DEEPEST + 1, "d")
    with pytest.raises(InputError, match="nested too deep"):
        matching("**/*.cnf", top)
