"""Command lines of nqbench, each in a process forked from one that has imported nqbench already.

That saves most of the start-up of Python, and the import of large libraries. The process is not a
child of the tests. It ends when its socket is closed.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from shared import CHANGEABLE, connected, next_client
from warm_servers import Servers, can_become, examine_builds, paths

COMMAND = """#!{0} -IS
import json, os, socket, sys

BY_SHELL = {{"_", "OLDPWD", "PWD", "SHLVL", "PYTEST_CURRENT_TEST"}}
environment = {2!r}
changed = {{name: os.environ.get(name) for name in {3!r}}}
if {{name for name, _ in environment.items() ^ os.environ.items()}} - changed.keys() - BY_SHELL:
    os.execv(sys.executable, [sys.executable, "-m", "nqbench", *sys.argv[1:]])
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as warm:
    warm.connect({1!r})
    warm.send(json.dumps(environment).encode())
    warm.recv(64)
    request = json.dumps([sys.argv[1:], os.getcwd(), changed]).encode()
    socket.send_fds(warm, [request], [0, 1, 2])
    pid, status = warm.recv(64), int(warm.recv(64))
sys.exit(status if status >= 0 else 128 - status)
"""
"""A command line of nqbench for scripts: it starts at once, unless its environment is another."""


class Warm:
    """The process, with its environment."""

    def __init__(self, environment):
        self.environment = environment
        self._socket = connected("warm.py", environment)

    def close(self):
        self._socket.close()

    def write_command(self, path):
        """Write a program that does the same for `nqbench` in scripts and pipes."""
        address = self._socket.getpeername()
        path.write_text(COMMAND.format(sys.executable, address, self.environment, CHANGEABLE))
        path.chmod(0o755)

    def serves(self, environment):
        """Whether a forked process can have this environment."""
        return can_become(self.environment, environment)

    def run(self, arguments, folder, timeout, typed="", *, environment=None, together=False):
        """As `subprocess.run` does with captured output; `typed` has to fit into a pipe. With
        `together`, standard error is written to standard output.
        """
        (theirs, ours), *outputs = os.pipe(), os.pipe(), os.pipe()
        os.write(ours, typed.encode())
        os.close(ours)
        descriptors = [theirs, *(write for _, write in outputs)]
        if together:
            os.dup2(descriptors[1], descriptors[2])
        environment = environment or self.environment
        changed = {name: environment.get(name) for name in CHANGEABLE}
        request = json.dumps([arguments, str(folder), changed]).encode()
        socket.send_fds(self._socket, [request], descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        pid = int(self._socket.recv(64))
        try:
            out, err = read_all([read for read, _ in outputs], time.monotonic() + timeout)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise
        finally:
            status = int(self._socket.recv(64))
        return subprocess.CompletedProcess(arguments, status, out, err)


def read_all(descriptors, deadline):
    """What is written to each pipe until all who can write to it have closed it."""
    with contextlib.ExitStack() as files, selectors.DefaultSelector() as selector:
        written = {}
        for descriptor in descriptors:
            file = files.enter_context(os.fdopen(descriptor, "rb", buffering=0))
            written[selector.register(file, selectors.EVENT_READ).fd] = []
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                raise TimeoutError(f"still running: {written}")
            for key, _ in ready:
                written[key.fd].append(key.fileobj.read(2**16))
                if not written[key.fd][-1]:
                    selector.unregister(key.fileobj)
    return [decoded(b"".join(parts)) for parts in written.values()]


def decoded(written):
    return written.decode().replace("\r\n", "\n").replace("\r", "\n")


def serve(requests):
    """Fork for each request; return the request in the child, and nothing at the end."""
    while True:
        request, descriptors, *_ = socket.recv_fds(requests, 2**20, 3)
        if not request:
            return None
        pid = os.fork()
        if not pid:
            for standard, descriptor in enumerate(descriptors):
                os.dup2(descriptor, standard)
        for descriptor in descriptors:
            os.close(descriptor)
        if not pid:
            return json.loads(request)
        requests.sendall(b"%d" % pid)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        requests.sendall(b"%d" % status)


def enter(folder, changed):
    """Change to a folder and to the environment there, as if Python had been started in it."""
    from nqbench.measure import source_files
    from nqbench.plugins.loading import _entry_points

    earlier = paths(os.environ)
    for name, value in changed.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    os.chdir(folder)
    sys.path[: 1 + len(earlier)] = [folder, *map(str, paths(os.environ))]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    if paths(os.environ) != earlier or any(Path(folder).glob("*.*-info")):
        _entry_points.cache_clear()
    source_files.STARTED = time.time()  # plugins are imported from now on


def give_up_rights_of_root():
    """Let the permissions of files apply in this process even to root."""
    libc, header = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522)
    rights = (ctypes.c_uint32 * 6)()
    override_permissions = 1 << 1
    if libc.capget(header, rights) == 0:
        rights[:] = [each & ~override_permissions for each in rights]
        libc.capset(header, rights)


def have_environment(environment, before):
    """Change to the environment of a client, of which the process was started with another one."""
    from nqbench.plugins.loading import _entry_points

    earlier = paths(before)
    for name in before.keys() - environment.keys():
        os.environ.pop(name, None)
    os.environ.update(environment)
    sys.path[1 : 1 + len(earlier)] = map(str, paths(environment))
    tempfile.tempdir = None
    if paths(environment) != earlier:
        _entry_points.cache_clear()
        _entry_points()


def main():
    before = dict(os.environ)
    gc.disable()  # of what is imported, nothing is garbage
    # The only threads that this starts are those of Polars that tidy up memory. The others start
    # when a table is first used, in the forked process.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    for name in (
        "nqbench.records.frame",
        "nqbench.summary.findings",
        "nqbench.show.plots",
        "matplotlib.backends.backend_svg",
        "scipy.stats",
        "nqbench.cli.app",
    ):
        importlib.import_module(name)
    from addons import is_here

    from nqbench.campaign.executors import interpreter
    from nqbench.cli.app import commands
    from nqbench.cli.commands import report
    from nqbench.plugins.loading import _entry_points

    for command in commands().values():
        importlib.import_module(command.place.partition(":")[0])
    for name in (
        "nqbench.api",
        "nqbench.campaign.runner",
        "nqbench.campaign.job",
        "nqbench.campaign.executors.local",
        "nqbench.measure.solutions",
        "nqbench.measure.later_checks",
        "nqbench.show.report.page",
    ):
        importlib.import_module(name)
    if is_here("certify"):
        importlib.import_module("nqbench.addons.certify.examiner")

    _entry_points()  # which takes as long as to fork
    listener = socket.socket(fileno=int(sys.argv[1]))
    if os.fork():
        os._exit(0)  # without taking down what was imported: who started this waits
    examine_builds()
    gc.collect()
    gc.freeze()
    gc.enable()
    requests, environment = next_client(listener)
    have_environment(environment, before)
    # After the imports: Polars changes the environment, and servers have that of who starts them.
    servers = Servers()
    with requests:
        request = serve(requests)
    if request:
        arguments, folder, changed = request
        enter(folder, changed)
        if changed["WITHOUT_RIGHTS_OF_ROOT"]:
            give_up_rights_of_root()
        interpreter.start = servers.start
        report._start = lambda _: None  # a process for the page would import everything again
        sys.argv = ["nqbench", *arguments]
        try:
            runpy.run_module("nqbench", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            # As the interpreter would end, but without taking down what was imported: 50 ms.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code or 0)


if __name__ == "__main__":
    main()
