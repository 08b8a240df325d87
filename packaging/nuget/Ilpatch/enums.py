#!/usr/bin/env python3
"""enums.py ROOT: the enumerations of include/ilpatch.h that the package Ilpatch shows, as C#, with the header's comments.

A reason's comment is the sentence that ilpatch/reasons.def has for it."""
import re
import sys

# the header's name, the beginning of its enumerators, the name in C#, and those that are left out
ENUMS = [
    ("ilp_status", "ILP_E_", "public enum Status", []),
    ("ilp_class", "ILP_CLASS_", "public enum StatusClass", []),
    ("ilp_reason", "ILP_REASON_", "public enum Reason", ["ROOM"]),
    ("ilp_reason_kind", "ILP_REASON_", "public enum ReasonKind", []),
    ("ilp_write_layout", "ILP_WRITE_", "public enum WriteLayout", []),
    ("ilp_strong_name", "ILP_STRONG_NAME_", "public enum StrongName", []),
    ("ilp_strong_name_state", "ILP_STRONG_NAME_", "public enum StrongNameState", []),
    ("ilp_symbols_entries", "ILP_SYMBOLS_", "internal enum SymbolsEntries", []),
    ("ilp_symbols_kind", "ILP_SYMBOLS_", "internal enum SymbolsKind", []),
]


def words(comment):
    """The text of a comment, as one line of XML."""
    text = re.sub(r"\s*\n\s*\*?\s*", " ", comment).strip()
    text = text[:1].upper() + text[1:]
    return text.replace("&", "&amp;").replace("<", "&lt;")


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def enumerators(body, prefix):
    """(name, number or None, comment) of each: the comment is before it, or after it on its line."""
    before = ""
    for comment, name, number, after in re.findall(r"/\*(.*?)\*/|(ILP_\w+)(?: = (\w+))?,?[ ]*(?:/\*(.*?)\*/)?", body, re.S):
        if not name:
            before = comment
        elif name.startswith(prefix):
            yield name[len(prefix):], number, after or before
            before = ""


def main():
    root = sys.argv[1]
    with open(f"{root}/include/ilpatch.h", encoding="utf-8") as file:
        header = file.read()
    with open(f"{root}/include/ilpatch/reasons.def", encoding="utf-8") as file:
        sentences = dict(re.findall(r'^ILP_REASON\((\w+),.*"([^"]*)"\)$', file.read(), re.M))
    print("// Made by enums.py from include/ilpatch.h.\nnamespace Ilpatch;")
    for tag, prefix, declaration, left_out in ENUMS:
        found = re.search(r"/\*((?:(?!\*/).)*)\*/\n(?:typedef )?enum %s \{(.*?)\n\}" % tag, header, re.S)
        print(f"\n/// <summary>{words(found[1])}</summary>\n{declaration}\n{{")
        for name, number, comment in enumerators(found[2], prefix):
            if name in left_out:
                continue
            text = words(sentences[name] if tag == "ilp_reason" else comment) or camel(name) + "."
            print(f"    /// <summary>{text}</summary>\n    {camel(name)}{' = ' + number if number else ''},")
        print("}")


main()
