#!/usr/bin/env python3
"""Checks the site that build.py wrote: links, anchors and resources exist in it, and none is loaded from the network.

    site/check.py FOLDER
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADED = {("script", "src"), ("img", "src"), ("link", "href")}


class Reader(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.append((value, (tag, name) in LOADED))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Reader(path) for path in sorted(folder.rglob("*.html"))}
    wrong, count = [], 0
    for path, page in pages.items():
        for link, loaded in page.links:
            count += 1
            if re.match(r"[a-z]+:", link):
                if loaded:
                    wrong.append(f"{path.relative_to(folder)}: loads {link}")
                continue
            target, _, anchor = link.partition("#")
            there = (path.parent / urllib.parse.unquote(target)).resolve() if target else path
            if not there.is_file() or folder not in there.parents:
                wrong.append(f"{path.relative_to(folder)}: {link} does not exist")
            elif anchor and (there not in pages or urllib.parse.unquote(anchor) not in pages[there].ids):
                wrong.append(f"{path.relative_to(folder)}: {link} has no such anchor")
    print("\n".join(wrong + [f"{len(pages)} pages, {count} links, {len(wrong)} wrong"]))
    sys.exit(bool(wrong) or not pages)


main()
