"""Runs all attacks in the sandbox, as whoever started it, and prints what came of them as JSON.

    python attacked.py FOLDER [--without landlock|calls|scopes]... [ATTACK]...

FOLDER is a new one of this user, for what belongs to the teacher. Before that, honest programs are
run: where none works, all attacks would be held.
"""

import argparse
import contextlib
import ctypes
import json
import os
import platform
import resource
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from nqbench.addons.grading.formulas import Writer
from nqbench.addons.grading.sandbox import landlock, sandbox, seccomp
from nqbench.addons.grading.sandbox.left_files import GivenFile
from nqbench.addons.grading.sandbox.sandbox import Sandbox
from nqbench.addons.grading.submission import Kind, Submission
from nqbench.common.limits import Limits

ATTACKS = Path(__file__).parents[1] / "addons" / "grading" / "hostile" / "attacks"
LIMITS = Limits(time_s=20.0, memory_bytes=256 * 2**20, output_bytes=2**20)
LARGE = Limits(time_s=120.0, memory_bytes=2**30, output_bytes=2**20)
FILE_BYTES = 32 * 2**20
IN_FILE, IN_KEY, IN_ENVIRONMENT = "in-the-file-7c31", "in-the-key-7c31", "in-the-environment-7c31"
KEYS = {"x86_64": (248, 250), "aarch64": (217, 219)}[platform.machine()]


class Teacher:
    """What belongs to somebody who runs strangers' programs."""

    def __init__(self, folder):
        self.folder = folder
        self.secret, self.old = folder / "secret", folder / "old"
        self.secret.write_text(IN_FILE)
        self.old.write_text("kept")
        self.old.chmod(0o600)
        os.utime(self.old, (1e9, 1e9))
        self.servers = {
            "stream": self.server(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "stream")),
            "datagrams": self.server(socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "datagrams")),
            "abstract": self.server(socket.AF_UNIX, socket.SOCK_STREAM, f"\0nqbench-{os.getpid()}"),
            "tcp": self.server(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": self.server(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        }
        self.bystander = subprocess.Popen(
            [sys.executable, "-c", "'bystander'; import time; time.sleep(3000)"]
        )
        self.key = f"nqbench-{os.getpid()}"
        self.add_keys()
        self.before = self.state()

    def server(self, family, kind, address):
        made = socket.socket(family, kind)
        made.bind(address)
        if kind == socket.SOCK_STREAM:
            made.listen(50)
        made.settimeout(0)
        return made

    def add_keys(self):
        add, control = KEYS
        c = ctypes.CDLL(None)
        c.syscall(control, 1, None)
        for ring in (-3, -4):
            c.syscall(add, b"user", self.key.encode(), IN_KEY.encode(), len(IN_KEY), ring)

    def facts(self):
        granted = sandbox.granted()
        return {
            "folder": str(self.folder), "secret": str(self.secret), "old": str(self.old),
            "stream": str(self.folder / "stream"), "datagrams": str(self.folder / "datagrams"),
            "abstract": f"nqbench-{os.getpid()}", "key": self.key,
            "tcp": self.servers["tcp"].getsockname()[1],
            "udp": self.servers["udp"].getsockname()[1],
            "bystander": self.bystander.pid, "package": str(Path(sandbox.__file__).parent),
            "sees_network": not granted.network, "sees_processes": not granted.processes,
        }  # fmt: skip

    def state(self):
        pid, old = self.bystander.pid, self.old.lstat()
        return {
            "mode": oct(old.st_mode), "date": old.st_mtime, "content": self.old.read_text(),
            "files": sorted(path.name for path in self.folder.iterdir()),
            "limits": resource.prlimit(pid, resource.RLIMIT_NOFILE),
            "cpus": sorted(os.sched_getaffinity(pid)), "nice": os.getpriority(os.PRIO_PROCESS, pid),
            "runs": self.bystander.poll() is None,
            "stands": "\nState:\tT" in Path(f"/proc/{pid}/status").read_text(),
        }  # fmt: skip

    def harm(self):
        """What an attack has done, outside of the sandbox."""
        now = self.state()
        harm = [f"{name}: {now[name]}" for name in now if now[name] != self.before[name]]
        for name, server in self.servers.items():
            with contextlib.suppress(BlockingIOError):
                server.recv(100) if server.type == socket.SOCK_DGRAM else server.accept()[0].close()
                harm.append(f"the server {name} was reached")
        self.old.chmod(0o600)
        os.utime(self.old, (1e9, 1e9))
        self.before = self.state()
        return harm

    def close(self):
        self.bystander.kill()
        self.bystander.wait()


def attack(name, teacher):
    """What came of an attack: in which ways it was not held, and how its process ended."""
    files = {path.name.encode(): GivenFile(path.read_bytes()) for path in ATTACKS.glob("*.py")}
    files[b"teacher.json"] = GivenFile(json.dumps(teacher.facts()).encode())
    started = time.monotonic()
    runs = 2 if "left" in name else 1
    teacher.harm()  # of somebody else since the attack before
    if name.startswith("class_"):
        text, how, left = attack_by_class(name)
    else:
        limits = replace(LIMITS, time_s=2.0) if name.startswith("endless_") else LIMITS
        box = Sandbox(limits, files, processes=64, file_bytes=FILE_BYTES)
        ending = [box.run([sys.executable, "-B", f"{name}.py"], b"8\n") for _ in range(runs)][-1]
        text = b"".join(
            (ending.output, ending.errors, *ending.files, *ending.files.values())
        ).decode(errors="replace")
        how, left = ending.message or ending.flaw, sum(map(len, ending.files.values()))
    broken = [line.strip() for line in text.split("\n") if "BROKEN" in line]
    broken += [word for word in (IN_FILE, IN_KEY, IN_ENVIRONMENT) if word in text]
    broken += teacher.harm() + processes_left(f"{name}.py")
    if left > FILE_BYTES:
        broken.append(f"{left} bytes in files")
    return {
        "broken": broken,
        "how": how,
        "seconds": round(time.monotonic() - started, 1),
        "text": text[-300:],
    }


def attack_by_class(name):
    submission = Submission("m", ATTACKS / f"{name}.py", Kind.CLASS, command=f"{name}.py")
    words = []
    with Writer(submission, LARGE) as writer:
        from nqbench.addons.grading import formulas

        box = Sandbox(LARGE, formulas._given(submission), processes=64, file_bytes=FILE_BYTES)
        with box.conversation(formulas._interpreter(submission.command)) as ask:
            for n in (b"4", b"5"):
                ending = ask(n)
                words += [ending.reply or b"", ending.errors, ending.message.encode()]
        words.append(str(writer.write(4)).encode())
    return b"".join(words).decode(errors="replace"), ending.message, 0


def processes_left(mark):
    """Processes of an attack that still run, apart from those that are being killed."""
    for _ in range(100):
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_bytes().split(b"\0")
                if mark.encode() in words and int(path.parent.name) != os.getpid():
                    found.append(f"process {path.parent.name} is left")
        if not found:
            break
        time.sleep(0.05)
    return found


HONEST = {
    "python": ("print(8 * int(input()))", "64"),
    "python_files": (
        "import tempfile, os\nf = tempfile.NamedTemporaryFile(); f.write(b'64'); f.flush()\n"
        "os.mkdir('a'); os.chdir('a'); print(open(f.name).read())",
        "64",
    ),
    "python_processes": (
        "import multiprocessing as m\nif __name__ == '__main__':\n"
        "    with m.Pool(2) as p: print(sum(p.map(abs, range(-64, 0, 64))))",
        "64",
    ),
    "python_threads": (
        "import asyncio, concurrent.futures as c\n"
        "async def f(): await asyncio.sleep(0); return 32\n"
        "with c.ThreadPoolExecutor(4) as p:\n"
        "    print(asyncio.run(f()) + p.submit(lambda: 32).result())",
        "64",
    ),
    "python_programs": (
        "import subprocess\nprint(subprocess.run(['sh', '-c', 'echo $((8 * 8)) | cat'], "
        "capture_output=True, text=True).stdout)",
        "64",
    ),
}


def honest():
    """How honest programs end that do not work; what is not installed counts as working."""
    failed = {}
    for name, (code, expected) in HONEST.items():
        box = Sandbox(LARGE, {b"honest.py": GivenFile(code.encode())}, processes=64)
        note(failed, name, box.run([sys.executable, "honest.py"], b"8\n"), expected)
    script = GivenFile(b"#!/bin/sh\nread n; echo $((n * n)) > out; cat out\n", is_executable=True)
    note(failed, "script", Sandbox(LARGE, {b"sub/x.sh": script}).run(["./sub/x.sh"], b"8\n"), "64")
    source = b'#include <stdio.h>\nint main() { int n; scanf("%d", &n); printf("%d\\n", n * n); }\n'
    if shutil.which("gcc"):
        box = Sandbox(LARGE, {b"x.c": GivenFile(source)}, processes=64)
        note(failed, "gcc", box.run(["sh", "-c", "gcc x.c && ./a.out"], b"8\n"), "64")
    return failed


def note(failed, name, ending, expected):
    if ending.message or expected not in ending.output.decode():
        failed[name] = f"{ending.message} {ending.errors.decode(errors='replace')[-500:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--without", action="append", default=[])
    options = parser.parse_args()
    if "landlock" in options.without:
        landlock.version = lambda: 0
    if "scopes" in options.without:
        newest = landlock.version()
        landlock.version = lambda: min(newest, 5)
    if "calls" in options.without:
        seccomp.is_available = lambda: False
    if "namespaces" in options.without:
        from nqbench.addons.grading.sandbox import namespaces

        namespaces.enter = lambda *_: set()
    found = sandbox.protection()
    print(
        json.dumps({"level": found.level, "remains": found.remains, "honest": honest()}), flush=True
    )
    teacher = Teacher(options.folder)
    try:
        for name in options.names or sorted(
            path.stem for path in ATTACKS.glob("*.py") if path.stem != "attack"
        ):
            print(json.dumps({"attack": name, **attack(name, teacher)}), flush=True)
    finally:
        teacher.close()


if __name__ == "__main__":
    main()
