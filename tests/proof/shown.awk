# shown.awk -v methods="A B .." VALUES RUN TRACE: what a user is shown of some methods, as a Markdown table. VALUES is
# values.txt, RUN the stock inspector's lines "Returns::A -> text (type)", TRACE the report of a trace: after its heading
# "methods" a line that ends in "Returns.A", then "returned text x1".
function code(text) { return text == "" ? "nothing" : "`" text "`" }
BEGIN { split(methods, order, " ") }
FILENAME == ARGV[1] && !/^#/ {
    split($0, part, " *[|] *")
    sub(/^= /, "", part[5])
    source[part[2]] = part[5]
}
FILENAME == ARGV[2] && match($0, /::[a-z0-9_]+ -> /) {
    text = substr($0, RSTART + RLENGTH)
    sub(/ \([^ ]*\)$/, "", text)
    run[substr($0, RSTART + 2, RLENGTH - 6)] = text
}
FILENAME == ARGV[3] && /^methods/ { on = 1 }
FILENAME == ARGV[3] && on && /Returns\./ { name = $NF; sub(/.*[.]/, "", name) }
FILENAME == ARGV[3] && on && sub(/^ *returned /, "") && sub(/ x1$/, "") { trace[name] = $0 }
END {
    print "| method | in the source | `ilpatch run` | `ilpatch trace --values` |\n|---|---|---|---|"
    for (i = 1; order[i] != ""; i++)
        printf "| %s | %s | %s | %s |\n", order[i], code(source[order[i]]), code(run[order[i]]), code(trace[order[i]])
}
