# exits.awk -v labels="A|B|.." FILE...: the results of judge.awk for methods that do not simply return a value, as a Markdown
# table. A FILE is called N.ANYTHING, N being the number of its column; a column has several files, of a program each.
BEGIN { FS = "|"; columns = split(labels, label, "|") }
FNR == 1 { column = FILENAME; sub(/.*\//, "", column); sub(/\..*/, "", column); column += 0 }
!($1 in seen) { rows[++row_count] = $1; seen[$1] = 1 }
{
    text = $2 == 0 || $3 == 0 ? "nothing" : $2 == $3 ? "the value" : $3 " of " $2 " values"
    if ($3 == $2 && $2 > 1) text = "all " $2 " values"
    if ($5) text = (text == "nothing" ? "" : text ", ") ($5 == 1 ? "something else" : $5 " others")
    if ($4) text = (text == "nothing" ? "" : text ", ") ($4 == 1 ? "Tailcall" : $4 " Tailcalls")
    if ($6 == "dead") text = "**the program ends**"
    else if ($6) text = text "; **damaged**"
    cell[column, $1] = text
}
END {
    printf "| method |"
    for (c = 1; c <= columns; c++) printf " %s |", label[c]
    printf "\n|---|"
    for (c = 1; c <= columns; c++) printf "---|"
    for (r = 1; r <= row_count; r++) {
        printf "\n| %s |", rows[r]
        for (c = 1; c <= columns; c++) printf " %s |", (c, rows[r]) in cell ? cell[c, rows[r]] : "-"
    }
    printf "\n"
}
