"""Do what pages say, in this environment: write their files and run their commands and Python.

    python tools/run_page.py docs/how-to/use.md ...

Each page begins in an empty folder. `pip install 'nqbench[EXTRA]'` in its text is done first, from
this clone. What stands below `<!-- elsewhere: WHY -->` or `<!-- needs: NAME -->` is left out:
another test does it, or not everybody has what it needs. Only the standard library is used, since
this runs where nothing but the README's commands were. Status 1 if anything failed.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

BLOCK = re.compile(
    r"(?:<!-- (?P<kind>file|elsewhere|needs): (?P<what>[^>]*?) -->\n+)?"
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
"""A block of a page, with the mark above it."""

EXTRAS = re.compile(r"pip install '(?:nqbench|\.)\[([\w,-]+)\]'")
"""What a page says to install, as extras of nqbench."""


class Step(NamedTuple):
    """What a block asks for: `file`, with its name as `what`; `sh`, or `python`."""

    kind: str
    code: str
    what: str = ""


def steps(page: str) -> Iterator[Step]:
    """What a page asks for, in order."""
    if extras := {extra for names in EXTRAS.findall(page) for extra in names.split(",")}:
        words = f"{sys.executable} -m pip install --quiet -e '{ROOT}[{','.join(sorted(extras))}]'"
        yield Step("sh", words)
    for mark, what, language, code in BLOCK.findall(page):
        if mark == "file":
            yield Step("file", code, what)
        elif not mark and language == "python":
            yield Step("python", code)
        elif not mark and language == "sh":
            yield Step("sh", code)
        elif not mark and language == "console":
            yield Step("sh", "".join(re.findall(r"^\$ (.*\n)", code, re.MULTILINE)))


def do(page: Path) -> str:
    """Do what a page says; return what failed, or nothing."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for step in steps(page.read_text()):
            try:
                if step.kind == "file":
                    Path(step.what).parent.mkdir(parents=True, exist_ok=True)
                    Path(step.what).write_text(step.code)
                elif step.kind == "python":
                    exec(compile(step.code, str(page), "exec"), namespace)
                else:
                    subprocess.run(["bash", "-eux", "-c", step.code], check=True)
            except Exception as error:
                return f"{step.code.strip()}\n{type(error).__name__}: {error}"
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Do what each page says, and say what failed at the end."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    pages = parser.parse_args(arguments).pages
    failed = {}
    for page in pages:
        print(f"= {page}", flush=True)
        if why := do((ROOT / page).resolve()):
            failed[page] = why
    for page, why in failed.items():
        print(f"failed: {page}: {why}")
    print(f"{len(pages) - len(failed)} of {len(pages)} pages")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
