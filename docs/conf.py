"""The book: Sphinx on the pages that docs/book.py lays out."""

import os
import sys

ROOT = os.environ["EIG_ROOT"]
sys.path.insert(0, os.path.join(ROOT, "bindings/python"))

project = "eigpack"
author = "The eigpack authors"
copyright = "2026, The eigpack authors" + ("" if os.environ["EIG_REPOSITORY"] else ". Paths such as include/eigpack.hpp are in the repository, which has no public address yet")
release = version = os.environ["EIG_VERSION"]

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
exclude_patterns = ["gallery/*"]
autodoc_mock_imports = ["eigpack._core"]
numpydoc_show_class_members = False
c_maximum_signature_line_length = python_maximum_signature_line_length = 90  # longer ones: an argument a line
smartquotes = False
nitpicky = False
suppress_warnings = ["myst.header"]  # pages that begin below a heading of the first level

html_theme = "furo"
html_title = f"eigpack {version}"
html_baseurl = os.environ["EIG_HOME"]
html_static_path = ["static"]
html_css_files = ["folded.css"]
html_theme_options = {"footer_icons": [], "navigation_with_keys": True}
html_show_sphinx = False
