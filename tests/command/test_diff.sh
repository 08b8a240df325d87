# shellcheck shell=bash disable=SC2154
# What diff shows. Sourced by run.sh.

# exactly TEXT: out has these lines and no others.
exactly() {
    diff - out >difference || die "not what was expected: $(head -n 8 difference)"
}

code_of() { # FILE TOKEN: the offset of the method's header
    "$ilpatch" dump --method "$2" "$1" | sed -n 's/.* at \(0x[0-9A-F]*\) (rva.*/\1/p'
}

# good-il.dll, and a copy to be changed.
two_copies() {
    cp "$here/../files/good-il.dll" old.dll
    cp old.dll new.dll
    chmod 644 old.dll new.dll
}

# ---- a patched file ----

test_diff_patched() {
    give . Sample.dll
    expect 0 --inspect-returns -q Sample.dll
    expect 0 diff Sample.dll.orig Sample.dll 06000004
    silent err
    exactly <<'TEXT'
--- Sample.dll.orig
+++ Sample.dll
@@ 06000004 valuetype Sample.Point Sample.Values::Place()
-    fat, max stack 2, init locals
+    fat, max stack 3, init locals
     locals (valuetype Sample.Point)
     IL_0000:  ldloca.s   0
     IL_0002:  initobj    Sample.Point
     ...
     IL_0012:  ldc.i4.2
     IL_0013:  stfld      int32 Sample.Point::Y
     IL_0018:  ldloc.0
+    IL_0019:  dup
+    IL_001a:  box        Sample.Point
+    IL_001f:  ldstr      "Sample.Values::Place"
+    IL_0024:  call       void MyProfiler.Helper::MyInspector(object, string)
     IL_0029:  ret
1 method differs, 0 the same, 0 only in OLD, 0 only in NEW
TEXT
    expect 0 diff -U0 Sample.dll.orig Sample.dll Sample.Values::Text
    exactly <<'TEXT'
--- Sample.dll.orig
+++ Sample.dll
@@ 06000002 string Sample.Values::Text()
+    IL_0005:  dup
+    IL_0006:  ldstr      "Sample.Values::Text"
+    IL_000b:  call       void MyProfiler.Helper::MyInspector(object, string)
1 method differs, 0 the same, 0 only in OLD, 0 only in NEW
TEXT
    expect 0 diff Sample.dll.orig Sample.dll
    [ "$(tail -n 1 out)" = "8 methods differ, 6 the same, 0 only in OLD, 0 only in NEW" ] || die "$(tail -n 1 out)"
    [ "$(grep -c '^-' out)" -eq 2 ] || die "more was taken out than a header and the file's name"
    expect 0 diff Sample.dll Sample.dll.orig
    [ "$(grep -c '^+' out)" -eq 2 ] || die "the other way round: more was put in than a header and the file's name"
}

# JSON has the lines of the text, and the same numbers.
test_diff_json() {
    needs_schema
    give . Sample.dll
    expect 0 --inspect-returns -q Sample.dll
    expect 0 diff -U 9999 Sample.dll.orig Sample.dll
    mv out text
    expect 0 diff --json Sample.dll.orig Sample.dll
    silent err
    "$here/../schema.py" diff out >wrong || die "$(head -n 3 wrong)"
    python3 - out text <<'PYTHON' || die 'not the lines of the text'
import json, re, sys
document = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read().splitlines()
def lines(mark):
    return [line[1:].strip() for line in text if line.startswith(mark) and line[:3] not in ("---", "+++")]
rows = [row for method in document["methods"] for row in method["lines"]]
def column(name, *changes):
    return [row[name] for row in rows if row["change"] in changes]
assert column("old", "changed", "removed") == lines("-") != []
assert column("new", "changed", "added") == lines("+") != []
assert column("new", "same") == lines(" ") != []
heads = [f"@@ {method['new_token'][2:]} {method['method']}" for method in document["methods"]]
assert heads == [line for line in text if line.startswith("@@")]
numbers = [document[name] for name in ("different", "same", "only_old", "only_new")]
assert numbers == [int(number) for number in re.findall(r"\d+", text[-1])]
PYTHON
    expect 0 diff --json Sample.dll Sample.dll Text
    says out '"result": "same"}' '"different": 0, "same": 1,'
    "$here/../schema.py" diff out >wrong || die "$(head -n 3 wrong)"
    expect 1 diff --json Sample.dll Sample.dll NoSuchMethod
    "$here/../schema.py" diff out >wrong || die "$(head -n 3 wrong)"
    expect 2 diff --json -y Sample.dll Sample.dll
    expect 2 diff --json -U 1 Sample.dll Sample.dll
}

# Branches, switches and clauses that only moved are the same; a branch to a `ret` leads to the `dup` in front of it.
test_diff_moved() {
    two_copies
    expect 0 --inspect-returns -q -o new.dll old.dll
    expect 0 diff -U 99 old.dll new.dll Try
    says out "     IL_0002:  leave.s    IL_000a" "   .try IL_0000 to IL_0009 finally handler IL_0009 to IL_000a"
    expect 0 diff -U 99 old.dll new.dll N.Members::Switch
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ 0600000F int32 N.Members::Switch(int32)
-    tiny, max stack 8
+    fat, max stack 3
     IL_0000:  ldarg.0
     IL_0001:  switch     (IL_0020, IL_0032)
     IL_000e:  ldc.i4.m1
+    IL_000f:  dup
+    IL_0010:  box        System.Int32
+    IL_0015:  ldstr      "N.Members::Switch"
+    IL_001a:  call       void MyProfiler.Helper::MyInspector(object, string)
     IL_001f:  ret
     IL_0020:  ldc.i4.1
+    IL_0021:  dup
+    IL_0022:  box        System.Int32
+    IL_0027:  ldstr      "N.Members::Switch"
+    IL_002c:  call       void MyProfiler.Helper::MyInspector(object, string)
     IL_0031:  ret
     IL_0032:  ldstr      "two"
     IL_0037:  call       int32 N.Members::Length(string)
+    IL_003c:  dup
+    IL_003d:  box        System.Int32
+    IL_0042:  ldstr      "N.Members::Switch"
+    IL_0047:  call       void MyProfiler.Helper::MyInspector(object, string)
     IL_004c:  ret
1 method differs, 0 the same, 0 only in OLD, 0 only in NEW
TEXT
    cp "$here/../../samples/Shop.exe" old.dll
    expect 0 --inspect-returns -q -o new.dll old.dll
    expect 0 diff old.dll new.dll Shop.Program::LevelOf
    says out "     IL_002a:  br         IL_0030" "+    IL_0030:  dup" "     IL_0040:  ret"
}

# ---- changes by hand ----

test_diff_branch() {
    two_copies
    local code
    code=$(code_of new.dll 0600000E)
    poke new.dll "$code + 12 + 3" 07
    expect 0 diff -U1 old.dll new.dll
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ 0600000E object N.Members::Try(object)
     IL_0001:  stloc.0
-    IL_0002:  leave.s    IL_000a
+    IL_0002:  leave.s    IL_000b
     IL_0004:  pop
1 method differs, 19 the same, 0 only in OLD, 0 only in NEW
TEXT
    # another length is another instruction, and what leads to it is still the same
    two_copies
    code=$(code_of old.dll 0600000F)
    poke old.dll "$code + 1" 2B0300000016261626162616262BF1
    poke new.dll "$code + 1" 380000000016261626162616262BF1
    expect 0 diff -U9 old.dll new.dll Switch
    head -n 18 out >first && mv first out
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ 0600000F int32 N.Members::Switch(int32)
     tiny, max stack 8
-    IL_0000:  br.s       IL_0005
-    IL_0002:  nop
-    IL_0003:  nop
-    IL_0004:  nop
+    IL_0000:  br         IL_0005
     IL_0005:  ldc.i4.0
     IL_0006:  pop
     IL_0007:  ldc.i4.0
     IL_0008:  pop
     IL_0009:  ldc.i4.0
     IL_000a:  pop
     IL_000b:  ldc.i4.0
     IL_000c:  pop
     IL_000d:  br.s       IL_0000
TEXT
}

test_diff_clause() {
    two_copies
    local code
    code=$(code_of new.dll 0600000E)
    poke new.dll "$code + 24 + 4 + 12 + 4" 07 # the length of the finally's try block
    expect 0 diff -U0 old.dll new.dll
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ 0600000E object N.Members::Try(object)
-  .try IL_0000 to IL_0009 finally handler IL_0009 to IL_000a
+  .try IL_0000 to IL_0007 finally handler IL_0009 to IL_000a
1 method differs, 19 the same, 0 only in OLD, 0 only in NEW
TEXT
}

# The bytes of the body are the same, but a token in it refers to something else.
test_diff_meaning() {
    two_copies
    poke new.dll "$(LC_ALL=C grep -abo 't.w.o.' new.dll | head -n 1 | cut -d: -f1)" 54
    expect 0 diff -U0 old.dll new.dll
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ 0600000F int32 N.Members::Switch(int32)
-    IL_0012:  ldstr      "two"
+    IL_0012:  ldstr      "Two"
1 method differs, 19 the same, 0 only in OLD, 0 only in NEW
TEXT
}

test_diff_only_one() {
    two_copies
    poke new.dll "$(LC_ALL=C grep -abo 'CallVa' new.dll | head -n 1 | cut -d: -f1)" 4B
    expect 0 diff old.dll new.dll
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ +06000012 int32 N.Members::KallVa()
+    tiny, max stack 8
+    IL_0000:  ldc.i4.1
+    IL_0001:  ldstr      "x"
+    IL_0006:  call       vararg int32 N.Members::Va(int32, ..., string)
+    IL_000b:  ret
@@ -06000012 int32 N.Members::CallVa()
-    tiny, max stack 8
-    IL_0000:  ldc.i4.1
-    IL_0001:  ldstr      "x"
-    IL_0006:  call       vararg int32 N.Members::Va(int32, ..., string)
-    IL_000b:  ret
0 methods differ, 19 the same, 1 only in OLD, 1 only in NEW
TEXT
    expect 0 diff old.dll new.dll 06000012
    [ "$(grep -c ^@@ out)" -eq 2 ] || die "the token is one of both files"
}

# ---- which methods ----

test_diff_method() {
    give . Sample.dll
    cp Sample.dll copy.dll
    expect 0 diff Sample.dll copy.dll
    [ "$(cat out)" = "0 methods differ, 14 the same, 0 only in OLD, 0 only in NEW" ] || die "says $(cat out)"
    for method in 0x06000001 06000001 Number Sample.Values::Number; do
        expect 0 diff Sample.dll copy.dll $method
        exactly <<'TEXT'
--- Sample.dll
+++ copy.dll
@@ 06000001 int32 Sample.Values::Number()
     no difference
0 methods differ, 1 the same, 0 only in OLD, 0 only in NEW
TEXT
    done
    for method in 0x06000063 06000063 Nothing::Number Values::Number 02000001 "Number "; do
        expect 1 diff Sample.dll copy.dll "$method"
        silent out
        says err "no method '$method' in Sample.dll or copy.dll; 'ilpatch list copy.dll' prints tokens and names"
    done
    cp "$here/../files/good-csharp.dll" .
    expect 0 diff good-csharp.dll good-csharp.dll .ctor
    [ "$(grep -c ^@@ out)" -gt 2 ] || die "not every constructor"
}

# ---- forms ----

test_diff_columns() {
    give . Sample.dll
    expect 0 --inspect-returns -q Sample.dll
    expect 0 diff -y --width 60 Sample.dll.orig Sample.dll Number
    exactly <<'TEXT'
--- Sample.dll.orig
+++ Sample.dll
@@ 06000001 int32 Sample.Values::Number()
tiny, max stack 8              tiny, max stack 8
IL_0000:  ldc.i4.s   42        IL_0000:  ldc.i4.s   42
                             > IL_0002:  dup
                             > IL_0003:  box        Syst...
                             > IL_0008:  ldstr      "Sam...
                             > IL_000d:  call       void...
IL_0002:  ret                  IL_0012:  ret
1 method differs, 0 the same, 0 only in OLD, 0 only in NEW
TEXT
    expect 0 diff --side-by-side --width 60 --context 0 Sample.dll Sample.dll.orig Place
    exactly <<'TEXT'
--- Sample.dll
+++ Sample.dll.orig
@@ 06000004 valuetype Sample.Point Sample.Values::Place()
fat, max stack 3, init lo... | fat, max stack 2, init lo...
...
IL_0019:  dup                <
IL_001a:  box        Samp... <
IL_001f:  ldstr      "Sam... <
IL_0024:  call       void... <
1 method differs, 0 the same, 0 only in OLD, 0 only in NEW
TEXT
    COLUMNS=60 expect 0 diff -y Sample.dll Sample.dll.orig Place
    says out "fat, max stack 3, init lo... | fat"
    COLUMNS=1 expect 0 diff -y Sample.dll Sample.dll.orig Place
    says out "fat, max stack 3, init locals                                   | fat" # 130 columns
}

test_diff_color() {
    needs_linux "a terminal that gets what is written, which wine draws in its own way"
    give . Sample.dll
    local escape
    escape=$(printf '\033')
    expect 0 --inspect-returns -q Sample.dll
    expect 0 diff --color always -U0 Sample.dll.orig Sample.dll Number
    says out "${escape}[32m+    IL_0002:  dup${escape}[m" "${escape}[36m@@ 06000001 int32 Sample.Values::Number()${escape}[m"
    expect 0 diff --color=always -y Sample.dll.orig Sample.dll Place
    says out "${escape}[31mfat, max stack 2"
    for color in auto never; do
        expect 0 diff --color $color Sample.dll.orig Sample.dll
        ! grep -q "$escape" out || die "--color $color has colours in a file"
    done
    have script || return 0
    script -qec "'$ilpatch' diff Sample.dll.orig Sample.dll Number" /dev/null >out </dev/null
    says out "${escape}[32m+"
    NO_COLOR=1 script -qec "'$ilpatch' diff Sample.dll.orig Sample.dll Number" /dev/null >out </dev/null
    ! grep -q "$escape" out || die "NO_COLOR is not obeyed"
}

# Names may be any bytes: none gets to the terminal as it is, and columns are counted in characters.
test_diff_names() {
    two_copies
    local name
    name=$(LC_ALL=C grep -abo 'Length' new.dll | head -n 1 | cut -d: -f1)
    for file in old.dll new.dll; do
        poke $file "$name" 1B5B0A9BC3BC
    done
    poke new.dll "$(code_of new.dll 0600000F) + 1" 03
    expect 0 diff -U99 old.dll new.dll Switch
    says out 'int32 N.Members::\x1B[\x0A\x9Bü(string)'
    ! LC_ALL=C grep -qP '[\x1B\x9B]' out || die "control characters in the output"
    expect 0 diff -U99 -y --width 115 old.dll new.dll Switch
    says out 'IL_0017:  call       int32 N.Members::\x1B[\x0A\x9Bü(...   IL_0017'
    [ "$(grep -c 'IL_0017' out)" -eq 1 ] || die "more than one line"
}

# ---- what is broken ----

test_diff_broken() {
    two_copies
    local code
    code=$(code_of new.dll 06000010)
    poke new.dll "$code + 1" FF
    expect 0 diff old.dll new.dll
    exactly <<'TEXT'
--- old.dll
+++ new.dll
@@ 06000010 int32 N.Members::Length(string)
     tiny, max stack 8
-    IL_0000:  ldarg.0
-    IL_0001:  callvirt   instance int32 System.String::get_Length()
-    IL_0006:  ret
+    <bad code> IL_0000: FF is not an instruction (III.1.2.1); 7 bytes of code, 8 with header and sections
+    IL_0000:  .bytes     FF 6F 04 00 00 0A 2A
1 method differs, 19 the same, 0 only in OLD, 0 only in NEW
TEXT
    cp new.dll worse.dll
    poke worse.dll "$code + 7" 00
    expect 0 diff -U0 new.dll worse.dll
    says out "-    IL_0000:  .bytes     FF 6F 04 00 00 0A 2A" "+    IL_0000:  .bytes     FF 6F 04 00 00 0A 00"
    poke worse.dll "$code" 00
    expect 0 diff -U0 old.dll worse.dll
    says out "+    <bad body> method header: neither tiny nor fat" "bytes are there, the first of them 00 FF 6F"
    expect 0 diff worse.dll worse.dll
    says out "0 methods differ"
    for file in "$here"/../files/bad-m*.dll missing.dll .; do
        expect 3 diff old.dll "$file"
        silent out
        expect 3 diff "$file" old.dll
        says err "ilpatch: $file: "
    done
    give . Sample.dll Sample.pdb
    expect 3 diff Sample.dll Sample.pdb
    says err "Sample.pdb: not an assembly"
}

# Every pair of them, both ways: the counts are those of the files.
test_diff_all_pairs() {
    local counts old_file new_file total
    for old_file in "$here"/../files/good-*.dll; do
        for new_file in "$here"/../files/good-*.dll; do
            for form in -U3 -y; do
                expect 0 diff $form "$old_file" "$new_file"
                silent err
                counts=$(tail -n 1 out | tr -dc '0-9 ')
                # shellcheck disable=SC2086
                set -- $counts
                total=$("$ilpatch" dump --methods "$old_file" | grep -c '^method')
                [ $(($1 + $2 + $3)) -eq "$total" ] || die "$old_file $new_file: $counts, not $total in OLD"
                total=$("$ilpatch" dump --methods "$new_file" | grep -c '^method')
                [ $(($1 + $2 + $4)) -eq "$total" ] || die "$old_file $new_file: $counts, not $total in NEW"
                [ "$old_file" != "$new_file" ] || [ "$1 $3 $4" = "0 0 0" ] || die "$old_file differs from itself"
            done
        done
    done
}

# ---- usage ----

test_diff_usage() {
    give . Sample.dll
    expect 0 diff --help
    says out "--side-by-side" "ilpatch diff App.dll.orig App.dll 0x06000002"
    silent err
    while IFS='|' read -r arguments text; do
        # shellcheck disable=SC2086
        refused 2 . diff $arguments
        says err "ilpatch: $text"
        says err "Try 'ilpatch diff --help'"
        silent out
    done <<'TABLE'
|two files have to be named
Sample.dll|two files have to be named
Sample.dll Sample.dll Number Text|two files have to be named
--nonsense Sample.dll Sample.dll|unknown option --nonsense
-z Sample.dll Sample.dll|unknown option -z
Sample.dll Sample.dll -U|-U needs a value
-U x Sample.dll Sample.dll|'x' is not a number of lines
-U -1 Sample.dll Sample.dll|'-1' is not a number of lines
--context 1x Sample.dll Sample.dll|'1x' is not a number of lines
--width 39 Sample.dll Sample.dll|--width is from 40 to 10000, not '39'
--color maybe Sample.dll Sample.dll|--color is auto, always or never, not 'maybe'
Sample.dll Sample.dll 0x02000001|0x02000001 is not the token of a method
Sample.dll Sample.dll 0x06000000|0x06000000 is not the token of a method
Sample.dll Sample.dll 0x|0x is not the token of a method
TABLE
    expect 2 diff Sample.dll Sample.dll ""
    says err "METHOD is empty"
}
