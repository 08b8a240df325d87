#!/usr/bin/env python3
"""Prints each source file with the first sentence of its head, folder by folder (make map).  --check: holds docs/ARCHITECTURE.md against
the sources. Each folder has a row there, each file that it names exists, and each source has a head."""
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = ["include", "src", "elt", "host", "profiler", "tools"]
ENDS = (".c", ".h", ".def", ".S")
PAGE = "docs/ARCHITECTURE.md"


def sources():
    for folder in FOLDERS:
        for where, folders, names in os.walk(folder):
            folders.sort()
            yield where, sorted(name for name in names if name.endswith(ENDS))


def first_sentence(path):
    """Of the comment that the file begins with; None: it begins with none."""
    head = re.match(r"/\*(.*?)\*/", open(path).read(), re.S)
    if not head:
        return None
    text = re.split(r"\n \*\n", head.group(1))[0]
    text = " ".join(line.strip().lstrip("*").strip() for line in text.splitlines()).strip()
    return re.split(r"(?<=\.)\s", text)[0]


def mistakes():
    page = open(PAGE).read()
    known = {path for where, names in sources() for name in names for path in (name, os.path.join(where, name))}
    known |= {"/".join(path.split("/")[n:]) for path in known for n in range(1, 4)}
    rows = set(re.findall(r"`((?:%s)/[a-z/]*)`" % "|".join(FOLDERS), page))
    for where, names in sources():
        if names and not any((where + "/").startswith(row) for row in rows):
            yield f"{PAGE} has no row for {where}/"
        for name in names:
            if not first_sentence(os.path.join(where, name)):
                yield f"{where}/{name} has no head"
    elsewhere = {name for _, _, names in os.walk("ports") for name in names}
    for name in re.findall(r"`([a-zA-Z_0-9/]+\.(?:c|h|def|S))`", page):
        if name not in known and os.path.basename(name) not in elsewhere and not os.path.exists(name) and name[:2] != "X.":
            yield f"{PAGE} names {name}, which does not exist"


if sys.argv[1:] == ["--check"]:
    found = list(mistakes())
    print("\n".join(found))
    sys.exit(bool(found))
for where, names in sources():
    if names:
        print(f"{where}/")
    for name in names:
        print(f"    {name:28} {first_sentence(os.path.join(where, name))}")
