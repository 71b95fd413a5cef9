"""What the site takes from outside `docs`: the page of the reference campaigns and its plots."""

from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
REFERENCE = "results/reference/"


def on_files(files: Files, config) -> Files:
    """Add the page of the reference campaigns, with its plots."""
    for source in sorted((ROOT / REFERENCE).rglob("*.*")):
        if source.suffix in {".md", ".png"}:
            name = source.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, **_) -> str:
    """Take one `../` from links to the reference campaigns: these are beside `docs` in a clone, and
    among the pages in the site.
    """
    return markdown.replace(f"../{REFERENCE}", REFERENCE)
