"""A headless Chromium for tests of pages, or the reason why there is none."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]

# Boxes that hold more than they show, and words of pictures beyond the picture.
CUT = """() => [...document.querySelectorAll("body *")].filter(e => {
  const svg = e.closest("figure > svg");
  if (!svg) return e.clientWidth && e.scrollWidth > e.clientWidth;
  const [inner, outer] = [e, svg].map(one => one.getBoundingClientRect());
  return e.tagName === "text" && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
}).map(e => e.outerHTML.slice(0, 120))"""
# Widths and colors at which a page is looked at: a phone, a tablet, a desktop, and A4 less its margins.
SCREENS = [(390, "dark", "screen"), (768, "light", "screen"), (1280, "dark", "screen"), (680, "light", "print")]


@contextmanager
def chromium():
    """A browser without a profile of its own; the test is skipped where none can be started."""
    playwright = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("browser tests need chromium, which is not installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page opened from disk, with everything it asked for and complained about."""

    def __init__(self, browser, path, width=1000, color_scheme="light"):
        self.page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=color_scheme)
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.goto(path.as_uri())

    def what_is_cut(self, media):
        """Everything wider than its box, on a screen or on paper."""
        self.page.emulate_media(media=media)
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return [*([f"the page, by {wide} pixels"] if wide > 0 else []), *self.page.evaluate(CUT)]

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def color(self, selector, kind):
        """Red, green and blue as drawn."""
        shown = self.page.locator(selector).first.evaluate(f"e => getComputedStyle(e).{kind}")
        return [int(part) for part in shown[shown.index("(") + 1 : -1].split(",")[:3]]
