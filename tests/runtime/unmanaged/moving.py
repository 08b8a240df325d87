"""Whether each line of Moving.cs is what was returned:  moving.py LINES. Prints how many there are of each method."""
import re
import sys

CUSTOMER = r"\(Customer\)"
MADE = [re.compile(pattern + "$") for pattern in (
    r'\{Name="c(\d+)", Age=\1, Tag=\[\d+(: 0(, 0)*(, \.\.\.)?)?\]\} ' + CUSTOMER,
    r'\{Next=Node \{Next=null, Data=null, Names=null, Map=null\}, Data=\[2: (\d+), \d+\], Names=\[1: "n\1"\], Map=\[1: "k\1"=\1\]\} \(Node\)',
    r'\((\d+), "t\1"\) \(System\.ValueTuple`2\[System\.Int32,System\.String\]\)',
    r'\[1: Customer \{Name="l(\d+)", Age=\1, Tag=null\}\] \(System\.Collections\.Generic\.List`1\[Customer\]\)',
    r'\{Message="m(\d+)", InnerException=Exception \{Message="inner\1"\}\} \(System\.InvalidOperationException\)',
    r'\{Status=RanToCompletion, Result="r(\d+)"\} \(System\.Threading\.Tasks\.Task`1\[System\.String\]\)')]
SAME = [re.compile(pattern + "$") for pattern in (
    r'\{Name="g(\d+)", Age=\1, Tag=\1\} ' + CUSTOMER,
    r'\((\d+), "\1"\) \(System\.ValueTuple`2\[System\.Int32,System\.String\]\)')]
METHODS = {"Moving::Make": MADE, "Moving::Same": SAME}

counts = dict.fromkeys(METHODS, 0)
for line in open(sys.argv[1], encoding="utf-8"):
    method, _, value = line.rstrip("\n").partition(" -> ")
    if method in METHODS:
        if not any(pattern.match(value) for pattern in METHODS[method]):
            sys.exit(f"wrong: {line}")
        counts[method] += 1
print(*counts.values())
