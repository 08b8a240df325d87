#!/usr/bin/env python3
"""Writes the documents as a static site, which needs neither a server nor a network.

    site/build.py FOLDER

Pages are those of contents.txt and the documents that they link to, converted by cmark-gfm (Debian: cmark-gfm). Other files that
they link to are copied. Each page has the table of contents and the search (search.js, over index.js, which is written here).
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "site"
PAGE = """\
<!DOCTYPE html>
<html lang="en" data-root="{root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - ilpatch</title>
<link rel="stylesheet" href="{root}style.css">
</head>
<body>
<nav>
<input id="search" type="search" placeholder="Search" aria-label="Search">
<div id="results"></div>
{contents}
</nav>
<main>
{body}
</main>
<script src="{root}search.js"></script>
</body>
</html>
"""


def address(source):
    """Where a document, a path below the root, is in the site."""
    return "index.html" if source == "README.md" else re.sub(r"\.md$", ".html", source)


def slug(title, taken):
    """The anchor of a heading, as it is made where the documents are read on the web."""
    name = re.sub(r"[^\w-]", "", html.unescape(title).lower().replace(" ", "-"))
    count = taken.get(name, 0)
    taken[name] = count + 1
    return f"{name}-{count}" if count else name


def text_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


class Page:
    def __init__(self, source):
        self.source, self.address = source, address(source)
        body = subprocess.run(["cmark-gfm", "-e", "table", str(ROOT / source)], check=True, capture_output=True, text=True).stdout
        body = re.sub(r"<!-- raw HTML omitted -->\n?", "", body)
        taken = {}
        self.body = re.sub(r"<h([1-6])>(.*?)</h\1>", lambda found: f'<h{found[1]} id="{slug(re.sub("<[^>]*>", "", found[2]), taken)}">{found[2]}</h{found[1]}>',
                           body, flags=re.S)
        self.body = self.body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        self.title = text_of(re.search(r"<h1[^>]*>(.*?)</h1>", self.body, re.S)[1])

    def links(self):
        """(whole attribute, path below the root or None, anchor with its #) of each that is relative."""
        for whole, link in re.findall(r'((?:href|src)="([^"]*)")', self.body):
            if not re.match(r"[a-z]+:", link):
                path, mark, anchor = html.unescape(link).partition("#")
                yield whole, os.path.normpath(os.path.join(os.path.dirname(self.source), path)) if path else self.source, mark + anchor

    def sections(self):
        """[address, page, title, text] of each heading, for the search."""
        parts = re.split(r'<h[1-6] id="([^"]*)">(.*?)</h[1-6]>', self.body, flags=re.S)
        return [[f"{self.address}#{anchor}", self.title, text_of(title), text_of(text)]
                for anchor, title, text in zip(parts[1::3], parts[2::3], parts[3::3])]


def read_contents():
    """[(group, [(source, title or None)])]"""
    groups = []
    for line in (HERE / "contents.txt").read_text().splitlines():
        if line.startswith("\t"):
            source, _, title = line[1:].partition("\t")
            groups[-1][1].append((source, title or None))
        elif line and not line.startswith("#"):
            groups.append((line, []))
    listed = {source for _, pages in groups for source, _ in pages}
    missing = sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md") if f"docs/{path.name}" not in listed)
    if missing:
        sys.exit(f"site/contents.txt has no {', '.join(missing)}")
    return groups


def read_pages(groups):
    """{source: Page}: those of the contents, and the documents that they link to."""
    pages, waiting = {}, [source for _, listed in groups for source, _ in listed]
    while waiting:
        source = waiting.pop()
        if source not in pages:
            pages[source] = Page(source)
            waiting += [path for _, path, _ in pages[source].links() if path.endswith(".md") and (ROOT / path).is_file()]
    return pages


def contents(groups, pages, current):
    lines = []
    for group, listed in groups:
        lines += [f"<h2>{html.escape(group)}</h2>", "<ul>"]
        for source, title in listed:
            here = ' aria-current="page"' if source == current.source else ""
            link = os.path.relpath(pages[source].address, os.path.dirname(current.address) or ".")
            lines.append(f'<li><a href="{link}"{here}>{html.escape(title or pages[source].title)}</a></li>')
        lines.append("</ul>")
    return "\n".join(lines)


def with_links(page, pages, files):
    """The body with links that fit the site. What is no document is copied as text; a folder has no page, so its link goes."""
    body = page.body
    for whole, path, anchor in set(page.links()):
        if path in pages:
            there = pages[path].address
        elif (ROOT / path).is_file():
            there = path if path.endswith((".svg", ".html", ".css")) else f"files/{path}.txt"
            files[path], anchor = there, ""
        else:
            body = re.sub(rf"<a {re.escape(whole)}>(.*?)</a>", r"\1", body, flags=re.S)
            continue
        link = os.path.relpath(there, os.path.dirname(page.address) or ".")
        body = body.replace(whole, f'{whole.split("=")[0]}="{html.escape(link + anchor)}"')
    return body


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    groups = read_contents()
    pages, files = read_pages(groups), {}
    for page in pages.values():
        target = out / page.address
        target.parent.mkdir(parents=True, exist_ok=True)
        root = "../" * page.address.count("/")
        target.write_text(PAGE.format(root=root, title=html.escape(page.title), contents=contents(groups, pages, page),
                                      body=with_links(page, pages, files)))
    for source, target in files.items():
        (out / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, out / target)
    for name in ("style.css", "search.js"):
        shutil.copyfile(HERE / name, out / name)
    sections = [section for _, page in sorted(pages.items()) for section in page.sections()]
    (out / "index.js").write_text("window.SECTIONS = " + json.dumps(sections, ensure_ascii=False, separators=(",", ":")) + ";\n")
    print(f"{out}/index.html: {len(pages)} pages, {len(sections)} sections")


main()
