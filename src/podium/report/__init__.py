"""One self-contained HTML page on how well a list is ranked; needs jinja2, the extra ``report``.

Pictures are SVG drawn in Python, not by a plotting script in the page: they take kilobytes instead of megabytes, print
sharply, follow the reader's light or dark setting and need no JavaScript. A few lines of script move a slider and look
up numbers.
"""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use

if TYPE_CHECKING:
    from podium.report.page import Report, build
else:
    load_on_first_use(__name__, "jinja2")

__all__ = ["Report", "build"]
