"""Tries the README's commands on new Debian systems, as a new user would.

    tox -e fresh                    bookworm, trixie and sid
    tox -e fresh -- sid --whole     one of them, and every test
    tox -e fresh -- --keep          keep the systems to look at them

After the main job, its records must be what was meant: every answer verified, every backend that
can load directly did, proofs checked by the compiled checker, and PicoSAT as fast as with -O3. What
all pages say must work with what the README and they install.

Needs root, debootstrap (`apt install debootstrap`), and a network that reaches Debian and PyPI. A
system is a folder; its processes and mounts are in separate namespaces and end with it.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from run_page import EXTRAS

ROOT = Path(__file__).parents[1]
T = TypeVar("T")

SUITES = ("bookworm", "trixie", "sid")
CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")
PASSED_ON = re.compile(r"(https?|no|all)_proxy|PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL)", re.IGNORECASE)

INSIDE = """
root=$1; shift
mount --rbind /dev $root/dev
mount --rbind /sys $root/sys
mount -t proc proc $root/proc
exec chroot $root "$@"
"""
"""Run in separate namespaces for mounts and processes, as the first process."""

FROM_HERE = (
    "git config --global url./srv/nqbench.insteadOf https://github.com/nqbench/nqbench && "
    "git config --global safe.directory '*'"
)
"""Lets the README's command clone what is committed here."""

WHAT_RAN = """
import nqbench
from nqbench.checking import proof
from nqbench.plugin import Backend

records = nqbench.read("results")
print((records["verdict"] == "verified").sum(), len(records))
able = [b for b in set(records["backend"]) if "loading" in Backend.named(b).parameters]
slow = records.filter(records["backend"].is_in(able), loading="binding")
print(len(able) - slow["backend"].n_unique(), len(able))
print(proof.is_built())
"""
"""Whether the records of the main job are what was meant: verified, from backends that loaded their
clauses directly if they can, with the compiled checker of proofs.
"""

OPTIMISED = "-O3 -DNDEBUG -g -fwrapv -Wno-error=incompatible-pointer-types"
SLOWEST = 1.2

PICOSAT = """
import time
from nqbench.plugin import Backend, Encoding
from nqbench.problems.queens import Queens

def seconds(formula):
    solver = Backend.named("pyeda").load(formula)
    started = time.perf_counter()
    solver.solve()
    return time.perf_counter() - started

encoding = Encoding.named("pairwise")
print(sum(min(seconds(encoding.clauses(Queens(n))) for _ in range(5)) for n in range(4, 31)))
"""
"""The seconds that PicoSAT solves the boards of the main job for, each the fastest of five."""


@dataclass
class Result:
    """A row of the table."""

    suite: str
    python: str = ""
    gcc: str = ""
    main_job: str = ""
    direct: str = ""
    proofs: str = ""
    picosat: str = ""
    report: str = ""
    pages: str = ""
    tests: str = ""
    skipped: list[str] = field(default_factory=list)
    failed: str = ""


class StepError(Exception):
    """A command failed; the log has its output."""


class System:
    """A new Debian in a folder."""

    def __init__(self, suite: str, folder: Path) -> None:
        self.suite = suite
        self.root = folder / suite
        self.log = folder / f"{suite}.log"

    def build(self, packages: list[str]) -> str:
        shutil.rmtree(self.root, ignore_errors=True)
        self.log.write_text("")
        # Every minimal system has these, by one name or another: PyPI needs HTTPS.
        wanted = ",".join([*packages, "ca-certificates"])
        words = ["debootstrap", "--variant=minbase", f"--include={wanted}", self.suite]
        said = self._do([*words, self.root])
        self._do(["git", "clone", "--quiet", "--bare", ROOT, self.root / "srv" / "nqbench"])
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        if (Path("/") / CERTIFICATES).exists():
            shutil.copy(Path("/") / CERTIFICATES, self.root / CERTIFICATES)
        return said

    def run(self, command: str, folder: str = "/root/nqbench") -> str:
        """Run a line for the shell in the clone or another folder, and return what it printed on
        both streams.
        """
        environment = {
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        } | {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
        shell = ["bash", "-c", f"cd {folder} && {command}"]
        return self._do(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child",
             "sh", "-euc", INSIDE, "sh", self.root, *shell],
            env=environment,
        )  # fmt: skip

    def _do(self, command: list[object], **options: object) -> str:
        words = [str(word) for word in command]
        with self.log.open("a") as log:
            log.write(f"\n+ {words[-1] if words[0] == 'unshare' else ' '.join(words)}\n")
            log.flush()
            beginning = log.tell()
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **options
            )
        said = self.log.read_bytes()[beginning:].decode(errors="replace")
        if done.returncode:
            raise StepError(said)
        return said


def readme_commands(readme: str) -> tuple[list[str], str, str, str]:
    """The packages that the README installs on Debian, how it clones, and its two commands."""
    (clone,) = re.findall(r"^git clone .*$", readme, re.MULTILINE)
    (packages,) = re.findall(r"^(?:sudo )?apt install (.*)$", readme, re.MULTILINE)
    main_job, tests = re.findall(r"^python3 -m venv .*$", readme, re.MULTILINE)
    return packages.split(), clone, main_job, tests


def pages() -> list[str]:
    """The pages whose commands are tried, those first that install nothing more. What papers claim
    takes hours, and is tried elsewhere.
    """
    every = ["README.md", *(str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("docs/**/*.md")))]
    return sorted(every, key=lambda page: bool(EXTRAS.search((ROOT / page).read_text())))


def skipped_in(said: str) -> list[str]:
    """The reasons for skipped tests in pytest's summary, with the number of tests for each."""
    counts: dict[str, int] = {}
    for number, reason in re.findall(r"^SKIPPED \[(\d+)\] \S+: (.*?)\s*$", said, re.MULTILINE):
        counts[reason] = counts.get(reason, 0) + int(number)
    return [f"{count} x {reason}" for reason, count in counts.items()]


def outcome_in(said: str) -> str:
    """What pytest says at its ends: the numbers of passed, failed and skipped tests."""
    found = re.findall(r"^=+ (.*(?:passed|failed|error).*) in [\d.]+s", said, re.MULTILINE)
    return " and ".join(found) or "no tests ran"


def examine(suite: str, folder: Path, whole: bool) -> Result:
    """Try everything on one system until something fails; the result names it."""
    packages, clone, main_job, tests = readme_commands((ROOT / "README.md").read_text())
    if whole:
        tests = f"{tests} && .venv/bin/tox -e thorough"
    system, result = System(suite, folder), Result(suite)

    def step(name: str, action: Callable[[], T]) -> T:
        started = time.monotonic()
        try:
            said = action()
        except StepError as error:
            result.failed = f"{name} failed"
            if name == "tests":
                result.tests, result.skipped = outcome_in(str(error)), skipped_in(str(error))
            raise
        print(f"{suite}: {name}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        return said

    def run(name: str, command: str) -> str:
        return step(name, lambda: system.run(command))

    try:
        step("system", lambda: system.build(packages))
        result.python = step("python", lambda: system.run("python3 --version", "/")).split()[-1]
        result.gcc = step("compiler", lambda: system.run("gcc -dumpfullversion", "/")).split()[-1]
        step("clone", lambda: system.run(f"{FROM_HERE} && {clone}", "/root"))
        run("main job", main_job)
        ran = run("what ran", f".venv/bin/python -c '{WHAT_RAN}'").splitlines()[-3:]
        (verified, runs), (direct, able), (compiled,) = map(str.split, ran)
        result.main_job = f"{verified} of {runs} verified"
        result.direct = f"{direct} of {able}"
        result.proofs = "compiled" if compiled == "True" else "dratify"
        ratio = step("PicoSAT", lambda: slower_than_optimised(system.run))
        result.picosat = f"{ratio:.2f} x"
        result.failed = why_another_job_ran(result, ratio)
        if result.failed:
            raise StepError(result.failed)
        result.report = re.findall(
            r"report: .*\((.*)\)", run("report", ".venv/bin/nqbench report")
        )[-1]
        said = run("pages", f". .venv/bin/activate; python tools/run_page.py {' '.join(pages())}")
        result.pages = said.splitlines()[-1].removesuffix(" pages")
        said = run("tests", tests)
        result.tests, result.skipped = outcome_in(said), skipped_in(said)
    except StepError:
        print(f"{suite}: {result.failed}, see {system.log}", file=sys.stderr, flush=True)
    return result


def why_another_job_ran(result: Result, ratio: float) -> str:
    """What the main job did otherwise than meant; empty if nothing."""
    verified, _, runs, _ = result.main_job.split()
    direct, _, able = result.direct.split()
    wrong = {
        "not every run was verified": verified != runs,
        "some backends do not load directly": direct != able,
        "proofs are not checked by the compiled checker": result.proofs != "compiled",
        f"PicoSAT takes more than {SLOWEST} x as long as with -O3": ratio > SLOWEST,
    }
    return "; ".join(what for what, is_so in wrong.items() if is_so)


def slower_than_optimised(run: Callable[[str], str]) -> float:
    """How many times as long PicoSAT takes as one that is compiled with -O3, in turn, as the median
    of five ratios.
    """
    run(
        f"CFLAGS='{OPTIMISED}' .venv/bin/pip install --quiet --no-deps --no-cache-dir "
        "--target /root/optimised pyeda"
    )
    ratios = []
    for _ in range(5):
        here, optimised = (
            float(run(f"{where} .venv/bin/python -c '{PICOSAT}'").split()[-1])
            for where in ("", "PYTHONPATH=/root/optimised")
        )
        ratios.append(here / optimised)
    return statistics.median(ratios)


def table(results: list[Result]) -> str:
    """The results in columns, with the reasons for skipped tests below."""
    rows = [
        (
            "system",
            "Python",
            "gcc",
            "main job",
            "direct",
            "proofs",
            "PicoSAT",
            "report",
            "pages",
            "tests",
        )
    ]
    rows += [
        (
            *(r.suite, r.python, r.gcc, r.main_job or r.failed, r.direct, r.proofs, r.picosat),
            *(r.report, r.pages, r.tests),
        )
        for r in results
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    for result in results:
        lines += [f"{result.suite}: {result.failed}"] if result.failed else []
        lines += [f"{result.suite} skipped {reason}" for reason in result.skipped]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the systems are made")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"[{' '.join(SUITES)}]")
    parser.add_argument("--whole", action="store_true", help="run every test")
    parser.add_argument("--keep", action="store_true", help="leave the systems where they are")
    asked = parser.parse_intermixed_args()
    if os.geteuid() != 0:
        parser.error("this needs root: sudo tox -e fresh")
    for program in ("debootstrap", "unshare", "chroot"):
        if shutil.which(program) is None:
            parser.error(f"there is no {program} here; try: apt install debootstrap util-linux")
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    for suite in asked.suites or SUITES:
        results.append(examine(suite, folder, asked.whole))
        if not asked.keep:
            shutil.rmtree(folder / suite, ignore_errors=True)
    print(table(results))
    return int(any(result.failed for result in results))


if __name__ == "__main__":
    sys.exit(main())
