#!/usr/bin/env python3
"""Writes Known.cs, the types that the stock inspector shows otherwise than by their fields, from src/values/known.def.

    data/inspector/known.py            writes it
    data/inspector/known.py --check    fails if it is another one

Each kind of known.def is a case in Shapes.cs, or in the list below.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DEF = HERE.parent.parent / "src/values/known.def"

# Kinds that Shapes.cs does not look up by name.
WITHOUT_CASE = {
    "TUPLE": "by the beginning of its name, in C as well",
    "SPAN": "cannot be boxed",
    "SLOT_TABLE": "as TABLE", "OLD_CANCELLATION": "as CANCELLATION",
    "OPAQUE": "as all other classes of the core library",
    "DELEGATE": "by its base class", "TYPE": "by its base class",
    "VERSION": "by typeof", "BUILDER": "by typeof",
    "DATE_ONLY": "by its own ToString()", "TIME_ONLY": "the same", "DATE_TIME_OFFSET": "the same", "RUNE": "the same",
    "WIDE_SIGNED": "the same", "WIDE_UNSIGNED": "the same", "HALF": "the same",
}

HEAD = """\
// Written by known.py from src/values/known.def: the types that are not shown by their fields.

namespace MyProfiler
{
    static class Known
    {
        // A block for each namespace: its name, and a line for each type: the kind, and the fields that are read; after a | the
        // same for an older form of the type.
        internal static string Table()
        {
            return "\\n"
"""
TAIL = """\
                + "\\n";
        }
    }
}
"""


def read_rows():
    """By namespace and name the forms of each type that Shapes.cs looks up; and the kinds without a case."""
    text = DEF.read_text()
    cases = set(re.findall(r'case "([A-Z_]+)":', (HERE / "Shapes.cs").read_text()))
    kinds = re.findall(r"^KNOWN_KIND\((\w+),", text, re.M)
    wrong = [kind for kind in kinds if (kind in cases) == (kind in WITHOUT_CASE)]
    wrong += sorted((cases | set(WITHOUT_CASE)) - set(kinds))
    forms = {}
    for name_space, name, kind, fields in re.findall(r'^KNOWN\("(.*)", "(.*)", (\w+), "(.*)"\)$', text, re.M):
        if kind in cases:
            words = [kind] + [field[1:] for field in fields.split()]
            forms.setdefault(name_space, {}).setdefault(name, []).append(" ".join(words))
    return forms, wrong


def write_source(forms):
    lines = []
    for name_space in sorted(forms):
        lines.append(f'                + "\\n{name_space}\\n"\n')
        lines += [f'                + "{name} {"|".join(rows)}\\n"\n' for name, rows in forms[name_space].items()]
    return HEAD + "".join(lines) + TAIL


def main():
    forms, wrong = read_rows()
    if wrong:
        sys.exit(f"known.py: not a case in Shapes.cs, or one without need: {' '.join(wrong)}")
    path, source = HERE / "Known.cs", write_source(forms)
    if path.exists() and path.read_text() == source:
        return
    if "--check" in sys.argv[1:]:
        sys.exit("Known.cs is not what src/values/known.def says: run make inspector")
    path.write_text(source)


if __name__ == "__main__":
    main()
