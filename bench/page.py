#!/usr/bin/env python3
"""Writes the tables of docs/BENCH.md and its plot, docs/bench.svg, from what bench/run.sh has measured.

    bench/page.py RESULTS [FOLDER]    FOLDER holds both files, docs by default

The text around the marks of BENCH.md is written by hand. A line of RESULTS is one of these, with tabs between words:

    setting NAME VALUE
    row     NAME BYTES off|moved METHODS METHODS BYTES BYTES TIMES TIMES TIMES TIMES WARM WARM WARM
    point   NAME BYTES TIMES TIMES TIMES

METHODS, and the BYTES that follow, are of ilpatch and of Cecil; TIMES of ilpatch, cp, Cecil, and reading; each is four words:
median, peak in KB, and the interval that the median is in. WARM has no cp.
"""
import html
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMES = ["median", "peak", "low", "high"]
PROGRAMS = ["ilpatch", "cp", "Cecil"]


def times(words):
    """The times of programs, one after the other, each as a dictionary."""
    return [dict(zip(TIMES, map(float, words[i:i + 4]))) for i in range(0, len(words), 4)]


def read(path):
    settings, rows, threads, points = {}, [], [], []
    for line in path.read_text().splitlines():
        kind, *words = line.split("\t")
        if kind == "setting":
            settings[words[0]] = words[1]
        elif kind == "row":
            rows.append({"name": words[0], "bytes": int(words[1]), "symbols": words[2], "methods": words[3:5],
                         "sizes": [int(size) for size in words[5:7]], "times": times(words[7:23]),
                         "warm": [None if word == "-" else float(word) for word in words[23:26]]})
        elif kind == "threads":
            threads.append({"name": words[0], "times": times(words[1:9])})
        elif kind == "point":
            points.append({"name": words[0], "bytes": int(words[1]), "times": times(words[2:14])})
        else:
            sys.exit(f"page.py: {path}: unknown line '{kind}'")
    return settings, rows, threads, points


# ---- the page ----


def number(value):
    """With three digits, or all before the point."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def interval(time):
    return f"{number(time['median'])} ({number(time['low'])} to {number(time['high'])})"


def ratio(over, under):
    return f"**{over / under:.1f}**" if over and under else ""


def table(head, lines):
    """The first column has words, the others numbers."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, *lines]).replace(
        "\n", "\n|---" + "|--:" * (len(head) - 1) + "|\n", 1)


def title(row):
    return row["name"] + (", symbols moved" if row["symbols"] == "moved" else "")


def whole(rows):
    head = ["ms", "ilpatch", "cp", "Cecil", "reading", "Cecil / ilpatch", "ilpatch / cp"]
    return table(head, [[title(row), *map(interval, row["times"]), ratio(row["times"][2]["median"], row["times"][0]["median"]),
                         ratio(row["times"][0]["median"], row["times"][1]["median"])] for row in rows])


def warm(rows):
    head = ["ms", "ilpatch", "Cecil", "reading", "Cecil / ilpatch"]
    return table(head, [[title(row), *map(number, row["warm"]), ratio(row["warm"][1], row["warm"][0])]
                        for row in rows if row["warm"][1]])


def memory(rows):
    head = ["MB", "ilpatch", "Cecil", "reading", "Cecil / ilpatch"]
    return table(head, [[title(row), *(number(row["times"][i]["peak"] / 1024) for i in (0, 2, 3)),
                         ratio(row["times"][2]["peak"], row["times"][0]["peak"])] for row in rows])


def two_threads(rows):
    head = ["", "one, ms", "two, ms", "one / two", "one, MB", "two, MB"]
    return table(head, [[row["name"], *map(interval, row["times"]), f"**{row['times'][0]['median'] / row['times'][1]['median']:.2f}**",
                         *(number(time["peak"] / 1024) for time in row["times"])] for row in rows])


def jobs(rows):
    head = ["", "file, MB", "methods, by ilpatch", "by Cecil", "output, MB, by ilpatch", "by Cecil"]
    return table(head, [[title(row), number(row["bytes"] / 1e6), *(f"{int(count):,}" for count in row["methods"]),
                         *(number(size / 1e6) for size in row["sizes"])] for row in rows])


def how(settings):
    return (f"Medians of {settings['rounds']} runs of each program in turn (warm: {settings['warm']}, plot: {settings['plot']}), after one that is not counted; in brackets the 95 % "
            f"interval of the median. {settings['processors']} processors, {settings['machine']}, Linux {settings['kernel']}, files on {settings['files']}, .NET {settings['runtime']}; "
            f"ilpatch compiled by {settings['compiler']}. The load average before the first run was {settings['load']}: above 0.3 other programs ran, too"
            + (", over which these runs had priority." if settings["priority"].startswith("-") else "."))


def lines_of(points):
    """What the straight lines of the plot are."""
    fits = [fit(points, i) for i in range(3)]
    return table(["", "at no bytes, ms", "ms for a MB"],
                 [[name, number(max(start, 0)), f"{slope:.2f}"] for name, (start, slope) in zip(PROGRAMS, fits)])


def fill(text, parts):
    """The text with each part between its marks."""
    for name, part in parts.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
            sys.exit(f"page.py: BENCH.md has no place for '{name}'")
        text = text[:text.index(begin)] + begin + part + "\n" + text[text.index(end):]
    return text


# ---- the plot ----

WIDTH, HEIGHT, GAP = 460, 330, 20
LEFT, RIGHT, TOP, BOTTOM = 56, 84, 34, 44
STYLE = """
svg { color-scheme: light dark }
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.ground { fill: #ffffff } .grid { stroke: #d8dee4 } .axis { stroke: #57606a }
.ilpatch { --c: #0550ae } .cp { --c: #57606a } .Cecil { --c: #bc4c00 }
line.fit { stroke: var(--c); stroke-width: 1.5 } text.name { fill: var(--c); font-weight: 600 }
circle { stroke: var(--c); fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .ground { fill: #0d1117 } .grid { stroke: #30363d } .axis { stroke: #8b949e }
  .ilpatch { --c: #6cb6ff } .cp { --c: #adbac7 } .Cecil { --c: #f69d50 }
}
"""


def fit(points, program):
    """A straight line, (start, slope) in ms and ms for a MB: the median of the slopes between any two points, so that a few slow runs
    do not turn it."""
    at = [(point["bytes"] / 1e6, point["times"][program]["median"]) for point in points]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(at) for b in at[i + 1:] if b[0] - a[0] > 0.5]
    slope = statistics.median(slopes) if slopes else 0.0
    return statistics.median(y - slope * x for x, y in at), slope


def ticks(most):
    """Round numbers from 0 to the first one that is not below most, four to eight of them."""
    step = 10 ** math.floor(math.log10(most / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (step * factor) <= 7)
    return [step * i for i in range(math.ceil(most / step) + 1)]


def panel(points, programs, left, text):
    """One plot of some programs, its left edge at left."""
    across = ticks(max(point["bytes"] for point in points) / 1e6)
    up = ticks(max(point["times"][i]["median"] for point in points for i in programs))
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(value):
        return round(left + LEFT + value / across[-1] * wide, 1)

    def y(value):
        return round(TOP + high - value / up[-1] * high, 1)

    out = [f'<text class="title" x="{left + LEFT}" y="18">{html.escape(text)}</text>']
    for tick in up:
        out.append(f'<line class="{"grid" if tick else "axis"}" x1="{x(0)}" y1="{y(tick)}" x2="{x(across[-1])}" y2="{y(tick)}"/>')
        out.append(f'<text x="{x(0) - 6}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    for tick in across:
        out.append(f'<text x="{x(tick)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:g}</text>')
    out.append(f'<text x="{x(across[-1] / 2)}" y="{HEIGHT - 8}" text-anchor="middle">MB of the assembly</text>')
    names = []
    for i in programs:
        start, slope = fit(points, i)
        name, end = PROGRAMS[i], start + slope * across[-1]
        to = across[-1] if end <= up[-1] else (up[-1] - start) / slope
        out.append(f'<g class="{name}"><line class="fit" x1="{x(0)}" y1="{y(max(start, 0))}" x2="{x(to)}" y2="{y(start + slope * to)}"/>')
        for point in points:
            median = point["times"][i]["median"]
            out.append(f'<circle cx="{x(point["bytes"] / 1e6)}" cy="{y(median)}" r="3">'
                       f'<title>{html.escape(point["name"])}: {number(point["bytes"] / 1e6)} MB, {name} {number(median)} ms</title></circle>')
        out.append("</g>")
        names.append((y(start + slope * to), name))
    # Names at the ends of lines, moved apart where lines end close together.
    below = -math.inf
    for end, name in sorted(names):
        below = max(end + 4, below + 15)
        out.append(f'<g class="{name}"><text class="name" x="{x(across[-1]) + 8}" y="{below}">{name}</text></g>')
    return out


def plot(points):
    width = 2 * WIDTH + GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" role="img">',
           "<title>Time of a whole process against the size of the assembly</title>", f"<style>{STYLE}</style>",
           f'<rect class="ground" width="{width}" height="{HEIGHT}"/>',
           *panel(points, [0, 1, 2], 0, "ms: ilpatch, cp, Cecil"), *panel(points, [0, 1], WIDTH + GAP, "ms: ilpatch, cp, of the same runs"), "</svg>"]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs"
    settings, rows, threads, points = read(pathlib.Path(sys.argv[1]))
    if not rows or len(points) < 2:
        sys.exit(f"page.py: {sys.argv[1]}: too little was measured for a page")
    page = folder / "BENCH.md"
    page.write_text(fill(page.read_text(), {"how": how(settings), "jobs": jobs(rows), "whole": whole(rows), "warm": warm(rows),
                                            "memory": memory(rows), "threads": two_threads(threads), "lines": lines_of(points)}))
    (folder / "bench.svg").write_text(plot(points))


main()
