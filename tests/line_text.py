"""Checks each line of JSON (run --json) against the schema, and prints it as the line of text that it is equal to."""
import json, jsonschema, sys
schema = jsonschema.Draft202012Validator(json.load(open("data/line.schema.json")))
for line in open(sys.argv[1], encoding="utf-8"):
    call = json.loads(line)
    schema.validate(call)
    shown, arrow = (call["exception"], "threw") if "exception" in call else (call, "->")
    kind = "" if shown["type"] in (None, "System.Void") else f" ({shown['type']})"
    print(f"{call['method']} {arrow} {shown['value']}{kind}")
