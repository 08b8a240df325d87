#!/bin/bash
# The binary interface of libilpatch.so, which later versions keep:
#
#   description   the library has what tests/abi/ilpatch.abi describes: nothing is gone, no size, offset or number is another (abidiff). What
#                 was added is to be described: `make abi` writes the file
#   later         a program that was compiled against the header of this tree does the same with a later library: one that is built here of
#                 the same sources, with a function, a status and a reason more, and with members in the place of reserved ones
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
need_ilpatch abi
scratch abi

if ! have abidiff; then
    skip description "no abidiff (Debian: abigail-tools)"
elif tests/abi/describe.sh "$build/libilpatch.so" "$tmp/now.abi" >"$tmp/log" 2>&1 &&
    abidiff tests/abi/ilpatch.abi "$tmp/now.abi" >"$tmp/log" 2>&1; then
    ok description
else
    fail description "$(grep -v '^$' "$tmp/log" | head -n 12 | tr '\n' ';') (make abi writes tests/abi/ilpatch.abi)"
fi

# That it can fail: of a description with another number of a status, and one with a larger struct.
noticed() { # NAME SED WHAT
    sed "$2" tests/abi/ilpatch.abi >"$tmp/changed.abi"
    if abidiff tests/abi/ilpatch.abi "$tmp/changed.abi" >"$tmp/log" 2>&1 || ! grep -q "$3" "$tmp/log"; then
        fail "$1" "was not noticed: $(head -n 4 "$tmp/log" | tr '\n' ';')"
    else
        ok "$1"
    fi
}
if have abidiff; then
    noticed changed-number "s/name='ILP_E_MISUSE' value='701'/name='ILP_E_MISUSE' value='702'/" ILP_E_MISUSE
    noticed changed-struct "/name='ilp_write_info'/s/size-in-bits='[0-9]*'/size-in-bits='8192'/" 'ilp_write_info'
fi

# ---- a later library ----

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' docs/LIBRARY.md >"$tmp/show.c"
mkdir "$tmp/later"
cp -r include src "$tmp/later"
python3 - "$tmp/later" <<'EOF2'
import re, sys
def edit(path, *changes):
    path = f"{sys.argv[1]}/{path}"
    text = open(path).read()
    for old, new in changes:
        text, count = re.subn(old, new, text, count=1, flags=re.S)
        assert count == 1, (path, old)
    open(path, "w").write(text)
edit("include/ilpatch.h",
     (r'(#define ILP_VERSION ")[^"]*', r"\g<1>1.99.0"),
     (r"(#define ILP_VERSION_NUMBER )\w+", r"\g<1>0x016300"),
     (r"(    ILP_E_MISUSE = 701,[^\n]*\n)", r"\1    ILP_E_LATER = 702,\n"),
     (r"(    ILP_REASON_INSPECTED = 0,[^\n]*\n)", r"\1    ILP_REASON_LATER = 32,\n"),
     (r"(struct ilp_method_result \{.*?)uint64_t reserved\[8\]", r"\1uint64_t later; uint64_t reserved[7]"),
     (r"(struct ilp_request \{.*?)uint64_t reserved\[8\]", r"\1const char *later; uint64_t reserved[7]"),
     (r"(struct ilp_error \{.*?)uint64_t reserved\[2\]", r"\1uint64_t later; uint64_t reserved[1]"),
     (r"\n(ILP_API const char \*ilp_version)", r"\nILP_API uint64_t ilp_later(void);\n\1"))
edit("include/ilpatch/error.def", (r"(ILP_STATUS\(MISUSE,[^\n]*\n)", r'\1ILP_STATUS(LATER, 702, BUG, "later")\n'))
edit("include/ilpatch/reasons.def", (r"\n#undef", r'\nILP_REASON(LATER, 32, DONE, "later", "what later versions do")\n#undef'))
edit("src/metadata/image.c", (r"\n(const char \*ilp_version)", r"\nuint64_t ilp_later(void)\n{\n    return 1;\n}\n\n\1"))
# And methods without a value have the reason that the program's header lacks.
edit("src/inspect/policy.c", (r"(case ILP_ELEMENT_VOID: decision->reason = )\w+", r"\1ILP_REASON_LATER"))
EOF2
later="make -s -j$(nproc) BUILD=$tmp/later/build CFLAGS=-O1"
(cd "$tmp/later" && cp -r "$OLDPWD"/{Makefile,ilpatch.map,profiler.map,ilpatch.pc.in,elt,host,profiler,tools,data} . && $later "$tmp/later/build/libilpatch.so") >"$tmp/log" 2>&1
if [ ! -e "$tmp/later/build/libilpatch.so" ]; then
    fail later "it cannot be built: $(grep -m 1 -i error "$tmp/log")"
elif ! ${CC:-cc} -std=c11 -Iinclude -o "$tmp/show" "$tmp/show.c" -L"$build" -lilpatch >"$tmp/log" 2>&1; then
    fail later "the program cannot be built: $(grep -m 1 error "$tmp/log")"
else
    for which in now later; do
        [ $which = now ] && library=$build || library=$tmp/later/build
        LD_LIBRARY_PATH=$library "$tmp/show" samples/Shop.exe "$tmp/$which.exe" "$build/MyProfiler.dll" >"$tmp/$which.out" 2>&1
        echo "exit code $?" >>"$tmp/$which.out"
    done
    sed -i 's/^later     /void      /' "$tmp/later.out"
    if grep -q '^void' "$tmp/now.out" && diff "$tmp/now.out" "$tmp/later.out" >"$tmp/log" && cmp "$tmp/now.exe" "$tmp/later.exe" >"$tmp/log"; then
        ok later
    else
        fail later "$(head -n 4 "$tmp/log" | tr '\n' ';')"
    fi
fi
finish
