"""A headless Chromium for tests of pages, or the reason why there is none."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]


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

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def color(self, selector, kind):
        """Red, green and blue as drawn."""
        shown = self.page.locator(selector).first.evaluate(f"e => getComputedStyle(e).{kind}")
        return [int(part) for part in shown[shown.index("(") + 1 : -1].split(",")[:3]]
