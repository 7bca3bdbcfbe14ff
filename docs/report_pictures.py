"""Takes the pictures of the report shown in report.rst: python docs/report_pictures.py (needs playwright, chromium)."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "examples"), str(HERE.parent / "tests")]

from browser import Opened, chromium  # noqa: E402
from report import main  # noqa: E402

# name: (width, colors, where to start, height)
PICTURES = {
    "light": (1100, "light", ".title", 850),
    "dark": (1000, "dark", "section:has(#roc-heading)", 590),
    "phone": (390, "dark", ".title", 844),
}

with TemporaryDirectory() as folder, chromium() as browser:
    page = main().save(Path(folder) / "report.html")
    for name, (width, colors, start, height) in PICTURES.items():
        opened = Opened(browser, page, width, colors)
        top = max(0, opened.page.locator(start).bounding_box()["y"] - 20)
        target = HERE / f"report_{name}.png"
        clip = {"x": 0, "y": top, "width": width, "height": height}
        opened.page.screenshot(path=target, clip=clip, full_page=True)
        # Few colors are in use: a palette takes a third of the space.
        Image.open(target).convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)
