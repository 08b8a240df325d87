# Compares the inspector's lines (second file) with the expected ones (first file): awk -f match.awk EXPECTED ACTUAL.
# Prints the first difference and exits 1. Forms of an expected line, besides the line itself:
#   # text        a remark
#   ? LINE        may be missing: where the tool is free to inspect or not
#   x100 LINE     so many times
#   TEXT*         the rest of the line is not compared
#   A<*>B         between A and B is a name that the compiler has made, "<Main>b__0"

function fits(want, got,    n, i, before, after) {
    i = index(want, "<*>")
    if (i != 0) {
        before = substr(want, 1, i - 1)
        after = substr(want, i + 3)
        n = length(got) - length(before) - length(after)
        return n > 0 && substr(got, 1, i - 1) == before && substr(got, i + n) == after && substr(got, i, n) ~ /^[^ ]*<[^ ]*>[^ ]*$/
    }
    n = length(want)
    if (substr(want, n) == "*")
        return substr(got, 1, n - 1) == substr(want, 1, n - 1)
    return want == got
}

FILENAME == ARGV[1] {
    times = 1
    optional = 0
    line = $0
    if (line == "" || line ~ /^#/)
        next
    if (line ~ /^\? /) {
        optional = 1
        line = substr(line, 3)
    } else if (line ~ /^x[0-9]+ /) {
        times = substr(line, 2, index(line, " ") - 2) + 0
        line = substr(line, index(line, " ") + 1)
    }
    while (times-- > 0) {
        want[++wants] = line
        may_miss[wants] = optional
    }
    next
}

!failed {
    at++
    while (at <= wants && may_miss[at] && !fits(want[at], $0))
        at++
    if (at > wants || !fits(want[at], $0)) {
        # in parentheses, as `>` would redirect
        printf("line %d is \"%s\", expected %s\n", FNR, $0, (at > wants) ? "no more lines" : "\"" want[at] "\"")
        failed = 1
    }
}

END {
    while (!failed && at < wants && may_miss[at + 1])
        at++
    if (!failed && at < wants) {
        printf "ends after %d lines, expected \"%s\"\n", at, want[at + 1]
        failed = 1
    }
    exit failed
}
