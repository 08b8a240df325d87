#!/usr/bin/env python3
"""compare.py EXPECTED LINES [partly]: whether each line in JSON has the ids that the program says (App.cs), and each tag a line, unless
there are lines of a part only. Prints how many tags have lines, or what is wrong."""
import base64
import json
import re
import sys

import jsonschema

TAG = re.compile(r'"((?:[^"\\]|\\.)*?#[0-9]+(?:/[0-9])?|bare|early-own)"')
validator = jsonschema.Draft202012Validator(json.load(open("data/line.schema.json")))


def expected_ids(path):
    tags = {}
    for line in open(path):
        if line.strip() in ("ready", ""):
            continue
        tag, trace, span, coded = line.split()
        ids = {}
        if trace != "-":
            ids = {"trace": trace, "span": span}
        elif coded != "-":
            ids = {"activity": base64.b64decode(coded).decode()}
        tags[tag] = ids
    return tags


def tag_of(line):
    """Of what ends there: the value, the exception, the first argument of a call that returns nothing."""
    if "exception" in line:
        if line["exception"]["type"] != "Oops":
            return None
        return line["exception"]["data"].get("Message") or line["exception"]["data"].get("_message")
    data = line["data"]
    if line["type"] == "System.Void":
        return line.get("args", {}).get("tag")
    if isinstance(data, dict) and "$key" in data:
        data = data["$key"]
    return data if isinstance(data, str) else None


def main(expected, path, partly=None):
    tags, seen, wrong = expected_ids(expected), set(), []
    for text in open(path, encoding="utf-8"):
        line = json.loads(text)
        tag = tag_of(line)
        if tag not in tags or not line["method"].startswith("App") or line["method"] == "App::Next":
            continue
        for error in validator.iter_errors(line):
            wrong.append(f"schema: {error.message}: {text[:300]}")
        seen.add(tag)
        ids = {key: line[key] for key in ("trace", "span", "activity") if key in line}
        if ids != tags[tag]:
            wrong.append(f"{tag}: {ids} instead of {tags[tag]}: {text[:300]}")
    for tag in tags:
        if tag not in seen and not partly:
            wrong.append(f"{tag}: no line")
    print(f"{len(seen)} right" if not wrong else "\n".join([f"{len(wrong)} wrong, {len(seen)} tags"] + wrong[:10]))


main(*sys.argv[1:])
