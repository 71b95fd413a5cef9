"""The pages become a site without a warning, with the help texts and the interfaces."""

import html
import os
import re
import subprocess
import sys

import click
import polars as pl
import pytest
from once import made_once
from places import ROOT

import nqbench
from nqbench import plugin, testing
from nqbench.cli.app import app

MOST_RUNS = 40
SHORT = f"""
from mkdocs.__main__ import cli
from nqbench.records import sources

whole = sources.read
sources.read = lambda *values, **options: whole(*values, **options).head({MOST_RUNS})
cli()
"""
"""MkDocs with a few runs in each report, which would take twice as long as all pages."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, which takes long to build."""
    return made_once(tmp_path_factory, "site", build)


def build(folder):
    """Build the site; a warning, as of a link that leads nowhere, would be an error."""
    done = subprocess.run(
        [sys.executable, "-c", SHORT, "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "COLUMNS": "40"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def section(page, anchor):
    """What is below a heading, up to the next one."""
    below = page.partition(f' id="{anchor}"')[2]
    assert below, anchor
    return below.partition("<h")[0]


def commands(command, words=()):
    """Each command below one, itself included, with the words that call it."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*words, name))


def test_it_has_the_help_of_every_command(site):
    page = (site / "reference" / "command-line" / "index.html").read_text()
    for words, command in commands(app, ("nqbench",)):
        text = html.unescape(re.sub(r"<.*?>", "", section(page, "-".join(words))))
        assert f"Usage: {' '.join(words)} [OPTIONS]" in text
        for option in command.params:
            assert not isinstance(option, click.Option) or option.opts[-1] in text
        assert "Example" in text


def test_it_describes_every_public_name(site):
    pages = [*site.glob("reference/p*/index.html"), *site.glob("addons/*/index.html")]
    text = "".join(path.read_text() for path in pages)
    for face in (nqbench, plugin, testing):
        for name in face.__all__:
            assert "<p>" in section(text, f"{face.__name__}.{name}"), name


def test_the_gallery_opens_reports_of_reference_campaigns(site):
    gallery = (site / "gallery" / "index.html").read_text()
    pages = {path.stem: path.read_text() for path in (site / "gallery").glob("*.html")}
    linked = set(re.findall(r'href="([\w-]+)\.html"', gallery))
    assert linked == pages.keys() - {"index"} >= {"main-job", "hard", "re-encoding"}
    for name in linked:
        records = pl.read_csv(ROOT / "results/reference" / name / "records.csv", infer_schema=False)
        count = min(len(records), MOST_RUNS)
        assert f"{count} runs, page written by nqbench" in html.unescape(pages[name])
        assert re.search(r'<div id="[\w-]+" class="chart scroll"><svg', pages[name])
    for picture in re.findall(r'<img [^>]*src="([^"]*)"', gallery):
        assert (site / "gallery" / picture).exists(), picture


def test_docstrings_are_shown_as_they_are_written(site):
    """Doctests as code, and stars as stars."""
    text = (site / "reference" / "plugins" / "index.html").read_text()
    assert ">>>" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL).replace("&gt;", ">")
    shown = html.unescape(re.sub(r"<.*?>", "", section(text, "nqbench.plugin.by_length")))
    assert ">>> [array.tolist() for array in by_length([[1], [2, 3], [4]])]" in shown
