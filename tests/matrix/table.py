#!/usr/bin/env python3
"""What tests/matrix/table.txt says.

table.py cells [VERSION]   one cell per line: ENTRY INSPECTOR PROGRAM works, ... without-lines, or ... refused CODE MESSAGE
table.py support           docs/SUPPORT.md's tables

VERSION is that of the runtime, if it is not the one that is installed: lines that begin with `on` are for it.

The cells are a fixed set: every pair of an entry point, an inspector and a program is in a cell that works, if there is one
for it, else in one that is refused; and every line of the table but `absent` has a cell, if any is left for it. Which third member a pair gets is decided by how many new pairs that brings, and by the order
in the table where that is the same, so that equal tables give equal cells.
"""
import itertools
import os
import shlex
import sys


class Table:
    AXES = ("entry", "inspector", "program")
    VARIANTS = ("without-lines",)  # of what works

    def __init__(self, path, version=None):
        self.words = {axis: {} for axis in self.AXES}
        self.rows = []  # (members per axis, kind, code, message, reason), in order
        self.more = {}  # of a name: its expected file, or its form
        for line in open(path, encoding="utf-8"):
            kind, _, rest = line.strip().partition(" ")
            if kind == "on":
                versions, rest = rest.split(None, 1)
                if not version or not any(one == "*" or f"{version}.".startswith(f"{one}.") for one in versions.split(",")):
                    continue
                kind, _, rest = rest.partition(" ")
            if kind == "entry":
                name, words = rest.split(None, 1)
                self.words[kind][name] = words
            elif kind in ("inspector", "program"):
                name, more, words = rest.split(None, 2)
                self.words[kind][name] = words
                self.more[name] = more
            elif kind == "absent" or kind in self.VARIANTS:
                *members, reason = rest.split(None, 3)
                self.rows.append((self.members(members), kind, 0, "", reason))
            elif kind == "refused":
                *members, code, tail = rest.split(None, 4)
                lexer = shlex.shlex(tail, posix=True)
                lexer.whitespace_split, lexer.quotes, lexer.escape = True, '"', ""
                message = lexer.get_token()
                reason = tail[tail.index('"', 1) + 1:].strip()
                self.rows.append((self.members(members), kind, int(code), message, reason))
            elif kind and not kind.startswith("#"):
                sys.exit(f"{path}: what is '{kind}'?")

    def members(self, lists):
        found = []
        for axis, names in zip(self.AXES, lists):
            names = self.words[axis].keys() if names == "*" else names.split(",")
            for name in names:
                if name not in self.words[axis]:
                    sys.exit(f"table.txt: no {axis} '{name}'")
            found.append(set(names))
        return found

    def outcome(self, cell):
        for row in self.rows:
            if all(name in members for name, members in zip(cell, row[0])):
                return row
        return None

    def works(self, cell):
        row = self.outcome(cell)
        return row is None or row[1] in self.VARIANTS

    def cells(self):
        """A greedy cover of all pairs."""
        present = [cell for cell in itertools.product(*(self.words[axis] for axis in self.AXES))
                   if (self.outcome(cell) or (0, ""))[1] != "absent"]
        chosen, covered = [], set()
        for cells in ([c for c in present if self.works(c)], [c for c in present if not self.works(c)]):
            open_pairs = set().union(*(pairs(cell) for cell in cells)) - covered if cells else set()
            while open_pairs:
                best = max(cells, key=lambda cell: len(pairs(cell) & open_pairs))
                chosen.append(best)
                open_pairs -= pairs(best)
                covered |= pairs(best)
        tried = {id(self.outcome(cell)) for cell in chosen}
        for row in self.rows:
            if row[1] != "absent" and id(row) not in tried:
                chosen.extend([cell for cell in present if self.outcome(cell) is row][:1])
        return sorted(chosen, key=lambda cell: (list(self.words["program"]).index(cell[2]), chosen.index(cell)))


def pairs(cell):
    return {((i, cell[i]), (k, cell[k])) for i, k in ((0, 1), (0, 2), (1, 2))}


def print_cells(table):
    for cell in table.cells():
        row = table.outcome(cell)
        print(*cell, "works" if row is None else row[1], *([row[2], row[3]] if row and row[1] == "refused" else []))


def pair_table(table, across, down):
    """Which pairs work; a number leads to the reason why one does not, whatever the third member is."""
    third = 3 - across - down
    axes = [list(table.words[axis]) for axis in table.AXES]
    reasons = []
    lines = ["| | " + " | ".join(axes[across]) + " |", "|---|" + "---|" * len(axes[across])]
    for name in axes[down]:
        marks = []
        for other in axes[across]:
            rows = []
            for more in axes[third]:
                cell = [None] * 3
                cell[across], cell[down], cell[third] = other, name, more
                rows.append(table.outcome(cell))
            present = [row for row in rows if row is None or row[1] != "absent"]
            if not present:
                marks.append("–")
            elif None in present:
                marks.append("yes")
            else:
                worst = min(present, key=lambda row: row[1] not in table.VARIANTS)
                reason = worst[4]
                if reason not in reasons:
                    reasons.append(reason)
                answer = "yes" if worst[1] in table.VARIANTS else "no"
                marks.append(f"{answer} ({reasons.index(reason) + 1})")
        lines.append(f"| {name} | " + " | ".join(marks) + " |")
    return lines + [""] + [f"{i}. {reason}" for i, reason in enumerate(reasons, 1)] + ([""] if reasons else [])


def print_support(table):
    for axis, title in zip(table.AXES, ("Entry points", "Inspectors", "Programs")):
        print(f"| {title.lower()[:-1]} | |\n|---|---|")
        for name, words in table.words[axis].items():
            print(f"| {name} | {words} |")
        print()
    for title, across, down in (("Inspectors by entry point", 0, 1), ("Programs by entry point", 0, 2),
                                ("Programs by inspector", 1, 2)):
        print(f"### {title}\n")
        print("\n".join(pair_table(table, across, down)))
    print("### What is refused\n")
    print("| entry points | inspectors | programs | exit code | why |\n|---|---|---|---|---|")
    for members, kind, code, _, reason in table.rows:
        if kind == "refused":
            names = [", ".join(n for n in table.words[axis] if n in chosen) if len(chosen) < len(table.words[axis]) else "all"
                     for axis, chosen in zip(table.AXES, members)]
            print("| " + " | ".join(names) + f" | {code} | {reason} |")


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.txt")
    if sys.argv[1:] == ["support"]:
        print_support(Table(path))
    elif sys.argv[1:2] == ["cells"] and len(sys.argv) <= 3:
        print_cells(Table(path, *sys.argv[2:]))
    else:
        sys.exit(__doc__)


main()
