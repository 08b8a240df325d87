#!/usr/bin/env python3
"""coverage.py LIST VALUES...: which results of methods a run of tests has not seen.

LIST is the output of `ilpatch list --json`, VALUES are those of `ilpatch run --json`. Coverage of lines shows that code ran; this shows that it always gave
the same answer: a method that was never called, a bool that was never false, a nullable that was never null, an enum with one value."""
import collections
import json
import sys

MANY = 10  # calls after which a single value is worth a line


def returned_type(signature, name):
    words = signature[: signature.index(name)].split()
    return " ".join(word for word in words if word not in ("instance", "static", "class", "valuetype"))


def missing(returns, values):
    """What was not seen, or None; `values` counts each different text."""
    seen = ", ".join(list(values)[:3])
    if not values:
        return "never returned"
    if returns == "bool" and len(values) == 1:
        return f"always {seen}"
    if returns.startswith("System.Nullable`1") and "null" not in values:
        return "never null"
    if len(values) == 1 and sum(values.values()) >= MANY:
        return f"always {seen}, in {sum(values.values())} calls"
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        modules = json.load(file)["modules"]
    values = collections.defaultdict(collections.Counter)
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                values[line["method"], line["token"]][line.get("value", "exception")] += 1
    methods = findings = 0
    for module in modules:
        for method in module["methods"]:
            if method["answer"] != "inspected":
                continue
            methods += 1
            found = missing(returned_type(method["signature"], method["name"]), values[method["name"], method["token"]])
            if found:
                findings += 1
                print(f"{method['name']}: {found}")
    print(f"{methods - findings} of {methods} methods returned what can be expected of them")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main()
