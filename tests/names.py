#!/usr/bin/env python3
"""No two structs, unions or enums with one tag, and no two enumerators with one name, in all of the C sources: whoever looks for
a name (grep, ctags, a debugger's `ptype`) finds one thing. Sources are read as the compiler's preprocessor leaves them, so
enumerators that expand from .def files count too. A header counts once, a name of one's own in two .c files twice."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = ("src", "elt", "host", "profiler", "tools")
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Iinclude", "-Isrc", "-I.", "-I/usr/include/libxml2"]
MARKER = re.compile(r'# (\d+) "([^"]*)"')
TOKEN = re.compile(r'[A-Za-z_]\w*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[^\s\w]')


def sources():
    for folder in FOLDERS:
        for where, _, names in sorted(os.walk(folder)):
            yield from (os.path.join(where, name) for name in sorted(names) if name.endswith(".c"))


def preprocessed(path):
    run = subprocess.run(["cc", *FLAGS, "-E", path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"names: {run.stderr}")
    return run.stdout


def tokens(text):
    """The tokens of our own files, each with its place."""
    path, number, own = "", 0, False
    for line in text.splitlines():
        marker = MARKER.match(line)
        if marker:
            path, number = os.path.normpath(marker.group(2)), int(marker.group(1))
            own = not path.startswith(("/", "<"))
            continue
        if own:
            yield from ((token, f"{path}:{number}") for token in TOKEN.findall(line))
        number += 1


def names(text):
    """(name, place) of every tag that is defined, and of every enumerator."""
    before = [("", ""), ("", "")]
    depth = 0  # of brackets within an enum's body; 0: in no such body
    for token, place in tokens(text):
        if depth != 0:
            if depth == 1 and before[1][0] in ("{", ",") and token != "}":
                yield token, place
            depth += (token in "{(") - (token in ")}")
        elif token == "{":
            if before[0][0] in ("struct", "union", "enum"):
                yield before[1]
            kinds = (before[0][0], before[1][0])
            depth = 1 if "enum" in kinds else 0
        before = [before[1], (token, place)]


def main():
    places = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(preprocessed, sources()):
            for name, place in names(text):
                places.setdefault(name, set()).add(place)
    bad = [f"{name}: {', '.join(sorted(where))}" for name, where in sorted(places.items()) if len(where) > 1]
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
