#!/bin/bash
# Exceptions that leave methods (docs/INSPECTION.md, "Exceptions"): patched programs on CoreCLR and Mono, and in the process, do what
# they do unpatched, to the last line of what ends them, and show what is expected.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/exceptions
scratch exceptions
need_sdk exceptions
cp "$here/App.rules.xml" "$tmp/rules.xml"
sed 's/exceptions="yes"/& guard="yes" tail-calls="strip"/' "$tmp/rules.xml" >"$tmp/guarded.xml"

# patched NAME FOLDER FILE RULES COMMAND...: beside FILE of FOLDER as it was
patched() {
    local name=$1 folder=$2 file=$3 rules=$4 code
    shift 4
    rm -rf "${tmp:?}/run"
    cp -r "$tmp/$folder" "$tmp/run"
    passes "$name: patch" "$ilpatch" --rules "$tmp/$rules.xml" --verify --in-place "$tmp/run/$file"
    (cd "$tmp/$folder" && "$@" "$file") >"$tmp/before.out" 2>"$tmp/before.err"
    (cd "$tmp/run" && "$@" "$file") >"$tmp/after.out" 2>"$tmp/after.err"
    same "$name: output" "$tmp/before.out" "$tmp/after.out"
    same "$name" "$here/App.expected" "$tmp/after.err"
    # ended by an exception, which the runtime reports with its stack
    code=0
    { (cd "$tmp/$folder" && exec "$@" "$file" end) >"$tmp/before.out" 2>"$tmp/before.err"; code=$?; } 2>"$tmp/aborted"
    { (cd "$tmp/run" && exec "$@" "$file" end) >"$tmp/after.out" 2>"$tmp/after.err"; check "$name: exit code" $code $?; } 2>"$tmp/aborted"
    # Mono has offsets of IL, and the MVID
    grep -v '^[A-Z][A-Za-z]*::' "$tmp/after.err" | sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' >"$tmp/after.end"
    sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' "$tmp/before.err" >"$tmp/before.end"
    same "$name: end" "$tmp/before.end" "$tmp/after.end"
}

for option in -optimize+ -debug+; do
    compile "$tmp/net/App.dll" -unsafe $option "$here/App.cs"
    runs_with_framework "$tmp/net/App.dll"
    for rules in rules guarded; do
        patched "CoreCLR $option $rules" net App.dll $rules dotnet exec
    done
    "$ilpatch" run -q -o "$tmp/shown" --rules "$tmp/rules.xml" -- dotnet "$tmp/net/App.dll" >"$tmp/out"
    same "run $option" "$here/App.expected" "$tmp/shown"
done
if have mono && have mcs; then
    mkdir -p "$tmp/mono"
    mcs -unsafe -out:"$tmp/mono/App.exe" "$here/App.cs" >"$tmp/build.log" 2>&1 || fail build "$(grep -m1 error "$tmp/build.log")"
    for rules in rules guarded; do
        patched "Mono $rules" mono App.exe $rules mono
    done
else
    skip Mono "no Mono, or no mcs"
fi

# What is not possible is in the report, and patching once more changes nothing.
"$ilpatch" --exceptions -q --report "$tmp/first.json" -o "$tmp/once/App.dll" "$tmp/net/App.dll"
contains "constructor" '"withoutExceptions": "constructor"' "$tmp/first.json"
"$ilpatch" --exceptions -q --report "$tmp/second.json" -o "$tmp/twice/App.dll" "$tmp/once/App.dll"
check "once more" "" "$(grep -o '"bytesAdded": [0-9]*' "$tmp/second.json")"

# An inspector of one's own that throws: the runtime drops that.
cat >"$tmp/Own.cs" <<'END'
public static class Own
{
    public static void MyInspector(object value) { }
    public static void MyException(object exception, string method)
    {
        System.Console.WriteLine(method + " " + exception.GetType());
        throw new System.Exception("of the inspector");
    }
}
END
cat >"$tmp/Use.cs" <<'END'
static class Use
{
    static void Fail() { throw new System.ArgumentException("x"); }
    static void Main() { try { Fail(); } catch (System.ArgumentException e) { System.Console.WriteLine(e.Message); } }
}
END
mkdir "$tmp/own"
compile "$tmp/own/Own.dll" -target:library "$tmp/Own.cs"
compile "$tmp/own/Use.dll" "$tmp/Use.cs"
runs_with_framework "$tmp/own/Use.dll"
passes "own: patch" "$ilpatch" --exceptions --inspector "$tmp/own/Own.dll" --in-place "$tmp/own/Use.dll"
printf 'Use::Fail System.ArgumentException\nx\n' >"$tmp/own.expected"
dotnet exec "$tmp/own/Use.dll" >"$tmp/own.lines"
same own "$tmp/own.expected" "$tmp/own.lines"
finish
