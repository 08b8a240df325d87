#!/bin/bash
# Assemblies of this machine: each is read, round-tripped, patched in both layouts, verified, compared by an independent reader, and each of
# its methods compiled, before and after (docs/CORPUS.md). corpus.py does it; this finds the roots and the tools.
#
#   CORPUS=all          every assembly below the roots of roots.txt, each content once (make check-corpus); without it those of fixed.txt
#   CORPUS_SAMPLE=N     N of all, by CORPUS_SEED (1)
#   CORPUS_STATE=DIR    where results are kept (build/corpus): a run that was ended goes on, unless ilpatch has changed
#   CORPUS_FILES=LIST   a list of one's own: ROOT, a tab and a path a line
#
# Runs over all files, or a sample of them, write measured.json and docs/CORPUS.md.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/runtime/real/lib.sh
. tests/runtime/real/lib.sh
have python3 || { skip corpus "no python3"; finish; }
prepare corpus compare jitall
here=tests/corpus

# ---- the page says what was measured ----

"$PWD/$here/corpus.py" page $here/measured.json >"$tmp/page"
same "docs/CORPUS.md" "$tmp/page" docs/CORPUS.md

# ---- where, and with what ----

ROOT_dotnet=$(realpath "$sdk/../..")
ROOT_sdk=$(realpath "$sdk")
ROOT_framework=$(realpath "$framework")
ROOT_aspnet=$(find "$ROOT_dotnet/shared/Microsoft.AspNetCore.App" -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
ROOT_refs=$(realpath "$refs")
ROOT_nuget=${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}
ROOT_cache=$cache
ROOT_mono=/usr/lib/mono
export ROOT_dotnet ROOT_sdk ROOT_framework ROOT_aspnet ROOT_refs ROOT_nuget ROOT_cache ROOT_mono
export ILPATCH=$ilpatch CHECKER=$tools/compare/bin/Compare.dll COMPILER=$tools/jitall/bin/JitAll.dll MONO_HARNESS=
export SCRATCH=$tmp/work FRAMEWORK=$ROOT_framework ASPNET=$ROOT_aspnet INSPECTOR=$build/MyProfiler.dll
if make_mono_harness; then MONO_HARNESS=$harness; else skip "Mono" "no Mono, or no mcs to compile the harness with"; fi

# ---- what is wrong is found ----

# As if ilpatch wrote what it should not, where it is called with the word WHEN: the bytes of its output are changed.
cat >"$tmp/wrong" <<'END'
#!/bin/bash
"$REAL" "$@"
code=$?
while [ $# -gt 0 ]; do
    [ "$1" != -o ] || out=$2
    [ "$1" != "$WHEN" ] || when=1
    shift
done
[ -z "${when-}" ] || [ ! -f "$out" ] || LC_ALL=C sed -i "$WRONG" "$out"
exit $code
END
chmod +x "$tmp/wrong"
# finds NAME WHEN WRONG TEXT...: what is said of a small file
finds() {
    printf 'tests\t%s\n' "$PWD/tests/command/files/Sample.dll" >"$tmp/one"
    rm -f "$tmp/one.results"
    REAL=$ilpatch ILPATCH=$tmp/wrong WHEN=$2 WRONG=$3 $here/corpus.py run "$tmp/one" "$tmp/one.results" >"$tmp/one.said" 2>"$tmp/log"
    local name=$1
    shift 3
    passes "finds $name" has_texts "$tmp/one.said" "$@"
}
finds bytes --rules 's/Shade/Shadi/' 'round trip: other bytes'
finds a-name --inspect-returns 's/Shade/Shadi/' 'compare delta: ' 'compare compact: ' 'heap String: old bytes have changed'
finds a-constant compact 's/\x1f[*]\x25/\x1f+\x25/' 'FAIL' 'compare compact: ' 'ldc.i4.s: other operand'
finds bad-code --inspect-returns 's/\x25\x72/\x26\x72/g' 'compare delta: ' 'compare compact: ' ' new failures: ' InvalidProgramException
finds nothing-else --no-such-word 's/Shade/Shadi/'
check finds-nothing '' "$(cat "$tmp/one.said")"
# A run that was ended while it wrote a line.
printf '{"path": "' >>"$tmp/one.results"
$here/corpus.py run "$tmp/one" "$tmp/one.results" >"$tmp/one.said" 2>&1
check goes-on '1 files, 1 of them done before' "$(cat "$tmp/one.said")"

# ---- which files, and what was found of them before ----

results=$tmp/results
if [ -n "${CORPUS_FILES-}" ]; then
    cp "$CORPUS_FILES" "$tmp/files"
elif [ -n "${CORPUS-}${CORPUS_SAMPLE-}" ]; then
    # shellcheck disable=SC2086
    $here/corpus.py list $here/roots.txt ${CORPUS_SAMPLE:+$CORPUS_SAMPLE "${CORPUS_SEED:-1}"} >"$tmp/files"
    state=${CORPUS_STATE:-build/corpus}
    mkdir -p "$state"
    stamp=$(cat "$ilpatch" "$INSPECTOR" "$tools"/{compare,jitall}/complete | sha256sum)
    [ "$(cat "$state/stamp" 2>/dev/null)" = "$stamp" ] || rm -f "$state/results"
    echo "$stamp" >"$state/stamp"
    results=$state/results
else
    $here/corpus.py fixed $here/roots.txt $here/fixed.txt >"$tmp/files" 2>"$tmp/missing"
    [ ! -s "$tmp/missing" ] || skip "files" "$(wc -l <"$tmp/missing") are not here: $(head -n 1 "$tmp/missing")"
fi

# ---- the run ----

if $here/corpus.py run "$tmp/files" "$results" >"$tmp/failures"; then
    ok "corpus ($(grep -vc '^#' "$tmp/files") files)"
else
    fail corpus "$(wc -l <"$tmp/failures") of $(grep -vc '^#' "$tmp/files") files"
    sed 's/^FAIL/   /' "$tmp/failures" | cut -c 1-400
fi
cp "$results.measured" "${CORPUS_MEASURED:-$tmp/measured}"
if [ -n "${CORPUS-}${CORPUS_SAMPLE-}" ]; then
    cp "$results.measured" $here/measured.json
    $here/corpus.py page $here/measured.json >docs/CORPUS.md
fi
finish
