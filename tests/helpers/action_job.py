"""Runs the action here, step by step as GitHub runs it: each step with its environment, its
condition and the outputs of the steps before.
"""

import contextlib
import json
import os
import re
import socketserver
import subprocess
import sys
import threading
from pathlib import Path

import yaml
from places import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
NQBENCH = """#!{python} -ISs
import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect({path!r})
with asked, asked.makefile("rw") as file:
    print(json.dumps([os.getcwd(), sys.argv[1:]]), file=file, flush=True)
    status, out, err = json.loads(file.readline())
sys.stdout.write(out)
sys.stdout.flush()
sys.stderr.write(err)
sys.exit(status)
"""


def script(path, text):
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


@contextlib.contextmanager
def quick_nqbench(nqbench_in, folder):
    """Have an `nqbench` in a folder that starts faster: a process that has imported all answers it.
    Yields the folder.
    """

    class Answer(socketserver.StreamRequestHandler):
        def handle(self):
            place, arguments = json.loads(self.rfile.readline())
            done = nqbench_in(place)(*arguments)
            self.wfile.write(json.dumps([done.returncode, done.stdout, done.stderr]).encode())

    at = str(folder / "socket")
    script(folder / "nqbench", NQBENCH.format(python=sys.executable, path=at))
    with socketserver.UnixStreamServer(at, Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield str(folder)
        server.shutdown()
        thread.join()


def expression(text, values):
    """An expression of GitHub with the operators that the action uses."""
    if "||" in text:
        return next((found for part in text.split("||") if (found := expression(part, values))), "")
    if "&&" in text:
        return all(expression(part, values) for part in text.split("&&"))
    found = re.fullmatch(r"\s*([\w.()-]+)\s*(?:(==|!=) '(.*)')?\s*", text)
    value, operator, other = found.groups()
    actual = values.get(value, "")
    return actual if operator is None else (actual == other) == (operator == "==")


class Job:
    """A job with this action: its steps, its outputs and its status."""

    def __init__(self, folder, path="", **given):
        self.folder, self.path = folder, path
        self.failed = False
        self.ran = []
        self.values = {"github.action_path": "/the/action", "github.token": "a token"}
        self.values |= {"github.event.pull_request.number": "7", "always()": True}
        defaults = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
        given = {name.replace("_", "-"): value for name, value in given.items()}
        for name, value in (defaults | given).items():
            self.values[f"inputs.{name}"] = self.filled(value)

    def filled(self, text):
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda e: str(expression(e[1], self.values)), text)

    def run(self):
        """Run the steps but those that install; return the job."""
        for step in ACTION["runs"]["steps"]:
            condition = step.get("if", "")
            if self.failed and "always()" not in condition:
                continue
            if "Install" in step.get("name", "Install") or not (
                condition == "" or expression(condition, self.values)
            ):
                continue
            self.ran.append(step["name"])
            if "run" in step:
                self.failed |= self.step(step).returncode != 0
        return self

    def step(self, step, python="/bin/sh"):
        output = self.folder / "GITHUB_OUTPUT"
        output.write_text("")
        places = {
            "PATH": os.pathsep.join([str(Path(python).parent), self.path, os.environ["PATH"]]),
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "GITHUB_STEP_SUMMARY"),
            "GITHUB_REPOSITORY": "owner/project",
        }
        stated = {name: self.filled(value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=os.environ | places | stated,
            capture_output=True,
            text=True,
        )
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    @property
    def outputs(self):
        return {name: self.filled(each["value"]) for name, each in ACTION["outputs"].items()}

    @property
    def kept(self):
        """What the artifact has."""
        return {path.name: path.read_text() for path in Path(self.outputs["folder"]).iterdir()}

    @property
    def summary(self):
        return (self.folder / "GITHUB_STEP_SUMMARY").read_text()

    def has_posted(self):
        """Whether the comparison is in the artifact, on the page of the run and in the comment."""
        comment = (self.folder / "comment.md").read_text()
        return self.kept["comparison.txt"] in comment and comment in self.summary
