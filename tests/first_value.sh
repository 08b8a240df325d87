#!/bin/bash
# A new user's path: a clean clone of the last commit, in it the first command of README.md's "First steps", up to the first value. Prints the
# seconds to it; no time is a failure. Packages are installed already. For `make first-value`, because it builds everything.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
scratch first-value

# The first command of the table, and the lines that the README shows for it: its first console block, as far as the program's run.
command=$(sed -n '/^## First steps/,/^## /s/^| `\([^`]*\)` |.*/\1/p' README.md | head -n 1)
awk '/^```console$/ { on = 1; next } on && (/^```$/ || /restore/) { exit } on' README.md >"$tmp/shown"
first=$(grep -m 1 -e ' -> ' "$tmp/shown")
check command ./try.sh "$command"
[ -n "$first" ] || fail shown "README.md shows no value"

if ! git clone -q --no-hardlinks . "$tmp/clone" 2>"$tmp/err"; then
    skip first-value "no clone: $(head -n 1 "$tmp/err")"
    finish
fi
begin=$SECONDS
(cd "$tmp/clone" && env -u BUILD -u ILPATCH "$command" 2>&1) >"$tmp/printed" </dev/null
check exit-code 0 $?
contains first-value "$first" "$tmp/printed"
# All of it, but for messages of the installation and the build, and the name of the runtime.
sed 's/^\$ mono /$ dotnet exec /' "$tmp/printed" | sed -n '/^\$ ilpatch/,$p' >"$tmp/lines"
same as-shown "$tmp/shown" "$tmp/lines"
echo "first value after $((SECONDS - begin)) seconds"
finish
