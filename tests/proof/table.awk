# table.awk -v labels="A|B|.." ROWS FILE...: the results of judge.awk as a Markdown table. ROWS has "name|row" for each method;
# a FILE is called N.ANYTHING, N being the number of its column. A column may have several files, of one configuration each.
#
# A cell says in how many of the row's methods every value was shown, in all configurations: "64", or "60 of 64" if not in all;
# and in how many the caller got another value than was returned. "-" means methods that the runtime does not have.
BEGIN { FS = "|"; columns = split(labels, label, "|") }
FNR == 1 { files++; column = FILENAME; sub(/.*\//, "", column); sub(/\..*/, "", column); column += 0 }
files == 1 {
    row_of[$1] = $2
    if (!($2 in size)) rows[++row_count] = $2
    if (!($1 in known)) size[$2]++
    known[$1] = 1
    next
}
{
    key = column SUBSEP $1
    if (!(key in here)) { here[key] = 1; all[column, row_of[$1]]++ }
    if (($2 != $3 || $5 != 0 || $4 != 0) && !(key in wrong)) { wrong[key] = 1; bad[column, row_of[$1]]++ }
    if ($6 != 0 && !(key in hurt)) { hurt[key] = 1; damaged[column, row_of[$1]]++ }
    checked[column] += $2
}
function cell(column, row,    n, text) {
    n = all[column, row]
    if (n == 0) return "-"
    text = bad[column, row] ? n - bad[column, row] " of " n : n
    return damaged[column, row] ? text "; **" damaged[column, row] " damaged**" : text
}
END {
    printf "| what is returned | methods |"
    for (c = 1; c <= columns; c++) printf " %s |", label[c]
    printf "\n|---|---|"
    for (c = 1; c <= columns; c++) printf "---|"
    for (r = 1; r <= row_count; r++) {
        printf "\n| %s | %d |", rows[r], size[rows[r]]
        methods += size[rows[r]]
        for (c = 1; c <= columns; c++) {
            printf " %s |", cell(c, rows[r])
            all[c, "all"] += all[c, rows[r]]; bad[c, "all"] += bad[c, rows[r]]; damaged[c, "all"] += damaged[c, rows[r]]
        }
    }
    printf "\n| **all methods** | %d |", methods
    for (c = 1; c <= columns; c++) printf " %s |", cell(c, "all")
    printf "\n| values compared | |"
    for (c = 1; c <= columns; c++) printf " %s |", checked[c] ? checked[c] : "-"
    printf "\n"
}
