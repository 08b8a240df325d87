# judge.awk -v address=0|1 METHODS SHOWN TRUTH: what was shown of each method against what the program says.
#
#   METHODS  "token name"
#   SHOWN    "id size bytes", an id ends in the token, or "name size bytes", or "id tailcall"
#   TRUTH    "name size truth seen", and of a reference "address seen-address"; a dot is any digit
#
# Prints "name|values|right|tail calls|others|damaged": how many values there are, how many of them were shown, in order; how
# often a tail call or something else was shown; and how many came to the caller otherwise than they should. With address=1
# what is shown of a reference is where it leads to. Lines about methods that the program does not name are passed over.
function token(id) { return id - int(id / 4294967296) * 4294967296 }

function like(text, pattern,    i) {
    if (length(text) != length(pattern)) return 0
    for (i = 1; i <= length(text); i++)
        if (substr(pattern, i, 1) != "." && substr(pattern, i, 1) != substr(text, i, 1)) return 0
    return 1
}

FILENAME == ARGV[1] { names[$1] = $2 }
FILENAME == ARGV[2] {
    name = $1
    if (name ~ /^[0-9]+$/) name = names[token(name)]
    sub(/.*::/, "", name)
    shown[name, ++count[name]] = $2 == "tailcall" ? $2 : $3
}
FILENAME == ARGV[3] {
    name = $1
    if (!(name in values)) { order[++methods] = name; values[name] = 0; next_shown[name] = 1 }
    if ($2 == 0) next
    values[name]++
    while (shown[name, next_shown[name]] == "tailcall") { tails[name]++; next_shown[name]++ }
    if (like(shown[name, next_shown[name]], address && $5 != "" ? $5 : $3)) { right[name]++; next_shown[name]++ }
    if (!like($4, $3) || $5 != $6) damaged[name]++
}
END {
    for (i = 1; i <= methods; i++) {
        name = order[i]
        for (; next_shown[name] <= count[name]; next_shown[name]++)
            if (shown[name, next_shown[name]] == "tailcall") tails[name]++; else others[name]++
        printf "%s|%d|%d|%d|%d|%d\n", name, values[name], right[name], tails[name], others[name], damaged[name]
    }
}
