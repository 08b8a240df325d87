#!/bin/sh
# installed.sh FOLDER PREFIX: tries what `make install` has put into FOLDER, which is PREFIX in its own files. The program of docs/LIBRARY.md is
# built against the library there, and patches a file; the command does the same.
set -eu
folder=$1
prefix=$2
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
has() {
    for file; do [ -s "$folder/$file" ] || { echo "missing: $folder/$file"; exit 1; }; done
}
has include/ilpatch.h include/ilpatch/error.def lib/libilpatch.a lib/libilpatch_elt.a lib/libilpatch.so lib/ilpatch/libilpatch_profiler.so share/man/man1/ilpatch.1 share/man/man1/ilpatch-trace.1 share/man/man5/ilpatch-rules.5 \
    share/bash-completion/completions/ilpatch share/zsh/site-functions/_ilpatch share/fish/vendor_completions.d/ilpatch.fish share/ilpatch/ilpatch.ps1 \
    share/ilpatch/rules.xsd share/ilpatch/report.schema.json share/doc/ilpatch/docs/RULES.md share/doc/ilpatch/examples/decimals.xml
for name in ilpatch ilpatch-elt; do
    grep -qx "prefix=$prefix" "$folder/lib/pkgconfig/$name.pc" || { echo "$name.pc has another prefix"; exit 1; }
done

for file in bin/ilpatch lib/libilpatch.so lib/ilpatch/libilpatch_profiler.so; do
    real=$(readlink -f "$folder/$file")
    ! readelf -SW "$real" | grep -q '[.]debug_info' || { echo "$file has debug symbols in it"; exit 1; }
    readelf -SW "$(dirname "$real")/.debug/$(basename "$real").debug" 2>/dev/null | grep -q '[.]debug_info' || { echo "$file has no debug symbols beside it"; exit 1; }
    readelf -p .gnu_debuglink "$real" | grep -q " $(basename "$real").debug" || { echo "$file does not name its debug symbols"; exit 1; }
done

awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' docs/LIBRARY.md >"$work/show.c"
for how in "-lilpatch" "$folder/lib/libilpatch.a -lpthread -ldl -lm"; do
    # shellcheck disable=SC2086
    ${CC:-cc} -I"$folder/include" -o "$work/show" "$work/show.c" -L"$folder/lib" $how
    LD_LIBRARY_PATH=$folder/lib "$work/show" samples/Shop.exe "$work/shown.exe" "$folder/lib/ilpatch/MyProfiler.dll" >"$work/shown"
    [ -s "$work/shown.exe" ] || { echo "the program of docs/LIBRARY.md writes nothing"; exit 1; }
done
# The hooks need nothing but themselves.
${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -shared -fPIC -fvisibility=hidden -Wl,-z,defs -I"$folder/include/ilpatch" -o "$work/libcalls.so" \
    examples/hooks/calls.c examples/hooks/tree.c examples/hooks/names.c examples/profiler-c/entry.c -L"$folder/lib" -lilpatch_elt -lpthread
"$folder/bin/ilpatch" -q --rules "$folder/share/doc/ilpatch/examples/decimals.xml" -o "$work/Shop.exe" samples/Shop.exe
"$folder/bin/ilpatch" run --print-env >"$work/variables"
grep -q "CORECLR_PROFILER_PATH=.*/lib/ilpatch/libilpatch_profiler.so" "$work/variables" || { echo "run does not find the profiler: $(cat "$work/variables")"; exit 1; }
echo "installed in $folder: works"
