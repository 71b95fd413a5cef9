"""`Results.bundle`."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING

from nqbench.campaign.options import Option, options
from nqbench.common import parsing
from nqbench.records import sources
from nqbench.records.store import Store

if TYPE_CHECKING:
    from nqbench.addons.bundle.making import Bundled
    from nqbench.problems.base import Problem
    from nqbench.results import Results


@options(
    allow_missing=Option(
        parsing.FLAG,
        "Accept runs that cannot be measured again, because their problem is not named.",
    ),
    license=Option(
        parsing.TEXT,
        "License of the records, such as CC-BY-4.0 or CC0-1.0, or the address of its text. "
        "[none is stated]",
        metavar="SPDX-ID",
    ),
    plots=Option(parsing.FLAG, "Draw plots for the bundle."),
    plugins=Option(
        parsing.FLAG, "Take the files of plugins that measured. `replay` does not execute them."
    ),
)
def bundle(
    results: Results,
    output: str | PathLike[str],
    *,
    problems: Iterable[Problem] = (),
    campaign_file: str | PathLike[str] | None = None,
    plots: bool = True,
    allow_missing: bool = False,
    license: str | None = None,  # noqa: A002
    plugins: bool = True,
) -> Bundled:
    """Write the records into a ZIP file for somebody else, with all that it takes to measure
    their runs again with `nqbench.replay`: problems, formulas, versions and digests. The same
    results give the same bytes.

    Problems that come from files or from Python are not in the records: name them as
    `problems`, or name the `campaign_file`, which goes into the bundle. Without one that is
    needed, nothing is written, unless `allow_missing`.

    `license` is the one of the records, by its SPDX id, such as 'CC-BY-4.0', or by the address
    of its text. The README and the metadata of the bundle name it, or say that none is stated.

    The bundle has the files of the plugins that measured, unless `plugins` is False. `replay`
    does not execute them.
    """
    from nqbench.addons.bundle import making
    from nqbench.addons.bundle.license import License
    from nqbench.campaign import campaign_file as toml
    from nqbench.records import names
    from nqbench.records.where import fulfilling

    under = None if license is None else License.of(license)
    file = None if campaign_file is None else parsing.path(campaign_file)
    campaigns = [] if file is None else toml.read(file)
    records = fulfilling(sources.read_raw(results.source), results.where)
    with Store(sources.store(results.source), read_only=True) as store:
        environments, sessions = store.environments(), store.sessions()
    given_problems = [
        *problems,
        *(problem for campaign in campaigns for problem in campaign.problems),
    ]
    source = making.Source(
        *(records, environments, sessions, results.title, given_problems, file, under),
        names.folder_of(results.source),
    )
    return making.make(
        source,
        parsing.path(output),
        plots=plots,
        allow_missing=allow_missing,
        plugins=plugins,
    )
