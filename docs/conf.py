"""Sphinx configuration."""

from podium import __version__

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
    "sphinx_design",
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
suppress_warnings = ["ref.ref", "ref.term"]  # methods inherited from scikit-learn refer to its own glossary
html_theme = "furo"
html_title = f"Podium {version}"
html_copy_source = html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
exclude_patterns = ["_build"]


def setup(app):
    """The side of every page lists pages and their parts, not the hundreds of names of the API."""
    app.connect("html-page-context", _short_side, priority=400)  # before the theme asks for the tree


def _short_side(app, pagename, templatename, context, doctree):
    tree = context.get("toctree")
    if tree is not None:
        context["toctree"] = lambda **options: tree(**{**options, "maxdepth": 2, "collapse": True})
