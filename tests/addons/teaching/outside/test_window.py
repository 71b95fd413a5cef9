"""The window and its buttons, tested on a virtual screen."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from nqbench.problems.queens import Queens

DRIVER = """
import json, time, tkinter
from tkinter import filedialog
from nqbench.addons.teaching.player import Player
from nqbench.addons.teaching.window import Window
from nqbench.problems.queens import Queens

root = tkinter.Tk()
player = Player(Queens(6), None, "backtracking")
window = Window(root, player, speed=8)
seen = {}

def note(name):
    root.update()
    seen[name] = {
        "said": window.status["text"], "play": window.buttons["Play"]["text"],
        "rows": window.rows.get(), "backend": window.backend.get(),
        "problem": str(player.problem), "queens": [list(q) for q in player.board.queens],
    }

def press(name):
    window.buttons[name].invoke()

def key(name):
    root.focus_force()
    root.update()
    root.event_generate(name)

def until_it_stops():
    deadline = time.monotonic() + 60
    while window.buttons["Play"]["text"] == "Stop" and time.monotonic() < deadline:
        root.update()

"""


@pytest.fixture
def screen():
    """The environment of a process with a screen."""
    pytest.importorskip("tkinter", reason="this Python was built without Tk")
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("the window is driven under a virtual screen: install xvfb")
    read, write = os.pipe()
    process = subprocess.Popen(
        [server, "-displayfd", str(write), "-screen", "0", "800x700x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    yield os.environ | {"DISPLAY": f":{number}"}
    process.terminate()
    process.wait()


@pytest.fixture
def driven(screen, tmp_path):
    """What the window shows after each `note` of some steps, which Python takes in it."""

    def drive(steps):
        done = subprocess.run(
            [sys.executable, "-c", f"{DRIVER}{steps}\nroot.destroy()\nprint(json.dumps(seen))"],
            cwd=tmp_path, env=screen, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return drive


def test_the_buttons_do_what_they_say(driven, tmp_path):
    (tmp_path / "start.txt").write_text("......\n...Q..\n" + "......\n" * 4)
    (tmp_path / "bad.txt").write_text("Q.\n.Q\n")
    seen = driven("""
for name, chosen in {"chosen": "start.txt", "wrong": "bad.txt", "cancelled": ""}.items():
    filedialog.askopenfilename = lambda **_: chosen
    press("Choose")
    note(name)
press("Preview"); note("previewed")
press("Step"); note("first")
press("Step"); note("second")
press("Back"); note("back")
press("Step"); note("again")
press("Back"); press("Back"); press("Back"); note("start")
window.speed.slider.set(0)
press("Play"); note("playing")
press("Play"); note("stopped")
window.speed.slider.set(4)
press("Play"); until_it_stops(); note("solved")
""")
    assert seen["chosen"]["said"] == "completion start n=6"
    wrong = "bad.txt, line 2, column 2: queens on (0, 0) and (1, 1) share a falling diagonal"
    assert seen["wrong"]["said"] == wrong
    assert seen["cancelled"] == seen["wrong"]
    attacked = "completion start n=6: 1 queen placed, attacked squares marked"
    assert seen["previewed"]["said"] == attacked
    assert [seen[name]["said"].partition(":")[0] for name in ("first", "second")] == [
        "step 1", "step 2",
    ]  # fmt: skip
    assert seen["back"] == seen["first"]
    assert seen["again"] == seen["second"]
    assert seen["start"] == seen["chosen"]
    assert (seen["playing"]["play"], seen["stopped"]["play"]) == ("Stop", "Play")
    assert "solution" in seen["solved"]["said"]
    start = Queens(6, "completion", ((1, 3),))
    assert start.violation([tuple(queen) for queen in seen["solved"]["queens"]]) is None


def test_rows_and_backend_are_chosen_and_a_wrong_one_is_explained(driven):
    seen = driven("""
offered = window.backend["values"]
press("Step")
window.rows.event_generate("<<Increment>>"); note("larger")
window.rows.set("5"); press("Step"); note("typed")
window.backend.set("AStar"); window.backend.event_generate("<<ComboboxSelected>>")
note("other")
press("Step"); note("expanded")
window.backend.set("backtracking:order=mrv"); press("Step"); note("parameter")
window.backend.set("astr"); press("Step"); note("unknown")
window.backend.set("minisat22"); press("Play"); note("silent")
window.backend.set("astar"); press("Back"); note("right")
for wrong in ("0", "61", "x", ""):
    window.rows.set(wrong); press("Step"); note("rows " + wrong)
seen["offered"] = list(offered)
""")
    assert seen["offered"] == ["astar", "backtracking"]
    assert (seen["larger"]["problem"], seen["larger"]["queens"]) == ("queens n=7", [])
    assert (seen["typed"]["problem"], len(seen["typed"]["queens"])) == ("queens n=5", 1)
    assert (seen["other"]["backend"], seen["other"]["said"]) == ("astar", "queens n=5")
    assert "expand" in seen["expanded"]["said"]
    assert seen["parameter"]["backend"] == "backtracking:order=mrv"
    assert seen["parameter"]["said"].startswith("step 1: ")
    assert seen["unknown"]["said"] == "unknown backend 'astr': did you mean 'astar'?"
    assert "does not report its steps: choose from astar" in seen["silent"]["said"]
    assert seen["silent"]["play"] == "Play"
    assert (seen["right"]["backend"], seen["right"]["said"]) == ("astar", "queens n=5")
    why = {
        "0": "at least 1 row",
        "61": "at most 60 rows",
        "x": "write 1 to 60",
        "": "write 1 to 60",
    }
    for wrong, said in why.items():
        assert seen[f"rows {wrong}"]["problem"] == "queens n=5"
        assert seen[f"rows {wrong}"]["said"].endswith(said)


def test_the_keys_do_what_they_do_on_the_page(driven):
    seen = driven("""
key("<Right>"); key("<Right>"); note("second")
key("<Left>"); note("first")
window.speed.slider.set(0)
key("<space>"); note("playing")
key("<space>"); note("stopped")
window.rows.set("3"); window.speed.slider.set(4)
press("Play"); until_it_stops(); note("over")
window.speed.slider.set(0)
press("Play"); note("from the start")
""")
    assert seen["second"]["said"].startswith("step 2: ")
    assert seen["first"]["said"].startswith("step 1: ")
    assert (seen["playing"]["play"], seen["stopped"]["play"]) == ("Stop", "Play")
    assert seen["over"]["said"] == "no solutions: the search is over"
    assert seen["from the start"]["said"].startswith("step 1: ")


def test_without_a_screen_the_window_gets_one_line(nqbench, monkeypatch):
    pytest.importorskip("tkinter", reason="this Python was built without Tk")
    monkeypatch.delenv("DISPLAY", raising=False)
    shown = nqbench("watch", "--window")
    assert shown.returncode == 2
    assert shown.stderr.startswith("nqbench: cannot open a window: ")
    assert "without a screen, use --output search.html" in shown.stderr
    assert shown.stderr.count("\n") == 1


def test_without_tk_the_window_gets_one_line(nqbench, tmp_path):
    (tmp_path / "tkinter.py").write_text("raise ImportError('no _tkinter')")
    code = "import sys; sys.path.insert(0, '.'); from nqbench.cli import main; main()"
    shown = subprocess.run(
        [sys.executable, "-c", code, "watch", "--window"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert shown.returncode == 2
    assert "a window needs Tk" in shown.stderr
    assert shown.stderr.count("\n") == 1
