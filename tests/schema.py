#!/usr/bin/env python3
"""schema.py [--lines] WORD FILE...: each FILE is JSON of the form data/WORD.schema.json; with --lines each line of it is.

Prints what is not and fails. Exit code 77: jsonschema is missing (Debian: python3-jsonschema)."""
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import jsonschema
    Validator = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    # Debian's package is for Debian's Python, which may not be the first one.
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        sys.exit(77)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def documents(name, lines):
    with open(name, encoding="utf-8") as file:
        return [json.loads(line) for line in file] if lines else [json.load(file)]


def main(arguments):
    lines = arguments[0] == "--lines"
    word, *files = arguments[1:] if lines else arguments
    with open(os.path.join(DATA, word + ".schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Validator.check_schema(schema)
    wrong = [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
             for name in files for document in documents(name, lines) for error in Validator(schema).iter_errors(document)]
    print(*wrong[:20], sep="\n")
    return bool(wrong) or not files


sys.exit(main(sys.argv[1:]))
