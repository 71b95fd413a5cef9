"""Processes that the workers of a session of tests share, since their imports take seconds.

Each is a program of this folder, which forks a process for each of its clients.
"""

import hashlib
import json
import os
import resource
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

CHANGEABLE = [
    *("COLUMNS", "LIES", "NQBENCH_BUILDS", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH"),
    "WITHOUT_RIGHTS_OF_ROOT",
]
"""Variables that a forked process can change: nothing that was imported before depends on them."""


def own(environment):
    """The variables that make a process one of its own."""
    other = {*CHANGEABLE, "TMPDIR"}
    return {k: v for k, v in environment.items() if k not in other and not k.startswith("PYTEST_")}


def limits():
    """What a process inherits besides its environment and its folder."""
    kinds = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    return list(map(resource.getrlimit, kinds)), sorted(os.sched_getaffinity(0)), os.nice(0)


def connected(program, environment):
    """A connection to a process of this program that has such an environment and the limits of this
    process. It is started unless another worker has done so.
    """
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID", os.getpid())
    code = str(Path(__file__).with_name(program))
    what = json.dumps([code, str(session), own(environment), limits()], sort_keys=True)
    address = f"\0nqbench-tests-{hashlib.sha256(what.encode()).hexdigest()}"
    while True:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            client.connect(address)
            client.send(json.dumps(dict(environment)).encode())
            if client.recv(64):
                return client
            client.close()  # it has just ended
        except ConnectionError:
            client.close()
            start(code, environment, address)


def start(code, environment, address):
    """Start a process of the program, unless another worker is doing so."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        try:
            listener.bind(address)
        except OSError:  # the address is in use
            time.sleep(0.01)
            return
        listener.listen(64)
        command = [sys.executable, code, str(listener.fileno())]
        subprocess.run(command, env=environment, pass_fds=[listener.fileno()], check=True)


def next_client(listener):
    """In a forked process for each client, its connection and its environment. The process itself
    ends after its last client; on a busy machine, the first one may come late.
    """
    clients, wait_s = set(), 60
    while True:
        is_ready, *_ = select.select([listener], [], [], wait_s)
        clients = {pid for pid in clients if os.waitpid(pid, os.WNOHANG) == (0, 0)}
        if is_ready:
            connection, _ = listener.accept()
            pid = os.fork()
            if not pid:
                listener.close()
                environment = json.loads(connection.recv(2**20))
                connection.send(b"here")
                return connection, environment
            connection.close()
            clients.add(pid)
            wait_s = 1
        elif not clients:
            os._exit(0)
