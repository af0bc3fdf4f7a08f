"""Sphinx with MyST: the folder dist of the package stands as files/bagscope."""

project = "What a network saw"
extensions = ["myst_parser"]
html_theme = "furo"
html_extra_path = ["files"]
html_js_files = [("../bagscope/element.js", {"type": "module"})]
html_css_files = ["../scheme.css"]
