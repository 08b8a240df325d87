# shellcheck shell=bash disable=SC2154
# --jobs: the same comes of any number of threads, in files, report, summaries and messages. Sourced by run.sh.

# Programs in several folders, with a bundle, symbols, a variant, what is broken, and what is no assembly.
many_files() { # FOLDER
    local part
    deep_folder "$1"
    for part in one two three four five; do
        give "$1/$part" Sample.dll Sample.pdb Colors.dll Hello.exe Painter.dll Signed.dll good-facade.dll
        echo '{"targets": {"t": {}}, "libraries": {}}' >"$1/$part/Sample.deps.json"
        cp "$here/../files/bad-stream-size.dll" "$1/$part/Broken.dll"
        echo "$part" >"$1/$part/LICENSE"
    done
    give_bundle
    mkdir "$1/single"
    mv App "$1/single/App"
    chmod 755 "$1/single/App"
}

# alike NAME OPTION...: what comes of 1, 2, 5 and as many threads as processors, with -o
alike() {
    local name=$1 code jobs
    shift
    for jobs in 1 2 5 0; do
        rm -rf new
        "$ilpatch" inspect -j $jobs -o new "$@" app >out 2>err
        code=$?
        { echo "$code" && cat out err; [ ! -f report.json ] || cat report.json; } >"said.$jobs"
        rm -f report.json
        rm -rf "made.$jobs"
        mkdir "made.$jobs"
        [ ! -d new ] || mv new "made.$jobs"
    done
    for jobs in 2 5 0; do
        diff -r --no-dereference made.1 "made.$jobs" || die "$name: other files with -j $jobs"
        diff said.1 "said.$jobs" || die "$name: something else is said with -j $jobs"
    done
}

test_jobs_alike() {
    many_files app
    alike "all" -v --report report.json
    grep -q 'Broken.dll' said.1 || die "not a word about what is broken: $(cat said.1)"
    alike "quiet" -q
    alike "arguments" --args --exceptions --verify -v
    alike "embedded" --embed --report report.json
    alike "compact" --layout compact --symbols drop
    # what a rule would do in a file that is broken is not known
    rm app/*/Broken.dll
    echo '<rules><include name="one"><method name="NoSuch"/></include><include name="two"><method like="*a*"/></include></rules>' >rules.xml
    alike "rules" --rules rules.xml --report report.json -v
    grep -q 'decides about no method' said.1 || die "the idle rule: $(cat said.1)"
    alike "nothing" -n --report report.json
}

# The originals come back, and a second time nothing changes.
test_jobs_in_place() {
    many_files app
    local before after
    before=$(state_of app)
    cp -a app plain
    expect 1 inspect plain
    expect 1 inspect -j 4 app
    diff -r --no-dereference plain app || die "other files than of one thread"
    after=$(state_of app)
    expect 1 inspect -j 3 app
    [ "$(state_of app)" = "$after" ] || die "the second time makes other files"
    expect 0 restore app
    [ "$(state_of app)" = "$before" ] || die "restore leaves other files"
    expect 0 restore plain
    expect 1 inspect --in-place plain
    expect 1 inspect -j 4 --in-place app
    diff -r --no-dereference plain app || die "other files than of one thread with --in-place"
}

# All of them have one PDB, whose original may not be lost.
test_jobs_common_symbols() {
    local i try before
    give app Sample.dll Sample.pdb
    for i in 1 2 3 4 5 6 7 8; do cp app/Sample.dll app/Copy$i.dll; done
    before=$(state_of app)
    for try in 1 2 3; do
        expect 0 inspect -j 8 app
        identical app/Sample.pdb.orig "$files/Sample.pdb"
        expect 0 restore app
        [ "$(state_of app)" = "$before" ] || die "restore leaves other files, try $try"
    done
}

# A file that is most of a folder has more threads than one, and the digest of precompiled code is made meanwhile.
test_jobs_one_large() {
    local jobs
    give app Many.dll Many.pdb Colors.dll
    cp "$here"/../files/good-{r2r-bubble,small}.dll app
    alike "one is large" -v --report report.json
    for jobs in 1 2 0; do
        expect 0 inspect -q -j $jobs --symbols drop -o "precompiled.$jobs.dll" "$here/../files/good-r2r-bubble.dll"
        identical "precompiled.$jobs.dll" precompiled.1.dll
    done
    "$ilpatch" inspect -n -q -j 2 --layout keep "$here/../files/good-r2r-bubble.dll" >out 2>err || die "exit code $? of a dry run"
}

# What is overtaken is done again while the other threads wait, those of the library, too: none of these may request symbols then.
test_jobs_common_symbols_and_threads() {
    local try
    echo '<rules><include name="late"><type name="Late"/><source file="Many.cs"/></include></rules>' >rules.xml
    for try in 1 2 3 4 5 6 7 8; do
        give app Many.dll Many.pdb
        cp app/Many.dll app/CopyA.dll
        cp app/Many.dll app/CopyB.dll
        timeout 30 "$ilpatch" inspect -q -j 8 --rules rules.xml app >out 2>err || die "exit code $?, try $try: $(cat err)"
        rm -r app
    done
}

test_jobs_cache() {
    many_files app
    rm app/*/Broken.dll app/single/App
    expect 0 inspect --cache one -o first app
    expect 0 inspect -j 4 --cache many -o second app
    diff -r --no-dereference first second || die "other files"
    expect 0 inspect -j 4 --cache one -o first app
    says out "patched before and unchanged"
    ! grep -q 'methods inspected' out || die "$(cat out)"
    echo >>app/two/LICENSE
    cp "$files/Hello.exe" app/four/Sample.dll
    expect 0 inspect -j 4 --cache one -o first app
    expect 0 inspect --cache many -o second app
    diff -r --no-dereference first second || die "other files after a change"
}

# Nothing that is not complete stays, whoever has begun it.
test_jobs_interrupted() {
    needs_linux "signals"
    many_files app
    for part in $(seq 40); do cp -r app/one "app/more$part"; done
    local before moment
    before=$(state_of app)
    for moment in 0.01 0.02 0.04 0.06 0.08; do
        timeout -s INT $moment "$ilpatch" inspect -q -j 4 -o new app >out 2>err
        find new -name '.ilpatch*' 2>/dev/null | grep . && die "temporary files stay"
        timeout -s INT $moment "$ilpatch" inspect -q -j 4 app >out 2>err
        expect 0 restore app
        [ "$(state_of app)" = "$before" ] || die "after an interrupt at $moment s: $(diff <(echo "$before") <(state_of app))"
    done
}

# A handler waits until no thread holds signals: what it interrupts may have no lock that such a thread waits for.
test_jobs_interrupted_with_a_lock() {
    local part try
    preload one_lock
    for part in $(seq 12); do give "app/$part" Sample.dll Sample.pdb Hello.exe Signed.dll; done
    for try in 1 2 3 4 5 6; do
        LD_PRELOAD=./one_lock.so timeout -s KILL 20 "$ilpatch" inspect -q -j 4 app >out 2>err || die "exit code $?, try $try: $(cat err)"
        expect 0 restore app
    done
}

# A thread without memory ends the command while others are at work.
test_jobs_without_memory() {
    local part at code ended=0
    preload no_memory
    for part in $(seq 4); do give "app/$part" Sample.dll Sample.pdb Hello.exe; done
    cp -a app plain
    cp -a app whole
    expect 0 inspect whole
    for at in $(seq 20 70 900); do
        NO_MEMORY=$at LD_PRELOAD=./no_memory.so timeout -s KILL 20 "$ilpatch" inspect -q -j 3 app >out 2>err
        code=$?
        [ $code -le 4 ] || die "exit code $code without allocation $at: $(cat err)"
        if [ $code -eq 0 ]; then
            diff -r whole app || die "exit code 0, and other files, without allocation $at"
        else
            grep -q '^ilpatch: ' err || die "exit code $code without a reason"
        fi
        ended=$((ended + (code == 4)))
        expect 0 restore app
        diff -r plain app || die "restore leaves other files, without allocation $at"
    done
    [ $ended -gt 0 ] || die "no allocation was missed"
}

# Nothing is done by halves where memory runs out: with 0 all is as it should be, and in any case the original comes back.
test_jobs_alone_without_memory() {
    local at code ended=0
    ! grep -q __gcov_exit "$ilpatch" || skip_case "what counts for make coverage crashes itself without memory"
    preload no_memory
    give plain Sample.dll Sample.pdb
    echo '{"targets": {"t": {}}, "libraries": {}}' >plain/Sample.deps.json
    cp -a plain whole
    expect 0 inspect whole/Sample.dll
    for at in $(seq 200 2 700); do
        rm -rf app
        cp -a plain app
        NO_MEMORY_OF_FIRST=$at LD_PRELOAD=./no_memory.so "$ilpatch" inspect -q app/Sample.dll >out 2>err
        code=$?
        if [ $code -eq 0 ]; then
            diff -r whole app || die "exit code 0, and other files, without allocation $at"
        else
            [ $code -le 4 ] || die "exit code $code without allocation $at: $(cat err)"
            grep -q '^ilpatch: ' err || die "exit code $code without a reason"
            ended=$((ended + 1))
        fi
        diff -rq plain app >same && continue
        expect 0 restore app
        diff -r plain app || die "restore leaves other files, without allocation $at"
    done
    [ $ended -gt 100 ] || die "$ended allocations were missed"
}

test_jobs_refused() {
    give . Sample.dll
    refused 2 . inspect -j none Sample.dll
    refused 2 . inspect -j -1 Sample.dll
    refused 2 . inspect -j 2 --id-map ids Sample.dll
    expect 0 inspect -j 4 Sample.dll
    patched Sample.dll
}
