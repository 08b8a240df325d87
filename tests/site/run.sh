#!/bin/bash
# The site (make site): it is written, has each document, no dead link or anchor, and loads nothing from the network; a dead link of each
# kind is found; the search finds a section, from a file.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
if ! have cmark-gfm || ! have python3; then
    skip site "no cmark-gfm, or no Python 3"
    finish
fi
scratch site

passes build site/build.py "$tmp/site"
passes links site/check.py "$tmp/site"
for text in docs/*.md; do [ -s "$tmp/site/${text%.md}.html" ] || echo "$text"; done >"$tmp/missing"
check documents "" "$(cat "$tmp/missing")"

# finds NAME EXPRESSION TEXT: the page of rules, changed so, is found to be wrong
finds() {
    rm -rf "$tmp/wrong"
    cp -r "$tmp/site" "$tmp/wrong"
    sed -i "$2" "$tmp/wrong/docs/RULES.html"
    site/check.py "$tmp/wrong" >"$tmp/log" && fail "$1" "not found"
    contains "$1" "$3" "$tmp/log"
}
finds dead-link '0,/href="VALUES.html/s//href="NONE.html/' 'docs/RULES.html: NONE.html'
finds dead-anchor '0,/id="three-results-of-a-condition"/s//id="no-words"/' '#three-results-of-a-condition has no such anchor'
finds from-the-network 's,<link rel="stylesheet" href="[^"]*",<link rel="stylesheet" href="https://example.org/a.css",' 'loads https://example.org/a.css'

# A document that the table of contents does not have is an error.
mkdir "$tmp/tree"
cp -r ./*.md docs site data packaging "$tmp/tree/"
sed -i '/docs\/TAIL.md/d' "$tmp/tree/site/contents.txt"
"$tmp/tree/site/build.py" "$tmp/other" >"$tmp/log" 2>&1
contains left-out "site/contents.txt has no docs/TAIL.md" "$tmp/log"

# The search, as a browser shows it: a title first, and what no section has.
if have chromium; then
    shown() {
        timeout -k 5 300 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --virtual-time-budget=20000 \
            --dump-dom "file://$tmp/site/$1" 2>"$tmp/err"
    }
    shown 'docs/RULES.html?q=explicit+tail+calls' >"$tmp/dom"
    contains search '<a href="../docs/TAIL.html#' "$tmp/dom"
    shown 'index.html?q=zzyzx' >"$tmp/dom"
    contains search-nothing 'No section has all of these words.' "$tmp/dom"
else
    skip search "no chromium"
fi
finish
