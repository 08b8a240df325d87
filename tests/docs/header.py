#!/usr/bin/env python3
"""Holds ilpatch.h against the shared library and the tables beside it, and its comments against its declarations. Prints what differs.

header.py BUILD   libilpatch.so is there
"""
import os
import re
import subprocess
import sys
import tempfile

HEADER = open("include/ilpatch.h").read()
TABLES = ["elements", "error", "file_kinds", "reasons", "rules", "tables"]
OTHERS = ["PE-COFF.md", "readytorun-format.md"]  # documents of the formats
wrong = []


def same(what, left, right):
    wrong.extend(f"{what}: {name}" for name in sorted(set(left) ^ set(right)))


def rows(table, macro):
    """The arguments of a macro, row by row."""
    text = open(f"include/ilpatch/{table}.def").read()
    rows = re.findall(rf"^\s*{macro}\((.*)\)$", text, re.M)
    return [[quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|([^,"\s]+)', row)] for row in rows]


def enumerators(enum):
    """Those of an enum with the comment after each."""
    inner = re.search(rf"enum {enum} \{{(.*?)\}}", HEADER, re.S).group(1)
    return dict(re.findall(r"\b(ILP_\w+)(?: = \w+)?,?(?: */\* (.*?) \*/)?", inner))


def listed(enum, prefix, found, count=None):
    """The enum lists what was found: names, with their comments where these are the table's, and the count after them."""
    expected = {prefix + name: comment for name, comment in found}
    if count:
        expected[count] = ""
    own = {name: comment if expected.get(name) is not None else None for name, comment in enumerators(enum).items()}
    same(f"enum {enum}", own.items(), expected.items())


def check_functions(build):
    """Exported is what is declared, nothing else: ilpatch.map and ILP_API say the same."""
    names = subprocess.run(["nm", "-D", "--defined-only", f"{build}/libilpatch.so"], capture_output=True, text=True, check=True)
    exported = [name.split("@")[0] for name in re.findall(r" [TDBRVW] (\S+)", names.stdout)]
    declared = [re.search(r"\b(ilp_\w+)\(", text).group(1) for text in re.findall(r"^ILP_API (.*?;)", HEADER, re.M | re.S)]
    same("functions of ilpatch.h and libilpatch.so", declared, exported)
    return len(declared)


def check_lists():
    listed("ilp_status", "ILP_E_", [(row[0], row[3]) for row in rows("error", "ILP_STATUS")], "ILP_OK")
    listed("ilp_file_kind", "ILP_FILE_", [row[:2] for row in rows("file_kinds", "ILP_FILE_KIND")])
    listed("ilp_reason", "ILP_REASON_", [(row[0], row[3]) for row in rows("reasons", "ILP_REASON")], "ILP_REASON_ROOM")
    listed("ilp_element", "ILP_ELEMENT_", [(row[1], "") for row in rows("elements", "ILP_ELEMENT")])
    listed("ilp_table", "ILP_", [(row[1], None) for row in rows("tables", "ILP_TABLE")], "ILP_TABLE_COUNT")


def check_comments():
    """What comments name is declared, or is a member; what they cite of files is there; errors are those that exist."""
    comments = re.sub(r"^ \*     .*", "", "\n".join(re.findall(r"/\*.*?\*/", HEADER, re.S)), flags=re.M)  # without examples and drawings
    code = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)
    pages = re.findall(r"^/\* ---- .*: (ilp_\w+)\(3\)", HEADER, re.M)
    declared = set(re.findall(r"\b(?:ilp|ILP)_\w+", code)) | set(pages) | {"ILP_OK"}
    families = {name.rstrip("*") for name in re.findall(r"\bILP_\w+_\*", comments)}
    named = set(re.findall(r"\b(?:ilp_[a-z]\w*|ILP_\w+)", comments)) - families
    wrong.extend(f"a comment names {name}, which is not declared" for name in sorted(named - declared))
    wrong.extend(f"no name begins with {family}" for family in families if not any(name.startswith(family) for name in declared))
    members = re.findall(r"\b(ilp_\w+)\.(\w+)\b(?!\.?\()", comments)
    for struct, member in members:
        inner = re.search(rf"struct {struct} \{{(.*?)^\}};", code, re.S | re.M)
        if inner and not re.search(rf"\b{member}\b", inner[1]):
            wrong.append(f"a comment names {struct}.{member}, which is not there")
    paths = re.findall(r"\b((?:docs|src|host|data|examples|include)/[\w/.-]*\w|[\w-]+\.md)\b", comments)
    places = ["", "include", "docs"]
    wrong.extend(f"a comment names {path}, which is not there" for path in sorted(set(paths))
                 if path not in OTHERS and not any(os.path.exists(os.path.join(place, path)) for place in places))


def check_macros():
    """The header and its tables leave alone what a program calls by the names that the macros had or may have, in C and C++."""
    own = ["STATUS", "TABLE", "COL", "ENDT", "ELEMENT", "FILE_KIND", "REASON", "WORDS", "WORD", "ENDW", "ATTRIBUTE", "OP"]
    text = "".join(f"#define {name} our_{name}\n" for name in own) + '#include "ilpatch.h"\n'
    text += "".join(f'#include "ilpatch/{table}.def"\n' for table in TABLES)
    text += "".join(f"#ifndef {name}\n#error {name} is gone\n#endif\nint our_{name};\nextern int {name};\n" for name in own)
    text += "#if defined(ILP_STATUS) || defined(ILP_TABLE) || defined(ILP_WORD)\n#error a table leaves its macro defined\n#endif\n"
    for command in (["cc", "-std=c99", "-x", "c"], ["c++", "-x", "c++"]):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(text)
            source.flush()
            done = subprocess.run([*command, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-Iinclude", source.name],
                                  capture_output=True, text=True)
        wrong.extend(f"{command[0]}: {line}" for line in done.stderr.splitlines() if "error" in line)


os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
if check_functions(sys.argv[1]) < 50:
    wrong.append("no functions were found in ilpatch.h")
check_lists()
check_comments()
check_macros()
print("\n".join(wrong), end="")
