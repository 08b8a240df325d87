#!/usr/bin/env python3
"""Writes ilpatch-rules(5) and ilpatch-trace(1) from what the project has already.

    man/pages.py FOLDER ILPATCH

    ilpatch-rules   include/ilpatch/rules.def: elements, attributes, values and words; data/examples/: what each file is for;
                    man/ilpatch.1: the section that says how rules are evaluated
    ilpatch-trace   `ILPATCH trace --help`, and the section of man/ilpatch.1

Neither has a sentence of its own but for headings and what joins the parts.
"""
import pathlib
import re
import subprocess
import sys

from generate import ROOT, plain, prose, quoted, shown

TABLE = (ROOT / "include/ilpatch/rules.def").read_text()
OVERVIEW = (ROOT / "man/ilpatch.1").read_text()
STRING = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def head(name, section, purpose):
    date = re.search(r"^\.Dd .*", OVERVIEW, re.M)[0]
    return [date, f".Dt {name.upper()} {section}", ".Os", ".Sh NAME", f".Nm {name}", f".Nd {purpose}"]


def subsection(name):
    """The text of a subsection of ilpatch(1), as far as its list of options or its pointer to another page."""
    text = re.search(rf"^\.Ss {name}\n(.*?)^\.S[sh] ", OVERVIEW, re.M | re.S)[1]
    return re.split(r"^(?:\.Pp\n)?\.Xr ilpatch-|^\.Bl -tag", text, maxsplit=1, flags=re.M)[0].rstrip("\n").split("\n")


def tagged(rows):
    """A list of (term, lines)."""
    return [".Bl -tag -width Ds", *(line for term, lines in rows for line in [f".It {term}", *lines]), ".El"]


# ---- ilpatch-rules(5) ----

def sentence(text):
    text = text[0].upper() + text[1:]
    return prose([text if text.endswith(".") else text + "."])


def rows(macro, count):
    """The arguments of each row of a macro of rules.def, strings without their quotes."""
    cells = r",\s*".join([r'("(?:[^"\\]|\\.)*"|[A-Z_0-9]+)'] * count)
    return [tuple(cell.strip('"').replace('\\"', '"') for cell in found.groups())
            for found in re.finditer(rf"^{macro}\({cells}\)$", TABLE, re.M)]


def types():
    """What the head of rules.def says about the values of attributes."""
    part = re.search(r"^ \*     TYPE(.*?)^ \*/", TABLE, re.M | re.S)[1]
    found = re.findall(r"^(?: \*)? {2,}([A-Z][A-Z_ ]*?) {2,}(.*)$", part, re.M)
    return [(" , ".join(name.lower().replace("_", "-") for name in names.split()), text) for names, text in found]


def attribute(row):
    _, _, word, kind, words, text = row
    values = f"one of the words of {words.lower().replace('_', '-')}" if kind == "ONE" else \
        f"words of {words.lower().replace('_', '-')}" if kind == "SOME" else kind.lower().replace("_", "-")
    return f'Li {word} Ns = Ns Aq {quoted(values)}', sentence(text)


def elements(place):
    attributes = rows("ILP_RULE_ATTRIBUTE", 6)
    found = []
    for name, word, where, text in rows("ILP_RULE_ELEMENT", 4):
        if where == place:
            own = [attribute(row) for row in attributes if row[0] == name]
            found.append((f'Li <{word}>', sentence(text) + (tagged(own) if own else [])))
    return tagged(found)


def words():
    lines, known = [], rows("ILP_WORD", 4)
    for name in re.findall(r"^ILP_WORDS\((\w+)\)$", TABLE, re.M):
        lines += [f".Ss {name.lower().replace('_', '-')}",
                  *tagged((f"Li {word}", sentence(text)) for table, _, word, text in known if table == name)]
    return lines


def examples():
    """The first paragraph of the comment that each file begins with."""
    found = []
    for path in sorted((ROOT / "data/examples").glob("*.xml")):
        text = re.search(r"<!-- (.*?)(?:\n\s*\n|-->)", path.read_text(), re.S)[1]
        found.append((f"Pa {path.name}", prose([" ".join(text.split())])))
    return tagged(found)


def rules_page():
    return [*head("ilpatch-rules", 5, "which methods ilpatch inspects, and how"), ".Sh DESCRIPTION", *subsection("Rules"),
            ".Sh ELEMENTS", ".Ss The root", *elements("TOP"), ".Ss Rules", *elements("RULE"), ".Ss Groups of conditions", *elements("GROUP"),
            ".Ss Conditions", *elements("CONDITION"), ".Sh VALUES OF ATTRIBUTES", *tagged((f"Li {name}", sentence(text)) for name, text in types()),
            ".Sh WORDS", *words(), ".Sh EXAMPLES", "Files of", ".Pa share/doc/ilpatch/examples :", *examples(),
            ".Sh SEE ALSO", ".Xr ilpatch 1"]


# ---- ilpatch-trace(1) ----

def option(line):
    """`-o, --output OUT  text` as the term of a list, and its text."""
    column = 28 if line[27] == " " else line.index("  ", 8)  # tools/cmd/command_line.c: a long name has two spaces after it
    spelled, text = line[:column], line[column:].strip()
    terms = []
    for spelling in spelled.strip().split(", "):
        name, _, argument = spelling.partition(" ")
        name, optional, value = name.partition("[=")
        terms.append(f"Fl {name[1:]}" + (f" Ns Op = Ns Ar {value.rstrip(']')}" if optional else f" Ar {argument}" if argument else ""))
    return [" , ".join(terms), [text]]


def trace_page(command):
    text = subprocess.run([command, "trace", "--help"], check=True, capture_output=True, text=True).stdout
    before, rest = text.split("\n\n", 1)[1].split("\n\n      --", 1)
    listed, rest = ("      --" + rest).split("\n\n", 1)
    options = []
    for line in listed.split("\n"):
        if re.match(r" {2,6}-", line):
            options.append(option(line))
        else:
            options[-1][1].append(line.strip())
    parts = rest.strip("\n").split("\n\n")
    status = next(part for part in parts if part.startswith("The exit code"))
    samples = next(part for part in parts if part.startswith("  ilpatch "))
    formats = []
    for line in next(part for part in parts if part.startswith("  text ")).split("\n"):
        found = re.match(r"  (\S+) +(.*)", line)
        if line.startswith("   "):
            formats[-1][1].append(f"({line.strip()})")
        else:
            formats.append((found[1], [found[2]]))
    others = [part for part in parts if part not in (status, samples) and not part.startswith(("  text ", "Formats"))]
    return [*head("ilpatch-trace", 1, "record the calls of a .NET program"),
            ".Sh SYNOPSIS", ".Nm ilpatch trace", ".Op Ar option ...", ".Fl -", ".Ar PROGRAM", ".Op Ar ARGUMENT ...",
            ".Sh DESCRIPTION", *prose(before.split("\n")), *(line for part in others for line in [".Pp", *prose(part.split("\n"))]),
            ".Sh OPTIONS", *tagged((term, prose(lines)) for term, lines in options),
            ".Sh FORMATS", *tagged((f"Li {name}", prose(lines)) for name, lines in formats),
            ".Sh EXIT STATUS", *prose(status.split("\n")), ".Sh EXAMPLES", ".Bd -literal -offset indent",
            *(shown(line.strip()) for line in samples.split("\n")), ".Ed", ".Sh SEE ALSO", ".Xr ilpatch 1 ,", ".Xr ilpatch-rules 5"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("ilpatch-rules.5", rules_page()), ("ilpatch-trace.1", trace_page(sys.argv[2]))):
        (folder / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
