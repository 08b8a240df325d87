# shellcheck shell=bash disable=SC2154
# Pairs of options of the commands that patch. Sourced by run.sh.

pair_folder() {
    rm -rf clean
    give clean Signed.dll Signed.pdb good-inspector.dll
    cp "$here"/../../data/inspector/MyProfiler.snk clean/key.snk
    cat >clean/r.xml <<'XML'
<rules>
  <exclude><method name="Shade"/></exclude>
  <exclude><method name="Day"/><affected-by bug="x86-struct-return"/></exclude>
  <include/>
</rules>
XML
}

# ---- two outputs in one place ----

test_pairs_places() {
    local native="--inspector native:x!y" path
    pair_folder
    cd clean || die "no folder"
    mkdir folder
    ln -s folder link
    for path in x.dll ./x.dll folder/../x.dll x.pdb x.dll.orig .x.dll.ilpatch; do
        refused 2 . --inspect-returns -o x.dll --report "$path" Signed.dll
        says err "--report $path: this name is needed for what is written of Signed.dll"
        # shellcheck disable=SC2086
        refused 2 . --inspect-returns $native -o x.dll --id-map "$path" Signed.dll
        says err "--id-map $path: this name is needed"
    done
    for path in Signed.dll.orig Signed.pdb Signed.pdb.orig .Signed.dll.ilpatch; do
        refused 2 . --inspect-returns --report "$path" Signed.dll
        refused 2 . --inspect-returns -n --report "$path" Signed.dll
    done
    refused 2 . --inspect-returns -o folder --report link/Signed.dll Signed.dll
    refused 2 . --inspect-returns --report MyProfiler.dll Signed.dll
    says err "--report MyProfiler.dll: the inspector itself has to be there"
    refused 2 . --inspect-returns -o folder --report folder/MyProfiler.dll Signed.dll
    # shellcheck disable=SC2086
    refused 2 . --inspect-returns $native -o x.dll --id-map map --report ./map Signed.dll
    says err "--id-map and --report name one file"
    refused 2 . --rules r.xml -o r.xml Signed.dll
    says err "-o would replace r.xml"
    refused 2 . --rules r.xml --report r.xml Signed.dll
    refused 2 . --inspect-returns --inspector good-inspector.dll -o good-inspector.dll Signed.dll
    says err "-o would replace good-inspector.dll"
    for path in '-o' '--report' '--id-map'; do
        refused 2 . --inspect-returns --key key.snk $path key.snk Signed.dll
        says err "$path would replace key.snk"
    done
    # a name that is free
    expect 0 --inspect-returns --embed -o x.dll --report MyProfiler.dll Signed.dll
    expect 0 --inspect-returns -o folder --report Signed.json Signed.dll
}
