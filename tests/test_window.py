"""The window and its buttons, tested on a virtual screen."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from nqbench.problems.base import Problem

DRIVER = """
import json, sys, time, tkinter
from pathlib import Path
from tkinter import filedialog
from nqbench.animation.player import Player
from nqbench.animation.window import Window
from nqbench.problems.base import Problem

root = tkinter.Tk()
player = Player(Problem(6), None, "backtracking")
window = Window(root, player, speed=8)
seen = []

def note():
    root.update()
    seen.append([window.status["text"], [list(q) for q in player.board.queens],
                 window.buttons["Solve"]["text"]])

for chosen in ("start.txt", "bad.txt", ""):
    filedialog.askopenfilename = lambda **_: chosen
    window.buttons["Choose"].invoke()
    note()
window.buttons["Preview"].invoke()
note()
window.buttons["Step"].invoke()
window.buttons["Step"].invoke()
note()
window.speed.set(0)
window.buttons["Solve"].invoke()
note()
window.buttons["Solve"].invoke()
note()
window.speed.set(4)
window.buttons["Solve"].invoke()
deadline = time.monotonic() + 60
while window.buttons["Solve"]["text"] == "Stop" and time.monotonic() < deadline:
    root.update()
note()
root.destroy()
print(json.dumps(seen))
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


def test_the_buttons_do_what_they_say(screen, tmp_path):
    (tmp_path / "start.txt").write_text("......\n...Q..\n" + "......\n" * 4)
    (tmp_path / "bad.txt").write_text("Q.\n.Q\n")
    driven = subprocess.run(
        [sys.executable, "-c", DRIVER],
        cwd=tmp_path, env=screen, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert driven.returncode == 0, driven.stderr
    chosen, wrong, cancelled, previewed, stepped, solving, stopped, solved = json.loads(
        driven.stdout
    )
    assert chosen[0] == "completion start n=6"
    assert (
        wrong[0]
        == "bad.txt, line 2, column 2: queens on (0, 0) and (1, 1) share a falling diagonal"
    )
    assert cancelled == wrong
    assert previewed[0] == "completion start n=6: 1 queens placed, attacked squares marked"
    assert stepped[0].startswith("step 2: ")
    assert (solving[2], stopped[2]) == ("Stop", "Solve")
    assert solved[0].startswith("step ")
    assert "solution" in solved[0]
    start = Problem(6, "completion", ((1, 3),))
    assert start.violation([tuple(queen) for queen in solved[1]]) is None


def test_without_a_screen_the_window_gets_one_line(nqbench, monkeypatch):
    pytest.importorskip("tkinter", reason="this Python was built without Tk")
    monkeypatch.delenv("DISPLAY", raising=False)
    shown = nqbench("watch", "--window")
    assert shown.returncode == 2
    assert shown.stderr.startswith("nqbench: cannot open a window: ")
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
