# shellcheck shell=bash disable=SC2154
# data/examples: what each of the rule files there selects. Sourced by run.sh.

examples=$here/../../data/examples
samples=$here/../../samples
good=$here/../files

# example NAME FILE METHOD...: the command that NAME.xml shows selects these methods of FILE and no others, and would
# inspect at least one.
example() {
    local name=$1.xml file=$2 command
    shift 2
    "$ilpatch" rules check "$examples/$name" >out 2>err || die "$name: $(cat err)"
    command=$(sed -n 's/^<?run ilpatch \(.*\) [A-Za-z]*\.dll?>$/\1/p' "$examples/$name")
    case " $command " in *" --rules $name "*) ;; *) die "$name does not show how it is run" ;; esac
    printf '%s\n' "$@" | sort >wanted
    # shellcheck disable=SC2086
    (cd "$examples" && "$ilpatch" list ${command/ --id-map ids.json/} "$file") >out 2>err || die "$name: list: $(cat err)"
    grep -vE '^[0-9A-F]{8}  (not-selected|excluded) ' out | sed 's/^.* \([^ ]*::[^(<]*\)[(<].*/\1/' | sort >found
    diff wanted found >./diff || die "$name selects others: $(grep '^[<>]' diff | tr '\n' ';')"
    # shellcheck disable=SC2086
    (cd "$examples" && "$ilpatch" $command --dry-run "$file") >out 2>err || die "$name: exit code $?: $(cat err)"
    ! grep -q ': 0 of' out || die "$name: nothing is inspected"
    silent err
}

test_examples_returns() {
    example struct-returns "$samples/Shop.exe" Shop.Line::Total Shop.Program::Sum Shop.Program::Discount
    example struct-returns "$files/Sample.dll" Sample.Values::{Place,Maybe,Day,Numbers}
    example x86-struct-return "$samples/Shop.exe" Shop.Line::Total Shop.Program::Sum Shop.Program::Discount
    example decimals "$samples/Shop.exe" Shop.Line::Total Shop.Program::Sum
    example async "$good/good-csharp.dll" N.Program::Later
    example byrefs-and-pointers "$files/Sample.dll" Sample.Values::{Slot,Address}
}

# How large a decimal is, is known where a core library is.
test_examples_sizes() {
    have dotnet || have mono || skip_case "neither .NET nor Mono"
    example large-structs "$samples/Shop.exe" Shop.Line::Total Shop.Program::Sum
}

test_examples_names() {
    local shop=(Shop.Line::{.ctor,Total} Shop.Program::{Last,Sum,LevelOf,Discount,PrintBill,Main})
    example one-namespace "$samples/Shop.exe" "${shop[@]}" Shop.Program::Money
    example one-method "$samples/Shop.exe" Shop.Program::LevelOf
    example no-secrets "$samples/Shop.exe" "${shop[@]}"
    example native "$samples/Shop.exe" Shop.Line::Total Shop.Program::{Sum,LevelOf,Discount,Main}
    example own-inspector "$samples/Shop.exe" "${shop[@]}" Shop.Program::Money
}

test_examples_kinds_of_methods() {
    local written=(N.Point::Twice N.Box\`1::{Make,Empty,.ctor}
        N.Program::{Count,Later,Closure,Text,First,Pair,Maybe,Pointer,Main,.cctor}
        "N.Program/<Later>d__3::MoveNext") # which sets Later's result
    example handwritten "$good/good-csharp.dll" "${written[@]}"
    example state-machines "$good/good-csharp.dll" N.Program::{Count,Later}
    # the iterator with its machine: constructor, Dispose, MoveNext, Reset, both Current and both GetEnumerator
    local count="N.Program/<Count>d__2::"
    example iterators "$good/good-csharp.dll" N.Program::{Count,Later} "$count"{.ctor,MoveNext} "N.Program/<Later>d__3::MoveNext" \
        "$count"System.{IDisposable.Dispose,Collections.IEnumerator.{Reset,get_Current},Collections.IEnumerable.GetEnumerator} \
        "$count"System.Collections.Generic.{IEnumerator,IEnumerable}
    example public-api "$good/good-csharp.dll" N.Point::Twice N.Box\`1::{get_Value,set_Value,Make,Empty,.ctor} \
        N.Program::{Count,Later,Closure,Text,First,Pair,Maybe,Pointer,Main} "N.Program/<Later>d__3::MoveNext"
    example public-api "$files/Sample.dll" \
        Sample.Values::{Number,Text,Shade,Place,Maybe,Day,Same,Numbers,Slot,Address,Never,Nothing}
    example no-small-methods "$files/Sample.dll" Sample.Values::{Place,Day,Numbers,Slot,.cctor} Sample.Program::Main
    example no-accessors "$good/good-il.dll" N.Del::{.ctor,Invoke} N.I\`1::Get N.Generic\`2::{Get,Dispose,Id,Use} \
        N.Interop::{Fn,Secure} N.Members::{Try,Switch,Length,Va,CallVa,Ptr,Mod}
}

# No compiler of C# makes tail calls.
test_examples_tail_calls() {
    have ilasm || skip_case "no ilasm"
    cat >Tail.il <<'END'
.assembly extern mscorlib { .ver 4:0:0:0 .publickeytoken = (B7 7A 5C 56 19 34 E0 89) }
.assembly Tail { }
.class public Tail extends [mscorlib]System.Object
{
  .method public static int32 Down(int32 n) cil managed
  {
    ldarg.0
    brtrue.s more
    ldc.i4.0
    ret
    more: ldarg.0
    ldc.i4.1
    sub
    tail. call int32 Tail::Down(int32)
    ret
  }
  .method public static int32 Plain(int32 n) cil managed
  {
    ldarg.0
    call int32 Tail::Down(int32)
    ret
  }
}
END
    ilasm /dll /quiet Tail.il >log || die "$(cat log)"
    example tail-calls "$PWD/Tail.dll" Tail::Down
    says out "1 tail-call site stripped"
}

# Each example is tried above, and listed in the README beside them.
test_examples_all() {
    local name
    for name in "$examples"/*.xml; do
        name=$(basename "$name" .xml)
        grep -q "^ *example $name " "$here/test_examples.sh" || die "$name is not tested"
        grep -qF "| [$name.xml]($name.xml) |" "$examples/README.md" || die "$name is not in README.md"
    done
}
