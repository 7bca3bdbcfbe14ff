"""One self-contained HTML page on how well a list is ranked; needs jinja2, the extra ``report``.

Pictures are SVG drawn in Python, not by a plotting script in the page: they weigh kilobytes instead of megabytes, are
sharp on paper, follow the reader's light or dark setting and are there without JavaScript. The few lines of script move
a slider and look numbers up.
"""

try:
    import jinja2 as _jinja2  # noqa: F401
except ImportError as error:
    raise ImportError(
        "podium.report needs jinja2, which is not installed.\nHint: pip install 'podium[report]'"
    ) from error

from podium.report.page import Report, build

__all__ = ["Report", "build"]
