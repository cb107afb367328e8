"""Checks that a report is one self-contained file with its data in it."""

import html.parser
import json
import re
import sys

LOADING = {"src", "href", "srcset", "data", "poster", "action"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.current = None
        self.blocks = {}
        self.policy = ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in LOADING & attributes.keys():
            raise AssertionError(f"<{tag} {name}={attributes[name]}> loads")
        assert tag not in ("link", "iframe", "base", "object", "embed"), tag
        if tag == "meta" and attributes.get("http-equiv"):
            self.policy = attributes["content"]
        self.current = None
        if tag in ("script", "style"):
            self.current = attributes.get("id", f"{tag}{len(self.blocks)}")
            self.blocks[self.current] = ""

    def handle_data(self, data):
        if self.current:
            self.blocks[self.current] += data

    def handle_endtag(self, tag):
        self.current = None


page = Page()
with open(sys.argv[1], encoding="utf-8") as file:
    page.feed(file.read())
# The browser itself then refuses every request.
assert "default-src 'none'" in page.policy, "no content security policy"
styles = [text for name, text in page.blocks.items() if name.startswith("style")]
assert styles and not re.search(r"@import|url\(", "".join(styles))
records = json.loads(page.blocks["data"])
assert len(records) == int(sys.argv[2]), f"{len(records)} records"
assert any("Plotly" in text and len(text) > 1_000_000
           for text in page.blocks.values()), "plotly is not embedded"
assert not any("TANDEM_" in text for text in page.blocks.values())
