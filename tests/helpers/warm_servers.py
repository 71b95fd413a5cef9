"""Fork servers of nqbench, each in a process forked from one that has imported what it needs.

That saves the start of Python and its imports, 0.2 s for each server. What a server imports later
depends on its campaign, so it is the same as in a server that was started alone. The processes are
not children of those who start them: a socket reports their exit status.
"""

import contextlib
import gc
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared import CHANGEABLE, connected, limits, next_client

from nqbench.campaign.executors import interpreter

POPEN = subprocess.Popen


class Servers:
    """The process that servers are forked from. It ends when nobody has this socket."""

    def __init__(self):
        self._environment, self._limits = dict(os.environ), limits()
        self._orders = connected("warm_servers.py", os.environ | interpreter.SINGLE_THREADED)
        self.start_slowly = interpreter.start

    def close(self):
        self._orders.close()

    def start(self):
        """As `interpreter.start`, which is called if this cannot do the same."""
        is_watched = subprocess.Popen is not POPEN  # by a test
        is_limited = limits() != self._limits
        if is_watched or is_limited or not can_become(self._environment, dict(os.environ)):
            return self.start_slowly()
        ours, theirs = socket.socketpair()
        news, told = socket.socketpair(type=socket.SOCK_SEQPACKET)
        imports_here = "-P" not in interpreter.command("nqbench.measure")
        environment = os.environ | interpreter.SINGLE_THREADED
        order = json.dumps([str(Path.cwd()), imports_here, dict(environment)]).encode()
        with theirs, told:
            socket.send_fds(self._orders, [order], [theirs.fileno(), told.fileno(), 2])
        return interpreter.Interpreter(Started(news), ours)


def can_become(earlier, environment):
    """Whether a process that was started in one environment can be forked for another one."""
    names = (earlier.keys() | environment.keys()).difference(CHANGEABLE, ["PYTEST_CURRENT_TEST"])
    if any(earlier.get(name) != environment.get(name) for name in names):
        return False
    # Python imports it when it starts.
    return not any((path / "sitecustomize.py").exists() for path in paths(environment))


class Started:
    """A server, with what nqbench uses of `subprocess.Popen`."""

    def __init__(self, news):
        self._news = news
        self.pid = int(news.recv(64))
        self.returncode = None

    def poll(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None:
            self._news.settimeout(timeout)
            try:
                self.returncode = int(self._news.recv(64))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("server", timeout) from None
            self._news.close()
        return self.returncode

    def kill(self):
        if self.poll() is None:
            # It may have ended in between, as `Popen` expects, too.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def paths(environment):
    """The folders that Python adds to its path."""
    return [Path(path) for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]


def serve(orders):
    """Fork a server for each order, until nobody is left who could give one."""
    running = {}

    def reap(*_):
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with running.pop(ended[0]) as news, contextlib.suppress(OSError):
                    news.send(b"%d" % os.waitstatus_to_exitcode(ended[1]))

    signal.signal(signal.SIGCHLD, reap)
    while True:
        order, descriptors, *_ = socket.recv_fds(orders, 2**20, 3)
        if not order:
            os._exit(0)
        connection, told, errors = descriptors
        news = socket.socket(fileno=told)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if not pid:
            become_server(connection, errors, *json.loads(order))
        running[pid] = news
        with contextlib.suppress(OSError):  # who wanted it has ended, and so does the server
            news.send(b"%d" % pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.close(connection)
        os.close(errors)


def become_server(connection, errors, folder, imports_here, environment):
    """Be as if Python had been started in this folder and this environment."""
    from nqbench.measure import server, source_files

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard, descriptor in enumerate((nothing, nothing, errors)):
        os.dup2(descriptor, standard)
    os.closerange(3, connection)
    os.closerange(connection + 1, os.sysconf("SC_OPEN_MAX"))
    os.chdir(folder)
    earlier = 1 + len(paths(os.environ))
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:earlier] = [*([folder] if imports_here else []), *map(str, paths(environment))]
    tempfile.tempdir = None
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    source_files.STARTED = time.time()  # plugins are imported from now on
    try:
        server.main(connection)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        os._exit(end.code if isinstance(end.code, int) else bool(end.code))
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)


def examine_builds():
    """Look at the machine code that most servers use, without importing it: it is remembered, as
    long as the files do not change.
    """
    from nqbench.common.machine import builds, installation

    installation.builds()
    solvers = importlib.util.find_spec("pysolvers")
    builds.of([Path(solvers.origin)] if solvers else [])


def main():
    gc.disable()  # as a server does while it imports
    import nqbench.measure.server  # noqa: F401, the start of Python is over

    examine_builds()
    listener = socket.socket(fileno=int(sys.argv[1]))
    if os.fork():
        os._exit(0)  # not after taking down what was imported
    orders, _ = next_client(listener)
    os.closerange(3, orders.fileno())
    os.closerange(orders.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    serve(orders)


if __name__ == "__main__":
    main()
