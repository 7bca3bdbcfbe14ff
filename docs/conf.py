"""Sphinx configuration."""

from importlib.metadata import version as _version

project = "Podium"
author = "the Podium developers"
project_copyright = "2026, the Podium developers"
version = release = _version("podium")
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx-mathjax-offline", "numpydoc", "myst_parser"]
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
html_theme = "alabaster"
html_theme_options = {"description": "Podium puts the right things on top.", "page_width": "1000px"}
html_static_path = ["_static"]
html_css_files = ["tables.css"]
exclude_patterns = ["_build"]
# the summary of an inherited method refers to a label of scikit-learn
suppress_warnings = ["ref.ref"]
