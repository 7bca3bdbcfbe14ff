"""Sphinx configuration."""

import sys
from pathlib import Path

from sphinx.errors import ExtensionError

from podium import __version__

sys.path.insert(0, str(Path(__file__).parent))
import site_checks

project = "Podium"
author = "The Podium developers"
project_copyright = "2026, the Podium developers"
version = release = __version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx.ext.doctest",  # for what pages set up out of sight; the tests run their code
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_heading_anchors = 3  # the page on reproduction refers to its sections
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_default_options = {
    "members": True,
    "show-inheritance": True,
    # what every scikit-learn estimator inherits, with references into its own documentation
    "exclude-members": "set_fit_request, set_score_request, score, get_metadata_routing",
}
autodoc_mock_imports = ["torch"]  # large, and not needed to read docstrings
autodoc_typehints = "none"
suppress_warnings = [
    "ref.ref",
    "ref.term",
]  # methods inherited from scikit-learn refer to its own glossary
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\w+\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 3600,  # seconds say nothing about another machine
    "write_computation_times": False,
    "within_subsection_order": "gallery_order.Order",
    "capture_repr": (),  # pictures and what is printed
    "abort_on_example_error": True,
    "remove_config_comments": True,
}
html_theme = "furo"
html_title = f"Podium {version}"
html_copy_source = html_show_sourcelink = False
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]
html_css_files = ["site.css"]
exclude_patterns = ["_build"]


def setup(app):
    """The side lists pages and their parts, not the hundreds of names of the API; what was built is checked."""
    app.connect("html-page-context", _short_side, priority=400)  # before the theme asks for the tree
    app.connect("build-finished", _refuse_faults)


def _short_side(app, pagename, templatename, context, doctree):
    tree = context.get("toctree")
    if tree is not None:
        context["toctree"] = lambda **options: tree(**{**options, "maxdepth": 2, "collapse": True})


def _refuse_faults(app, exception):
    if exception is None and app.builder.name == "html" and (found := site_checks.faults(Path(app.outdir))):
        raise ExtensionError("The pages were built, but:\n" + "\n".join(found))
