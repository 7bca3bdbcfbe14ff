"""Sphinx configuration."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

from podium import __version__

sys.path.insert(0, str(Path(__file__).parent))
import line_breaks
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
templates_path = ["_templates"]
autosummary_generate = True
default_role = "py:obj"  # a name in single backticks is a link where there is such a page, else code
smartquotes_action = "qe"  # two hyphens are those of an option
numpydoc_show_class_members = False
autodoc_default_options = {
    "members": True,
    # what every scikit-learn estimator inherits, with references into its own documentation; and the fields of a
    # named tuple, which the docstring describes
    "exclude-members": "set_fit_request, set_score_request, get_metadata_routing, low, high",
}
autodoc_mock_imports = ["torch"]  # large, and not needed to read docstrings
autodoc_typehints = "none"
autodoc_preserve_defaults = True  # as they are written, not what they become
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
    app.connect("html-page-context", _break_lines_well)
    app.connect("doctree-read", _keep_numbers_whole)
    app.connect("doctree-read", _take_no_metric_for_an_address)
    app.connect("autodoc-skip-member", _skip_inner)
    app.connect("build-finished", _refuse_faults)


def _short_side(app, pagename, templatename, context, doctree):
    tree = context.get("toctree")
    if tree is not None:
        context["toctree"] = lambda **options: tree(**{**options, "maxdepth": 2, "collapse": True})


def _skip_inner(app, what, name, obj, skip, options):
    """Methods that a counted list shares with the passes over chunks are theirs, not the reader's."""
    return True if getattr(obj, "__qualname__", "").startswith("Groups.") else None


def _keep_numbers_whole(app, doctree):
    line_breaks.keep_numbers_whole(doctree)


def _take_no_metric_for_an_address(app, doctree):
    """What is recall@100 to us is a place to send mail to for docutils."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def _break_lines_well(app, pagename, templatename, context, doctree):
    if body := context.get("body"):
        context["body"] = line_breaks.at_joints(body)


def _refuse_faults(app, exception):
    if exception is None and app.builder.name == "html" and (found := site_checks.faults(Path(app.outdir))):
        raise ExtensionError("The pages were built, but:\n" + "\n".join(found))
