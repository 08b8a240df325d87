# compare.awk MAP GOT EXPECTED: lines "id size bytes" are "name size bytes" in EXPECTED, where a dot is any character. Prints
# the first difference, or "N lines".
function like(text, pattern,    i) {
    if (length(text) != length(pattern)) return 0
    for (i = 1; i <= length(text); i++)
        if (substr(pattern, i, 1) != "." && substr(pattern, i, 1) != substr(text, i, 1)) return 0
    return 1
}
FNR == 1 { file++ }
file == 1 {
    id = $0; sub(/.*"id": /, "", id); sub(/,.*/, "", id)
    name = $0; sub(/.*"name": "/, "", name); sub(/".*/, "", name)
    names[id] = name
}
file == 2 { id = $1; $1 = names[id]; got[++count] = $0 }
file == 3 && !done && !like(got[FNR], $0) { print "line " FNR ": " got[FNR] ", not " $0; done = 1 }
END { if (!done) print (file == 3 && FNR == count && count > 0 ? count " lines" : count " lines, not " FNR) }
