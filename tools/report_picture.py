"""Take the picture of a report that the README shows, `docs/pictures/report.png`.

    python tools/report_picture.py          take it; needs Chromium and its driver
    python tools/report_picture.py --check  only print what it shows that the report no longer says;
                                            status 1 if there is anything

It is the top of the page of the main job in `results/reference`. The file contains the text that it
shows, so that a test notices without a browser when the page says something else.
"""

import argparse
import base64
import html
import io
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from nqbench.show.report.contents import Contents  # noqa: E402
from nqbench.show.report.page import render  # noqa: E402

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

PICTURE = ROOT / "docs" / "pictures" / "report.png"
RECORDS = ROOT / "results" / "reference" / "start" / "records.csv"
WIDTH = 820
COLOURS = 64
TEXT = "Description"
"""The name of the text in the file."""

SHOWN = """
const parts = [...document.querySelectorAll("h1, .verdict, dd, h2, #overview tr")];
const end = document.getElementById("findings").getBoundingClientRect().top;
const shown = parts.filter((part) => part.getBoundingClientRect().bottom <= end);
return [end, shown.map((part) => part.innerText.replaceAll(/\\s+/g, " ").trim())];
"""
"""Where the picture ends, and the texts above."""


def page() -> str:
    """The report of the main job."""
    return render(Contents.read(RECORDS, "nqbench --n 4..30"))


def stale(picture: Path = PICTURE) -> list[str]:
    """The texts in a picture that the page no longer has."""
    with Image.open(picture) as image:
        texts = image.info[TEXT].splitlines()
    plain = html.unescape(re.sub(r"<[^>]*>", " ", page().partition('<script type="app')[0]))
    words = " ".join(plain.split())
    return [text for text in texts if text not in words]


def take(browser: "Chrome", path: Path) -> None:
    """Take the picture with this browser."""
    size = {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        report.write_text(page())
        browser.get(report.as_uri())
        height, texts = browser.execute_script(SHOWN)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": int(height) - 12, "scale": 1}
        # Below the window, there would be nothing.
        whole = {"clip": clip, "captureBeyondViewport": True}
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", whole)
    _write(base64.b64decode(taken["data"]), texts, path)


def _write(taken: bytes, texts: Sequence[str], path: Path) -> None:
    described = PngInfo()
    described.add_text(TEXT, "\n".join(texts))
    with Image.open(io.BytesIO(taken)) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True, pnginfo=described)


def main() -> int:
    """Take the picture, or with --check print what is stale in it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="take none; exit with 1 if stale")
    if parser.parse_args().check:
        found = stale()
        print(*found, sep="\n", end="\n" if found else "")
        return 1 if found else 0
    import chromium  # noqa: PLC0415 - a check needs no browser

    browser = chromium.started()
    if browser is None:
        print("install chromium and chromium-driver", file=sys.stderr)
        return 1
    try:
        take(browser, PICTURE)
    finally:
        browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
