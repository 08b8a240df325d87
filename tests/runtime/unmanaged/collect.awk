# Whether each line of Collect.cs is what was returned: awk -v count=N
function repeat(n,  s) { s = ""; while (n-- > 0) s = s "x"; return s }
/^Collect::Text -> / { if ($0 == "Collect::Text -> \"text " $4 " " repeat($4 % 50) ".\" (System.String)") texts++; else bad = $0; next }
/^Collect::Pair -> / {
    number = $0; sub(/.*Number=/, "", number); sub(/,.*/, "", number)
    if ($0 == "Collect::Pair -> {Left=\"left " number "\", Number=" number ", Right=\"right " number "\"} (Both)") pairs++; else bad = $0
    next
}
{ bad = $0 }
END { print bad == "" ? texts " " pairs : "wrong: " bad }
