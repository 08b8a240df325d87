#!/usr/bin/env python3
"""Draws the first console block of README.md as a terminal: docs/terminal.svg.

    site/picture.py            writes the picture
    site/picture.py --check    fails if the committed picture is another one

tests/docs/consoles.sh types that block and compares what it prints, so the picture shows real output, too.
"""
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/terminal.svg"
LINE, TOP, LEFT, ADVANCE = 18, 44, 16, 7.83  # pixels; ADVANCE: a character of the usual monospace fonts
STYLE = """\
.ground { fill: #0d1117; stroke: #30363d } .bar { fill: #161b22 }
text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre }
.typed { fill: #ffffff; font-weight: 600 } .name { fill: #79c0ff } .value { fill: #7ee787 } .type { fill: #8b949e }"""
VALUE = re.compile(r"(?P<name>[\w.]+::\w+) -> (?P<value>.*?)(?: (?P<type>\([\w.]+\)))?")


def first_console():
    return re.search(r"^```console\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)[1].splitlines()


def span(kind, text):
    return f'<tspan class="{kind}">{html.escape(text)}</tspan>'


def drawn(line):
    """A line of the terminal: what is typed, the inspector's, or the program's own."""
    if line.startswith("$ "):
        return span("typed", line)
    found = VALUE.fullmatch(line)
    if not found:
        return html.escape(line)
    shown = span("name", found["name"]) + " -&gt; " + span("value", found["value"])
    return shown + (" " + span("type", found["type"]) if found["type"] else "")


def picture():
    lines = first_console()
    width = round(2 * LEFT + ADVANCE * max(map(len, lines)))
    height = TOP + LINE * len(lines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
           "<title>A terminal: a program is patched, shows the values that its methods return, and is restored</title>",
           f"<style>\n{STYLE}\n</style>",
           f'<rect class="ground" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
           f'<rect class="bar" x="1" y="1" width="{width - 2}" height="24" rx="8"/>',
           *(f'<circle cx="{16 + 18 * at}" cy="13" r="5" fill="{color}"/>' for at, color in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")))]
    out += [f'<text x="{LEFT}" y="{TOP + LINE * at}">{drawn(line)}</text>' for at, line in enumerate(lines)]
    return "\n".join(out + ["</svg>", ""])


def main():
    if sys.argv[1:] == ["--check"]:
        if PICTURE.read_text() != picture():
            sys.exit("docs/terminal.svg is not what site/picture.py draws: run site/picture.py")
    elif len(sys.argv) == 1:
        PICTURE.write_text(picture())
    else:
        sys.exit(__doc__)


main()
