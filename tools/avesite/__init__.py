"""The site's generator: pages made from the source, beside those that are written in docs/. mkdocs.yml names `hooks.py`."""
