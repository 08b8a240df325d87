# shellcheck shell=bash disable=SC2154
# Programs that the SDK makes: the host beside an assembly, and single-file ones. Sourced by run.sh.

values=('App::Square -> 49' 'App::Name -> "app"')

# publish NAME OPTION...
publish() {
    local name=$1
    shift
    cp -r "$here/app" "$tmp/$name-src"
    TMPDIR=$tmp timeout 1800 dotnet publish "$tmp/$name-src" -c Release -r "${RID:-linux-x64}" -o "$tmp/$name" "$@" >"$tmp/log" 2>&1
}

host_beside_assembly() {
    local folder=$tmp/host
    run_ilpatch 0 list "$folder/App" && has_texts "$tmp/err" "App.dll is taken" && has_texts "$tmp/out" "App::Square" &&
        run_ilpatch 0 dump --headers "$folder/App" &&
        run_ilpatch 0 --inspect-returns "$folder/App" && has_texts "$tmp/out" "$folder/App.dll: 5 of" &&
        runs "$folder/App" "${values[@]}" &&
        run_ilpatch 0 diff "$folder/App.dll.orig" "$folder/App" &&
        mv "$folder/App.dll" "$folder/Renamed.dll" && run_ilpatch 3 list "$folder/App" &&
        has_texts "$tmp/err" "a native program that starts a managed one"
}

# A single-file program, patched, run, patched again, and restored.
single_file() { # FOLDER
    local app=$1/App
    cp "$app" "$tmp/before" && ls "$1" >"$tmp/names" && cp "$1/App.pdb" "$tmp/before.pdb"
    run_ilpatch 0 bundle list "$app" && has_texts "$tmp/out" "App.dll" "App.runtimeconfig.json" &&
        run_ilpatch 0 resolve "$app" && has_texts "$tmp/out" "run as said in $app/App.runtimeconfig.json" "System.Runtime" &&
        run_ilpatch 0 -n --inspect-returns "$app" && cmp "$app" "$tmp/before" &&
        run_ilpatch 0 --inspect-returns --report "$tmp/report.json" "$app" && has_texts "$tmp/out" "$app/App.dll: 5 of" &&
        has_texts "$tmp/report.json" "\"file\": \"$app/App.dll\"" "\"output\": \"$app/App.dll\"" \
            "\"symbols\": {\"answer\": \"updated\", \"output\": \"$1/App.pdb\"}" &&
        ! grep -q "$TMPDIR" "$tmp/report.json" &&
        cmp "$app.orig" "$tmp/before" && cmp "$1/App.pdb.orig" "$tmp/before.pdb" && runs "$app" "${values[@]}" &&
        cp "$app" "$tmp/first" && run_ilpatch 0 --inspect-returns "$app" && cmp "$app" "$tmp/first" && runs "$app" "${values[@]}" &&
        run_ilpatch 0 verify "$app" &&
        run_ilpatch 0 diff "$app.orig" "$app" && has_texts "$tmp/out" "method" &&
        run_ilpatch 0 --inspect-returns --embed -o "$tmp/other" "$app" && cmp "$app" "$tmp/first" &&
        runs "$tmp/other" "${values[@]}" && run_ilpatch 0 bundle list "$tmp/other" &&
        ! has_texts "$tmp/out" MyProfiler.dll &&
        cp "$app" "$tmp/alone" && run_ilpatch 0 --inspect-returns "$tmp/alone" && has_texts "$tmp/out" "already-inspected" &&
        ! has_texts "$tmp/out" "MyProfiler.dll:" && cmp "$app" "$tmp/alone" &&
        run_ilpatch 0 restore "$app" && cmp "$app" "$tmp/before" && cmp "$1/App.pdb" "$tmp/before.pdb" &&
        ls "$1" | cmp - "$tmp/names" &&
        sed 's/"tfm": "net10.0"/"tfm": "net99.9"/' "$app" >"$tmp/another" && grep -q net99.9 "$tmp/another" &&
        run_ilpatch 0 --inspect-returns -o "$tmp/another" "$app/App.dll" && runs "$tmp/another" "${values[@]}" &&
        ! grep -q net99.9 "$tmp/another" # something else in the output's place leaves no file
}

# The PDB beside a single-file program: replaced with it, or put beside the output, or left with a reason.
pdb_beside() { # FOLDER
    local folder=$tmp/beside app=$tmp/beside/App
    mkdir "$folder" "$tmp/beside-out" && cp "$1/App" "$1/App.pdb" "$folder/" && ls "$folder" >"$tmp/names" &&
        run_ilpatch 0 --inspect-returns "$app/App.dll" && runs "$app" "${values[@]}" &&
        run_ilpatch 0 --where '<method name="nothing"/>' "$app" && cmp "$app" "$1/App" && cmp "$folder/App.pdb" "$1/App.pdb" &&
        runs "$app" && run_ilpatch 0 restore "$app" && ls "$folder" | cmp - "$tmp/names" &&
        run_ilpatch 0 --inspect-returns -o "$tmp/beside-out/Other" "$app" && cmp "$folder/App.pdb" "$1/App.pdb" &&
        runs "$tmp/beside-out/Other" "${values[@]}" && rm "$tmp/beside-out"/* &&
        run_ilpatch 0 --where '<method name="nothing"/>' -o "$tmp/beside-out/Other" "$app" &&
        runs "$tmp/beside-out/Other" && cmp "$tmp/beside-out/App.pdb" "$1/App.pdb" &&
        run_ilpatch 0 --inspect-returns -o - "$app" && cp "$tmp/out" "$tmp/beside-out/Piped" && chmod +x "$tmp/beside-out/Piped" &&
        line=0:0 runs "$tmp/beside-out/Piped" "${values[@]}" && has_texts "$tmp/err" "no place beside standard output" &&
        run_ilpatch 1 --symbols update --inspect-returns -o "$folder/Other" "$app" &&
        has_texts "$tmp/out" "link to symbols dropped (the new PDB would replace that of the input)" && runs "$app" &&
        rm "$folder/Other" && run_ilpatch 0 --symbols drop --inspect-returns "$app" && cmp "$folder/App.pdb" "$1/App.pdb" &&
        line=0:0 runs "$app" "${values[@]}" && run_ilpatch 0 restore "$app" && ls "$folder" | cmp - "$tmp/names" &&
        mkdir "$folder/App.pdb.orig" && run_ilpatch 0 --inspect-returns "$app" && has_texts "$tmp/out" "App.pdb.orig is kept" &&
        run_ilpatch 0 restore "$app" && rmdir "$folder/App.pdb.orig" &&
        run_ilpatch 0 -n --inspect-returns "$app" && ls "$folder" | cmp - "$tmp/names" && runs "$app" &&
        run_ilpatch 0 --in-place --inspect-returns "$app" && ls "$folder" | cmp - "$tmp/names" && runs "$app" "${values[@]}"
}

# One that was put into the bundle, too, as .NET Core 3.1 does: the same new PDB in both places.
pdb_inside() { # FOLDER
    local folder=$tmp/inside
    mkdir "$folder" && python3 tests/shapes/add_to_bundle.py "$1/App" "$folder/App" App.pdb "$1/App.pdb" && cp "$1/App.pdb" "$folder/" &&
        runs "$folder/App" && run_ilpatch 0 --inspect-returns --report "$tmp/report.json" "$folder/App" &&
        has_texts "$tmp/report.json" "\"symbols\": {\"answer\": \"updated\", \"output\": \"$folder/App/App.pdb\"}" &&
        runs "$folder/App" "${values[@]}" && run_ilpatch 0 bundle extract -o "$folder/out" "$folder/App" App.pdb &&
        cmp "$folder/out/App.pdb" "$folder/App.pdb" && ! cmp -s "$folder/App.pdb" "$1/App.pdb" &&
        run_ilpatch 0 restore "$folder/App" && cmp "$folder/App.pdb" "$1/App.pdb"
}

extracted() { # FOLDER
    local app=$1/App
    run_ilpatch 0 bundle extract -o "$tmp/extracted" "$app" &&
        run_ilpatch 0 bundle extract -o "$tmp/some" "$app" App.dll && [ "$(ls "$tmp/some")" = App.dll ] &&
        run_ilpatch 1 bundle extract -o "$tmp/some" "$app" No.dll && has_texts "$tmp/err" "cannot find No.dll" &&
        [ "$(dotnet "$tmp/extracted/App.dll")" = "app 49 1 0:0" ] &&
        run_ilpatch 0 dump "$app/App.dll" && run_ilpatch 3 dump "$app/No.dll" && run_ilpatch 3 dump "$tmp/log/No.dll"
}

# What comes with the runtime is patched when it is named, and what was patched before stays.
with_runtime() { # FOLDER
    local app=$1/App linq='System.Linq.Enumerable::First -> 1'
    cp "$app" "$tmp/before"
    run_ilpatch 0 resolve "$app/App.dll" && has_texts "$tmp/out" "beside  $app/System.Runtime.dll" &&
        run_ilpatch 0 --inspect-returns "$app" && runs "$app" "${values[@]}" && ! has_texts "$tmp/values" "$linq" &&
        run_ilpatch 0 --with-callers --where '<type name="System.Linq.Enumerable"/>' "$app/System.Linq.dll" &&
        runs "$app" "${values[@]}" "$linq" &&
        run_ilpatch 0 --inspect-returns "$app" && ! runs "$app" "$linq" &&
        run_ilpatch 3 --inspect-returns "$app/No.dll" && has_texts "$tmp/err" "cannot find No.dll" &&
        run_ilpatch 0 restore "$app" && cmp "$app" "$tmp/before"
}

# started_until FILE ARGUMENT...: starts ilpatch, $process, and waits until it has extracted FILE.
started_until() {
    local file=$1
    shift
    "$ilpatch" "$@" >"$tmp/out" 2>"$tmp/err" &
    process=$!
    until compgen -G "$TMPDIR/.ilpatch.*/$file" >"$tmp/extracted-to"; do
        kill -0 $process 2>/dev/null || { echo "it ended without $file"; return 1; }
    done
}

# with_option VALUES FOLDER OPTION...: patched with it, the program does what it did, and shows those values, each once; restore
# gives the folder back.
with_option() {
    local wanted=$1 folder=$2
    shift 2
    rm -rf "$tmp/option" && cp -r "$folder" "$tmp/option" && run_ilpatch 0 "$@" "$tmp/option/App" && runs "$tmp/option/App" || return
    sort "$tmp/values" | diff "$wanted" - || { echo "$*: $(sort "$tmp/values" | diff "$wanted" - | head -n 2)"; return 1; }
    [ -e "$tmp/option/App.orig" ] || return 0
    run_ilpatch 0 restore "$tmp/option/App" && diff -r "$folder" "$tmp/option"
}

every_option() { # FOLDER
    local folder=$1 all=$tmp/all.txt
    : >"$tmp/none.txt"
    printf '%s\n' 'App::Square -> 49 (System.Int32)' 'App::Square -> 49 (System.Int32)' >"$tmp/squares.txt"
    sort - "$tmp/squares.txt" >"$all" <<'END'
App/<>c::<Main>b__3_0 -> 1 (System.Int32)
App/<>c::<Main>b__3_0 -> 2 (System.Int32)
App/<>c::<Main>b__3_0 -> 3 (System.Int32)
App::Main -> 0 (System.Int32)
App::Name -> "app" (System.String)
App::Name -> "app" (System.String)
END
    echo '<rules><include><method name="Square"/></include></rules>' >"$tmp/square.xml"
    with_option "$tmp/none.txt" "$folder" --compact && with_option "$tmp/squares.txt" "$folder" --rules "$tmp/square.xml" &&
        with_option "$all" "$folder" --inspect-returns --in-place && with_option "$all" "$folder" --inspect-returns --embed &&
        with_option "$all" "$folder" --inspect-returns --compact --verify --strong-name clear &&
        with_option "$all" "$folder" --inspect-returns --symbols update --with-callers --report "$tmp/report.json" &&
        line=0:0 with_option "$all" "$folder" --inspect-returns --symbols drop
}

# What is extracted goes when the command is ended, and what is lost meanwhile is an error.
interrupted() { # FOLDER
    local app=$1/App last number code
    cp "$app" "$tmp/before" && ls "$1" >"$tmp/names"
    for number in 15 1; do
        code=0
        started_until System.Linq.dll --inspect-returns "$app" || return
        kill -$number $process
        wait $process || code=$?
        [ $code -eq $((128 + number)) ] && [ -z "$(ls -A "$TMPDIR")" ] || { echo "signal $number: code $code, $(ls -A "$TMPDIR")"; return 1; }
        cmp "$app" "$tmp/before" && ls "$1" | cmp - "$tmp/names" || return
    done
    code=0
    last=$("$ilpatch" bundle list "$app" | sed -n 's/^ *[0-9]* *assembly *\([^ ]*\).*/\1/p' | tail -n 1)
    started_until "$last" --inspect-returns "$app" && rm "$(cat "$tmp/extracted-to")" || return
    wait $process || code=$?
    [ $code -eq 4 ] && has_texts "$tmp/err" "$app/$last: cannot read its copy in" && cmp "$app" "$tmp/before" && ls "$1" | cmp - "$tmp/names"
}

# With -o - there is a folder for the output besides; the program's own is gone when the first byte comes.
interrupted_output() { # FOLDER
    local code=0
    mkfifo "$tmp/pipe"
    "$ilpatch" --inspect-returns -q -o - "$1/App" >"$tmp/pipe" 2>"$tmp/err" &
    process=$!
    exec 7<"$tmp/pipe"
    dd bs=1 count=1 <&7 >"$tmp/first" 2>"$tmp/log"
    kill -15 $process
    wait $process || code=$?
    exec 7<&-
    [ $code -eq 143 ] && [ -s "$tmp/first" ] && [ -z "$(ls -A "$TMPDIR")" ] || { echo "code $code, $(ls -A "$TMPDIR")"; return 1; }
}

# make_composite FOLDER: of its program one in $tmp/composite with the native code in a composite image. The SDK makes such of
# self-contained programs only, with the whole framework in it, which takes minutes.
make_composite() {
    local folder=$tmp/composite store framework crossgen own=$1-src/bin/Release/net10.0/linux-x64/App.dll
    store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
    crossgen=$(find "$store"/microsoft.netcore.app.crossgen2.linux-x64/*/tools/crossgen2 2>/dev/null | sort -V | tail -n 1)
    framework=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \(10[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | sort -V | tail -n 1)
    mkdir "$folder" "$folder-il" && cp "$1/App.pdb" "$folder/" &&
        "$crossgen" "$own" --composite --inputbubble -O -o "$folder-il/App.r2r.dll" -r "$framework/*.dll" >"$tmp/log" 2>&1 &&
        python3 tests/shapes/add_to_bundle.py "$1/App" "$folder-il/half" App.dll "$folder-il/App.dll" 1 &&
        python3 tests/shapes/add_to_bundle.py "$folder-il/half" "$folder/App" App.r2r.dll "$folder-il/App.r2r.dll" 1
}

# The composite image must not run instead of the IL. What is refused changes nothing, and no success is reported before.
composite() { # FOLDER
    local app=$1/App
    cp "$app" "$tmp/before" && ls "$1" >"$tmp/names" && runs "$app" && run_ilpatch 0 dump --headers "$app/App.dll" &&
        has_texts "$tmp/out" "component of App.r2r.dll" &&
        run_ilpatch 0 --inspect-returns --verify --report "$tmp/report.json" "$app" && runs "$app" "${values[@]}" &&
        has_texts "$tmp/out" "$app/App.dll: 5 of" "MVID kept" && ! has_texts "$tmp/report.json" "$TMPDIR" &&
        has_texts "$tmp/report.json" "{\"file\": \"$app/App.r2r.dll\", \"reason\": \"composite\", \"of\": [\"$app/App.dll\"], \"dropped\": true}" &&
        [ "$(grep -c '"module":' "$tmp/report.json")" -eq 1 ] &&
        run_ilpatch 0 restore "$app" && cmp "$app" "$tmp/before" && ls "$1" | cmp - "$tmp/names" &&
        run_ilpatch 3 --inspect-returns --report "$tmp/report.json" "$app/App.r2r.dll" && has_texts "$tmp/err" "a composite image" &&
        has_texts "$tmp/report.json" '"READY_TO_RUN"' && [ ! -s "$tmp/out" ] && cmp "$app" "$tmp/before" && ls "$1" | cmp - "$tmp/names"
}

# One assembly is patched, the next cannot be: no success is reported, and nothing changed.
all_or_nothing() { # FOLDER
    local app=$tmp/all/App
    mkdir "$tmp/all" && head -c 3000 "$1-src/bin/Release/net10.0/linux-x64/App.dll" >"$tmp/all/cut.dll"
    python3 tests/shapes/add_to_bundle.py "$1/App" "$app" Cut.dll "$tmp/all/cut.dll" 1 && rm "$tmp/all/cut.dll" &&
        cp "$app" "$tmp/before" && cp "$1/App.pdb" "$tmp/all/" && ls "$tmp/all" >"$tmp/names" &&
        run_ilpatch 3 --inspect-returns --report "$tmp/report.json" "$app" && has_texts "$tmp/err" "$app/Cut.dll: " &&
        [ ! -s "$tmp/out" ] && [ "$(grep -c '"written"' "$tmp/report.json")" -eq 0 ] &&
        has_texts "$tmp/report.json" "\"file\": \"$app/App.dll\"" "\"file\": \"$app/Cut.dll\"" '"error":' &&
        cmp "$app" "$tmp/before" && cmp "$tmp/all/App.pdb" "$1/App.pdb" && ls "$tmp/all" | cmp - "$tmp/names" &&
        run_ilpatch 0 --inspect-returns --report "$tmp/report.json" "$app/App.dll" && has_texts "$tmp/report.json" '"written"' &&
        runs "$app" "${values[@]}"
}

# An assembly of the program's own has the inspector's name; and what is counted of one assembly is not counted of the next.
more_assemblies() { # FOLDER
    local app=$tmp/more/App own=$1-src/bin/Release/net10.0/linux-x64/App.dll
    mkdir "$tmp/more" && cp "$1/App.pdb" "$tmp/more/" && python3 tests/shapes/add_to_bundle.py "$1/App" "$app" MyProfiler.dll "$own" 1 &&
        cp "$app" "$tmp/before" && run_ilpatch 4 --inspect-returns "$app" && cmp "$app" "$tmp/before" &&
        has_texts "$tmp/err" "$app/MyProfiler.dll is there already and is another file" && [ ! -s "$tmp/out" ] &&
        run_ilpatch 0 --inspect-returns --embed "$app" && runs "$app" "${values[@]}" && run_ilpatch 0 restore "$app" &&
        run_ilpatch 0 tail add "$app" && [ "$(sed -n 's/.*dll: \([0-9]* call[^;]*\).*/\1/p' "$tmp/out" | sort | uniq -c | awk '{ print $1 }')" = 2 ] &&
        runs "$app"
}

# The lists of files are read as the host reads them; one that cannot be read is refused.
odd_deps() { # FOLDER
    local app=$tmp/odd/App
    mkdir "$tmp/odd" && cp "$1/App.pdb" "$tmp/odd/" && run_ilpatch 0 bundle extract -o "$tmp/odd" "$1/App" App.deps.json &&
        { printf '\xEF\xBB\xBF// mine\n'; cat "$tmp/odd/App.deps.json"; printf '} "'; } >"$tmp/odd/deps" &&
        python3 tests/shapes/add_to_bundle.py "$1/App" "$app" App.deps.json "$tmp/odd/deps" 3 && runs "$app" &&
        run_ilpatch 0 --inspect-returns "$app" && runs "$app" "${values[@]}" &&
        run_ilpatch 0 bundle extract -o "$tmp/odd" "$app" App.deps.json && head -c 10 "$tmp/odd/App.deps.json" | grep -q mine &&
        echo '{' >"$tmp/odd/deps" && rm "$app"* && python3 tests/shapes/add_to_bundle.py "$1/App" "$app" App.deps.json "$tmp/odd/deps" 3 &&
        run_ilpatch 3 --inspect-returns "$app" && has_texts "$tmp/err" "$app/App.deps.json: cannot read it as JSON" && [ ! -e "$app.orig" ]
}

# A self-contained program without a core library, as far as one can see: no inspector can be called. Programs that were
# really trimmed: tests/runtime/trimmed.
trimmed() {
    local folder=$tmp/trimmed
    mkdir "$folder" && cp "$tmp/single-src/bin/Release/net10.0/linux-x64/App.dll" "$folder/" &&
        : >"$folder/System.Private.CoreLib.dll" &&
        run_ilpatch 3 --inspect-returns "$folder/App.dll" && has_texts "$tmp/err" "the program was trimmed and lacks what it uses" \
            "PublishTrimmed=false" && [ ! -s "$tmp/out" ] && run_ilpatch 3 --embed --inspect-returns "$folder/App.dll" &&
        run_ilpatch 3 -n --inspect-returns "$folder/App.dll" && [ "$(ls "$folder")" = "App.dll
System.Private.CoreLib.dll" ]
}

# A manifest that is cut is reported, and nothing is written.
broken_manifest() { # FOLDER
    local app=$tmp/broken
    head -c -30 "$1/App" >"$app"
    run_ilpatch 3 --inspect-returns "$app" && has_texts "$tmp/err" "the data ends too early" && [ ! -e "$app.orig" ]
}

# What is for another system cannot run here, but what is in it can.
for_windows() {
    local app=$tmp/windows/App.exe
    run_ilpatch 0 --inspect-returns "$app" && run_ilpatch 0 bundle extract -o "$tmp/windows/out" "$app" &&
        cp "$tmp/windows/App.pdb" "$tmp/windows/out/" && [ "$(dotnet "$tmp/windows/out/App.dll" 2>"$tmp/values")" = "app 49 1 $line" ] && has_texts "$tmp/values" "${values[@]}" &&
        run_ilpatch 0 restore "$app"
}

if ! have dotnet; then
    skip programs "no dotnet"
    return
fi
if publish host --no-self-contained; then
    passes host-beside-assembly host_beside_assembly
else
    skip host-beside-assembly "$(grep -m1 error "$tmp/log")"
fi
if publish single --no-self-contained -p:PublishSingleFile=true; then
    passes single-file single_file "$tmp/single"
    passes single-file-options every_option "$tmp/single"
    passes single-file-pdb pdb_beside "$tmp/single"
    if have python3; then
        passes single-file-pdb-inside pdb_inside "$tmp/single"
        passes single-file-all-or-nothing all_or_nothing "$tmp/single"
        passes single-file-more-assemblies more_assemblies "$tmp/single"
        passes single-file-odd-deps odd_deps "$tmp/single"
    else
        skip single-file-with-more "no python3"
    fi
    passes single-file-extracted extracted "$tmp/single"
    passes single-file-interrupted-output interrupted_output "$tmp/single"
    passes single-file-broken broken_manifest "$tmp/single"
    passes trimmed trimmed
else
    skip single-file "$(grep -m1 error "$tmp/log")"
fi
if RID=win-x64 publish windows --no-self-contained -p:PublishSingleFile=true; then
    passes single-file-windows for_windows
else
    skip single-file-windows "$(grep -m1 error "$tmp/log")"
fi
if publish whole --self-contained -p:PublishSingleFile=true -p:EnableCompressionInSingleFile=true; then
    passes single-file-with-runtime with_runtime "$tmp/whole"
    passes single-file-interrupted interrupted "$tmp/whole"
else
    skip single-file-with-runtime "$(grep -m1 error "$tmp/log")"
fi
if publish precompiled --no-self-contained -p:PublishSingleFile=true -p:PublishReadyToRun=true; then
    passes single-file-precompiled every_option "$tmp/precompiled"
    if have python3 && make_composite "$tmp/precompiled"; then
        passes single-file-composite composite "$tmp/composite"
        passes single-file-composite-options every_option "$tmp/composite"
    else
        skip single-file-composite "python3 or crossgen2 cannot be had: $(head -n 1 "$tmp/log")"
    fi
else
    skip single-file-precompiled "$(grep -m1 error "$tmp/log")"
fi
