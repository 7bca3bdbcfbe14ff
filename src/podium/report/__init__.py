"""One self-contained HTML page on how well a list is ranked; needs jinja2, the extra ``report``.

Pictures are SVG drawn in Python, not by a plotting script in the page: they take kilobytes instead of megabytes, print
sharply, follow the reader's light or dark setting and need no JavaScript. A few lines of script move a slider and look
up numbers.
"""

from typing import TYPE_CHECKING

from podium import _optional

if TYPE_CHECKING or _optional.is_installed("jinja2"):
    from podium.report.page import Report, build
else:
    __getattr__ = _optional.refusal(__name__, "jinja2")

__all__ = ["Report", "build"]
