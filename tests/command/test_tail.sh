# shellcheck shell=bash disable=SC2154
# ilpatch tail: what it lists, which calls it changes and why not others, and what becomes of the files. Sourced by run.sh.

assembled() { # NAME: NAME.il into NAME.exe
    have ilasm || skip_case "no Mono ilasm"
    ilasm -quiet -exe -output:"$1.exe" "$1.il" >ilasm.log 2>&1 || die "ilasm: $(tail -n 3 ilasm.log)"
}

tail_programs=$here/../runtime/programs/il
assembled_program() { # NAME of tests/runtime/programs/il
    cat "$tail_programs/check.inc" "$tail_programs/$1.il" >"$1.il"
    assembled "$1"
}

# How many lines of a listing have this word.
listed() { # FILE WORD
    "$ilpatch" tail list "$1" | awk -v word="$2" '$3 == word' | wc -l
}

# ---- list ----

test_tail_list() {
    assembled_program tailauto
    expect 0 tail list tailauto.exe
    silent err
    local row
    for row in "kept-loop 8" "kept-unknown 5" "may-be-stripped 5" "jmp 1" "not 0"; do
        [ "$(listed tailauto.exe "${row% *}")" = "${row#* }" ] || die "$row: $(listed tailauto.exe "${row% *}")"
    done
    says out "IL_0006  may-be-stripped  int32 Auto.Program::Self(int32, int32)  ->  int32 Auto.Program::Leaf(int32)" \
        "IL_0014  kept-loop        int32 Auto.Program::Self(int32, int32)  ->  int32 Auto.Program::Self(int32, int32)" \
        "IL_0012  kept-unknown     int32 Auto.Program::ByDelegate(int32, int32)  ->  instance int32 Auto.Step::Invoke(int32, int32)" \
        "IL_0000  jmp              int32 Auto.Program::Jumps(int32, int32)  ->  int32 Auto.Program::ByJump(int32, int32)"
    gone tailauto.exe.orig
}

# list says what the report of tail-calls="auto" says.
test_tail_list_as_report() {
    needs_json
    assembled_program tailauto
    expect 0 --inspect-returns --report r.json -n tailauto.exe
    local count word
    for word in kept-loop kept-unknown stripped; do
        count=$(grep -o "\"decision\": \"$word\"" r.json | wc -l)
        [ "$count" = "$(listed tailauto.exe "${word/stripped/may-be-stripped}")" ] || die "$word: $count in the report"
    done
}

# The same calls in the same order.
test_tail_list_as_json() {
    needs_schema
    assembled_program tailauto
    expect 0 tail list tailauto.exe
    cp out text
    expect 0 tail list --json tailauto.exe
    "$here/../schema.py" tailcalls out >wrong || die "$(head -n 3 wrong)"
    python3 - out <<'PYTHON' | cmp -s - text || die "other calls: $(head -n 3 out)"
import json, sys

for call in json.load(open(sys.argv[1], encoding="utf-8"))["calls"]:
    print(f"{call['token'][2:]}  IL_{call['offset']:04x}  {call['outcome']:<15}  {call['method']}  ->  {call['callee']}")
PYTHON
    expect 2 tail add --json tailauto.exe
}

test_tail_list_method() {
    assembled_program tailauto
    expect 0 tail list tailauto.exe Auto.Program::Mixed
    [ "$(wc -l <out)" = 2 ] || die "$(cat out)"
    cp out named
    expect 0 tail list tailauto.exe Mixed
    identical out named
    expect 0 tail list tailauto.exe "0x$(head -c 8 named)"
    identical out named
    expect 0 tail list tailauto.exe "$(head -c 8 named)"
    identical out named
    expect 1 tail list tailauto.exe Auto.Program::None
    says err "tailauto.exe has no method 'Auto.Program::None'"
}

test_tail_list_none() {
    expect 0 tail list "$files/Colors.dll"
    silent out
}

# ---- add ----

# One method for each reason, called as the obstacle is; Plain ones can.
obstacles() {
    cat >obstacles.il <<'IL'
.assembly extern mscorlib { .publickeytoken = (B7 7A 5C 56 19 34 E0 89) .ver 4:0:0:0 }
.assembly extern gone { }
.assembly obstacles { }
.class public sequential sealed ansi V extends [mscorlib]System.ValueType
{
  .field int32 f
  .method public instance int32 Get() cil managed { ldc.i4.1 ret }
  .method public instance int32 ThisPointer() cil managed { ldarg.0 call instance int32 V::Get() ret }
}
.class public ansi C extends [mscorlib]System.Object
{
  .method public specialname rtspecialname instance void .ctor() cil managed
  { ldarg.0 call instance void [mscorlib]System.Object::.ctor() ret }
  .method static int32 Int(int32 a) cil managed { ldarg.0 ret }
  .method static int64 Long(int32 a) cil managed { ldarg.0 conv.i8 ret }
  .method static int32 ByRef(int32& a) cil managed { ldarg.0 ldind.i4 ret }
  .method static int32 Pointer(int32* a) cil managed { ldarg.0 ldind.i4 ret }
  .method static int32 Native(native int a) cil managed { ldarg.0 conv.i4 ret }
  .method static int32 Span(valuetype [mscorlib]System.TypedReference a) cil managed { ldc.i4.1 ret }
  .method static int32 Gone(valuetype [gone]N.S a) cil managed { ldc.i4.1 ret }
  .method static vararg int32 Many(int32 a) cil managed { ldarg.0 ret }
  .method static !!0 Same<T>(!!0 a) cil managed { ldarg.0 ret }
  .method static void Void() cil managed { ret }
  .method virtual instance int32 Own(int32 a) cil managed { ldarg.1 ret }

  .method static int32 Plain1(int32 a) cil managed { ldarg.0 call int32 C::Int(int32) ret }
  .method instance int32 Plain2(int32 a) cil managed { ldarg.0 ldarg.1 callvirt instance int32 C::Own(int32) ret }
  .method static string Plain3(string s) cil managed { ldarg.0 call !!0 C::Same<string>(!!0) ret }
  .method static void Plain4() cil managed { call void C::Void() ret }
  .method static int32 Plain5(int32 a) cil managed { ldarg.0 ldftn int32 C::Int(int32) calli int32(int32) ret }
  .method static int32 Plain6(native int a) cil managed { ldarg.0 call int32 C::Native(native int) ret }
  .method static !!0[] Plain7<T>(!!0[] a) cil managed { ldarg.0 call !!0 C::Same<!!0[]>(!!0) ret }

  .method static int32 OtherType(int32 a) cil managed { ldarg.0 call int64 C::Long(int32) ret }
  .method static int32 BeforeVoid() cil managed { ldc.i4.1 call void C::Void() ret }
  .method static int32 GenericOther(string s) cil managed { ldarg.0 call !!0 C::Same<string>(!!0) ret }
  .method static int32 Reference(int32 a) cil managed { ldarga.s 0 call int32 C::ByRef(int32&) ret }
  .method static int32 Address(int32 a) cil managed { ldarga.s 0 conv.u call int32 C::Pointer(int32*) ret }
  .method static int32 NativeAddress(int32 a) cil managed { ldarga.s 0 conv.i call int32 C::Native(native int) ret }
  .method static int32 ByRefLike(int32 a) cil managed
  { ldarga.s 0 mkrefany [mscorlib]System.Int32 call int32 C::Span(valuetype [mscorlib]System.TypedReference) ret }
  .method static int32 NotFound(valuetype [gone]N.S a) cil managed { ldarg.0 call int32 C::Gone(valuetype [gone]N.S) ret }
  .method static int32 Constrained(int32 a) cil managed
  { ldarga.s 0 constrained. [mscorlib]System.Int32 callvirt instance int32 [mscorlib]System.Object::GetHashCode() ret }
  .method static int32 VarArg(int32 a) cil managed { ldarg.0 call vararg int32 C::Many(int32) ret }
  .method static vararg int32 OwnVarArg(int32 a) cil managed { ldarg.0 call int32 C::Int(int32) ret }
  .method static int32 Frame(int32 a) cil managed { ldc.i4.8 localloc pop ldarg.0 call int32 C::Int(int32) ret }
  .method static int32 Locked(int32 a) cil managed synchronized { ldarg.0 call int32 C::Int(int32) ret }
  .method static int32 Unreached(int32 a) cil managed { ldarg.0 ret ldarg.0 call int32 C::Int(int32) ret }
  .method static int32 NotLast(int32 a) cil managed { ldarg.0 call int32 C::Int(int32) nop ret }
  .method static int32 Jumps(int32 a) cil managed { ldarg.0 call int32 C::Int(int32) br.s END END: ret }
  .method static int32 Main() cil managed { .entrypoint ldc.i4.0 ret }
}
IL
    assembled obstacles
}

test_tail_add_obstacles() {
    obstacles
    expect 0 tail add -o made.exe obstacles.exe
    tail -n 1 out >summary
    says summary "obstacles.exe: 7 calls made tail calls, 16 left as they are"
    local row
    while read -r method why; do
        grep -E "^[0-9A-F]{8}  IL_[0-9a-f]{4}  not .*[: ]${method}[(<]?.*  - $why\$" out >row ||
            die "no line of $method, $why: $(grep -F "$method" out)"
    done <<'ROWS'
.ctor the callee is a constructor
V::ThisPointer `this` is a managed pointer
C::OtherType the callee returns another type
C::BeforeVoid more than the arguments is on the stack
C::GenericOther the callee returns another type
C::Reference an argument may point into the frame
C::Address an argument may point into the frame
C::NativeAddress an argument may point into the frame
C::ByRefLike an argument is byref-like
C::NotFound the type of an argument cannot be found
C::Constrained `this` is a managed pointer
C::VarArg the callee takes a variable number of arguments
C::OwnVarArg the method takes a variable number of arguments
C::Frame the method has memory in its frame \(localloc\)
C::Locked the method is synchronized
C::Unreached it cannot be reached
ROWS
    # what was changed is what is listed now, and nothing is left to be changed
    "$ilpatch" tail list made.exe | sed 's/.*C::\(Plain[0-9]\).*->.*/\1/' | sort | tr '\n' ' ' >names
    [ "$(cat names)" = "Plain1 Plain2 Plain3 Plain4 Plain5 Plain6 Plain7 " ] || die "changed: $(cat names)"
    expect 0 tail add -q -o again.exe made.exe
    silent out
    identical again.exe made.exe
}

test_tail_add_method() {
    obstacles
    expect 0 tail add -q -o made.exe obstacles.exe C::Plain4
    [ "$("$ilpatch" tail list made.exe | wc -l)" = 1 ] || die "more than one method was changed"
    refused 1 . tail add -n obstacles.exe C::Plain9
}

# ---- strip ----

test_tail_strip() {
    assembled_program tailauto
    expect 0 tail strip -o auto.exe --auto tailauto.exe
    says out "5 tail calls made plain calls"
    [ "$(listed auto.exe may-be-stripped)" = 0 ] && [ "$(listed auto.exe kept-loop)" = 8 ] ||
        die "$("$ilpatch" tail list auto.exe)"
    expect 0 tail strip -o all.exe tailauto.exe
    says out "18 tail calls made plain calls"
    expect 0 tail list all.exe
    [ "$(wc -l <out)" = 1 ] || die "$(cat out)"
    says out "  jmp  "
    expect 0 tail strip --auto -o same.exe auto.exe
    says out "0 tail calls made plain calls"
    identical same.exe auto.exe
}

# After add and strip only nops are new.
test_tail_round_trip() {
    obstacles
    expect 0 tail add -q -o added.exe obstacles.exe
    expect 0 tail strip -q -o back.exe added.exe
    expect 0 tail list back.exe
    silent out
    expect 0 diff obstacles.exe back.exe
    if grep -E '^[-+] +IL_' out | grep -vE '^\+ +IL_[0-9a-f]+: +nop$'; then die "more than nops"; fi
    [ "$(grep -cE '^\+ .*nop$' out)" = 14 ] || die "not two nops each: $(cat out)"
}

# ---- files ----

test_tail_files() {
    give . Sample.dll
    expect 0 tail add Sample.dll
    says out "Sample.dll: 1 call made a tail call, 0 left as they are"
    identical Sample.dll.orig "$files/Sample.dll"
    differ Sample.dll Sample.dll.orig
    gone MyProfiler.dll
    cp Sample.dll first.dll
    expect 0 tail add Sample.dll # from the original
    identical Sample.dll first.dll
    expect 0 restore Sample.dll
    identical Sample.dll "$files/Sample.dll"
    gone Sample.dll.orig
}

test_tail_in_place() {
    give . Sample.dll
    expect 0 tail add --in-place Sample.dll
    gone Sample.dll.orig
    [ "$("$ilpatch" tail list Sample.dll | wc -l)" = 1 ] || die "no tail call"
    expect 0 --inspect-returns Sample.dll # takes it from there
    [ "$("$ilpatch" tail list Sample.dll.orig | wc -l)" = 1 ] || die "no tail call in the original"
}

test_tail_dry_run() {
    give . Sample.dll
    local before
    before=$(state_of .)
    expect 0 tail add -n Sample.dll
    says out "would be patched: 1 call "
    [ "$(state_of .)" = "$before" ] || die "a dry run changed something"
}

test_tail_unchanged() {
    give . Colors.dll
    expect 0 tail add Colors.dll
    identical Colors.dll "$files/Colors.dll"
}

test_tail_unreadable() {
    give . Sample.dll
    expect 0 list Sample.dll
    local token offset
    token=$(sed -n 's/^\([0-9A-F]*\)  inspected .*/\1/p' out | head -n 1)
    offset=$("$ilpatch" dump --method "$token" Sample.dll | sed -n 's/.* at \(0x[0-9A-F]*\) (rva.*/\1/p')
    poke Sample.dll "$offset" 0E242424
    expect 1 tail list Sample.dll
    says err "method $token: "
}

test_tail_refused() {
    give . Sample.dll
    echo text >text.dll
    refused 2 . tail
    refused 2 . tail take Sample.dll
    refused 2 . tail add
    refused 2 . tail add Sample.dll A B
    refused 2 . tail list --auto Sample.dll
    refused 2 . tail add --auto Sample.dll
    refused 2 . tail list -o out.dll Sample.dll
    refused 2 . tail list -q Sample.dll
    refused 2 . tail add -o out.dll --in-place Sample.dll
    refused 2 . tail add -o Sample.dll Sample.dll
    refused 2 . tail list Sample.dll 0x02000001
    refused 2 . tail list Sample.dll ''
    refused 3 . tail list none.dll
    refused 3 . tail list text.dll
    refused 3 . tail add text.dll
    refused 4 . tail add -o none/out.dll Sample.dll
    expect 0 tail --help
    says out "ilpatch tail list"
}
