"""compare.py CLASSES OURS THEIRS: facts of two readers (ours.c); each difference belongs to a class of classes.txt.

Prints the classes with the number of differences and one of them, then those outside of all classes. Exit code 1: there
are any."""
import re
import sys


def read_facts(path):
    facts = {}
    for line in open(path, encoding="utf-8", errors="replace"):
        file, key, value = line.rstrip("\n").split("\t", 2)
        facts[file, key] = value.strip()
    return facts


def read_classes(path):
    rows = (line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if line[0] not in "#\n")
    return [(name, *(re.compile(pattern) for pattern in patterns)) for name, *patterns in rows]


def class_of(classes, key, ours, theirs):
    fact = key.split()[0]
    for name, facts, our, their in classes:
        if facts.fullmatch(fact) and our.search(ours) and their.search(theirs):
            return name
    return None


classes = read_classes(sys.argv[1])
ours, theirs = read_facts(sys.argv[2]), read_facts(sys.argv[3])
opened = {file for (file, key), value in ours.items() if key == "open 0" and value == "yes" == theirs[file, key]}
found = {row[0]: [] for row in classes}
found[None] = []
equal = both_refuse = 0
for file, key in sorted(ours.keys() | theirs.keys()):
    if key != "open 0" and file not in opened:
        continue
    our, their = ours.get((file, key), "absent"), theirs.get((file, key), "absent")
    if our == their:
        equal += 1
    elif our.startswith("no ") and their.startswith("no "):
        both_refuse += 1
    else:
        found[class_of(classes, key, our, their)].append(f"{file}: {key}: {our[:150]} | {their[:150]}")

files = {file for file, _ in ours}
print(f"{len(files)} files, {len(opened)} opened by both; {equal} facts are the same, {both_refuse} are refused by both")
for name, differences in found.items():
    if name:
        print(f"{name:20} {len(differences):6}  {differences[0] if differences else ''}")
for difference in found[None][:100]:
    print(f"of no class: {difference}")
sys.exit(1 if found[None] else 0)
